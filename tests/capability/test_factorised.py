"""The factorised engine against grids, closed forms and NUTS."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import log_expit, logsumexp

from assets.capability.fit import engine, factorised, fit_quality, nuts
from assets.capability.fit.layout import item_logit, pool_counts
from assets.capability.fit.model import ModelOptions
from tests.support.capability.system_worlds import (
    DEFAULT,
    LEVELS,
    SAMPLER,
    SHARES,
    THRESHOLDS,
    answers,
    fit_all,
    joint,
    pooled,
    seed_of,
)


def mean_sd(posterior):
    """(N * K + 1,) of every capability and the intercept."""
    flat = [posterior.capability.reshape(posterior.intercept.size, -1), posterior.intercept.reshape(-1, 1)]
    draws = np.concatenate(flat, axis=1)
    return draws.mean(axis=0), draws.std(axis=0)


def assert_agrees_with_nuts(a, b, n_eff):
    """Means within .1 SD and SDs within 5 %, plus 3.5 standard errors of the difference at `n_eff` draws each."""
    (mean, sd), (reference, reference_sd) = mean_sd(a), mean_sd(b)
    noise = 3.5 * np.sqrt(2 / n_eff)
    assert (np.abs(mean - reference) / reference_sd).max() < max(0.1, noise)
    # the SD's standard error, /sqrt(2) for normal draws; tails heavier than normal get the whole of it
    assert np.abs(sd / reference_sd - 1).max() < max(0.05, noise)


# --- against NUTS ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def usual():
    """Three systems, four dimensions, 300 items (some demand nothing), one system with half of them unscored."""
    rng = np.random.default_rng(23)
    demand = rng.choice(LEVELS, size=(300, 4), p=SHARES)
    truth = rng.normal(3, 0.8, (3, 4))
    parts = {f"s{n}": answers(rng, truth[n], -0.4, demand[: 300 if n else 150]) for n in range(3)}
    return pooled(parts, ("EM", "L", "OP", "SM"))


@pytest.fixture(scope="module")
def usual_by_nuts(usual):
    return nuts.sample_posterior(usual, DEFAULT, SAMPLER)


def test_the_joint_posterior_is_that_of_nuts(usual, usual_by_nuts):
    assert (~(usual.demand > 0).any(axis=1)).any()
    posterior = joint(usual)
    assert_agrees_with_nuts(posterior, usual_by_nuts, n_eff=2500)
    for n in range(3):
        ours, theirs = (
            np.corrcoef(p.capability[:, :, n].reshape(-1, 4).T) for p in (posterior, usual_by_nuts)
        )
        np.testing.assert_allclose(ours, theirs, atol=0.07)


def test_a_system_without_passes_and_one_of_few_items_beside_a_usual_one():
    """Alone, both leave the intercept open over many units, so hardly one of their draws fits what it is."""
    rng = np.random.default_rng(4)
    demand = rng.choice(LEVELS, size=(400, 3), p=SHARES)
    demand[:, 0] = np.maximum(demand[:, 0], 1)
    parts = {
        "usual": answers(rng, [3.5, 2.5, 3.0], 0.0, demand),
        "no passes": (demand[:60], np.zeros(60)),
        "few": answers(rng, [3.5, 2.5, 3.0], 0.0, demand[:12]),
    }
    responses = pooled(parts, ("EM", "L", "OP"))
    alone = factorised.combine(fit_all(responses), (0.0, 0.0), DEFAULT)
    assert alone.ess["no passes"] < 400
    posterior = joint(responses)
    assert min(q.ess_bulk_min for q in posterior.fits) > 1000
    assert_agrees_with_nuts(posterior, nuts.sample_posterior(responses, DEFAULT, SAMPLER), n_eff=1500)


def test_where_importance_weights_may_not_be_trusted_nuts_takes_over(usual):
    own = engine.responses_of(usual, "s0")
    strict = replace(THRESHOLDS, max_khat=-10.0)
    fell_back = engine.fit_system(own, DEFAULT, strict, SAMPLER)
    by_weights = engine.fit_system(own, DEFAULT, THRESHOLDS, SAMPLER)
    assert (fell_back.engine, by_weights.engine) == ("nuts", "factorised")
    assert fell_back.khat is None
    assert fell_back.rhat is not None
    assert fell_back.rhat < 1.01
    one = pooled({"s0": (own.demand.repeat(1, axis=0), own.passed[:, 0])}, own.dimensions)
    one = replace(one, attempted=own.attempted, passed=own.passed, demand=own.demand)
    posteriors = [
        engine.join({"s0": found}, one, DEFAULT, 8000, seed_of) for found in (fell_back, by_weights)
    ]
    assert_agrees_with_nuts(posteriors[0], posteriors[1], n_eff=2000)
    rows, faults = fit_quality.fit_diagnostics(posteriors[0], THRESHOLDS)
    assert faults == []
    assert rows["engine"].tolist() == ["factorised", "nuts"]
    assert rows["khat_max"].isna().all()
    assert rows["rhat_max"].notna().tolist() == [False, True]


# --- against integrals -----------------------------------------------------------------------------------------


def test_one_dimension_of_one_demand_is_a_line_integral():
    """Only ease = c + alpha is seen: its posterior is one integral, and alpha given ease is normal."""
    n, passed, demand = 60, 41.0, 2.0
    responses = pool_counts(["a"] * 2, np.full((2, 1), demand), [passed, 0], [n - 5, 5], ("L",))
    posterior = joint(responses)
    grid = np.linspace(-8, 14, 40001)
    log_p = passed * log_expit(grid - demand) + (n - passed) * log_expit(demand - grid)
    log_p -= 0.5 * (grid - 3) ** 2 / (0.8**2 + 25)
    p = np.exp(log_p - logsumexp(log_p))
    mean = p @ grid
    sd = float(np.sqrt(p @ (grid - mean) ** 2))
    share = 25 / (25 + 0.64)
    alpha_mean, alpha_sd = share * (mean - 3), float(np.sqrt(25 * 0.64 / 25.64 + share**2 * sd**2))
    ease = posterior.capability[..., 0, 0] + posterior.intercept
    assert ease.mean() == pytest.approx(mean, abs=0.06 * sd)
    assert ease.std() == pytest.approx(sd, rel=0.06)
    assert posterior.intercept.mean() == pytest.approx(alpha_mean, abs=0.06 * alpha_sd)
    assert posterior.intercept.std() == pytest.approx(alpha_sd, rel=0.06)


def brute_force(parts, options):
    """Mean and SD of alpha, c_1 ... c_N in one dimension, on a grid over (alpha, ease_1 ... ease_N), N = 1 or 2.

    Args:
        parts: {system: (demand (R, 1), score (R,))}; a demand of 0 leaves alpha alone in the odds.
    """
    alpha = np.linspace(-8, 8, 161)
    ease = np.linspace(-4, 12, 201)
    log_p, likelihood = -0.5 * (alpha / options.intercept_sd) ** 2, []
    for demand, score in parts.values():
        idle = demand[:, 0] <= 0
        log_p = log_p + score[idle].sum() * log_expit(alpha) + (1 - score[idle]).sum() * log_expit(-alpha)
        z = ease[:, None] - options.lam * demand[~idle, 0]
        own = (score[~idle] * log_expit(z) + (1 - score[~idle]) * log_expit(-z)).sum(axis=1)
        prior = -0.5 * ((ease - options.mean - alpha[:, None]) / options.sd) ** 2
        likelihood.append(own + prior)  # (alpha, ease)
    axes = [
        (slice(None), *(slice(None) if i == n else None for i in range(len(parts))))
        for n in range(len(parts))
    ]
    cube = log_p.reshape(-1, *[1] * len(parts)) + sum(
        own[axis] for own, axis in zip(likelihood, axes, strict=True)
    )
    p = np.exp(cube - cube.max())
    p /= p.sum()

    def moments(values):
        mean = (p * values).sum()
        return mean, np.sqrt((p * (values - mean) ** 2).sum())

    alpha_cube = alpha.reshape(-1, *[1] * len(parts))
    capability = [
        moments(ease.reshape([-1 if i == n + 1 else 1 for i in range(1 + len(parts))]) - alpha_cube)
        for n in range(len(parts))
    ]
    return np.array([*capability, moments(alpha_cube)]).T


def one_dimension(rng, n_items, c, alpha):
    demand = rng.choice([0.0, 1.0, 2.0, 3.5, 5.0], size=(n_items, 1))
    return answers(rng, [c], alpha, demand)


@pytest.mark.parametrize("options", [DEFAULT, ModelOptions(lam=1.4, mean=2.0, sd=1.2, intercept_sd=1.0)])
@pytest.mark.parametrize("n_systems", [1, 2])
def test_small_joint_posteriors_are_those_of_a_grid(n_systems, options):
    """Items that demand nothing enter through alpha, exactly: a fifth of the items are such."""
    rng = np.random.default_rng(31)
    parts = {f"s{n}": one_dimension(rng, (40, 25)[n], (3.5, 2.0)[n], 0.5) for n in range(n_systems)}
    mean, sd = mean_sd(joint(pooled(parts, ("L",)), options))
    expected_mean, expected_sd = brute_force(parts, options)
    np.testing.assert_allclose((mean - expected_mean) / expected_sd, 0, atol=0.06)
    np.testing.assert_allclose(sd / expected_sd, 1, atol=0.05)


def test_items_without_demands_pull_the_intercept_by_their_odds():
    rng = np.random.default_rng(32)
    demanding = one_dimension(rng, 30, 3.0, 0.0)
    idle = np.zeros((200, 1)), (np.arange(200) < 150) * 1.0
    parts = {"a": tuple(np.concatenate(pair) for pair in zip(demanding, idle, strict=True))}
    posterior = joint(pooled(parts, ("L",)))
    expected_mean, expected_sd = brute_force(parts, DEFAULT)
    mean, sd = mean_sd(posterior)
    np.testing.assert_allclose((mean - expected_mean) / expected_sd, 0, atol=0.06)
    np.testing.assert_allclose(sd / expected_sd, 1, atol=0.05)
    assert posterior.intercept.mean() == pytest.approx(np.log(3), abs=0.4)


# --- the likelihood --------------------------------------------------------------------------------------------

CURVES = [
    DEFAULT,
    ModelOptions(tau=0.5, lam=1.3),
    ModelOptions(tau=2.0),
    ModelOptions(tau=0.0, lam=0.7),
]


def battery(fractional):
    rng = np.random.default_rng(1)
    demand = rng.choice([0.0, 0.0, 1.0, 2.0, 2.5, 4.0], size=(90, 3))
    score = rng.choice([0.0, 1.0, 1 / 3, 0.75] if fractional else [0.0, 1.0], size=90)
    return demand, score


@pytest.mark.parametrize("fractional", [False, True])
@pytest.mark.parametrize("options", CURVES)
def test_likelihood_and_gradient_are_those_of_the_items(options, fractional):
    demand, score = battery(fractional)
    responses = pooled({"a": (demand, score)}, ("EM", "L", "OP"))
    items = factorised._Items(responses.demand, responses.passed[:, 0], responses.attempted[:, 0], options)
    unpooled = factorised._Items(demand, score, np.ones(len(score)), options)
    asked = (demand > 0).any(axis=1)

    def expected(ease):
        z = item_logit(ease, 0.0, demand[asked], options.tau, options.lam)
        return (score[asked] * log_expit(z) + (1 - score[asked]) * log_expit(-z)).sum()

    rng = np.random.default_rng(2)
    eases = rng.normal(2, 3, (5, 3))
    by_item = [expected(ease) for ease in eases]
    np.testing.assert_allclose(items.log_likelihood(eases), by_item, rtol=1e-9)
    np.testing.assert_allclose(unpooled.log_likelihood(eases), by_item, rtol=1e-9)
    for ease in eases:
        value, gradient = items.value_and_gradient(ease)
        slopes = [(expected(ease + d) - expected(ease - d)) / 2e-5 for d in 1e-5 * np.eye(3)]
        assert value == pytest.approx(expected(ease), rel=1e-9)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("options", CURVES)
def test_far_out_the_likelihood_is_finite_and_still_the_items(options):
    demand, score = battery(fractional=False)
    items = factorised._Items(demand, score, np.ones(len(score)), options)
    asked = (demand > 0).any(axis=1)
    for at in (-70.0, 70.0):
        ease = np.array([at, at + 3, at - 5])
        z = item_logit(ease, 0.0, demand[asked], options.tau, options.lam)
        expected = (score[asked] * log_expit(z) + (1 - score[asked]) * log_expit(-z)).sum()
        assert items.log_likelihood(ease[None])[0] == pytest.approx(expected, rel=1e-9)
    assert np.isfinite(items.log_likelihood(np.array([[-1e6, 1e6, 0.0], [1e6] * 3, [-1e6] * 3]))).all()


def test_counts_are_as_good_as_their_single_responses():
    demand, score = battery(fractional=False)
    once = pooled({"a": (np.tile(demand, (3, 1)), np.tile(score, 3))}, ("EM", "L", "OP"))
    single = factorised.fit_system(np.tile(demand, (3, 1)), np.tile(score, 3), np.ones(270), DEFAULT, 1)
    counted = factorised.fit_system(once.demand, once.passed[:, 0], once.attempted[:, 0], DEFAULT, 1)
    # one seed and one density: the draws differ by rounding, which the optimiser's last step magnifies
    np.testing.assert_allclose(counted.weight @ counted.ease, single.weight @ single.ease, atol=1e-4)
    assert counted.khat == pytest.approx(single.khat, abs=1e-2)


# --- what does not matter --------------------------------------------------------------------------------------


def test_one_seed_gives_the_same_bytes_whatever_the_order_of_systems(usual):
    fits = fit_all(usual)
    again = fit_all(usual)
    for name in usual.systems:
        assert fits[name].ease.tobytes() == again[name].ease.tobytes()
        assert fits[name].weight.tobytes() == again[name].weight.tobytes()
    a = engine.join(fits, usual, DEFAULT, 1000, seed_of)
    b = engine.join(dict(reversed(again.items())), usual, DEFAULT, 1000, seed_of)
    np.testing.assert_allclose(a.intercept, b.intercept, atol=1e-9)
    np.testing.assert_allclose(a.capability, b.capability, atol=1e-9)


def test_one_more_system_leaves_the_fits_of_the_others_alone(usual):
    two = replace(
        usual, systems=usual.systems[:2], passed=usual.passed[:, :2], attempted=usual.attempted[:, :2]
    )
    before, after = fit_all(two), fit_all(usual)
    for name in two.systems:
        assert before[name].ease.tobytes() == after[name].ease.tobytes()


def test_failures_alone_do_not_tell_which_dimension_was_too_low():
    """Items that demand two dimensions alike, all failed, intercept known: two modes of equal mass, not one."""
    known = ModelOptions(intercept_sd=0.1)
    found = factorised.fit_system(np.full((1, 2), 2.0), np.zeros(1), np.full(1, 1000.0), known, 1)
    mean = found.weight @ found.ease
    assert found.khat is not None
    assert found.khat < 0.7
    assert mean[0] == pytest.approx(mean[1], abs=0.2)
    is_first = found.weight @ (found.ease[:, 0] < found.ease[:, 1])
    assert is_first == pytest.approx(0.5, abs=0.03)
    assert (found.weight @ (found.ease - mean) ** 2 > 2**2).all()


def test_no_systems_give_an_empty_posterior():
    nobody = pool_counts([], np.empty((0, 2)), [], [], ("EM", "L"))
    posterior = engine.join({}, nobody, DEFAULT, 1000, seed_of)
    assert posterior.is_empty
    assert fit_quality.fit_diagnostics(posterior, THRESHOLDS)[1] == []


def test_draws_that_cannot_be_weighed_fail_the_gate(usual):
    fits = fit_all(usual)
    poor = replace(fits["s1"], khat=float("nan"))
    posterior = engine.join(fits | {"s1": poor}, usual, DEFAULT, 500, seed_of)
    rows, faults = fit_quality.fit_diagnostics(posterior, THRESHOLDS)
    assert rows.set_index("fit")["is_converged"].to_dict() == {
        "all systems": False,
        "s0": True,
        "s1": False,
        "s2": True,
    }
    assert all("SUITABILITY_ENGINE=nuts" in fault for fault in faults)


@pytest.mark.parametrize("where", ["ease", "weight", "far"])
def test_a_fit_that_goes_with_no_intercept_ends_in_an_error_that_names_its_system(where, monkeypatch):
    monkeypatch.setattr(factorised, "MAX_ROUNDS", 50)
    ease, weight = np.full((3, 2), 3.0), np.full(3, 1 / 3)
    alpha = np.linspace(-1, 1, 5)
    if where == "far":
        ease[0] += 1e6
    else:
        {"ease": ease, "weight": weight}[where][:] = np.nan
    broken = factorised.SystemFit("factorised", ease, weight, 0.1)
    joint = factorised.JointPosterior(alpha, np.full(5, 0.2), {"odd one": 1.0})
    with pytest.raises(ValueError, match="'odd one' can't be joined"):
        factorised.joint_draws({"odd one": broken}, joint, DEFAULT, 20, lambda _: 1)
