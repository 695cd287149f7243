"""The sections of the capability page on release dates, correlation, prediction and influential items.

Belongs here: their tables, sentences and charts from published frames.
Does not belong here: the page's other sections (pages/), what charts draw (charts.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from dagster_project.report import charts
from dagster_project.report.data import Published
from dagster_project.report.labels import MISSING, System, number, percent, text


@dataclass(frozen=True)
class Sections:
    """What the template shows; `empty`: mart -> why its section has nothing, '' where it has."""

    empty: dict[str, str]
    undated: str
    releases: list[charts.Chart]
    correlations: list[charts.Chart]
    quality: list[list[str]]
    influence: list[tuple[str, list[list[str]]]]
    charts: dict[str, Any]


def sections(
    published: Published, dimensions: list[str], names: dict[str, str], systems: list[System]
) -> Sections:
    """All of them; `dimensions` in the page's order."""
    quality, influence = published["item_prediction_quality"], published["item_influence"]
    of_benchmarks = quality[quality["benchmark"] != "all"]
    released = _released(published)
    profile = published["capability_profile"]
    releases = charts.releases(profile, released, dimensions, names, systems) if released else []
    correlations = charts.correlations(published["posterior_correlation"], dimensions, names, systems)
    drawn: dict[str, Any] = {f"released-{i}": chart for i, chart in enumerate(releases)}
    drawn |= {f"correlation-{i}": chart for i, chart in enumerate(correlations)}
    drawn["predicted"] = charts.predicted_against_observed(of_benchmarks, systems)
    drawn["reliability"] = charts.reliability(published["reliability"], systems)
    optional = ("posterior_correlation", "item_prediction_quality", "reliability", "item_influence")
    return Sections(
        {mart: published.why_empty(mart) if published[mart].empty else "" for mart in optional},
        _undated(released, systems),
        releases,
        correlations,
        _quality(quality, systems),
        [(s.name, _influence(influence[influence["system"] == s.key], names)) for s in systems],
        drawn,
    )


def _released(published: Published) -> dict[str, str]:
    info = published["ai_system"]
    return {
        str(system): str(day)[:10]
        for system, day in zip(info["system"], info["released_on"], strict=True)
        if pd.notna(day)
    }


def _undated(released: dict[str, str], systems: list[System]) -> str:
    lacking = [s.name for s in systems if s.key not in released]
    if not lacking:
        return ""
    if len(lacking) == len(systems):
        return (
            "Unknown: no system has a release date in the inputs (column released_on of battery/systems.csv)."
        )
    return f"Release date unknown, so not drawn: {', '.join(lacking)}."


def _quality(quality: pd.DataFrame, systems: list[System]) -> list[list[str]]:
    """Rows by system, the pooled line first."""
    rows = []
    for s in systems:
        own = quality[quality["system"] == s.key]
        for pooled in (True, False):
            for r in own[(own["benchmark"] == "all") == pooled].to_dict("records"):
                rows.append(
                    [s.name, "All benchmarks" if pooled else text(r["benchmark"], MISSING)]
                    + [number(r["n_items"], 0), percent(r["observed"]), percent(r["predicted"])]
                    + [number(r["brier"], 3), number(r["auroc"], 3)]
                )
    return rows


def _influence(rows: pd.DataFrame, names: dict[str, str]) -> list[list[str]]:
    return [
        [number(r["rank"], 0), text(r["benchmark"], MISSING), text(r["item"], MISSING), number(r["score"])]
        + [names.get(r["dimension"], str(r["dimension"])), number(r["shift_sd"])]
        for r in rows.sort_values("rank").to_dict("records")
    ]
