"""What the charts on simulations draw: recovery of known agents, coverage and ranks of agents from the prior.

Belongs here: the values, order and axis ranges of those charts. Does not belong here: drawing (static/report.js), the
other charts (charts.py), tables and words (pages/evidence.py).
"""

from __future__ import annotations

import pandas as pd

from dagster_project.report.charts import Chart, value
from dagster_project.report.labels import Series, Temperature

# the order of the paper's Table 5 begins with the treatment that this warehouse uses
INTERCEPTS = [
    Series(0, "shared", "Shared intercept (used here)"),
    Series(1, "free", "Free intercept"),
    Series(2, "fixed", "Fixed intercept"),
]


def over_runs(frame: pd.DataFrame, column: str) -> tuple[float | None, float | None, float | None]:
    """Mean over runs of `column`, and its lowest and highest; no range where there is one run or none with a value."""
    known = frame[column].dropna().astype(float)
    if known.empty:
        return None, None, None
    low, high = (float(known.min()), float(known.max())) if len(known) > 1 else (None, None)
    return float(known.mean()), low, high


def recovered(
    frame: pd.DataFrame,
    column: str,
    x_title: str,
    temperatures: list[Temperature],
    dimensions: list[str],
    names: dict[str, str],
) -> Chart:
    """Dots with ranges over runs, dimensions as rows, a mark per intercept; `frame` = marts.recovery_dimension."""
    pictures = {}
    for temperature in temperatures:
        here = frame[frame["tau"] == temperature.tau]
        values = []
        for intercept in INTERCEPTS:
            own = here[here["intercept"] == intercept.key]
            found = [over_runs(own[own["dimension"] == d], column) for d in dimensions]
            values.append([list(e) if e[0] is not None else None for e in found])
        pictures[temperature.key] = {"values": values, "pooled": None, "thin": [False] * len(dimensions)}
    lowest = min((v for v in map(value, frame[column]) if v is not None), default=0.0)
    return {
        "kind": "dots",
        "rows": [names.get(d, d) for d in dimensions],
        "x_title": x_title,
        "interval": "range over runs",
        "range": [lowest - 0.03, 1.03],
        "scopes": pictures,
    }


def coverage(frame: pd.DataFrame, dimensions: list[str], names: dict[str, str]) -> Chart:
    """[share, low, high] by level and dimension, with the band of an exact engine; `frame` = marts.calibration."""
    cell = frame.set_index(["dimension", "level"])[["coverage_share", "expected_low", "expected_high"]]
    levels = sorted(set(frame["level"]))
    return {
        "kind": "coverage",
        "range": [float(frame[["coverage_share", "expected_low"]].min().min()) - 0.05, 1.02],
        "rows": [names.get(d, d) for d in dimensions],
        "levels": levels,
        "values": [
            [list(map(value, cell.loc[(d, level)])) if (d, level) in cell.index else None for d in dimensions]
            for level in levels
        ],
    }


def ranks(frame: pd.DataFrame, dimensions: list[str], names: dict[str, str]) -> list[Chart]:
    """A rank histogram a dimension with the band of an exact engine; `frame` = marts.calibration_rank."""
    found = []
    top = max(
        (v for v in map(value, frame[["n_fits", "expected_high"]].to_numpy().ravel()) if v), default=1.0
    )
    for d in dimensions:
        own = frame[frame["dimension"] == d].sort_values("bin")
        columns = ("bin", "n_fits", "expected_low", "expected_high")
        found.append(
            {"kind": "ranks", "title": names.get(d, d), "top": top * 1.08}
            | {column: [value(v) for v in own[column]] for column in columns}
        )
    return found
