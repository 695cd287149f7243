"""The part of the page on suitability that says where to begin: importance against suitability, and priority.

Belongs here: the context of priorities.html, default policy. Does not belong here: domains side by side (domains.py).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from dagster_project.report import charts, placement
from dagster_project.report.data import Published
from dagster_project.report.labels import (
    INTERVIEW_SCOPE_TYPES,
    Scope,
    chance,
    in_scope,
    number,
    of_default_policy,
    text,
)
from dagster_project.report.pages.common import Context
from dagster_project.report.tables import ScopedTable, Table, interval, words

QUADRANTS = {
    "development_opportunity": "Development opportunity",
    "capability_gap": "Capability gap",
    "limited_impact": "Limited impact",
    "low_priority": "Low priority",
}
NOT_ASKED = "Interviews ask which capabilities work needs, not how important it is, so there is no map and no priority."


def context(published: Published, groups: list[Scope]) -> Context:
    """The map with its table, and the priority table, by scope."""
    quadrant = of_default_policy(published, "deployment_quadrant")
    priority = of_default_policy(published, "deployment_priority")
    pooled = of_default_policy(published, "suitability_pooled")
    lacks = {
        mart: published.why_empty(mart) if frame.empty else ""
        for mart, frame in (("deployment_quadrant", quadrant), ("deployment_priority", priority))
    }
    drawn = {} if lacks["deployment_quadrant"] else {"map": placement.deployment_map(quadrant, groups)}
    return {
        "lacks": lacks,
        "x_types": placement.X_TYPES,
        "findings": [(s, _finding(in_scope(quadrant, s), s)) for s in groups],
        "maps": [ScopedTable(s, _placed(in_scope(quadrant, s))) for s in groups],
        "priorities": [
            (
                s,
                NOT_ASKED if s.scope_type in INTERVIEW_SCOPE_TYPES else "",
                _ranked(priority, published["activity_importance"], pooled, s),
            )
            for s in groups
        ],
        "charts": drawn,
    }


def _finding(here: pd.DataFrame, scope: Scope) -> str:
    """What the map of importance holds and lacks, in words."""
    if scope.scope_type in INTERVIEW_SCOPE_TYPES:
        return NOT_ASKED
    here = here[here["x_type"] == "importance"]
    withheld = here["is_suppressed"].map(charts.is_true).astype(bool)
    placed = placement.shown(here[~withheld])
    confident = placed[placed["is_confident"].map(charts.is_true).astype(bool)]
    said = "No activity is drawn."
    if len(placed):
        begin = confident.loc[confident["quadrant"] == "development_opportunity", "activity"].tolist()
        said = (
            f"{len(placed)} activities are drawn; for {len(confident)} of them, the chance that they are on their side "
            f"of the suitability border is 75\u00a0% or more. Of these, development opportunities: "
            f"{', '.join(begin) or 'none'}."
        )
    if withheld.any():
        said += f" Withheld because they are based on too few respondents: {withheld.sum()}."
    if n_unknown := len(here) - withheld.sum() - len(placed):
        said += f" Not drawn because their importance is unknown: {n_unknown}."
    return said


def _placed(here: pd.DataFrame) -> Table:
    """Each activity's place by x_type, and how sure it is."""
    by_activity: dict[str, dict[str, dict[Hashable, Any]]] = {}
    for r in here.to_dict("records"):
        by_activity.setdefault(r["activity"], {})[r["x_type"]] = r
    rows = []
    for activity, by_type in sorted(by_activity.items()):
        first = next(iter(by_type.values()))
        if charts.is_true(first["is_suppressed"]):
            rows.append([activity, *["withheld"] * (1 + 2 * len(placement.X_TYPES) + 1)])
            continue
        cells = [number(first["suitability_log"])]
        for x_type in placement.X_TYPES:
            r = by_type.get(x_type, {})
            cells += [number(r.get("x")), words(QUADRANTS.get(text(r.get("quadrant"))))]
        known = [r["probability"] for r in by_type.values() if pd.notna(r["probability"])]
        cells.append(chance(known[0] if known else None))
        rows.append([activity + (" *" if charts.is_true(first["is_thin"]) else ""), *cells])
    heads = [
        "Importance (0 to 5)",
        "Quadrant",
        "Importance among those who do it (1 to 5)",
        "Quadrant",
        "Hours a week",
        "Quadrant",
    ]
    return Table(
        ["Activity", "Suitability (log scale)", *heads, "Chance of this side of the suitability border"], rows
    )


def _ranked(
    priority: pd.DataFrame, importance: pd.DataFrame, pooled: pd.DataFrame, scope: Scope
) -> ScopedTable:
    """Activities of `scope` by priority; those without one last."""
    here = in_scope(priority, scope).sort_values(["priority_log", "activity"], ascending=[False, True])
    important, suited = (
        dict(zip(own["activity"], own[column], strict=True))
        for own, column in (
            (in_scope(importance, scope), "importance"),
            (in_scope(pooled, scope), "mean_log"),
        )
    )
    rows = []
    for place, r in enumerate(here.to_dict("records"), 1):
        name = r["activity"] + (" *" if charts.is_true(r["is_thin"]) else "")
        if pd.notna(r["priority_log"]):
            estimate = (r["priority_log"], r["q025_log"], r["q975_log"])
            rows.append([name, str(place), interval(estimate)])
        else:
            rows.append([name, "–", "withheld" if charts.is_true(r["is_suppressed"]) else "–"])
        rows[-1] += [number(important.get(r["activity"])), number(suited.get(r["activity"]))]
    columns = [
        "Activity",
        "Rank",
        "Priority (log scale, 95\u00a0% interval)",
        "Importance (0 to 5)",
        "Suitability, average of systems",
    ]
    return ScopedTable(scope, Table(columns, rows))
