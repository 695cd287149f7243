"""The normalised 2x2PL model: the probability that a system at position theta succeeds on an item with an ideal band.

Belongs here: the response curve, on the logit scale, and which bands and ends it knows. Does not belong here:
fitting positions (estimate.py).

With midpoint m, radius r and sharpened slope A = a + exp(1/r) - 1, the paper's product of two sigmoids over the square
of sigmoid(A r) has odds of success (cosh(A r / 2) / sinh(A (theta - m) / 2))^2. That form needs no difference of
nearly equal numbers and no exp(1/r), so it holds for every r > 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Numbers = npt.ArrayLike

# the scale of propensities; in annotations a bound at either end stands for no bound
SCALE = 3.0
# log odds beyond exp(600) are certainty, and sums of them stay finite
MAX_LOG = 600.0


class BandError(ValueError):
    """Bands that are none; the message names the items."""


def check_bands(lower: Numbers, upper: Numbers, items: Sequence[object]) -> None:
    """Nothing, if each of the n bands is -3 <= lower < upper <= 3.

    Raises:
        BandError: a bound is NaN or off the scale, or the band is empty; the items are named.
    """
    low, high = np.asarray(lower, float), np.asarray(upper, float)
    # a comparison with NaN is false
    is_band = (low >= -SCALE) & (low < high) & (high <= SCALE)
    if not is_band.all():
        bad = [str(items[int(i)]) for i in np.flatnonzero(~is_band)]
        shown = ", ".join(bad[:10]) + (f" and {len(bad) - 10} more" if len(bad) > 10 else "")
        raise BandError(
            f"items {shown}: no band with -3 <= lower < upper <= 3. Correct them, or leave them out"
        )


def with_open_ends(lower: Numbers, upper: Numbers) -> tuple[Array, Array]:
    """The bounds as the annotation format means them: one at -3 or 3 is no bound, here minus or plus infinity."""
    low, high = np.asarray(lower, float), np.asarray(upper, float)
    return np.where(low <= -SCALE, -np.inf, low), np.where(high >= SCALE, np.inf, high)


def boundary_slope_log(radius: Numbers, slope: Numbers = 1.0) -> Array:
    """log A, with A = a + exp(1/r) - 1 (the paper's a'); exp(1/r) itself would overflow below r = 0.0014."""
    r, a = np.asarray(radius, float), np.asarray(slope, float)
    # finite, so that times a distance of 0 it stays a number
    inverse = 1 / np.maximum(r, 1e-300)
    # exp(-1/r) < 1: the argument is above -1 for each a > 0
    return inverse + np.log1p((a - 1) * np.exp(-inverse))


def success_logit(theta: Numbers, lower: Numbers, upper: Numbers, slope: Numbers = 1.0) -> Array:
    """Log odds of success at `theta`, broadcast over bands; infinite at a band's midpoint, where P = 1.

    A bound of minus or plus infinity is an open end: one gives the 2PL of the other bound, two give P = 1.
    """
    t, low, high, a = np.broadcast_arrays(
        *(np.asarray(values, float) for values in (theta, lower, upper, slope))
    )
    has_low, has_high = np.isfinite(low), np.isfinite(high)
    is_two_sided = has_low & has_high
    # open ends are filled in with any band, and replaced below
    l_, u = np.where(is_two_sided, low, -1.0), np.where(is_two_sided, high, 1.0)
    steep_log = boundary_slope_log((u - l_) / 2, a)
    to_middle = _times(steep_log, np.abs(t - (l_ + u) / 2))
    to_end = _times(steep_log, np.minimum(t - l_, u - t))
    edge = _times(steep_log, (u - l_) / 2)
    with np.errstate(divide="ignore"):  # log(0) at the midpoint: odds without bound
        two_sided = to_end + 2 * np.log1p(np.exp(-edge)) - 2 * np.log(-np.expm1(-to_middle))
    rising, falling = a * (t - np.where(has_low, low, 0)), a * (np.where(has_high, high, 0) - t)
    one_sided = np.where(has_low, rising, np.where(has_high, falling, np.inf))
    return np.where(is_two_sided, two_sided, one_sided)


def _times(slope_log: Array, distance: Array) -> Array:
    with np.errstate(divide="ignore"):  # at distance 0 the product is 0, however steep
        product_log = slope_log + np.log(np.abs(distance))
    return np.sign(distance) * np.exp(np.minimum(product_log, MAX_LOG))


def success_log(theta: Numbers, lower: Numbers, upper: Numbers, slope: Numbers = 1.0) -> Array:
    """log P of success; arguments as `success_logit`."""
    return -np.logaddexp(0, -success_logit(theta, lower, upper, slope))


def failure_log(theta: Numbers, lower: Numbers, upper: Numbers, slope: Numbers = 1.0) -> Array:
    """log(1 - P), exact also where P is nearly 1; minus infinity where P is 1."""
    return -np.logaddexp(0, success_logit(theta, lower, upper, slope))


def outcome_logs(
    theta: Numbers, lower: Numbers, upper: Numbers, slope: Numbers = 1.0, lapse: float = 0.0
) -> tuple[Array, Array]:
    """log P of success and log P of failure where anyone errs with probability `lapse`: P is capped at 1 - lapse."""
    logit = success_logit(theta, lower, upper, slope)
    succeeds, fails = -np.logaddexp(0, -logit), -np.logaddexp(0, logit)
    if not lapse:
        return succeeds, fails
    return np.minimum(succeeds, np.log1p(-lapse)), np.maximum(fails, np.log(lapse))
