"""The joint fit at full scale, by both engines: six systems simulated from Table C6 on the real battery's demands.

The demand matrix is built here in pandas, apart from the warehouse's own SQL.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from assets.capability import engine, fit, nuts, recovery
from assets.capability.layout import PooledResponses, pool_responses
from assets.capability.model import ModelOptions
from assets.settings import PROJECT, Settings

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


@pytest.fixture(scope="module")
def fitted(real_data):
    """Posterior of the six systems by NUTS, with the settings' defaults."""
    responses = real_pool(real_data)
    settings = Settings()
    sampler = nuts.SamplerOptions.of(settings, "model", "system_posterior")
    return nuts.sample_posterior(responses, ModelOptions.of(settings), sampler)


@pytest.fixture(scope="module")
def by_factorised(real_data):
    """The same by the default engine, with twice the draws."""
    settings, responses = Settings(), real_pool(real_data)
    model, thresholds = ModelOptions.of(settings), fit.Thresholds.of(settings)
    sampler = nuts.SamplerOptions.of(settings, "model", "system_posterior")
    with threadpool_limits(limits=1):
        fits = {
            name: engine.fit_system(engine.responses_of(responses, name), model, thresholds, sampler)
            for name in responses.systems
        }
        return engine.join(fits, responses, model, 8000, settings.seed_for)


def real_pool(folder: Path) -> PooledResponses:
    demand, response = real_demand(folder), real_responses(folder)
    response = response.merge(demand[["benchmark", "item"]].drop_duplicates())
    assert len(response) == 6 * 19535
    return pool_responses(demand, response)


def published(real_data: Path, posterior: fit.Posterior, column: str) -> np.ndarray:
    """(6, 8) column of Table C6, in the order of the posterior."""
    table = pd.read_csv(real_data.parent / "reference/c6.csv")
    table["system"] = table["system"].str.lower().str.replace(" ", "-")
    wide = table.pivot(index="system", columns="dim", values=column)
    return wide.loc[list(posterior.systems), list(posterior.dimensions)].to_numpy()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_defaults_converge_at_full_scale(fitted):
    settings = Settings()
    row, faults = fit.fit_diagnostics(fitted, fit.Thresholds.of(settings))
    assert faults == []
    assert row["ess_bulk_min"].item() > 1000


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_default_engine_agrees_with_nuts_at_full_scale(fitted, by_factorised):
    rows, faults = fit.fit_diagnostics(by_factorised, fit.Thresholds.of(Settings()))
    assert faults == []
    assert set(rows["engine"]) == {"factorised"}
    assert rows["ess_bulk_min"].min() > 1000
    shift = by_factorised.capability.mean((0, 1)) - fitted.capability.mean((0, 1))
    sd = fitted.capability.std((0, 1))
    assert np.abs(shift / sd).max() < 0.1
    # 48 standard deviations, each known to 2 % by either engine
    ratio = by_factorised.capability.std((0, 1)) / sd
    assert np.sqrt(np.mean((ratio - 1) ** 2)) < 0.04
    assert (np.abs(ratio - 1) < 0.05).sum() >= 43
    assert np.abs(ratio - 1).max() < 0.12
    assert by_factorised.intercept.mean() == pytest.approx(
        fitted.intercept.mean(), abs=0.1 * fitted.intercept.std()
    )


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_posterior_widths_are_those_of_table_c6(real_data, fitted):
    ratio = fitted.capability.std((0, 1)) / published(real_data, fitted, "sd")
    assert ratio.shape == (6, 8)
    assert np.median(ratio) == pytest.approx(1, abs=0.05)
    assert (np.abs(ratio - 1) < 0.2).sum() >= 42


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_what_lies_far_from_the_truth_was_drawn_to_the_prior(real_data, fitted):
    """Table C6 is not a draw from the prior N(3, .8²): SM lies four of its SDs out, so exact posteriors fall short."""
    truth = published(real_data, fitted, "mean")
    mean, sd = fitted.capability.mean((0, 1)), fitted.capability.std((0, 1))
    far = np.abs(mean - truth) > 2 * sd
    assert far.sum() <= 6
    assert (np.abs(mean - 3)[far] < np.abs(truth - 3)[far]).all()


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.xfail(strict=True, reason="43 of 48; importance sampling, another method, gives the same 43")
def test_45_of_48_cells_lie_within_two_posterior_sds_of_table_c6(real_data, fitted):
    mean, sd = fitted.capability.mean((0, 1)), fitted.capability.std((0, 1))
    assert (np.abs(mean - published(real_data, fitted, "mean")) <= 2 * sd).sum() >= 45


RUNS = 2


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
    summary = recovery.recovery_summary(estimates, options.sd, pd.DataFrame())
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
def test_tables_4_and_c2_are_those_of_free_intercepts(real_data, recovered):
    """And not of the shared one: its mean correlation is .95 where Table 4 prints .84."""
    by_dimension, _ = recovered
    published = pd.read_csv(real_data.parent / "reference/c2_contraction.csv").set_index("dimension")["tau_1"]
    found = by_dimension.loc["free", "contraction"]
    assert (found - published).abs().max() < 0.03
    assert by_dimension.loc["free", "r"].mean() == pytest.approx(0.84, abs=0.03)
    assert by_dimension.loc["shared", "r"].mean() == pytest.approx(0.95, abs=0.02)
