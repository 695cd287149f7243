"""The page on propensities: which way systems lean, how far they can be steered, and what that says about success.

Belongs here: the context of propensity.html. Does not belong here: estimating (assets/propensity).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from dagster_project.report import charts
from dagster_project.report.data import Published
from dagster_project.report.labels import MISSING, System, number, percent, text
from dagster_project.report.pages.common import Context
from dagster_project.report.tables import Table, count, of_systems

MARTS = ("propensity", "steerability", "propensity_surface", "propensity_pair", "assessor_gain")
SATURATED, AMBIGUOUS = "limited on one side at most", "another position fits the answers nearly as well"
# propensity -> name, negative and positive end; the marts hold only the key (a test compares with dbt's seed)
SCALES = {
    "red_blue": ("Red or blue", "blue", "red"),
    "risk": ("Risk aversion", "risk-seeking", "risk-averse"),
    "extraversion": ("Extraversion", "introverted", "extravert"),
    "ultracrepidarianism": ("Ultracrepidarianism", "withholds what it knows", "answers beyond its knowledge"),
}
# pairs of systems that the table holds; their number grows with the square of the catalogue
LONGEST = 40
INTERVAL = "95\u00a0% interval"
INCITATIONS = ("none", *(str(level) for level in range(-3, 4)))


def context(published: Published, base: Context) -> Context:
    """Positions, steerability, fit and gains, each by itself."""
    lacks = {mart: published.why_empty(mart) if published[mart].empty else "" for mart in MARTS}
    everyone: list[System] = base["systems"]
    names = {s.key: s.name for s in everyone}
    n_pairs, pairs = _pairs(published["propensity_pair"], names)
    drawn: dict[str, charts.Chart] = {}
    surfaces: list[tuple[str, str, dict[str, charts.Chart]]] = []
    if not lacks["propensity"]:
        drawn["positions"] = _positions(published["propensity"], everyone)
    if not lacks["propensity_surface"]:
        drawn["surface"] = charts.predicted_against_observed(
            _cells(published["propensity_surface"]), everyone
        ) | {"x_title": "Fitted share of success"}
        surfaces = _surfaces(published["propensity_surface"])
        drawn |= {f"{key}_{kind}": chart for key, _, pair in surfaces for kind, chart in pair.items()}
    return {
        "lacks": lacks,
        "table": _table(published["propensity"], everyone),
        "steered": _steered(published["steerability"], everyone),
        "surfaces": [(key, name) for key, name, _ in surfaces],
        "pairs": pairs,
        "n_pairs": n_pairs,
        "gains": _gains(published["assessor_gain"]),
        "withheld": _withheld(published["assessor_gain"]),
        "charts": drawn,
    }


def _positions(frame: pd.DataFrame, everyone: list[System]) -> charts.Chart:
    """Unprompted positions: propensities as rows, one mark a system."""
    own = frame[frame["incitation"] == "none"]
    keys = sorted(set(frame["propensity"]))
    found = {(r["system"], r["propensity"]): r for r in own.to_dict("records")}
    values: list[list[list[float | None] | None]] = [[] for _ in everyone]
    doubts: list[list[str]] = [[_doubt(found.get((s.key, key))) for key in keys] for s in everyone]
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
        "rows": [_with_ends(key) for key in keys],
        "x_title": "Position without incitation (−3 to 3, 95\u00a0% interval)",
        "range": [min([-3.2, *ends]), max([3.2, *ends])],
        "scopes": {
            "": {"values": values, "doubts": doubts, "pooled": None, "thin": [False] * len(keys)},
        },
    }


def _name(propensity: object) -> str:
    key = text(propensity)
    return SCALES[key][0] if key in SCALES else key.replace("_", " ").capitalize()


def _with_ends(propensity: str) -> str:
    """Name of a propensity with what its ends mean; the name alone where they are not known."""
    if propensity not in SCALES:
        return _name(propensity)
    name, negative, positive = SCALES[propensity]
    return f"{name}: {negative} (−), {positive} (+)"


def _doubt(row: dict[Hashable, Any] | None) -> str:
    """Why the position alone misleads; blank where it doesn't."""
    if row is None:
        return ""
    flags = ((SATURATED, row["is_saturated"]), (AMBIGUOUS, row["is_ambiguous"]))
    return "; ".join(words for words, flag in flags if charts.is_true(flag))


