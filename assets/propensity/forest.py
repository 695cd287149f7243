"""Random forests, many and small: scikit-learn's trees without what its estimators do around each of them.

Belongs here: growing such a forest, its predictions and the area under their ROC curve. Does not belong here: what is
predicted, folds and seeds (assessor.py).

On five hundred rows scikit-learn grows a tree in 0.4 ms and spends 4 ms on checking, cloning and seeding around it.
These are the same trees: a test holds the predictions against RandomForestClassifier, bit by bit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Outcomes = npt.NDArray[np.int_]

_MAX_INT = np.iinfo(np.int32).max


def success_probability(
    values: Array, outcome: Outcomes, asked: Array, n_trees: int, min_split: int, seed: int
) -> Array:
    """Probability of outcome 1 of each row of `asked`, as RandomForestClassifier gives it.

    Args:
        values: rows × features; NaN = unknown.
        outcome: 0 or 1 of each of these rows; both must occur.
        asked: rows × features.
        min_split: rows of the smallest node that may be split.
        seed: below 2^32.
    """
    from sklearn.tree._criterion import Gini  # heavy: imported where it is used
    from sklearn.tree._splitter import BestSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

    rows, new_rows = values.astype(np.float32), asked.astype(np.float32)
    target = np.ascontiguousarray(outcome[:, None], dtype=np.float64)
    is_unknown = np.isnan(rows).any(axis=0)
    mask = is_unknown.astype(np.uint8) if is_unknown.any() else None
    n, n_features = rows.shape
    n_tried, classes = max(1, int(np.sqrt(n_features))), np.array([2], dtype=np.intp)
    # one generator, seeded anew: making one costs more than growing a tree
    of_forest, of_tree = np.random.RandomState(seed), np.random.RandomState(seed)
    votes = np.zeros(len(asked))
    for _ in range(n_trees):
        own = of_forest.randint(_MAX_INT)
        of_tree.seed(own)
        drawn = of_tree.randint(0, n, n, dtype=np.int32)
        times = np.bincount(drawn, minlength=n).astype(np.float64)
        of_tree.seed(own)
        splitter = BestSplitter(Gini(1, classes), n_tried, 1, 0.0, of_tree, None)
        tree = Tree(n_features, classes, 1)
        builder = DepthFirstTreeBuilder(splitter, min_split, 1, 0.0, _MAX_INT, 0.0)
        builder.build(tree, rows, target, times, mask)
        votes += tree.predict(new_rows)[:, 1]
    return votes / n_trees


def auroc(score: Array, outcome: Outcomes) -> float:
    """Share of pairs of a success and a failure in which the success has the higher score, ties by half."""
    from scipy.stats import rankdata

    n, n_passed = len(outcome), int(outcome.sum())
    above = rankdata(score)[outcome == 1].sum() - n_passed * (n_passed + 1) / 2
    return float(above / (n_passed * (n - n_passed)))
