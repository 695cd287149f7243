"""A simulated panel of judges as input files, and what it would choose in the long run.

Belongs here: planted strengths and biases, the judge model, the files, brute-force shares of the same judges.
Does not belong here: the code under test, of which this imports nothing, and assertions.

A judge prefers the first seat by the sign of
    quality(first) - quality(second) + noise + seat bias + LENGTH_BIAS * log(length ratio),
with OWN_BIAS on the side of its own family, and says tie within TIE_WIDTH of 0. Quality is strength in the mode plus a
task's and a run's part.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MODES = ("automation", "augmentation")
WORKER = "open-1"
# family, strength where it does the work, where it helps (of the worker: without help); centaurbench's families
STRENGTHS: dict[str, tuple[str, float, float]] = {
    "open-1": ("open", -1.8, 0.3),
    "open-2": ("open", 0.2, -1.5),
    "open-3": ("open", 1.0, -0.3),
    "open-4": ("open", -0.6, 1.5),
    "open-5": ("open", 1.4, 0.9),
    "open-6": ("open", -1.0, -0.9),
    "anth-1": ("anth", 0.6, 1.9),
    "anth-2": ("anth", 1.8, -1.2),
    "deep-1": ("deep", -0.2, 0.6),
    "goog-1": ("goog", -1.4, -0.6),
}
# family, seat bias
JUDGES: dict[str, tuple[str, float]] = {
    "judge-anth": ("anth", -0.3),
    "judge-deep": ("deep", 0.0),
    "judge-goog": ("goog", 0.6),
    "judge-open": ("open", 0.3),
}
TASK_SD, RUN_SD, JUDGE_SD = 0.2, 0.3, 0.7
LENGTH_BIAS, OWN_BIAS, TIE_WIDTH = 0.8, 0.7, 0.12
MEAN_LENGTH, LENGTH_SD = 200, 0.35
NAMES = list(STRENGTHS)
DIMENSIONS = ("accuracy", "clarity", "tone")


@dataclass(frozen=True)
class Panel:
    """How much is judged. In `own_runs` a judge judges its own family too."""

    n_tasks: int = 7
    n_runs: int = 10
    own_runs: int = 2

    @property
    def tasks(self) -> list[str]:
        """Their names."""
        return [f"task-{t}" for t in range(1, self.n_tasks + 1)]


def planted_order(mode: str) -> list[str]:
    """Candidates, best first."""
    return sorted(NAMES, key=lambda name: -strength(name, mode))


def strength(name: str, mode: str) -> float:
    """Planted strength of a candidate in a mode."""
    _, doing, helping = STRENGTHS[name]
    return doing if mode == "automation" else helping


def write_panel(folder: Path, panel: Panel, seed: int = 0) -> int:
    """candidates.csv, outputs/ and judgements/ under `folder`/tournament; verdicts written."""
    folder = folder / "tournament"
    for name in ("outputs", "judgements"):
        (folder / name).mkdir(parents=True)
    rows = [f"{n},{s[0]},{_role(n)},{s[1] if s[0] == 'open' else ''}" for n, s in STRENGTHS.items()]
    rows += [f"{judge},{family},judge," for judge, (family, _) in JUDGES.items()]
    header = "candidate,family,role,gradient"
    (folder / "candidates.csv").write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    n_verdicts = 0
    with (
        (folder / "outputs/all.jsonl").open("w", encoding="utf-8") as outputs,
        (folder / "judgements/all.jsonl").open("w", encoding="utf-8") as judgements,
    ):
        for key, lengths, verdicts in _round_robins(panel, np.random.default_rng(seed)):
            for name, length in zip(NAMES, lengths, strict=True):
                assistance = "plan" if key["mode"] == "augmentation" and name != WORKER else None
                output = {"candidate": name, "assistance": assistance, "output": "x" * int(length)}
                outputs.write(json.dumps(key | output) + "\n")
            for verdict in verdicts:
                judgements.write(json.dumps(key | verdict) + "\n")
                n_verdicts += 1
    return n_verdicts


def long_run_shares(n_worlds: int = 20, seed: int = 1) -> dict[tuple[str, str], float]:
    """(judge, bias) -> share over `n_worlds` panels drawn anew, as the judges would choose in the long run."""
    hits: dict[tuple[str, str], float] = {}
    totals: dict[tuple[str, str], float] = {}

    def count(judge: str, bias: str, hit: Floats) -> None:
        hits[judge, bias] = hits.get((judge, bias), 0.0) + hit.sum()
        totals[judge, bias] = totals.get((judge, bias), 0.0) + len(hit)

    rng = np.random.default_rng(seed)
    for _ in range(n_worlds):
        for key, lengths, draws in _drawn(Panel(), rng):
            for judge, (first, second, margin) in draws.items():
                sign = np.where(np.abs(margin) < TIE_WIDTH, 0, np.sign(margin))
                decided = sign != 0
                count(judge, "first_seat", sign[decided] > 0)
                longer = np.sign(lengths[first] - lengths[second])
                unequal = decided & (longer != 0)
                count(judge, "longer_answer", (sign == longer)[unequal])
                own = relatives(judge, key["mode"])
                side = np.isin(first, own).astype(int) - np.isin(second, own).astype(int)
                mixed = side != 0
                count(judge, "own_family", ((1 + sign * side) / 2)[mixed])
    return {key: hits[key] / totals[key] for key in hits}


def relatives(judge: str, mode: object) -> list[int]:
    """Places in NAMES of the judge's family; the unaided worker has none."""
    family = JUDGES[judge][0]
    return [
        i
        for i, name in enumerate(NAMES)
        if STRENGTHS[name][0] == family and not (mode == "augmentation" and name == WORKER)
    ]


