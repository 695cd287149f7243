"""The assets on a warehouse file: what they read, what they write, and that empty inputs build empty tables."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd
import pytest

from assets.settings import Settings
from assets.suitability.assets import published_suitability, suitability_scores, suitability_sweep
from dagster_project.resources import DuckDBWarehouse
from tests.support.steps import run_steps

INPUTS = """
create schema staging; create schema intermediate; create schema estimate; create schema seed;
create table staging.stg_ai_system as select * from (values ('x', 'ai'), ('y', 'ai')) as t (system, kind);
create table intermediate.int_disclosed_capability_importance as
    select 'all' as scope_type, 'all' as scope, activity, capability, points, n_raters
    from (
        values ('Admin', 'EM', 60.0, 4), ('Admin', 'SM', 40.0, 4), ('Coding', 'EM', 20.0, 9), ('Coding', 'SM', 80.0, 9)
    ) as t (activity, capability, points, n_raters);
create table intermediate.int_dimension_member as
    select * from (values ('EM', 'EM', 'EM'), ('SM', 'SM', 'SM')) as t (dimension, dimension_key, capability);
create table estimate.capability_draw as
    select system, dimension, chain, draw, cast(draw + case dimension when 'SM' then 2 else 0 end as double) as value
    from (values ('x'), ('y')) as s (system), (values ('EM'), ('SM')) as d (dimension),
        (values (0), (1)) as c (chain), range(3) as r (draw);
create table staging.stg_policy as
    select 'fixed' as policy, 0.0 as power, 1.0 as sharpness, 'raw' as weighting, 'conditional' as importance_type,
        'none' as weight_uncertainty, cast(null as double) as weight_kappa, true as is_default,
        cast(null as varchar) as reason;
create table seed.seed_dimension as select dimension, dimension_key from intermediate.int_dimension_member;
create table seed.published_capability as
    select * from (values ('x', 'EM', 1.0, 0.1), ('x', 'SM', 2.0, 0.1)) as t (system, dimension, mean, sd);
