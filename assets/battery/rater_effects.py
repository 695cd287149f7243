"""The rater-effects model: an item's demand is latent, and each rater reports it in a way of their own (appendix A.3).

For each capability, a rater perceives the demand theta with a bias and noise and reports the level whose thresholds the
perception falls between: P(level >= l | theta) = logit^-1((theta + bias - t_l) / noise). The thresholds t_1 < ... < t_5
are a rater's own; their mean is fixed, so that bias is all of a rater's leniency. Biases add up to zero over the raters
and the distances of thresholds have a geometric mean of 1: the scale is that of the raters together, as for their mean.
Whose noise a disagreement is takes three raters to tell; two share one noise.

Level 0 means "not demanded", so the latent demand is a mixture: exactly 0, or a point on a grid up to 5 whose log
weights are linear between the levels. The grid is summed over, and items enter as counts of distinct tuples of ratings,
missing ones included, so the cost does not grow with items. Posterior mean and SD of a tuple count the chance of 0
as demand 0:
    every rating given is 0            demand 0 by rule; the SD still says how sure that is
    some 0, some above                 what the raters' thresholds and noise make of it, above 0 and below the others
Bias, noise and thresholds are taken at their posterior mode: over thousands of items their error is small beside
an item's, and with few items the priors hold them at unbiased raters.

Belongs here: PyMC model, its mode, the demand of each item. Does not belong here: who is retained (dbt), Dagster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

if TYPE_CHECKING:
    import pymc as pm

KEY = ["benchmark", "item", "capability"]
N_LEVELS = 6  # 0-5
MISSING = N_LEVELS  # code of a rating that was not given
GRID = np.concatenate(
    [[0.0], np.arange(0.25, 5.01, 0.25)]
)  # (G,) latent demands; the first is "not demanded"
# (5, G - 1) weights of a line through the values at levels 1-5, flat below 1
BETWEEN_LEVELS = np.array([np.interp(GRID[1:], np.arange(1, 6), unit) for unit in np.eye(5)])
# priors: raters of one rubric differ by less than a level, and mostly report what they see to within one
BIAS_SD, TYPICAL_NOISE, NOISE_SPREAD, GAP_SPREAD = 0.5, 0.4, 0.5, 0.25


@dataclass(frozen=True)
class RatingCounts:
    """Items as counts of distinct tuples of ratings."""

    capabilities: tuple[str, ...]  # (C,) sorted
    raters: tuple[str, ...]  # (R,) sorted
    capability: npt.NDArray[np.int64]  # (T,) index
    level: npt.NDArray[np.int64]  # (T, R) 0-5, MISSING where not rated
    n_items: npt.NDArray[np.int64]  # (T,)


@dataclass(frozen=True)
class RaterEffects:
    """The posterior mode."""

    counts: RatingCounts
    bias: npt.NDArray[np.float64]  # (C, R) levels; positive = rates higher than the raters together
    noise: npt.NDArray[np.float64]  # (C, R) scale of the logistic, in levels
    log_probability: npt.NDArray[np.float64]  # (C, R, levels and MISSING, G)
    log_weight: npt.NDArray[np.float64]  # (C, G) of the latent demand


def count_ratings(ratings: pd.DataFrame) -> tuple[RatingCounts, pd.DataFrame]:
    """Counts of tuples, and each rated item's tuple: benchmark, item, capability, tuple (row of the counts).

    Args:
        ratings: rater, benchmark, item, capability, level (0-5; NULL = not rated). A cell that nobody rated is absent.

    Raises:
        ValueError: a rater rated a cell twice, or a level is no whole number from 0 to 5; names the first.
    """
    rated = ratings[ratings["level"].notna()]
    level = rated["level"].astype(float)
    if (bad := ~level.isin(range(N_LEVELS))).any():
        row = rated[bad].iloc[0]
        raise ValueError(
            f"rating: {row['rater']}, {row['benchmark']}, item {row['item']!r}, {row['capability']}: level "
            f"{row['level']} is no whole number from 0 to 5."
        )
    if (twice := rated.duplicated([*KEY, "rater"])).any():
        row = rated[twice].iloc[0]
        raise ValueError(
            f"rating: {row['rater']} rated {row['benchmark']}, item {row['item']!r}, {row['capability']} twice."
        )
    wide = (
        level.astype(int)
        .set_axis(pd.MultiIndex.from_frame(rated[[*KEY, "rater"]]))
        .unstack(fill_value=MISSING)
    )
    wide = wide.sort_index(axis=0).sort_index(axis=1)
    capability, capabilities = pd.factorize(wide.index.get_level_values("capability"), sort=True)
    code = np.column_stack([capability, wide.to_numpy(dtype=int)])
    tuples, which, n_items = np.unique(code, axis=0, return_inverse=True, return_counts=True)
    counts = RatingCounts(
        tuple(map(str, capabilities)), tuple(map(str, wide.columns)), tuples[:, 0], tuples[:, 1:], n_items
    )
    return counts, wide.index.to_frame(index=False).assign(tuple=which)


def rater_model(counts: RatingCounts) -> pm.Model:
    """The PyMC model: `bias` (zero-sum over raters), `log_noise`, `log_gap`, and the latent demand's distribution."""
    import pymc as pm
    import pytensor.tensor as pt

    n_capabilities, n_raters = len(counts.capabilities), len(counts.raters)
    coords = {"capability": list(counts.capabilities), "rater": list(counts.raters), "gap": [2, 3, 4, 5]}
    coords |= {"demand": [1, 2, 3, 4, 5]}
    by_rater = ("capability", "rater")
    with pm.Model(coords=coords) as model:
        if n_raters > 1:
            bias = pm.ZeroSumNormal("bias", BIAS_SD, dims=by_rater)
            log_gap = pm.ZeroSumNormal("log_gap", GAP_SPREAD, dims=("capability", "gap", "rater"))
        else:
            # one rater is the scale
            bias = pm.Deterministic("bias", pt.zeros((n_capabilities, 1)), dims=by_rater)
            log_gap = pt.zeros((n_capabilities, 4, 1))
        # two raters' disagreement does not say whose noise it is, and a mode would give all of it to one of them
        log_noise = pm.Normal("log_noise", shape=(n_capabilities, n_raters if n_raters > 2 else 1))
        noise = pm.Deterministic(
            "noise",
            TYPICAL_NOISE * pt.exp(NOISE_SPREAD * log_noise) * pt.ones((1, n_raters)),
            dims=by_rater,
        )
        above = pt.cumsum(pt.exp(log_gap), axis=1).transpose(0, 2, 1)
        above = pt.concatenate([pt.zeros_like(above[..., :1]), above], axis=-1)
        threshold = above - above.mean(axis=-1, keepdims=True) + 2.5 - bias[..., None]
        # (C, R, thresholds, G)
        log_odds = (pt.constant(GRID) - threshold[..., None]) / noise[..., None, None]
        # level l: above its own threshold and below the next; 1 at either end
        reached = pt.concatenate([pt.ones_like(log_odds[..., :1, :]), pt.sigmoid(log_odds)], axis=-2)
        beyond = pt.concatenate([pt.sigmoid(log_odds), pt.zeros_like(log_odds[..., :1, :])], axis=-2)
        log_level = pt.log(pt.maximum(reached - beyond, 1e-12))
        not_rated = pt.zeros_like(log_level[..., :1, :])
        log_probability = pm.Deterministic("log_probability", pt.concatenate([log_level, not_rated], axis=-2))
        demanded = pm.Normal("demanded", 0.0, 1.5, dims="capability")
        height = pm.Normal("height", 0.0, 2.0, dims=("capability", "demand"))
        shape = pt.special.log_softmax(height @ BETWEEN_LEVELS, axis=-1)
        mass = [-pt.softplus(demanded)[:, None], shape - pt.softplus(-demanded)[:, None]]
        log_weight = pm.Deterministic("log_weight", pt.concatenate(mass, axis=-1))
        log_joint = log_weight[counts.capability]
        for r in range(len(counts.raters)):
            log_joint = log_joint + log_probability[counts.capability, r, counts.level[:, r]]
        pm.Potential("log_likelihood", (counts.n_items * pt.logsumexp(log_joint, axis=-1)).sum())
    return model


