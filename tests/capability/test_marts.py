"""The slice's marts on draws whose summaries are known without SQL, and on nothing."""

from dataclasses import replace

import numpy as np
import pytest

from assets.capability.fit import fit_quality, fit_store
from dagster_project.resources import DuckDBWarehouse
from tests.support.dbt_run import WAREHOUSE_NAME, run_dbt

MODELS = ("posterior_correlation", "capability_profile", "system_profile", "fit_diagnostic")
VIEWS = ("stg_capability_draw", "stg_capability_diagnostic", "stg_system_geometry", "stg_fit_diagnostic")


@pytest.fixture(scope="module")
def build(tmp_path_factory, dbt_target):
    """Builds the marts from given draws, each time over what was built before."""
    folder = tmp_path_factory.mktemp("marts")
    return lambda posterior, models=MODELS: build_marts(folder, dbt_target, posterior, models)


def build_marts(folder, dbt_target, posterior, models):
    """The run, and its warehouse; marts of other slices are stand-ins."""
    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    row, _ = fit_quality.fit_diagnostics(posterior, fit_quality.Thresholds(1.05, 100))
    warehouse.write(
        {
            "estimate.capability_draw": fit_store.draw_table(posterior).to_pandas().drop(columns="intercept"),
            "estimate.intercept_draw": fit_store.intercept_frame(posterior),
            "estimate.fit_diagnostic": row,
            "estimate.capability_diagnostic": fit_quality.capability_diagnostics(posterior),
            "estimate.system_geometry": fit_quality.system_geometry(posterior),
        }
    )
    with warehouse.connect() as connection:
        connection.execute("create schema if not exists marts")
        connection.execute(
            "create or replace table marts.ai_system as "
            "select distinct system, cast(10 as bigint) as n_items, cast(0.5 as double) as accuracy "
            "from estimate.capability_draw"
        )
        connection.execute(
            "create or replace table marts.dimension as select distinct dimension from estimate.capability_draw"
        )
        connection.execute(
            "create or replace table marts.item_prediction_quality as select distinct system, 'all' as benchmark, "
            "cast(10 as bigint) as n_items, cast(0.5 as double) as observed, cast(0.9 as double) as auroc "
            "from estimate.capability_draw"
        )
    return run_dbt(folder, "build", "-s", *models, *VIEWS, parsed=dbt_target), warehouse


def draws(rng, shape=(4, 500, 2, 3), shift=0.0):
    values = rng.normal(size=shape) @ np.array([[1, 0.8, 0], [0, 0.6, 0], [0, 0, 0.1]]) + [1, 2, 3]
    values[0] += shift
    return fit_quality.Posterior("nuts", ("a", "b"), ("EM", "L", "OP"), values, rng.normal(size=shape[:2]), 0)


def test_marts_summarise_the_draws(build):
    posterior = draws(np.random.default_rng(1))
    run, warehouse = build(posterior)
    assert run.success, run.failures
    assert list(run.status.values()).count("pass") > 10
    profile = warehouse.read("marts.capability_profile").set_index(["system", "dimension"])
    system_profile = warehouse.read("marts.system_profile").set_index("system")
    assert len(profile) == 6
    for n, system in enumerate(posterior.systems):
        flat = posterior.capability[:, :, n].reshape(-1, 3)
        r = np.abs(np.corrcoef(flat, rowvar=False)) - np.eye(3)
        for k, dimension in enumerate(posterior.dimensions):
            row = profile.loc[(system, dimension)]
            assert row["mean_log"] == pytest.approx(flat[:, k].mean(), rel=1e-12)
            assert row["sd_log"] == pytest.approx(flat[:, k].std(ddof=1), rel=1e-12)
            assert row["q025_log"] == pytest.approx(np.quantile(flat[:, k], 0.025), rel=1e-12)
            assert row["q975_log"] == pytest.approx(np.quantile(flat[:, k], 0.975), rel=1e-12)
            assert row["contraction"] == pytest.approx(1 - flat[:, k].var(ddof=1) / 0.64, rel=1e-9)
            assert row["max_abs_correlation"] == pytest.approx(r[k].max(), rel=1e-9)
        line = system_profile.loc[system]
        assert line["mean_log"] == pytest.approx(flat.mean(), rel=1e-12)
        assert line["mean_abs_correlation"] == pytest.approx(r[np.triu_indices(3, 1)].mean(), rel=1e-9)
        assert (line["n_items"], line["accuracy"]) == (10, 0.5)


def test_figures_that_the_engine_does_not_have_are_null(build):
    """The default engine has no chains; of two systems here, one fell back to NUTS and has no Pareto k."""
    many = draws(np.random.default_rng(2), (1, 900, 2, 3))
    posterior = replace(
        many,
        engine="factorised",
        fits=(
            fit_quality.Quality("a", "factorised", 6000, ess_bulk_min=2500.0, khat_max=0.4),
            fit_quality.Quality("b", "nuts", 4000, ess_bulk_min=1500.0, n_divergent=0, rhat_max=1.004),
        ),
    )
    run, warehouse = build(posterior)
    assert run.success, run.failures
    diagnostic = warehouse.read("marts.fit_diagnostic").set_index("fit")
    assert diagnostic["n_chains"].isna().all()
    assert diagnostic["ess_tail_min"].isna().all()
    assert diagnostic["khat_max"].fillna(-1).to_dict() == {"all systems": 0.4, "a": 0.4, "b": -1}
    assert diagnostic["rhat_max"].fillna(-1).to_dict() == {"all systems": -1, "a": -1, "b": 1.004}
    assert diagnostic["ess_bulk_min"].to_dict() == {"all systems": 1500, "a": 2500, "b": 1500}
    profile = warehouse.read("marts.capability_profile")
    assert profile.groupby("system")["rhat"].count().to_dict() == {"a": 0, "b": 3}
    rhat = warehouse.read("marts.system_profile").set_index("system")["rhat_max"]
    assert rhat.fillna(-1).to_dict() == {"a": -1, "b": 1.004}


def test_no_draws_build_empty_marts(build):
    empty = fit_quality.Posterior("nuts", (), (), np.empty((4, 0, 0, 0)), np.empty((4, 0)), 0)
    run, warehouse = build(empty)
    assert run.success, run.failures
    assert [len(warehouse.read(f"marts.{name}")) for name in MODELS] == [0, 0, 0, 0]


def test_a_fit_that_did_not_converge_fails_its_mart_too(build):
    run, _ = build(draws(np.random.default_rng(1), shift=5.0), ["fit_diagnostic"])
    assert not run.success
    assert [name for name, status in run.status.items() if status == "fail"] == [
        "expression_is_true_fit_diagnostic_is_converged"
    ]
