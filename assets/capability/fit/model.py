"""The posterior of capability in PyMC, and its mode as the sampler's start.

Belongs here: priors, likelihood and their gradient. Does not belong here: sampling, convergence, files.

All the likelihood sees of a system is `ease` = c + alpha, so the model samples ease ~ N(mu + alpha, sd) and derives
c: sampled directly, c and the one alpha all systems share form a ridge that costs most of the effective draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assets.capability.fit.layout import MAX_EASE, Array, PooledResponses, design_matrix
from assets.settings import Settings

if TYPE_CHECKING:
    import pymc as pm
    from pytensor.tensor.variable import TensorVariable


@dataclass(frozen=True)
class ModelOptions:
    """Curve and priors (paper section 3.1.3, equations 3-4): c ~ N(mean, sd²), alpha ~ N(0, intercept_sd²)."""

    tau: float = 1.0
    lam: float = 1.0
    mean: float = 3.0
    sd: float = 0.8
    intercept_sd: float = 5.0

    @classmethod
    def of(cls, settings: Settings) -> ModelOptions:
        return cls(
            settings.temperature,
            settings.slope,
            settings.capability_prior_mean,
            settings.capability_prior_sd,
            settings.intercept_prior_sd,
        )

    @property
    def max_ease(self) -> float:
        """|ease| up to which the likelihood is exact; beyond, it stays what it is there, so always finite."""
        return min(MAX_EASE, 300 / self.tau) if self.tau else MAX_EASE


def log_density(
    alpha: float, ease: Array, responses: PooledResponses, options: ModelOptions
) -> tuple[float, float, Array]:
    """Log posterior density up to a constant, and its gradient.

    Args:
        alpha: shared intercept.
        ease: (N, K) c + alpha, |ease| <= options.max_ease.

    Returns:
        value, derivative by alpha, (N, K) derivative by ease.
    """
    matrix = design_matrix(responses.demand, options.tau, options.lam)
    idle = np.all(responses.demand <= 0, axis=1)
    weight = np.exp(-options.tau * ease)
    idle_odds = np.exp(-options.tau * alpha) * idle
    total = matrix @ weight.T + idle_odds[:, None]
    odds = total ** (1 / options.tau)
    failed, attempted = responses.attempted - responses.passed, responses.attempted
    by_total = (failed - attempted * odds / (1 + odds)) / total / options.tau
    away, spread = ease - options.mean - alpha, options.sd**2
    value = float((failed * np.log(odds)).sum() - (attempted * np.log1p(odds)).sum())
    value -= 0.5 * (alpha / options.intercept_sd) ** 2 + 0.5 * float((away**2).sum()) / spread
    by_ease = -options.tau * weight * (matrix.T @ by_total).T - away / spread
    by_alpha = -options.tau * float((idle_odds @ by_total).sum())
    by_alpha += float(away.sum()) / spread - alpha / options.intercept_sd**2
    return value, by_alpha, by_ease


def posterior_mode(responses: PooledResponses, options: ModelOptions) -> tuple[float, Array]:
    """(alpha, (N, K) ease) of highest posterior density.

    Raises:
        RuntimeError: the optimiser ended at a point that is not finite.
    """
    from scipy.optimize import minimize

    shape = (len(responses.systems), len(responses.dimensions))

    def objective(theta: Array) -> tuple[float, Array]:
        value, by_alpha, by_ease = log_density(theta[0], theta[1:].reshape(shape), responses, options)
        return -value, -np.concatenate([[by_alpha], by_ease.ravel()])

    start = np.concatenate([[0.0], np.full(shape[0] * shape[1], options.mean)])
    bound = [(-options.max_ease, options.max_ease)] * len(start)
    found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bound, options={"maxiter": 1000})
    if not np.all(np.isfinite(found.x)):
        raise RuntimeError(f"No posterior mode found ({found.message}): check the priors in the settings.")
    return float(found.x[0]), found.x[1:].reshape(shape)


def capability_model(responses: PooledResponses, options: ModelOptions) -> pm.Model:
    """The PyMC model: free `alpha` and `ease` (system × dimension), derived `c`; tau > 0.

    Unscored responses have attempted = 0 and leave the likelihood. Nothing is kept per item.
    """
    import pymc as pm

    coords = {"system": list(responses.systems), "dimension": list(responses.dimensions)}
    with pm.Model(coords=coords) as model:
        alpha = pm.Normal("alpha", 0.0, options.intercept_sd)
        ease = pm.Normal("ease", options.mean + alpha, options.sd, dims=("system", "dimension"))
        pm.Deterministic("c", ease - alpha, dims=("system", "dimension"))
        pm.Potential("log_likelihood", log_likelihood(alpha, ease, responses, options))
    return model


def log_likelihood(
    alpha: TensorVariable, ease: TensorVariable, responses: PooledResponses, options: ModelOptions
) -> TensorVariable:
    """Binomial log-likelihood with its gradient given by hand.

    Where a cell holds at most one response, its probability enters a product of a few cells, and only the product
    is taken the log of: logarithms are what an evaluation costs most. The written-out gradient needs none.
    """
    import pytensor.tensor as pt
    from pytensor.compile.builders import OpFromGraph

    attempted, passed = responses.attempted, responses.passed
    is_single = np.all((attempted <= 1) & ((passed == 0) | (passed == attempted)), axis=1)
    order = np.argsort(~is_single, kind="stable")
    attempted, failed = attempted[order], (attempted - passed)[order]
    matrix = design_matrix(responses.demand[order], options.tau, options.lam)
    is_idle = np.all(responses.demand[order] <= 0, axis=1, keepdims=True)
    size = _group_size(responses, options)
    n_slice = int(is_single.sum()) // size

    def powers(ease: TensorVariable, *alpha: TensorVariable) -> tuple[TensorVariable, ...]:
        """e^{-tau·ease}, e^{-tau·alpha} of items without demands, the sum of both over an item, its failure odds."""
        weight = pt.exp(-options.tau * pt.clip(ease, -options.max_ease, options.max_ease))
        total, idle = pt.dot(matrix, weight.T), pt.constant(0.0)
        if alpha:
            idle = pt.exp(-options.tau * pt.clip(alpha[0], -options.max_ease, options.max_ease))
            total = total + is_idle * idle
        return weight, idle, total, total if options.tau == 1 else total ** (1 / options.tau)

    def gradient(
        inputs: list[TensorVariable], _: object, by_outputs: list[TensorVariable]
    ) -> list[TensorVariable]:
        weight, idle, total, odds = powers(*inputs)
        by_total = (failed - attempted * odds / (1 + odds)) / total
        parts = [-weight * pt.dot(matrix.T, by_total).T, -idle * (is_idle * by_total).sum()]
        return [by_outputs[0] * part for part in parts[: len(inputs)]]

    inputs = [ease, alpha] if is_idle.any() else [ease]
    point = [variable.type(f"{variable.name}_point") for variable in inputs]
    odds = powers(*point)[3]
    rest = odds[size * n_slice :]
    value = (failed[size * n_slice :] * pt.log(rest)).sum() - (
        attempted[size * n_slice :] * pt.log1p(rest)
    ).sum()
    if n_slice:
        product = 1.0
        for start in range(0, size * n_slice, n_slice):
            cells = slice(start, start + n_slice)
            numerator = (1 - failed[cells]) + failed[cells] * odds[cells]
            product = product * numerator / (1 + attempted[cells] * odds[cells])
        value = value + pt.log(product).sum()
    return OpFromGraph(point, [value], lop_overrides=gradient, inline=True)(*inputs)


def _group_size(responses: PooledResponses, options: ModelOptions) -> int:
    """How many cell probabilities can be multiplied before the smallest possible product underflows (e^-700)."""
    steepest = options.max_ease + options.lam * responses.demand.max(initial=0.0)
    return max(1, int(700 / (steepest + np.log(len(responses.dimensions)) / options.tau)))
