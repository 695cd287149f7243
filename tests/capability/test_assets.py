"""The assets end to end on a small battery, what refits and what doesn't, and the check that blocks."""

import os
from dataclasses import replace
from typing import Any

import dagster as dg
import numpy as np
import pandas as pd
import pytest

from assets.capability import assets as slice_assets
from assets.capability.fit import fit_quality, fit_store
from assets.capability.fit.layout import pool_counts, pool_responses
from assets.capability.fit.model import ModelOptions
from assets.settings import Settings
from tests.support.steps import MemoryWarehouse


@dg.asset(deps=[["estimate", "capability_draw"]])
def after_draws() -> None: ...


@dg.asset(deps=[["estimate", "fit_diagnostic"]])
def after_diagnostic() -> None: ...


def run(home, tables, selection=None, instance=None, partition=None, **settings):
    warehouse = MemoryWarehouse(tables)
    result = dg.materialize(
        [
            slice_assets.capability_input,
            slice_assets.system_posterior,
            slice_assets.joint_posterior,
            slice_assets.capability_posterior,
            after_draws,
            after_diagnostic,
        ],
        resources={"warehouse": warehouse, "settings": Settings(home=home, **settings)},
        selection=selection,
        instance=instance,
        partition_key=partition,
        raise_on_error=False,
    )
    done = {
        str(e.asset_key and e.asset_key.to_user_string()): e
        for e in result.get_asset_materialization_events()
    }
    return result, done, warehouse.tables


def battery(n_items=80):
    rng = np.random.default_rng(5)
    items = [f"{i:02d}" for i in range(n_items)]
    demand = pd.DataFrame(
        [("x", i, d, float(rng.choice([0, 1, 3]))) for i in items for d in ("L", "EM")],
        columns=["benchmark", "item", "dimension", "demand"],
    )
    response = pd.DataFrame(
        [(s, "x", i, float(rng.random() < 0.6), 1) for s in ("b", "a") for i in items],
        columns=["system", "benchmark", "item", "score", "n_attempts"],
    )
    return {"intermediate.int_demand": demand, "intermediate.int_response": response}


ENGINES: dict[str, dict[str, Any]] = {
    "factorised": {"draws": 600},
    "nuts": {"engine": "nuts", "tune": 200, "draws": 600, "max_rhat": 1.05},
}


@pytest.fixture(scope="module", params=list(ENGINES))
def fitted(tmp_path_factory, request):
    home = tmp_path_factory.mktemp("home")
    return home, run(home, battery(), **ENGINES[request.param]), ENGINES[request.param]


def note(done, asset, name):
    return done[f"estimate/{asset}"].step_materialization_data.materialization.metadata[name].value


def test_draws_reach_the_tables_by_name(fitted):
    _, (result, done, tables), settings = fitted
    assert result.success
    own = ["a", "b"] if "engine" not in settings else []
    assert note(done, "system_posterior", "fitted") == own
    assert note(done, "joint_posterior", "draws") == "made"
    assert {"after_draws", "after_diagnostic"} <= set(done)
    draws = tables["estimate.capability_draw"]
    assert len(draws) == 2 * 2 * 4 * 600
    assert np.isfinite(draws["value"]).all()
    assert sorted(set(zip(draws["system"], draws["dimension"], strict=True))) == [
        ("a", "EM"),
        ("a", "L"),
        ("b", "EM"),
        ("b", "L"),
    ]
    assert not draws.duplicated(["system", "dimension", "chain", "draw"]).any()
    assert len(tables["estimate.intercept_draw"]) == 4 * 600
    diagnostic = tables["estimate.fit_diagnostic"]
    assert diagnostic["fit"].tolist() == ["all systems", *own]
    assert diagnostic["is_converged"].all()
    chains = ["n_chains", "n_divergent", "rhat_max", "ess_tail_min", "ebfmi_min"]
    is_null = diagnostic.isna()
    assert is_null[["khat_max"] if "engine" in settings else chains].all(axis=None)
    assert not is_null.drop(columns=[*chains, "khat_max"]).any(axis=None)
    assert result.get_asset_check_evaluations()[0].passed


def test_the_same_input_is_not_fitted_again_and_other_row_order_changes_nothing(fitted):
    home, (_, _, tables), settings = fitted
    shuffled = {name: frame.sample(frac=1, random_state=1) for name, frame in battery().items()}
    _, done, again = run(home, shuffled, **settings)
    assert note(done, "system_posterior", "fitted") == []
    assert note(done, "joint_posterior", "draws") == "unchanged"
    for name in ("capability_draw", "intercept_draw", "fit_diagnostic", "system_geometry"):
        pd.testing.assert_frame_equal(again[f"estimate.{name}"], tables[f"estimate.{name}"])


def test_each_ingredient_changes_the_fingerprint():
    tables = battery()
    responses = pool_responses(tables["intermediate.int_demand"], tables["intermediate.int_response"])
    model = ModelOptions()
    flipped = responses.passed.copy()
    flipped[0, 0] = responses.attempted[0, 0] - flipped[0, 0] + 1
    prints = [
        fit_store.fingerprint(responses, model, "nuts", {"seed": 1}),
        fit_store.fingerprint(replace(responses, passed=flipped), model, "nuts", {"seed": 1}),
        fit_store.fingerprint(replace(responses, demand=responses.demand + 1), model, "nuts", {"seed": 1}),
        fit_store.fingerprint(replace(responses, systems=("a", "c")), model, "nuts", {"seed": 1}),
        fit_store.fingerprint(responses, replace(model, sd=0.9), "nuts", {"seed": 1}),
        fit_store.fingerprint(responses, model, "factorised", {"seed": 1}),
        fit_store.fingerprint(responses, model, "nuts", {"seed": 2}),
    ]
    assert len(set(prints)) == len(prints)


