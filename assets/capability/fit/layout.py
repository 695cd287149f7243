"""The measurement layout: how capability and demand make an item's log-odds, and pass counts per demand pattern.

Belongs here: equations 1-4 of the paper's section 3.1.3 in numpy, and the pooling of responses to counts.
Does not belong here: priors, samplers, files.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Array = npt.NDArray[np.float64]

# No data tell odds of e^80 from longer ones; up to there products of several probabilities stay finite doubles.
MAX_EASE = 80.0


def item_logit(c: Array, alpha: float, demand: Array, tau: float = 1.0, lam: float = 1.0) -> Array:
    """Log-odds of success on each item, general in the temperature (paper section 3.1.3, equations 1-3).

    Args:
        c: (K,) log capabilities.
        alpha: shared intercept.
        demand: (J, K) demands 0-5; 0 = not demanded.
        tau: temperature of the soft minimum over the demanded dimensions' margins; 0 = their mean.
        lam: log-odds per demand level.

    Returns:
        (J,) log-odds; `alpha` where an item demands nothing.
    """
    active = demand > 0
    n_active = np.maximum(active.sum(axis=1), 1)
    margin = np.where(active, c - lam * demand, np.inf)
    if tau == 0:
        return alpha + np.where(active, margin, 0.0).sum(axis=1) / n_active
    is_demanding = active.any(axis=1)
    weakest = np.where(is_demanding, margin.min(axis=1, initial=np.inf), 0.0)
    with np.errstate(over="ignore"):
        total = np.exp(-tau * (margin - weakest[:, None])).sum(axis=1)
    softened = weakest - np.log(np.where(is_demanding, total, 1.0) / n_active) / tau
    return alpha + softened


def design_matrix(demand: Array, tau: float = 1.0, lam: float = 1.0) -> Array:
    """(J, K) matrix A with failure odds = (A · e^{-tau·ease})^{1/tau}, ease = c + alpha; tau > 0.

    A row without demands is all zero: such an item's failure odds are e^{-alpha}.
    """
    active = demand > 0
    return np.where(active, np.exp(tau * lam * demand), 0.0) / np.maximum(
        active.sum(axis=1, keepdims=True), 1
    )


def linear_odds_logit(c: Array, alpha: float, demand: Array, lam: float = 1.0) -> Array:
    """`item_logit` at tau = 1, where failure odds are linear in e^{-(c + alpha)}: one matrix-vector product.

    The largest term is taken out first, so that no exponential overflows. Eases may lie up to 700 apart.
    """
    is_used, is_demanding = (demand > 0).any(axis=0), (demand > 0).any(axis=1)
    ease = c + alpha
    base = np.min(ease, where=is_used, initial=np.inf)
    odds = design_matrix(demand, 1.0, lam) @ np.exp(np.where(is_used, base - ease, -np.inf))
    return np.where(is_demanding, base - np.log(np.where(is_demanding, odds, 1.0)), alpha)


@dataclass(frozen=True)
class PooledResponses:
    """Scored responses as counts per demand pattern; the likelihood needs nothing else.

    `passed` may be fractional: the score of an item with several attempts is their mean.
    """

    systems: tuple[str, ...]  # (N,) sorted
    dimensions: tuple[str, ...]  # (K,) sorted
    demand: Array  # (J, K) distinct rows
    passed: Array  # (J, N) sum of scores
    attempted: Array  # (J, N) scored items; 0 = this system has none here

    @property
    def is_empty(self) -> bool:
        return not self.systems or not self.dimensions

    def to_frame(self) -> pd.DataFrame:
        """A row a demand pattern: `demand_<dimension>`, `passed_<system>`, `attempted_<system>`.

        Wide, as each system has a column however many they are, and what is 0 takes next to no room in Parquet.
        """
        parts = {"demand": self.demand, "passed": self.passed, "attempted": self.attempted}
        names = {"demand": self.dimensions, "passed": self.systems, "attempted": self.systems}
        columns = [f"{part}_{name}" for part in parts for name in names[part]]
        return pd.DataFrame(np.hstack([*parts.values()]), columns=columns)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> PooledResponses:
        """Inverse of `to_frame`."""

        def named(part: str) -> tuple[tuple[str, ...], Array]:
            columns = [column for column in frame.columns if column.startswith(f"{part}_")]
            names = tuple(column.removeprefix(f"{part}_") for column in columns)
            return names, np.ascontiguousarray(frame[columns].to_numpy(dtype=float))

        (dimensions, demand), (systems, passed) = named("demand"), named("passed")
        return cls(systems, dimensions, demand, passed, named("attempted")[1])


def pool_counts(
    system: npt.ArrayLike,
    demand: Array,
    passed: npt.ArrayLike,
    attempted: npt.ArrayLike,
    dimensions: tuple[str, ...],
) -> PooledResponses:
    """Add up responses of one system to items with the same demand row.

    Args:
        system: (R,) system of each response.
        demand: (R, K) demands of the item answered, columns as `dimensions`.
        passed: (R,) score in [0, 1] (or a sum of scores).
        attempted: (R,) scored items the row stands for.
    """
    if not dimensions:
        return PooledResponses((), (), np.empty((0, 0)), np.empty((0, 0)), np.empty((0, 0)))
    patterns, j = _distinct_rows(np.asarray(demand, dtype=float))
    return _count(np.asarray(system, dtype=object), j, patterns, passed, attempted, dimensions)


def _count(
    system: npt.NDArray[np.object_],
    pattern: npt.NDArray[np.int64],
    patterns: Array,
    passed: npt.ArrayLike,
    attempted: npt.ArrayLike,
    dimensions: tuple[str, ...],
) -> PooledResponses:
    """Sums of (R,) passed and attempted by system and pattern; patterns without a response are left out."""
    n, systems = pd.factorize(system, sort=True)
    shape = (len(patterns), len(systems))
    total_passed, total_attempted = np.zeros(shape), np.zeros(shape)
    np.add.at(total_passed, (pattern, n), np.asarray(passed, dtype=float))
    np.add.at(total_attempted, (pattern, n), np.asarray(attempted, dtype=float))
    used = np.zeros(len(patterns), dtype=bool)
    used[pattern] = True
    return PooledResponses(
        tuple(map(str, systems)), dimensions, patterns[used], total_passed[used], total_attempted[used]
    )


def _distinct_rows(matrix: Array) -> tuple[Array, npt.NDArray[np.int64]]:
    """Sorted distinct rows of (R, K), and of each row which it is: by one whole number a row, as rows sort slowly."""
    code, size = np.zeros(len(matrix), dtype=np.int64), 1
    for column in matrix.T:
        own, levels = pd.factorize(column, sort=True)
        if size * max(len(levels), 1) >= 2**62:
            code, seen = pd.factorize(code, sort=True)
            size = len(seen)
        code, size = code * len(levels) + own, size * max(len(levels), 1)
    which, seen = pd.factorize(code, sort=True)
    row = np.empty(len(seen), dtype=np.int64)
    row[which] = np.arange(len(which))
    return matrix[row], which


def pool_responses(demand: pd.DataFrame, response: pd.DataFrame) -> PooledResponses:
    """Counts from the tables `int_demand` and `int_response`, joined by (benchmark, item).

    Args:
        demand: benchmark, item, dimension, demand (one row an item and dimension).
        response: system, benchmark, item, score in [0, 1]; a NULL score is no response and is left out.

    Raises:
        ValueError: a response belongs to an item without demands, or a score lies outside [0, 1]; names the first.
    """
    key = ["benchmark", "item"]
    scored = response[response["score"].notna()]
    wide = demand.pivot(index=key, columns="dimension", values="demand").sort_index().sort_index(axis=1)
    dimensions = tuple(map(str, wide.columns))
    where = (
        wide.index.get_indexer(pd.MultiIndex.from_frame(scored[key]))
        if len(scored)
        else np.array([], dtype=int)
    )
    # sums of fractions depend on their order, by rounding
    order = np.lexsort((where, pd.factorize(scored["system"], sort=True)[0]))
    scored, where = scored.iloc[order], where[order]
    score = scored["score"].to_numpy(dtype=float)
    for fault, reason in (
        (where < 0, "an item without demands"),
        (~((score >= 0) & (score <= 1)), "a score outside 0-1"),
    ):
        if dimensions and fault.any():
            row = scored[fault].iloc[0]
            raise ValueError(
                f"int_response: {row['system']}, {row['benchmark']}, item {row['item']!r} has {reason} "
                f"({row['score']}); {int(fault.sum())} rows in all. Mend the results or the battery, then refresh."
            )
    if wide.isna().any(axis=None):
        row, column = np.argwhere(wide.isna().to_numpy())[0]
        benchmark, item = wide.index[row]
        raise ValueError(
            f"int_demand: {benchmark}, item {item!r} has no demand for {dimensions[column]}; 0 means not demanded, "
            "a missing row is a fault of the demand model."
        )
    if not dimensions:
        return pool_counts([], np.empty((0, 0)), [], [], ())
    patterns, of_item = _distinct_rows(wide.to_numpy(dtype=float))
    system = scored["system"].to_numpy(dtype=object)
    return _count(system, of_item[where], patterns, score, np.ones(len(scored)), dimensions)
