"""What the map of importance and suitability draws, as JSON for static/map.js.

Belongs here: its points, borders and axis ranges.
Does not belong here: which quadrant an activity lies in (mart deployment_quadrant), drawing, tables and words.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from dagster_project.report.charts import Chart, is_true, value
from dagster_project.report.labels import Scope, in_scope

X_TYPES = {
    "importance": "Importance (0 to 5, all respondents)",
    "conditional_importance": "Importance to those who do it (1 to 5)",
    "hours": "Hours a week",
}
SIDES = {"x": ("development_opportunity", "capability_gap"), "suitability_log": ("development_opportunity",)}
SIDES["suitability_log"] += ("limited_impact",)


def shown(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of marts.deployment_quadrant that have a place on the map."""
    return frame.dropna(subset=["x", "suitability_log", "quadrant"])


def border(rows: pd.DataFrame, column: str) -> float | None:
    """The line between the low and the high side of `column`, "x" or "suitability_log", as `quadrant` has them.

    The median where it is one. Otherwise the settings gave the border, and half-way between the sides stands for it;
    None where all activities lie on one side.
    """
    is_high = rows["quadrant"].isin(SIDES[column])
    high, low, median = (
        rows.loc[is_high, column].min(),
        rows.loc[~is_high, column].max(),
        rows[column].median(),
    )
    if not (pd.isna(high) or median > high) and not median <= low:
        return float(median)
    return None if pd.isna(high) or pd.isna(low) else float(high + low) / 2


def deployment_map(frame: pd.DataFrame, scopes: list[Scope]) -> Chart:
    """Activities at (x, pooled suitability), a picture per scope and x_type; `frame` = marts.deployment_quadrant."""
    placed = shown(frame)
    pictures: dict[str, dict[str, Any]] = {}
    for scope in scopes:
        here = in_scope(placed, scope)
        pictures[scope.key] = {}
        for x_type in X_TYPES:
            rows = here[here["x_type"] == x_type].sort_values("activity", kind="stable")
            pictures[scope.key][x_type] = {
                "x": rows["x"].tolist(),
                "y": rows["suitability_log"].tolist(),
                "names": rows["activity"].tolist(),
                "quadrants": rows["quadrant"].tolist(),
                "chances": [value(p) for p in rows["probability"]],
                "confident": [is_true(c) for c in rows["is_confident"]],
                "thin": [is_true(t) for t in rows["is_thin"]],
                "borders": [border(rows, "x"), border(rows, "suitability_log")],
            }
    return {
        "kind": "map",
        "x_titles": X_TYPES,
        "y_title": "Suitability, average of all systems (log scale)",
        "scopes": pictures,
    }
