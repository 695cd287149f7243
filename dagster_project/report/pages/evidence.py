"""The page on what simulations show: how well known agents are recovered, and whether intervals hold the truth.

Belongs here: the context of evidence.html. Does not belong here: simulating (assets/capability), what charts draw
(simulations.py), or checks against real answers (checks.py).
"""

from __future__ import annotations

import pandas as pd

from dagster_project.report import simulations
from dagster_project.report.data import Published
from dagster_project.report.labels import MISSING, Temperature, number, percent, text
from dagster_project.report.pages.common import Context
from dagster_project.report.simulations import INTERCEPTS, over_runs
from dagster_project.report.tables import ScopedTable, Table, count, names_of

INTERCEPT = "intercept"  # the name under which the calibration marts hold alpha
TABLES_OF_FREE_FITS = ("Table 4", "Table C2", "Table C3")
SUMMARY = {
    "shape_r": "Correlation of shapes",
    "level_r": "Correlation of levels",
    "level_slope": "Recovered share of a true difference of level",
    "effective_dimensions": "Effective dimensions",
    "mean_abs_correlation": "Mean absolute correlation",
    "worst_contraction": "Worst contraction",
    "suitability_rho": "Rank correlation of suitability",
    "suitability_pairwise_accuracy": "Pairs of systems in the true order of suitability",
}


def context(published: Published, base: Context) -> Context:
    """Recovery and calibration, each by itself."""
    names = names_of(published["dimension"], "dimension") | {INTERCEPT: "Intercept"}
    return {
        "recovery": _recovery(published, names),
        "calibration": _calibration(published, names),
    }


def _is_empty(published: Published, marts: tuple[str, ...]) -> str:
    """'' where all have rows, 'not run' where the command fills them, otherwise why they can't be filled."""
    empty = [mart for mart in marts if published[mart].empty]
    if not empty:
        return ""
    status = published["slice_status"].set_index("slice")["status"].to_dict().get("battery")
    is_published = empty[0] in set(published.catalogue["mart"])
    return "not run" if is_published and status == "filled" else published.why_empty(empty[0])


def _recovery(published: Published, names: dict[str, str]) -> Context:
    dimension, whole = published["recovery_dimension"], published["recovery_summary"]
    empty = _is_empty(published, ("recovery_dimension", "recovery_summary"))
    if empty:
        return {"empty": empty}
    temperatures = [Temperature(float(tau)) for tau in sorted(set(dimension["tau"]))]
    order = dimension.groupby("dimension")["r"].mean().sort_values(ascending=False, kind="stable")
    keys = [str(key) for key in order.index]
    first = whole.iloc[0]
    return {
        "empty": "",
        "n_agents": count(first["n_agents"]),
        "n_items": count(first["n_items"]),
        "n_runs": int(first["n_runs"]),
        "temperatures": temperatures,
        "chosen": Temperature(1.0).key,
        "intercepts": INTERCEPTS,
        "summary": _summary(whole, temperatures),
        "tables": [ScopedTable(t, _by_dimension(dimension, t, keys, names)) for t in temperatures],
        "published": _against_the_paper(published["published_comparison"]),
        "charts": {
            "recovery": simulations.recovered(
                dimension, "r", "Correlation of true and recovered levels", temperatures, keys, names
            ),
            "contraction": simulations.recovered(
                dimension,
                "contraction",
                "Contraction (1 − posterior variance / prior variance)",
                temperatures,
                keys,
                names,
            ),
        },
    }


def _cell(frame: pd.DataFrame, column: str, digits: int = 2) -> str:
    mean, low, high = over_runs(frame, column)
    shown = number(mean, digits)
    return shown if low is None else f"{shown}\n({number(low, digits)} to {number(high, digits)})"


