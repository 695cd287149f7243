"""Chats with the same tasks are one set: against Python's own sets."""

from __future__ import annotations

import numpy as np
import pytest

from assets.adoption.funnel.task_sets import task_sets


@pytest.mark.parametrize(("n_tasks", "k"), [(2, 1), (5, 3), (40, 3), (18_796, 3), (2_000_000, 3)])
def test_equal_sets_have_one_number_and_just_their_tasks(n_tasks: int, k: int) -> None:
    rng = np.random.default_rng(n_tasks)
    near = min(n_tasks, 12)
    task = np.array([rng.permutation(near)[:k] for _ in range(500)], np.int32) + (n_tasks - near)
    kept = rng.random((500, k)) < 0.6
    found = task_sets(task.astype(np.int32), kept, n_tasks)
    members = [frozenset(found.members[[row]].indices.tolist()) for row in range(found.members.shape[0])]
    assert len(set(members)) == len(members) and frozenset() not in members
    for row in range(500):
        own = frozenset(task[row][kept[row]].tolist())
        assert own == (members[found.number[row] - 1] if found.number[row] else frozenset())
    # the same sets in another order of chats, and of the tasks of a chat, have the same numbers
    again = task_sets(task[::-1, ::-1].astype(np.int32), kept[::-1, ::-1], n_tasks)
    np.testing.assert_array_equal(again.number[::-1], found.number)


def test_nothing_kept_is_no_set() -> None:
    found = task_sets(np.array([[0, 1]] * 3, np.int32), np.zeros((3, 2), bool), 4)
    assert found.number.tolist() == [0, 0, 0] and found.members.shape == (0, 4)
    none = task_sets(np.empty((0, 3), np.int32), np.empty((0, 3), bool), 4)
    assert none.number.size == 0 and none.members.shape == (0, 4)


def test_more_tasks_than_can_be_numbered_are_refused() -> None:
    with pytest.raises(ValueError, match="can't be numbered"):
        task_sets(np.zeros((1, 3), np.int32), np.ones((1, 3), bool), 2_100_000)
