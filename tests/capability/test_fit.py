"""Sampling against closed forms and known truth; the convergence gate; thin and lopsided batteries."""

import tempfile

import arviz as az
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, log_expit

from assets.capability.fit import fit_quality, fit_store, nuts
from assets.capability.fit.layout import item_logit, pool_counts, pool_responses
from assets.capability.fit.model import ModelOptions

SAMPLER = nuts.SamplerOptions(chains=4, tune=300, draws=1000, target_accept=0.7, seed=7)
THRESHOLDS = fit_quality.Thresholds(max_rhat=1.01, min_ess=400)


def answers(rng, name, c, alpha, demand):
    return [name] * len(demand), demand, (rng.random(len(demand)) < expit(item_logit(c, alpha, demand))) * 1.0


def pooled(parts, dimensions):
    system, demand, score = (np.concatenate([part[i] for part in parts]) for i in range(3))
    return pool_counts(system, demand, score, np.ones(len(score)), dimensions)


def converged(posterior):
    row, faults = fit_quality.fit_diagnostics(posterior, THRESHOLDS)
    assert faults == []
    assert bool(row["is_converged"].item())
    return posterior


@pytest.fixture(scope="module")
def lopsided():
    """A battery that demands nothing of OP, and systems of every awkward kind."""
    rng = np.random.default_rng(11)
    level = rng.choice([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], size=(400, 3), p=[0.4, 0.12, 0.12, 0.12, 0.12, 0.12])
    level[:, 2] = 0.0
    truth = np.array([3.5, 1.5, 3.0])
    only_first = np.where([True, False, False], level, 0.0)[level[:, 0] > 0][:150]
    parts = [
        answers(rng, "usual", truth, 0.0, level),
        (["no failures"] * 400, level, np.ones(400)),
        (["no passes"] * 400, level, np.zeros(400)),
        answers(rng, "thirty items", truth, 0.0, level[:30]),
        answers(rng, "one benchmark", truth, 0.0, only_first),
    ]
    return nuts.sample_posterior(pooled(parts, ("EM", "L", "OP")), ModelOptions(), SAMPLER)


def test_one_seed_gives_the_same_bytes():
    rng = np.random.default_rng(12)
    responses = pooled([answers(rng, "a", np.array([3.0]), 0.0, np.full((20, 1), 2.0))], ("L",))
    short = nuts.SamplerOptions(chains=2, tune=100, draws=50, target_accept=0.7, seed=7)
    a, b = (nuts.sample_posterior(responses, ModelOptions(), short) for _ in range(2))
    assert a.capability.tobytes() == b.capability.tobytes()
    assert a.intercept.tobytes() == b.intercept.tobytes()


def test_a_fit_leaves_no_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    responses = pooled([answers(np.random.default_rng(1), "a", np.ones(1), 0.0, np.ones((5, 1)))], ("L",))
    nuts.sample_posterior(responses, ModelOptions(), nuts.SamplerOptions(2, 100, 100, 0.7, seed=7))
    assert list(tmp_path.iterdir()) == []
    assert tempfile.gettempdir() == str(tmp_path)


def test_awkward_systems_get_finite_and_wide_profiles(lopsided):
    posterior = converged(lopsided)
    assert posterior.systems == ("no failures", "no passes", "one benchmark", "thirty items", "usual")
    assert np.isfinite(posterior.capability).all()
    mean = dict(zip(posterior.systems, posterior.capability.mean((0, 1)), strict=True))
    sd = dict(zip(posterior.systems, posterior.capability.std((0, 1)), strict=True))
    em_and_l = slice(0, 2)
    assert (sd["thirty items"][em_and_l] > sd["usual"][em_and_l]).all()
    assert (mean["no failures"][em_and_l] > 3).all()
    assert (mean["no passes"][em_and_l] < 3).all()
    assert sd["one benchmark"][1] == pytest.approx(0.8, abs=0.08)
    assert min(values.min() for values in sd.values()) > 0.05


def test_a_dimension_that_nothing_demands_gives_the_prior_back(lopsided):
    draws = lopsided.capability[..., 2].reshape(-1, 5)
    np.testing.assert_allclose(draws.mean(axis=0), 3.0, atol=0.08)
    np.testing.assert_allclose(draws.std(axis=0), 0.8, atol=0.06)
    np.testing.assert_allclose(np.quantile(draws, 0.975, axis=0), 3 + 1.96 * 0.8, atol=0.2)


