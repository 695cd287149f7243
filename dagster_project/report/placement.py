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
    "importance": "Importance (0 to 5, all respondents of the group)",
    "conditional_importance": "Importance among those who do it (1 to 5)",
    "hours": "Hours a week",
}


def shown(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of marts.deployment_quadrant that have a place on the map."""
    return frame.dropna(subset=["x", "suitability_log", "quadrant"])


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
                "borders": [value(rows[column].max()) for column in ("x_border", "suitability_border_log")],
            }
    return {
        "kind": "map",
        "x_titles": X_TYPES,
        "y_title": "Suitability, average of all systems (log scale)",
        "scopes": pictures,
    }
