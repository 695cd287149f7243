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
    """The nodes in groups that are equally far from all else: an activity each, then tasks of the same activities.

    `activities` and `tasks`: texts of the nodes; `group`: each node's, activities first, -1 = a task without activity;
    `to_activity`: hops from each group to each activity, with and without a root (NO_PATH = none); `parents`: the first
    activity of each group of tasks, the second of those that have two, and so on; groups of most activities come first.
    """

    activities: list[str]
    tasks: list[str]
    group: npt.NDArray[np.int64]
    to_activity: dict[bool, Hops]
    parents: list[npt.NDArray[np.int64]]

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
    task = pd.Index(tasks["node_id"]).get_indexer(edges["node_id"][is_task])
    group, parents = _same_parents(len(tasks), task, parent[is_task])
    between = np.column_stack([at.get_indexer(edges["node_id"][~is_task]), parent[~is_task]])
    below = np.vstack([between, *(np.column_stack([n + np.arange(len(of)), of]) for of in parents)])
    tops = np.flatnonzero((activities["level"] == TOP).to_numpy())
    n_groups = n + int(group.max(initial=-1)) + 1
    # the root is one node more
    root = np.column_stack([np.full(len(tops), n_groups), tops])
    to_activity = {
        has_root: _hops(n_groups + 1, n, np.vstack([below, root]) if has_root else below)[:n_groups]
        for has_root in (True, False)
    }
    of_nodes = np.concatenate([np.arange(n), np.where(group < 0, -1, group + n)])
    return Hierarchy(activities["text"].tolist(), tasks["text"].tolist(), of_nodes, to_activity, parents)


def validate(graph: Hierarchy, vectors: Vectors, *, block_cells: int = _BLOCK_CELLS) -> list[Validation]:
    """r with one root over the general activities and without, exact over all pairs (open-economic-index, Table 2).

    Pairs are summed by groups: the cosines of all pairs of two groups make the product of the groups' sums, those of
    one group's pairs (|sum|² - sum of |v|²) / 2, and squares of cosines come from V'V.

    Args:
        vectors: unit rows of `graph.texts`.
        block_cells: pairs of groups that are held at a time.
    """
    if not (graph.group >= 0).any():
        # a release without activities, or without a task that leads to one: there is no pair
        return [Validation(has_root, None, 0) for has_root in (True, False)]
    group, wide = graph.group[graph.group >= 0], vectors[graph.group >= 0].astype(np.float64)
    n = len(graph.to_activity[True])
    size = np.bincount(group, minlength=n).astype(np.float64)
    member = sparse.csr_array((np.ones(len(group)), (group, np.arange(len(group)))), shape=(n, len(group)))
    total = np.asarray(member @ wide)
    inside = ((total**2).sum(axis=1) - member @ (wide**2).sum(axis=1)) / 2
    # number and sum of the cosines by hops with a root and hops without
    sums = np.zeros((2, 256, 256))
    rows = max(1, block_cells // max(1, n))
    with threadpool_limits(1):
        for start in range(0, n, rows):
            block = slice(start, start + rows)
            pairs = (np.outer(size[block], size[start:]), total[block] @ total[start:].T)
            rooted, free = (_rows_of(graph, has_root, block) for has_root in (True, False))
            code = (rooted.astype(np.intp) << 8 | free).ravel()
            for found, own, cells in zip(sums, (size * (size - 1) / 2, inside), pairs, strict=True):
                np.fill_diagonal(cells, own[block])
                found += np.bincount(code, np.triu(cells).ravel(), 1 << 16).reshape(256, 256)
        # nodes that have a path to each other have the same first activity in reach
        squares = {
            has_root: _squares((hops < NO_PATH).argmax(axis=1)[group], wide)
            for has_root, hops in graph.to_activity.items()
        }
    return [
        _pearson(True, sums.sum(axis=2)[:, :NO_PATH], squares[True]),
        _pearson(False, sums.sum(axis=1)[:, :NO_PATH], squares[False]),
    ]


def _pearson(has_root: bool, sums: npt.NDArray[np.float64], squares: float) -> Validation:
    """From number and sum of the cosines at each number of hops, and the sum of all their squares."""
    count, total = sums
    n_pairs = int(count.sum())
    if not n_pairs:
        return Validation(has_root, None, 0)
    hops = np.arange(len(count))
    mean_hops, mean = count @ hops / n_pairs, total.sum() / n_pairs
    # of the distances 1 - cosine
    covariance = (mean * count - total) @ (hops - mean_hops) / n_pairs
    spread = (count @ (hops - mean_hops) ** 2 / n_pairs) * (squares / n_pairs - mean**2)
    # vectors are kept in single precision: less is nothing
    return Validation(has_root, float(covariance / np.sqrt(spread)) if spread > 1e-12 else None, n_pairs)


def _squares(part: npt.NDArray[np.intp], vectors: npt.NDArray[np.float64]) -> float:
    """Sum of the squared cosines of all pairs within the same part."""
    found = 0.0
    for label in np.unique(part):
        joined = vectors[part == label]
        found += (((joined.T @ joined) ** 2).sum() - ((joined**2).sum(axis=1) ** 2).sum()) / 2
    return float(found)


def _same_parents(
    n_tasks: int, task: npt.NDArray[np.intp], activity: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int64]]]:
    """Of each task its group (-1 = no activity), and `Hierarchy.parents`; `task`, `activity`: its links."""
    of: dict[int, list[int]] = {}
    for one, above in sorted(set(zip(task.tolist(), activity.tolist(), strict=True))):
        of.setdefault(one, []).append(above)
    sets = sorted({tuple(several) for several in of.values()}, key=lambda several: (-len(several), several))
    number = {several: place for place, several in enumerate(sets)}
    group = np.full(n_tasks, -1, np.int64)
    group[list(of)] = [number[tuple(several)] for several in of.values()]
    n_most = len(sets[0]) if sets else 0
    parents = [
        np.array([several[k] for several in sets if len(several) > k], np.int64) for k in range(n_most)
    ]
    return group, parents


