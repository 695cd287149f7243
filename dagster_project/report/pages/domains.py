"""The page that sets fields of work side by side, under the paper's text and under its tables.

Belongs here: the context of domains.html. Does not belong here: single scopes (suitability.py), how alike the fields'
requirements are (agreement.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from dagster_project.report import charts
from dagster_project.report.data import Published
from dagster_project.report.labels import DOMAINS, MISSING, default_policy, number, of_policy
from dagster_project.report.pages.common import Context

# mart -> (column of the estimate, policy that the paper's own table was made with)
READINGS = {
    "suitability_pooled": ("mean_log", "paper_c9"),
    "deployment_priority": ("priority_log", "paper_c10"),
}
# what the headline of the paper is about: its Table C10 has them 2nd and 3rd, its text's own formula 10th and 9th
HEADLINE = ("Admin", "Analysing data")


@dataclass(frozen=True)
class Cell:
    """One printed estimate; `interval` is shown on demand."""

    mean: str
    interval: str = ""


@dataclass(frozen=True)
class DomainTable:
    """Activities × domains and all; activities by place in scope all. `rows`: (activity, place, cells)."""

    columns: list[str]
    rows: list[tuple[str, str, list[Cell]]]

    def place(self, activity: str) -> str:
        """Place of `activity` in scope all; a dash where it has none."""
        return next((place for name, place, _ in self.rows if name.removesuffix(" *") == activity), MISSING)

    @property
    def first(self) -> list[str]:
        """The three activities that stand highest."""
        return [name for name, place, _ in self.rows if place != MISSING][:3]


def context(published: Published, base: Context) -> Context:
    """Suitability and priority by activity and domain under both readings."""
    policy = default_policy(published)
    text_reading = "" if policy is None else str(policy["policy"])
    measures: dict[str, Context] = {}
    for mart, (column, paper) in READINGS.items():
        mine, theirs = (of_policy(published, mart, p) for p in (text_reading, paper))
        measures[mart] = {
            "empty": published.why_empty(mart) if mine.empty else "",
            "text": domain_table(mine, column),
            "paper": domain_table(theirs, column),
            "policy": paper,
        }
    priority = measures["deployment_priority"]
    both = priority["text"].rows and priority["paper"].rows
    return {
        "measures": measures,
        "default": text_reading,
        "domains": [d for d in DOMAINS.items() if d[0] in _domains(published["suitability_pooled"])],
        "headline": [(a, priority["text"].place(a), priority["paper"].place(a)) for a in HEADLINE]
        if both
        else [],
    }


def _domains(frame: pd.DataFrame) -> set[str]:
    return set(frame.loc[frame["scope_type"] == "domain", "scope"])


def domain_table(frame: pd.DataFrame, column: str) -> DomainTable:
    """`frame`: rows of one policy of a mart in `READINGS`, `column` its estimate; only scopes all and domain stay."""
    frame = frame[frame["scope_type"].isin(["all", "domain"])]
    scopes = [d for d in DOMAINS if d in _domains(frame)] + ["all"]
    cells = {(r["activity"], r["scope"]): _cell(r, column) for r in frame.to_dict("records")}
    everywhere = frame[frame["scope_type"] == "all"].dropna(subset=[column])
    ranked = everywhere.sort_values([column, "activity"], ascending=[False, True])["activity"].tolist()
    rest = sorted(set(frame["activity"]) - set(ranked))
    rows = [
        (a, str(i + 1) if i < len(ranked) else MISSING, [cells.get((a, s), Cell(MISSING)) for s in scopes])
        for i, a in enumerate([*ranked, *rest])
    ]
    return DomainTable([*scopes[:-1], "All"], rows)


def _cell(r: dict[Any, Any], column: str) -> Cell:
    if charts.value(r[column]) is None:
        return Cell("withheld" if charts.is_true(r["is_suppressed"]) else MISSING)
    mark = "*" if charts.is_true(r["is_thin"]) else ""
    return Cell(number(r[column]) + mark, f"{number(r['q025_log'])} to {number(r['q975_log'])}")
