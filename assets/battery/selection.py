"""Which items make a battery whose demands come close to a target: how many from each benchmark, and which.

Belongs here: the sample, the target, the allocation, the draw. Does not belong here: levels (dbt), and annotating what
was chosen (annotation.py).

Only a sample of each benchmark has to be rated. The target blends, for each capability, the levels observed there with
a flat distribution, so that common demands stay common and rare high ones are there; items are then taken from all
that are available, and rated last (paper 000, task-suitability-profiles: section 3.1.2).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.settings import Settings

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
N_LEVELS = 6
# relative to the best total variation that is provable; far below what drawing items adds
GAP = 1e-3
MAX_NODES = 2_000
ITEM, BENCHMARK, LEVEL = ("benchmark", "item"), "benchmark", ["capability", "level"]


@dataclass(frozen=True)
class Limits:
    """Most items of each benchmark (B,), the total, and what had to be given up of what was asked ('' = nothing)."""

    most: Counts
    total: int
    relaxed: str


@dataclass(frozen=True)
class Selection:
    """The chosen battery, as tables.

    `items`: benchmark, item. `sample`: the same of the items whose levels set the target. `benchmarks`: benchmark,
    n_available, n_sampled, n_open (of the sample, not rated yet), max_items, n_selected, n_proportional. `levels`:
    capability, level, target_share, expected_share (by the samples), achieved_share (NaN until all chosen items are
    rated), proportional_share (by the samples); no rows while any sample is open. `relaxed`: as in `Limits`, or what is
    waited for. `digest`: sha256 of the chosen ids.
    """

    items: pd.DataFrame
    sample: pd.DataFrame
    benchmarks: pd.DataFrame
    levels: pd.DataFrame
    relaxed: str
    digest: str


def limits(available: Counts, total: int, max_share: float) -> Limits:
    """What can be kept of the limits.

    Given up in this order, as little as will do: the total where there are fewer items, then the largest share of one
    benchmark.
    """
    relaxed = []
    if total > available.sum():
        relaxed.append(f"{total} items asked, {available.sum()} there")
        total = int(available.sum())
    # a share such as 0.1 of 30 must give 3, whatever the last bit says
    cap = int(np.floor(max_share * total + 1e-9))
    if np.minimum(available, cap).sum() < total:
        asked, candidates = cap, np.arange(cap, int(available.max(initial=0)) + 1)
        reach = np.minimum(available[None, :], candidates[:, None]).sum(axis=1)
        cap = int(candidates[np.argmax(reach >= total)])
        relaxed.append(f"at most {asked} items a benchmark can't give {total}, so {cap} are allowed")
    return Limits(np.minimum(available, cap), total, "; ".join(relaxed))


def allocate(shares: Array, target: Array, bounds: Limits) -> Counts:
    """Items of each benchmark whose mixture of levels comes closest to the target, in total variation.

    Args:
        shares: (B, K, 6) share of each level of each capability among a benchmark's items.
        target: (K, 6).

    Returns:
        (B,) whole numbers within `bounds`, adding up to its total.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import block_array, csr_array, eye_array

    n_benchmarks, n_cells = len(shares), target.size
    if bounds.total == 0:
        return np.zeros(n_benchmarks, dtype=np.int64)
    mixture = csr_array(shares.reshape(n_benchmarks, n_cells).T / bounds.total)
    wanted = target.ravel()
    # x = (items of each benchmark, distance in each cell): |mixture - target| <= distance
    identity = eye_array(n_cells)
    sides = block_array([[mixture, -identity], [-mixture, -identity]])
    total = np.r_[np.ones(n_benchmarks), np.zeros(n_cells)]
    found: Any = milp(
        c=np.r_[np.zeros(n_benchmarks), np.full(n_cells, 0.5)],
        integrality=np.r_[np.ones(n_benchmarks), np.zeros(n_cells)],
        bounds=Bounds(0, np.r_[bounds.most, np.full(n_cells, np.inf)]),
        constraints=[
            LinearConstraint(sides, ub=np.r_[wanted, -wanted]),
            LinearConstraint(total, bounds.total, bounds.total),
        ],
        options={"mip_rel_gap": GAP, "node_limit": MAX_NODES},
    )
    if found.x is None:
        raise RuntimeError(f"no allocation of {bounds.total} items was found: {found.message}")
    return np.rint(found.x[:n_benchmarks]).astype(np.int64)


def proportional(available: Counts, total: int) -> Counts:
    """(B,) items in proportion to what is there, whole numbers by largest remainders."""
    exact = available * (total / max(available.sum(), 1))
    counts = np.floor(exact).astype(np.int64)
    rest = np.argsort(-(exact - counts), kind="stable")[: total - counts.sum()]
    counts[rest] += 1
    return counts


def total_variation(levels: pd.DataFrame, column: str) -> float:
    """Half the absolute difference between `column` and target_share, summed over levels and capabilities."""
    return float((levels[column] - levels["target_share"]).abs().sum() / 2)


