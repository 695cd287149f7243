"""What each page shows: its numbers, tables, sentences and charts, ready for the templates.

Belongs here: one function per page that turns published frames into a template's context.
Does not belong here: HTML (templates/), drawing (static/report.js), or any statistics that no mart holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from dagster_project.report import charts
from dagster_project.report.checks import sections
from dagster_project.report.claims import Leader, leaders, summary
from dagster_project.report.data import Published
from dagster_project.report.labels import (
    MISSING,
    Scope,
    System,
    default_policy,
    in_scope,
    moment,
    number,
    of_default_policy,
    of_respondents,
    ordered,
    percent,
    scopes,
    systems,
    text,
)

Context = dict[str, Any]
ESTIMATE = ("mean_log", "q025_log", "q975_log")
SETTINGS = {
    "dirichlet": "the respondents’ disagreement about weights is part of the interval",
    "none": "weights are taken as known exactly",
}
STATES = {"filled": "ok", "skipped": "off"}  # any other state of a slice is shown without a colour


@dataclass(frozen=True)
class Table:
    """A table of printed cells; the first column heads the rows."""

    columns: list[str]
    rows: list[list[str]]
    wraps: set[int] = field(default_factory=set)  # columns of running text


@dataclass(frozen=True)
class ScopedTable:
    """The table of one scope; the page shows that of the selected scope."""

    scope: Scope
    table: Table


def _interval(row: Any) -> str:
    return f"{number(row[0])}\n({number(row[1])} to {number(row[2])})"


def _n(value: object) -> str:
    return number(value, 0)


def _names(frame: pd.DataFrame, key: str) -> dict[str, str]:
    return {str(k): text(name, str(k)) for k, name in zip(frame[key], frame["name"], strict=True)}


def _printed(
    frame: pd.DataFrame, formats: dict[str, tuple[str, Callable[[object], str]]], **options: Any
) -> Table:
    """`frame` as a table: column -> (heading, printer)."""
    rows = [[printer(r[c]) for c, (_, printer) in formats.items()] for r in frame.to_dict("records")]
    return Table([heading for heading, _ in formats.values()], rows, **options)


def _text(value: object) -> str:
    return text(value, MISSING)


def policy_sentence(published: Published) -> str:
    """The default policy in words."""
    policy = default_policy(published)
    if policy is None:
        return "No default policy is published."
    power = float(str(policy["power"]))
    mean = (
        "the geometric mean (a weak capability can’t be made up for fully)"
        if power == 0
        else f"power {power:g}"
    )
    weighting = "weights as respondents gave them"
    if policy["weighting"] == "relative":
        weighting = "weights relative to the other activities"
    doubt = SETTINGS.get(
        text(policy["weight_uncertainty"]), f"weight uncertainty “{policy['weight_uncertainty']}”"
    )
    sharpness = float(str(policy["sharpness"]))
    return f"Default policy “{policy['policy']}”: {mean}, sharpness {sharpness:g}, {weighting}; {doubt}."


def common(published: Published) -> Context:
    """What every page needs: the latest refresh and the systems."""
    history = published["refresh"].sort_values("started_at", kind="stable")
    latest = {} if history.empty else history.iloc[-1].to_dict()
    synthetic = latest.get("is_synthetic")
    return {
        "refresh": {
            "id": text(latest.get("refresh_id"), "not recorded"),
            "at": moment(
                latest.get("finished_at") if pd.notna(latest.get("finished_at")) else latest.get("started_at")
            ),
            "sources": text(latest.get("sources"), "not recorded"),
            "seed": text(latest.get("seed"), MISSING),
            "commit": text(latest.get("git_commit"), "not recorded")[:12],
            "is_synthetic": charts.is_true(synthetic),
            "is_unknown": synthetic is None or bool(pd.isna(synthetic)),
        },
        "systems": systems(published),
    }


def _leader_table(found: list[Leader]) -> Table:
    rows = [
        [
            leader.activity + (" *" if leader.is_thin else ""),
            f"{leader.first.system.name}\n{leader.first}",
            f"{leader.second.system.name}\n{leader.second}" if leader.second else MISSING,
            leader.verdict,
        ]
        for leader in found
    ]
    columns = ["Activity", "Highest estimate (95\u00a0% interval)", "Second", "What the intervals say"]
    return Table(columns, rows, {1, 2, 3})


def _key_figures(published: Published, n_systems: int) -> list[tuple[str, str]]:
    battery = published["benchmark"].groupby("benchmark")[["n_items", "n_valid_items"]].max().sum()
    flow = published["respondent_flow"]
    capability = published["capability"]
    figures = [(f"{n_systems}", "AI systems")]
    if not published["benchmark"].empty:
        of = f"of {_n(float(battery['n_items']))} " if battery["n_items"] != battery["n_valid_items"] else ""
        figures.append((_n(float(battery["n_valid_items"])), f"{of}benchmark items with valid ratings"))
    if not flow.empty:
        kept, started = (float(flow[column].sum()) for column in ("n_kept", "n_started"))
        figures.append((_n(kept), f"of {_n(started)} respondents kept"))
    if not capability.empty:
        retained = int(capability["is_retained"].fillna(False).astype(bool).sum())
        figures.append((f"{retained}", f"of {len(capability)} capabilities that raters agree on"))
    return figures


def _set_aside(published: Published) -> list[tuple[str, str]]:
    """What the refresh dropped, and why: (what, how much)."""
    flow, reject, info = published["respondent_flow"], published["reject"], published["ai_system"]
    rows = []
    if not flow.empty:
        outside = float(flow["n_started"].sum() - flow["n_in_domain"].sum())
        rows.append(("Respondents who named none of the fields of work", _n(outside)))
        for column, why in (
            ("incomplete", "didn’t finish"),
            ("quiz", "failed the quiz"),
            ("speed", "were too fast"),
        ):
            rows.append((f"Respondents who {why}", _n(float(flow[f"n_removed_{column}"].sum()))))
    if not info.empty:
        rows.append(("Item results without a usable score", _n(float(info["n_unscored"].fillna(0).sum()))))
    for (table, reason), group in reject.groupby(["table_name", "reason"], dropna=False):
        rows.append(
            (
                f"Values rejected in {text(table, 'an unnamed table')}: {text(reason, 'no reason')}",
                _n(len(group)),
            )
        )
    return rows


def index(published: Published, base: Context) -> Context:
    """The overview."""
    suitability = of_default_policy(published, "suitability")
    everywhere = suitability[suitability["scope_type"] == "all"]
    order = ordered(
        of_respondents(of_default_policy(published, "suitability_pooled")), "activity", "mean_log"
    )
    found = leaders(everywhere, order, base["systems"])
    status = published["slice_status"].to_dict("records")
    comparison = published["published_comparison"]["status"].value_counts().sort_index()
    coverage = published["benchmark"]["join_coverage_share"]
    return {
        "figures": _key_figures(published, len(base["systems"])),
        "slices": [
            {
                "name": text(r["slice"]),
                "status": text(r["status"], "unknown").replace("_", " "),
                "reason": text(r["reason"], MISSING),
                "look": STATES.get(text(r["status"]), ""),
            }
            for r in status
        ],
        "leaders": _leader_table(found) if found else None,
        "summary": summary(found),
        "has_thin": any(leader.is_thin for leader in found),
        "empty": published.why_empty("suitability") if everywhere.empty else "",
        "policy": policy_sentence(published),
        "set_aside": _set_aside(published),
        "comparison": [(str(state), int(n)) for state, n in comparison.items()],
        "lowest_coverage": percent(float(coverage.min())) if coverage.notna().any() else MISSING,
        "fits": _fits(published),
    }


def _fits(published: Published) -> list[Context]:
    """Each fit with its convergence in words; a figure that doesn't apply stays a dash."""
    return [
        {
            "name": text(r["fit"]),
            "is_converged": charts.is_true(r["is_converged"]),
            "cells": [_text(r["engine"]), _n(r["n_chains"]), _n(r["n_draws"]), _n(r["n_divergent"])]
            + [number(r["rhat_max"], 3), _n(r["ess_bulk_min"]), number(r["khat_max"])],
        }
        for r in published["fit_diagnostic"].to_dict("records")
    ]


