"""What places of the page on doing and helping rest on: missing comparisons, help that did the
work, judges that always chose one seat.

Belongs here: those tables. Does not belong here: the places themselves (assistance.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from dagster_project.report.tables import Table, count


@dataclass(frozen=True)
class Concern:
    """Cells of task and candidate that something is the matter with: how much of it in all, in which tasks."""

    n: int
    tasks: list[str]
    table: Table


def partial(ranks: pd.DataFrame, names: dict[str, str], task_name: Callable[[object], str]) -> Concern:
    """Cells of one mode that lack comparisons; `n` is the least number of comparisons that are missing."""
    rows = _cells(ranks, "n_missing")
    cells = [
        [
            task_name(r["task"]),
            names.get(r["candidate"], r["candidate"]),
            count(r["rank"]),
            count(r["n_missing"]),
            count(r["n_missing"] + r["n_comparisons"]),
        ]
        for r in rows.to_dict("records")
    ]
    table = Table(["Task", "Candidate", "Place", "Comparisons missing", "Of"], cells, {1})
    # each has two sides, and stands with both
    return Concern(-(-int(rows["n_missing"].sum()) // 2), _tasks(rows, task_name), table)


def leaking(ranks: pd.DataFrame, names: dict[str, str], task_name: Callable[[object], str]) -> Concern:
    """Cells whose help holds the deliverable; `n` texts in all."""
    rows = _cells(ranks, "n_leaking")
    cells = [
        [
            task_name(r["task"]),
            names.get(r["candidate"], r["candidate"]),
            count(r["rank"]),
            count(r["n_leaking"]),
            count(r["n_runs"]),
        ]
        for r in rows.to_dict("records")
    ]
    table = Table(["Task", "Helper", "Place", "Texts that hold the deliverable", "Of"], cells, {1})
    return Concern(int(rows["n_leaking"].sum()), _tasks(rows, task_name), table)


def one_seat(ranks: pd.DataFrame, names: dict[str, str], task_name: Callable[[object], str]) -> Concern:
    """Cells of one mode with comparisons by judges that always chose the same seat; `n` comparisons in all."""
    rows = _cells(ranks, "n_one_seat")
    cells = [
        [
            task_name(r["task"]),
            names.get(r["candidate"], r["candidate"]),
            count(r["rank"]),
            count(r["n_one_seat"]),
            count(r["n_comparisons"]),
        ]
        for r in rows.to_dict("records")
    ]
    table = Table(["Task", "Candidate", "Place", "Comparisons by such judges", "Of"], cells, {1})
    # each has two sides, and stands with both
    return Concern(-(-int(rows["n_one_seat"].sum()) // 2), _tasks(rows, task_name), table)


def _cells(ranks: pd.DataFrame, column: str) -> pd.DataFrame:
    rows = ranks[ranks[column].fillna(0) > 0]
    return rows.sort_values(["task", column, "candidate"], ascending=[True, False, True])


def _tasks(rows: pd.DataFrame, task_name: Callable[[object], str]) -> list[str]:
    return [task_name(task) for task in sorted(set(rows["task"]))]
