"""The page on what people say their work needs.

Belongs here: the context of importance.html. Does not belong here: what charts draw (charts.py).
"""

from __future__ import annotations

import pandas as pd

from dagster_project.report import charts
from dagster_project.report.data import Published
from dagster_project.report.labels import MISSING, in_scope, number, ordered, scopes, text
from dagster_project.report.pages.common import Context
from dagster_project.report.tables import ScopedTable, Table, count, names_of


def context(published: Published, base: Context) -> Context:
    """What people say their work needs: importance of activities, and of capabilities for them."""
    activity, points = published["activity_importance"], published["capability_importance"]
    groups, activities = scopes(activity), ordered(activity, "activity", "importance")
    activities += [a for a in ordered(points, "activity", "points") if a not in activities]
    capability_order = ordered(points, "capability", "points")
    names = names_of(published["capability"], "capability")
    definitions = dict(
        zip(published["capability"]["capability"], published["capability"]["definition"], strict=True)
    )
    bars, heat = [], []
    for scope in groups:
        by_activity = {r["activity"]: r for r in in_scope(activity, scope).to_dict("records")}
        rows = []
        for name in activities:
            r = by_activity.get(name)
            if r is None or charts.is_true(r["is_absent"]):
                rows.append([name, "nobody selected it", MISSING, count(r["n_selected"]) if r else "0"])
            else:
                mark = " *" if charts.is_true(r["is_thin"]) else ""
                shown = (
                    "withheld" if charts.is_true(r["is_suppressed"]) and pd.isna(r["importance"]) else None
                )
                rows.append([name + mark, shown or number(r["importance"]), number(r["hours_per_week"], 1)])
                rows[-1].append(count(r["n_selected"]))
        columns = ["Activity", "Importance (0 to 5)", "Hours a week", "Respondents who selected it"]
        bars.append(ScopedTable(scope, Table(columns, rows)))
        here = in_scope(points, scope)
        cells = {(r.activity, r.capability): r.points for r in here.itertuples()}
        thin = set(here.loc[[charts.is_true(x) for x in here["is_thin"]], "activity"])
        table = Table(
            ["Activity", *(names.get(c, c) for c in capability_order)],
            [
                [a + (" *" if a in thin else ""), *(number(cells.get((a, c)), 1) for c in capability_order)]
                for a in activities
            ],
        )
        heat.append(ScopedTable(scope, table))
    size = activity.groupby(["scope_type", "scope"])["n_respondents"].max()
    return {
        "empty": published.why_empty("activity_importance") if activity.empty else "",
        "empty_heat": published.why_empty("capability_importance") if points.empty else "",
        "scopes": groups,
        "sizes": {s.key: count(size.get((s.scope_type, s.scope))) for s in groups},
        "bar_tables": bars,
        "heat_tables": heat,
        "capabilities": [[c, names.get(c, c), text(definitions.get(c), MISSING)] for c in capability_order],
        "bars": charts.importance_bars(activity, groups, activities),
        "heat": charts.importance_heat(points, groups, activities, capability_order, names),
    }
