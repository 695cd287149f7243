"""How far shares and depth would move had other chats been logged: a bootstrap over the matched chats.

Belongs here: weights of chats in occupations, resampling, intervals. Does not belong here: the estimates themselves
(dbt) and which matches are kept (steps.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.stats import binom, poisson

from assets.adoption.inputs import Links

STEPS = 20
BLOCK = 50_000
COLUMNS = ["quantity", "unit", "country", "min_chats", "step", "low", "high"]
_CENTRAL = (0.025, 0.975)


@dataclass(frozen=True)
class KeptChats:
    """`kept`: chats × task texts, 1 where a match is kept, each chat has one.

    `task_ids`: its columns; `is_us`: of its rows.
    """

    kept: sparse.csr_array
    task_ids: Sequence[str]
    is_us: npt.NDArray[np.bool_]


def bootstrap(
    chats: KeptChats, links: Links, depth_chats: Sequence[int], n_replicates: int, seed: int
) -> pd.DataFrame:
    """model.adoption_bootstrap: central 95 % of `n_replicates` resamples. No matched chat gives no rows.

    Each chat counts Poisson(1) times in a resample, which is drawing as many chats with replacement but for their
    number. A resample can only lose tasks that few chats saw, so depth's interval reaches further down than up. Where
    a chat counts as a whole or not at all (skills, activities), k of n chats drawn with replacement are
    Binomial(n, k / n), and nothing is drawn.
    """
    if not chats.kept.shape[0]:
        return pd.DataFrame(columns=COLUMNS)
    occupations, rows_of = _fan_out(links.occupation_task, chats.task_ids)
    n_rows = chats.kept @ rows_of
    weights = sparse.csr_array(n_rows.multiply(1 / n_rows.sum(axis=1)[:, None]))
    groups, group_of = _grouped(links.major_group, occupations)
    us = sparse.csr_array(sparse.diags_array(chats.is_us.astype(np.float64)) @ weights @ group_of)
    all_shares, us_shares, counts = _resample([weights, us, chats.kept], n_replicates, seed)
    # of few chats a resample may draw none at all, and then has no shares
    is_drawn = all_shares.any(axis=1)
    text_skill = links.occupation_task.merge(links.skill, on="occupation")
    parts = [
        _shares("chat_share", occupations, all_shares),
        _shares("group_share", groups, all_shares @ group_of, "all"),
        _shares("group_share", groups, us_shares, "US"),
        _of_counts("skill_share", chats, text_skill, "skill"),
        _of_counts("activity_share", chats, links.activity, "activity_id"),
        _depth(counts[is_drawn], rows_of, depth_chats),
    ]
    rows = [row for part in parts for row in part]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"min_chats": "Int64", "step": "Int64"})


Row = tuple[str, str | None, str | None, int | None, int | None, float, float]


def _fan_out(occupation_task: pd.DataFrame, task_ids: Sequence[str]) -> tuple[list[str], sparse.csr_array]:
    """Occupations, sorted, and texts × occupations: how many task statements of an occupation have the text."""
    occupations = sorted(occupation_task["occupation"].unique())
    return occupations, _matrix(
        pd.Index(task_ids).get_indexer(pd.Index(occupation_task["task_text_id"])),
        pd.Index(occupations).get_indexer(pd.Index(occupation_task["occupation"])),
        (len(task_ids), len(occupations)),
    )


def _grouped(major_group: pd.DataFrame, occupations: list[str]) -> tuple[list[str], sparse.csr_array]:
    """Major groups, sorted, and occupations × groups; who has no group is in none."""
    of = major_group.set_index("occupation")["major_group"].reindex(occupations)
    groups = sorted(of.dropna().unique())
    known = np.flatnonzero(of.notna())
    column = pd.Index(groups).get_indexer(pd.Index(of.iloc[known]))
    return groups, _matrix(known, column, (len(occupations), len(groups)))


def _matrix(
    row: npt.NDArray[np.intp], column: npt.NDArray[np.intp], shape: tuple[int, int]
) -> sparse.csr_array:
    """How often each place is named."""
    ones = np.ones(len(row), np.float32)
    return sparse.csr_array(sparse.coo_array((ones, (row, column)), shape=shape))


def _resample(
    sides: Sequence[sparse.csr_array], n_replicates: int, seed: int
) -> list[npt.NDArray[np.float64]]:
    """Of each chats × units of `sides` the total of every resample: resamples × units."""
    rng = np.random.default_rng(seed)
    # a table of 2^16 equally likely places: Poisson(1) to within 1.6e-5, ten times as fast as drawing it
    table = poisson.ppf((np.arange(2**16) + 0.5) / 2**16, 1).astype(np.float32)
    totals = [np.zeros((side.shape[1], n_replicates), side.dtype) for side in sides]
    n_chats = sides[0].shape[0]
    for start in range(0, n_chats, BLOCK):
        block = slice(start, start + BLOCK)
        n = min(BLOCK, n_chats - start)
        times = table[rng.integers(0, 2**16, (n, n_replicates), dtype=np.uint16)]
        for side, total in zip(sides, totals, strict=True):
            total += side[block].T @ times
    return [total.T for total in totals]


def _shares(
    quantity: str, units: list[str], totals: npt.NDArray[np.float64], country: str | None = None
) -> list[Row]:
    """Of resamples × units, those that drew a chat; none where no resample did."""
    drawn = totals[totals.any(axis=1)]
    if not len(drawn):
        return []
    low, high = np.quantile(drawn / drawn.sum(axis=1, keepdims=True), _CENTRAL, axis=0)
    ends = zip(units, low.tolist(), high.tolist(), strict=True)
    return [(quantity, unit, country, None, None, *own) for unit, *own in ends]


def _of_counts(quantity: str, chats: KeptChats, links: pd.DataFrame, unit: str) -> list[Row]:
    """Shares of chats with a text of each unit; `links`: task_text_id and the column `unit`."""
    pairs = links[["task_text_id", unit]].drop_duplicates()
    units = sorted(pairs[unit].unique())
    if not units:
        return []
    text = pd.Index(chats.task_ids).get_indexer(pd.Index(pairs["task_text_id"]))
    column = pd.Index(units).get_indexer(pd.Index(pairs[unit]))
    link = _matrix(text, column, (len(chats.task_ids), len(units)))
    n, k = chats.kept.shape[0], np.zeros(len(units), np.int64)
    for start in range(0, n, BLOCK):
        k += np.bincount((chats.kept[start : start + BLOCK] @ link).indices, minlength=len(units))
    low, high = (np.asarray(binom.ppf(q, n, k / n)) / n for q in _CENTRAL)
    ends = zip(units, low.tolist(), high.tolist(), strict=True)
    return [(quantity, own, None, None, None, *of) for own, *of in ends]


def _depth(
    counts: npt.NDArray[np.float64], rows_of: sparse.csr_array, depth_chats: Sequence[int]
) -> list[Row]:
    n_tasks = rows_of.sum(axis=0)
    rows: list[Row] = []
    for t in depth_chats:
        seen = (counts >= t).astype(np.float32) @ rows_of
        for step in range(STEPS + 1):
            share = (seen * STEPS >= step * n_tasks).mean(axis=1)
            low, high = np.quantile(share, _CENTRAL).tolist()
            rows.append(("depth", None, None, t, step, low, high))
    return rows
