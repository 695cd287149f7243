"""The page on propensities: which way systems lean, how far they can be steered, and what that says about success.

Belongs here: the context of propensity.html. Does not belong here: estimating (assets/propensity).
"""

from __future__ import annotations

import pandas as pd

from dagster_project.report import charts
from dagster_project.report.data import Published
from dagster_project.report.labels import MISSING, System, number, percent, text
from dagster_project.report.pages.common import Context
from dagster_project.report.tables import Table, count

MARTS = ("propensity", "steerability", "propensity_surface", "assessor_gain")
INCITATIONS = ("none", *(str(level) for level in range(-3, 4)))


def context(published: Published, base: Context) -> Context:
    """Positions, steerability, fit and gains, each by itself."""
    lacks = {mart: published.why_empty(mart) if published[mart].empty else "" for mart in MARTS}
    everyone: list[System] = base["systems"]
    names = {s.key: s.name for s in everyone}
    drawn = {}
    if not lacks["propensity"]:
        drawn["positions"] = _positions(published["propensity"], everyone)
    if not lacks["propensity_surface"]:
        drawn["surface"] = charts.predicted_against_observed(
            _cells(published["propensity_surface"]), everyone
        )
    return {
        "lacks": lacks,
        "table": _table(published["propensity"], names),
        "steered": _steered(published["steerability"], names),
        "gains": _gains(published["assessor_gain"]),
        "charts": drawn,
    }


def _positions(frame: pd.DataFrame, everyone: list[System]) -> charts.Chart:
    """Unprompted positions: propensities as rows, one mark a system."""
    own = frame[frame["incitation"] == "none"]
    keys = sorted(set(frame["propensity"]))
    found = {(r["system"], r["propensity"]): r for r in own.to_dict("records")}
    values: list[list[list[float | None] | None]] = [[] for _ in everyone]
    for s, marks in zip(everyone, values, strict=True):
        for key in keys:
            row = found.get((s.key, key))
            known = row is not None and charts.value(row["estimate"]) is not None
            marks.append(
                [charts.value(row[c]) for c in ("estimate", "q025", "q975")] if row and known else None
            )
    ends = [v for marks in values for mark in marks if mark for v in mark if v is not None]
    return {
        "kind": "dots",
        "rows": [key.replace("_", " ").capitalize() for key in keys],
        "x_title": "Position without incitation (−3 to 3, 95\u00a0% interval)",
        "range": [min([-3.2, *ends]), max([3.2, *ends])],
        "scopes": {"": {"values": values, "pooled": None, "thin": [False] * len(keys)}},
    }


def _cells(surface: pd.DataFrame) -> pd.DataFrame:
    """Cells of unprompted answers, as the chart of predicted against observed success takes them."""
    own = surface[surface["incitation"] == "none"].dropna(subset=["fitted_share", "observed_share"])
    label = [
        f"{p.replace('_', ' ')}: middle {number(m, 0)}, width {number(w, 0)}"
        for p, m, w in zip(own["propensity"], own["middle"], own["width"], strict=True)
    ]
    return own.assign(predicted=own["fitted_share"], observed=own["observed_share"], benchmark=label)


def _table(frame: pd.DataFrame, names: dict[str, str]) -> Table:
    placed = frame.assign(place=frame["incitation"].map(INCITATIONS.index))
    rows = [
        [
            names.get(r["system"], r["system"]),
            text(r["propensity"]).replace("_", " "),
            text(r["incitation"]).replace("-", "−"),
            number(r["estimate"]) + (" *" if charts.is_true(r["is_saturated"]) else ""),
            f"{number(r['q025'])} to {number(r['q975'])}" if charts.value(r["q025"]) is not None else MISSING,
            count(r["n_items"]),
            count(r["n_uninformative"]),
            percent(r["success_share"]),
        ]
        for r in placed.sort_values(["system", "propensity", "place"]).to_dict("records")
    ]
    columns = ["System", "Propensity", "Incited to", "Position", "95\u00a0% interval", "Items"]
    return Table([*columns, "Of these uninformative", "Passed"], rows, {1})


def _steered(frame: pd.DataFrame, names: dict[str, str]) -> Table:
    rows = [
        [names.get(r["system"], r["system"]), text(r["propensity"]).replace("_", " ")]
        + [number(r["pearson_r"]), number(r["unprompted_estimate"]), count(r["n_levels"])]
        for r in frame.sort_values(["system", "propensity"]).to_dict("records")
    ]
    columns = ["System", "Propensity", "Correlation of incited level and position"]
    return Table([*columns, "Position without incitation", "Levels"], rows, {1})


def _gains(frame: pd.DataFrame) -> Table:
    rows = [
        [text(r["regime"]).replace("_", " "), text(r["feature_set"]).replace("_", " ")]
        + [number(r[c], 3) for c in ("baseline", "augmented", "mean_delta", "wilcoxon_p")]
        + [count(r["n_systems"])]
        for r in frame.sort_values(["regime", "feature_set"]).to_dict("records")
    ]
    columns = ["Held out", "Features added to", "AUROC with capabilities alone", "AUROC with these"]
    return Table([*columns, "Mean difference", "p (signed-rank)", "Systems"], rows, {1})