def test_one_dimension_of_one_demand_is_a_line_integral():
    """Only ease = c + alpha is seen: its posterior is one integral, and alpha given ease is normal."""
    n, passed, demand = 60, 41.0, 2.0
    responses = pool_counts(["a"] * 2, np.full((2, 1), demand), [passed, 0], [n - 5, 5], ("L",))
    posterior = converged(nuts.sample_posterior(responses, ModelOptions(), SAMPLER))
    grid = np.linspace(-8, 14, 40001)
    log_p = passed * log_expit(grid - demand) + (n - passed) * log_expit(demand - grid)
    log_p -= 0.5 * (grid - 3) ** 2 / (0.8**2 + 25)
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    mean = p @ grid
    sd = np.sqrt(p @ (grid - mean) ** 2)
    share = 25 / (25 + 0.64)
    alpha_mean, alpha_sd = share * (mean - 3), np.sqrt(25 * 0.64 / 25.64 + share**2 * sd**2)
    ease = posterior.capability[..., 0, 0] + posterior.intercept
    assert ease.mean() == pytest.approx(mean, abs=0.06 * sd)
    assert ease.std() == pytest.approx(sd, rel=0.06)
    assert posterior.intercept.mean() == pytest.approx(alpha_mean, abs=0.06 * alpha_sd)
    assert posterior.intercept.std() == pytest.approx(alpha_sd, rel=0.06)


def test_known_capabilities_are_recovered():
    """Three systems, 1,000 items, 12 cells: each within 3.5 posterior SDs, most within 2, no bias."""
    rng = np.random.default_rng(23)
    demand = rng.choice([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], size=(1000, 4), p=[0.5, 0.1, 0.1, 0.1, 0.1, 0.1])
    truth, alpha = rng.normal(3, 0.8, (3, 4)), -0.4
    parts = [answers(rng, f"s{n}", truth[n], alpha, demand) for n in range(3)]
    posterior = converged(
        nuts.sample_posterior(pooled(parts, ("EM", "L", "OP", "SM")), ModelOptions(), SAMPLER)
    )
    mean, sd = posterior.capability.mean((0, 1)), posterior.capability.std((0, 1))
    z = (mean - truth) / sd
    assert np.abs(z).max() < 3.5
    assert (np.abs(z) < 2).sum() >= 10
    assert sd.max() < 0.6
    assert np.corrcoef(mean.ravel(), truth.ravel())[0, 1] > 0.9
    assert abs(posterior.intercept.mean() - alpha) < 3 * posterior.intercept.std()


def made_up(rng, shape=(4, 500, 2, 3), shift=0.0):
    draws = rng.normal(size=shape)
    draws[0] += shift
    return fit_quality.Posterior("nuts", ("a", "b"), ("EM", "L", "OP"), draws, rng.normal(size=shape[:2]), 0)


def test_independent_draws_pass_the_gate():
    converged(made_up(np.random.default_rng(1)))


def test_chains_apart_fail_by_rhat():
    row, faults = fit_quality.fit_diagnostics(made_up(np.random.default_rng(1), shift=1.0), THRESHOLDS)
    assert "R-hat" in faults[0]
    assert "SUITABILITY_TUNE" in faults[0]
    assert not row["is_converged"].item()


def test_few_draws_fail_by_effective_draws():
    _, faults = fit_quality.fit_diagnostics(
        made_up(np.random.default_rng(1), (2, 150, 2, 3)), fit_quality.Thresholds(2, 400)
    )
    assert len(faults) == 2, "bulk and tail"
    assert "ESS" in faults[0]


