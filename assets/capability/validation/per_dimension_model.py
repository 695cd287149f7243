"""The catalogue model: a slope and a discrimination of its own for every dimension (paper, appendix A.3's extension).

On a demanded dimension the margin is m = delta_k · (c_k - lambda_k · D_k); soft minimum, intercept and priors of c and
alpha are the base model's (model.py). One system cannot tell lambda_k from its own c_k; a catalogue can.

Anchors: the geometric mean of the slopes is `options.lam` and that of the discriminations is 1, both as a sum of
logarithms that is zero by construction. So the average dimension is measured as the base model measures all of them,
one unit of c stays one average demand level, and lambda_k = delta_k = 1 is the base model exactly. An arithmetic anchor
would let a product of the two drift; fixing one dimension would make the others' intervals carry its uncertainty.

What tells them apart: the responses alone give delta_k · lambda_k, the log-odds that one level costs (`steepness`).
Its parts are told by the prior that capabilities have the same mean and SD in each dimension. Where the catalogue is
weak in one dimension as a whole, the model reads part of that as a low discrimination: read `steepness` first.

Belongs here: density, gradient, PyMC model and its sampling. Does not belong here: Laplace draws (laplace.py), files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assets.capability.fit import nuts
from assets.capability.fit.fit_quality import Quality, nuts_quality
from assets.capability.fit.layout import Array, PooledResponses
from assets.capability.fit.model import ModelOptions

if TYPE_CHECKING:
    import pymc as pm

# prior SD of a log slope or log discrimination about its anchor: two in three dimensions within a factor of 1.5
SPREAD = 0.4
# no steepness that data allow comes near it; a search that strays beyond stays finite
MAX_POWER = 300.0


@dataclass(frozen=True)
class Parameters:
    """One point: all that the responses depend on. `slope` and `discrimination` are free coordinates (see `basis`)."""

    alpha: float
    slope: Array  # (F,) coordinates of log lambda; F = K - 1, or 0 where the base model's slope holds
    discrimination: Array  # (F,) coordinates of log delta
    ease: Array  # (N, K) delta_k · c_k + alpha

    @property
    def shared(self) -> Array:
        """(1 + 2F,) what the systems share."""
        return np.concatenate([[self.alpha], self.slope, self.discrimination])

    @classmethod
    def of(cls, shared: Array, ease: Array) -> Parameters:
        slope, discrimination = np.split(shared[1:], 2)
        return cls(float(shared[0]), slope, discrimination, ease)


def basis(n_dimensions: int, n_free: int) -> Array:
    """(K, F) orthonormal columns that add up to zero; coordinates times this are logarithms about the anchor.

    F is K - 1, or 0 for the base model.
    """
    if not n_free:
        return np.empty((n_dimensions, 0))
    step = np.tril(np.ones((n_dimensions, n_dimensions)), -1)[:, :n_free]
    step[np.arange(n_free), np.arange(n_free)] = -np.arange(n_dimensions - 1, 0, -1)
    return np.asarray(step / np.linalg.norm(step, axis=0))


def log_density(
    at: Parameters, responses: PooledResponses, options: ModelOptions
) -> tuple[float, Array, Array]:
    """Log posterior density up to a constant, and its gradient; tau > 0.

    Returns:
        value, (1 + 2F,) derivative by `Parameters.shared`, (N, K) derivative by ease.
    """
    tau, to_log = options.tau, basis(len(responses.dimensions), len(at.slope))
    steep, delta = steepness(at, options), np.exp(to_log @ at.discrimination)
    matrix, idle = steep_matrix(responses.demand, steep, tau)
    weight, idle_odds = np.exp(-tau * at.ease), np.exp(-tau * at.alpha) * idle
    total = matrix @ weight.T + idle_odds[:, None]
    log_odds = np.log(total) / tau
    failed, attempted = responses.attempted - responses.passed, responses.attempted
    # (J, N) log likelihood by log total, over total
    by_total = (failed - attempted / (1 + np.exp(-log_odds))) / total / tau
    own = at.ease - at.alpha
    away, own = (own / delta - options.mean) / options.sd, own / delta / options.sd
    value = float((failed * log_odds - attempted * np.logaddexp(0, log_odds)).sum())
    value -= 0.5 * (float((away**2).sum()) + (at.alpha / options.intercept_sd) ** 2)
    value -= 0.5 * float((at.slope**2).sum() + (at.discrimination**2).sum()) / SPREAD**2
    by_ease = -tau * weight * (matrix.T @ by_total).T - away / delta / options.sd
    by_alpha = -tau * float((idle_odds @ by_total).sum()) - at.alpha / options.intercept_sd**2
    by_alpha += float((away / delta).sum()) / options.sd
    by_log_steep = tau * steep * (responses.demand * matrix * (by_total @ weight)).sum(axis=0)
    by_slope = to_log.T @ by_log_steep - at.slope / SPREAD**2
    by_log_delta = by_log_steep + (away * own).sum(axis=0)
    by_discrimination = to_log.T @ by_log_delta - at.discrimination / SPREAD**2
    return value, np.concatenate([[by_alpha], by_slope, by_discrimination]), by_ease


def steepness(at: Parameters, options: ModelOptions) -> Array:
    """(K,) delta_k · lambda_k: log-odds that one demand level costs."""
    to_log = basis(at.ease.shape[1], len(at.slope))
    return np.asarray(options.lam * np.exp(to_log @ (at.slope + at.discrimination)))


def steep_matrix(demand: Array, steep: Array, tau: float) -> tuple[Array, Array]:
    """(J, K) terms that e^{-tau·ease} is multiplied by, as `layout.design_matrix`; (J,) 1 where nothing is demanded."""
    active = demand > 0
    n_active = active.sum(axis=1)
    power = np.minimum(tau * steep * demand, MAX_POWER)
    matrix = np.where(active, np.exp(power), 0.0) / np.maximum(n_active, 1)[:, None]
    return matrix, (n_active == 0).astype(float)


def catalogue_model(responses: PooledResponses, options: ModelOptions) -> pm.Model:
    """The PyMC model: free `alpha`, `log_slope`, `log_discrimination` (zero-sum) and `ease`; tau > 0.

    Derived: `slope`, `discrimination`, `steepness` (dimension) and `c` (system × dimension). Counts per demand pattern
    are all it keeps.

    Raises:
        ValueError: fewer than two dimensions; the anchors then leave nothing to estimate.
    """
    import pymc as pm
    import pytensor.tensor as pt

    if len(responses.dimensions) < 2:
        raise ValueError(
            f"Slopes and discriminations are relative: they need two dimensions or more, and the battery has "
            f"{len(responses.dimensions)}. Use the base model (assets/capability/fit/model.py)."
        )
    share, idle = steep_matrix(responses.demand, np.zeros(len(responses.dimensions)), options.tau)
    failed, limit = responses.attempted - responses.passed, options.max_ease
    with pm.Model(
        coords={"system": list(responses.systems), "dimension": list(responses.dimensions)}
    ) as model:
        alpha = pm.Normal("alpha", 0.0, options.intercept_sd)
        log_slope = pm.ZeroSumNormal("log_slope", SPREAD, dims="dimension")
        log_discrimination = pm.ZeroSumNormal("log_discrimination", SPREAD, dims="dimension")
        slope = pm.Deterministic("slope", options.lam * pt.exp(log_slope), dims="dimension")
        delta = pm.Deterministic("discrimination", pt.exp(log_discrimination), dims="dimension")
        steep = pm.Deterministic("steepness", slope * delta, dims="dimension")
        ease = pm.Normal(
            "ease", delta * options.mean + alpha, delta * options.sd, dims=("system", "dimension")
        )
        pm.Deterministic("c", (ease - alpha) / delta, dims=("system", "dimension"))
        weight = pt.exp(-options.tau * pt.clip(ease, -limit, limit))
        total = pt.dot(share * pt.exp(options.tau * steep * responses.demand), weight.T)
        idle_odds = pt.exp(-options.tau * pt.clip(alpha, -limit, limit))
        log_odds = pt.log(total + idle[:, None] * idle_odds) / options.tau
        value = failed * log_odds - responses.attempted * pt.softplus(log_odds)
        pm.Potential("log_likelihood", value.sum())
    return model


@dataclass(frozen=True)
class CatalogueDraws:
    """Equally weighted joint draws."""

    systems: tuple[str, ...]  # (N,)
    dimensions: tuple[str, ...]  # (K,)
    slope: Array  # (S, K) lambda_k
    discrimination: Array  # (S, K) delta_k
    steepness: Array  # (S, K) their product
    capability: Array  # (S, N, K) c
    intercept: Array  # (S,)
    quality: Quality


def sample_catalogue(
    responses: PooledResponses, options: ModelOptions, sampler: nuts.SamplerOptions
) -> CatalogueDraws:
    """Sample the catalogue model by NUTS. Whether the draws may be used, `quality` says (fit.convergence_faults).

    Raises:
        ValueError: fewer than two dimensions.
    """
    from assets.capability.validation.laplace import posterior_mode

    model = catalogue_model(responses, options)
    mode, n_free = posterior_mode(responses, options, is_free=True), len(responses.dimensions) - 1
    to_log = basis(len(responses.dimensions), n_free)
    start = {
        "alpha": np.asarray(mode.alpha),
        "log_slope": to_log @ mode.slope,
        "log_discrimination": to_log @ mode.discrimination,
        "ease": mode.ease,
    }
    names = ["slope", "discrimination", "steepness", "c", "alpha"]
    trace = nuts.sample_model(model, start, names, sampler, is_correlated=True)
    draws = {name: trace.posterior[name].to_numpy() for name in names}
    chains = [array.reshape(*array.shape[:2], -1) for array in draws.values()]
    n_divergent = int(trace.sample_stats["diverging"].sum())
    flat = {name: array.reshape(-1, *array.shape[2:]) for name, array in draws.items()}
    return CatalogueDraws(
        responses.systems,
        responses.dimensions,
        flat["slope"],
        flat["discrimination"],
        flat["steepness"],
        flat["c"],
        flat["alpha"],
        nuts_quality("catalogue", np.concatenate(chains, axis=2), n_divergent, nuts.smallest_ebfmi(trace)),
    )
