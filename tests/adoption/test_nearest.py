"""The nearest tasks against a sorted list of all pairs, and what is asked of odd vectors."""

from __future__ import annotations

import numpy as np
import pytest

from assets.embedding import nearest as module
from assets.embedding.nearest import nearest


def units(seed: int, n: int, d: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def all_pairs(
    queries: np.ndarray, tasks: np.ndarray, ids: list[str], k: int
) -> list[list[tuple[float, str]]]:
    cosine = np.round(queries.astype(np.float64) @ tasks.astype(np.float64).T, 6)
    return [
        [
            (cosine[row, at], ids[at])
            for at in sorted(range(len(ids)), key=lambda i: (-cosine[row, i], int(ids[i])))[:k]
        ]
        for row in range(len(queries))
    ]


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("threads", [1, 2])
def test_as_a_sorted_list_of_all_pairs(monkeypatch: pytest.MonkeyPatch, k: int, threads: int) -> None:
    # blocks of seven queries, and the last is smaller
    monkeypatch.setattr(module, "BLOCK_CELLS", 7 * 211)
    queries, tasks = units(1, 100, 12), units(2, 211, 12)
    ids = [str(n) for n in np.random.default_rng(3).permutation(1000)[:211]]
    found, cosine = nearest(queries, tasks, ids, k, threads=threads)
    expected = all_pairs(queries, tasks, ids, k)
    assert found.tolist() == [[task for _, task in row] for row in expected]
    np.testing.assert_allclose(cosine, [[value for value, _ in row] for row in expected], atol=1e-6)


def test_ties_go_to_the_smaller_id_as_a_number() -> None:
    one = np.array([[1, 0]], dtype=np.float32)
    tasks = np.repeat(one, 6, axis=0)
    found, cosine = nearest(one, tasks, ["100", "9", "20", "3", "1000", "77"], 4)
    assert found.tolist() == [["3", "9", "20", "77"]] and cosine.tolist() == [[1, 1, 1, 1]]


def test_ties_in_all_but_the_last_bits_go_to_the_smaller_id() -> None:
    query = np.array([[1, 0]], dtype=np.float32)
    tasks = np.array([[1 - 1e-7, 0], [1, 0], [0, 1]], dtype=np.float32)
    assert nearest(query, tasks, ["5", "7", "1"], 2)[0].tolist() == [["5", "7"]]


def test_the_order_of_tasks_and_queries_makes_no_difference() -> None:
    queries, tasks = units(1, 50, 8), units(2, 80, 8)
    ids = [str(n) for n in range(80)]
    found, cosine = nearest(queries, tasks, ids)
    mixed = np.random.default_rng(0).permutation(80)
    again, same = nearest(queries[::-1], tasks[mixed], [ids[n] for n in mixed])
    assert again[::-1].tolist() == found.tolist() and same[::-1].tobytes() == cosine.tobytes()


def test_zero_vectors_are_equally_far_from_all() -> None:
    found, cosine = nearest(np.zeros((1, 8), np.float32), units(2, 80, 8), [str(n) for n in range(80)])
    assert found.tolist() == [["0", "1", "2"]] and cosine.tolist() == [[0, 0, 0]]


def test_fewer_tasks_than_asked_for_give_all_of_them() -> None:
    found, cosine = nearest(units(1, 4, 8), units(2, 2, 8), ["1", "2"])
    assert found.shape == cosine.shape == (4, 2)
    assert nearest(units(1, 4, 8), np.zeros((0, 8), np.float32), [])[0].shape == (4, 0)
    assert nearest(np.zeros((0, 8), np.float32), units(2, 2, 8), ["1", "2"])[0].shape == (0, 2)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_vectors_of_no_numbers_are_refused(side: int, value: float) -> None:
    queries, tasks = units(1, 4, 8), units(2, 4, 8)
    (queries, tasks)[side][2, 3] = value
    with pytest.raises(ValueError, match="no number"):
        nearest(queries, tasks, ["1", "2", "3", "4"])


def test_vectors_and_ids_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="don't fit"):
        nearest(units(1, 4, 8), units(2, 4, 9), ["1", "2", "3", "4"])
    with pytest.raises(ValueError, match="don't fit"):
        nearest(units(1, 4, 8), units(2, 4, 8), ["1", "2", "3"])
    with pytest.raises(ValueError, match="stands twice"):
        nearest(units(1, 4, 8), units(2, 4, 8), ["1", "2", "3", "3"])
