"""Mode and Laplace draws of the base and the catalogue model: a fit in a second, for the many fits of a comparison.

Given what they share (alpha, slopes, discriminations) the systems are independent, so the Hessian is an arrow: a small
block a system and a border. It is taken from differences of the gradient, all systems at once: 2 · (1 + 2F + K)
gradients, however many systems there are.

Belongs here: optimisation and the normal approximation. Does not belong here: the density (per_dimension_model.py),
scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assets.capability.fit.layout import Array, PooledResponses
from assets.capability.fit.model import ModelOptions
from assets.capability.validation.per_dimension_model import Parameters, log_density

STEP = 1e-4


def posterior_mode(responses: PooledResponses, options: ModelOptions, *, is_free: bool) -> Parameters:
    """The point of highest posterior density.

    Args:
        is_free: slopes and discriminations are estimated; otherwise they are the base model's.

    Raises:
        RuntimeError: the optimiser ended at a point that is not finite.
    """
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits

    n, k = len(responses.systems), len(responses.dimensions)
    n_shared = 1 + 2 * (k - 1) if is_free else 1

    def objective(theta: Array) -> tuple[float, Array]:
        at = Parameters.of(theta[:n_shared], theta[n_shared:].reshape(n, k))
        value, by_shared, by_ease = log_density(at, responses, options)
        return -value, -np.concatenate([by_shared, by_ease.ravel()])

    start = np.concatenate([np.zeros(n_shared), np.full(n * k, options.mean)])
    # logarithms of slopes stay where exponentials are finite
    limit = np.concatenate([[options.max_ease], np.full(n_shared - 1, 3.0), np.full(n * k, options.max_ease)])
    # one thread: the same figures on any number of cores
    with threadpool_limits(limits=1):
        found = minimize(
            objective,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[(-most, most) for most in limit],
            options={"maxiter": 2000, "maxcor": 30, "ftol": 1e-12, "gtol": 1e-5},
        )
    if not np.all(np.isfinite(found.x)):
        raise RuntimeError(f"No posterior mode found ({found.message}): check the priors in the settings.")
    return Parameters.of(found.x[:n_shared], found.x[n_shared:].reshape(n, k))


@dataclass(frozen=True)
class LaplaceFit:
    """The normal approximation at the mode: what is shared, then each system given that."""

    mode: Parameters
    shared_root: Array  # (M, M) root of the covariance of what is shared
    own_root: Array  # (N, K, K) root of the covariance of ease given what is shared
    slope_of_ease: Array  # (N, K, M) how the mean of ease moves with what is shared

    def draws(self, n_draws: int, seed: int) -> Iterator[Parameters]:
        """Equally weighted draws, one after the other."""
        rng = np.random.default_rng(seed)
        n, k = self.mode.ease.shape
        for _ in range(n_draws):
            moved = self.shared_root @ rng.standard_normal(len(self.shared_root))
            own = np.einsum("nkl,nl->nk", self.own_root, rng.standard_normal((n, k)))
            yield Parameters.of(self.mode.shared + moved, self.mode.ease + self.slope_of_ease @ moved + own)


def fit(responses: PooledResponses, options: ModelOptions, *, is_free: bool) -> LaplaceFit:
    """Mode and curvature.

    Raises:
        RuntimeError: no mode was found.
    """
    mode = posterior_mode(responses, options, is_free=is_free)
    n, k = mode.ease.shape
    n_shared = len(mode.shared)

    def curvature(shared: Array, ease: Array) -> tuple[Array, Array]:
        """Minus the gradient's change along a direction: of what is shared (M,), of ease (N, K)."""
        sides = [
            log_density(Parameters.of(mode.shared + s * shared, mode.ease + s * ease), responses, options)
            for s in (STEP, -STEP)
        ]
        return (sides[1][1] - sides[0][1]) / (2 * STEP), (sides[1][2] - sides[0][2]) / (2 * STEP)

    along_shared = [curvature(unit, np.zeros((n, k))) for unit in np.eye(n_shared)]
    border = np.stack([by_ease for _, by_ease in along_shared], axis=2)  # (N, K, M)
    # systems do not depend on each other given what is shared: one direction moves all of them
    along_ease = [curvature(np.zeros(n_shared), np.tile(unit, (n, 1)))[1] for unit in np.eye(k)]
    own_covariance = _inverse(np.stack(along_ease, axis=2))
    slope_of_ease = -own_covariance @ border
    shared = np.stack([by_shared for by_shared, _ in along_shared], axis=1)
    schur = shared + np.einsum("nkm,nkl->ml", border, slope_of_ease)
    return LaplaceFit(mode, _root(_inverse(schur)), _root(own_covariance), slope_of_ease)


def _inverse(precision: Array) -> Array:
    """(..., K, K) covariance; directions that differences leave without curvature get the least there is."""
    size, axes = np.linalg.eigh((precision + np.swapaxes(precision, -1, -2)) / 2)
    size = np.maximum(size, 1e-3)
    return np.asarray((axes / size[..., None, :]) @ np.swapaxes(axes, -1, -2))


def _root(covariance: Array) -> Array:
    return np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