def capabilities(published: Published, base: Context) -> Context:
    """Levels of each system on each dimension."""
    profile, everyone = published["capability_profile"], base["systems"]
    dimension = published["dimension"]
    names = _names(dimension, "dimension")
    order = profile.groupby("dimension")["mean_log"].mean().sort_values(ascending=False, kind="stable")
    keys = [str(key) for key in order.index]
    by_pair = {(r.system, r.dimension): (r.mean_log, r.q025_log, r.q975_log) for r in profile.itertuples()}
    constituents = published["capability"].groupby("dimension")["name"].agg(list).to_dict()
    info = published["system_profile"].set_index("system").reindex([s.key for s in everyone])
    info.insert(0, "name", [s.name for s in everyone])
    return {
        "empty": published.why_empty("capability_profile") if profile.empty else "",
        "levels": Table(
            ["Dimension", *(s.name for s in everyone)],
            [
                [names.get(d, d)]
                + [_interval(by_pair[s.key, d]) if (s.key, d) in by_pair else MISSING for s in everyone]
                for d in keys
            ],
        ),
        "dimensions": [
            [
                d,
                names.get(d, d),
                text(definition, MISSING),
                ", ".join(map(_text, constituents.get(d, []))) or MISSING,
            ]
            for d, definition in zip(dimension["dimension"], dimension["definition"], strict=True)
        ],
        "fits": _fits(published),
        "profile": _printed(
            info.reset_index(drop=True),
            {
                "name": ("System", _text),
                "n_items": ("Items answered", _n),
                "accuracy": ("Success rate on them", percent),
                "mean_log": ("Mean level", number),
                "mean_sd_log": ("Mean SD", number),
                "rhat_max": ("Largest R\u2011hat", lambda v: number(v, 3)),
                "ess_bulk_min": ("Smallest effective sample", _n),
                "effective_dimensions": ("Effective dimensions", number),
                "mean_abs_correlation": ("Mean |correlation|", number),
            },
        ),
        "radars": charts.radars(profile, keys, names, everyone),
        "chart": charts.levels(profile, keys, names, everyone),
        "checks": _checks(published, keys, names, everyone),
    }