def fit_rater_effects(counts: RatingCounts) -> RaterEffects:
    """Posterior mode of the raters' effects and of the distribution of demands.

    Raises:
        RuntimeError: the optimiser ended at a point that is not finite.
    """
    import pymc as pm
    import pytensor
    from threadpoolctl import threadpool_limits

    # counts are few: compiling would take longer than the search, and need a C compiler
    with threadpool_limits(limits=1), pytensor.config.change_flags(mode="FAST_COMPILE"):
        found = pm.find_MAP(model=rater_model(counts), progressbar=False, maxeval=20000)
    if not all(np.isfinite(value).all() for value in found.values()):
        raise RuntimeError("The rater model found no mode: leave SUITABILITY_CONSENSUS at mean.")
    return RaterEffects(
        counts,
        found["bias"],
        found["noise"],
        found["log_probability"],
        found["log_weight"],
    )


def tuple_demand(effects: RaterEffects) -> pd.DataFrame:
    """Posterior demand of each tuple, in the order of the counts: demand (0-5, mean), demand_sd."""
    counts = effects.counts
    log_joint = effects.log_weight[counts.capability]
    for r in range(len(counts.raters)):
        log_joint = log_joint + effects.log_probability[counts.capability, r, counts.level[:, r]]
    mass = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
    mass /= mass.sum(axis=1, keepdims=True)
    mean = mass @ GRID
    sd = np.sqrt(np.maximum(mass @ GRID**2 - mean**2, 0.0))
    is_silent = ((counts.level == 0) | (counts.level == MISSING)).all(axis=1)
    return pd.DataFrame({"demand": np.where(is_silent, 0.0, mean), "demand_sd": sd})


def rater_demand(ratings: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table model.rater_demand and the raters' effects, from ratings as `count_ratings` takes them.

    Returns:
        benchmark, item, capability, demand, demand_sd: one row a cell with a rating; and
        capability, rater, bias, noise. Both without rows for no ratings.
    """
    if not ratings["level"].notna().any():
        return pd.DataFrame(columns=[*KEY, "demand", "demand_sd"]), pd.DataFrame(
            columns=["capability", "rater", "bias", "noise"]
        )
    counts, items = count_ratings(ratings)
    effects = fit_rater_effects(counts)
    demand = items.merge(tuple_demand(effects), left_on="tuple", right_index=True, validate="many_to_one")
    pairs = pd.MultiIndex.from_product([counts.capabilities, counts.raters], names=["capability", "rater"])
    figures = {"bias": effects.bias.ravel(), "noise": effects.noise.ravel()}
    return demand.drop(columns="tuple"), pd.DataFrame(figures, index=pairs).reset_index()
