"""The suitability slice's part of the dbt project, built on given frames: pure functions, then dbt, then marts.

Belongs here: what the tests of the marts and the real-data test share. Does not belong here: expected numbers.
Marts of other slices (activity_importance, ai_system) are tables that the test gives.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from assets.settings import PROJECT
from dagster_project.resources import DuckDBWarehouse

SELECTED = (
    *("path:models/marts/suitability", "path:models/intermediate/suitability"),
    *("policies", "published_value_suitability"),
)
IMPORTANCE = {
    **dict.fromkeys(("scope_type", "scope", "activity"), "varchar"),
    **dict.fromkeys(("importance", "conditional_importance", "hours_per_week"), "double"),
    **dict.fromkeys(("n_selected", "n_respondents"), "bigint"),
    **dict.fromkeys(("is_absent", "is_thin", "is_suppressed"), "boolean"),
}


def build(
    folder: Path,
    activity_importance: pd.DataFrame,
    systems: list[str],
    tables: Mapping[str, pd.DataFrame],
    *,
    with_tests: bool = True,
) -> DuckDBWarehouse:
    """Writes `tables` (model.*), then runs the slice's seeds and models, and their dbt tests unless told not to.

    Raises:
        AssertionError: dbt failed; the message is its output.
    """
    warehouse = DuckDBWarehouse(folder / "w.duckdb")
    warehouse.replace(dict(tables))
    with warehouse.connect() as connection:
        connection.execute("create schema if not exists marts")
        connection.register("given", activity_importance.reindex(columns=list(IMPORTANCE)))
        casts = ", ".join(f"cast({name} as {kind}) as {name}" for name, kind in IMPORTANCE.items())
        connection.execute(f"create or replace table marts.activity_importance as select {casts} from given")
        connection.register("named", pd.DataFrame({"system": systems}, dtype=object))
        connection.execute(
            "create or replace table marts.ai_system as select cast(system as varchar) as system from named"
        )
    run = subprocess.run(
        [sys.executable, "-m", "dbt.cli.main", "build", "--project-dir", "dbt", "--profiles-dir", "dbt"]
        + ["--log-path", str(folder / "log"), "-s", *SELECTED]
        + ([] if with_tests else ["--exclude-resource-type", "test", "unit_test"]),
        cwd=PROJECT,
        env=os.environ
        | {"SUITABILITY_WAREHOUSE_PATH": str(warehouse.path), "DBT_TARGET_PATH": str(folder / "target")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return warehouse
