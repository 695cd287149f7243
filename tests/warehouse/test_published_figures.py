"""The printed figures of the four papers in the seeds: keys, citations, digits, and the papers' own arithmetic.

Belongs here: what holds of the seeds alone. Does not belong here: what slices compute of real data (tests/real).
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import pandas as pd
import pytest

from assets.settings import PROJECT
from tests.support.published import (
    CENTAUR,
    INDEX,
    KEY,
    REAL,
    REAL_TOTAL,
    TSP,
    compared,
    counts,
    read_published,
    status,
)


@pytest.fixture(scope="module")
def cells() -> pd.DataFrame:
    return read_published()


@pytest.fixture(scope="module")
def printed(cells: pd.DataFrame) -> pd.Series:
    """(paper, table, row, column) -> value."""
    return cells.set_index(KEY)["published"].astype(float).sort_index()


def test_every_cell_has_one_place_in_a_paper_and_a_citation(cells: pd.DataFrame) -> None:
    assert not cells.duplicated(KEY).any()
    assert set(cells["expected"]) == {"", "not_in_release"}
    assert (cells["unit"] != "").all() and (cells["tolerance"].astype(float) >= 0).all()
    place = re.compile(r"\b(Table|Figure|[Ss]ections?|Appendix) [A-H\d]")
    assert [name for name in cells["table_name"] if not place.match(name)] == []
    assert [tuple(row[KEY]) for _, row in cells.iterrows() if not place.search(row["note"])] == []


def test_values_are_written_with_the_digits_that_are_printed(cells: pd.DataFrame) -> None:
    written = cells["published"].str.partition(".")[2].str.len()
    assert (written == cells["digits"].clip(lower=0)).all()
    rounded = cells[cells["digits"] < 0]
    assert len(rounded) == 5
    assert (rounded["published"].astype(float) % 10.0 ** -rounded["digits"] == 0).all()


@pytest.mark.parametrize(
    ("computed", "published", "digits", "tolerance", "verdict"),
    [
        *((0.125, "0.13", 2, "0", "match"), (0.125, "0.12", 2, "0", "match")),
        *((-0.125, "-0.13", 2, "0", "match"), (-0.125, "-0.12", 2, "0", "match")),
        *((0.1249, "0.13", 2, "0", "off"), (0.1249, "0.13", 2, "0.01", "close")),
        *((0.13, "-0.13", 2, "0.01", "off"), (88.5, "88", 0, "0", "match"), (88.51, "88", 0, "0", "off")),
        *((13, "12", 0, "1", "close"), (4950, "5000", -2, "0", "match"), (4949, "5000", -2, "0", "off")),
        *((0.1 + 0.2 - 0.175, "0.13", 2, "0", "match"), (None, "1", 0, "0", "no_data")),
    ],
)
def test_the_twin_of_the_verdict(
    computed: float | None, published: str, digits: int, tolerance: str, verdict: str
) -> None:
    """The same borders as dbt's unit test published_comparison_at_the_borders."""
    assert status(computed, published, digits, tolerance) == verdict
    assert status(computed, published, digits, tolerance, "not_in_release") == "not_in_release"


def test_means_of_table_c6_give_tables_6_and_c5(cells: pd.DataFrame) -> None:
    """One cell, the mean SD of one system, differs from what two decimals of Table C6 give."""
    c6 = pd.read_csv(PROJECT / "dbt" / "seeds" / "published_capability.csv")
    by_system = c6.groupby("system")[["mean", "sd"]].mean()
    by_dimension = c6.groupby("dimension")[["mean", "sd"]].mean()
    rows = [
        *((("Table C5", s, "mean_log"), v) for s, v in by_system["mean"].items()),
        *((("Table C5", s, "mean_sd_log"), v) for s, v in by_system["sd"].items()),
        *((("Table 6", d, "mean_log"), v) for d, v in by_dimension["mean"].items()),
        *((("Table 6", d, "sd_log"), v) for d, v in by_dimension["sd"].items()),
        *((("Table C6", "Mean", f"{d} mean"), v) for d, v in by_dimension["mean"].items()),
    ]
    computed = pd.DataFrame([(TSP, *key, value) for key, value in rows], columns=[*KEY, "computed"])
    found = compared(cells.merge(computed[KEY], on=KEY), computed)
    assert len(found) == 36 and counts(found) == REAL["capability"]


def test_slices_and_what_is_not_public_make_up_the_whole(cells: pd.DataFrame) -> None:
    total: Counter[tuple[str, str]] = Counter()
    for slice_, found in REAL.items():
        for (_, verdict), n in found.items():
            if verdict != "not_in_release":
                total[INDEX if slice_ == "adoption" else TSP, verdict] += n
    for paper, own in cells.groupby("paper"):
        n_private = int((own["expected"] == "not_in_release").sum())
        total[str(paper), "not_in_release"] = n_private
        n_open = len(own) - n_private - sum(n for (p, v), n in total.items() if p == paper and v in _DECIDED)
        total[str(paper), "no_data"] = n_open
    assert {key: n for key, n in total.items() if n} == REAL_TOTAL
    on_demand = cells["table_name"].isin(["Table 4", "Table 5", "Table C2", "Table C3"]) & (
        cells["paper"] == TSP
    )
    assert on_demand.sum() == REAL_TOTAL[TSP, "no_data"]


