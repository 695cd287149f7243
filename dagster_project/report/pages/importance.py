"""The page on what people say their work needs.

Belongs here: the context of importance.html. Does not belong here: what charts draw (charts.py), samples and domains
held against each other (agreement.py).
"""

from __future__ import annotations

from dagster_project.report import charts
from dagster_project.report.data import Published
from dagster_project.report.labels import (
    MISSING,
    Scope,
    in_scope,
    number,
    of_respondents,
    ordered,
    rows_of,
    scopes,
    text,
)
from dagster_project.report.pages import agreement
from dagster_project.report.pages.common import Context
from dagster_project.report.tables import ScopedTable, Table, count, names_of


def context(published: Published, base: Context) -> Context:
    """What people say their work needs: importance of activities, and of capabilities for them."""
    activity, points = published["activity_importance"], published["capability_importance"]
    groups = scopes(activity)
    activities = ordered(of_respondents(activity), "activity", "importance")
    activities += [a for a in ordered(of_respondents(points), "activity", "points") if a not in activities]
    capability_order = ordered(points, "capability", "points")
    names = names_of(published["capability"], "capability")
    definitions = dict(
        zip(published["capability"]["capability"], published["capability"]["definition"], strict=True)
    )
    size = activity.groupby(["scope_type", "scope"])["n_respondents"].max()
    compared = agreement.context(published, names)
    drawn = {"bars": charts.importance_bars(activity, groups, activities)}
    if not points.empty:
        drawn["heat"] = charts.importance_heat(points, groups, activities, capability_order, names)
    return {
        "empty": published.why_empty("activity_importance") if activity.empty else "",
        "empty_heat": published.why_empty("capability_importance") if points.empty else "",
        "scopes": groups,
        "sizes": {s.key: count(size.get((s.scope_type, s.scope))) for s in groups},
        "bar_tables": [_bars(published, scope, activities) for scope in groups],
        "heat_tables": [_heat(published, scope, activities, capability_order, names) for scope in groups],
        "capabilities": [[c, names.get(c, c), text(definitions.get(c), MISSING)] for c in capability_order],
        "charts": drawn | compared.pop("charts"),
        **compared,
    }


def _bars(published: Published, scope: Scope, activities: list[str]) -> ScopedTable:
    frame = published["activity_importance"]
    by_activity = {r["activity"]: r for r in in_scope(frame, scope).to_dict("records")}
    rows = []
    for name in rows_of(scope, frame, activities):
        r = by_activity.get(name)
        why = charts.lacking_importance(r, scope)
        if r is None or charts.is_true(r["is_absent"]):
            rows.append([name, why, MISSING, count(r["n_selected"]) if r else "0"])
        else:
            mark = " *" if charts.is_true(r["is_thin"]) else ""
            rows.append([name + mark, why or number(r["importance"]), number(r["hours_per_week"], 1)])
            rows[-1].append(count(r["n_selected"]))
        if scope.scope_type == "all":
            rows[-1].append(count(r["n_domains"]) if r else MISSING)
    columns = ["Activity", "Importance (0 to 5)", "Hours a week", "Respondents who selected it"]
    columns += ["Domains in the mean"] * (scope.scope_type == "all")
    return ScopedTable(scope, Table(columns, rows))


def _heat(
    published: Published, scope: Scope, activities: list[str], capabilities: list[str], names: dict[str, str]
) -> ScopedTable:
    here = in_scope(published["capability_importance"], scope)
    cells = {(r.activity, r.capability): r.points for r in here.itertuples()}
    thin = set(here.loc[[charts.is_true(x) for x in here["is_thin"]], "activity"])
    rows = [
        [a + (" *" if a in thin else ""), *(number(cells.get((a, c)), 1) for c in capabilities)]
        for a in rows_of(scope, published["capability_importance"], activities)
    ]
    return ScopedTable(scope, Table(["Activity", *(names.get(c, c) for c in capabilities)], rows))
