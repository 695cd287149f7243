"""Agreement of samples a second time, by loops over the export's rows and the standard library's correlation.

Belongs here: expected rows of importance_agreement, importance_reliability's means and the domain marts.
Does not belong here: who is kept and in which scope (twin.py); splits and resamples (test_reliability.py).
"""

from __future__ import annotations

import math
import statistics
from itertools import combinations

from tests.support.work.respondent_twin import (
    ACTIVITIES,
    CAPABILITIES,
    DOMAINS,
    Row,
    Twin,
    codes,
    mean,
    number,
)

Vector = list[float]


def cosine(x: Vector, y: Vector) -> float | None:
    lengths = math.hypot(*x) * math.hypot(*y)
    return math.fsum(a * b for a, b in zip(x, y, strict=True)) / lengths if lengths else None


def pearson(x: Vector, y: Vector) -> float | None:
    try:
        return statistics.correlation(x, y)
    except statistics.StatisticsError:
        return None


class AgreementTwin:
    """Zero-imputed matrices of the samples, and what follows from them, by key."""

    def __init__(self, twin: Twin) -> None:
        self.capabilities = [c for c in CAPABILITIES if c not in twin.dropped]
        self.company = [
            row
            for scope, rows in twin.scopes.items()
            if scope[0] == "source"
            for row in rows
            if scope[1] != "online"
        ]
        self.online = twin.scopes["source", "online"]
        self.withheld = {
            (d, a)
            for d in DOMAINS
            for t, a in enumerate(ACTIVITIES, start=1)
            if twin.suppressed(("domain", d), t)
        }
        self.domains = {d: twin.scopes["domain", d] for d in sorted(DOMAINS) if ("domain", d) in twin.scopes}

    def cell(self, rows: list[Row], activity: str, capability: str) -> float:
        """Mean points over those who selected the activity, 0 where nobody did."""
        return mean([self.points(row, activity, capability) for row in self.selectors(rows, activity)]) or 0.0

    def domain_cell(self, domain: str, activity: str, capability: str) -> float:
        """As `cell`, 0 where the domain's cell is withheld."""
        is_withheld = (domain, activity) in self.withheld
        return 0.0 if is_withheld else self.cell(self.domains[domain], activity, capability)

    def points(self, row: Row, activity: str, capability: str) -> float:
        t, k = ACTIVITIES.index(activity) + 1, CAPABILITIES.index(capability) + 1
        return number(row[f"{t}_Q5.4_{k}"], 0, 100) or 0.0

    def selectors(self, rows: list[Row], activity: str) -> list[Row]:
        return [row for row in rows if ACTIVITIES.index(activity) + 1 in codes(row["Q3.1"])]

    def units(self) -> dict[tuple[str, ...], tuple[object, ...]]:
        """(unit_type, unit) -> cosine, pearson, n_company, n_online, is_thin."""
        expected: dict[tuple[str, ...], tuple[object, ...]] = {}
        samples = self.company, self.online
        for capability in self.capabilities:
            x, y = ([self.cell(rows, a, capability) for a in ACTIVITIES] for rows in samples)
            n = [
                sum(
                    any(self.points(row, a, capability) > 0 for a in ACTIVITIES if self.selectors([row], a))
                    for row in rows
                )
                for rows in samples
            ]
            expected["capability", capability] = (cosine(x, y), pearson(x, y), *n, min(n) < 5)
        for activity in ACTIVITIES:
            x, y = ([self.cell(rows, activity, c) for c in self.capabilities] for rows in samples)
            n = [len(self.selectors(rows, activity)) for rows in samples]
            expected["activity", activity] = (cosine(x, y), pearson(x, y), *n, min(n) < 5)
        return expected

    def means(self) -> dict[tuple[str, ...], tuple[object, ...]]:
        """(unit_type,) -> arithmetic mean of cosines, Fisher-z mean of correlations."""
        units = self.units()
        expected: dict[tuple[str, ...], tuple[object, ...]] = {}
        for unit_type in ("capability", "activity"):
            pairs = [values[:2] for key, values in units.items() if key[0] == unit_type]
            cosines = [c for c, _ in pairs if isinstance(c, float)]
            z = [math.atanh(r) for _, r in pairs if isinstance(r, float)]
            expected[(unit_type,)] = (statistics.fmean(cosines), math.tanh(statistics.fmean(z)))
        return expected

    def domain_pairs(self) -> dict[tuple[str, ...], tuple[object, ...]]:
        """(domain_a, domain_b) -> pearson, cosine over all cells."""
        cells = {
            d: [self.domain_cell(d, a, c) for a in ACTIVITIES for c in self.capabilities]
            for d in self.domains
        }
        return {
            (a, b): (pearson(cells[a], cells[b]), cosine(cells[a], cells[b]))
            for a, b in combinations(cells, 2)
        }

    def departures(self) -> dict[tuple[str, ...], tuple[object, ...]]:
        """(domain, capability) -> mean over activities and cells of the domain's matrix minus the domains' mean."""
        expected: dict[tuple[str, ...], tuple[object, ...]] = {}
        for capability in self.capabilities:
            cells = {d: [self.domain_cell(d, a, capability) for a in ACTIVITIES] for d in self.domains}
            middle = [statistics.fmean(column) for column in zip(*cells.values(), strict=True)]
            for domain, column in cells.items():
                apart = [own - all_ for own, all_ in zip(column, middle, strict=True)]
                expected[domain, capability] = (statistics.fmean(apart),)
        return expected