"""


@pytest.fixture
def warehouse(tmp_path: Path) -> DuckDBWarehouse:
    path = tmp_path / "w.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(INPUTS)
    return DuckDBWarehouse(path)


def materialize(warehouse: DuckDBWarehouse) -> None:
    run_steps(
        warehouse, Settings(published_draws=200), suitability_scores, published_suitability, suitability_sweep
    )


def test_tables_are_written_by_key(warehouse: DuckDBWarehouse) -> None:
    materialize(warehouse)
    scores = warehouse.read("estimate.suitability").set_index(["activity", "system", "policy"])["mean_log"]
    # mean of draws 0, 1, 2 is 1; SM lies 2 above EM: 1 + w_SM · 2
    assert scores.round(12).to_dict() == {
        ("Admin", "x", "fixed"): 1.8,
        ("Admin", "y", "fixed"): 1.8,
        ("Coding", "x", "fixed"): 2.6,
        ("Coding", "y", "fixed"): 2.6,
    }
    assert len(warehouse.read("estimate.suitability_pooled")) == 2
    published = warehouse.read("estimate.published_suitability").set_index("activity")
    # relative weights: Admin leads in EM (c = 1), Coding in SM (c = 2)
    assert published["mean_log"].to_dict() == {"Admin": 1.0, "Coding": 2.0}
    assert set(published["scope"]) == {"all"}
    sweep = warehouse.read("estimate.suitability_sweep")
    # 7 powers × 4 sharpness × 2 activities: × 2 systems × 2 weightings × 2 uncertainties; the paper's system, and p = 0
    assert sweep.groupby("basis").size().to_dict() == {
        "fitted": 28 * 2 * 2 * 2 * 2,
        "published_c6": 28 * 2 + 2,
    }
    neutral = sweep.query("basis == 'fitted' and weighting == 'raw' and power == 0 and sharpness == 1")
    certain = neutral.query("weight_uncertainty == 'none' and system == 'x'").set_index("activity")[
        "mean_log"
    ]
    assert certain.round(12).to_dict() == {"Admin": 1.8, "Coding": 2.6}


def test_the_same_inputs_give_the_same_bytes(warehouse: DuckDBWarehouse) -> None:
    with warehouse.connect() as connection:
        connection.execute("update staging.stg_policy set weight_uncertainty = 'dirichlet'")
    materialize(warehouse)
    first = [warehouse.read(f"estimate.{name}") for name in ("suitability", "suitability_sweep")]
    materialize(warehouse)
    assert first[0].equals(warehouse.read("estimate.suitability"))
    assert first[1].equals(warehouse.read("estimate.suitability_sweep"))


def test_a_suppressed_activity_moves_no_border(warehouse: DuckDBWarehouse) -> None:
    """Admin (1.8) is below the median of both; alone it is the median."""
    materialize(warehouse)

    def read() -> pd.Series:
        return warehouse.read("estimate.suitability_pooled").set_index("activity")["upper_half_probability"]

    assert read().to_dict() == {"Admin": 0.0, "Coding": 1.0}
    with warehouse.connect() as connection:
        connection.execute(
            "update intermediate.int_disclosed_capability_importance set points = null where activity = 'Coding'"
        )
    materialize(warehouse)
    assert read()["Admin"] == 1.0


def test_a_person_is_scored_but_neither_pooled_nor_ranked(warehouse: DuckDBWarehouse) -> None:
    with warehouse.connect() as connection:
        connection.execute("update estimate.capability_draw set value = value + 10 where system = 'y'")
        connection.execute("update staging.stg_ai_system set kind = 'human' where system = 'y'")
    materialize(warehouse)
    scores = warehouse.read("estimate.suitability").set_index(["activity", "system"])
    assert scores["mean_log"].round(12)["Admin", "y"] == 11.8
    assert scores["is_best_probability"].xs("x", level="system").eq(1).all()
    assert scores["is_best_probability"].xs("y", level="system").isna().all()
    pooled = warehouse.read("estimate.suitability_pooled").set_index("activity")["mean_log"]
    assert pooled.round(12).to_dict() == {"Admin": 1.8, "Coding": 2.6}
    sweep = warehouse.read("estimate.suitability_sweep").query("basis == 'fitted'")
    assert set(sweep.loc[sweep["is_ranked"], "system"]) == {"x"} and set(sweep["system"]) == {"x", "y"}


@pytest.mark.parametrize(
    "table", ["intermediate.int_disclosed_capability_importance", "estimate.capability_draw"]
)
def test_empty_inputs_build_empty_tables(warehouse: DuckDBWarehouse, table: str) -> None:
    with warehouse.connect() as connection:
        connection.execute(f"delete from {table}")
    materialize(warehouse)
    for name in ("suitability", "suitability_pooled", "undefined_weight"):
        assert warehouse.read(f"estimate.{name}").empty
    assert set(warehouse.read("estimate.suitability_sweep")["basis"]) == (
        {"published_c6"} if table == "estimate.capability_draw" else set()
    )


def test_the_assets_wait_for_all_they_read() -> None:
    specs = {
        spec.key.to_user_string(): spec
        for a in (suitability_scores, published_suitability, suitability_sweep)
        for spec in a.specs
    }
    assert set(specs) == {
        "estimate/suitability",
        "estimate/suitability_pooled",
        "estimate/undefined_weight",
        "estimate/published_suitability",
        "estimate/suitability_sweep",
    }
    assert {d.asset_key.to_user_string() for d in specs["estimate/suitability"].deps} == {
        "estimate/capability_draw",
        "intermediate/int_disclosed_capability_importance",
        "intermediate/int_dimension_member",
        "staging/stg_ai_system",
        "staging/stg_policy",
    }
    assert all(
        a.op.pool == "warehouse" for a in (suitability_scores, published_suitability, suitability_sweep)
    )
