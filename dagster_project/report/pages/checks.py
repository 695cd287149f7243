"""The page on whether the profiles predict answers: of items not seen, by demand level, and against other models.

Belongs here: the context of checks.html. Does not belong here: simulated answers (evidence.py), what charts draw
(charts.py).
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from dagster_project.report import charts
from dagster_project.report.bins import LEAST, pooled_bins
from dagster_project.report.data import Published
from dagster_project.report.labels import LEADING, MISSING, OfSystem, System, number, percent, text
from dagster_project.report.pages.common import Context
from dagster_project.report.tables import ScopedTable, Table, count, names_of, of_systems, records

MARTS = ("item_prediction_quality", "reliability", "characteristic_curve")


def context(published: Published, base: Context) -> Context:
    """Predictions of items held out, characteristic curves, comparison of models."""
    everyone: list[System] = base["systems"]
    quality, bins = published["item_prediction_quality"], pooled_bins(published["reliability"])
    lacks = {mart: published.why_empty(mart) if published[mart].empty else "" for mart in MARTS}
    names = names_of(published["dimension"], "dimension")
    curves = _curves(published, everyone, names)
    drawn = {f"curve-{i}": chart for i, chart in enumerate(curves["charts"])}
    if not lacks["item_prediction_quality"]:
        of_benchmarks = quality[quality["benchmark"] != "all"]
        drawn["predicted"] = charts.predicted_against_observed(of_benchmarks, everyone)
    if not lacks["reliability"]:
        drawn["reliability"] = charts.reliability(bins, everyone)
    return {
        "lacks": lacks,
        "quality": _quality(quality, everyone),
        "bins": _bins(bins, everyone),
        "least": LEAST,
        "curves": curves,
        "choices": curves["others"],
        "comparison": _comparison(published["model_comparison"]),
        "charts": drawn,
    }


def _quality(quality: pd.DataFrame, everyone: list[System]) -> Table:
    """Rows by system, the pooled line first."""
    rows = []
    by_system = records(quality)
    for s in everyone:
        for r in sorted(by_system.get(s.key, []), key=lambda r: r["benchmark"] != "all"):
            pooled = r["benchmark"] == "all"
            cells = [s.name, "All benchmarks" if pooled else text(r["benchmark"], MISSING)]
            cells += [count(r["n_items"]), percent(r["observed"]), percent(r["predicted"])]
            rows.append((s.index, [*cells, number(r["brier"], 3), number(r["auroc"], 3)]))
    columns = ["System", "Benchmark", "Items", "Observed", "Predicted", "Brier score", "AUROC"]
    return of_systems("quality", columns, rows)


def _bins(bins: pd.DataFrame, everyone: list[System]) -> Table:
    rows = []
    by_system = records(bins)
    for s in everyone:
        for r in by_system.get(s.key, []):
            between = f"{percent(r['low'], 0)} to {percent(r['high'], 0)}" + (" *" if r["is_few"] else "")
            cells = [count(r["n_bins"]), count(r["n_items"]), percent(r["predicted"]), percent(r["observed"])]
            rows.append((s.index, [s.name, between, *cells]))
    columns = ["System", "Predicted between", "Bins pooled", "Items", "Mean predicted", "Observed"]
    return of_systems("bins", columns, rows)


def _curves(published: Published, everyone: list[System], names: dict[str, str]) -> Context:
    """By system: how many levels lie outside their interval, the table; and the charts of all dimensions."""
    frame = published["characteristic_curve"]
    frame = frame.assign(is_outside=(frame["observed"] < frame["q025"]) | (frame["observed"] > frame["q975"]))
    by_system = records(frame.sort_values(["dimension", "level"]))
    choices = [OfSystem(s) for s in everyone if s.key in by_system]
    keys = sorted(set(frame["dimension"]), key=lambda d: names.get(d, d))
    columns = ["Dimension", "Level", "Items", "Observed", "Predicted", "95\u00a0% interval"]
    tables, findings, others = [], [], {}
    for choice in choices:
        own = by_system[choice.system.key]
        rows = [
            [names.get(r["dimension"], r["dimension"]), count(r["level"]), count(r["n_items"])]
            + [percent(r["observed"]) + (" !" if r["is_outside"] else ""), percent(r["predicted"])]
            + [f"{percent(r['q025'])} to {percent(r['q975'])}"]
            for r in own
        ]
        finding = (
            f"{choice.label}: {sum(r['is_outside'] for r in own)} of {len(own)} observed shares lie outside their "
            f"interval (by chance, at most about {number(0.05 * len(own), 1)} would)."
        )
        if choice.system.index < LEADING:
            tables.append(ScopedTable(choice, Table(columns, rows)))
            findings.append((choice, finding))
        else:
            said = {"key": choice.key, "label": choice.label, "finding": finding}
            others[choice.system.index] = said | {"columns": columns, "rows": rows}
    return {
        "choices": [choice for choice in choices if choice.system.index < LEADING],
        "others": others,
        "findings": findings,
        "tables": tables,
        "charts": charts.curves(frame, keys, names, choices),
    }


def _comparison(frame: pd.DataFrame) -> Table | None:
    """All columns of marts.model_comparison as they stand; None where there is nothing to show."""
    if frame.empty:
        return None
    printers: dict[str, Callable[[object], str]] = {
        str(c): (lambda v: number(v, 4)) if pd.api.types.is_float_dtype(frame[c]) else count for c in frame
    }
    rows = [[printers[c](r[c]) for c in printers] for r in frame.to_dict("records")]
    return Table([c.replace("_", " ").capitalize() for c in printers], rows)
