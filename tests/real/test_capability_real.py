"""The joint fit at full scale, by both engines: six systems simulated from Table C6 on the real battery's demands.

The demand matrix is built here in pandas, apart from the warehouse's own SQL.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from assets.capability.fit import engine, factorised, fit_quality, importance_sampling, nuts
from assets.capability.fit.factorised import JointPosterior, SystemFit
from assets.capability.fit.layout import PooledResponses, pool_responses
from assets.capability.fit.model import ModelOptions
from assets.capability.validation import recovery
from assets.settings import PROJECT, Settings
from tests.real.test_suitability_real import real_importance

NOT_RETAINED = ("AaIC", "ProsM")
SEEDS = PROJECT / "dbt/seeds"


def ratings(path: Path) -> pd.DataFrame:
    """Items × capabilities; what is not a whole level 0-5 is missing."""
    capability = pd.read_csv(SEEDS / "seed_capability.csv").set_index("name")["capability"].to_dict()
    frame = pd.read_csv(path, dtype=str).rename(columns=capability | {"Inhibitory Control": "AaIC"})
    frame = frame.set_index(["dataset name", "sample id"]).drop(columns=list(NOT_RETAINED))
    return frame.apply(lambda column: pd.to_numeric(column.where(column.isin(list("012345")))))


def real_demand(folder: Path) -> pd.DataFrame:
    first, second = (ratings(path) for path in sorted((folder / "battery/ratings").glob("*.csv")))
    consensus = ((first + second.reindex(index=first.index, columns=first.columns)) / 2).dropna()
    members = pd.read_csv(SEEDS / "seed_dimension.csv").set_index("dimension")["dimension_key"].str.split("|")
    demand = pd.DataFrame(
        {d: consensus[keys].where(consensus[keys] > 0).mean(axis=1).fillna(0) for d, keys in members.items()}
    )
    long = demand.melt(var_name="dimension", value_name="demand", ignore_index=False).reset_index()
    return long.set_axis(["benchmark", "item", "dimension", "demand"], axis=1)


def real_responses(folder: Path) -> pd.DataFrame:
    paths = sorted((folder / "battery/results").glob("*.csv"))
    frame = pd.concat([pd.read_csv(path, dtype=str).assign(system=path.stem) for path in paths])
    frame = frame.rename(columns={"dataset_name": "benchmark", "sample_id": "item"})
    return frame.assign(score=frame["score"].astype(float))[["system", "benchmark", "item", "score"]]


# of a chain; a standard deviation is then known to 1 %, by the spread between chains
NUTS_DRAWS = 4000
# importance sampling with a last round so long that the tails, where few draws fall, are known as well
LONG_ROUNDS, DEFAULT_RUNS = (1000, 4000, 150_000), 6


@pytest.fixture(scope="module")
def fitted(real_data):
    """Posterior of the six systems by NUTS: the settings' defaults, but more draws."""
    responses = real_pool(real_data)
    settings = Settings()
    sampler = nuts.SamplerOptions.of(settings, "model", "system_posterior")
    return nuts.sample_posterior(responses, ModelOptions.of(settings), replace(sampler, draws=NUTS_DRAWS))


def own_fits(responses: PooledResponses, run: int) -> dict[str, SystemFit]:
    settings = Settings()
    model, thresholds = ModelOptions.of(settings), fit_quality.Thresholds.of(settings)
    sampler = nuts.SamplerOptions.of(settings, "model", "system_posterior", run)
    with threadpool_limits(limits=1):
        return {
            name: engine.fit_system(engine.responses_of(responses, name), model, thresholds, sampler)
            for name in responses.systems
        }


@pytest.fixture(scope="module")
def by_factorised(real_data):
    """The same by the default engine and with its defaults, but twice the joint draws."""
    settings, responses = Settings(), real_pool(real_data)
    model, fits = ModelOptions.of(settings), own_fits(responses, 1)
    return engine.join(fits, responses, model, 8000, settings.seed_for)


def factorised_moments(responses: PooledResponses, run: int) -> tuple[np.ndarray, np.ndarray, JointPosterior]:
    """Means and SDs (6, 8) by the default engine, without the noise of joint draws; and the intercept."""
    model, fits = ModelOptions.of(Settings()), own_fits(responses, run)
    idle = ~(responses.demand > 0).any(axis=1)
    counts = float(responses.passed[idle].sum()), float(responses.attempted[idle].sum())
    joint = factorised.combine(fits, counts, model)
    both = [recovery.posterior_moments(fits[name], joint, model) for name in responses.systems]
    return np.array([m for m, _ in both]), np.sqrt([np.diag(c) for _, c in both]), joint