_DECIDED = ("match", "close", "off")


def test_the_panel_of_centaurbench_gives_4270_cells_and_not_4200(printed: pd.Series) -> None:
    """Count every candidate, pair and judge of Table 3; the unaided worker is of no family that is masked."""
    families = ["Anthropic"] * 2 + ["DeepSeek", "Google"] + ["OpenAI"] * 5
    judges = ["Anthropic", "DeepSeek", "Google", "OpenAI"]
    n_cells = n_calls = n_pairs = n_decisions = 0
    for last in ("OpenAI", "none"):  # GPT-3.5-Turbo in automation, unaided in augmentation
        field = [*families, last]
        n_cells += sum(family != judge for family in field for judge in judges)
        for pair in combinations(field, 2):
            n_eligible = sum(judge not in pair for judge in judges)
            n_calls, n_pairs = n_calls + n_eligible, n_pairs + 1
            n_decisions += n_eligible * (n_eligible - 1) // 2
    own = printed[CENTAUR, "Appendix F", "all"]
    times = int(
        printed[CENTAUR, "Section 3.1", "design", "n_tasks"]
        * printed[CENTAUR, "Section 3.1", "design", "n_runs"]
    )
    assert (n_cells * times, own["n_cells"]) == (4270, 4200)
    assert n_calls * times == own["n_judge_calls"] == 15120
    assert n_pairs * times == own["n_comparisons"] + own["n_comparisons_excluded"] == 6300
    assert own["n_decisions"] <= n_decisions * times == 11340


def test_arithmetic_of_the_economic_index(printed: pd.Series, cells: pd.DataFrame) -> None:
    own = printed[INDEX]
    log, matched, servers = (
        own["Table 1", "WildChat-4.8M"],
        own["Section 2.2", "WildChat-4.8M"],
        own["Table 3", "servers"],
    )
    assert log["n_relevant"] + log["n_irrelevant"] == own["Section 2.1", "WildChat-4.8M", "n_unique_english"]
    assert matched.filter(like="n_chats_with").sum() == matched["n_confirmed"] == 668_380
    assert servers["n_stateful"] + servers["n_stateless"] == servers["n_with_passing_tool"]
    assert (
        own["Table 4", :, "n_errors"].iloc[:2].sum() == own["Table 4", "Total agent errors", "n_errors"] == 17
    )
    shares = {
        "match": [
            (log["n_relevant"] / 1_674_316, log["relevant_percent"], 1),
            *((r["n_covered"] / 137, r["coverage_percent"], 1) for r in _rows(own, "Table 5")),
            *(
                (r["n_servers_used"] / r["n_servers"], r["utilisation_percent"], 1)
                for r in _rows(own, "Table 5")
            ),
            *((r["n_errors"] / 627, r["percent of validated"], 1) for r in _rows(own, "Table 4")),
        ],
        # what the notes call contradicted by the paper itself
        "off": [
            (log["n_irrelevant"] / 1_674_316, log["irrelevant_percent"], 1),
            (own["Table 5", "--include-commodity-examples", "n_covered"] / 137, 33.0, 0),
            (servers["n_with_passing_tool"] / 627, own["Appendix A", "servers", "quality_percent"], 0),
        ],
    }
    for verdict, given in shares.items():
        found = [status(100 * share, f"{value:.{digits}f}", digits, "0") for share, value, digits in given]
        assert found == [verdict] * len(given)
    assert own["Appendix A.1", "commodities", "highest coverage_percent"] == 33
    contradicted = cells[cells["note"].str.contains("contradicted by")]
    assert Counter(contradicted["paper"]) == {CENTAUR: 2, INDEX: 2}


def _rows(own: pd.Series, table: str) -> list[pd.Series]:
    return [row.droplevel(0) for _, row in own[table].groupby(level=0)]


@pytest.mark.parametrize(
    ("row", "low", "high"), [("Workflow Completion", 4150, 4460), ("Grounding", 4160, 4265)]
)
def test_table_10_has_about_4200_scenarios_and_not_5000(
    printed: pd.Series, row: str, low: int, high: int
) -> None:
    """n from a rank correlation and its p value, p anywhere in what is printed as such."""
    from scipy import stats

    rho, p = printed[INDEX, "Table 10", row, "rho"], printed[INDEX, "Table 10", row, "p_value"]
    n = [(stats.norm.isf((p + half) / 2) / rho) ** 2 + 1 for half in (-0.0005, 0.0005)]
    assert low < min(n) < max(n) < high < printed[INDEX, "Section 3.3", "design", "n_scenarios"]
