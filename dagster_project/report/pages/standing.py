"""What places of the page on doing and helping rest on: missing comparisons, help that did the
work, judges that always chose one seat.

Belongs here: those tables. Does not belong here: the places themselves (assistance.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

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
    asked = ranks.assign(n_asked=ranks["n_missing"] + ranks["n_comparisons"])
    heads = ("Candidate", "Missing comparisons")
    return _of_pairs(_concern(asked, names, task_name, "n_missing", "n_asked", heads))


def leaking(ranks: pd.DataFrame, names: dict[str, str], task_name: Callable[[object], str]) -> Concern:
    """Cells whose help holds the deliverable; `n` texts in all."""
    heads = ("Helper", "Texts that contain the deliverable")
    return _concern(ranks, names, task_name, "n_leaking", "n_runs", heads)


def one_seat(ranks: pd.DataFrame, names: dict[str, str], task_name: Callable[[object], str]) -> Concern:
    """Cells of one mode with comparisons by judges that always chose the same seat; `n` comparisons in all."""
    heads = ("Candidate", "Comparisons by such judges")
    return _of_pairs(_concern(ranks, names, task_name, "n_one_seat", "n_comparisons", heads))


def _concern(
    ranks: pd.DataFrame,
    names: dict[str, str],
    task_name: Callable[[object], str],
    part: str,
    whole: str,
    heads: tuple[str, str],
) -> Concern:
    """Cells where the column `part` is above 0, with it and `whole`; `heads` name the candidate and the part."""
    rows = _cells(ranks, part)
    cells = [
        [
            task_name(r["task"]),
            names.get(r["candidate"], r["candidate"]),
            count(r["rank"]),
            count(r[part]),
            count(r[whole]),
        ]
        for r in rows.to_dict("records")
    ]
    table = Table(["Task", heads[0], "Rank", heads[1], "Of"], cells, {1})
    return Concern(int(rows[part].sum()), _tasks(rows, task_name), table)


def _of_pairs(concern: Concern) -> Concern:
    """Each comparison has two sides, and stands with both."""
    return replace(concern, n=-(-concern.n // 2))


def _cells(ranks: pd.DataFrame, column: str) -> pd.DataFrame:
    rows = ranks[ranks[column].fillna(0) > 0]
    return rows.sort_values(["task", column, "candidate"], ascending=[True, False, True])


def _tasks(rows: pd.DataFrame, task_name: Callable[[object], str]) -> list[str]:
    return [task_name(task) for task in sorted(set(rows["task"]))]
