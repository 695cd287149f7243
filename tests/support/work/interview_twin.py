"""The interviews' numbers a second time, from the CSV files by loops over dicts: no pandas, no SQL, no project code.

Belongs here: the expected rows of roles and duties. Does not belong here: how the files came to be.
"""

from __future__ import annotations

import csv
import math
import unicodedata
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from tests.support.factories import CAPABILITIES as NAMES
from tests.support.work.respondent_twin import CAPABILITIES, mean, number

Key = tuple[str, str, str]
KNOWN = {name.lower(): acronym for name, acronym in zip(NAMES, CAPABILITIES, strict=True)}
KNOWN |= {acronym.lower(): acronym for acronym in CAPABILITIES}


def label(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


class InterviewTwin:
    """`flow`: (scope_type, scope, activity) -> n_started, n_respondents, n_rejected, n_not_100, points lost.

    `points`: interview -> capability -> points, for each such key; `rejects`: (file, line) of unusable rows.
    """

    def __init__(self, sources: Path, dropped: tuple[str, ...], shown: Callable[[str], str]) -> None:
        self.dropped = dropped
        self.points: dict[Key, list[dict[str, float]]] = {}
        self.rejects: set[tuple[str, int]] = set()
        self.flow: dict[tuple[str, ...], tuple[object, ...]] = {}
        rows = []
        for path in sorted((sources / "survey" / "interviews").glob("*.csv")):
            with path.open(encoding="utf-8-sig", newline="") as opened:
                header, *lines = list(csv.reader(opened))
            for line, cells in enumerate(lines, start=2):
                if any(cells):
                    row = dict(zip([name.strip().lower() for name in header], cells, strict=True))
                    rows.append((f"survey/interviews/{path.name}", line, row))
        spelled: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for _, _, row in rows:
            company, role, duty = (label(row[c]) for c in ("company", "role", "duty"))
            spelled[company.lower(), role.lower()].append(role)
            spelled[company.lower(), role.lower(), duty.lower()].append(duty)
        given: dict[Key, dict[str, list[tuple[str, int, str, str]]]] = defaultdict(lambda: defaultdict(list))
        for file, line, row in rows:
            company, role, duty = (label(row[c]) for c in ("company", "role", "duty"))
            scope = f"{shown(company)}: {min(spelled[company.lower(), role.lower()])}"
            duty = min(spelled[company.lower(), role.lower(), duty.lower()])
            key = ("duty", scope, duty) if duty else ("role", scope, "Role as a whole")
            cell = (file, line, row["capability"].strip().lower(), row["points"])
            given[key][file].append(cell)
        for key, files in given.items():
            self._count(key, list(files.values()))

    def _count(self, key: Key, files: list[list[tuple[str, int, str, str]]]) -> None:
        interviews, n_rejected = [], 0
        for cells in files:
            names = [KNOWN.get(name) for _, _, name, _ in cells]
            usable: dict[str, float] = {}
            for (file, line, _, text), name in zip(cells, names, strict=True):
                value = number(text, 0, 100)
                if name is None or names.count(name) > 1 or (value is None and text.strip()):
                    self.rejects.add((file, line))
                    n_rejected += 1
                elif value is not None:
                    usable[name] = value
            if usable:
                interviews.append(usable)
        lost = [sum(u.get(name, 0.0) for name in self.dropped) for u in interviews]
        n_off = sum(abs(math.fsum(u.values()) - 100) > 1e-9 for u in interviews)
        self.flow[key] = (len(files), len(interviews), n_rejected, n_off, mean(lost))
        if interviews:
            self.points[key] = interviews

    def activity_importance(self) -> dict[tuple[str, ...], tuple[object, ...]]:
        """As Twin.activity_importance: no importance, as many people as interviews."""
        return {
            key: (None, None, None, len(found), 0, 0, len(found), None, False, len(found) < 5, None)
            for key, found in self.points.items()
        }

    def capability_importance(self) -> dict[tuple[str, ...], tuple[object, ...]]:
        """As Twin.capability_importance: what an interview doesn't name has 0 points."""
        expected: dict[tuple[str, ...], tuple[object, ...]] = {}
        for key, found in self.points.items():
            for capability in CAPABILITIES:
                if capability not in self.dropped:
                    points = [one.get(capability, 0.0) for one in found]
                    some = [value for value in points if value > 0]
                    n = len(found)
                    expected[*key, capability] = (mean(points), mean(some), n, len(some), n, n < 5, None)
        return expected
