"""Item by item: who answered what, what each item demands, and how probable the answers are under posterior draws.

Belongs here: the item-level table, and success odds and likelihoods of items over draws.
Does not belong here: what is made of them (prediction.py, influence.py), files, Dagster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.capability.fit.layout import Array, design_matrix
from assets.capability.fit.model import ModelOptions

KEY = ["benchmark", "item"]
# items taken at once: memory is this times the draws, whatever the battery's size
BLOCK_ITEMS = 256
# draws taken at once where each stands for itself: what is computed stays in the processor's cache
BLOCK_DRAWS = 1000


@dataclass(frozen=True)
class Answers:
    """One system's scored items."""

    benchmark: npt.NDArray[np.object_]  # (J,)
    item: npt.NDArray[np.object_]  # (J,)
    demand: Array  # (J, K)
    score: Array  # (J,) in [0, 1]

    def where(self, rows: npt.NDArray[np.bool_]) -> Answers:
        return Answers(self.benchmark[rows], self.item[rows], self.demand[rows], self.score[rows])


@dataclass(frozen=True)
class Draws:
    """Equally weighted posterior draws of one system; items see of it `ease` = c + alpha alone."""

    ease: Array  # (S, K)
    alpha: Array  # (S,)

    def at(self, chosen: npt.NDArray[np.int64]) -> Draws:
        return replace(self, ease=self.ease[chosen], alpha=self.alpha[chosen])


def item_table(demand: pd.DataFrame, response: pd.DataFrame) -> pd.DataFrame:
    """One row an item: benchmark, item, `demand_<dimension>` and `score_<system>` (NULL = no scored answer).

    Args:
        demand: benchmark, item, dimension, demand (`int_demand`).
        response: system, benchmark, item, score in [0, 1] (`int_response`); answers to items without demands are
            left out, estimate/capability_input refuses them.
    """
    levels = demand.pivot(index=KEY, columns="dimension", values="demand").sort_index().sort_index(axis=1)
    scores = response.pivot(index=KEY, columns="system", values="score").reindex(levels.index)
    wide = pd.concat(
        [levels.add_prefix("demand_"), scores.sort_index(axis=1).add_prefix("score_")], axis="columns"
    )
    return wide.astype(float).reset_index()


def answers_of(items: pd.DataFrame, system: str, dimensions: tuple[str, ...]) -> Answers:
    """The scored items of `system` in `item_table`'s rows."""
    scored = items[items[f"score_{system}"].notna()]
    return Answers(
        scored["benchmark"].to_numpy(dtype=object),
        scored["item"].to_numpy(dtype=object),
        scored[[f"demand_{d}" for d in dimensions]].to_numpy(dtype=float),
        scored[f"score_{system}"].to_numpy(dtype=float),
    )


def failure_odds(demand: Array, draws: Draws, options: ModelOptions) -> Iterator[tuple[slice, Array]]:
    """Odds of failing each item under each draw, a block of items at a time: rows, (rows, S); tau > 0."""
    limit = options.max_ease
    weight = np.exp(-options.tau * np.clip(draws.ease, -limit, limit)).T
    idle = np.exp(-options.tau * np.clip(draws.alpha, -limit, limit))
    matrix = design_matrix(demand, options.tau, options.lam)
    is_idle = np.all(demand <= 0, axis=1)
    for start in range(0, len(demand), BLOCK_ITEMS):
        rows = slice(start, start + BLOCK_ITEMS)
        total = matrix[rows] @ weight
        total[is_idle[rows]] = idle
        yield rows, total if options.tau == 1 else total ** (1 / options.tau)


def power_of_odds(odds: Array, exponent: Array) -> Array:
    """odds^exponent by row, in the place of `odds`: without a logarithm where the exponent is -1, 0 or 1."""
    odds[exponent == 0] = 1.0
    turned = np.flatnonzero(exponent == -1)
    odds[turned] = 1 / odds[turned]
    other = np.flatnonzero(~np.isin(exponent, (-1, 0, 1)))
    odds[other] = odds[other] ** exponent[other, None]
    return odds


def log_likelihood(answers: Answers, draws: Draws, options: ModelOptions) -> Array:
    """(S,) log-likelihood of all `answers` under each draw; tau > 0."""
    value = np.zeros(len(draws.alpha))
    # so many items' probabilities multiply to no less than e^-700: logarithms are what this costs most
    group = max(1, int(700 / (options.max_ease + options.lam * answers.demand.max(initial=0.0))))
    for start in range(0, len(value), BLOCK_DRAWS):
        block = np.arange(start, min(start + BLOCK_DRAWS, len(value)))
        for rows, odds in failure_odds(answers.demand, draws.at(block), options):
            either = 1 + odds
            probability = np.divide(power_of_odds(odds, 1 - answers.score[rows]), either, out=either)
            value[block] += np.log(_products(probability, group)).sum(axis=0)
    return value


def _products(factors: Array, size: int) -> Array:
    """Products down (J, S) of `size` rows each, and of those left over."""
    whole = len(factors) // size * size
    products = np.multiply.reduce(factors[:whole].reshape(-1, size, factors.shape[1]), axis=1)
    if whole == len(factors):
        return products
    return np.concatenate([products, np.multiply.reduce(factors[whole:], axis=0, keepdims=True)])


def success(demand: Array, draws: Draws, options: ModelOptions) -> Array:
    """(J,) posterior mean of the probability of success."""
    mean = np.empty(len(demand))
    for rows, odds in failure_odds(demand, draws, options):
        mean[rows] = (1 / (1 + odds)).mean(axis=1)
    return mean
