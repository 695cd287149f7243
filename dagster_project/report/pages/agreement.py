"""The part of the page on importance that holds samples and domains against each other.

Belongs here: the context of agreement.html. Does not belong here: importance itself (importance.py).
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from dagster_project.report import charts
from dagster_project.report.data import Published
from dagster_project.report.labels import DOMAINS, number, percent, text
from dagster_project.report.pages.common import Context
from dagster_project.report.tables import Table, count

UNITS = {"capability": "capabilities", "activity": "activities"}
N_DEPARTURES = 3


def context(published: Published, names: dict[str, str]) -> Context:
    """Company against online respondents; domains against each other."""
    marts = ("importance_agreement", "domain_importance_agreement", "domain_departure")
    lacks = {mart: published.why_empty(mart) if published[mart].empty else "" for mart in marts}
    summary, pairs = published["importance_reliability"], published["domain_importance_agreement"]
    keys = [d for d in DOMAINS if d in {*pairs["domain_a"], *pairs["domain_b"]}]
    drawn = {} if lacks["domain_importance_agreement"] else {"domains": charts.domains(pairs, keys, DOMAINS)}
    return {
        "lacks": lacks,
        "samples": [
            _sample(r)
            for unit_type in UNITS
            for r in summary[summary["unit_type"] == unit_type].to_dict("records")
        ],
        "units": [
            (kind, _units(published["importance_agreement"], unit_type, names))
            for unit_type, kind in UNITS.items()
        ],
        "domain_finding": _domain_finding(pairs),
        "domain_table": _domain_table(pairs, keys),
        "departures": _departures(published["domain_departure"], names),
        "charts": drawn,
    }


def _sample(r: dict[Any, Any]) -> tuple[str, list[str]]:
    """(what is compared, sentences) of one row of marts.importance_reliability."""
    kind = UNITS.get(r["unit_type"], text(r["unit_type"]))
    if charts.value(r["pearson"]) is None:
        return kind, [f"Agreement can’t be estimated: {text(r['reason'], 'no reason was recorded')}."]
    interval = ""
    if charts.value(r["pearson_low"]) is not None:
        interval = f" (95\u00a0% interval {number(r['pearson_low'])} to {number(r['pearson_high'])})"
    said = [
        f"Over {count(r['n_units'])} {kind}, the mean correlation of the two samples’ points is {number(r['pearson'])}"
        f"{interval}; the mean cosine similarity is {number(r['cosine'])}."
    ]
    if charts.value(r["disattenuated"]) is not None:
        seen = f"the observed correlation is {percent(r['disattenuated'], 0)} of that"
        if r["pearson"] >= r["noise_ceiling"]:
            seen = "the observed correlation is no lower"
        elif r["pearson"] < 0:
            seen = "the observed correlation is negative, lower than expected by chance"
        said.append(
            f"Random halves of one sample correlate {number(r['reliability_company'])} (company) and "
            f"{number(r['reliability_online'])} (online), corrected for half size. With this noise, the samples "
            f"can correlate at most about {number(r['noise_ceiling'])}: {seen}."
        )
    if text(r["reason"]):
        said.append(f"Some figures can’t be estimated: {text(r['reason'])}.")
    said.append(f"{count(r['n_company'])} company and {count(r['n_online'])} online respondents.")
    return kind, said


def _units(frame: pd.DataFrame, unit_type: str, names: dict[str, str]) -> Table:
    own = frame[frame["unit_type"] == unit_type].sort_values("pearson", kind="stable", ascending=False)
    rows = [
        [names.get(r["unit"], r["unit"]) + (" *" if charts.is_true(r["is_thin"]) else "")]
        + [number(r[c]) for c in ("pearson", "cosine", "reliability_company", "reliability_online")]
        + [count(r["n_company"]), count(r["n_online"])]
        for r in own.to_dict("records")
    ]
    columns = [
        unit_type.capitalize(),
        "Correlation",
        "Cosine similarity",
        "Reliability, company",
        "Reliability, online",
    ]
    return Table([*columns, "Company respondents", "Online respondents"], rows)


def _domain_finding(pairs: pd.DataFrame) -> str:
    known = pairs.dropna(subset=["pearson"]).sort_values("pearson", kind="stable")
    if known.empty:
        return "No two domains can be compared."
    named = [
        f"{DOMAINS.get(a, a)} and {DOMAINS.get(b, b)}"
        for a, b in zip(known["domain_a"], known["domain_b"], strict=True)
    ]
    r = known["pearson"].tolist()
    if len(r) == 1:
        return f"{named[0]}: correlation {number(r[0])}."
    return (
        f"The mean correlation of two domains is {number(sum(r) / len(r))}. "
        f"Most alike: {named[-1]} ({number(r[-1])}); least alike: {named[0]} ({number(r[0])})."
    )


def _domain_table(pairs: pd.DataFrame, keys: list[str]) -> Table:
    cells = {frozenset((x.domain_a, x.domain_b)): number(x.pearson) for x in pairs.itertuples()}
    rows = [
        [f"{DOMAINS[a]} ({a})", *("" if a == b else cells.get(frozenset((a, b)), "–") for b in keys)]
        for a in keys
    ]
    return Table(["Domain", *keys], rows)


def _departures(frame: pd.DataFrame, names: dict[str, str]) -> Table:
    """The largest departures of each domain, up and down."""
    rows = []
    for d in [d for d in DOMAINS if d in set(frame["domain"])]:
        own = frame[frame["domain"] == d].sort_values("departure", ascending=False, kind="stable")
        up = own[own["departure"] > 0].head(N_DEPARTURES)
        down = own[own["departure"] < 0].iloc[::-1].head(N_DEPARTURES)
        said = [
            "\n".join(
                f"{names.get(c, c)} {'+' if v > 0 else ''}{number(v, 1)}"
                for c, v in zip(part["capability"], part["departure"], strict=True)
            )
            for part in (up, down)
        ]
        thin = " *" if own["is_thin"].map(charts.is_true).any() else ""
        rows.append([DOMAINS[d] + thin, *(s or "–" for s in said), count(own["n_respondents"].max())])
    return Table(
        ["Domain", "Needs more than the mean", "Needs less than the mean", "Respondents"], rows, {1, 2, 3}
    )