@pytest.mark.parametrize(
    ("figures", "n_faults"),
    [
        ((1.005, 500.0, 450.0, 0.3, 0), 0),
        ((np.nan, 500.0, 450.0, 0.9, 0), 1),
        ((1.005, np.nan, 450.0, 0.9, 0), 1),
        ((1.005, 500.0, np.nan, 0.9, 0), 1),
        ((1.005, 500.0, 450.0, np.nan, 0), 1),
        ((np.nan, np.nan, np.nan, np.nan, 3), 5),
        ((1.011, 500.0, 450.0, 0.9, 0), 1),
        ((1.0, 399.0, 450.0, 0.9, 0), 1),
        ((1.0, 500.0, 399.0, 0.9, 0), 1),
        ((1.0, 500.0, 450.0, 0.299, 0), 1),
        ((1.0, 500.0, 450.0, 0.9, 1), 1),
        # what an engine without chains has
        ((None, 500.0, None, None, None), 0),
    ],
)
def test_each_figure_can_fail_and_nan_fails(figures, n_faults):
    rhat, bulk, tail, ebfmi, n_divergent = figures
    quality = fit_quality.Quality("all", "nuts", 4000, bulk, None, 4, n_divergent, rhat, tail, ebfmi)
    assert len(fit_quality.convergence_faults(quality, THRESHOLDS)) == n_faults


def test_ebfmi_is_the_energy_s_steps_over_its_variance_of_the_worst_chain():
    """E-BFMI = sum of squared steps / sum of squares about the mean (Betancourt 2016): 2 if white, little if slow."""
    rng = np.random.default_rng(9)
    white = rng.normal(size=4000)
    slow = np.cumsum(rng.normal(size=4000))
    trace = az.from_dict(sample_stats={"energy": np.stack([white, slow])})
    by_hand = np.square(np.diff(slow)).sum() / np.square(slow - slow.mean()).sum()
    assert by_hand < 0.01
    assert nuts.smallest_ebfmi(trace) == pytest.approx(by_hand, rel=0.01)
    white_only = az.from_dict(sample_stats={"energy": white[None]})
    assert nuts.smallest_ebfmi(white_only) == pytest.approx(2, abs=0.1)
    assert np.isnan(nuts.smallest_ebfmi(az.from_dict(sample_stats={"energy": np.ones((2, 50))})))


def test_a_parameter_that_never_moved_fails():
    posterior = made_up(np.random.default_rng(2))
    posterior.capability[..., 1, 2] = 3.0
    _, faults = fit_quality.fit_diagnostics(posterior, THRESHOLDS)
    assert faults


def test_figures_belong_to_their_system_and_dimension():
    posterior = made_up(np.random.default_rng(3))
    posterior.capability[0, :, 1, 2] += 2
    table = fit_quality.capability_diagnostics(posterior).set_index(["system", "dimension"])["rhat"]
    assert table.idxmax() == ("b", "OP")
    assert (table.drop([("b", "OP")]) < 1.02).all()


def test_geometry_of_a_known_correlation():
    """Equicorrelation r over K = 3: eigenvalues 1 + 2r and 1 - r twice."""
    r, rng = 0.5, np.random.default_rng(4)
    root = np.linalg.cholesky(np.full((3, 3), r) + (1 - r) * np.eye(3))
    posterior = made_up(rng, (4, 50000, 2, 3))
    posterior.capability[:] = posterior.capability @ root.T * [1.0, 10.0, 0.1]
    row = fit_quality.system_geometry(posterior).iloc[0]
    assert row["effective_dimensions"] == pytest.approx(9 / ((1 + 2 * r) ** 2 + 2 * (1 - r) ** 2), rel=0.02)
    assert row["mean_abs_correlation"] == pytest.approx(r, abs=0.01)
    assert row["condition_number"] == pytest.approx((1 + 2 * r) / (1 - r), rel=0.03)


def test_nothing_to_fit_gives_empty_frames():
    demand = pd.DataFrame(columns=["benchmark", "item", "dimension", "demand"])
    response = pd.DataFrame(columns=["system", "benchmark", "item", "score", "n_attempts"])
    posterior = nuts.sample_posterior(pool_responses(demand, response), ModelOptions(), SAMPLER)
    row, faults = fit_quality.fit_diagnostics(posterior, THRESHOLDS)
    frames = [row, fit_quality.capability_diagnostics(posterior), fit_quality.system_geometry(posterior)]
    frames += [
        fit_store.draw_table(posterior).to_pandas().drop(columns="intercept"),
        fit_store.intercept_frame(posterior),
    ]
    assert faults == []
    assert all(len(frame) == 0 and len(frame.columns) for frame in frames)
