"""Which items make a battery whose demands come close to a target: how many from each benchmark, and which.

Belongs here: the target, the allocation, the draw. Does not belong here: levels (dbt), and annotating what was chosen
(annotation.py).

The target blends, for each capability, the levels observed in a sample of every benchmark with a flat distribution, so
that common demands stay common and rare high ones are there (paper: section 3.1.1).
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
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

    `items`: benchmark, item. `benchmarks`: benchmark, n_available, n_sampled, max_items, n_selected, n_proportional.
    `levels`: capability, level, target_share, achieved_share, proportional_share. `relaxed`: as in `Limits`.
    `digest`: sha256 of the chosen ids.
    """

    items: pd.DataFrame
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


def select(levels: pd.DataFrame, n_items: int, settings: Settings) -> Selection:
    """Choose `n_items` of the items that have levels.

    Args:
        levels: benchmark, item, capability, level (0-5); cells that nobody rated are absent.
    """
    keys = levels[list(ITEM)].drop_duplicates().sort_values(list(ITEM), ignore_index=True)
    sizes = keys.groupby(BENCHMARK).size()
    for step in ("sample", "draw"):
        # benchmark by benchmark, as the rows are sorted
        keys[step] = np.concatenate([_places(name, n, step, settings) for name, n in sizes.items()])
    sample = keys[keys["sample"] < settings.selection_sample]
    names = [str(name) for name in sizes.index]
    capabilities = sorted(levels["capability"].unique())
    shares = _shares(levels.merge(sample[list(ITEM)], on=list(ITEM)), names, capabilities)
    available: Counts = np.array(sizes, dtype=np.int64)
    n_sampled = np.minimum(available, settings.selection_sample)
    observed = _blend(shares, n_sampled)
    weight = settings.selection_observed_weight
    target = weight * observed + (1 - weight) / N_LEVELS

    bounds = limits(available, n_items, settings.selection_max_share)
    counts = allocate(shares, target, bounds)
    by_size = proportional(available, bounds.total)
    chosen = keys[keys["draw"] < keys[BENCHMARK].map(dict(zip(names, counts, strict=True)))]
    items = chosen[list(ITEM)].reset_index(drop=True)

    whole = _shares(levels, names, capabilities)
    drawn = _shares(levels.merge(items, on=list(ITEM)), names, capabilities)
    index = pd.MultiIndex.from_product([capabilities, range(N_LEVELS)], names=LEVEL)
    table = {
        "target_share": target.ravel(),
        "achieved_share": _blend(drawn, counts).ravel(),
        "proportional_share": _blend(whole, by_size).ravel(),
    }
    benchmarks = pd.DataFrame(
        {
            "benchmark": names,
            "n_available": available,
            "n_sampled": n_sampled,
            "max_items": bounds.most,
            "n_selected": counts,
            "n_proportional": by_size,
        }
    )
    text = "".join(f"{benchmark}\t{item}\n" for benchmark, item in items.itertuples(index=False))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Selection(items, benchmarks, pd.DataFrame(table, index).reset_index(), bounds.relaxed, digest)


def _places(benchmark: Hashable, n: int, step: str, settings: Settings) -> Counts:
    """Places of a benchmark's n sorted items in a random order of its own: other benchmarks don't move it."""
    rng = np.random.default_rng(settings.seed_for("selection", step, benchmark))
    return rng.permutation(n)


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
