"""The slice's marts against a brute-force twin on a messy survey, and on no survey at all."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pandas as pd
import pytest

from assets.settings import PROJECT
from dagster_project.resources import DuckDBWarehouse
from tests.work.agreement_twin import AgreementTwin
from tests.work.messy_survey import write_messy_survey
from tests.work.slice_project import LAYERS, build, recompute
from tests.work.twin import Twin

DROPPED = ("AaIC", "ProsM")
FLOW = ["n_started", "n_in_domain", "n_removed_incomplete", "n_removed_quiz", "n_removed_speed", "n_kept"]
ACTIVITY = [
    *("importance", "conditional_importance", "hours_per_week", "n_selected", "n_respondents"),
    *("is_absent", "is_thin"),
]
AGREEMENT = ["cosine", "pearson", "n_company", "n_online", "is_thin"]
Rows = Mapping[tuple[Any, ...], tuple[Any, ...]]
CAPABILITY = ["points", "points_if_selected", "n_raters", "n_selected", "n_respondents", "is_thin"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def sources(home: Path) -> Path:
    write_messy_survey(home / "sources")
    return home / "sources"


@pytest.fixture(scope="module")
def warehouse(home: Path, sources: Path) -> DuckDBWarehouse:
    return build(home, sources, dropped=DROPPED)


@pytest.fixture(scope="module")
def twin(sources: Path) -> Twin:
    return Twin(sources, DROPPED)


def rows(frame: pd.DataFrame, keys: list[str], values: list[str]) -> Rows:
    """Key -> values, NULL as None; a key that comes twice fails."""
    records = [
        {name: None if pd.isna(cell) else cell for name, cell in record.items()}
        for record in frame.to_dict("records")
    ]
    found = {tuple(r[key] for key in keys): tuple(r[value] for value in values) for r in records}
    assert len(found) == len(frame)
    return found


def assert_same(found: Rows, expected: Rows) -> None:
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        for value, other in zip(found[key], values, strict=True):
            if isinstance(other, float) and value is not None:
                assert math.isclose(value, other, rel_tol=1e-12, abs_tol=1e-12), key
            else:
                assert value == other, key


def test_flow_counts_each_respondent_once(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    found = rows(warehouse.read("marts.respondent_flow"), ["source", "domain"], FLOW)
    assert_same(found, {key: tuple(counts) for key, counts in twin.flow.items()})
    removed = Counter({name: sum(counts[FLOW.index(name)] for counts in found.values()) for name in FLOW})
    assert min(removed.values()) > 0, "the messy survey must have somebody in every branch"


def test_activity_importance(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    expected = twin.activity_importance()
    keys = ["scope_type", "scope", "activity"]
    assert_same(rows(warehouse.read("marts.activity_importance"), keys, ACTIVITY), expected)
    assert expected["domain", "HSC", "Admin"][4] == 1, "one domain has one respondent"
    assert all(row[5] is True for key, row in expected.items() if key[2] == "Listening"), "nobody chose it"
    # scope all is not the pooled mean: Coding occurs in one domain and keeps that domain's importance
    assert expected["all", "all", "Coding"][0] == expected["domain", "NDP", "Coding"][0]


def test_capability_importance(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    keys = ["scope_type", "scope", "activity", "capability"]
    frame = warehouse.read("marts.capability_importance")
    assert_same(rows(frame, keys, CAPABILITY), twin.capability_importance())
    assert not set(frame["capability"]) & set(DROPPED) and "Listening" not in set(frame["activity"])
    assert not frame["is_suppressed"].any()


def test_agreement_of_company_and_online(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    expected = AgreementTwin(twin).units()
    found = rows(warehouse.read("marts.importance_agreement"), ["unit_type", "unit"], AGREEMENT)
    assert_same(found, expected)
    assert expected["activity", "Listening"] == (None, None, 0, 0, True), "nobody chose it"
    assert len(expected) == 18 + 16


def test_mean_agreement(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    """Table B4's first two columns; its other columns are held against enumerations in test_reliability.py."""
    found = rows(warehouse.read("marts.importance_reliability"), ["unit_type"], ["cosine", "pearson"])
    assert_same(found, AgreementTwin(twin).means())


