"""Which model predicts best the answers to benchmarks it has not seen? Held-out log scores.

Folds are groups of whole benchmarks: items of one benchmark resemble each other beyond their demands, so that folds of
items would let a model score by what it has learned of the benchmark itself. Each model is fitted to the other folds
and gives every response of the fold left out a probability; an item's score is the mean over the systems that answered
it of the log probability of what they did. Nearer to 0 is better; -log 2 = -0.693 is a coin.

Models:
    base            paper, equations 1-4, as model.py: a capability a dimension, slopes and discriminations alike
    catalogue       slopes and discriminations of each dimension estimated (per_dimension_model.py)
    level           one capability a system: c_k is the same in all dimensions (a demand vector counts as the one demand
                    that is as hard under the soft minimum)
    accuracy        the system's accuracy on the other folds, with one pass and one failure added; demands don't matter

The first three are fitted alike, by mode and normal approximation (laplace.py), and probabilities are means over its
draws: with thousands of answers a system the posterior is near normal, and where a fold takes a dimension's items away
it is the prior, which is normal.

Belongs here: folds, scores and their summary. Does not belong here: fits (laplace.py), files (validation_files.py),
Dagster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from assets.capability.check.item_table import item_table
from assets.capability.fit.layout import Array, PooledResponses, pool_counts
from assets.capability.fit.model import ModelOptions
from assets.capability.validation import laplace
from assets.capability.validation.per_dimension_model import steep_matrix, steepness

BASE = "base"
N_FOLDS, N_DRAWS = 5, 200
COMPARISON = ["model", "n_items", "n_responses", "n_benchmarks", "n_folds"]
COMPARISON += ["log_score", "difference", "difference_se"]

# (training responses, demand (J, K), options, seed) -> (J, N) probabilities of success
Predict = Callable[[PooledResponses, Array, ModelOptions, int], Array]


def benchmark_folds(n_items: dict[str, int], n_folds: int = N_FOLDS) -> dict[str, int]:
    """Fold of each benchmark: the largest first, each into the fold that holds the fewest items; ties by name.

    Args:
        n_items: items a benchmark.
        n_folds: groups at most; with fewer benchmarks, each is a group.
    """
    filled = [0] * min(n_folds, len(n_items))
    fold = {}
    for benchmark in sorted(n_items, key=lambda name: (-n_items[name], name)):
        fold[benchmark] = int(np.argmin(filled))
        filled[fold[benchmark]] += n_items[benchmark]
    return fold


def soft_demand(demand: Array, options: ModelOptions) -> Array:
    """(J, 1) the one demand as hard as (J, K) demands for someone equally capable in all; 0 where none is."""
    matrix, _ = steep_matrix(demand, np.full(demand.shape[1], options.lam), options.tau)
    total = matrix.sum(axis=1)
    is_demanding = total > 0
    log_total = np.log(np.where(is_demanding, total, 1.0))
    return np.where(is_demanding, log_total / options.tau / options.lam, 0.0)[:, None]


def _by_layout(
    train: PooledResponses, demand: Array, options: ModelOptions, seed: int, is_free: bool
) -> Array:
    fit = laplace.fit(train, options, is_free=is_free)
    mean = np.zeros((len(demand), len(train.systems)))
    for at in fit.draws(N_DRAWS, seed):
        matrix, idle = steep_matrix(demand, steepness(at, options), options.tau)
        ease, alpha = (np.clip(x, -options.max_ease, options.max_ease) for x in (at.ease, at.alpha))
        total = matrix @ np.exp(-options.tau * ease).T + (idle * np.exp(-options.tau * alpha))[:, None]
        mean += 1 / (1 + total ** (1 / options.tau)) / N_DRAWS
    return mean


def base(train: PooledResponses, demand: Array, options: ModelOptions, seed: int) -> Array:
    """The paper's model."""
    return _by_layout(train, demand, options, seed, is_free=False)


def catalogue(train: PooledResponses, demand: Array, options: ModelOptions, seed: int) -> Array:
    """Slopes and discriminations estimated."""
    return _by_layout(train, demand, options, seed, is_free=True)


def level(train: PooledResponses, demand: Array, options: ModelOptions, seed: int) -> Array:
    """One capability a system."""
    single = replace(train, dimensions=("level",), demand=soft_demand(train.demand, options))
    return _by_layout(single, soft_demand(demand, options), options, seed, is_free=False)


def accuracy(train: PooledResponses, demand: Array, options: ModelOptions, seed: int) -> Array:
    """Posterior mean accuracy under a uniform prior."""
    share = (train.passed.sum(axis=0) + 1) / (train.attempted.sum(axis=0) + 2)
    return np.tile(share, (len(demand), 1))


