"""The rankings once more: by loops over the files' lines, in exact fractions, after centaurbench, section 3.4.

Belongs here: reading, counting, ranking, all independent of the product's code. Does not belong here: comparisons with
the marts.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

from scipy.stats import beta as beta_distribution

Key = tuple[str, ...]
LEFT, BOTH, RIGHT = Fraction(1), Fraction(1, 2), Fraction(0)


class Cell(NamedTuple):
    """What a candidate comes to in one task and mode."""

    mean_rank: Fraction
    se_rank: float
    mean_rank_scaled: Fraction
    win_share: Fraction
    mean_score_rank: float
    by_run: dict[str, Fraction]
    variances: dict[str, float]


def sound_verdicts(folder: Path) -> Iterator[dict[str, Any]]:
    """Verdicts that count, by the rules of the README: the first of its kind, on what was handed in, by judges of a
    known other family."""
    with (folder / "candidates.csv").open(encoding="utf-8") as file:
        people = {row["candidate"]: row for row in csv.DictReader(file) if row["candidate"] != "all"}
    handed_in = {
        (o["task"], o["mode"], str(o["run"]), o["candidate"])
        for path in folder.glob("outputs/*.jsonl")
        for o in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    }
    seen = set()
    for path in sorted(folder.glob("judgements/*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                verdict = json.loads(line)
            except ValueError:
                continue
            cell = (verdict["task"], verdict["mode"], str(verdict["run"]))
            sides = (verdict["first"], verdict["second"])
            scores = [*verdict["scores_first"].values(), *verdict["scores_second"].values()]
            own = people.get(verdict["judge"], {}).get("family")
            if not own or verdict["choice"] not in ("first", "second", "tie"):
                continue
            if any((*cell, side) not in handed_in for side in sides) or not all(1 <= s <= 10 for s in scores):
                continue
            key = (*cell, verdict["judge"], *sides)
            if key in seen:
                continue
            seen.add(key)
            families = {
                people[side]["family"]
                for side in sides
                if not (verdict["mode"] == "augmentation" and "worker" in people[side]["role"])
            }
            if own not in families:
                yield verdict | {"run": str(verdict["run"])}


def average_ranks(values: Mapping[str, Any]) -> dict[str, Fraction]:
    """Largest value first; equal values share the mean of their places."""
    return {
        name: Fraction(
            2 * sum(v > value for v in values.values()) + sum(v == value for v in values.values()) + 1, 2
        )
        for name, value in values.items()
    }


def displayed_ranks(values: Mapping[Any, Any]) -> dict[Any, int]:
    """Smallest value first; 1, 1, 3."""
    return {name: 1 + sum(v < value for v in values.values()) for name, value in values.items()}


def standard_error(values: Iterable[Any]) -> float:
    numbers = [float(value) for value in values]
    return stdev(numbers) / len(numbers) ** 0.5


def share_variances(folder: Path) -> dict[Key, dict[str, float]]:
    """By task, mode and candidate: opponent -> variance of the share won, after Beta(1/2, 1/2) and the comparisons.

    Two verdicts of a judge on the same two in a run, one in each order, are one comparison; a tie if they disagree.
    """
    outcomes: dict[Key, set[str]] = defaultdict(set)
    for v in sound_verdicts(folder):
        a, b = sorted((v["first"], v["second"]))
        winner = v["choice"] if v["choice"] == "tie" else v[v["choice"]]
        outcomes[v["task"], v["mode"], v["run"], v["judge"], a, b].add(winner)
    won: dict[Key, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (task, mode, _, _, a, b), winners in outcomes.items():
        for one, other in ((a, b), (b, a)):
            won[task, mode, one][other].append(
                1.0 if winners == {one} else 0.0 if winners == {other} else 0.5
            )
    return {
        key: {
            other: float(beta_distribution(sum(w) + 0.5, len(w) - sum(w) + 0.5).var())
            for other, w in of.items()
        }
        for key, of in won.items()
    }


def cells(folder: Path) -> dict[Key, Cell]:
    """By task, mode and candidate."""
    won: dict[Key, dict[str, list[Fraction]]] = defaultdict(lambda: defaultdict(list))
    scored: dict[Key, dict[str, list[Fraction]]] = defaultdict(lambda: defaultdict(list))
    for v in sound_verdicts(folder):
        key = (v["task"], v["mode"], v["run"], v["judge"])
        for side, other in (("first", "second"), ("second", "first")):
            won[key][v[side]].append({side: LEFT, "tie": BOTH, other: RIGHT}[v["choice"]])
            given = v[f"scores_{side}"].values()
            scored[key][v[side]].append(Fraction(sum(given), len(given)))
    in_run: dict[Key, dict[str, list[tuple[Fraction, Fraction, Fraction]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    z_scores: dict[Key, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (*cell, judge), by_candidate in won.items():
        shares = {name: mean(values) for name, values in by_candidate.items()}
        scores = {name: mean(values) for name, values in scored[*cell, judge].items()}
        centre, spread = mean(scores.values()), stdev(map(float, scores.values()))
        for name, rank in average_ranks(shares).items():
            z = float(scores[name] - centre) / spread
            in_run[tuple(cell)][name].append((rank, (rank - 1) / (len(shares) - 1), shares[name]))
            z_scores[tuple(cell)][name].append(z)
    by_cell: dict[Key, dict[str, tuple[Fraction, Fraction, Fraction, Fraction]]] = defaultdict(dict)
    for (task, mode, run), found in in_run.items():
        of_run = z_scores[task, mode, run]
        z_means = {name: round(mean(values), 9) for name, values in of_run.items()}
        score_ranks = average_ranks(z_means)
        for name, rows in found.items():
            rank, scaled, share = (mean(row[i] for row in rows) for i in range(3))
            by_cell[task, mode, name][run] = (rank, scaled, share, score_ranks[name])
    variances = share_variances(folder)
    return {
        key: Cell(
            mean(row[0] for row in runs.values()),
            max(standard_error(row[0] for row in runs.values()), sum(variances[key].values()) ** 0.5),
            mean(row[1] for row in runs.values()),
            mean(row[2] for row in runs.values()),
            float(mean(row[3] for row in runs.values())),
            {run: row[0] for run, row in runs.items()},
            variances[key],
        )
        for key, runs in by_cell.items()
    }


def task_ranks(found: dict[Key, Cell]) -> dict[Key, int]:
    """Displayed rank by task, mode and candidate."""
    ranks: dict[Key, int] = {}
    for task, mode in {key[:2] for key in found}:
        inside = {key: cell.mean_rank for key, cell in found.items() if key[:2] == (task, mode)}
        ranks |= displayed_ranks(inside)
    return ranks


class Overall(NamedTuple):
    """What a candidate comes to over all tasks of a mode; `mean_task_rank` is of displayed ranks."""

    mean_rank: Fraction
    se_rank: float
    mean_rank_scaled: Fraction
    mean_task_rank: Fraction


def overall(found: dict[Key, Cell]) -> dict[Key, Overall]:
    """By mode and candidate."""
    ranks = task_ranks(found)
    result: dict[Key, Overall] = {}
    for mode, name in {key[1:] for key in found}:
        own = {key: cell for key, cell in found.items() if key[1:] == (mode, name)}
        runs = {run for cell in own.values() for run in cell.by_run}
        by_run = [
            mean(cell.by_run[run] for cell in own.values() if run in cell.by_run) for run in sorted(runs)
        ]
        result[mode, name] = Overall(
            mean(cell.mean_rank for cell in own.values()),
            max(
                standard_error(by_run),
                sum(sum(cell.variances.values()) for cell in own.values()) ** 0.5 / len(own),
            ),
            mean(cell.mean_rank_scaled for cell in own.values()),
            mean(Fraction(ranks[key]) for key in own),
        )
    return result
