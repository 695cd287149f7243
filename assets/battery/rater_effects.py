"""The rater-effects model: an item's demand is latent, and each rater reports it in a way of their own (appendix A.3).

For each capability, a rater perceives the demand theta with a bias and noise and reports the level whose thresholds the
perception falls between: P(level >= l | theta) = logit^-1((theta + bias - t_l) / noise). The thresholds t_1 < ... < t_5
are a rater's own; their mean is fixed, so that bias is all of a rater's leniency. Biases add up to zero over the raters
and the distances of thresholds have a geometric mean of 1: the scale is that of the raters together, as for their mean.
Whose noise a disagreement is takes three raters to tell; two share one noise.

Level 0 means "not demanded", so the latent demand is a mixture: exactly 0, or a point on a grid up to 5 whose log
weights are linear between the levels. The grid is summed over, and items enter as counts of distinct tuples of ratings,
missing ones included, so the cost does not grow with items. Posterior mean and SD of a tuple count the chance that it
is 0:
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

Array = npt.NDArray[np.float64]
Levels = npt.NDArray[np.int64]

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
    capability: Levels  # (T,) index
    level: Levels  # (T, R) 0-5, MISSING where not rated
    n_items: Levels  # (T,)


@dataclass(frozen=True)
class RaterEffects:
    """The posterior mode."""

    counts: RatingCounts
    bias: Array  # (C, R) levels; positive = rates higher than the raters together
    noise: Array  # (C, R) scale of the logistic, in levels
    log_probability: Array  # (C, R, levels and MISSING, G)
    log_weight: Array  # (C, G) of the latent demand


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


def rater_model(raters: tuple[str, ...], level: Levels, n_items: Levels) -> pm.Model:
    """The PyMC model of one capability; `level` (T, R) and `n_items` (T,) are data that may be set anew.

    Free: `bias` and `log_gap` (zero-sum over raters), `log_noise`, and the latent demand's distribution
    (`demanded_share`, `height`). Derived: `noise`, `log_probability` (rater × level and MISSING × grid), `log_weight`.
    """
    import pymc as pm
    import pytensor.tensor as pt

    n_raters = len(raters)
    coords = {"rater": list(raters), "gap": [2, 3, 4, 5], "demand": [1, 2, 3, 4, 5]}
    with pm.Model(coords=coords) as model:
        given, count = pm.Data("level", level), pm.Data("n_items", n_items)
        if n_raters > 1:
            bias = pm.ZeroSumNormal("bias", BIAS_SD, dims="rater")
            log_gap = pm.ZeroSumNormal("log_gap", GAP_SPREAD, dims=("gap", "rater"))
        else:
            # one rater is the scale
            bias = pm.Deterministic("bias", pt.zeros(1), dims="rater")
            log_gap = pt.zeros((4, 1))
        # two raters' disagreement does not say whose noise it is, and a mode would give all of it to one of them
        log_noise = pm.Normal("log_noise", shape=n_raters if n_raters > 2 else 1)
        scale = TYPICAL_NOISE * pt.exp(NOISE_SPREAD * log_noise) * pt.ones(n_raters)
        noise = pm.Deterministic("noise", scale, dims="rater")
        above = pt.concatenate([pt.zeros((1, n_raters)), pt.cumsum(pt.exp(log_gap), axis=0)])
        threshold = (above - above.mean(axis=0) + 2.5 - bias).T
        # (R, thresholds, G); logit^-1 by tanh, which numpy knows
        log_odds = (pt.constant(GRID) - threshold[:, :, None]) / noise[:, None, None]
        passes, ends = 0.5 * (1 + pt.tanh(log_odds / 2)), pt.ones((n_raters, 1, len(GRID)))
        # level l: above its own threshold and below the next
        reached = pt.concatenate([ends, passes], axis=1)
        beyond = pt.concatenate([passes, 0 * ends], axis=1)
        by_level = pt.concatenate([pt.log(reached - beyond + 1e-9), 0 * ends], axis=1)
        log_probability = pm.Deterministic("log_probability", by_level)
        demanded = pm.Beta("demanded_share", 1.0, 1.0)
        height = pm.Normal("height", 0.0, 2.0, dims="demand")
        shape = pt.special.log_softmax((height[:, None] * BETWEEN_LEVELS).sum(axis=0))
        mass = [pt.log1p(-demanded)[None], pt.log(demanded) + shape]
        log_weight = pm.Deterministic("log_weight", pt.concatenate(mass))
        log_joint = log_weight[None, :]
        for r in range(n_raters):
            log_joint = log_joint + log_probability[r, given[:, r]]
        pm.Potential("log_likelihood", (count * pt.logsumexp(log_joint, axis=1)).sum())
    return model


def fit_rater_effects(counts: RatingCounts) -> RaterEffects:
    """Posterior mode of the raters' effects and of the distribution of demands, capability by capability.

    Raises:
        RuntimeError: the optimiser ended at a point that is not finite.
    """
    import pymc as pm
    from pymc.blocking import DictToArrayBijection, RaveledVars
    from pytensor.compile.mode import Mode
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits

    names = ["bias", "noise", "log_probability", "log_weight"]
    found: dict[str, list[Array]] = {name: [] for name in names}
    model = rater_model(counts.raters, counts.level, counts.n_items)
    # numpy's own loops: the counts are few, compiling would cost more than it gains and need a C compiler
    mode = Mode("py", "merge")
    density = model.logp_dlogp_function(ravel_inputs=True, mode=mode)
    density.set_extra_values({})
    effects = model.replace_rvs_by_values([model[name] for name in names])
    effects_at = model.compile_fn(effects, inputs=model.value_vars, mode=mode, on_unused_input="ignore")
    start = DictToArrayBijection.map(model.initial_point())

    def objective(theta: Array) -> tuple[float, Array]:
        value, gradient = density(RaveledVars(theta, start.point_map_info))
        return -float(value), -np.asarray(gradient, dtype=np.float64)

    for c, capability in enumerate(counts.capabilities):
        own = counts.capability == c
        with model:
            pm.set_data({"level": counts.level[own], "n_items": counts.n_items[own]})
        with threadpool_limits(limits=1):
            end = minimize(objective, start.data, jac=True, method="L-BFGS-B", options={"maxiter": 2000})
        if not np.isfinite(end.x).all():
            raise RuntimeError(
                f"The rater model found no mode for {capability} ({end.message}): use SUITABILITY_CONSENSUS=mean."
            )
        at = effects_at(DictToArrayBijection.rmap(RaveledVars(end.x, start.point_map_info)))
        for name, value in zip(names, at, strict=True):
            found[name].append(np.asarray(value, dtype=np.float64))
    return RaterEffects(counts, *(np.stack(found[name]) for name in names))


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
    """Table estimate.rater_demand and the raters' effects, from ratings as `count_ratings` takes them.

    Returns:
        benchmark, item, capability, demand, demand_sd: one row a cell with a rating; and
        capability, rater, bias, noise. Both without rows for no ratings.
    """
    if not ratings["level"].notna().any():
        no_text, no_number = np.empty(0, dtype=object), np.empty(0)
        demand = pd.DataFrame(dict.fromkeys(KEY, no_text) | dict.fromkeys(["demand", "demand_sd"], no_number))
        by_rater = dict.fromkeys(["capability", "rater"], no_text) | dict.fromkeys(
            ["bias", "noise"], no_number
        )
        return demand, pd.DataFrame(by_rater)
    counts, items = count_ratings(ratings)
    effects = fit_rater_effects(counts)
    demand = items.merge(tuple_demand(effects), left_on="tuple", right_index=True, validate="many_to_one")
    pairs = pd.MultiIndex.from_product([counts.capabilities, counts.raters], names=["capability", "rater"])
    figures = {"bias": effects.bias.ravel(), "noise": effects.noise.ravel()}
    return demand.drop(columns="tuple"), pd.DataFrame(figures, index=pairs).reset_index()
