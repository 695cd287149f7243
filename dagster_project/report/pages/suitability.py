"""The page on which system fits which activity, per scope, default policy.

Belongs here: the context of suitability.html. Does not belong here: sentences about who comes first (claims.py), where
to begin (priorities.py).
"""

from __future__ import annotations

from typing import Any

from dagster_project.report import charts
from dagster_project.report.claims import leaders, summary
from dagster_project.report.data import Published
from dagster_project.report.labels import (
    LEADING,
    MISSING,
    System,
    in_scope,
    of_default_policy,
    of_respondents,
    ordered,
    rows_of,
    scopes,
)
from dagster_project.report.pages import priorities
from dagster_project.report.pages.common import Context, leader_table, policy_sentence
from dagster_project.report.tables import ScopedTable, Table, interval


def context(published: Published, base: Context) -> Context:
    """Suitability of each system for each activity, per scope, default policy."""
    frame = of_default_policy(published, "suitability")
    pooled = of_default_policy(published, "suitability_pooled")
    everyone: list[System] = base["systems"]
    groups, activities = scopes(frame), ordered(of_respondents(pooled), "activity", "mean_log")
    activities += [a for a in ordered(of_respondents(frame), "activity", "mean_log") if a not in activities]
    tables, first = [], []
    leading = everyone[:LEADING]
    for scope in groups:
        here, together = in_scope(frame, scope), in_scope(pooled, scope)
        cells = charts.estimates(here, "activity", "system")
        cells |= {(a, ""): estimate for a, estimate in charts.estimates(together, "activity").items()}
        thin = set(here.loc[charts.flags(here["is_thin"]), "activity"])
        withheld = set(here.loc[charts.flags(here["is_suppressed"]), "activity"])
        own, rows = rows_of(scope, frame, activities), []
        for activity in own:
            printed = [
                _cell(cells.get((activity, key)), activity in withheld)
                for key in ("", *(s.key for s in leading))
            ]
            rows.append([activity + (" *" if activity in thin else ""), *printed])
        columns = ["Activity", "Average of all systems", *(s.name for s in leading)]
        tables.append(ScopedTable(scope, Table(columns, rows, key="columns-suitability")))
        found = leaders(here, own, everyone)
        first.append(
            {
                "scope": scope,
                "summary": summary(found),
                "table": leader_table(found),
                "systems": sorted({leader.first.system.index for leader in found}),
            }
        )
    begin = priorities.context(published, groups)
    dots = charts.suitability(frame, pooled, groups, activities, everyone)
    return {
        "empty": published.why_empty("suitability") if frame.empty else "",
        "policy": policy_sentence(published),
        "n_policies": len(published["policy"]),
        "scopes": groups,
        "tables": tables,
        "leaders": first,
        "n_ai": sum(not s.is_person for s in everyone),
        "begin": begin,
        "charts": {"suitability": dots} | begin["charts"],
    }


def _cell(estimate: Any, is_withheld: bool) -> str:
    if estimate is None:
        return "withheld" if is_withheld else MISSING
    return interval(estimate)