def real_pool(folder: Path) -> PooledResponses:
    demand, response = real_demand(folder), real_responses(folder)
    response = response.merge(demand[["benchmark", "item"]].drop_duplicates())
    assert len(response) == 6 * 19535
    return pool_responses(demand, response)


def published(real_data: Path, posterior: fit_quality.Posterior, column: str) -> np.ndarray:
    """(6, 8) column of Table C6, in the order of the posterior."""
    table = pd.read_csv(real_data.parent / "reference/c6.csv")
    table["system"] = table["system"].str.lower().str.replace(" ", "-")
    wide = table.pivot(index="system", columns="dim", values=column)
    return wide.loc[list(posterior.systems), list(posterior.dimensions)].to_numpy()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_defaults_converge_at_full_scale(fitted):
    settings = Settings()
    n = settings.draws
    default = replace(fitted, capability=fitted.capability[:, :n], intercept=fitted.intercept[:, :n])
    row, faults = fit_quality.fit_diagnostics(default, fit_quality.Thresholds.of(settings))
    assert faults == []
    assert row["ess_bulk_min"].item() > 1000


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_default_engine_agrees_with_nuts_at_full_scale(real_data, fitted, monkeypatch):
    """Means within .1 posterior SD and SDs within 5 %: all 48 capabilities, and the intercept."""
    monkeypatch.setattr(importance_sampling, "ROUNDS", LONG_ROUNDS)
    mean, sd, joint = factorised_moments(real_pool(real_data), 1)
    reference = fitted.capability.std((0, 1))
    assert np.abs((mean - fitted.capability.mean((0, 1))) / reference).max() < 0.1
    assert np.abs(sd / reference - 1).max() < 0.05
    assert joint.mean == pytest.approx(fitted.intercept.mean(), abs=0.1 * fitted.intercept.std())
    assert joint.sd == pytest.approx(fitted.intercept.std(), rel=0.05)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_its_own_number_of_draws_costs_a_few_percent_of_a_standard_deviation(real_data, monkeypatch):
    """What a run with the defaults adds to that: tails cut short by up to 5 %, and noise of 2 % from run to run."""
    responses = real_pool(real_data)
    runs = [factorised_moments(responses, run) for run in range(1, DEFAULT_RUNS + 1)]
    monkeypatch.setattr(importance_sampling, "ROUNDS", LONG_ROUNDS)
    mean, sd, _ = factorised_moments(responses, 1)
    assert all(np.abs((own - mean) / sd).max() < 0.1 for own, _, _ in runs)
    found = np.array([own for _, own, _ in runs])
    assert np.abs(found.mean(axis=0) / sd - 1).max() < 0.05
    assert np.sqrt(np.mean((found.std(axis=0, ddof=1) / sd) ** 2)) < 0.025


def test_the_default_engine_converges_at_full_scale(by_factorised):
    rows, faults = fit_quality.fit_diagnostics(by_factorised, fit_quality.Thresholds.of(Settings()))
    assert faults == []
    assert set(rows["engine"]) == {"factorised"}
    assert rows["ess_bulk_min"].min() > 1000


def test_profiles_have_the_shape_of_tables_c4_and_c5(real_data, by_factorised):
    """Means over the six systems; a system's worst contraction is that of its least certain dimension."""
    c4 = pd.read_csv(real_data.parent / "reference/c4_shared.csv").mean(numeric_only=True)
    geometry = fit_quality.system_geometry(by_factorised).mean(numeric_only=True)
    sd = by_factorised.capability.std((0, 1))
    worst = (1 - sd**2 / 0.8**2).min(axis=1).mean()
    assert geometry["effective_dimensions"] == pytest.approx(c4["effective_dimensions"], abs=0.15)
    assert geometry["mean_abs_correlation"] == pytest.approx(c4["mean_abs_correlation"], abs=0.03)
    assert worst == pytest.approx(c4["worst_contraction"], abs=0.03)
    c5 = pd.read_csv(real_data.parent / "reference/c5.csv")["mean_sd_log"].mean()
    assert sd.mean() == pytest.approx(c5, abs=0.03)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_posterior_widths_are_those_of_table_c6(real_data, fitted):
    ratio = fitted.capability.std((0, 1)) / published(real_data, fitted, "sd")
    assert ratio.shape == (6, 8)
    assert np.median(ratio) == pytest.approx(1, abs=0.05)
    assert (np.abs(ratio - 1) < 0.2).sum() >= 42


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_what_lies_far_from_the_truth_was_drawn_to_the_prior(real_data, fitted):
    """Table C6 is not a draw from the prior N(3, .8²): SM lies four of its SDs out, so exact posteriors fall short."""
    truth = published(real_data, fitted, "mean")
    mean, sd = fitted.capability.mean((0, 1)), fitted.capability.std((0, 1))
    far = np.abs(mean - truth) > 2 * sd
    assert far.sum() <= 6
    assert (np.abs(mean - 3)[far] < np.abs(truth - 3)[far]).all()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.xfail(strict=True, reason="43 of 48; importance sampling, another method, gives the same 43")
