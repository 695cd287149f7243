"""A small tournament in which each line that can go wrong does, with what has to be said of it.

Belongs here: the files, the ledger's rows, the expected reasons. Does not belong here: reading or building them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from assets.common.warehouse import declared_tables

CANDIDATES = """candidate,family,role
ann,A,candidate
bob,B,candidate
cat,C,candidate
jo,J,judge
kay,K,judge
bob-tuned,b,judge
nobody's,,judge
odd,O,jugde
"""
KEY: dict[str, object] = {"task": "t", "mode": "automation", "run": 1}
SOUND = KEY | {"judge": "jo", "first": "ann", "second": "bob", "choice": "first"}
TWICE = "duplicate: the judge judged these two in these seats already; the first verdict counts"
UNKNOWN = "not in candidates.csv"
# a line each (an object is written as JSON), and its reason; None = it counts
VERDICTS: list[tuple[dict[str, object] | str, str | None]] = [
    (SOUND, None),
    (SOUND | {"choice": "second"}, TWICE),
    (SOUND | {"first": "bob", "second": "ann", "choice": "first"}, None),
    (SOUND | {"judge": " kay ", "choice": " Second"}, None),
    # a fine-tuned sibling of bob under a name of its own: kept, of its own family
    (SOUND | {"judge": "bob-tuned", "choice": "second"}, None),
    (SOUND | {"judge": "nobody's"}, "the family is unknown: may not judge"),
    (SOUND | {"judge": "stranger"}, UNKNOWN),
    (SOUND | {"first": "Ann "}, UNKNOWN),
    (SOUND | {"second": "ann"}, "a candidate against itself"),
    (SOUND | {"run": 2, "second": "cat"}, "out of order: no deliverable of this candidate in this run"),
    # the number 1.0 is run 1 in JSON, the text is another name
    (SOUND | {"run": 1.0}, TWICE),
    (SOUND | {"run": "1.0"}, "out of order: no deliverable of this candidate in this run"),
    (SOUND | {"run": 2, "choice": "both"}, "neither first, second nor tie"),
    (SOUND | {"run": 2, "choice": None}, "blank"),
    (SOUND | {"run": 2, "choice": ["first"]}, "no text"),
    (SOUND | {"run": " "}, "blank"),
    (SOUND | {"task": "all"}, "all stands for all tasks"),
    (SOUND | {"mode": "autopilot"}, "neither automation nor augmentation"),
    (
        SOUND | {"run": 2, "scores_first": {"a": 11}, "scores_second": {"a": 1}},
        "a score outside 1 to 10",
    ),
    (SOUND | {"run": 2, "scores_first": {"a": "8"}, "scores_second": {"a": 1}}, "a score that is no number"),
    (
        SOUND | {"run": 2, "scores_first": {"a": 8}, "scores_second": {"b": 1}},
        "other dimensions than scores_first",
    ),
    (SOUND | {"run": 2, "scores_first": {"a": 8}}, "not an object of dimensions and scores"),
    ("```json", "no JSON"),
    (json.dumps(SOUND)[:40], "no JSON"),
    ('["first"]', "no JSON object"),
    (json.dumps(SOUND | {"rationale": "\ud800"}), "a NUL character or half a character pair"),
]
LATER_FILE: list[tuple[dict[str, object] | str, str | None]] = [(SOUND | {"choice": "tie"}, TWICE)]
# the ledger's verdicts on the second run by status, and what becomes of each
ASKED = {
    "answered": None,
    "unparsed": "the answer could not be read",
    "refused": "the judge refused",
    "failed": "the call failed",
    "pending": "not asked yet",
}


def write_messy(sources: Path) -> None:
    """tournament/ under `sources`."""
    folder = sources / "tournament"
    for name in ("outputs", "judgements"):
        (folder / name).mkdir(parents=True)
    (folder / "candidates.csv").write_text(CANDIDATES, encoding="utf-8")
    handed_in = [(1, "ann"), (1, "bob"), (1, "cat"), (2, "ann"), (2, "bob")]
    outputs: list[dict[str, object] | str] = [
        KEY | {"run": run, "candidate": name, "output": f"by {name}"} for run, name in handed_in
    ]
    _write(folder / "outputs" / "all.jsonl", outputs)
    _write(folder / "judgements" / "a.jsonl", [line for line, _ in VERDICTS])
    _write(folder / "judgements" / "b.jsonl", [line for line, _ in LATER_FILE])


def asked_verdicts() -> dict[str, pd.DataFrame]:
    """raw.tournament_llm_verdict: kay on the second run, once for each status."""
    table = "raw.tournament_llm_verdict"
    rows = [
        KEY
        | {"run": "2", "judge": "kay", "first": "ann", "second": "bob", "status": status}
        | {"choice": "tie" if status == "answered" else None, "call_id": status, "call_number": number}
        for number, status in enumerate(ASKED, start=1)
    ]
    return {table: pd.DataFrame(rows, dtype=object).reindex(columns=list(declared_tables()[table]))}


def expected() -> dict[tuple[str, int], str | None]:
    """(file, line) -> reason, of everything above."""
    by_file: dict[str, list[str | None]] = {
        "tournament/judgements/a.jsonl": [reason for _, reason in VERDICTS],
        "tournament/judgements/b.jsonl": [reason for _, reason in LATER_FILE],
        "ledger.sqlite": list(ASKED.values()),
    }
    return {
        (file, n): reason for file, reasons in by_file.items() for n, reason in enumerate(reasons, start=1)
    }


def _write(path: Path, lines: list[dict[str, object] | str]) -> None:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    # as some editors save it
    path.write_text("\n".join([*texts, "", ""]), encoding="utf-8-sig")