def _surfaces(surface: pd.DataFrame) -> list[tuple[str, str, dict[str, charts.Chart]]]:
    """(key, name, observed and fitted heat map) a propensity, of unprompted answers of all systems."""
    own = surface[surface["incitation"] == "none"].dropna(subset=["fitted_share"])
    return [
        (
            str(key),
            _with_ends(str(key)),
            dict(zip(("observed", "fitted"), charts.surface_heats(cells), strict=True)),
        )
        for key, cells in own.groupby("propensity", sort=True)
    ]


def _cells(surface: pd.DataFrame) -> pd.DataFrame:
    """Cells of unprompted answers, as the chart of predicted against observed success takes them."""
    own = surface[surface["incitation"] == "none"].dropna(subset=["fitted_share", "observed_share"])
    label = [
        f"{_name(p)}: middle {number(m, 0)}, width {number(w, 0)}"
        for p, m, w in zip(own["propensity"], own["middle"], own["width"], strict=True)
    ]
    return own.assign(predicted=own["fitted_share"], observed=own["observed_share"], benchmark=label)


def _marks(is_saturated: object, is_ambiguous: object) -> str:
    marks = ("*" if charts.is_true(is_saturated) else "") + ("†" if charts.is_true(is_ambiguous) else "")
    return f" {marks}" if marks else ""


def _table(frame: pd.DataFrame, everyone: list[System]) -> Table:
    by_key = {s.key: s for s in everyone}
    placed = frame.assign(place=frame["incitation"].map(INCITATIONS.index))
    rows = [
        (
            by_key[r["system"]].index,
            [
                by_key[r["system"]].name,
                _name(r["propensity"]),
                text(r["incitation"]).replace("-", "−"),
                number(r["estimate"]) + _marks(r["is_saturated"], r["is_ambiguous"]),
                f"{number(r['q025'])} to {number(r['q975'])}"
                if charts.value(r["q025"]) is not None
                else MISSING,
                count(r["n_items"]),
                count(r["n_uninformative"]),
                percent(r["success_share"]),
            ],
        )
        for r in placed.sort_values(["system", "propensity", "place"]).to_dict("records")
    ]
    columns = ["System", "Propensity", "Incitation to level", "Position", "95\u00a0% interval", "Items"]
    return of_systems("positions", [*columns, "Uninformative items", "Share passed"], rows, {1})


def _steered(frame: pd.DataFrame, everyone: list[System]) -> Table:
    by_key = {s.key: s for s in everyone}
    rows = [
        (
            by_key[r["system"]].index,
            [by_key[r["system"]].name, _name(r["propensity"])]
            + [
                number(r["pearson_r"]),
                number(r["gain"]),
                number(r["unprompted_estimate"])
                + _marks(r["is_unprompted_saturated"], r["is_unprompted_ambiguous"]),
                *(count(r[c]) for c in ("n_levels", "n_saturated", "n_ambiguous")),
                "yes" if charts.is_true(r["is_complete"]) else "no",
            ],
        )
        for r in frame.sort_values(["system", "propensity"]).to_dict("records")
    ]
    columns = ["System", "Propensity", "Correlation of incitation and position", "Gain"]
    more = ["Position without incitation", "Levels", "Levels marked *", "Levels marked †", "Complete"]
    return of_systems("steered", [*columns, *more], rows, {1})


