"""The slice's numbers a second time, from the CSV files by loops over dicts: no pandas, no SQL, no project code.

Belongs here: the expected marts. Does not belong here: how the exports came to be (messy_survey.py).
"""

from __future__ import annotations

import csv
import math
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ACTIVITIES = (
    *("Researching", "Checking", "Decision making", "Problem solving", "Creative thinking", "LT planning"),
    *("ST planning", "Tool use", "Computer use", "Coding", "Data manipulation", "Analysing data"),
    *("Communicating", "Listening", "Building rapport", "Managing people", "Managing resources", "Admin"),
)
CAPABILITIES = (
    *("EM", "SM", "ProcM", "ProsM", "WM", "AaIC", "CF", "MS", "P", "MC", "PaPR", "FP", "SRaN", "OP"),
    *("CR", "ToM", "EPaE", "L"),
)
DOMAINS = ("WL", "MMR", "NDP", "AOP", "CMH", "HSC")
QUIZ = ("Q4.12", "Q4.13", "Q4.14", "Q4.25", "Q4.26", "Q4.27")

# place in the flow of rows that are no people, by Status
MARKED = {"1": 8, "Survey Preview": 8, "2": 9, "8": 10, "Spam": 10}

Row = dict[str, str]
Scope = tuple[str, str]


def number(text: str, low: float, high: float = math.inf, whole: bool = False) -> float | None:
    """The cell as a number, None where it is blank, no number or out of range."""
    try:
        value = float(text)
    except ValueError:
        return None
    if not math.isfinite(value) or not low <= value <= high or (whole and value != int(value)):
        return None
    return value


def codes(text: str) -> set[int]:
    """Whole codes in a multiple-choice cell; parts that are none are left out."""
    found = (number(part, 1, whole=True) for part in text.split(","))
    return {int(code) for code in found if code is not None}