def _hops(n_nodes: int, n: int, edges: npt.NDArray[np.int64]) -> Hops:
    """Hops from each node to the first `n`, step by step from all at once: a bit says that a node is reached."""
    both = np.vstack([edges, edges[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    starts = np.flatnonzero(np.diff(both[:, 0], prepend=-1))
    width = -(-n // 64) * 64
    reached = np.packbits(np.eye(n_nodes, n, dtype=bool), axis=1)
    reached = np.pad(reached, ((0, 0), (0, width // 8 - reached.shape[1]))).view(np.uint64)
    hops = np.zeros((n_nodes, n), dtype=np.uint8)
    for _ in range(_LONGEST + 1):
        near = reached.copy()
        if len(both):
            near[both[starts, 0]] |= np.bitwise_or.reduceat(reached[both[:, 1]], starts, axis=0)
        is_far = np.unpackbits((~reached).view(np.uint8), axis=1, count=n)
        if (near == reached).all():
            hops[is_far.view(bool)] = NO_PATH
            return hops
        hops += is_far
        reached = near
    raise ValueError(f"two activities are farther apart than the {_LONGEST} hops that can be counted")


def _rows_of(graph: Hierarchy, has_root: bool, block: slice) -> Hops:
    """Hops from the groups of `block` to all groups from the first of them on."""
    near = graph.to_activity[has_root][block]
    n_activities = len(graph.activities)
    first = max(0, block.start - n_activities)
    tasks = near.T[graph.parents[0][first:]] if graph.parents else near.T[:0]
    for further in graph.parents[1:]:
        own = tasks[: max(0, len(further) - first)]
        np.minimum(own, near.T[further[first:]], out=own)
    return np.hstack([near[:, block.start :], tasks.T + np.uint8(1)])