def _pairs(frame: pd.DataFrame, names: dict[str, str]) -> tuple[int, Table]:
    """Pairs of equal capability whose positions are sound and whom bands tell apart: how many, those widest apart."""
    is_shown = [
        charts.is_true(equal) and not charts.is_true(flag) and pd.notna(said)
        for equal, flag, said in zip(
            frame["is_equal_capability"], frame["is_flagged"], frame["is_as_predicted"], strict=True
        )
    ]
    shown = frame[pd.Series(is_shown, index=frame.index, dtype=bool)]
    apart = shown.assign(apart=(shown["estimate_a"] - shown["estimate_b"]).abs().astype(float))
    rows = [
        [
            " and ".join(names.get(r[s], r[s]) for s in ("system_a", "system_b")),
            _name(r["propensity"]),
            f"{number(r['capability_difference'])} (SD {number(r['capability_sd'])})",
            f"{number(r['estimate_a'])} and {number(r['estimate_b'])}",
            *(_sides(r, favoured) for favoured in "ab"),
            "yes" if charts.is_true(r["is_as_predicted"]) else "no",
        ]
        for r in apart.sort_values(["apart", "system_a", "system_b"], ascending=[False, True, True])
        .head(LONGEST)
        .to_dict("records")
    ]
    columns = ["Two systems", "Propensity", "Difference in capability", "Positions"]
    sides = [f"Share passed where bands favour the {which} (fitted)" for which in ("first", "second")]
    return len(apart), Table([*columns, *sides, "As predicted by the bands"], rows, {1})


def _sides(row: dict[Hashable, Any], favoured: str) -> str:
    """Observed shares of both, and the fitted ones in brackets."""
    observed, predicted = (
        [percent(row[f"{kind}_{system}_where_{favoured}_favoured"]) for system in "ab"]
        for kind in ("observed", "predicted")
    )
    if MISSING in observed:
        return MISSING
    return f"{observed[0]} and {observed[1]} ({predicted[0]} and {predicted[1]})"


def _withheld(frame: pd.DataFrame) -> str:
    """Why gains are withheld, and what share of levels is missing; nothing where none is."""
    if not len(frame) or not (frame["n_withheld"].fillna(0) > 0).any():
        return ""
    lacking = frame[frame["n_withheld"].fillna(0) > 0]
    shares = [
        percent(lacking[column].max()) for column in ("missing_share", "missing_share_ultracrepidarianism")
    ]
    where = "; ".join(name for regime, name in REGIMES.items() if regime in set(lacking["regime"]))
    return (
        f"No gain is shown for: {where}. Their items lack {shares[0]} of all propensity levels and {shares[1]} of those"
        " of ultracrepidarianism. Which levels are missing reveals an item's data set, so even random levels"
        " would seem to improve predictions. The gain is withheld until every item has a band for every propensity."
    )


# regime -> what is held out, in the order of the table (a test compares with the assessor's regimes)
REGIMES = {
    "item": "Items within a benchmark",
    "pooled": "Items over all benchmarks",
    "leave_benchmark_out": "A whole benchmark",
    "battery_pooled": "Battery: items over all benchmarks",
    "battery_leave_benchmark_out": "Battery: a whole benchmark",
}


def _gains(frame: pd.DataFrame) -> Table:
    added = "_ultracrepidarianism"
    rows = [
        [REGIMES.get(text(r["regime"]), text(r["regime"]))]
        + [number(r[c], 3) for c in ("baseline", "augmented", "mean_delta")]
        + [_interval(r["delta_low"], r["delta_high"])]
        + [number(r["wilcoxon_p"], 3), count(r["n_systems"]), count(r["n_propensities"])]
        + [number(r[c + added], 3) for c in ("augmented", "mean_delta")]
        + [_interval(r["delta_low" + added], r["delta_high" + added]), number(r["wilcoxon_p" + added], 3)]
        for r in frame.assign(place=frame["regime"].map([*REGIMES].index))
        .sort_values("place")
        .to_dict("records")
    ]
    columns = ["Held-out part", "AUROC with capabilities alone", "With all propensities", "Mean difference"]
    more = [INTERVAL, "p (signed-rank)", "Systems", "Propensities"]
    alone = ["With ultracrepidarianism only", "Mean difference", INTERVAL, "p (signed-rank)"]
    return Table([*columns, *more, *alone], rows, set())


def _interval(low: object, high: object) -> str:
    known = charts.value(low) is not None and charts.value(high) is not None
    return f"{number(low, 3)} to {number(high, 3)}" if known else MISSING