MODELS: dict[str, Predict] = {BASE: base, "catalogue": catalogue, "level": level, "accuracy": accuracy}


def held_out_scores(
    demand: pd.DataFrame, response: pd.DataFrame, options: ModelOptions, seed_for: Callable[..., int]
) -> Iterator[pd.DataFrame]:
    """One block a fold and model: model, fold, benchmark, item, n_responses, log_score (nats, mean over responses).

    Items that no system has a score on are left out. A system that has answers in one fold only is told by the prior
    alone there.

    Args:
        demand, response: tables `int_demand` and `int_response`.

    Raises:
        ValueError: fewer than two benchmarks have answers, so none can be left out.
    """
    items = item_table(demand, response)
    names = [str(name) for name in items.columns]
    dimensions = tuple(name.removeprefix("demand_") for name in names if name.startswith("demand_"))
    systems = tuple(name.removeprefix("score_") for name in names if name.startswith("score_"))
    items = items[items[[f"score_{s}" for s in systems]].notna().any(axis=1)].reset_index(drop=True)
    counts = items["benchmark"].value_counts()
    fold_of = benchmark_folds({str(name): int(n) for name, n in counts.items()})
    if len(fold_of) < 2:
        raise ValueError(
            f"{len(fold_of)} benchmark(s) have answers: to leave one out takes two. Add results of another benchmark."
        )
    fold = items["benchmark"].map(fold_of).to_numpy()
    levels = items[[f"demand_{d}" for d in dimensions]].to_numpy(dtype=float)
    score = items[[f"score_{s}" for s in systems]].to_numpy(dtype=float)
    for f in range(max(fold_of.values()) + 1):
        out = np.equal(fold, f)
        train = _pool(levels[~out], score[~out], systems, dimensions)
        patterns, of_item = np.unique(levels[out], axis=0, return_inverse=True)
        is_scored = ~np.isnan(score[out])
        n_responses = is_scored.sum(axis=1)
        y = np.where(is_scored, score[out], 0.0)
        for name, predict in MODELS.items():
            p = predict(train, patterns, options, seed_for("comparison", name, f))[of_item]
            p = np.clip(p, 1e-12, 1 - 1e-12)
            log_score = np.where(is_scored, y * np.log(p) + (1 - y) * np.log1p(-p), 0.0).sum(axis=1)
            block = items.loc[out, ["benchmark", "item"]].assign(model=name, fold=f)
            yield block.assign(n_responses=n_responses, log_score=log_score / n_responses)


def _pool(
    demand: Array, score: Array, systems: tuple[str, ...], dimensions: tuple[str, ...]
) -> PooledResponses:
    """All systems, also those without an answer here."""
    rows, columns = np.nonzero(~np.isnan(score))
    names = np.array(systems, dtype=object)
    own = score[rows, columns]
    pooled = pool_counts(names[columns], demand[rows], own, np.ones(len(own)), dimensions)
    where = [systems.index(name) for name in pooled.systems]
    passed, attempted = np.zeros((2, len(pooled.demand), len(systems)))
    passed[:, where], attempted[:, where] = pooled.passed, pooled.attempted
    return replace(pooled, systems=systems, passed=passed, attempted=attempted)


def model_comparison(scores: pd.DataFrame) -> pd.DataFrame:
    """Table estimate.model_comparison from the rows of `held_out_scores`.

    Returns:
        model, n_items, n_responses, n_benchmarks, n_folds, log_score (mean over items), difference (to the base
        model, item by item; above 0 = better than it) and its standard error over items, clustered by benchmark:
        sqrt(B / (B - 1) · sum over benchmarks of (sum of centred differences)²) / items. Both 0 for the base model.
    """
    wide = scores.pivot(index=["benchmark", "item"], columns="model", values="log_score")
    rows = []
    for name, own in scores.groupby("model", sort=True):
        difference = wide[name] - wide[BASE]
        by_benchmark = (difference - difference.mean()).groupby(level="benchmark").sum().to_numpy()
        n = len(by_benchmark)
        rows.append(
            {
                "model": name,
                "n_items": len(own),
                "n_responses": int(own["n_responses"].sum()),
                "n_benchmarks": n,
                "n_folds": own["fold"].nunique(),
                "log_score": own["log_score"].mean(),
                "difference": difference.mean(),
                "difference_se": float(np.sqrt(n / (n - 1) * (by_benchmark**2).sum()) / len(difference)),
            }
        )
    return pd.DataFrame(rows, columns=COMPARISON)