def test_domains_are_compared_cell_by_cell(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    agreement = AgreementTwin(twin)
    marts = warehouse.read("marts.domain_importance_agreement"), warehouse.read("marts.domain_departure")
    assert_same(rows(marts[0], ["domain_a", "domain_b"], ["pearson", "cosine"]), agreement.domain_pairs())
    assert_same(rows(marts[1], ["domain", "capability"], ["departure"]), agreement.departures())
    assert len(marts[0]) == 15 and len(marts[1]) == 6 * 16
    assert set(marts[1].loc[marts[1]["is_thin"], "domain"]) == {"HSC"}, "one respondent alone"


@pytest.fixture(scope="module")
def answers(warehouse: DuckDBWarehouse) -> pd.DataFrame:
    return warehouse.read("intermediate.int_importance_answer")


def test_shuffled_respondents_under_other_ids_give_the_same_bytes(
    warehouse: DuckDBWarehouse, answers: pd.DataFrame, tmp_path: Path
) -> None:
    others = answers.sample(frac=1, random_state=3)
    others["respondent"] = [respondent[::-1] for respondent in others["respondent"]]
    again = recompute(tmp_path, warehouse, others)
    for name, keys in (
        ("importance_agreement", ["unit_type", "unit"]),
        ("importance_reliability", ["unit_type"]),
        ("domain_importance_agreement", ["domain_a", "domain_b"]),
        ("domain_departure", ["domain", "capability"]),
    ):
        first, second = (w.read(f"marts.{name}").sort_values(keys) for w in (warehouse, again))
        pd.testing.assert_frame_equal(
            first.reset_index(drop=True), second.reset_index(drop=True), check_exact=True
        )


def test_one_source_only_has_nothing_to_agree_with(
    warehouse: DuckDBWarehouse, answers: pd.DataFrame, tmp_path: Path
) -> None:
    alone = recompute(tmp_path, warehouse, answers.query("recruitment == 'online'"))
    assert alone.read("marts.importance_agreement").empty
    assert alone.read("marts.importance_reliability").empty
    assert not alone.read("marts.domain_departure").empty


def test_one_company_respondent_has_an_agreement_but_no_reliability(
    warehouse: DuckDBWarehouse, answers: pd.DataFrame, tmp_path: Path
) -> None:
    company = answers.loc[answers["recruitment"] == "company", "respondent"]
    few = answers[(answers["recruitment"] == "online") | (answers["respondent"] == company.iloc[0])]
    mart = recompute(tmp_path, warehouse, few).read("marts.importance_reliability")
    assert mart["n_company"].tolist() == [1, 1] and mart["pearson"].notna().all()
    unknown = ["pearson_sd", "pearson_low", "pearson_high", "reliability_company", "noise_ceiling"]
    assert mart[[*unknown, "disattenuated"]].isna().all(axis=None)
    assert mart["reliability_online"].between(0, 1).all()
    assert set(mart["reason"]) == {"a sample of one respondent can be neither split nor resampled"}


def test_a_domain_without_respondents_is_absent_and_a_capability_nobody_picked_has_no_agreement(
    warehouse: DuckDBWarehouse, answers: pd.DataFrame, tmp_path: Path
) -> None:
    changed = answers[answers["domain"] != "NDP"].copy()
    changed.loc[changed["capability"] == "MC", "points"] = 0.0
    built = recompute(tmp_path, warehouse, changed)
    departures = built.read("marts.domain_departure")
    assert set(departures["domain"]) == {"WL", "MMR", "AOP", "CMH", "HSC"}
    assert math.isclose(departures["departure"].sum(), 0, abs_tol=1e-9)
    assert len(built.read("marts.domain_importance_agreement")) == 10
    unit = built.read("marts.importance_agreement").set_index("unit").loc["MC"]
    assert unit[["cosine", "pearson", "reliability_company", "reliability_online"]].isna().all()
    assert unit["n_company"] == unit["n_online"] == 0
    mart = built.read("marts.importance_reliability").set_index("unit_type")
    assert mart["n_units"].to_dict() == {"capability": 16, "activity": 18}
    # nobody chose Listening, and Coding occurs in NDP alone
    assert mart["n_units_cosine"].to_dict() == {"capability": 15, "activity": 16}
    assert mart["pearson_low"].notna().all() and mart["reason"].isna().all()


def test_perfect_agreement_is_never_infinite(
    warehouse: DuckDBWarehouse, answers: pd.DataFrame, tmp_path: Path
) -> None:
    """Everybody says what the first online respondent says: no correlation has a Fisher z."""
    online = answers[answers["recruitment"] == "online"]
    one = online[online["respondent"] == online["respondent"].iloc[0]]
    same = [
        one.assign(respondent=f"{recruitment}{i}", recruitment=recruitment)
        for recruitment in ("company", "online")
        for i in range(3)
    ]
    built = recompute(tmp_path, warehouse, pd.concat(same))
    agreement, mart = built.read("marts.importance_agreement"), built.read("marts.importance_reliability")
    assert (agreement["pearson"].dropna() > 1 - 1e-12).all() and agreement["pearson"].notna().any()
    assert agreement[["reliability_company", "reliability_online"]].isna().all(axis=None)
    assert mart[["pearson", "pearson_low", "noise_ceiling", "disattenuated"]].isna().all(axis=None)
    assert set(mart["reason"]) == {"in no unit do both samples vary and agree less than perfectly"}


def test_what_cannot_be_used_is_listed_where_it_stood(warehouse: DuckDBWarehouse, sources: Path) -> None:
    """Every rejected value is the file's own cell at that row and column, and each kind of fault is met."""
    frames = {
        f"survey/{path.name}": pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
        for path in (sources / "survey").glob("*.csv")
    }
    rejects = warehouse.read("staging.stg_survey_reject")
    for reject in rejects.to_dict("records"):
        cell = frames[reject["source_file"]].loc[reject["row_number"] - 2, reject["column_name"]]
        is_code = re.fullmatch(r"[\d.,\s+-]*", str(cell))
        assert reject["value"] == (str(cell).strip() if is_code else "(withheld: not a code)")
    assert set(rejects["reason"]) == {
        *("not a number", "not a whole number", "below the allowed range", "above the allowed range"),
        *("unknown domain", "list holds an unknown or repeated code"),
    }


def test_odd_answers_are_flagged_and_kept(warehouse: DuckDBWarehouse) -> None:
    flags = warehouse.read("intermediate.int_survey_flag")
    kept = warehouse.read("intermediate.int_respondent_qc").query("is_kept")
    assert set(flags["respondent"]) <= set(kept["respondent"]) and set(flags["rule"]) == {"kept"}
    assert flags["flag"].nunique() == 7


def test_exact_avg_is_the_same_in_any_order_of_rows() -> None:
    """Rows come in an order of hashes, which differ between homes; a plain avg shows it in its last digits."""
    macro = (PROJECT / "dbt" / "macros" / "exact_avg.sql").read_text(encoding="utf-8")
    sql = jinja2.Template(macro + "{{ exact_avg('x') }}").render(
        to_double=lambda text: f"cast({text} as double)"
    )
    rng = random.Random(1)
    hours = [rng.randint(1, 1680) / 10 for _ in range(200)]
    means: list[tuple[float, float]] = []
    with duckdb.connect() as connection:
        for _ in range(20):
            rng.shuffle(hours)
            connection.execute("create or replace table t as select unnest(?::double[]) as x", [hours])
            means += connection.sql(f"select {sql}, avg(x) from t").fetchall()
    assert len({exact for exact, _ in means}) == 1 < len({plain for _, plain in means})
    assert math.isclose(means[0][0], math.fsum(hours) / len(hours), rel_tol=1e-15)


def test_no_survey_gives_empty_tables(warehouse: DuckDBWarehouse, home: Path) -> None:
    build(home, None, dropped=DROPPED, with_tests=False)
    with warehouse.connect() as connection:
        tables = connection.sql(
            f"select schema_name || '.' || table_name from duckdb_tables() where schema_name in {LAYERS}"
        ).fetchall()
    of_seeds = {"staging.stg_survey_question", "intermediate.int_capability_retention"}
    names = {name for (name,) in tables} - of_seeds
    assert len(names) == 23 and all(warehouse.read(name).empty for name in names)
