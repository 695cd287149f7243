"""The tasks nearest to each text by cosine: exact, in blocks, the same on every run.

Belongs here: the product of the two sets of vectors and its largest entries. Does not belong here: embedding
(embedders.py), and what counts as near enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from assets.embedding.embedders import Vectors

# cells of one block of the product: 64 MiB
BLOCK_CELLS = 1 << 24
# cosines nearer than this are the same: last bits follow from a block's shape, and may not choose a task
DECIMALS = 6
_SPARE = 2


def nearest(
    queries: Vectors, tasks: Vectors, task_ids: Sequence[str], k: int = 3, *, threads: int = 1
) -> tuple[npt.NDArray[np.object_], Vectors]:
    """The `k` tasks nearest to each query, nearest first; ties go to the smaller id, as a number.

    Args:
        queries: n × d unit rows.
        tasks: m × d unit rows.
        task_ids: m distinct ids, all digits.
        threads: blocks at a time; how many makes no difference to what is found.

    Returns:
        ids (n × k) and cosines (n × k, rounded to 6 decimals); k is m where there are fewer tasks.

    Raises:
        ValueError: shapes don't fit, an id stands twice, or a vector holds what is no number.
    """
    if queries.ndim != 2 or tasks.shape != (len(task_ids), queries.shape[1]):
        raise ValueError(
            f"queries {queries.shape}, tasks {tasks.shape} and {len(task_ids)} ids don't fit together"
        )
    if len(set(task_ids)) != len(task_ids):
        raise ValueError("a task id stands twice")
    if not (np.isfinite(queries).all() and np.isfinite(tasks).all()):
        raise ValueError("a vector holds what is no number")
    order = sorted(range(len(task_ids)), key=lambda i: int(task_ids[i]))
    ids = np.array([task_ids[i] for i in order], dtype=object)
    ordered = np.ascontiguousarray(tasks[order], dtype=np.float32)
    k = min(k, len(ids))
    found = np.empty((len(queries), k), dtype=object)
    cosine = np.empty((len(queries), k), dtype=np.float32)
    rows = max(1, BLOCK_CELLS // max(1, len(ids)))
    starts = range(0, len(queries) if k else 0, rows)

    def search(start: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
        return _largest(np.ascontiguousarray(queries[start : start + rows], dtype=np.float32), ordered, k)

    with threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
        for start, (at, value) in zip(starts, pool.map(search, starts), strict=True):
            found[start : start + rows], cosine[start : start + rows] = ids[at], value
    return found, cosine


def _largest(block: Vectors, tasks: Vectors, k: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    product = block @ tasks.T
    every = np.arange(len(block))
    candidates = np.empty((len(block), min(k + _SPARE, len(tasks))), dtype=np.intp)
    for place in range(candidates.shape[1]):
        # the first of equals, which is the smallest id
        candidates[:, place] = product.argmax(axis=1)
        product[every, candidates[:, place]] = -np.inf
    exact = np.einsum("nd,ncd->nc", block, tasks[candidates], dtype=np.float64).round(DECIMALS)
    best = np.lexsort((candidates, -exact), axis=1)[:, :k]
    return np.take_along_axis(candidates, best, axis=1), np.take_along_axis(exact, best, axis=1)