def _checks(published: Published, keys: list[str], names: dict[str, str], everyone: list[System]) -> Context:
    found = sections(published, keys, names, everyone)
    headings = ["System", "Benchmark", "Items", "Observed", "Predicted", "Brier score", "AUROC"]
    items = ["Rank", "Benchmark", "Item", "Score given", "Dimension moved most", "Shift (posterior SDs)"]
    return vars(found) | {
        "quality": Table(headings, found.quality),
        "influence": [(name, Table(items, rows)) for name, rows in found.influence if rows],
    }


def suitability(published: Published, base: Context) -> Context:
    """Suitability of each system for each activity, per scope, default policy."""
    frame = of_respondents(of_default_policy(published, "suitability"))
    pooled = of_respondents(of_default_policy(published, "suitability_pooled"))
    everyone: list[System] = base["systems"]
    groups, activities = scopes(frame), ordered(pooled, "activity", "mean_log")
    activities += [a for a in ordered(frame, "activity", "mean_log") if a not in activities]
    tables, first = [], []
    for scope in groups:
        here, together = in_scope(frame, scope), in_scope(pooled, scope)
        cells = {(r.activity, r.system): (r.mean_log, r.q025_log, r.q975_log) for r in here.itertuples()}
        cells |= {(r.activity, ""): (r.mean_log, r.q025_log, r.q975_log) for r in together.itertuples()}
        thin = set(here.loc[[charts.is_true(x) for x in here["is_thin"]], "activity"])
        withheld = set(here.loc[[charts.is_true(x) for x in here["is_suppressed"]], "activity"])
        rows = []
        for activity in activities:
            printed = [
                _cell(cells.get((activity, key)), activity in withheld)
                for key in ("", *(s.key for s in everyone))
            ]
            rows.append([activity + (" *" if activity in thin else ""), *printed])
        columns = ["Activity", "Average of all systems", *(s.name for s in everyone)]
        tables.append(ScopedTable(scope, Table(columns, rows)))
        found = leaders(here, activities, everyone)
        first.append({"scope": scope, "summary": summary(found), "table": _leader_table(found)})
    return {
        "empty": published.why_empty("suitability") if frame.empty else "",
        "policy": policy_sentence(published),
        "n_policies": len(published["policy"]),
        "scopes": groups,
        "tables": tables,
        "leaders": first,
        "chart": charts.suitability(frame, pooled, groups, activities, everyone),
    }


def _cell(estimate: Any, is_withheld: bool) -> str:
    if is_withheld and (estimate is None or pd.isna(estimate[0])):
        return "withheld"
    return MISSING if estimate is None or pd.isna(estimate[0]) else _interval(estimate)


def importance(published: Published, base: Context) -> Context:
    """What people say their work needs: importance of activities, and of capabilities for them."""
    activity = of_respondents(published["activity_importance"])
    points = of_respondents(published["capability_importance"])
    groups, activities = scopes(activity), ordered(activity, "activity", "importance")
    activities += [a for a in ordered(points, "activity", "points") if a not in activities]
    capability_order = ordered(points, "capability", "points")
    names = _names(published["capability"], "capability")
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
                rows.append([name, "nobody selected it", MISSING, _n(r["n_selected"]) if r else "0"])
            else:
                mark = " *" if charts.is_true(r["is_thin"]) else ""
                shown = (
                    "withheld" if charts.is_true(r["is_suppressed"]) and pd.isna(r["importance"]) else None
                )
                rows.append([name + mark, shown or number(r["importance"]), number(r["hours_per_week"], 1)])
                rows[-1].append(_n(r["n_selected"]))
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
        "sizes": {s.key: _n(size.get((s.scope_type, s.scope))) for s in groups},
        "bar_tables": bars,
        "heat_tables": heat,
        "capabilities": [[c, names.get(c, c), text(definitions.get(c), MISSING)] for c in capability_order],
        "bars": charts.importance_bars(activity, groups, activities),
        "heat": charts.importance_heat(points, groups, activities, capability_order, names),
    }


def method(published: Published, base: Context) -> Context:
    """How it computes, where it stops, and where the tables are."""
    return {
        "policy": policy_sentence(published),
        "policies": _printed(
            published["policy"],
            {
                "policy": ("Policy", _text),
                "power": ("Power p", lambda v: number(v, 2)),
                "sharpness": ("Sharpness s", lambda v: number(v, 2)),
                "weighting": ("Weighting", _text),
                "weight_uncertainty": ("Weight uncertainty", _text),
            },
        ),
        "marts": [
            {"name": r["mart"], "rows": _n(r["n_rows"]), "description": text(r["description"], MISSING)}
            for r in published.catalogue.to_dict("records")
        ],
    }
