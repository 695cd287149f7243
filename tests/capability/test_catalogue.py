"""Slopes and discriminations: density against its PyMC twin and the base model, recovery of a known catalogue."""

from dataclasses import replace

import numpy as np
import pytest

from assets.capability.fit import model
from assets.capability.fit.model import ModelOptions
from assets.capability.fit.nuts import SamplerOptions
from assets.capability.validation import laplace
from assets.capability.validation.per_dimension_model import (
    SPREAD,
    Parameters,
    basis,
    catalogue_model,
    log_density,
    sample_catalogue,
)
from tests.support.capability.catalogue_worlds import anchored, catalogue

SLOPE = anchored([0.6, 0.8, 1.0, 1.3, 1.6])
DISCRIMINATION = anchored([1.3, 0.8, 1.1, 1.0, 0.9])
CASES = [ModelOptions(), ModelOptions(tau=0.5, lam=1.3, mean=2.0, sd=1.5, intercept_sd=2.0)]


def small(seed=1):
    return catalogue(seed, SLOPE[:3], DISCRIMINATION[:3], n_systems=3, n_items=80)[1]


def point(rng, n=3, k=3):
    return Parameters(
        rng.normal(0, 1), rng.normal(0, 0.3, k - 1), rng.normal(0, 0.3, k - 1), rng.normal(3, 1, (n, k))
    )


def test_free_coordinates_are_orthonormal_and_keep_the_geometric_mean():
    for k in (1, 2, 5):
        to_log = basis(k, k - 1)
        np.testing.assert_allclose(to_log.T @ to_log, np.eye(k - 1), atol=1e-12)
        np.testing.assert_allclose(to_log.sum(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("options", CASES)
def test_without_free_slopes_it_is_the_base_model(options):
    responses, rng = small(), np.random.default_rng(3)
    constants = []
    for _ in range(3):
        alpha, ease = rng.normal(), rng.normal(3, 1, (3, 3))
        value, by_shared, by_ease = log_density(
            Parameters(alpha, np.empty(0), np.empty(0), ease), responses, options
        )
        base, base_by_alpha, base_by_ease = model.log_density(alpha, ease, responses, options)
        constants.append(value - base)
        np.testing.assert_allclose(by_shared, [base_by_alpha], rtol=1e-8)
        np.testing.assert_allclose(by_ease, base_by_ease, rtol=1e-8)
    np.testing.assert_allclose(constants, constants[0], rtol=0, atol=1e-8)


@pytest.mark.parametrize("options", CASES)
def test_the_pymc_model_has_this_density_and_the_gradient_is_its_slope(options):
    import pytensor.tensor as pt

    responses, rng = small(), np.random.default_rng(4)
    pymc_model = catalogue_model(responses, options)
    logp, constants = pymc_model.compile_logp(mode="FAST_COMPILE"), []
    to_log = basis(3, 2)
    free = {v.name: t for v, t in pymc_model.rvs_to_transforms.items() if t is not None}
    for _ in range(3):
        at = point(rng)
        logs = {"log_slope": to_log @ at.slope, "log_discrimination": to_log @ at.discrimination}
        values = {
            f"{n}_zerosum__": free[n].forward(pt.constant(x)).eval(mode="FAST_COMPILE")
            for n, x in logs.items()
        }
        value = log_density(at, responses, options)[0]
        constants.append(value - float(logp({"alpha": at.alpha, "ease": at.ease, **values})))
    np.testing.assert_allclose(constants, constants[0], rtol=0, atol=1e-8)

    def at_theta(theta):
        return log_density(Parameters.of(theta[:5], theta[5:].reshape(3, 3)), responses, options)

    theta = np.concatenate([at.shared, at.ease.ravel()])
    sides = [[at_theta(theta + s * e)[0] for s in (1e-5, -1e-5)] for e in np.eye(len(theta))]
    _, by_shared, by_ease = at_theta(theta)
    slopes = [(up - down) / 2e-5 for up, down in sides]
    np.testing.assert_allclose([*by_shared, *by_ease.ravel()], slopes, rtol=1e-5, atol=1e-5)


def test_unequal_slopes_of_a_catalogue_are_recovered():
    truth, responses = catalogue(1, SLOPE, DISCRIMINATION)
    draws = sample_catalogue(responses, ModelOptions(), SamplerOptions(2, 250, 250, 0.8, 3))
    assert draws.quality.n_divergent == 0
    assert draws.quality.rhat_max is not None and draws.quality.rhat_max < 1.06
    for found, true, r in (
        (draws.slope, SLOPE, 0.98),
        (draws.discrimination, DISCRIMINATION, 0.9),
        (draws.steepness, SLOPE * DISCRIMINATION, 0.98),
    ):
        assert np.corrcoef(found.mean(axis=0), true)[0, 1] > r
        assert (np.abs(found.mean(axis=0) - true) < 3 * found.std(axis=0)).all()
    np.testing.assert_allclose(np.log(draws.slope).mean(axis=1), 0, atol=1e-9)
    low, high = np.quantile(draws.capability, [0.025, 0.975], axis=0)
    # 120 capabilities that share errors of the scale: more spread than independent ones
    assert 0.88 < np.mean((low < truth) & (truth < high)) <= 1
    # another computation of the same posterior
    approximate = laplace.fit(responses, ModelOptions(), is_free=True).draws(2000, seed=1)
    logs = np.array([basis(5, 4) @ at.slope for at in approximate])
    exact = np.log(draws.slope)
    np.testing.assert_allclose(logs.mean(axis=0), exact.mean(axis=0), atol=0.3 * exact.std(axis=0).max())
    np.testing.assert_allclose(logs.std(axis=0), exact.std(axis=0), rtol=0.2)


def test_intervals_hold_slopes_and_discriminations_that_are_all_alike():
    """80 % and 95 % of intervals over six catalogues; draws are Laplace's, held to NUTS above."""
    inside: dict[float, list[np.ndarray]] = {0.8: [], 0.95: []}
    for seed in range(6):
        responses = catalogue(seed, np.ones(5), np.ones(5), n_systems=20, n_items=300)[1]
        drawn = list(laplace.fit(responses, ModelOptions(), is_free=True).draws(500, seed=1))
        logs = np.array([[basis(5, 4) @ at.slope, basis(5, 4) @ at.discrimination] for at in drawn])
        for level, found in inside.items():
            low, high = np.quantile(logs, [(1 - level) / 2, (1 + level) / 2], axis=0)
            found.append((low < 0) & (high > 0))
    assert np.mean(inside[0.95]) > 0.87
    assert 0.65 < np.mean(inside[0.8]) < 0.92


def test_nothing_answered_leaves_the_prior_and_one_dimension_is_refused():
    responses = small()
    silent = replace(responses, attempted=0 * responses.attempted, passed=0 * responses.passed)
    drawn = list(laplace.fit(silent, ModelOptions(), is_free=True).draws(4000, seed=2))
    slope = np.array([at.slope for at in drawn])
    np.testing.assert_allclose(slope.std(axis=0), SPREAD, rtol=0.05)
    np.testing.assert_allclose(np.std([at.alpha for at in drawn]), 5, rtol=0.05)
    with pytest.raises(ValueError, match="two dimensions"):
        catalogue_model(replace(responses, dimensions=("L",), demand=responses.demand[:, :1]), ModelOptions())
