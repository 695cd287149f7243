"""Public judgements of models' answers in their own formats -> the tournament's input layout.

Belongs here: the two converters. Does not belong here: assertions. In both a question is a run of one task, all in
automation.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable
from pathlib import Path

CHOICES = {"1": "first", "2": "second", "3": "tie", "0": "tie"}
ANNOTATORS = ("annotator1", "annotator2", "annotator3")


def convert_prd(file: Path, sources: Path) -> None:
    """bcdnlp/PRD, 80 questions of Vicuna: five models judge themselves and each other; people's votes are left out."""
    with gzip.open(file, "rt", encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["reviewer"] != "human"]
    models = sorted({row["reviewer"] for row in rows})
    assert models == sorted({row[name] for row in rows for name in ("answer1_model", "answer2_model")})
    verdicts = [
        _verdict(r["question_id"], r["reviewer"], r["answer1_model"], r["answer2_model"], r["score"])
        for r in rows
    ]
    _write(sources, [f'{name},{name},"candidate,judge"' for name in models], verdicts)


def convert_pandalm(file: Path, sources: Path) -> None:
    """WeOpenML/PandaLM, test set v1: 999 pairs of answers, each judged by the same three people; 0 = tie."""
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    models = sorted({row[name] for row in rows for name in ("model1", "model2")})
    verdicts = [
        _verdict(row["idx"], annotator, row["model1"], row["model2"], row[annotator])
        for row in rows
        for annotator in ANNOTATORS
    ]
    people = [f"{name},people,judge" for name in ANNOTATORS]
    _write(sources, [*(f"{name},{name},candidate" for name in models), *people], verdicts)


def _verdict(question: str, judge: str, first: str, second: str, choice: str) -> dict[str, str]:
    return {
        "task": "questions", "mode": "automation", "run": question, "judge": judge,
        "first": first, "second": second, "choice": CHOICES[choice],
    }  # fmt: skip


def _write(sources: Path, candidates: Iterable[str], verdicts: Iterable[dict[str, str]]) -> None:
    folder = sources / "tournament"
    (folder / "judgements").mkdir(parents=True)
    (folder / "candidates.csv").write_text(
        "\n".join(["candidate,family,role", *candidates, ""]), encoding="utf-8"
    )
    with (folder / "judgements" / "public.jsonl").open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(verdict) + "\n" for verdict in verdicts)
