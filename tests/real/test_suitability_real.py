"""Table C9 of task-suitability-profiles on the real survey, from Table C6's published means.

The importance matrices come from a small reader of its own (plain pandas, none of the project's code), so
the pure function is tested against the printed table and not against the project's SQL.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assets.settings import PROJECT, Settings
from assets.suitability.mapping import published_suitability, score
from assets.suitability.policies import read_policies

CAPABILITIES = [
    *("EM", "SM", "ProcM", "ProsM", "WM", "AaIC", "CF", "MS", "P"),
    *("MC", "PaPR", "FP", "SRaN", "OP", "CR", "ToM", "EPaE", "L"),
]
DROPPED = {"AaIC", "ProsM"}
DOMAINS = ["WL", "MMR", "NDP", "AOP", "CMH", "HSC"]
QUIZ = ["Q4.12", "Q4.13", "Q4.14", "Q4.25", "Q4.26", "Q4.27"]
SEEDS = PROJECT / "dbt" / "seeds"


def kept_respondents(folder: Path) -> pd.DataFrame:
    """Answers (text) of the respondents that pass the paper's quality control."""
    answers = pd.concat(
        [pd.read_csv(folder / "survey" / f"{name}.csv", dtype=str) for name in ("companies", "online")],
        ignore_index=True,
    )
    numbers = answers[["Progress", "Duration (in seconds)", "Q2.11", *QUIZ]].apply(
        pd.to_numeric, errors="coerce"
    )
    return answers[
        numbers["Q2.11"].notna()
        & (numbers["Progress"] == 100)
        & ((numbers[QUIZ] == 1).sum(axis=1) >= 3)
        & (numbers["Duration (in seconds)"] >= 600)
    ]


@pytest.fixture(scope="module")
def importance(real_data: Path) -> pd.DataFrame:
    return real_importance(real_data)


def real_importance(folder: Path) -> pd.DataFrame:
    """Mean points over those who selected the activity, blanks 0, for scope all and the six domains."""
    kept = kept_respondents(folder)
    assert len(kept) == 410
    names = pd.read_csv(SEEDS / "seed_activity.csv").set_index("activity_code")["activity"]
    domain = pd.to_numeric(kept["Q2.11"]).astype(int)
    rows = []
    for scope in ["all", *DOMAINS]:
        people = kept if scope == "all" else kept[domain == DOMAINS.index(scope) + 1]
        chosen = people["Q3.1"].fillna("").str.split(",")
        for code, activity in names.items():
            raters = people[[str(code) in [c.strip() for c in picks] for picks in chosen]]
            if raters.empty:
                continue
            for k, capability in enumerate(CAPABILITIES, start=1):
                if capability not in DROPPED:
                    points = pd.to_numeric(raters[f"{code}_Q5.4_{k}"], errors="coerce").fillna(0).mean()
                    rows.append(
                        (
                            "all" if scope == "all" else "domain",
                            scope,
                            activity,
                            capability,
                            points,
                            len(raters),
                        )
                    )
    columns = ["scope_type", "scope", "activity", "capability", "points", "n_raters"]
    return pd.DataFrame(rows, columns=columns)


@pytest.fixture(scope="module")
def members() -> pd.DataFrame:
    dimensions = pd.read_csv(SEEDS / "seed_dimension.csv")
    return dimensions.assign(capability=dimensions["dimension_key"].str.split("|")).explode("capability")


def table_c9() -> pd.DataFrame:
    return pd.read_csv(SEEDS / "published_value_suitability.csv")


def compare(computed: pd.DataFrame) -> pd.Series:
    """Absolute differences of all printed cells; a cell that is not computed is infinitely off."""
    both = table_c9().merge(computed, on=["row_name", "column_name"], how="outer", validate="one_to_one")
    return (both["computed"] - both["published"]).abs().fillna(np.inf)


def test_table_c9_holds_in_all_122_cells(importance: pd.DataFrame, members: pd.DataFrame) -> None:
    published = pd.read_csv(SEEDS / "published_capability.csv")
    differences = compare(published_suitability(importance, members, published))
    assert len(differences) == 122
    assert differences.max() <= 0.011


def test_table_c9_is_not_what_raw_weights_give(importance: pd.DataFrame, members: pd.DataFrame) -> None:
    """The table's weighting is a finding; were raw weights as close, the test above would prove nothing."""
    published = pd.read_csv(SEEDS / "published_capability.csv").set_index(["system", "dimension"])["mean"]
    pooled = published.groupby("dimension").mean()
    ability = importance["capability"].map(members.set_index("capability")["dimension"]).map(pooled)
    sums = importance.assign(product=importance["points"] * ability).groupby(["scope", "activity"])
    raw = (sums["product"].sum() / sums["points"].sum()).rename("computed").reset_index()
    raw = raw.rename(columns={"activity": "row_name", "scope": "column_name"}).replace(
        {"column_name": {"all": "All"}}
    )
    assert (compare(raw) > 0.011).sum() > 60


def test_draws_around_c6_give_the_printed_means(importance: pd.DataFrame, members: pd.DataFrame) -> None:
    """The whole path (draws, Dirichlet weights, summaries) lands on C9, scope all."""
    published = pd.read_csv(SEEDS / "published_capability.csv")
    n_draws = 4000
    draws = published.loc[published.index.repeat(n_draws), ["system", "dimension"]]
    mean, sd = (published[column].repeat(n_draws) for column in ("mean", "sd"))
    noise = np.random.default_rng(1).standard_normal(len(draws))
    draws = draws.assign(value=mean + sd * noise, chain=0, draw=np.tile(np.arange(n_draws), len(published)))
    policies = read_policies(pd.read_csv(SEEDS / "policies.csv", dtype=str))
    everyone = importance[importance["scope"] == "all"]
    scores = score(everyone, members, draws, policies, Settings().seed_for)
    pooled = scores.pooled[scores.pooled["policy"] == "relative"].rename(columns={"activity": "row_name"})
    cells = table_c9().query("column_name == 'All'").merge(pooled, on="row_name")
    assert len(cells) == 18
    assert (cells["mean_log"] - cells["published"]).abs().max() < 0.03
