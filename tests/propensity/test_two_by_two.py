"""The response curve against its known answers, and against the product of sigmoids it comes from."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.propensity.two_by_two import (
    BandError,
    boundary_slope_log,
    check_bands,
    failure_log,
    outcome_curvatures,
    outcome_logs,
    success_log,
    with_open_ends,
)

WIDE = (1e-300, 1e-12, 1e-3, 0.01, 0.05, 0.3, 1.0, 2.5, 40.0, 1e6, 1e300)


def sigma(x: Decimal) -> Decimal:
    return 1 / (1 + (-x).exp())


def textbook(theta: float, lower: float, upper: float, slope: float) -> Decimal:
    """sigma(A(theta - l)) sigma(A(u - theta)) / sigma(A r)^2 in 60 digits."""
    getcontext().prec = 60
    t, low, high = Decimal(theta), Decimal(lower), Decimal(upper)
    r = (high - low) / 2
    steep = Decimal(slope) + (1 / r).exp() - 1
    return sigma(steep * (t - low)) * sigma(steep * (high - t)) / sigma(steep * r) ** 2


@given(
    theta=st.floats(-6, 6),
    lower=st.floats(-3, 2.7),
    width=st.floats(0.25, 3),
    slope=st.floats(0.2, 4),
)
def test_it_is_the_papers_product_of_sigmoids(theta: float, lower: float, width: float, slope: float) -> None:
    exact = textbook(theta, lower, lower + width, slope)
    log_p = float(success_log(theta, lower, lower + width, slope))
    assert log_p == pytest.approx(float(exact.ln()), rel=1e-9, abs=1e-12)
    if exact < 1 - Decimal("1e-20"):
        log_q = float(failure_log(theta, lower, lower + width, slope))
        # near the midpoint 1 - P is as the square of the distance, which doubles round
        assert log_q == pytest.approx(float((1 - exact).ln()), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("r", WIDE)
@pytest.mark.parametrize("slope", [0.2, 1.0, 5.0])
def test_success_is_certain_at_the_midpoint_and_symmetric(r: float, slope: float) -> None:
    assert success_log(0, -r, r, slope) == 0
    steps = r * np.array([0.1, 0.5, 1, 3])
    np.testing.assert_array_equal(success_log(steps, -r, r, slope), success_log(-steps, -r, r, slope))


@pytest.mark.parametrize("r", WIDE)
def test_success_at_the_bounds_is_about_a_half(r: float) -> None:
    edge = min(math.exp(min(float(boundary_slope_log(r)) + math.log(r), 7)), 700.0)
    s = 1 / (1 + math.exp(-edge))
    expected = 1 / (2 * (s**2 + (1 - s) ** 2))
    at_bounds = np.exp(success_log(np.array([-r, r]), -r, r))
    np.testing.assert_allclose(at_bounds, expected, rtol=1e-12)
    # (0.5, 0.5657]: the open end is out of doubles' reach far from r = 1
    assert at_bounds.min() >= 0.5 and at_bounds.max() < 0.56571


def test_the_boundary_probability_peaks_at_radius_one() -> None:
    radii = np.geomspace(0.05, 50, 2001)
    at_bound = np.exp(success_log(radii, -radii, radii))
    assert radii[at_bound.argmax()] == pytest.approx(1, abs=0.01)
    assert at_bound.max() == pytest.approx(0.5657, abs=5e-5)
    assert (at_bound[(radii > 0.2) & (radii < 8)] > 0.5).all()
    far = np.exp(success_log(np.array([1e-3, 1e4]), -np.array([1e-3, 1e4]), np.array([1e-3, 1e4])))
    np.testing.assert_allclose(far, 0.5, atol=1e-12)


@pytest.mark.parametrize("slope", [0.5, 1.0, 3.0])
def test_a_bound_that_moves_away_leaves_the_2pl_of_the_other(slope: float) -> None:
    theta = np.linspace(-5, 5, 41)
    for far in (1e9, np.inf):
        np.testing.assert_allclose(
            success_log(theta, -1.0, far, slope), -np.log1p(np.exp(-slope * (theta + 1))), rtol=1e-6
        )
        np.testing.assert_allclose(
            success_log(theta, -far, 1.5, slope), -np.log1p(np.exp(-slope * (1.5 - theta))), rtol=1e-6
        )
    assert (success_log(theta, -np.inf, np.inf, slope) == 0).all()


@pytest.mark.parametrize("r", [*WIDE, 5e-324])
def test_no_radius_gives_nan_or_an_infinite_log_probability(r: float) -> None:
    theta = np.array([-100.0, -3, -1e-9, 0, 1e-300, 0.4, 3, 100])
    for slope in (0.1, 1.0, 10.0):
        succeeds, fails = outcome_logs(theta, -r, r, slope, lapse=1e-6)
        assert np.isfinite(succeeds).all() and np.isfinite(fails).all()
        assert (succeeds <= 0).all() and (fails <= 0).all()


def test_a_failure_at_the_midpoint_is_unlikely_not_impossible() -> None:
    assert failure_log(0.5, 0, 1) == -np.inf
    succeeds, fails = outcome_logs(0.5, 0, 1, lapse=1e-6)
    assert fails == pytest.approx(math.log(1e-6)) and np.exp(succeeds) == pytest.approx(1 - 1e-6, rel=1e-12)
    both = outcome_logs(np.linspace(-4, 4, 33), 0, 1, lapse=1e-6)
    np.testing.assert_allclose(np.exp(both[0]) + np.exp(both[1]), 1, atol=1e-12)


def test_an_end_of_the_scale_is_open() -> None:
    low, high = with_open_ends([-3, -3, -1, 0], [3, 1, 3, 2])
    assert low.tolist() == [-np.inf, -np.inf, -1, 0] and high.tolist() == [np.inf, 1, np.inf, 2]


@pytest.mark.parametrize("band", [(1, 1), (2, 1), (math.nan, 1), (0, math.nan), (-3.1, 0), (0, 3.5)])
def test_what_is_no_band_is_refused_by_name(band: tuple[float, float]) -> None:
    check_bands([-3, 0], [3, 1], ["a", "b"])
    with pytest.raises(BandError, match="items broken:"):
        check_bands([0, band[0]], [1, band[1]], ["fine", "broken"])


@given(
    theta=st.floats(-4, 4),
    lower=st.floats(-2.9, 2.5),
    width=st.floats(0.3, 3),
    slope=st.floats(0.2, 4),
    ends=st.sampled_from([(False, False), (True, False), (False, True)]),
)
def test_curvatures_are_the_second_differences(
    theta: float, lower: float, width: float, slope: float, ends: tuple[bool, bool]
) -> None:
    low, high = (-math.inf if ends[0] else lower), (math.inf if ends[1] else lower + width)
    steep = 1.0 if any(ends) else slope + math.exp(2 / width)
    h = 1e-3 / steep
    distance = abs(theta - (lower + width / 2))
    if not any(ends) and distance < 50 * h:
        return  # failure has a pole at the midpoint
    for logs, curvature in zip(
        zip(*(outcome_logs(theta + k * h, low, high, slope) for k in (-1, 0, 1)), strict=True),
        outcome_curvatures(theta, low, high, slope),
        strict=True,
    ):
        before, here, after = map(float, logs)
        found = (before - 2 * here + after) / h**2
        rounding = 1e-14 * max(1, abs(here)) / h**2
        assert float(curvature) <= 0
        assert float(curvature) == pytest.approx(found, rel=5e-3, abs=rounding)


def test_what_is_capped_has_no_curvature() -> None:
    passing, failing = outcome_curvatures(np.array([0.0, 1e-5, 0.4]), -1, 1, 1.0, 1e-6)
    assert passing[:2].tolist() == failing[:2].tolist() == [0, 0] and passing[2] < 0 and failing[2] < 0