def _role(name: str) -> str:
    return '"candidate,worker"' if name == WORKER else "candidate"


Key = dict[str, object]
Draws = dict[str, tuple[NDArray[np.intp], NDArray[np.intp], Floats]]


def _drawn(panel: Panel, rng: np.random.Generator) -> Iterator[tuple[Key, Floats, Draws]]:
    """For each round robin the lengths (k) and for each judge who sat first, who second, and its margin."""
    pairs = np.array(list(combinations(range(len(NAMES)), 2)))
    for task in panel.tasks:
        for mode in MODES:
            planted = np.array([strength(name, mode) for name in NAMES])
            level = planted + TASK_SD * rng.standard_normal(len(NAMES))
            for run in range(1, panel.n_runs + 1):
                quality = level + RUN_SD * rng.standard_normal(len(NAMES))
                lengths = np.rint(MEAN_LENGTH * np.exp(LENGTH_SD * rng.standard_normal(len(NAMES))))
                draws: Draws = {}
                for judge, (_, seat) in JUDGES.items():
                    own = np.isin(np.arange(len(NAMES)), relatives(judge, mode)).astype(float)
                    judged = pairs if run <= panel.own_runs else pairs[own[pairs].sum(1) == 0]
                    flip = rng.random(len(judged)) < 0.5
                    first = np.where(flip, judged[:, 1], judged[:, 0])
                    second = np.where(flip, judged[:, 0], judged[:, 1])
                    margin = quality[first] - quality[second] + JUDGE_SD * rng.standard_normal(len(first))
                    margin = margin + seat + LENGTH_BIAS * np.log(lengths[first] / lengths[second])
                    draws[judge] = first, second, margin + OWN_BIAS * (own[first] - own[second])
                yield {"task": task, "mode": mode, "run": run}, lengths, draws


def _round_robins(
    panel: Panel, rng: np.random.Generator
) -> Iterator[tuple[Key, Floats, list[dict[str, object]]]]:
    for key, lengths, draws in _drawn(panel, rng):
        verdicts: list[dict[str, object]] = []
        for judge, (first, second, margin) in draws.items():
            choices = np.where(np.abs(margin) < TIE_WIDTH, "tie", np.where(margin > 0, "first", "second"))
            # scores lean as the margin does, in whole points
            lean = margin[:, None] / 2 + rng.standard_normal((len(margin), len(DIMENSIONS)))
            sides = [np.clip(np.rint(6 + sign * lean), 1, 10).astype(int).tolist() for sign in (1, -1)]
            for place, choice in enumerate(choices.tolist()):
                scores = [dict(zip(DIMENSIONS, side[place], strict=True)) for side in sides]
                verdicts.append(
                    {
                        "judge": judge, "first": NAMES[first[place]], "second": NAMES[second[place]],
                        "choice": choice, "scores_first": scores[0], "scores_second": scores[1],
                        "rationale": "simulated",
                    }
                )  # fmt: skip
        yield key, lengths, verdicts
