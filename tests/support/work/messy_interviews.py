"""Seeded interview files with every fault the slice has a rule for, as people would type them.

Belongs here: making the files. Does not belong here: what should come out (interview_twin.py), readers.
"""

from __future__ import annotations

import random
from pathlib import Path

from tests.support.factories import CAPABILITIES, write_csv

ACRONYMS = (
    *("EM", "SM", "ProcM", "ProsM", "WM", "AaIC", "CF", "MS", "P", "MC", "PaPR", "FP", "SRaN", "OP"),
    *("CR", "ToM", "EPaE", "L"),
)
DUTIES = ("", "Write reports", "WRITE  reports", "Answer calls", "Role as a whole", "Check\u00a0figures")
COLUMNS = ("company", "role", "duty", "capability", "points")
NOBODY = ("Acme", "Ghost", "Haunt")
UNUSABLE = (
    *(("L", "too many"), ("Juggling", "5"), ("jane@example.invalid", "5"), ("P", ""), ("EM", "-1")),
    *(("WM", "50"), ("Working Memory", "50")),
)


def write_messy_interviews(sources: Path, n: int = 9, seed: int = 11) -> None:
    """survey/interviews/<i>.csv: columns permuted and re-cased, blank lines, a BOM, faulty cells, repeated keys.

    One duty (NOBODY) has no usable number in any file.
    """
    rng = random.Random(seed)
    for i in range(n):
        rows = [row for _ in range(rng.randint(2, 5)) for row in _rated(rng)]
        nobody = dict(zip(COLUMNS, NOBODY, strict=False))
        rows += [nobody | {"capability": name, "points": points} for name, points in UNUSABLE]
        rng.shuffle(rows)
        header = [*COLUMNS, "Interviewee"]
        rng.shuffle(header)
        cells = [[row.get(column, "planted name") for column in header] for row in rows]
        cells.insert(rng.randint(0, len(cells)), [""] * len(header))
        written = [rng.choice([name, name.upper(), f" {name.title()} "]) for name in header]
        path = sources / "survey" / "interviews" / f"{i}.csv"
        write_csv(path, written, cells, encoding=rng.choice(["utf-8", "utf-8-sig"]))


def _rated(rng: random.Random) -> list[dict[str, str]]:
    """One role or duty with five or six capabilities, some of them faulty; chosen again, a key repeats."""
    key = {
        "company": rng.choice(["Acme", "ACME ", "Zo\u00eb & Co", "Only here"]),
        "role": rng.choice(["Analyst", "analyst", "Clerk"]),
        "duty": rng.choice(DUTIES),
    }
    picks = rng.sample(range(18), rng.randint(5, 6))
    rows = []
    for k in picks:
        name = rng.choice([ACRONYMS[k], CAPABILITIES[k], CAPABILITIES[k].upper(), f" {ACRONYMS[k].lower()}"])
        points = rng.choice(["20", "20.0", " 30 ", "33.3", "0"])
        if rng.random() < 0.15:
            points = rng.choice(["", "101", "-1", "12,5", "many", "nan", "100"])
        if rng.random() < 0.05:
            name = rng.choice(["", "Juggling"])
        rows.append(key | {"capability": name, "points": points})
    return rows
