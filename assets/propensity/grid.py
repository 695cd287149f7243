"""Curves of many fits on one grid of positions: where the grid must have points, quantiles and further maxima.

Belongs here: numerics of curves given at ascending positions. Does not belong here: which curves (estimate.py) and the
model (two_by_two.py).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# a curve's dip or a difference of log densities below this is none
FLAT = 1e-2


def position_grid(lower: Array, upper: Array, cliff: Array, *, reach: float, step: float) -> Array:
    """Ascending positions from -reach to reach, a `step` apart, with each band's bounds and middle.

    About its bounds success of a band falls by a factor e each `cliff` (k, the scale of its slope). Where that is below
    the step the grid follows the fall: the density that remains behind it is no guess of straight lines.
    """
    even = np.linspace(-reach, reach, round(2 * reach / step) + 1)
    is_steep = cliff < step
    steep_bounds, scales = np.concatenate([lower[is_steep], upper[is_steep]]), np.tile(cliff[is_steep], 2)
    away = np.outer([-20, -5, -1, 1, 5, 20], scales) + steep_bounds
    points = np.concatenate([even, lower, upper, (lower + upper) / 2, away.ravel()])
    return np.unique(points[np.isfinite(points) & (np.abs(points) <= reach)])


def quantiles(log_density: Array, grid: Array, levels: tuple[float, ...]) -> list[Array]:
    """Quantiles of n densities whose logs (n × g) are taken as straight between grid points: n values a level."""
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    higher = np.maximum(density[:, 1:], density[:, :-1])
    fall = np.abs(np.diff(log_density, axis=1))
    # the integral of an exponential between two values, over the higher one
    share = np.where(fall > 1e-8, -np.expm1(-fall) / np.maximum(fall, 1e-8), 1.0)
    mass = higher * share * np.diff(grid)
    below = np.concatenate([np.zeros((len(density), 1)), mass.cumsum(axis=1)], axis=1)
    below /= below[:, -1:]
    return [np.array([np.interp(level, row, grid) for row in below]) for level in levels]


def has_another_maximum(
    curve: Array, grid: Array, best: Array, radius: Array, within: float
) -> npt.NDArray[np.bool_]:
    """n: whether a curve (n × g) has a maximum beyond `radius` of `best` that is less than `within` below its highest.

    Between the two the curve must dip. A curve that still rises at the grid's end has a maximum there.
    """
    fits = zip(curve, best.tolist(), radius.tolist(), strict=True)
    return np.array([_has_another(*fit, grid, within) for fit in fits], dtype=bool)


def _has_another(curve: Array, best: float, radius: float, grid: Array, within: float) -> bool:
    padded = np.concatenate([[-np.inf], curve, [-np.inf]])
    is_top = (curve >= padded[:-2]) & (curve >= padded[2:]) & (curve > curve.max() - within)
    home = int(np.abs(grid - best).argmin())
    for place in np.flatnonzero(is_top & (np.abs(grid - best) > radius)).tolist():
        between = curve[min(place, home) : max(place, home) + 1]
        # the lower of the two ends
        if between.min() < curve[[place, home]].min() - FLAT:
            return True
    return False
