"""The swept policies of one scope, as a script that the page on policies loads when the scope is chosen.

Belongs here: the shape of that script. Does not belong here: which systems are in it (queries.py), rankings and their
agreement (marts), drawing (static/policy.js).

Estimates travel in thousandths, which halves the size and is finer than what is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dagster_project.report.charts import flags, value
from dagster_project.report.data import ESTIMATE, Published
from dagster_project.report.labels import Scope, System, in_scope, of_respondents, ordered, rows_of, scopes
from dagster_project.report.parts import script

SETTING = ["weighting", "power", "sharpness"]
NEUTRAL = (0.0, 1.0)  # power and sharpness that the others are compared with


@dataclass(frozen=True)
class Sweep:
    """The swept policies at hand: choices of the controls, scopes, systems drawn, and the script of each scope."""

    powers: list[float]
    sharpness: list[float]
    weightings: list[str]
    scopes: list[Scope]
    systems: list[System]
    scripts: dict[str, str]  # file name under data/ -> text, in the order of `scopes`


def of_systems_at_hand(published: Published, mart: str) -> pd.DataFrame:
    """The rows of `mart` whose basis is the fitted systems."""
    return published[mart][published[mart]["basis"] == "fitted"]


def swept(published: Published, systems: list[System], refresh: str) -> Sweep:
    """Every scope's script; empty where marts.suitability_sweep has no fitted rows."""
    frame = published["suitability_sweep"]
    tau = of_systems_at_hand(published, "policy_sensitivity")
    robustness = of_systems_at_hand(published, "ranking_robustness")
    groups, activities = scopes(frame), ordered(of_respondents(frame), "activity", "mean_log")
    drawn = set(frame["system"])
    shown = [s for s in systems if s.key in drawn]
    index = {s.key: s.index for s in systems}
    scripts = {}
    for i, scope in enumerate(groups):
        here, rows = in_scope(frame, scope), rows_of(scope, frame, activities)
        picture = _picture(here, in_scope(tau, scope), in_scope(robustness, scope), rows, index)
        scripts[f"sweep-{i}.js"] = script("swept", refresh, scope.key, picture)
    powers, sharpness, weightings = (sorted(set(frame[c])) for c in ("power", "sharpness", "weighting"))
    return Sweep(powers, sharpness, weightings, groups, shown, scripts)


def _picture(
    frame: pd.DataFrame, tau: pd.DataFrame, robustness: pd.DataFrame, rows: list[str], index: dict[str, int]
) -> dict[str, Any]:
    """One scope: settings by "weighting|power|sharpness", with who is first of how many by activity, and each system's
    [mean, low, high, place] by activity; no place for people.
    """
    taus = {_key(k): value(t) for *k, t in tau[[*SETTING, "kendall_tau"]].itertuples(index=False)}
    stable = dict(
        zip(
            zip(robustness["weighting"], robustness["activity"], strict=True),
            flags(robustness["is_winner_stable"]),
            strict=True,
        )
    )
    row, n = {name: i for i, name in enumerate(rows)}, len(rows)
    by_setting: dict[tuple[Any, ...], dict[str, Any]] = {}
    columns = [*SETTING, "activity", "system", "first", "n_ranked"]
    for *setting, activity, system, first, n_ranked, cell in zip(
        *(frame[c].tolist() for c in columns), _cells(frame), strict=True
    ):
        own, at = by_setting.get(tuple(setting)), row[activity]
        if own is None:
            own = {"tau": taus.get(_key(setting)), "values": {}, "first": [None] * n, "n_ranked": [0] * n}
            by_setting[tuple(setting)] = own
        if n_ranked:
            own["first"][at], own["n_ranked"][at] = index[first], int(n_ranked)
        own["values"].setdefault(index[system], [None] * n)[at] = cell
    known = frame.dropna(subset=list(ESTIMATE))
    thin = set(known.loc[flags(known["is_thin"]), "activity"])
    withheld = set(frame.loc[flags(frame["is_suppressed"]), "activity"])
    return {
        "rows": rows,
        "thin": [a in thin for a in rows],
        "withheld": [a in withheld for a in rows],
        "stable": {w: [stable.get((w, a)) for a in rows] for w in sorted(set(frame["weighting"]))},
        "range": [value(known["q025_log"].min()), value(known["q975_log"].max())],
        "settings": {_key(setting): own for setting, own in by_setting.items()},
    }


def _cells(frame: pd.DataFrame) -> list[list[int | None] | None]:
    """[mean, low, high, place] of each row, None where there is no estimate."""
    estimates = np.rint(1000 * frame[list(ESTIMATE)].to_numpy(dtype=float))
    is_known = ~np.isnan(estimates).any(axis=1)
    places = frame["place"].to_numpy(dtype=float)
    cells = np.nan_to_num(np.column_stack([estimates, places])).astype(int).tolist()
    return [
        [*cell[:3], cell[3] or None] if known else None for cell, known in zip(cells, is_known, strict=True)
    ]


def _key(setting: Sequence[Any]) -> str:
    weighting, power, sharpness = setting
    return f"{weighting}|{power:g}|{sharpness:g}"
