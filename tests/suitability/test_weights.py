"""Weights against hand-computed rows and closed forms of the Dirichlet distribution."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from assets.suitability.importance import importance_by_scope, informed
from assets.suitability.policies import WeightUncertainty
from assets.suitability.weights import (
    Floats,
    draw_weights,
    log_dirichlet,
    mean_weights,
    relative_importance,
)


def test_raw_weights_by_hand() -> None:
    points = np.array([[30.0, 10.0, 0.0], [5.0, 5.0, 10.0]])
    np.testing.assert_allclose(
        mean_weights(points, "raw", 1), [[0.75, 0.25, 0], [0.25, 0.25, 0.5]], rtol=1e-15
    )
    np.testing.assert_allclose(
        mean_weights(points, "raw", 2), [[0.9, 0.1, 0], [1 / 6, 1 / 6, 2 / 3]], rtol=1e-15
    )


def test_relative_weights_by_hand() -> None:
    # column 1: (10, 20, 30) -> 0, .5, 1; column 2 is constant -> 0; column 3: (8, 4, 0) -> 1, .5, 0
    points = np.array([[10.0, 7.0, 8.0], [20.0, 7.0, 4.0], [30.0, 7.0, 0.0]])
    np.testing.assert_array_equal(relative_importance(points), [[0, 0, 1], [0.5, 0, 0.5], [1, 0, 0]])
    np.testing.assert_array_equal(mean_weights(points, "relative", 1), [[0, 0, 1], [0.5, 0, 0.5], [1, 0, 0]])


def test_rows_without_importance_have_no_weights() -> None:
    # the second activity holds the lowest value of both columns
    points = np.array([[10.0, 8.0], [5.0, 2.0], [7.0, 8.0]])
    weights = mean_weights(points, "relative", 1)
    assert weights.any(axis=1).tolist() == [True, False, True]
    assert not mean_weights(np.zeros((1, 2)), "raw", 1).any()


def test_an_activity_alone_in_its_scope_has_no_relative_weights() -> None:
    assert not mean_weights(np.array([[60.0, 40.0]]), "relative", 1).any()


def test_rounding_noise_is_not_a_difference() -> None:
    points = np.array([[0.1 + 0.2, 5.0], [0.3, 1.0]])
    assert points[0, 0] != points[1, 0]
    np.testing.assert_array_equal(relative_importance(points), [[0, 1], [0, 0]])


def test_no_sharpness_overflows() -> None:
    weights = mean_weights(np.array([[90.0, 45.0, 1e-5]]), "raw", 5000)
    np.testing.assert_array_equal(weights, [[1, 0, 0]])


@pytest.mark.parametrize("points", [[[1.0, np.nan]], [[1.0, -1.0]], [[np.inf, 1.0]]])
def test_points_that_are_no_importance_are_refused(points: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="finite and not negative"):
        mean_weights(np.array(points), "raw", 1)


def drawn(rng: np.random.Generator, centre: Floats, concentration: float, n_draws: int) -> Floats:
    """Log weights, draws × dimensions."""
    return log_dirichlet(rng, centre, concentration, n_draws).T


@pytest.mark.parametrize("concentration", [1.0, 20.0])
def test_dirichlet_moments(concentration: float) -> None:
    """Mean w and variance w(1 - w)/(n + 1), each within five standard errors."""
    centre = np.array([0.6, 0.3, 0.1, 0.0])
    draws = np.exp(drawn(np.random.default_rng(3), centre, concentration, 40_000))
    np.testing.assert_allclose(draws.sum(axis=1), 1, atol=1e-14)
    variance = centre * (1 - centre) / (concentration + 1)
    standard_error = draws.std(axis=0) / 200
    assert (np.abs(draws.mean(axis=0) - centre) <= 5 * standard_error).all()
    squares = (draws - centre) ** 2
    assert (np.abs(squares.mean(axis=0) - variance) <= 5 * squares.std(axis=0) / 200).all()


def test_dirichlet_margin_is_the_beta_distribution() -> None:
    """Also below shape 1, where the draw is boosted in log space."""
    centre, n = np.array([0.02, 0.28, 0.7]), 3.0
    draws = np.exp(drawn(np.random.default_rng(5), centre, n, 20_000))
    for k, w in enumerate(centre):
        assert stats.kstest(draws[:, k], stats.beta(n * w, n * (1 - w)).cdf).pvalue > 1e-3


def test_dirichlet_of_summed_centres_is_the_sum_of_draws() -> None:
    """Weights of a dimension may be drawn at once: same distribution as the sum over its constituents."""
    centre, n = np.array([0.05, 0.15, 0.3, 0.1, 0.4]), 8.0
    apart = np.exp(drawn(np.random.default_rng(7), centre, n, 20_000))
    at_once = np.exp(drawn(np.random.default_rng(8), np.array([0.5, 0.5]), n, 20_000))
    summed = np.stack([apart[:, :3].sum(axis=1), apart[:, 3:].sum(axis=1)], axis=1)
    assert stats.ks_2samp(summed[:, 0], at_once[:, 0]).pvalue > 1e-3


def test_zero_and_single_weights_are_exact() -> None:
    rng = np.random.default_rng(1)
    draws = np.exp(drawn(rng, np.array([0.0, 0.5, 0.5, 0.0]), 2, 500))
    assert (draws[:, [0, 3]] == 0).all()
    assert (draws[:, [1, 2]] > 0).all()
    single = np.exp(drawn(rng, np.array([0.0, 1.0, 0.0]), 2, 500))
    np.testing.assert_array_equal(single, np.tile([0.0, 1.0, 0.0], (500, 1)))


@pytest.mark.parametrize("concentration", [1e-3, 1e-12, 1e-305])
def test_tiny_concentrations_give_weights_not_nan(concentration: float) -> None:
    """Plain gamma draws underflow to 0/0 here; in the limit all weight falls on one, k with probability w_k."""
    centre = np.array([0.7, 0.3])
    plain = np.random.default_rng(2).standard_gamma(concentration * centre, (2000, 2))
    assert (plain.sum(axis=1) == 0).any()
    logs = drawn(np.random.default_rng(2), centre, concentration, 2000)
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1, atol=1e-12)
    if concentration > 1e-300:
        assert abs(np.exp(logs)[:, 0].mean() - 0.7) < 5 * np.sqrt(0.21 / 2000)


@pytest.mark.parametrize("concentration", [0.0, -1.0, np.nan, np.inf])
def test_no_raters_no_distribution(concentration: float) -> None:
    with pytest.raises(ValueError, match="concentration"):
        drawn(np.random.default_rng(0), np.array([0.5, 0.5]), concentration, 10)


def test_certain_weights_are_their_centre() -> None:
    weights = draw_weights(np.random.default_rng(0), np.array([0.75, 0.25, 0.0]), np.inf, 10)
    np.testing.assert_array_equal(weights.value, [[0.75], [0.25], [0.0]])
    assert weights.log[2, 0] == -np.inf


@pytest.mark.parametrize(
    ("scope_type", "n", "expected"), [("role", 1, 20), ("duty", 2, 40), ("domain", 35, 35)]
)
def test_an_interview_counts_for_as_many_respondents_as_the_setting_says(
    scope_type: str, n: int, expected: int
) -> None:
    """Variance of a Dirichlet weight: w (1 - w) / (concentration + 1)."""
    points = {"A": 60.0, "B": 30.0, "C": 10.0}
    table = pd.DataFrame(
        [(scope_type, "x", "y", name, value, n) for name, value in points.items()],
        columns=["scope_type", "scope", "activity", "capability", "points", "n_raters"],
    )
    (scope,) = importance_by_scope(informed(table, 20), list(points))
    ((_, weights),) = scope.weight_draws(
        np.eye(3), "raw", 1, WeightUncertainty("dirichlet"), 200_000, lambda *names: 5
    )
    centre = np.array([0.6, 0.3, 0.1])
    np.testing.assert_allclose(weights.value.mean(axis=1), centre, atol=0.002)
    np.testing.assert_allclose(weights.value.var(axis=1), centre * (1 - centre) / (expected + 1), rtol=0.02)
