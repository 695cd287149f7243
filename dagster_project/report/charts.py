"""What the charts draw, as JSON for static/report.js.

Belongs here: the values, order and axis ranges of each chart.
Does not belong here: drawing (static/report.js), tables and words (pages/, claims.py).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from itertools import groupby
from numbers import Real
from typing import Any

import pandas as pd

from dagster_project.report.bins import LEAST
from dagster_project.report.labels import (
    INTERVIEW_SCOPE_TYPES,
    OfSystem,
    Scope,
    System,
    in_scope,
    rows_of,
)

Chart = dict[str, Any]


def value(x: object) -> float | None:
    """A finite float for JSON, otherwise None (drawn as nothing)."""
    return float(x) if isinstance(x, Real) and math.isfinite(x) else None


def is_true(x: object) -> bool:
    return bool(x) if pd.notna(x) else False  # type: ignore[call-overload]


def flags(column: pd.Series) -> list[bool]:
    """`is_true` of each value of a column."""
    return [bool(x) for x in column.eq(True).fillna(False)]


def _range(values: Iterable[object]) -> list[float]:
    """An axis range that holds every finite value with 5 % of air on both sides."""
    finite = [v for v in map(value, values) if v is not None]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    air = 0.05 * (high - low) or 0.5
    return [low - air, high + air]


Estimates = dict[Hashable, list[float | None]]


def estimates(frame: pd.DataFrame, *keys: str) -> Estimates:
    """[mean, low, high] of each row that has an estimate, by its value of `keys` (a tuple where several)."""
    columns = [frame[c].tolist() for c in keys]
    found: Estimates = {}
    figures = zip(*(frame[c].tolist() for c in ("mean_log", "q025_log", "q975_log")), strict=True)
    for key, (mean, low, high) in zip(zip(*columns, strict=True), figures, strict=True):
        if value(mean) is not None:
            found[key if len(keys) > 1 else key[0]] = [value(mean), value(low), value(high)]
    return found


def _thin(frame: pd.DataFrame, row_key: str, rows: list[str]) -> list[bool]:
    thin = set(frame.loc[flags(frame["is_thin"]), row_key])
    return [row in thin for row in rows]


def levels(
    profile: pd.DataFrame, dimensions: list[str], names: dict[str, str], systems: list[System]
) -> Chart:
    """Dots with intervals: dimensions as rows, one mark per system; `profile` = marts.capability_profile."""
    found = estimates(profile, "system", "dimension")
    values = [[found.get((system.key, d)) for d in dimensions] for system in systems]
    return {
        "kind": "dots",
        "rows": [names.get(d, d) for d in dimensions],
        "x_title": "Capability level (log scale, 95\u00a0% interval)",
        "range": _range(profile[["mean_log", "q025_log", "q975_log"]].to_numpy().ravel().tolist()),
        "scopes": {"": {"values": values, "pooled": None, "thin": [False] * len(dimensions)}},
    }


def radars(
    profile: pd.DataFrame, dimensions: list[str], names: dict[str, str], systems: list[System]
) -> list[Chart]:
    """One radar of posterior means per developer, all on one scale, developers in the order of their first system."""
    first = {s.developer: s.index for s in reversed(systems)}
    by_developer = groupby(
        sorted(systems, key=lambda s: (first[s.developer], s.index)), key=lambda s: s.developer
    )
    finite = [v for v in map(value, profile["mean_log"]) if v is not None] or [0.0, 1.0]
    means = {(r.system, r.dimension): value(r.mean_log) for r in profile.itertuples()}
    charts = []
    for developer, members in by_developer:
        group = list(members)
        charts.append(
            {
                "kind": "radar",
                "title": developer,
                "axes": [{"key": d, "name": names.get(d, d)} for d in dimensions],
                "range": [min(0, math.floor(min(finite))), max(1, math.ceil(max(finite)))],
                "members": [s.index for s in group],
                "values": [[means.get((s.key, d)) for d in dimensions] for s in group],
            }
        )
    return charts


def suitability(
    frame: pd.DataFrame,
    pooled: pd.DataFrame,
    scopes: list[Scope],
    activities: list[str],
    systems: list[System],
) -> Chart:
    """Dots with intervals: activities as rows, one mark per system and one for all; one picture per scope.

    Scopes from interviews have rows of their own, all others the survey's `activities`.
    """
    pictures = {}
    for scope in scopes:
        rows = rows_of(scope, frame, activities)
        here, together = in_scope(frame, scope), in_scope(pooled, scope)
        of_systems, of_all = estimates(here, "system", "activity"), estimates(together, "activity")
        withheld = set(here.loc[flags(here["is_suppressed"]), "activity"])
        pictures[scope.key] = {
            "rows": rows,
            "values": [[of_systems.get((system.key, a)) for a in rows] for system in systems],
            "pooled": [of_all.get(a) for a in rows],
            "withheld": [a in withheld for a in rows],
            "thin": [
                a or b for a, b in zip(*(_thin(f, "activity", rows) for f in (here, together)), strict=True)
            ],
        }
    limits = [v for f in (frame, pooled) for c in ("mean_log", "q025_log", "q975_log") for v in f[c]]
    return {
        "kind": "dots",
        "rows": activities,
        "x_title": "Suitability (log scale, 95\u00a0% interval)",
        "range": _range(limits),
        "scopes": pictures,
    }


def lacking_importance(row: dict[Any, Any] | None, scope: Scope) -> str:
    """Why a row of marts.activity_importance has no importance; blank where it has."""
    if row is None or is_true(row["is_absent"]):
        return "nobody selected it"
    if value(row["importance"]) is not None:
        return ""
    if is_true(row["is_suppressed"]):
        return "withheld"
    if scope.scope_type in INTERVIEW_SCOPE_TYPES:
        return "not asked"
    if value(row["n_domains"]) == 0:
        return "not shown in any domain"
    return "ranked by too few" if row["n_ranked"] else "unknown"


def importance_bars(frame: pd.DataFrame, scopes: list[Scope], activities: list[str]) -> Chart:
    """Bars of activity importance (0-5), one picture per scope; `frame` = marts.activity_importance."""
    pictures: dict[str, dict[str, list[Any]]] = {}
    for scope in scopes:
        by_activity = {r["activity"]: r for r in in_scope(frame, scope).to_dict("records")}
        names = rows_of(scope, frame, activities)
        rows = [by_activity.get(a) for a in names]
        pictures[scope.key] = {
            "rows": names,
            "why": [lacking_importance(r, scope) for r in rows],
            "values": [value(r["importance"]) if r else None for r in rows],
            "n": [value(r["n_selected"]) if r else None for r in rows],
            "thin": [is_true(r["is_thin"]) if r else False for r in rows],
        }
    top = max((v for p in pictures.values() for v in p["values"] if v is not None), default=1.0)
    return {
        "kind": "bars",
        "rows": activities,
        "x_title": "Importance (0 to 5)",
        "range": [0, top * 1.12 or 1],
        "scopes": pictures,
    }


def importance_heat(
    frame: pd.DataFrame,
    scopes: list[Scope],
    activities: list[str],
    capabilities: list[str],
    names: dict[str, str],
) -> Chart:
    """Heat map of capability points, activities × capabilities, one picture per scope on one colour scale."""
    pictures = {}
    for scope in scopes:
        here = in_scope(frame, scope)
        points = {(r.activity, r.capability): value(r.points) for r in here.itertuples()}
        rows = rows_of(scope, frame, activities)
        pictures[scope.key] = {
            "rows": rows,
            "values": [[points.get((a, c)) for c in capabilities] for a in rows],
            "thin": _thin(here, "activity", rows),
        }
    return {
        "kind": "heat",
        "rows": activities,
        "columns": [{"key": c, "name": names.get(c, c)} for c in capabilities],
        "range": [0, max((v for v in map(value, frame["points"]) if v is not None), default=1.0)],
        "is_low_best": False,
        "digits": 0,
        "title": "Points (of 100)",
        "unit": "points",
        "scopes": pictures,
    }


def places_heat(rows: list[str], columns: list[str], values: list[list[float | None]]) -> Chart:
    """Heat map of mean places, `rows` × `columns`; 1 is first and darkest."""
    return {
        "kind": "heat",
        "rows": rows,
        "columns": [{"key": name, "name": name} for name in columns],
        "range": [1, max(len(rows), 2)],
        "is_low_best": True,
        "digits": 1,
        "title": "Mean rank (1 = first)",
        "unit": "mean rank",
        "scopes": {"": {"rows": rows, "values": values, "thin": [False] * len(rows)}},
    }


def surface_heats(cells: pd.DataFrame) -> tuple[Chart, Chart]:
    """Heat maps of success in %, observed and fitted, width of the band × its middle; blank where there are no items.

    `cells` = marts.propensity_surface of one propensity; several systems' cells are one cell of all their answers.
    """
    known = cells.dropna(subset=["fitted_share"])
    sums = pd.DataFrame(
        {
            "middle": known["middle"].astype(int),
            "width": known["width"].astype(int),
            "n": known["n_items"].astype(float),
            "observed": known["n_items"] * known["observed_share"],
            "fitted": known["n_items"] * known["fitted_share"],
        }
    )
    by_cell = sums.groupby(["width", "middle"]).sum()
    widths = sorted(set(sums["width"]))
    found = []
    for name in ("observed", "fitted"):
        percent = (100 * by_cell[name] / by_cell["n"]).to_dict()
        rows = [[value(percent.get((width, middle))) for middle in range(-3, 4)] for width in widths]
        found.append(
            {
                "kind": "heat",
                "rows": [f"Width up to {width}" for width in widths],
                "columns": [{"key": str(m), "name": f"Middle {m}".replace("-", "−")} for m in range(-3, 4)],
                "range": [0, 100],
                "is_low_best": False,
                "digits": 0,
                "title": f"Success, {name} (%)",
                "unit": "%",
                "is_brief": True,
                "scopes": {"": {"values": rows, "thin": [False] * len(widths)}},
            }
        )
    return found[0], found[1]


def releases(
    profile: pd.DataFrame,
    released_on: dict[str, str],
    dimensions: list[str],
    names: dict[str, str],
    systems: list[System],
) -> list[Chart]:
    """Level against release date, one chart a dimension on one scale; systems of known date (ISO) only."""
    dated = [s for s in systems if s.key in released_on]
    by_pair = {(r["system"], r["dimension"]): r for r in profile.to_dict("records")}
    shared = _range(profile[["q025_log", "q975_log"]].to_numpy().ravel().tolist())
    found = []
    for d in dimensions:
        rows = [(s, by_pair[s.key, d]) for s in dated if (s.key, d) in by_pair]
        series = [
            _series(s.index, [released_on[s.key]], [r["mean_log"]], [released_on[s.key]])
            | {"low": [value(r["q025_log"])], "high": [value(r["q975_log"])]}
            for s, r in rows
        ]
        titles = {"x_title": "Release date", "y_title": "Capability level (log scale)"}
        found.append(_points(series, y_range=shared, title=names.get(d, d), x_type="date", **titles))
    return found


def predicted_against_observed(quality: pd.DataFrame, systems: list[System]) -> Chart:
    """One mark a system and benchmark; `quality` = marts.item_prediction_quality without the row 'all'."""
    by_system = dict(tuple(quality.groupby("system")))
    series = [
        _series(s.index, *(by_system[s.key][c].tolist() for c in ("predicted", "observed", "benchmark")))
        | {"hollow": (by_system[s.key]["n_items"] < LEAST).tolist()}
        for s in systems
        if s.key in by_system
    ]
    return _points(series, **_SHARES)


def reliability(frame: pd.DataFrame, systems: list[System]) -> Chart:
    """One line a system: observed success in bins of predicted probability; `frame` of `bins.pooled_bins`."""
    by_system = dict(tuple(frame.groupby("system")))
    series = []
    for s in systems:
        if s.key in by_system:
            rows = by_system[s.key]
            labels = [f"{int(n):,} items" for n in rows["n_items"]]
            drawn = _series(s.index, rows["predicted"].tolist(), rows["observed"].tolist(), labels)
            series.append(drawn | {"hollow": rows["is_few"].tolist()})
    return _points(series, has_lines=True, **_SHARES)


def curves(
    frame: pd.DataFrame, dimensions: list[str], names: dict[str, str], choices: list[OfSystem]
) -> list[Chart]:
    """Observed and predicted share by level, a chart a dimension, a picture a system.

    `frame` = marts.characteristic_curve with a column is_outside (observed beyond the interval).
    """
    figures = ("level", "n_items", "observed", "predicted", "q025", "q975")
    by_pair: dict[tuple[str, str], dict[str, list[Any]]] = {}
    for r in frame.sort_values("level").to_dict("records"):
        empty: dict[str, list[Any]] = {c: [] for c in (*figures, "outside")}
        picture = by_pair.setdefault((r["system"], r["dimension"]), empty)
        for c in figures:
            picture[c].append(value(r[c]))
        picture["outside"].append(is_true(r["is_outside"]))
    nothing: dict[str, list[Any]] = {c: [] for c in (*figures, "outside")}
    indexes = {choice.key: choice.system.index for choice in choices}
    return [
        {
            "kind": "curve",
            "title": names.get(d, d),
            "scopes": {choice.key: by_pair.get((choice.system.key, d), nothing) for choice in choices},
            "systems": dict(indexes),
        }
        for d in dimensions
    ]


def correlations(
    frame: pd.DataFrame, dimensions: list[str], names: dict[str, str], systems: list[System]
) -> list[Chart]:
    """One matrix a system, the diagonal left blank; `frame` = marts.posterior_correlation."""
    r = {(x.system, x.dimension_a, x.dimension_b): value(x.r) for x in frame.itertuples()}
    known = set(frame["system"])
    return [
        {
            "kind": "correlation",
            "title": s.name,
            "system": s.index,
            "axes": [{"key": d, "name": names.get(d, d)} for d in dimensions],
            "values": [[r.get((s.key, a, b)) for b in dimensions] for a in dimensions],
        }
        for s in systems
        if s.key in known
    ]


def domains(frame: pd.DataFrame, keys: list[str], names: dict[str, str]) -> Chart:
    """Correlation of each pair of domains, the diagonal left blank; `frame` = marts.domain_importance_agreement."""
    r = {(x.domain_a, x.domain_b): value(x.pearson) for x in frame.itertuples()}
    return {
        "kind": "correlation",
        "axes": [{"key": d, "name": names.get(d, d)} for d in keys],
        "values": [[r.get((a, b), r.get((b, a))) for b in keys] for a in keys],
    }


_SHARES: Chart = {
    "x_title": "Predicted share of success",
    "y_title": "Observed share of success",
    "x_range": [-0.02, 1.02],
    "y_range": [-0.02, 1.02],
    "has_diagonal": True,
}


def _series(system: int, x: list[Any], y: list[object], labels: list[str]) -> Chart:
    xs = [v if isinstance(v, str) else value(v) for v in x]
    return {"system": system, "x": xs, "y": [value(v) for v in y], "labels": labels}


def _points(series: list[Chart], **options: Any) -> Chart:
    return {"kind": "points", "series": series, "has_diagonal": False, "has_lines": False, **options}
