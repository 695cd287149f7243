"""A fit that may not be trusted, in the refresh's own job and asset graph: nothing that follows from it is made."""

from __future__ import annotations

import shutil
from pathlib import Path

import dagster as dg
import duckdb
import numpy as np
import pytest

from assets.capability.assets import LOADED
from assets.capability.fit import fit_quality, fit_store
from assets.settings import Settings
from dagster_project.definitions import build_definitions

MODEL = [dg.AssetKey(name.split(".")) for name in LOADED]
SHAPE = (4, 300, 2, 2)


def by_nuts(shift: float = 0.0) -> fit_quality.Posterior:
    rng = np.random.default_rng(6)
    draws = rng.normal(size=SHAPE)
    draws[0] += shift
    return fit_quality.Posterior("nuts", ("a", "b"), ("EM", "L"), draws, rng.normal(size=SHAPE[:2]), 0)


def stuck() -> fit_quality.Posterior:
    """One capability that no chain ever moved: R-hat and effective draws are NaN."""
    posterior = by_nuts()
    posterior.capability[..., 1, 0] = 3.0
    return posterior


def by_weights(khat: float = 0.3, ess: float = 900.0) -> fit_quality.Posterior:
    posterior = by_nuts()
    fits = tuple(
        fit_quality.Quality(name, "factorised", 4000, ess, khat_max=khat) for name in posterior.systems
    )
    capability = posterior.capability.reshape(1, -1, *SHAPE[2:])
    intercept = posterior.intercept.reshape(1, -1)
    return fit_quality.Posterior(
        "factorised", posterior.systems, posterior.dimensions, capability, intercept, 0, fits
    )


BAD = {
    "chains apart": by_nuts(shift=3.0),
    "R-hat NaN": stuck(),
    "Pareto k NaN": by_weights(khat=float("nan")),
    "ESS NaN": by_weights(ess=float("nan")),
    "Pareto k too large": by_weights(khat=0.71),
    "too few effective draws": by_weights(ess=399.0),
}


@pytest.fixture(scope="module")
def settings(dbt_target: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A home with marts of an earlier refresh, in the working file and published."""
    home = tmp_path_factory.mktemp("unconverged")
    shutil.copytree(dbt_target, home / "dbt" / "target")
    settings = Settings(home=home)
    settings.published.mkdir()
    for path in (settings.warehouse_path, settings.published_path):
        with duckdb.connect(str(path)) as connection:
            connection.execute("create schema marts")
            connection.execute("create table marts.capability_profile as select 'last good' as system")
    return settings


@pytest.fixture(scope="module")
def definitions(settings: Settings) -> dg.Definitions:
    # no way leads to dbt here, which starts a process of its own
    return build_definitions(settings, {"dbt": dg.ResourceDefinition.hardcoded_resource(None)})


def run(definitions: dg.Definitions, keys: set[dg.AssetKey]) -> tuple[dg.ExecuteInProcessResult, set[str]]:
    with dg.DagsterInstance.ephemeral() as instance:
        result = definitions.resolve_job_def("refresh").execute_in_process(
            instance=instance, asset_selection=sorted(keys), raise_on_error=False
        )
    made = result.get_asset_materialization_events()
    return result, {event.asset_key.to_user_string() for event in made if event.asset_key}


@pytest.mark.parametrize("name", BAD)
def test_an_untrusted_fit_leaves_the_last_good_marts(
    name: str, settings: Settings, definitions: dg.Definitions
) -> None:
    fit_store.write_posterior(settings.home / fit_store.DRAWS, BAD[name], name, is_converged=False)
    graph = definitions.get_repository_def().asset_graph
    below = dg.AssetSelection.assets(*MODEL).downstream().resolve(graph)
    below &= definitions.resolve_job_def("refresh").asset_layer.selected_asset_keys
    told = {key.to_user_string() for key in below}
    assert {"estimate/posterior_check", "estimate/suitability", "marts/capability_profile"} <= told
    assert {"marts/suitability", "marts/fit_diagnostic", "published/marts", "published/report"} <= told
    result, made = run(definitions, set(below))
    assert not result.success
    assert made == {"estimate/fit_diagnostic"}
    (check,) = (c for c in result.get_asset_check_evaluations() if c.check_name == "is_converged")
    assert not check.passed and check.description
    for path in (settings.warehouse_path, settings.published_path):
        with duckdb.connect(str(path)) as connection:
            assert connection.sql("from marts.capability_profile").fetchall() == [("last good",)]
            if path == settings.warehouse_path:
                converged = connection.sql("select bool_and(is_converged) from estimate.fit_diagnostic")
                assert converged.fetchall() == [(False,)]


@pytest.mark.parametrize("posterior", [by_nuts(), by_weights()], ids=["nuts", "factorised"])
def test_a_trusted_fit_is_loaded_and_what_follows_is_reached(
    posterior: fit_quality.Posterior, settings: Settings, definitions: dg.Definitions
) -> None:
    """The way is not blocked anyway: posterior_check starts, and asks for the items that this home lacks."""
    fit_store.write_posterior(settings.home / fit_store.DRAWS, posterior, "good", is_converged=True)
    result, made = run(definitions, {*MODEL, dg.AssetKey(["estimate", "posterior_check"])})
    assert made == {key.to_user_string() for key in MODEL}
    (failed,) = (event for event in result.all_events if event.is_step_failure)
    assert "estimate/prediction_input" in str(failed.step_failure_data.error)
