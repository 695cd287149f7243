"""The power mean against hand-computed cases, limits and its own algebra."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.suitability.importance import membership
from assets.suitability.power_mean import PoweredAbility
from assets.suitability.power_mean import power_mean_log as one_activity
from assets.suitability.weights import Floats, Weights


def power_mean_log(log_ability: Floats, log_weights: Floats, power: float) -> Floats:
    """draws × systems × dimensions and draws (or 1) × activities × dimensions -> draws × activities × systems."""
    ability = PoweredAbility(np.ascontiguousarray(log_ability.transpose(2, 1, 0)), power)
    by_activity = log_weights.transpose(1, 2, 0)
    return np.stack([one_activity(ability, Weights(w, np.exp(w))).T for w in by_activity], axis=1)


def one(theta: list[float], weights: list[float], power: float) -> float:
    """S of one draw, activity and system."""
    with np.errstate(divide="ignore"):
        log_weights = np.log(np.array(weights))[None, None, :]
    return math.exp(power_mean_log(np.log(np.array(theta))[None, None, :], log_weights, power)[0, 0, 0])


@pytest.mark.parametrize(
    ("power", "expected"),
    [
        (-math.inf, 1.0),
        (-1, 1.6),  # 1 / (1/2 · 1/1 + 1/2 · 1/4)
        (0, 2.0),  # sqrt(1 · 4)
        (0.5, 2.25),  # ((1 + 2) / 2)²
        (1, 2.5),
        (2, math.sqrt(8.5)),  # sqrt((1 + 16) / 2)
        (math.inf, 4.0),
    ],
)
def test_by_hand(power: float, expected: float) -> None:
    assert one([1.0, 4.0], [0.5, 0.5], power) == pytest.approx(expected, rel=1e-14)
    # a capability without weight changes nothing, however large or small it is
    assert one([1.0, 1e9, 4.0, 1e-9], [0.5, 0, 0.5, 0], power) == pytest.approx(expected, rel=1e-14)
    # a single weight returns its capability
    assert one([3.0, 5.0], [0, 1], power) == pytest.approx(5, rel=1e-14)


@pytest.mark.parametrize("power", [1e-3, -1e-6, 1e-9, -1e-14, 1e-19, -5e-324])
def test_small_powers_approach_the_geometric_mean(power: float) -> None:
    """log S = mean + p/2 · variance + O(p²) of c under the weights."""
    c, w = np.array([-0.5, 1.0, 6.0]), np.array([0.2, 0.5, 0.3])
    mean = w @ c
    variance = w @ (c - mean) ** 2
    value = power_mean_log(c[None, None], np.log(w)[None, None], power)[0, 0, 0]
    assert value == pytest.approx(mean + power / 2 * variance, abs=10 * power**2 + 1e-13)


@pytest.mark.parametrize("power", [200.0, -200.0, 1e4, -1e4])
def test_large_powers_approach_the_extremes_without_overflow(power: float) -> None:
    c, w = np.array([-5.0, 1.0, 6.0]), np.array([0.2, 0.5, 0.3])
    value = power_mean_log(c[None, None], np.log(w)[None, None], power)[0, 0, 0]
    extreme, weight = (6.0, 0.3) if power > 0 else (-5.0, 0.2)
    assert value == pytest.approx(extreme + math.log(weight) / power, rel=1e-12)


def test_the_peak_may_have_no_weight() -> None:
    """theta = e^30 without weight must not drown what has weight: (e^(50·1)·.5 + e^(50·2)·.5)^(1/50)."""
    expected = math.log(0.5 * (1 + math.exp(-50))) / 50 + 2
    c = np.array([1.0, 2.0, 30.0])
    for third in (0.0, 1e-320):
        with np.errstate(divide="ignore"):
            log_weights = np.log(np.array([0.5, 0.5, third]))
        value = power_mean_log(c[None, None], log_weights[None, None], 50)[0, 0, 0]
        if third == 0:
            assert value == pytest.approx(expected, rel=1e-14)
        else:
            assert value == pytest.approx(30 + math.log(third) / 50, rel=1e-12)


levels = st.lists(st.floats(-3, 8), min_size=2, max_size=6)
powers = st.one_of(st.floats(-12, 12), st.sampled_from([-math.inf, 0.0, math.inf]))


@settings(max_examples=150, deadline=None)
@given(levels, st.integers(0, 2**32 - 1), st.lists(powers, min_size=2, max_size=2))
def test_monotone_in_power_and_between_extremes(c: list[float], seed: int, two: list[float]) -> None:
    w = np.random.default_rng(seed).dirichlet(np.ones(len(c)))
    low, high = (
        power_mean_log(np.array(c)[None, None], np.log(w)[None, None], p)[0, 0, 0] for p in sorted(two)
    )
    assert low <= high + 1e-9
    assert min(c) - 1e-9 <= low
    assert high <= max(c) + 1e-9


@pytest.mark.parametrize("power", [-math.inf, -2, -1e-8, 0, 0.5, 3, math.inf])
def test_summed_weights_of_a_dimension_equal_its_constituents(power: float) -> None:
    """Over 16 constituents, each with its own weight and its dimension's ability, or over 8 dimensions: the same."""
    rng = np.random.default_rng(4)
    capabilities = [f"c{k:02}" for k in range(16)]
    dimensions = [f"d{k}" for k in range(8)]
    of = {c: dimensions[k % 8] for k, c in enumerate(capabilities)}
    members = pd.DataFrame({"capability": list(of), "dimension": list(of.values())})
    to_dimensions = membership(capabilities, members, dimensions)
    weights = rng.dirichlet(np.ones(16), size=(50, 3))
    ability = rng.normal(3, 2, (50, 4, 8))
    expanded = ability @ to_dimensions.T
    assert expanded[7, 2, capabilities.index("c10")] == ability[7, 2, dimensions.index("d2")]
    np.testing.assert_allclose(
        power_mean_log(ability, np.log(weights @ to_dimensions), power),
        power_mean_log(expanded, np.log(weights), power),
        rtol=1e-11,
    )


def naive(ability: Floats, weights: Floats, power: float) -> Floats:
    """Loop over draws, activities and systems on the ratio scale, as the formula is printed."""
    out = np.empty((len(ability), weights.shape[1], ability.shape[1]))
    for n, t, s in np.ndindex(*out.shape):
        pairs = [(w, math.exp(c)) for w, c in zip(weights[n, t], ability[n, s], strict=True) if w > 0]
        if power == 0:
            score = math.prod(theta**w for w, theta in pairs)
        elif math.isinf(power):
            score = (max if power > 0 else min)(theta for _, theta in pairs)
        else:
            score = sum(w * theta**power for w, theta in pairs) ** (1 / power)
        out[n, t, s] = math.log(score)
    return out


@pytest.mark.parametrize("power", [-math.inf, -2, -0.5, 0, 0.01, 1, 4, math.inf])
def test_vectorised_equals_the_loop(power: float) -> None:
    rng = np.random.default_rng(9)
    ability = rng.normal(3, 2, (40, 3, 8))
    weights = rng.dirichlet(np.full(8, 0.4), size=(40, 5))
    weights[:, 0, 3:] = 0
    weights /= weights.sum(axis=2, keepdims=True)
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights)
    np.testing.assert_allclose(
        power_mean_log(ability, log_weights, power), naive(ability, weights, power), rtol=1e-10, atol=1e-10
    )
