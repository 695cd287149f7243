"""The synthetic questionnaire against the published tables, by quality control written again in pandas."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assets.settings import PROJECT

DOMAINS = ["WL", "MMR", "NDP", "AOP", "CMH", "HSC"]
ACTIVITIES = pd.read_csv(PROJECT / "dbt/seeds/seed_activity.csv").set_index("activity")["activity_code"]
CAPABILITIES = pd.read_csv(PROJECT / "dbt/seeds/seed_capability.csv").set_index("capability")["survey_code"]
QUIZ = ["Q4.12", "Q4.13", "Q4.14", "Q4.25", "Q4.26", "Q4.27"]

# Table B2
BEFORE = {"companies": [2, 0, 18, 46, 38, 21], "online": [47, 48, 59, 125, 67, 68]}
AFTER = {"companies": [1, 0, 12, 37, 24, 11], "online": [36, 33, 50, 102, 55, 49]}
# Section 4.3.3
IMPORTANCE = {
    ("all", "Problem solving"): 2.04,
    ("all", "Decision making"): 1.78,
    ("all", "Checking"): 1.44,
    ("all", "Researching"): 1.35,
    ("all", "Computer use"): 0.96,
    ("all", "Listening"): 0.29,
    ("all", "Coding"): 0.38,
    ("all", "Managing resources"): 0.39,
    ("all", "Data manipulation"): 0.39,
    ("all", "Tool use"): 0.67,
    ("all", "LT planning"): 0.47,
    ("WL", "Checking"): 2.43,
    ("MMR", "Checking"): 2.45,
    ("WL", "Tool use"): 1.32,
    ("MMR", "Tool use"): 1.88,
    ("NDP", "Computer use"): 1.89,
    ("NDP", "Analysing data"): 1.89,
    ("NDP", "Coding"): 0.68,
    ("NDP", "Data manipulation"): 1.06,
    ("AOP", "LT planning"): 0.94,
    ("HSC", "Building rapport"): 1.83,
}
HOURS = {"Checking": 10.2, "Computer use": 15.7, "Tool use": 14.7, "Managing people": 13.4, "Admin": 10.8}
# Table B3: age, years in role, years in field, attitude, women in percent
DEMOGRAPHICS = {"companies": (37.7, 4.2, 8.4, 62.1, 65.9), "online": (40.9, 6.1, 12.7, 56.4, 45.5)}


@pytest.fixture(scope="module")
def answers(demo: Path) -> pd.DataFrame:
    frames = []
    for source, n_extra_headers in (("companies", 0), ("online", 2)):
        frame = pd.read_csv(demo / f"survey/{source}.csv", dtype=str, keep_default_na=False)
        frames.append(frame.iloc[n_extra_headers:].assign(source=source))
    table = pd.concat(frames, ignore_index=True).fillna("")
    return table.assign(domain=table["Q2.11"].map({str(i + 1): d for i, d in enumerate(DOMAINS)}))


@pytest.fixture(scope="module")
def stages(answers: pd.DataFrame) -> list[pd.DataFrame]:
    """All, in a domain, complete, quiz passed, slow enough."""
    in_domain = answers[answers["domain"].notna()]
    complete = in_domain[in_domain["Progress"].astype(float) >= 100]
    passed = complete[(complete[QUIZ] == "1").sum(axis=1) >= 3]
    return [
        answers,
        in_domain,
        complete,
        passed,
        passed[passed["Duration (in seconds)"].astype(float) >= 600],
    ]


@pytest.fixture(scope="module")
def kept(stages: list[pd.DataFrame]) -> pd.DataFrame:
    return stages[-1]


def numbers(frame: pd.DataFrame, column: str) -> pd.Series:
    return pd.to_numeric(frame[column], errors="coerce")


def importance_by_domain(kept: pd.DataFrame) -> pd.DataFrame:
    scores = {a: (6 - numbers(kept, f"Q3.2_{code}")).fillna(0) for a, code in ACTIVITIES.items()}
    return pd.DataFrame(scores).groupby(kept["domain"]).mean().T


def test_each_filter_removes_as_many_as_published(stages: list[pd.DataFrame]) -> None:
    assert [len(stage) for stage in stages] == [571, 539, 539 - 59, 539 - 59 - 66, 410]


def test_every_cell_of_table_b2(stages: list[pd.DataFrame]) -> None:
    for stage, published in ((stages[1], BEFORE), (stages[-1], AFTER)):
        for source, counts in published.items():
            found = stage[stage["source"] == source]["domain"].value_counts()
            assert [found.get(domain, 0) for domain in DOMAINS] == counts


def test_kept_respondents_choose_and_rank_five_activities_once(kept: pd.DataFrame) -> None:
    ranks = kept[[f"Q3.2_{t}" for t in range(1, 22)]].apply(pd.to_numeric, errors="coerce")
    assert (np.sort(ranks.to_numpy(), axis=1)[:, :5] == np.arange(1, 6)).all()
    assert (ranks.notna().sum(axis=1) == 5).all()
    listed = kept["Q3.1"].str.split(",").map(lambda codes: {int(code) for code in codes})
    assert (
        listed == ranks.apply(lambda row: {int(c.split("_")[1]) for c in row.dropna().index}, axis=1)
    ).all()


def test_some_choices_are_the_respondents_own_activities(kept: pd.DataFrame) -> None:
    assert 0.01 < (kept["Q3.2_19"] != "").mean() < 0.06


def test_importance_is_near_section_4_3_3(kept: pd.DataFrame) -> None:
    """Quotas leave rounding only: within .02."""
    found = importance_by_domain(kept)
    for (scope, activity), published in IMPORTANCE.items():
        row = found.T[activity]
        row = row[row > 0] if activity == "Coding" else row
        assert (row.mean() if scope == "all" else row[scope]) == pytest.approx(published, abs=0.02), activity


def test_the_published_leaders_and_stragglers_stay_that(kept: pd.DataFrame) -> None:
    overall = importance_by_domain(kept).drop(index="Coding").mean(axis=1).sort_values(ascending=False)
    leaders = ["Problem solving", "Decision making", "Checking", "Researching", "Computer use"]
    assert list(overall.index[:5]) == leaders
    assert set(overall.index[-3:]) == {"Listening", "Managing resources", "Data manipulation"}


def test_coding_is_chosen_in_two_domains_only(kept: pd.DataFrame) -> None:
    assert set(kept.loc[kept["Q3.2_10"] != "", "domain"]) == {"NDP", "AOP"}


def test_hours_are_near_section_4_3_3(kept: pd.DataFrame) -> None:
    for activity, published in HOURS.items():
        hours = numbers(kept, f"Q3.3_{ACTIVITIES[activity]}")
        assert hours.groupby(kept["domain"]).mean().mean() == pytest.approx(published, abs=0.3), activity
        assert hours.dropna().between(0.5, 60).all()


def test_points_are_five_picks_of_a_hundred_and_93_of_them_retained(kept: pd.DataFrame) -> None:
    rows = {}
    for activity, code in ACTIVITIES.items():
        mine = kept[kept[f"Q3.2_{code}"] != ""]
        points = pd.DataFrame({c: numbers(mine, f"{code}_Q5.4_{k}") for c, k in CAPABILITIES.items()})
        assert (points.sum(axis=1) == 100).all()
        assert (points.notna().sum(axis=1) == 5).all()
        assert (mine[f"{code}_Q5.3"].str.count(",") == 4).all()
        rows[activity] = points.fillna(0).mean()
    matrix = pd.DataFrame(rows).T
    assert matrix.drop(columns=["AaIC", "ProsM"]).sum(axis=1).mean() == pytest.approx(92.97, abs=1.5)
    core = set(matrix.mean().nlargest(5).index)
    assert core == {"P", "SM", "WM", "L", "ProcM"}  # section 4.3.4


def test_demographics_are_near_table_b3(kept: pd.DataFrame) -> None:
    for source, published in DEMOGRAPHICS.items():
        mine = kept[kept["source"] == source]
        columns = ("Q2.7", "Q2.4", "Q2.5", "Q2.6_1")
        for column, value in zip(columns, published, strict=False):
            found = numbers(mine, column)
            assert abs(found.mean() - value) < 3 * found.std() / np.sqrt(len(mine)), (source, column)
        assert 100 * (mine["Q2.8"] == "2").mean() == pytest.approx(published[-1], abs=16)


def test_those_who_gave_up_left_the_rest_blank(answers: pd.DataFrame) -> None:
    gave_up = answers[answers["domain"].notna() & (answers["Progress"] != "100")]
    assert len(gave_up) == 59
    assert (gave_up["Q6.2_1"] == "").all()
    assert (gave_up.loc[gave_up["Progress"].astype(int) < 50, QUIZ] == "").all(axis=None)
    points = [f"{t}_Q5.4_{k}" for t in range(1, 22) for k in range(1, 19)]
    n_given = (gave_up[points] != "").sum(axis=1)
    assert n_given.max() <= 25
    assert (n_given[gave_up["Progress"] == "85"] < 25).any()


def test_screened_out_rows_carry_no_answers(answers: pd.DataFrame) -> None:
    out = answers[answers["domain"].isna()]
    assert out["source"].value_counts().to_dict() == {"companies": 3, "online": 29}
    assert (out[["Q2.4", "Q3.1", "Q4.12", "Q6.2_1"]] == "").all(axis=None)


def test_company_column_names_nobody_and_has_one_too_thin_to_show(kept: pd.DataFrame) -> None:
    sizes = kept.loc[kept["company"] != "", "company"].value_counts()
    assert sizes.sum() == 85
    assert sizes.max() == 35
    assert sizes.min() < 5
    assert all(name.startswith("company-") for name in sizes.index)