def test_45_of_48_cells_lie_within_two_posterior_sds_of_table_c6(real_data, fitted):
    mean, sd = fitted.capability.mean((0, 1)), fitted.capability.std((0, 1))
    assert (np.abs(mean - published(real_data, fitted, "mean")) <= 2 * sd).sum() >= 45


RUNS = 2


def real_weights(folder: Path) -> pd.DataFrame:
    members = pd.read_csv(SEEDS / "seed_dimension.csv")
    members = members.assign(capability=members["dimension_key"].str.split("|")).explode("capability")
    return recovery.activity_weights(real_importance(folder), members)


@pytest.fixture(scope="module")
def recovered(real_data):
    """Recovery analysis at tau = 1 on the real demands, mean over runs: by dimension, and as a whole."""
    settings = Settings()
    options, battery = ModelOptions.of(settings), recovery.Battery.of(real_demand(real_data))
    published = pd.read_csv(SEEDS / "published_agents.csv")
    agents = recovery.agents_on(battery, published, options, settings.seed_for)
    blocks = recovery.recover_all(battery, agents, options, RUNS, settings.seed_for, taus=(1.0,))
    with threadpool_limits(limits=1):
        estimates = pd.concat(list(blocks))
    by_dimension = recovery.dimension_recovery(estimates, options.sd)
    summary = recovery.recovery_summary(estimates, options.sd, real_weights(real_data))
    means = summary.drop(columns=["run", "tau"]).groupby("intercept").mean(numeric_only=True)
    return by_dimension.groupby(["intercept", "dimension"])[["r", "contraction", "mae"]].mean(), means


@pytest.mark.slow
def test_a_shared_intercept_recovers_shape_and_level_as_table_5_says(recovered):
    _, summary = recovered
    shared = summary.loc["shared"]
    assert shared["shape_r"] == pytest.approx(0.92, abs=0.03)
    assert shared["level_r"] == pytest.approx(0.98, abs=0.02)
    assert shared["effective_dimensions"] == pytest.approx(6.7, abs=0.2)
    assert shared["mean_abs_correlation"] == pytest.approx(0.13, abs=0.02)
    assert shared["worst_contraction"] == pytest.approx(0.81, abs=0.03)
    free = summary.loc["free"]
    assert free["effective_dimensions"] == pytest.approx(2.7, abs=0.15)
    assert free["mean_abs_correlation"] == pytest.approx(0.50, abs=0.03)
    assert free["worst_contraction"] == pytest.approx(0.71, abs=0.03)
    assert free["level_slope"] < 0.05


@pytest.mark.slow
def test_suitability_by_the_surveys_weights_is_recovered_as_well_as_table_5_says_and_better(
    real_data, recovered
):
    """The printed .91 and .90 are not met: no weighting of the survey gives less than .93 and .91 here."""
    _, summary = recovered
    printed = pd.read_csv(real_data.parent / "reference/table5_intercepts.csv").set_index("measure")
    for measure, chance in (("suitability_rho", 0.0), ("suitability_pairwise_accuracy", 0.5)):
        found, told = summary[measure], printed.loc[measure]
        assert told["shared"] < found["shared"] < 1
        # knowing the intercept adds nothing to sharing it; an intercept each loses more than half of the order
        assert found["fixed"] == pytest.approx(found["shared"], abs=0.01)
        assert told["free"] < found["free"] < (found["shared"] + chance) / 2


@pytest.mark.slow
def test_tables_4_and_c2_are_those_of_free_intercepts(real_data, recovered):
    """And not of the shared one: its mean correlation is .95 where Table 4 prints .84."""
    by_dimension, _ = recovered
    published = pd.read_csv(real_data.parent / "reference/c2_contraction.csv").set_index("dimension")["tau_1"]
    found = by_dimension.loc["free", "contraction"]
    assert (found - published).abs().max() < 0.03
    assert by_dimension.loc["free", "r"].mean() == pytest.approx(0.84, abs=0.03)
    assert by_dimension.loc["shared", "r"].mean() == pytest.approx(0.95, abs=0.02)