def mean(values: list[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def shown_company(spellings: Iterable[str], company: str) -> str:
    """The first of all spellings that differ from this one by case alone."""
    return min(name for name in spellings if name.lower() == company.lower())


class Twin:
    """Expected rows of respondent_flow, activity_importance and capability_importance, by key.

    `min_company`: fewest people behind a cell where anybody names a company;
    `also_spelled`: companies named outside the survey.
    """

    def __init__(
        self,
        sources: Path,
        dropped: tuple[str, ...],
        min_company: int = 5,
        also_spelled: tuple[str, ...] = (),
    ) -> None:
        self.dropped = dropped
        self.min_company = min_company
        self.spellings = set(also_spelled)
        self.sources_of: dict[str, set[str]] = defaultdict(set)
        self.flow: dict[tuple[str, str], list[int]] = {}
        self.scopes: dict[Scope, list[Row]] = defaultdict(list)
        exports = []
        for file in sorted((sources / "survey").glob("*.csv")):
            with file.open(encoding="utf-8-sig", newline="") as opened:
                rows = [row for row in csv.DictReader(opened) if not row["Q3.1"].startswith(("Text of", "{"))]
            for row in rows:
                row["company"] = " ".join(unicodedata.normalize("NFC", row.get("company", "")).split())
            self.spellings |= {row["company"] for row in rows}
            exports.append((file.stem, rows))
        for source, rows in exports:
            self._sort_out(source, rows)

    def _sort_out(self, source: str, rows: list[Row]) -> None:
        for domain in (*DOMAINS, "none"):
            self.flow[source, domain] = [0] * 11
        for row in rows:
            code = number(row["Q2.11"], 1, 6, whole=True)
            domain = "none" if code is None else DOMAINS[int(code) - 1]
            cell = self.flow[source, domain]
            cell[7] += 1
            if row.get("Status") in MARKED:
                cell[MARKED[row["Status"]]] += 1
                continue
            cell[0] += 1
            if code is None:
                continue
            cell[1] += 1
            progress = number(row["Progress"], 0, 100)
            duration = number(row["Duration (in seconds)"], 0)
            right = sum(number(row[question], 1, whole=True) == 1 for question in QUIZ)
            if progress is None:
                cell[6] += 1
            elif progress < 100:
                cell[2] += 1
            elif right < 3:
                cell[3] += 1
            elif duration is None:
                cell[6] += 1
            elif duration < 600:
                cell[4] += 1
            else:
                cell[5] += 1
                scopes = [("all", "all"), ("domain", domain), ("source", source)]
                if row["company"]:
                    company = shown_company(self.spellings, row["company"])
                    scopes.append(("company", company))
                    self.sources_of[company].add(source)
                for scope in scopes:
                    self.scopes[scope].append(row)

    def n_selected(self, scope: Scope, t: int) -> int:
        return sum(t in codes(row["Q3.1"]) for row in self.scopes[scope])

    @property
    def least(self) -> int:
        """Fewest people behind a published cell: one, unless anybody kept names a company."""
        return self.min_company if self.sources_of else 1

    def suppressed(self, scope: Scope, t: int) -> str | None:
        """Why a cell is withheld.

        In each published whole, parts are withheld from the smallest on until what can be subtracted out
        of the whole covers enough people.
        """
        n = self.n_selected(scope, t)
        is_whole = scope[0] in ("source", "company")
        if (is_whole and len(self.scopes[scope]) < self.least) or 0 < n < self.least:
            return "few_respondents"
        of_type = {kind: [part for part in self.scopes if part[0] == kind] for kind, _ in self.scopes}
        inside = [(("all", "all"), of_type.get(kind, [])) for kind in ("domain", "source", "company")]
        for whole in of_type["source"]:
            companies = of_type.get("company", [])
            inside.append((whole, [c for c in companies if self.sources_of[c[1]] == {whole[1]}]))
        for whole, members in inside:
            sizes = sorted((self.n_selected(part, t), part) for part in members)
            withheld = [size for size in sizes if 0 < size[0] < self.least]
            outside = self.n_selected(whole, t) - sum(size for size, _ in sizes)
            rest = [size for size in sizes if size[0] >= self.least]
            hidden = bool(withheld) or outside > 0
            while hidden and rest and outside + sum(size for size, _ in withheld) < self.least:
                withheld.append(rest.pop(0))
            if (n, scope) in withheld:
                return "complement"
        return None

    def activity_importance(self) -> dict[tuple[str, ...], tuple[object, ...]]:
        """(scope_type, scope, activity) -> the columns of `compare.ACTIVITY`."""
        expected: dict[tuple[str, ...], tuple[object, ...]] = {}
        for scope in self.scopes:
            for t, activity in enumerate(ACTIVITIES, start=1):
                importance, conditional, hours, n, n_ranked, n_hours = self._pooled(scope, t)
                n_domains = None
                why = self.suppressed(scope, t)
                if scope == ("all", "all"):
                    is_known = n > 0 and importance is not None and not (why or 0 < n_ranked < self.least)
                    importance, n_shown = self._over_domains(t, value=0, answers=4)
                    n_domains = n_shown if is_known else None
                    hours, _ = self._over_domains(t, value=2, answers=5)
                importances = (None, None) if why or 0 < n_ranked < self.least else (importance, conditional)
                values = (
                    importances[0] if n else None,
                    importances[1],
                    None if why or 0 < n_hours < self.least else hours,
                )
                counts = (n, n_ranked, n_hours, len(self.scopes[scope]), n_domains, n == 0, n < 5)
                expected[*scope, activity] = (*values, *counts, why)
        return expected

    def _over_domains(self, t: int, *, value: int, answers: int) -> tuple[float | None, int]:
        """Mean of the domains in which enough people chose the activity and answered."""
        shown: list[float | None] = []
        for scope in (("domain", d) for d in DOMAINS if ("domain", d) in self.scopes):
            cell = self._pooled(scope, t)
            if cell[3] and not self.suppressed(scope, t) and not 0 < int(cell[answers] or 0) < self.least:
                shown.append(cell[value])
        known = [x for x in shown if x is not None]
        return mean(known), len(known)

    def _pooled(self, scope: Scope, t: int) -> tuple[float | None, float | None, float | None, int, int, int]:
        scores: list[float] = []
        chosen: list[float] = []
        hours: list[float] = []
        n = 0
        for row in self.scopes[scope]:
            if t not in codes(row["Q3.1"]):
                scores.append(0.0)
                continue
            n += 1
            rank = number(row[f"Q3.2_{t}"], 1, 5, whole=True)
            if rank is not None:
                scores.append(6 - rank)
                chosen.append(6 - rank)
            spent = number(row[f"Q3.3_{t}"], 0, 168)
            if spent is not None:
                hours.append(spent)
        return mean(scores), mean(chosen), mean(hours), n, len(chosen), len(hours)

    def capability_importance(self) -> dict[tuple[str, ...], tuple[object, ...]]:
        """(scope_type, scope, activity, capability) -> points, if_selected, n_raters, n_selected, n, thin, why."""
        expected: dict[tuple[str, ...], tuple[object, ...]] = {}
        for scope, rows in self.scopes.items():
            for t, activity in enumerate(ACTIVITIES, start=1):
                raters = [row for row in rows if t in codes(row["Q3.1"])]
                why = self.suppressed(scope, t)
                for k, capability in enumerate(CAPABILITIES, start=1):
                    if not raters or capability in self.dropped:
                        continue
                    points = [number(row[f"{t}_Q5.4_{k}"], 0, 100) or 0.0 for row in raters]
                    given = [value for value in points if value > 0]
                    means = (mean(points), mean(given) if len(given) >= self.least else None)
                    is_few = why is None and 0 < len(given) < self.least
                    counts = (len(raters), None if is_few else len(given), len(rows), len(raters) < 5)
                    expected[*scope, activity, capability] = (
                        *(means if why is None else (None, None)),
                        *counts,
                        why,
                    )
        return expected
