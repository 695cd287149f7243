"""How far shares and depth would move had other chats been logged: a bootstrap over the matched chats.

Belongs here: weights of chats in occupations, resampling, intervals. Does not belong here: the estimates themselves
(dbt) and which matches are kept (steps.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.stats import poisson

STEPS = 20
BLOCK = 50_000
COLUMNS = ["quantity", "occupation", "min_chats", "step", "low", "high"]
_CENTRAL = (0.025, 0.975)


def bootstrap(
    kept: sparse.csr_array,
    occupation_task: pd.DataFrame,
    task_ids: Sequence[str],
    depth_chats: Sequence[int],
    n_replicates: int,
    seed: int,
) -> pd.DataFrame:
    """model.adoption_bootstrap: central 95 % of `n_replicates` resamples. No matched chat gives no rows.

    Each chat counts Poisson(1) times in a resample, which is drawing as many chats with replacement but for their
    number. A resample can only lose tasks that few chats saw, so depth's interval reaches further down than up.

    Args:
        kept: chats × task texts, 1 where a match is kept; every chat has one.
        occupation_task: occupation, task_text_id; one row a task statement of an occupation.
        task_ids: the columns of `kept`.
    """
    if not kept.shape[0]:
        return pd.DataFrame(columns=COLUMNS)
    occupations, rows_of = _fan_out(occupation_task, task_ids)
    n_rows = kept @ rows_of
    weights = sparse.csr_array(n_rows.multiply(1 / n_rows.sum(axis=1)[:, None]))
    shares, counts = _resample(weights, kept, n_replicates, seed)
    low, high = np.quantile(shares / shares.sum(axis=1, keepdims=True), _CENTRAL, axis=0)
    found = pd.DataFrame(
        {
            "quantity": "chat_share",
            "occupation": occupations,
            "min_chats": None,
            "step": None,
            "low": low,
            "high": high,
        }
    )
    return pd.concat([found, _depth(counts, rows_of, depth_chats)], ignore_index=True).astype(
        {"min_chats": "Int64", "step": "Int64"}
    )


def _fan_out(occupation_task: pd.DataFrame, task_ids: Sequence[str]) -> tuple[list[str], sparse.csr_array]:
    """Occupations, sorted, and texts × occupations: how many task statements of an occupation have the text."""
    occupations = sorted(occupation_task["occupation"].unique())
    text = pd.Index(task_ids).get_indexer(pd.Index(occupation_task["task_text_id"]))
    occupation = pd.Index(occupations).get_indexer(pd.Index(occupation_task["occupation"]))
    ones = np.ones(len(text), np.float32)
    shape = (len(task_ids), len(occupations))
    return occupations, sparse.csr_array(sparse.coo_array((ones, (text, occupation)), shape=shape))


def _resample(
    weights: sparse.csr_array, kept: sparse.csr_array, n_replicates: int, seed: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float32]]:
    """Resamples that drew a chat × occupations: weight; the same × texts: chats."""
    rng = np.random.default_rng(seed)
    # a table of 2^16 equally likely places: Poisson(1) to within 1.6e-5, ten times as fast as drawing it
    table = poisson.ppf((np.arange(2**16) + 0.5) / 2**16, 1).astype(np.float32)
    shares = np.zeros((weights.shape[1], n_replicates))
    counts = np.zeros((kept.shape[1], n_replicates), np.float32)
    for start in range(0, kept.shape[0], BLOCK):
        block = slice(start, start + BLOCK)
        n = min(BLOCK, kept.shape[0] - start)
        times = table[rng.integers(0, 2**16, (n, n_replicates), dtype=np.uint16)]
        shares += weights[block].T @ times
        counts += kept[block].T @ times
    # of few chats a resample may draw none at all, and then has no shares
    is_drawn = shares.any(axis=0)
    return shares.T[is_drawn], counts.T[is_drawn]


def _depth(
    counts: npt.NDArray[np.float32], rows_of: sparse.csr_array, depth_chats: Sequence[int]
) -> pd.DataFrame:
    n_tasks = rows_of.sum(axis=0)
    rows = []
    for t in depth_chats:
        seen = (counts >= t).astype(np.float32) @ rows_of
        for step in range(STEPS + 1):
            share = (seen * STEPS >= step * n_tasks).mean(axis=1)
            rows.append(("depth", None, t, step, *np.quantile(share, _CENTRAL)))
    return pd.DataFrame(rows, columns=COLUMNS)
