"""The PyMC density against the item-by-item likelihood, and both gradients against finite differences."""

import numpy as np
import pytest
from scipy.special import log_expit
from scipy.stats import norm

from assets.capability.fit.layout import item_logit, pool_counts
from assets.capability.fit.model import (
    ModelOptions,
    capability_model,
    log_density,
    posterior_mode,
)


def battery(seed, n_items=120, n_systems=2, with_idle=True):
    """Unpooled responses: (R,) system, (R, K) demand, (R,) score, some items without any demand, some fractions."""
    rng = np.random.default_rng(seed)
    demand = rng.choice([0.0, 0.0, 1.0, 2.0, 2.5, 4.0], size=(n_items, 3))
    demand[:, 0] += 0.0 if with_idle else (demand.sum(axis=1) == 0)
    system = np.repeat([f"s{n}" for n in range(n_systems)], n_items)
    score = rng.choice([0.0, 1.0, 1.0, 1 / 3], size=n_items * n_systems)
    return system, np.tile(demand, (n_systems, 1)), score


def pooled(system, demand, score):
    return pool_counts(system, demand, score, np.ones(len(score)), ("EM", "L", "OP"))


def log_posterior_item_by_item(alpha, ease, data, options):
    system, demand, score = data
    total = norm.logpdf(alpha, 0, options.intercept_sd)
    total += norm.logpdf(ease, options.mean + alpha, options.sd).sum()
    for n, name in enumerate(sorted(set(system))):
        rows = system == name
        z = item_logit(ease[n] - alpha, alpha, demand[rows], options.tau, options.lam)
        total += (score[rows] * log_expit(z) + (1 - score[rows]) * log_expit(-z)).sum()
    return total


CASES = [
    ModelOptions(),
    ModelOptions(tau=0.5, lam=1.3),
    ModelOptions(tau=2.0, mean=2.0, sd=1.5, intercept_sd=2),
]


@pytest.mark.parametrize("with_idle", [True, False])
@pytest.mark.parametrize("options", CASES)
def test_counts_give_the_likelihood_of_the_items(options, with_idle):
    data = battery(1, with_idle=with_idle)
    responses = pooled(*data)
    assert len(responses.demand) < len(data[0]) / 2
    model = capability_model(responses, options)
    logp = model.compile_logp(mode="FAST_COMPILE")
    rng = np.random.default_rng(2)
    reference = None
    for _ in range(3):
        alpha, ease = rng.normal(0, 2), rng.normal(2, 3, (2, 3))
        expected = log_posterior_item_by_item(alpha, ease, data, options)
        assert float(logp({"alpha": alpha, "ease": ease})) == pytest.approx(expected, rel=1e-9)
        constant = log_density(alpha, ease, responses, options)[0] - expected
        reference = constant if reference is None else reference
        assert constant == pytest.approx(reference, rel=1e-9)


@pytest.mark.parametrize("with_idle", [True, False])
@pytest.mark.parametrize("options", CASES)
def test_gradients_are_the_slopes_of_the_density(options, with_idle):
    responses = pooled(*battery(3, with_idle=with_idle))
    alpha, ease = 0.4, np.array([[1.0, 2.0, 3.0], [4.0, 0.5, -1.0]])

    def value(theta):
        return log_density(theta[0], theta[1:].reshape(2, 3), responses, options)[0]

    theta, step = np.concatenate([[alpha], ease.ravel()]), 1e-5
    slopes = [(value(theta + step * e) - value(theta - step * e)) / (2 * step) for e in np.eye(len(theta))]
    _, by_alpha, by_ease = log_density(alpha, ease, responses, options)
    np.testing.assert_allclose([by_alpha, *by_ease.ravel()], slopes, rtol=1e-6, atol=1e-6)
    by_pymc = capability_model(responses, options).compile_dlogp(mode="FAST_COMPILE")
    np.testing.assert_allclose(by_pymc({"alpha": alpha, "ease": ease}), slopes, rtol=1e-6, atol=1e-6)


def test_the_mode_is_where_the_gradient_vanishes_and_nothing_near_is_higher():
    responses, options = pooled(*battery(4)), ModelOptions()
    alpha, ease = posterior_mode(responses, options)
    value, by_alpha, by_ease = log_density(alpha, ease, responses, options)
    assert abs(by_alpha) < 1e-2
    assert np.abs(by_ease).max() < 1e-2
    rng = np.random.default_rng(5)
    for _ in range(50):
        move = rng.normal(0, 0.3, 7)
        assert log_density(alpha + move[0], ease + move[1:].reshape(2, 3), responses, options)[0] < value


@pytest.mark.parametrize("ease", [-1e6, -500.0, -79.0, 79.0, 500.0, 1e6])
@pytest.mark.parametrize("options", CASES)
def test_no_ease_makes_the_density_or_its_gradient_infinite(ease, options):
    responses = pooled(*battery(6))
    model = capability_model(responses, options)
    point = {"alpha": ease / 7, "ease": np.array([[ease, -ease, ease], [ease, ease, ease]])}
    assert np.isfinite(model.compile_logp(mode="FAST_COMPILE")(point))
    assert np.isfinite(model.compile_dlogp(mode="FAST_COMPILE")(point)).all()


def test_far_out_the_likelihood_is_still_the_items():
    options, data = ModelOptions(), battery(7)
    for at in (-70.0, 70.0):
        ease = np.array([[at, at + 3, at - 5], [at, -at, at]])
        expected = log_posterior_item_by_item(at, ease, data, options)
        logp = capability_model(pooled(*data), options).compile_logp(mode="FAST_COMPILE")
        assert float(logp({"alpha": at, "ease": ease})) == pytest.approx(expected, rel=1e-9)


def test_the_trace_holds_nothing_per_item():
    model = capability_model(pooled(*battery(8)), ModelOptions())
    assert {v.name for v in model.free_RVs} == {"alpha", "ease"}
    assert [v.name for v in model.deterministics] == ["c"]
