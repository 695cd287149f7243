"""A synthetic tournament: seven tasks, two modes, a panel of judges with seat and length bias.

Belongs here: the panel, the planted strengths and biases, the draws, the files. Does not belong here: the tasks' words
(rubrics/assistance), and ranks of any kind (dbt).

The judge model. An entry's quality is its candidate's strength in the mode, a part of the task's own and a part of the
run's. A judge sees each side's quality with noise, scores the general dimensions around it, and chooses by the sign of
    seen(first) - seen(second) + SEAT_BIAS[judge] + LENGTH_BIAS * log(length ratio)
with OWN_BIAS on the side of its own family,
or says tie where it lies within TIE_WIDTH. All strengths and biases are assumed. Texts are made of filler words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

# names as in rubrics/assistance, which belongs to another slice
TASKS = (
    "counseling",
    "market_trends",
    "menu_planning",
    "operations_research",
    "tax_preparation",
    "travel_planning",
    "tutoring",
)
GENERAL = (
    "instruction_following",
    "accuracy_and_specificity",
    "practical_usefulness",
    "organisation_and_readability",
    "tone_and_audience_fit",
)
N_RUNS = 5
WORKER = "worker-model"


class Strength(NamedTuple):
    """One candidate: family, strength where it does the work, and where it helps (of `WORKER`: without help)."""

    family: str
    doing: float
    helping: float


# the best doer is a middling helper, and a weak doer the best one; no help beats half of the help
STRENGTHS = {
    "gpt-4o-mini": Strength("GPT", -0.8, 0.9),
    "gpt-5-nano": Strength("GPT", 0.4, 0.5),
    "gemini-2.5-flash": Strength("Gemini", -0.3, -0.9),
    "gemini-3-flash": Strength("Gemini", 0.8, -0.5),
    "gemini-3.1-pro": Strength("Gemini", 1.3, 0.0),
    "o4-mini": Strength("GPT", 0.0, -0.2),
    WORKER: Strength("GPT", -1.4, 0.2),
}
JUDGES = {"judge-a": "Alpha", "judge-b": "Beta", "judge-gemini": "Gemini", "judge-gpt": "GPT"}
SEAT_BIAS = {"judge-a": 0.0, "judge-b": 0.5, "judge-gemini": -0.2, "judge-gpt": 0.2}
CODERS = ("judge-a", "judge-b")
# runs in which judges with relatives among the candidates judge these too, to show how they lean
OWN_FAMILY_RUNS = (1, 2)
LENGTH_BIAS = 0.6
OWN_BIAS = 0.6
TIE_WIDTH = 0.12
TASK_SD, RUN_SD, JUDGE_SD, SCORE_SD = 0.3, 0.3, 0.5, 1.0
MEAN_WORDS, SPREAD_OF_WORDS = 35, 0.35
WORDS = (
    "plan",
    "order",
    "step",
    "table",
    "week",
    "note",
    "figure",
    "reason",
    "cost",
    "limit",
    "first",
    "then",
    "check",
    "list",
    "total",
    "guest",
    "client",
    "page",
    "answer",
    "line",
    "draft",
    "short",
    "clear",
    "part",
    "hour",
    "day",
    "change",
    "price",
    "risk",
    "name",
    "rule",
    "form",
    "term",
    "goal",
    "reply",
    "point",
    "state",
    "case",
    "room",
    "train",
)

Key = tuple[str, str, int, str]
Row = dict[str, object]


class Entry(NamedTuple):
    """What one candidate handed in: its quality, its text, and the assistance it was written with (None = without)."""

    quality: float
    output: str
    assistance: str | None


def write_tournament(folder: Path, seed: int) -> None:
    """candidates.csv, outputs/, judgements/ and traits/ under `folder`."""
    # a branch of its own of the seed's tree, so that what else is drawn doesn't move
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(100,))))
    entries = dict(_entries(rng))
    for name in ("outputs", "judgements", "traits"):
        (folder / name).mkdir(parents=True)
    rows = [f"{name},{s.family},{_role(name)}" for name, s in STRENGTHS.items()]
    rows += [f"{judge},{family},judge" for judge, family in JUDGES.items()]
    (folder / "candidates.csv").write_text("\n".join(["candidate,family,role", *rows, ""]), encoding="utf-8")
    for mode in ("automation", "augmentation"):
        _json_lines(folder / f"outputs/{mode}.jsonl", _output_rows(entries, mode))
    for judge in JUDGES:
        verdicts = list(_verdicts(rng, entries, judge))
        lines = _json_lines(folder / f"judgements/{judge}.jsonl", verdicts)
        if judge == "judge-a":
            _plant_faults(folder / f"judgements/{judge}.jsonl", verdicts, lines)
    for coder in CODERS:
        _json_lines(folder / f"traits/{coder}.jsonl", _codings(rng, entries, coder))


def _role(name: str) -> str:
    return '"candidate,worker"' if name == WORKER else "candidate"


def _entries(rng: np.random.Generator) -> Iterator[tuple[Key, Entry]]:
    for task in TASKS:
        title = task.replace("_", " ").capitalize()
        for mode in ("automation", "augmentation"):
            for name, strength in STRENGTHS.items():
                is_automation = mode == "automation"
                level = strength.doing if is_automation else strength.helping
                level += TASK_SD * rng.standard_normal()
                is_aided = not is_automation and name != WORKER
                for run in range(1, N_RUNS + 1):
                    n_words = round(MEAN_WORDS * np.exp(SPREAD_OF_WORDS * rng.standard_normal()))
                    output = f"{title}, run {run}: {_filler(rng, n_words)}"
                    assistance = f"Check, plan, list: {_filler(rng, 25)}" if is_aided else None
                    quality = level + RUN_SD * rng.standard_normal()
                    if is_aided and (task, name, run) == ("tutoring", "gemini-2.5-flash", 1):
                        # planted: help that does the work
                        assistance = f"Hand this in: {output}"
                    yield (task, mode, run, name), Entry(quality, output, assistance)


def _filler(rng: np.random.Generator, n_words: int) -> str:
    return " ".join(WORDS[i] for i in rng.integers(0, len(WORDS), max(n_words, 5)))


def _output_rows(entries: dict[Key, Entry], wanted: str) -> Iterator[Row]:
    for (task, mode, run, name), entry in entries.items():
        if mode == wanted:
            yield {
                "task": task, "mode": mode, "run": run, "candidate": name,
                "assistance": entry.assistance, "output": entry.output,
            }  # fmt: skip


def _verdicts(rng: np.random.Generator, entries: dict[Key, Entry], judge: str) -> Iterator[Row]:
    own = JUDGES[judge]
    for task in TASKS:
        for mode in ("automation", "augmentation"):
            # the unaided worker is of no family
            relatives = {n for n, s in STRENGTHS.items() if s.family == own}
            relatives -= {WORKER} if mode == "augmentation" else set()
            for run in range(1, N_RUNS + 1):
                for pair in combinations(STRENGTHS, 2):
                    if relatives & set(pair) and run not in OWN_FAMILY_RUNS:
                        continue
                    names = pair[::-1] if rng.random() < 0.5 else pair
                    sides = [entries[task, mode, run, name] for name in names]
                    seen = np.array([side.quality for side in sides]) + JUDGE_SD * rng.standard_normal(2)
                    leans = np.array([OWN_BIAS * (name in relatives) for name in names])
                    length = np.log(len(sides[0].output) / len(sides[1].output))
                    margin = np.subtract(*(seen + leans)) + SEAT_BIAS[judge] + LENGTH_BIAS * length
                    choice = "tie" if abs(margin) < TIE_WIDTH else "first" if margin > 0 else "second"
                    centre = 6 + 1.2 * (seen + leans + np.array([SEAT_BIAS[judge], 0.0]))
                    drawn = centre[:, None] + SCORE_SD * rng.standard_normal((2, len(GENERAL)))
                    scores = np.clip(np.rint(drawn), 1, 10).astype(int).tolist()
                    yield {
                        "task": task, "mode": mode, "run": run, "judge": judge,
                        "first": names[0], "second": names[1], "choice": choice,
                        "scores_first": dict(zip(GENERAL, scores[0], strict=True)),
                        "scores_second": dict(zip(GENERAL, scores[1], strict=True)),
                        "rationale": f"Synthetic verdict: {choice}.",
                    }  # fmt: skip


def _codings(rng: np.random.Generator, entries: dict[Key, Entry], coder: str) -> Iterator[Row]:
    """Specific and ordered guidance goes with helping, work against the task with the contrary."""
    for (task, mode, run, name), entry in entries.items():
        if entry.assistance is None:
            continue
        drawn = np.array([5 + 2 * entry.quality, 5 + entry.quality, 2 - 2 * entry.quality, 0.5])
        codes = np.clip(np.rint(drawn + rng.standard_normal(4)), 0, 10).astype(int).tolist()
        traits = dict(
            zip(("specificity", "structure", "against_task", "leaks_deliverable"), codes, strict=True)
        )
        if entry.output in entry.assistance:
            traits["leaks_deliverable"] = 10
        yield {"task": task, "mode": mode, "run": run, "candidate": name, "judge": coder, **traits}


def _json_lines(path: Path, rows: Iterable[Row]) -> list[str]:
    lines = [json.dumps(row) for row in rows]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return lines


def _plant_faults(path: Path, verdicts: list[Row], lines: list[str]) -> None:
    """Behind the judge's verdicts: one twice, one cut off, three with something in them that can't be, and one on
    what was never handed in."""
    scores = verdicts[2]["scores_first"]
    assert isinstance(scores, dict)
    faults = [
        lines[0],
        lines[1][:60],
        json.dumps(verdicts[2] | {"run": 6, "scores_first": scores | {next(iter(scores)): 11}}),
        json.dumps(verdicts[3] | {"run": 6, "choice": "neither"}),
        json.dumps(verdicts[4] | {"run": 6, "first": "somebody-else"}),
        json.dumps(verdicts[5] | {"run": 6}),
    ]
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join([*faults, ""]))