def store_draws(home, shift, fingerprint="f"):
    rng = np.random.default_rng(6)
    draws = rng.normal(size=(4, 300, 1, 2))
    draws[0] += shift
    posterior = fit_quality.Posterior("nuts", ("a",), ("EM", "L"), draws, rng.normal(size=(4, 300)), 0)
    fit_store.write_posterior(home / fit_store.DRAWS, posterior, fingerprint, is_converged=shift == 0)


LOAD = dg.AssetSelection.assets(
    *[name.split(".") for name in slice_assets.LOADED], ["after_draws"], ["after_diagnostic"]
)


def test_a_fit_that_did_not_converge_blocks_what_is_downstream_and_keeps_the_last_good_draws(tmp_path):
    store_draws(tmp_path, shift=0)
    result, done, good = run(tmp_path, {}, LOAD)
    assert result.success
    assert {"after_draws", "after_diagnostic"} <= set(done)

    store_draws(tmp_path, shift=3)
    result, done, tables = run(tmp_path, good, LOAD)
    assert not result.success
    assert not {"after_draws", "after_diagnostic", "estimate/capability_draw"} & set(done)
    check = result.get_asset_check_evaluations()[0]
    assert not check.passed
    assert "R-hat" in check.description
    assert tables["estimate.fit_diagnostic"]["is_converged"].tolist() == [False]
    assert tables["estimate.capability_draw"] is good["estimate.capability_draw"]
    assert tables["estimate.system_geometry"] is good["estimate.system_geometry"]


def test_draws_that_did_not_converge_or_were_broken_off_are_fitted_again(tmp_path):
    path = tmp_path / fit_store.DRAWS
    assert not fit_store.is_current(path, "f")
    store_draws(tmp_path, shift=3)
    assert not fit_store.is_current(path, "f")
    store_draws(tmp_path, shift=0)
    assert fit_store.is_current(path, "f")
    assert not fit_store.is_current(path, "g")
    path.write_bytes(path.read_bytes()[:-100])
    assert not fit_store.is_current(path, "f")


def test_a_crash_while_writing_leaves_the_last_whole_file(tmp_path, monkeypatch):
    store_draws(tmp_path, shift=0)
    before = (tmp_path / fit_store.DRAWS).read_bytes()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("no space left")))
    with pytest.raises(OSError, match="no space left"):
        store_draws(tmp_path, shift=0, fingerprint="new")
    assert (tmp_path / fit_store.DRAWS).read_bytes() == before
    assert [p.name for p in (tmp_path / "posterior").iterdir()] == ["draws.parquet"]


def test_draws_survive_the_file(tmp_path):
    rng = np.random.default_rng(8)
    posterior = fit_quality.Posterior(
        "nuts", ("a", "b"), ("EM", "L"), rng.normal(size=(2, 7, 2, 2)), rng.normal(size=(2, 7)), 1, ebfmi=0.7
    )
    fit_store.write_posterior(tmp_path / "d.parquet", posterior, "f", is_converged=True)
    again = fit_store.read_posterior(tmp_path / "d.parquet")
    np.testing.assert_array_equal(again.capability, posterior.capability)
    np.testing.assert_array_equal(again.intercept, posterior.intercept)
    assert (again.systems, again.dimensions, again.n_divergent) == (("a", "b"), ("EM", "L"), 1)
    assert again.ebfmi == 0.7


def test_no_systems_load_empty_tables(tmp_path):
    empty = {name: frame.iloc[:0] for name, frame in battery().items()}
    result, done, tables = run(tmp_path, empty)
    assert result.success
    assert {"after_draws", "after_diagnostic"} <= set(done)
    for name in slice_assets.LOADED:
        assert len(tables[name]) == 0
    assert result.get_asset_check_evaluations()[0].description == "nothing to fit"


def test_a_missing_file_names_the_asset_that_makes_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="estimate/capability_input"):
        fit_store.read_responses(tmp_path / fit_store.INPUT)
    with pytest.raises(FileNotFoundError, match="estimate/joint_posterior"):
        fit_store.read_posterior(tmp_path / fit_store.DRAWS)
    with pytest.raises(FileNotFoundError, match="partition 'a' of estimate/system_posterior"):
        fit_store.read_system(fit_store.system_path(tmp_path, "a"), "a", ("EM", "L"))


def test_pooled_input_survives_the_file(tmp_path):
    responses = pool_counts(["b", "a"], np.array([[1.0, 0.0], [2.5, 3.0]]), [0.5, 1], [1, 1], ("EM", "L"))
    fit_store.write_responses(tmp_path / fit_store.INPUT, responses)
    again = fit_store.read_responses(tmp_path / fit_store.INPUT)
    assert again.systems == ("a", "b")
    np.testing.assert_array_equal(again.passed, responses.passed)