def _summary(whole: pd.DataFrame, temperatures: list[Temperature]) -> Table:
    rows = []
    for temperature in temperatures:
        for intercept in INTERCEPTS:
            own = whole[(whole["tau"] == temperature.tau) & (whole["intercept"] == intercept.key)]
            if len(own):
                rows.append(
                    [f"{temperature.label}, {intercept.key}", *(_cell(own, column) for column in SUMMARY)]
                )
    return Table(["Temperature, intercept", *SUMMARY.values()], rows)


def _by_dimension(
    frame: pd.DataFrame, temperature: Temperature, keys: list[str], names: dict[str, str]
) -> Table:
    here = frame[frame["tau"] == temperature.tau]
    measures = {"r": "Correlation", "contraction": "Contraction", "mae": "Mean absolute error"}
    columns = ["Dimension", *(f"{m}, {i.key}" for m in measures.values() for i in INTERCEPTS)]
    rows = []
    for d in keys:
        own = {i.key: here[(here["dimension"] == d) & (here["intercept"] == i.key)] for i in INTERCEPTS}
        rows.append([names.get(d, d), *(_cell(own[i.key], m) for m in measures for i in INTERCEPTS)])
    return Table(columns, rows)


def _against_the_paper(comparison: pd.DataFrame) -> list[tuple[str, str]]:
    """(published table, how many of its cells match) of the tables that free-intercept fits give."""
    found = []
    for name in TABLES_OF_FREE_FITS:
        status = comparison.loc[comparison["table_name"] == name, "status"].value_counts().sort_index()
        if len(status):
            cells = (f"{count(int(n))} {text(state).replace('_', ' ')}" for state, n in status.items())
            found.append((name, ", ".join(cells)))
    return found


def _calibration(published: Published, names: dict[str, str]) -> Context:
    covered, ranked = published["calibration"], published["calibration_rank"]
    empty = _is_empty(published, ("calibration", "calibration_rank"))
    if empty:
        return {"empty": empty}
    keys = sorted(set(covered["dimension"]), key=lambda d: (d == INTERCEPT, names.get(d, d)))
    levels = sorted(set(covered["level"]))
    is_inside = covered["coverage_share"].between(covered["expected_low"], covered["expected_high"])
    p = covered.groupby("dimension")["uniformity_p"].first()
    rejected = [names.get(d, d) for d in keys if p[d] < 0.05]
    histograms = simulations.ranks(ranked, keys, names)
    rows = []
    for d in keys:
        own = covered[covered["dimension"] == d].set_index("level")
        cells = [_covered(own.loc[level]) if level in own.index else MISSING for level in levels]
        rows.append([names.get(d, d), *cells, number(p[d], 3), count(own["n_fits"].iloc[0])])
    heads = [f"{percent(level, 0)} intervals that contain the true level" for level in levels]
    return {
        "empty": "",
        "n_fits": count(covered["n_fits"].max()),
        "n_cells": len(covered),
        "n_inside": int(is_inside.sum()),
        "by_chance": number(0.05 * len(covered), 1),
        "n_tests": len(p),
        "rejected": rejected,
        "table": Table(["Dimension", *heads, "Test of uniform ranks: p (Holm)", "Fits"], rows),
        "ranks": Table(
            ["Dimension", *(f"Bin {count(b)}" for b in sorted(set(ranked["bin"]))), "Band"],
            [[names.get(d, d), *_counts(ranked[ranked["dimension"] == d])] for d in keys],
        ),
        "histograms": histograms,
        "charts": {"coverage": simulations.coverage(covered, keys, names)}
        | {f"ranks-{i}": chart for i, chart in enumerate(histograms)},
    }


def _covered(row: pd.Series) -> str:
    share, low, high = row["coverage_share"], row["expected_low"], row["expected_high"]
    mark = "" if low <= share <= high else " !"
    return f"{percent(share)}{mark}\n({percent(low)} to {percent(high)})"


def _counts(own: pd.DataFrame) -> list[str]:
    own = own.sort_values("bin")
    band = own.iloc[0]
    return [*map(count, own["n_fits"]), f"{count(band['expected_low'])} to {count(band['expected_high'])}"]
