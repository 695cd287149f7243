"""`suitability recovery` and `suitability calibration`: exit codes, what is printed, and that a refresh publishes it.

One small battery serves the file: 40 items, two dimensions, three agents.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import dagster as dg
import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from assets.capability.validation import assets
from assets.settings import PROJECT, Settings
from dagster_project.cli.main import main
from dagster_project.publication.publish import Mart, publish
from dagster_project.resources import DuckDBWarehouse
from tests.support.dbt_run import run_dbt
from tests.support.steps import run_steps

KEYS = {
    "recovery_dimension": ("run", "tau", "intercept", "dimension"),
    "recovery_summary": ("run", "tau", "intercept"),
    "calibration": ("dimension", "level"),
    "calibration_rank": ("dimension", "bin"),
}


def call(home: Path, *arguments: str) -> Result:
    # a wide prior of the intercept would hand some fits to NUTS, which takes seconds to compile
    env = {"SUITABILITY_HOME": str(home), "SUITABILITY_INTERCEPT_PRIOR_SD": "1", "COLUMNS": "200"}
    return CliRunner().invoke(main, arguments, env={"SUITABILITY_SOURCES": None, **env})


def battery(n_items: int) -> dict[str, pd.DataFrame]:
    """What the simulations read, as dbt leaves it."""
    level = np.random.default_rng(3).integers(0, 6, (n_items, 2))
    demand = [
        ("b", f"{n:02d}", d, float(v))
        for n, row in enumerate(level)
        for d, v in zip(("L", "SM"), row, strict=True)
    ]
    agents = pd.read_csv(PROJECT / "dbt/seeds/published_agents.csv").query("agent in ['A1', 'A2', 'A3']")
    points = [("all", "Coding", "L", 3.0), ("all", "Coding", "SM", 1.0)]
    return {
        "intermediate.int_demand": pd.DataFrame(demand, columns=["benchmark", "item", "dimension", "demand"]),
        "seed.published_agents": agents,
        "intermediate.int_disclosed_capability_importance": pd.DataFrame(
            points, columns=["scope_type", "activity", "capability", "points"]
        ),
        "intermediate.int_dimension_member": pd.DataFrame(
            {"dimension": ["L", "SM"], "capability": ["L", "SM"]}
        ),
    }


def fill(home: Path, tables: dict[str, pd.DataFrame]) -> None:
    with duckdb.connect(str(home / "warehouse.duckdb")) as connection:
        for name, frame in tables.items():
            connection.execute(f"create schema if not exists {name.partition('.')[0]}")
            connection.register("incoming", frame)
            connection.execute(f"create or replace table {name} as from incoming")


@pytest.fixture(scope="module")
def home(dbt_target: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home as after a refresh."""
    folder = tmp_path_factory.mktemp("proofs")
    shutil.copytree(dbt_target, folder / "dbt" / "target")
    fill(folder, battery(40))
    return folder


def read(home: Path, query: str) -> list[tuple]:
    with duckdb.connect(str(home / "warehouse.duckdb")) as connection:
        return connection.sql(query).fetchall()


def test_recovery_prints_a_line_for_each_temperature_and_intercept(home: Path) -> None:
    result = call(home, "recovery", "--seeds", "1")
    assert result.exit_code == 0, result.output
    for word in ("tau", "free", "shared", "fixed", "15 rows", "The next `suitability refresh` publishes"):
        assert word in result.output
    assert read(home, "select count(*), max(run) from estimate.recovery_summary") == [(15, 1)]
    assert read(home, "select count(*) from estimate.recovery_summary where suitability_rho is null") == [
        (0,)
    ]


def test_calibration_prints_the_coverage_of_each_dimension(home: Path) -> None:
    result = call(home, "calibration", "--fits", "20")
    assert result.exit_code == 0, result.output
    for word in ("95 %", "uniformity_p", "intercept", "SM", "3 rows"):
        assert word in result.output
    assert read(home, "select distinct n_fits from estimate.calibration") == [(20,)]


def test_the_next_refresh_publishes_what_was_found(
    home: Path, definitions: dg.Definitions, dbt_target: Path
) -> None:
    """Its steps for these marts: load the stored runs anew, build the marts, publish them."""
    refreshed = definitions.resolve_job_def("refresh").asset_layer.selected_asset_keys
    assert {dg.AssetKey([layer, name]) for name in KEYS for layer in ("estimate", "marts")} <= refreshed
    found = {name: read(home, f"select count(*) from estimate.{name}") for name in KEYS}
    warehouse = DuckDBWarehouse(home / "warehouse.duckdb")
    with duckdb.connect(str(warehouse.path)) as connection:
        connection.execute("drop schema estimate cascade")
    settings = Settings(home=home, intercept_prior_sd=1)
    run_steps(warehouse, settings, assets.recovery_tables, assets.calibration_tables)
    run = run_dbt(home, "run", "-s", *KEYS, *(f"stg_{name}" for name in KEYS), parsed=dbt_target)
    assert run.success, run.failures
    publish(warehouse, home / "published", [Mart(name, key, key) for name, key in KEYS.items()])
    with duckdb.connect(str(home / "published" / "suitability.duckdb"), read_only=True) as connection:
        for name, count in found.items():
            assert connection.sql(f"select count(*) from marts.{name}").fetchall() == count != [(0,)]


@pytest.mark.parametrize("command", ["recovery", "calibration"])
def test_without_a_refresh_or_rated_items_it_is_code_1_and_says_so(
    command: str, dbt_target: Path, tmp_path: Path
) -> None:
    result = call(tmp_path, command)
    assert result.exit_code == 1
    assert "run `suitability refresh` first" in result.stderr
    shutil.copytree(dbt_target, tmp_path / "dbt" / "target")
    fill(tmp_path, battery(0))
    result = call(tmp_path, command)
    assert result.exit_code == 1
    assert "no rated items" in result.stderr
    assert "Traceback" not in result.output


def test_too_few_fits_are_a_usage_error(tmp_path: Path) -> None:
    assert call(tmp_path, "calibration", "--fits", "19").exit_code == 2
    assert call(tmp_path, "recovery", "--seeds", "0").exit_code == 2


def test_beside_a_running_refresh_it_is_code_4(tmp_path: Path) -> None:
    fill(tmp_path, battery(4))
    hold = "import sys, time; from pathlib import Path; from dagster_project.runs.lock import refresh_lock\n"
    hold += "with refresh_lock(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    arguments = [sys.executable, "-c", hold, str(tmp_path)]
    with subprocess.Popen(arguments, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline().strip() == "held"
        result = call(tmp_path, "recovery")
        process.kill()
    assert result.exit_code == 4
    assert f"Process {process.pid} is already refreshing" in result.stderr
