"""Chats that are kept for the same tasks, as one set of tasks: what they lead to is then worked out once.

Belongs here: numbering the sets. Does not belong here: which tasks are kept (steps.py), counting (dbt, bootstrap.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class TaskSets:
    """`number`: each chat's set, from 1; 0 = no task is kept. `members`: sets × task texts, 1 where a set holds one."""

    number: npt.NDArray[np.int64]
    members: sparse.csr_array


def task_sets(task: npt.NDArray[np.int32], kept: npt.NDArray[np.bool_], n_tasks: int) -> TaskSets:
    """Sets in an order that follows from their tasks alone.

    Args:
        task: (n, k) indices below `n_tasks`, different ones in a row; (`n_tasks` + 1) to the k fits in 63 bits.
        kept: (n, k).

    Raises:
        ValueError: they don't fit.
    """
    if (n_tasks + 1) ** task.shape[1] >= 2**63:
        raise ValueError(f"sets of {task.shape[1]} out of {n_tasks} tasks can't be numbered")
    from scipy import sparse

    ordered = np.sort(np.where(kept, task, -1), axis=1).astype(np.int64) + 1
    code = np.zeros(len(task), np.int64)
    for column in ordered.T:
        code = code * (n_tasks + 1) + column
    codes, number = np.unique(np.append(code, 0), return_inverse=True)
    digits = []
    rest = codes[1:]
    for _ in range(task.shape[1]):
        rest, digit = np.divmod(rest, n_tasks + 1)
        digits.append(digit)
    members = np.column_stack(digits) if digits else np.empty((0, 0), np.int64)
    row, place = np.nonzero(members)
    ones = np.ones(len(row), np.float32)
    column = members[row, place] - 1
    return TaskSets(
        number[:-1].astype(np.int64),
        sparse.csr_array(sparse.coo_array((ones, (row, column)), shape=(len(codes) - 1, n_tasks))),
    )
