"""Does the model predict answers it has not seen, and does it describe those it has?

Belongs here: held-out predictions by folds of items, and posterior predictive characteristic curves.
Does not belong here: summaries that SQL makes of them (dbt/models/marts/capability), files, Dagster.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.capability.check.item_table import Answers, Draws, failure_odds, log_likelihood, success
from assets.capability.fit.factorised import fit_system
from assets.capability.fit.layout import Array
from assets.capability.fit.model import ModelOptions

N_FOLDS = 10
# draws a mean probability is taken over: its error is far below what a probability means
N_PREDICTING = 1000
TOP_LEVEL = 5


def folds(benchmark: npt.NDArray[np.object_], item: npt.NDArray[np.object_]) -> npt.NDArray[np.int64]:
    """(J,) fold 0-9 of each item, by a hash of its name: the same whatever else is in the battery."""
    names = (f"{b}\0{i}".encode() for b, i in zip(benchmark, item, strict=True))
    return np.array(
        [int.from_bytes(hashlib.blake2b(n, digest_size=8).digest()) % N_FOLDS for n in names], int
    )


def held_out_predictions(
    answers: Answers, draws: Draws, options: ModelOptions, max_khat: float, seed: int
) -> pd.DataFrame:
    """Probability of success on each item, from the posterior that has not seen the item's fold.

    The posterior without a fold is the full one with each draw weighted by 1 / likelihood of the fold, as long as
    these weights can be trusted (Pareto k); otherwise the system is fitted anew to the other folds.

    Returns:
        benchmark, item, fold, score, predicted, khat (of the fold's weights; NULL where the weights are all alike).
    """
    fold = folds(answers.benchmark, answers.item)
    predicted, khats = np.empty(len(fold)), np.empty(len(fold))
    for f in np.unique(fold):
        mine = np.equal(fold, f)
        weight, khat = _smoothed(-log_likelihood(answers.where(mine), draws, options))
        kept = draws.at(_resampled(weight, N_PREDICTING))
        if khat > max_khat:
            kept, khat = _refitted(answers.where(~mine), options, seed)
        predicted[mine] = success(answers.demand[mine], kept, options)
        khats[mine] = khat
    return pd.DataFrame(
        {
            "benchmark": answers.benchmark,
            "item": answers.item,
            "fold": fold,
            "score": answers.score,
            "predicted": predicted,
            "khat": khats,
        }
    )


def _refitted(answers: Answers, options: ModelOptions, seed: int) -> tuple[Draws, float]:
    """Draws given `answers` alone; items that demand nothing tell alpha, which weighs the draws once more."""
    ones = np.ones(len(answers.score))
    fit = fit_system(answers.demand, answers.score, ones, options, seed)
    rng = np.random.default_rng(seed)
    mean, variance = fit.alpha_given_ease(options)
    draws = Draws(fit.ease, mean + np.sqrt(variance) * rng.standard_normal(len(mean)))
    idle = answers.where(np.all(answers.demand <= 0, axis=1))
    log_weight = np.log(np.maximum(fit.weight, 1e-300)) + log_likelihood(idle, draws, options)
    weight, khat = _smoothed(log_weight)
    return draws.at(_resampled(weight, N_PREDICTING)), khat


def _smoothed(log_weight: Array) -> tuple[Array, float]:
    """Pareto-smoothed weights that sum to 1, and k; NaN where all are alike."""
    import arviz as az

    if np.ptp(log_weight) < 1e-9:
        return np.full(len(log_weight), 1 / len(log_weight)), float("nan")
    smoothed, khat = az.psislw(log_weight - log_weight.max())
    weight = np.exp(np.asarray(smoothed))
    return weight / weight.sum(), float(khat)


def _resampled(weight: Array, n: int) -> npt.NDArray[np.int64]:
    """`n` draws, each as often as its weight says, to within one (systematic resampling)."""
    points = (np.arange(n) + 0.5) / n
    return np.minimum(np.searchsorted(np.cumsum(weight), points), len(weight) - 1)


def characteristic_curve(
    answers: Answers, dimensions: tuple[str, ...], draws: Draws, options: ModelOptions, seed: int
) -> pd.DataFrame:
    """Success against demand, seen and as the model would make it again (posterior predictive check).

    Returns:
        dimension, level (demand rounded, half to even, as mart demand_level), n_items, observed (mean score),
        predicted (posterior mean of success), q025, q975 of the success share that the model would give on the
        same items: uncertainty of the profile and chance in the answers. Rows with items only.
    """
    chosen = draws.at(np.linspace(0, len(draws.alpha) - 1, min(N_PREDICTING, len(draws.alpha))).astype(int))
    level = np.clip(np.rint(answers.demand), 0, TOP_LEVEL).astype(int)
    cell = level + (TOP_LEVEL + 1) * np.arange(level.shape[1])
    n_cells, rng = (TOP_LEVEL + 1) * level.shape[1], np.random.default_rng(seed)
    expected, again = np.zeros((2, n_cells, len(chosen.alpha)))
    for rows, odds in failure_odds(answers.demand, chosen, options):
        probability = 1 / (1 + odds)
        belongs = np.zeros((n_cells, len(odds)))
        belongs[cell[rows].T, np.arange(len(odds))] = 1
        expected += belongs @ probability
        again += belongs @ (rng.random(odds.shape) < probability)
    n_items = np.bincount(cell.ravel(), minlength=n_cells)
    observed = np.bincount(cell.ravel(), np.repeat(answers.score, level.shape[1]), n_cells)
    low, high = np.quantile(again, [0.025, 0.975], axis=1)
    n = np.maximum(n_items, 1)
    frame = pd.DataFrame(
        {
            "dimension": np.repeat(np.array(dimensions, dtype=object), TOP_LEVEL + 1),
            "level": np.tile(np.arange(TOP_LEVEL + 1), len(dimensions)),
            "n_items": n_items,
            "observed": observed / n,
            "predicted": expected.mean(axis=1) / n,
            "q025": low / n,
            "q975": high / n,
        }
    )
    return frame[frame["n_items"] > 0].reset_index(drop=True)
