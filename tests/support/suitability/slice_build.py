"""The suitability slice's part of the dbt project, built on given frames: pure functions, then dbt, then marts.

Belongs here: what the tests of the marts and the real-data test share. Does not belong here: expected numbers.
Tables of other slices (activity importance and its suppression, ai_system) are given by the test.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dagster_project.resources import DuckDBWarehouse
from tests.support.dbt_run import WAREHOUSE_NAME, run_dbt

SELECTED = (
    *(
        "path:models/staging/suitability",
        "path:models/intermediate/suitability",
        "path:models/marts/suitability",
    ),
    "policies",
)
IMPORTANCE = {
    **dict.fromkeys(("scope_type", "scope", "activity"), "varchar"),
    **dict.fromkeys(("importance", "conditional_importance", "hours_per_week"), "double"),
    **dict.fromkeys(("n_selected", "n_ranked", "n_respondents"), "bigint"),
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
    """Writes `tables` (estimate.*), then runs the slice's seeds and models, and their dbt tests unless told not to.

    Raises:
        AssertionError: dbt failed; the message is its output.
    """
    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    warehouse.write(dict(tables))
    with warehouse.connect() as connection:
        connection.execute("create schema if not exists marts; create schema if not exists intermediate")
        connection.register("given", activity_importance.reindex(columns=list(IMPORTANCE)))
        casts = ", ".join(f"cast({name} as {kind}) as {name}" for name, kind in IMPORTANCE.items())
        connection.execute(f"create or replace table marts.activity_importance as select {casts} from given")
        connection.execute(
            """
            create or replace table intermediate.int_disclosed_importance as
                select *,
                    case when is_suppressed then 'few_respondents' end as suppression
                from marts.activity_importance
            """
        )
        connection.register("named", pd.DataFrame({"system": systems}, dtype=object))
        connection.execute(
            "create or replace table marts.ai_system as select cast(system as varchar) as system from named"
        )
    kinds = () if with_tests else ("--exclude-resource-type", "test", "unit_test")
    run = run_dbt(folder, "build", "-s", *SELECTED, *kinds)
    assert run.success, run.failures
    return warehouse
