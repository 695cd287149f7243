"""Weights of capabilities in an activity: from elicited importance, with or without sampling noise.

Belongs here: importance -> weights, draws of weights. Numpy only.
Does not belong here: the mapping of weights and capabilities to suitability (power_mean.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Points are means of whole numbers up to 100: a smaller spread is rounding noise, not a difference.
MIN_SPREAD = 1e-9
# A gamma shape no smaller than this keeps an exponential draw divided by it from overflowing.
MIN_SHAPE = 1e-300


def relative_importance(points: Floats) -> Floats:
    """N = (M - min) / (max - min) per column over the rows given; a column with max = min is 0.

    Args:
        points: activities × capabilities, the rows present and published in one scope.
    """
    if not len(points):
        return points.copy()
    low = points.min(axis=0)
    spread = points.max(axis=0) - low
    return np.divide(points - low, spread, out=np.zeros_like(points), where=spread > MIN_SPREAD)


def mean_weights(points: Floats, weighting: str, sharpness: float) -> Floats:
    """w = r^s / sum r^s per row (paper Eq. 5), with r the points ('raw') or their min-max form ('relative').

    Args:
        points: activities × capabilities, >= 0, the rows present in one scope.
        sharpness: s >= 1.

    Returns:
        Activities × capabilities. Rows sum to 1; a row whose r are all 0 has no weights and stays all 0.

    Raises:
        ValueError: the weighting is unknown, or points are negative or not finite.
    """
    if not np.all(np.isfinite(points) & (points >= 0)):
        raise ValueError("importance points must be finite and not negative")
    if weighting not in ("raw", "relative"):
        raise ValueError(f"weighting '{weighting}' is unknown; known are 'raw' and 'relative'")
    importance = relative_importance(points) if weighting == "relative" else points
    # Dividing by the row's largest first: no sharpness overflows, and one weight at least stays positive.
    largest = importance.max(axis=1, keepdims=True, initial=0)
    scaled = np.divide(importance, largest, out=np.zeros_like(importance), where=largest > 0) ** sharpness
    total = scaled.sum(axis=1, keepdims=True)
    return np.divide(scaled, total, out=np.zeros_like(scaled), where=total > 0)


@dataclass(frozen=True)
class Weights:
    """Weights of one activity, `log` and `value`: dimensions × draws (or × 1, serving all draws)."""

    log: Floats
    value: Floats


def draw_weights(rng: np.random.Generator, centre: Floats, concentration: float, n_draws: int) -> Weights:
    """Draws from Dirichlet(concentration · centre); `centre` itself where the concentration is infinite.

    Args:
        centre: K weights that sum to 1.
    """
    if np.isposinf(concentration):
        with np.errstate(divide="ignore"):
            return Weights(np.log(centre)[:, None], centre[:, None])
    log = log_dirichlet(rng, centre, concentration, n_draws)
    return Weights(log, np.exp(log))


def log_dirichlet(rng: np.random.Generator, centre: Floats, concentration: float, n_draws: int) -> Floats:
    """Log of draws from Dirichlet(concentration · centre), safe for any small concentration.

    Drawn in log space: log Gamma(a) = log Gamma(a + 1) - E / a with E exponential, which never underflows.
    Dirichlet variables add up: the sum over a group is Dirichlet with the summed centres, so the weights of a
    dimension may be drawn at once instead of its constituents'.

    Args:
        centre: K weights that sum to 1.
        concentration: total concentration, > 0.

    Returns:
        K × n_draws. Where the centre is 0 the weight is exactly 0 (-inf); a single positive one is 1 (0).

    Raises:
        ValueError: the concentration is not a positive number, or no centre is positive.
    """
    positive = centre > 0
    if not 0 < concentration < np.inf or not positive.any():
        raise ValueError(f"no Dirichlet distribution with concentration {concentration} centred on {centre}")
    draws = np.full((len(centre), n_draws), -np.inf)
    if positive.sum() == 1:
        draws[positive] = 0.0
        return draws
    shape = np.maximum(concentration * centre[positive], MIN_SHAPE)[:, None]
    size = (len(shape), n_draws)
    log_gamma = np.log(rng.standard_gamma(shape + 1, size)) - rng.standard_exponential(size) / shape
    log_gamma -= log_gamma.max(axis=0)
    draws[positive] = log_gamma - np.log(np.exp(log_gamma).sum(axis=0))
    return draws
