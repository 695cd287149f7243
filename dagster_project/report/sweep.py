"""The swept policies of one scope, as a script that the page on policies loads when the scope is chosen.

Belongs here: the shape of that script. Does not belong here: rankings and their agreement (marts), drawing
(static/policy.js).

A page opened from a folder may not fetch files, but may load scripts: so each file calls a function of the page with
its numbers. Estimates travel in thousandths, which halves the size and is finer than what is drawn.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dagster_project.report.charts import is_true, value
from dagster_project.report.data import ESTIMATE, Published
from dagster_project.report.labels import Scope, System, in_scope, of_respondents, ordered, rows_of, scopes

SETTING = ["weighting", "power", "sharpness"]
NEUTRAL = (0.0, 1.0)  # power and sharpness that the others are compared with


@dataclass(frozen=True)
class Sweep:
    """The swept policies at hand: choices of the controls, scopes, and the script of each scope."""

    powers: list[float]
    sharpness: list[float]
    weightings: list[str]
    scopes: list[Scope]
    scripts: dict[str, str]  # file name under data/ -> text, in the order of `scopes`


def of_systems_at_hand(published: Published, mart: str) -> pd.DataFrame:
    """The rows of `mart` whose basis is the fitted systems."""
    return published[mart][published[mart]["basis"] == "fitted"]


def swept(published: Published, systems: list[System]) -> Sweep:
    """Every scope's script; empty where marts.suitability_sweep has no fitted rows."""
    frame = of_systems_at_hand(published, "suitability_sweep")
    tau = of_systems_at_hand(published, "policy_sensitivity")
    robustness = of_systems_at_hand(published, "ranking_robustness")
    groups, activities = scopes(frame), ordered(of_respondents(frame), "activity", "mean_log")
    scripts = {}
    for i, scope in enumerate(groups):
        here, rows = in_scope(frame, scope), rows_of(scope, frame, activities)
        picture = _picture(here, in_scope(tau, scope), in_scope(robustness, scope), rows, systems)
        text = json.dumps(picture, allow_nan=False, separators=(",", ":"))
        scripts[f"sweep-{i}.js"] = f"report.swept({json.dumps(scope.key)},{text});\n"
    powers, sharpness, weightings = (sorted(set(frame[c])) for c in ("power", "sharpness", "weighting"))
    return Sweep(powers, sharpness, weightings, groups, scripts)


def _picture(
    frame: pd.DataFrame, tau: pd.DataFrame, robustness: pd.DataFrame, rows: list[str], systems: list[System]
) -> dict[str, Any]:
    """One scope: settings by "weighting|power|sharpness", each with estimates and order by activity.

    Order comes from the certain weights, as in the marts on rankings; intervals hold the weights' sampling error too
    where it was swept.
    """
    certain = frame[frame["weight_uncertainty"] == "none"]
    sampled = frame[frame["weight_uncertainty"] != "none"]
    taus = {_key(k): value(t) for *k, t in tau[[*SETTING, "kendall_tau"]].itertuples(index=False)}
    orders = _orders(certain if len(certain) else sampled, systems)
    stable = {(r.weighting, r.activity): is_true(r.is_winner_stable) for r in robustness.itertuples()}
    settings = {}
    for setting, own in (sampled if len(sampled) else certain).groupby(SETTING):
        key = _key(setting)
        cells = dict(zip(zip(own["system"], own["activity"], strict=True), _thousandths(own), strict=True))
        settings[key] = {
            "tau": taus.get(key),
            "values": [[cells.get((s.key, a)) for a in rows] for s in systems],
            "order": [orders.get((key, a), []) for a in rows],
        }
    known = frame.dropna(subset=["mean_log"])
    return {
        "rows": rows,
        "thin": [a in set(known.loc[known["is_thin"].map(is_true), "activity"]) for a in rows],
        "withheld": [a in set(frame.loc[frame["is_suppressed"].map(is_true), "activity"]) for a in rows],
        "stable": {w: [stable.get((w, a)) for a in rows] for w in sorted(set(frame["weighting"]))},
        "range": [value(known["q025_log"].min()), value(known["q975_log"].max())],
        "settings": settings,
    }


def _orders(frame: pd.DataFrame, systems: list[System]) -> dict[tuple[str, str], list[int]]:
    """(setting's key, activity) -> places of systems in `systems`, highest S first, people left out."""
    index = {s.key: s.index for s in systems}
    ranked = frame[frame["is_ranked"].map(is_true).astype(bool) & frame["mean_s_log"].notna()]
    ranked = ranked.sort_values(["mean_s_log", "system"], ascending=[False, True], kind="stable")
    found: dict[tuple[str, str], list[int]] = {}
    for *setting, activity, system in ranked[[*SETTING, "activity", "system"]].itertuples(index=False):
        found.setdefault((_key(setting), activity), []).append(index[system])
    return found


def _key(setting: Sequence[Any]) -> str:
    weighting, power, sharpness = setting
    return f"{weighting}|{power:g}|{sharpness:g}"


def _thousandths(frame: pd.DataFrame) -> list[list[int] | None]:
    """Mean and interval of each row in thousandths; None where one of them is unknown."""
    return [
        None if any(map(math.isnan, row)) else [round(1000 * v) for v in row]
        for row in frame[list(ESTIMATE)].to_numpy(dtype=float).tolist()
    ]
