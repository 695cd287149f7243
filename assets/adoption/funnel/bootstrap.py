"""How far shares and depth would move had other chats been logged: a bootstrap over the matched chats.

Belongs here: weights of chats in occupations, resampling, intervals. Does not belong here: the estimates themselves
(dbt) and which matches are kept (steps.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.stats import binom, poisson

from assets.adoption.funnel.adoption_inputs import Links
from assets.common.shares import wilson

STEPS = 20
BLOCK = 50_000
# chats of a set up to which a table is made for their number
FEW = 16
FEW_OCCUPATIONS = 5
COLUMNS = ["quantity", "unit", "country", "min_chats", "step", "low", "high"]
_CENTRAL = (0.025, 0.975)


@dataclass(frozen=True)
class KeptSets:
    """`members`: sets × task texts, 1 where a set holds a text, each holds one.

    `task_ids`: its columns; `n_chats`, `n_us_chats`: chats kept for each set, and those of them from the US.
    """

    members: sparse.csr_array
    task_ids: Sequence[str]
    n_chats: npt.NDArray[np.int64]
    n_us_chats: npt.NDArray[np.int64]


def bootstrap(
    sets: KeptSets, links: Links, depth_chats: Sequence[int], n_replicates: int, seed: int
) -> pd.DataFrame:
    """estimate.adoption_bootstrap: central 95 % of `n_replicates` resamples. No matched chat gives no rows.

    Each chat counts Poisson(1) times in a resample, which is drawing as many chats with replacement but for their
    number; n chats with the same tasks then count Poisson(n) times together. Depth is not linear in chats: resamples
    lose tasks that one chat saw, and see too often those that fell short by one. So its interval is that of the
    resamples' distances from their own mean, around the estimate: what a log of this size would show. Where a chat
    counts as a whole or not at all (skills, activities), k of n chats drawn with replacement are Binomial(n, k / n),
    and nothing is drawn. Where no other value could be drawn (none of the chats, all of them, or each with the same
    part), the log would claim to know all that it didn't sample; the interval is Wilson's there. The interval of a
    depth that fewer than FEW_OCCUPATIONS reach, or miss, is at least Wilson's with the occupations as trials: resamples
    of so few know too little of the others.
    """
    if not sets.members.shape[0]:
        return pd.DataFrame(columns=COLUMNS)
    occupations, rows_of = _fan_out(links.occupation_task, sets.task_ids)
    n_rows = sets.members @ rows_of
    weights = sparse.csr_array(n_rows.multiply(1 / n_rows.sum(axis=1)[:, None]))
    groups, group_of = _grouped(links.major_group, occupations)
    all_shares, us_shares, counts = _resample(sets, weights, n_replicates, seed)
    # of few chats a resample may draw none at all, and then has no shares
    is_drawn = all_shares.any(axis=1)
    n_chats = int(sets.n_chats.sum())
    text_skill = links.occupation_task.merge(links.skill, on="occupation")
    parts = [
        _shares("chat_share", occupations, all_shares, n_chats),
        _shares("group_share", groups, all_shares @ group_of, n_chats, "all"),
        _shares("group_share", groups, us_shares @ group_of, int(sets.n_us_chats.sum()), "US"),
        _of_counts("skill_share", sets, text_skill, "skill"),
        _of_counts("activity_share", sets, links.activity, "activity_id"),
        _depth(sets.members.T @ sets.n_chats, counts[is_drawn], rows_of, depth_chats),
    ]
    rows = [row for part in parts for row in part]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"min_chats": "Int64", "step": "Int64"})


Ends = npt.NDArray[np.float64]
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
    sets: KeptSets, weights: sparse.csr_array, n_replicates: int, seed: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Of every resample the chats by occupation, those from the US by occupation, and those by task text."""
    rng = np.random.default_rng(seed)
    by_occupation, us_by_occupation = (np.zeros((weights.shape[1], n_replicates)) for _ in range(2))
    by_text = np.zeros((sets.members.shape[1], n_replicates))
    for start in range(0, len(sets.n_chats), BLOCK):
        block = slice(start, start + BLOCK)
        n_us = sets.n_us_chats[block]
        both = _times(rng, sets.n_chats[block] - n_us, n_replicates)
        if n_us.any():
            us = _times(rng, n_us, n_replicates)
            us_by_occupation += weights[block].T @ us
            both += us
        by_occupation += weights[block].T @ both
        by_text += sets.members[block].T @ both
    return by_occupation.T, us_by_occupation.T, by_text.T


def _times(rng: np.random.Generator, n: npt.NDArray[np.int64], n_replicates: int) -> npt.NDArray[np.float32]:
    """Poisson(n) draws: rows × resamples."""
    times = np.zeros((len(n), n_replicates), np.float32)
    for value in np.unique(n[n > 0]):
        rows = np.flatnonzero(n == value)
        if value > FEW:
            times[rows] = rng.poisson(value, (len(rows), n_replicates))
        else:
            times[rows] = _table(value)[rng.integers(0, 2**16, (len(rows), n_replicates), dtype=np.uint16)]
    return times


