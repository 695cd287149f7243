"""The seeds of printed figures against the text of the papers, row by row of their tables."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from tests.support.published import CENTAUR, INDEX, TSP, read_published

SYSTEMS = ["Gemini 3.1 Pro", "Gemini 3 Flash", "o4-mini", "GPT-4o-mini", "GPT-5-nano", "Gemini 2.5 Flash"]
DIMENSIONS = ["IIC", "L", "SM", "APS", "IR", "EM", "SC", "OP"]
GEOMETRY = [
    "effective_dimensions",
    "mean_abs_correlation",
    "max_abs_correlation",
    "condition_number",
    "worst_contraction",
]
TAUS = ["tau_0", "tau_0.25", "tau_0.5", "tau_1", "tau_2"]


class Printed:
    """Printed rows as the papers' text has them."""

    def __init__(self) -> None:
        cells = read_published()
        self.cells = cells.set_index(["paper", "table_name", "row_name", "column_name"])["published"]

    def row(self, paper: str, table: str, row: str, columns: list[str]) -> list[str]:
        return [self.cells[paper, table, row, column] for column in columns]


def rows_of(p: Printed) -> dict[str, list[str]]:
    """Paper -> rows that must be in its text, blanks between cells."""
    geometry = [f"{kind}_{name}" for kind in ("free", "shared") for name in GEOMETRY]
    profile: list[str] = []
    for s in SYSTEMS:
        values = iter(p.row(TSP, "Table C6", s, [f"{d} {m}" for d in DIMENSIONS for m in ("mean", "sd")]))
        profile.append(" ".join([s, *(f"{mean} ({next(values)})" for mean in values)]))
    suitability = [
        *(" ".join([s, *p.row(TSP, "Table C4", s, geometry)]) for s in [*SYSTEMS, "Mean"]),
        *profile,
        " ".join(["Mean", *p.row(TSP, "Table C6", "Mean", [f"{d} mean" for d in DIMENSIONS])]),
        *(
            " ".join([r, *p.row(TSP, t, r, TAUS)])
            for t in ("Table 4", "Table C2", "Table C3")
            for r in ("Mean", "Worst dimension")
        ),
    ]
    for s in SYSTEMS:
        accuracy, *rest = p.row(
            TSP, "Table C5", s, ["accuracy_percent", "mean_log", "mean_sd_log", "rhat_max", "ess_min"]
        )
        suitability.append(" ".join([s, f"{accuracy}%", "19,535", *rest]))
    for d in DIMENSIONS:
        accuracy, coverage, *rest = p.row(
            TSP,
            "Table 6",
            d,
            ["accuracy_percent", "coverage_percent", "mean_log", "sd_log", "max_abs_correlation"],
        )
        suitability.append(" ".join([d, f"{accuracy}%", f"{coverage}%", *rest]))
    correlated = ["Tax Preparation", "Menu Planning", "Tutoring Session Planning", "Counseling"]
    correlated += ["Operations Research Analysis", "Market Trend Analysis", "Travel Planning"]
    centaur = [" ".join([t, *p.row(CENTAUR, "Table 1", t, ["spearman_rho", "p_value"])]) for t in correlated]
    index = []
    for r in ("Context length exceeded", "Invalid MCP response", "Total agent errors"):
        n, share = p.row(INDEX, "Table 4", r, ["n_errors", "percent of validated"])
        index.append(f"{r} {n} {share}%")
    for r in ("Baseline", "--include-commodity-examples", "--validated-only", "Both flags"):
        n, share, used, of, utilised = p.row(
            INDEX,
            "Table 5",
            r,
            ["n_covered", "coverage_percent", "n_servers_used", "n_servers", "utilisation_percent"],
        )
        index.append(f"{r} {n} / 137 ({share}%) {used} / {of} ({utilised}%)")
    for label, column in (
        ("Total servers crawled", "n_crawled"),
        ("Servers passing validation", "n_validated"),
        ("Stateful", "n_stateful"),
        ("Stateless", "n_stateless"),
        ("Total tools passing quality check", "n_tools_passed"),
        ("Total tools called", "n_tools_called"),
    ):
        index.append(f"{label} {int(p.cells[INDEX, 'Table 3', 'servers', column]):,}")
    return {TSP: suitability, CENTAUR: centaur, INDEX: index}


@pytest.mark.parametrize(("paper", "n_rows"), [(TSP, 34), (CENTAUR, 7), (INDEX, 13)])
def test_rows_are_in_the_text(real_data: Path, paper: str, n_rows: int) -> None:
    file = real_data.parent / "papers" / f"{paper}.txt"
    if not file.exists():
        pytest.skip(f"the paper is not at {file}")
    text = re.sub(r"\s+", " ", file.read_text(encoding="utf-8")).replace("−", "-")
    rows = rows_of(Printed())[paper]
    assert len(rows) == n_rows
    assert [row for row in rows if row not in text] == []


def test_seeds_have_what_the_reference_has(real_data: Path) -> None:
    """Figures that another reader took from the three later papers, whatever table they gave them."""
    folder = real_data.parent / "reference"
    files = {"centaurbench": CENTAUR, "propensities": "propensities-2x2pl", "economic_index": INDEX}
    if not all((folder / f"{name}.csv").exists() for name in files):
        pytest.skip(f"no reference at {folder}")
    cells = read_published()
    missing = []
    for name, paper in files.items():
        values = set(cells.loc[cells["paper"] == paper, "published"].astype(float).round(6))
        for item, value in pd.read_csv(folder / f"{name}.csv").itertuples(index=False):
            # shares are there in percent
            if round(value, 6) not in values and round(100 * value, 6) not in values:
                missing.append((paper, item, value))
    assert missing == []
