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
# success of a narrower band would fall over less than 1e-8: no position can be told there, nor does anyone annotate so
MIN_WIDTH = 0.1
# log odds beyond exp(600) are certainty, and sums of them stay finite
MAX_LOG = 600.0


class BandError(ValueError):
    """Bands that are none; the message names the items."""


def is_band(lower: Numbers, upper: Numbers) -> npt.NDArray[np.bool_]:
    """n: -3 <= lower < upper <= 3, at least `MIN_WIDTH` wide."""
    low, high = np.asarray(lower, float), np.asarray(upper, float)
    # a comparison with NaN is false; 0.3 - 0.2 is a tenth too
    found: npt.NDArray[np.bool_] = (low >= -SCALE) & (high - low > MIN_WIDTH - 1e-9) & (high <= SCALE)
    return found


def check_bands(lower: Numbers, upper: Numbers, items: Sequence[object]) -> None:
    """Nothing, if each of the n bands is -3 <= lower < upper <= 3, at least `MIN_WIDTH` wide.

    Raises:
        BandError: a bound is NaN or off the scale, or the band is empty or too narrow; the items are named.
    """
    found = is_band(lower, upper)
    if not found.all():
        bad = [str(items[int(i)]) for i in np.flatnonzero(~found)]
        shown = ", ".join(bad[:10]) + (f" and {len(bad) - 10} more" if len(bad) > 10 else "")
        raise BandError(
            f"items {shown}: no band with -3 <= lower < upper <= 3, at least {MIN_WIDTH} wide. "
            "Correct them, or leave them out"
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


def outcome_curvatures(
    theta: Numbers, lower: Numbers, upper: Numbers, slope: Numbers = 1.0, lapse: float = 0.0
) -> tuple[Array, Array]:
    """Second derivatives of `outcome_logs` by theta, none above 0; 0 where P is capped.

    With S = sinh(A (theta - m) / 2)^2, C = cosh(A r / 2)^2 and Q = 1 - P = S / (S + C) they are, over A^2,
    (1/2 - P) P / C - P Q and -P (1 / 2S + P / C + Q); those of the 2PL are both -a^2 P Q.
    """
    t, low, high, a = np.broadcast_arrays(
        *(np.asarray(values, float) for values in (theta, lower, upper, slope))
    )
    logit = success_logit(t, low, high, a)
    p, q = np.exp(-np.logaddexp(0, -logit)), np.exp(-np.logaddexp(0, logit))
    is_two_sided = np.isfinite(low) & np.isfinite(high)
    l_, u = np.where(is_two_sided, low, -1.0), np.where(is_two_sided, high, 1.0)
    steep_log = np.minimum(boundary_slope_log((u - l_) / 2, a), MAX_LOG / 2)
    half_radius = np.exp(steep_log) * (u - l_) / 4
    # 1 / C = (sech)^2, and 1 / S = odds / C
    inverse_c = (2 * np.exp(-half_radius) / (1 + np.exp(-2 * half_radius))) ** 2
    squared = np.where(is_two_sided, np.exp(2 * steep_log), a**2)
    # odds without bound, at the midpoint: failure has no curvature there but for the cap
    inverse_s = np.exp(np.minimum(logit, MAX_LOG)) * inverse_c
    passing = np.where(is_two_sided, (0.5 - p) * p * inverse_c - p * q, -p * q) * squared
    failing = np.where(is_two_sided, -p * (inverse_s / 2 + p * inverse_c + q), -p * q) * squared
    if not lapse:
        return passing, failing
    is_capped = logit >= np.log1p(-lapse) - np.log(lapse)
    return np.where(is_capped, 0.0, passing), np.where(is_capped, 0.0, failing)