@cache
def _table(mean: int) -> npt.NDArray[np.float32]:
    """2^16 equally likely places: Poisson to within 1.6e-5, ten times as fast as drawing it."""
    cumulated = poisson.cdf(np.arange(10 * mean + 20), mean)
    return np.searchsorted(cumulated, (np.arange(2**16) + 0.5) / 2**16).astype(np.float32)


def _shares(
    quantity: str,
    units: list[str],
    totals: npt.NDArray[np.float64],
    n_chats: int,
    country: str | None = None,
) -> list[Row]:
    """Of resamples × units, those that drew a chat of `n_chats`; none where no resample did."""
    drawn = totals[totals.any(axis=1)]
    if not len(drawn):
        return []
    resampled = drawn / drawn.sum(axis=1, keepdims=True)
    low, high = np.quantile(resampled, _CENTRAL, axis=0)
    low, high = _with_width(low, high, resampled.mean(axis=0), n_chats)
    ends = zip(units, low.tolist(), high.tolist(), strict=True)
    return [(quantity, unit, country, None, None, *own) for unit, *own in ends]


def _of_counts(quantity: str, sets: KeptSets, links: pd.DataFrame, unit: str) -> list[Row]:
    """Shares of chats with a text of each unit; `links`: task_text_id and the column `unit`."""
    pairs = links[["task_text_id", unit]].drop_duplicates()
    units = sorted(pairs[unit].unique())
    if not units:
        return []
    text = pd.Index(sets.task_ids).get_indexer(pd.Index(pairs["task_text_id"]))
    column = pd.Index(units).get_indexer(pd.Index(pairs[unit]))
    link = _matrix(text, column, (len(sets.task_ids), len(units)))
    n, k = int(sets.n_chats.sum()), np.zeros(len(units), np.int64)
    for start in range(0, len(sets.n_chats), BLOCK):
        block = slice(start, start + BLOCK)
        touched = sparse.csr_array((sets.members[block] @ link) > 0)
        k += sets.n_chats[block] @ touched.astype(np.int64)
    low, high = (np.asarray(binom.ppf(q, n, k / n)) / n for q in _CENTRAL)
    low, high = _with_width(low, high, k / n, n)
    ends = zip(units, low.tolist(), high.tolist(), strict=True)
    return [(quantity, own, None, None, None, *of) for own, *of in ends]


def _with_width(low: Ends, high: Ends, share: Ends, n_chats: int) -> tuple[Ends, Ends]:
    """The interval of each unit's share, Wilson's where the ends meet."""
    low, high = low.copy(), high.copy()
    for unit in np.flatnonzero(high - low < 1e-9):
        low[unit], high[unit] = wilson(float(share[unit]) * n_chats, n_chats)
    return low, high


def _depth(
    observed: npt.NDArray[np.float64],
    resampled: npt.NDArray[np.float64],
    rows_of: sparse.csr_array,
    depth_chats: Sequence[int],
) -> list[Row]:
    """`observed`: chats by task text; `resampled`: resamples × task texts."""
    n_tasks = rows_of.sum(axis=0)
    n_occupations = rows_of.shape[1]
    rows: list[Row] = []
    for t in depth_chats:
        own, seen = ((of >= t).astype(np.float32) @ rows_of for of in (observed[None, :], resampled))
        estimates, shares = (_reached(of, n_tasks) for of in (own, seen))
        for step, share in enumerate(shares):
            # of few resamples with another value the mean may lie outside the quantiles
            low, high = np.quantile(share, _CENTRAL) - share.mean()
            estimate = estimates[step, 0]
            low, high = np.clip(estimate + [min(low, 0), max(high, 0)], 0, 1).tolist()
            hits = float(estimate) * n_occupations
            # that an occupation has none of its tasks seen or more is certain
            if step and (min(hits, n_occupations - hits) < FEW_OCCUPATIONS or high - low < 1e-9):
                least, most = wilson(hits, n_occupations)
                low, high = min(low, least), max(high, most)
            rows.append(("depth", None, None, t, step, low, high))
    return rows


def _reached(seen: npt.NDArray[np.float32], n_tasks: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Steps × logs: share of occupations of whose tasks (logs × occupations) at least that many STEPS-ths are seen."""
    furthest = (seen * STEPS // n_tasks).astype(np.int64)
    places = furthest * len(seen) + np.arange(len(seen))[:, None]
    n_there = np.bincount(places.ravel(), minlength=(STEPS + 1) * len(seen)).reshape(STEPS + 1, len(seen))
    return n_there[::-1].cumsum(axis=0)[::-1] / seen.shape[1]
