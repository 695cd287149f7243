"""How well an embedder's distances follow O*NET's hierarchy: Pearson r of cosine and hop distance over all pairs.

Belongs here: hops between general, intermediate and detailed work activities and tasks, and the correlation. Does not
belong here: embedding (embedders.py), keeping what was found (validation_store.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.sparse import csgraph
from threadpoolctl import threadpool_limits

TASK, TOP = "task", "GWA"
# hops that stand for no path, with room for the two that lead from tasks to their activities
NO_PATH = 250
_LONGEST = NO_PATH - 3
_BLOCK_CELLS = 1 << 21

Hops = npt.NDArray[np.uint8]
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Validation:
    """`pearson_r` is None where either distance is the same for all pairs; pairs without a path are not counted."""

    has_root: bool
    pearson_r: float | None
    n_pairs: int


@dataclass(frozen=True)
class Hierarchy:
    """`activities` and `tasks`: texts of the nodes; `to_activity`: hops from each node, activities first, to each
    activity, with and without a root (NO_PATH = none); `links`: rows (task, activity), by task."""

    activities: list[str]
    tasks: list[str]
    to_activity: dict[bool, Hops]
    links: npt.NDArray[np.int64]

    @property
    def texts(self) -> list[str]:
        """Of all nodes, activities first."""
        return [*self.activities, *self.tasks]


def hierarchy(nodes: pd.DataFrame) -> Hierarchy:
    """The graph of O*NET's hierarchy, undirected. Tasks have many parents, so it is no tree.

    Tasks are the only nodes that may be many, and they are linked to activities alone: hops between activities say all.

    Args:
        nodes: level (GWA, IWA, DWA or task), node_id, text, parent_id; a row a node and parent, no parent = NA.

    Raises:
        ValueError: a parent is no node, or two nodes are farther apart than can be counted.
    """
    single = nodes.drop_duplicates(["level", "node_id"]).sort_values(["level", "node_id"])
    activities, tasks = single[single["level"] != TASK], single[single["level"] == TASK]
    at = pd.Index(activities["node_id"])
    n = len(at)
    edges = nodes.dropna(subset="parent_id")
    parent = at.get_indexer(edges["parent_id"])
    if (parent < 0).any():
        raise ValueError(f"'{edges['parent_id'].iloc[int((parent < 0).argmax())]}' is a parent and no node")
    is_task = (edges["level"] == TASK).to_numpy()
    task_links = np.column_stack(
        [pd.Index(tasks["node_id"]).get_indexer(edges["node_id"][is_task]), parent[is_task]]
    ).astype(np.int64)
    between = np.column_stack([at.get_indexer(edges["node_id"][~is_task]), parent[~is_task]])
    tops = np.flatnonzero((activities["level"] == TOP).to_numpy())
    links = np.vstack([task_links, _nowhere(task_links, len(tasks), n)])
    links = links[np.lexsort((links[:, 1], links[:, 0]))]
    to_activity = {
        has_root: _from_all(_between(n, between, task_links, tops if has_root else tops[:0]), links)
        for has_root in (True, False)
    }
    return Hierarchy(activities["text"].tolist(), tasks["text"].tolist(), to_activity, links)


def validate(graph: Hierarchy, vectors: Vectors, *, block_cells: int = _BLOCK_CELLS) -> list[Validation]:
    """r with one root over the general activities and without, exact over all pairs (open-economic-index, Table 2).

    Args:
        vectors: unit rows of `graph.texts`.
        block_cells: pairs that are held at a time.
    """
    n = len(vectors)
    # number, sum and sum of squares of the distances by hops with a root and hops without
    sums = np.zeros((3, 256, 256))
    rows = max(1, block_cells // max(1, n))
    with threadpool_limits(1):
        for start in range(0, n, rows):
            stop = min(start + rows, n)
            distance = 1 - vectors[start:stop] @ vectors[start:].T
            rooted, free = (_rows_of(graph, has_root, start, stop) for has_root in (True, False))
            code = rooted.astype(np.int64) << 8 | free
            within = np.triu_indices(stop - start, 1)
            for cells in (within, np.s_[:, stop - start :]):
                pair, value = code[cells].ravel(), distance[cells].ravel().astype(np.float64)
                for power, total in enumerate(sums):
                    weights = value**power if power else None
                    total += np.bincount(pair, weights, 1 << 16).reshape(256, 256)
    return [_pearson(True, sums.sum(axis=2)[:, :NO_PATH]), _pearson(False, sums.sum(axis=1)[:, :NO_PATH])]


def _pearson(has_root: bool, sums: npt.NDArray[np.float64]) -> Validation:
    """From number, sum and sum of squares of the distances at each number of hops."""
    count, total, squares = sums
    n_pairs = int(count.sum())
    if not n_pairs:
        return Validation(has_root, None, 0)
    hops = np.arange(len(count))
    mean_hops, mean = count @ hops / n_pairs, total.sum() / n_pairs
    covariance = (total - mean * count) @ (hops - mean_hops) / n_pairs
    spread = (count @ (hops - mean_hops) ** 2 / n_pairs) * (squares.sum() / n_pairs - mean**2)
    # distances are kept in single precision: less is nothing
    return Validation(has_root, float(covariance / np.sqrt(spread)) if spread > 1e-12 else None, n_pairs)


def _between(
    n: int, edges: npt.NDArray[np.int64], links: npt.NDArray[np.int64], tops: npt.NDArray[np.int64]
) -> Hops:
    """Hops among n activities, and a last one that nothing leads to; activities of one task are two hops apart."""
    member = sparse.csr_array(
        (np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(links[:, 0].max(initial=-1) + 1, n)
    )
    pairs = np.column_stack((member.T @ member).nonzero())
    root = np.column_stack([tops, np.full(len(tops), n)])
    parts = [(pairs[pairs[:, 0] != pairs[:, 1]], 2.0), (edges, 1.0), (root, 1.0)]
    table = sparse.lil_array((n + 1, n + 1))
    for part, hops in parts:
        table[part[:, 0], part[:, 1]] = hops
    reach = csgraph.dijkstra(table.tocsr(), directed=False)[:n, :n]
    if (longest := reach[np.isfinite(reach)].max(initial=0)) > _LONGEST:
        raise ValueError(
            f"two activities are {longest:.0f} hops apart: more than {_LONGEST} can't be counted"
        )
    found = np.full((n + 1, n + 1), NO_PATH, dtype=np.uint8)
    found[:n, :n] = np.where(np.isfinite(reach), reach, NO_PATH)
    return found


def _nowhere(links: npt.NDArray[np.int64], n_tasks: int, n: int) -> npt.NDArray[np.int64]:
    """Tasks without an activity are linked to the one that nothing leads to."""
    alone = np.setdiff1d(np.arange(n_tasks), links[:, 0])
    return np.column_stack([alone, np.full(len(alone), n)])


def _from_all(between: Hops, links: npt.NDArray[np.int64]) -> Hops:
    starts = np.flatnonzero(np.diff(links[:, 0], prepend=-1))
    tasks = (
        np.minimum.reduceat(between[links[:, 1]], starts, axis=0) + np.uint8(1)
        if len(starts)
        else between[:0]
    )
    return np.vstack([between[:-1], tasks])


def _rows_of(graph: Hierarchy, has_root: bool, start: int, stop: int) -> Hops:
    """Hops from nodes `start` to `stop` to all nodes from `start` on."""
    near = graph.to_activity[has_root][start:stop]
    n_activities = len(graph.activities)
    links = graph.links[graph.links[:, 0] >= start - n_activities]
    starts = np.flatnonzero(np.diff(links[:, 0], prepend=-1))
    if not len(starts):
        return near[:, start:n_activities]
    tasks = np.minimum.reduceat(near.T[links[:, 1]], starts, axis=0) + np.uint8(1)
    return np.hstack([near[:, start:n_activities], tasks.T])