def sample_of(available: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """The items of `available` (benchmark, item) whose ratings set the target, sorted.

    An item's place in the draw is its own: items that are added, or rated meanwhile, move no other item.
    """
    keys = _keys(available)
    return keys[_places(keys, "sample", settings) < settings.selection_sample].reset_index(drop=True)


def select(available: pd.DataFrame, levels: pd.DataFrame, n_items: int, settings: Settings) -> Selection:
    """Choose `n_items` of the available items; none while an item of the samples is not settled.

    Args:
        available: benchmark, item, is_settled (rated, or asked and without an answer).
        levels: benchmark, item, capability, level (0-5); cells that nobody rated are absent.
    """
    keys, sample = _keys(available), sample_of(available, settings)
    names = [str(name) for name in keys[BENCHMARK].unique()]
    settled = available.loc[available["is_settled"].astype(bool), list(ITEM)]
    sampled, n_settled = _counts(sample, names), _counts(sample.merge(settled, on=list(ITEM)), names)
    sizes = _counts(keys, names)
    table = {"benchmark": names, "n_available": sizes, "n_sampled": sampled, "n_open": sampled - n_settled}
    if (n_open := int((sampled - n_settled).sum())) > 0:
        nothing = np.zeros(len(names), dtype=np.int64)
        table |= {"max_items": nothing, "n_selected": nothing, "n_proportional": nothing}
        columns = [*LEVEL, "target_share", "expected_share", "achieved_share", "proportional_share"]
        waiting = f"nothing is chosen yet: {n_open} items of the samples are not rated"
        return Selection(
            keys[:0], sample, pd.DataFrame(table), pd.DataFrame(columns=columns), waiting, _digest(keys[:0])
        )

    capabilities = sorted(levels["capability"].unique())
    shares = _shares(levels.merge(sample, on=list(ITEM)), names, capabilities)
    weight = settings.selection_observed_weight
    target = weight * _blend(shares, sampled) + (1 - weight) / N_LEVELS
    # what its whole sample says nothing about can't be chosen by its levels
    is_known = shares.any(axis=(1, 2))
    bounds = limits(np.where(is_known, sizes, 0), n_items, settings.selection_max_share)
    counts = allocate(shares, target, bounds)
    by_size = proportional(np.where(is_known, sizes, 0), bounds.total)
    drawn = _places(keys, "draw", settings) < keys[BENCHMARK].map(dict(zip(names, counts, strict=True)))
    items = keys[drawn].reset_index(drop=True)

    is_rated = len(items.merge(settled, on=list(ITEM))) == len(items)
    achieved = _blend(_shares(levels.merge(items, on=list(ITEM)), names, capabilities), counts)
    index = pd.MultiIndex.from_product([capabilities, range(N_LEVELS)], names=LEVEL)
    found = {
        "target_share": target.ravel(),
        "expected_share": _blend(shares, counts).ravel(),
        "achieved_share": achieved.ravel() if is_rated else np.nan,
        "proportional_share": _blend(shares, by_size).ravel(),
    }
    table |= {"max_items": bounds.most, "n_selected": counts, "n_proportional": by_size}
    by_level = pd.DataFrame(found, index).reset_index()
    return Selection(items, sample, pd.DataFrame(table), by_level, bounds.relaxed, _digest(items))


def _keys(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[list(ITEM)].drop_duplicates().sort_values(list(ITEM), ignore_index=True)


def _counts(items: pd.DataFrame, names: list[str]) -> Counts:
    return np.array(items.groupby(BENCHMARK).size().reindex(names, fill_value=0), dtype=np.int64)


def _digest(items: pd.DataFrame) -> str:
    text = "".join(f"{benchmark}\t{item}\n" for benchmark, item in items.itertuples(index=False))
    return hashlib.sha256(text.encode()).hexdigest()


def _places(keys: pd.DataFrame, step: str, settings: Settings) -> pd.Series[int]:
    """Place of each item within its benchmark, from 0, by a hash of seed, step and the item's own name."""
    seed = settings.seed_for("selection", step)
    order = [
        hashlib.sha256(f"{seed}\t{benchmark}\t{item}".encode()).hexdigest()
        for benchmark, item in keys[list(ITEM)].itertuples(index=False)
    ]
    ranks = pd.Series(order, keys.index, dtype=object).groupby(keys[BENCHMARK]).rank(method="first")
    return ranks.astype("int64") - 1


def _shares(levels: pd.DataFrame, names: list[str], capabilities: list[str]) -> Array:
    """(B, K, 6) share of each level among the rated cells; 0 everywhere for a capability that is nowhere rated."""
    index = pd.MultiIndex.from_product([names, capabilities, range(N_LEVELS)])
    counts = levels.groupby([BENCHMARK, *LEVEL]).size().reindex(index, fill_value=0).to_numpy(dtype=float)
    table = counts.reshape(len(names), len(capabilities), N_LEVELS)
    total = table.sum(axis=2, keepdims=True)
    shares: Array = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
    return shares


def _blend(shares: Array, counts: npt.NDArray[Any]) -> Array:
    """(K, 6) levels of a mixture of `counts` (B,) items of the benchmarks; unrated capabilities don't dilute it."""
    is_rated = shares.sum(axis=2) > 0
    weight = is_rated * counts[:, None]
    total = weight.sum(axis=0)
    mixed: Array = (shares * weight[:, :, None]).sum(axis=0) / np.maximum(total, 1)[:, None]
    return mixed
