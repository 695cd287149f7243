"""The page on what each system can do: levels, shapes, releases, what would change them, and whether the fit converged.

Belongs here: the context of capabilities.html. Does not belong here: predictions against answers (checks.py).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import pandas as pd

from dagster_project.report import charts
from dagster_project.report.data import Published
from dagster_project.report.labels import LEADING, MISSING, System, number, percent, text
from dagster_project.report.pages.common import Context, fits
from dagster_project.report.tables import Table, count, interval, names_of, of_systems, printed, words

# flag of system_profile -> what a reader must know before trusting the levels
MARKS = {
    "is_at_ceiling": "solves every item: only a lower bound of its levels is known",
    "is_at_floor": "solves no item: only an upper bound of its levels is known",
    "is_thin": "few items, or items of one benchmark only",
    "is_no_better_than_chance": "its levels don’t predict held-out items better than chance",
}


def context(published: Published, base: Context) -> Context:
    """Levels of each system on each dimension."""
    profile, everyone = published["capability_profile"], base["systems"]
    dimension = published["dimension"]
    names = names_of(dimension, "dimension")
    order = profile.groupby("dimension")["mean_log"].mean().sort_values(ascending=False, kind="stable")
    keys = [str(key) for key in order.index]
    by_pair = charts.estimates(profile, "system", "dimension")
    leading = everyone[:LEADING]
    constituents = published["capability"].groupby("dimension")["name"].agg(list).to_dict()
    info = published["system_profile"].set_index("system").reindex([s.key for s in everyone])
    marks = [_marks(row) for row in info[list(MARKS)].to_dict("records")]
    info.insert(0, "name", ["\n".join([s.name, *found]) for s, found in zip(everyone, marks, strict=True)])
    info["developer"], released = [s.developer for s in everyone], _released(published)
    info["released_on"] = [released.get(s.key) for s in everyone]
    releases = charts.releases(profile, released, keys, names, everyone) if released else []
    correlations = charts.correlations(published["posterior_correlation"], keys, names, everyone)
    influence = _influence(published["item_influence"], names, everyone)
    radars = charts.radars(profile, keys, names, everyone)
    return {
        "empty": published.why_empty("capability_profile") if profile.empty else "",
        "levels": Table(
            ["Dimension", *(s.name for s in leading)],
            [
                [names.get(d, d)]
                + [interval(by_pair[s.key, d]) if (s.key, d) in by_pair else MISSING for s in leading]
                for d in keys
            ],
            key="columns-levels",
        ),
        "dimensions": [
            [
                d,
                names.get(d, d),
                text(definition, MISSING),
                ", ".join(map(words, constituents.get(d, []))) or MISSING,
            ]
            for d, definition in zip(dimension["dimension"], dimension["definition"], strict=True)
        ],
        "fits": fits(published),
        "profile": _of_each(
            info,
            {
                "name": ("System", words),
                "developer": ("Developer", words),
                "released_on": ("Released", words),
                "n_items": ("Items answered", count),
                "accuracy": ("Success rate on them", percent),
                "mean_log": ("Mean level", number),
                "mean_sd_log": ("Mean posterior SD", number),
                "rhat_max": ("Largest R\u2011hat", lambda v: number(v, 3)),
                "ess_bulk_min": ("Smallest effective sample size", count),
                "effective_dimensions": ("Effective dimensions", number),
                "mean_abs_correlation": ("Mean absolute correlation of dimensions", number),
            },
        ),
        "radars": radars,
        "undated": _undated(released, everyone),
        "releases": releases,
        "correlations": correlations,
        "influence": [(s.name, influence[s.index]) for s in leading if s.index in influence],
        "blocks": {
            index: {"title": everyone[index].name, "columns": table.columns, "rows": table.rows}
            for index, table in influence.items()
            if index >= LEADING
        },
        "lacks": {
            mart: published.why_empty(mart) if published[mart].empty else ""
            for mart in ("posterior_correlation", "item_influence")
        },
        "charts": {"levels": charts.levels(profile, keys, names, everyone)}
        | {f"radar-{i}": chart for i, chart in enumerate(radars)}
        | {f"released-{i}": chart for i, chart in enumerate(releases)}
        | {f"correlation-{i}": chart for i, chart in enumerate(correlations)},
    }


def _marks(row: dict[Hashable, Any]) -> list[str]:
    return [mark for flag, mark in MARKS.items() if charts.is_true(row[flag])]


def _released(published: Published) -> dict[str, str]:
    info = published["ai_system"]
    return {
        str(system): str(day)[:10]
        for system, day in zip(info["system"], info["released_on"], strict=True)
        if pd.notna(day)
    }


def _undated(released: dict[str, str], everyone: list[System]) -> str:
    released_ones = [s for s in everyone if not s.is_person]
    lacking = [s.name for s in released_ones if s.key not in released]
    if not released_ones:
        return "People have no release date."
    if not lacking:
        return ""
    if len(lacking) == len(released_ones):
        return "Not drawn: no system has a release date. Add it to the column released_on of battery/systems.csv."
    named = ", ".join(lacking) if len(lacking) <= LEADING else f"{len(lacking)} systems"
    return f"Not drawn, because the release date is unknown: {named}."


def _of_each(info: pd.DataFrame, formats: dict[str, tuple[str, Callable[[object], str]]]) -> Table:
    """`info`, a row a system in their order, as a table: column -> (heading, printer)."""
    table = printed(info, formats)
    return of_systems("profile", table.columns, enumerate(table.rows))


def _influence(frame: pd.DataFrame, names: dict[str, str], everyone: list[System]) -> dict[int, Table]:
    """Index of system -> its most influential items, systems without any left out."""
    columns = [
        "Rank",
        "Benchmark",
        "Item",
        "Score given",
        "Dimension that changes most",
        "Shift (posterior SDs)",
    ]
    rows: dict[str, list[list[str]]] = {}
    for r in frame.sort_values("rank").to_dict("records"):
        cells = [count(r["rank"]), words(r["benchmark"]), words(r["item"]), number(r["score"])]
        cells += [names.get(r["dimension"], str(r["dimension"])), number(r["shift_sd"])]
        rows.setdefault(r["system"], []).append(cells)
    return {s.index: Table(columns, rows[s.key]) for s in everyone if s.key in rows}
