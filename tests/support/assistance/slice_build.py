"""The slice from files to marts, as a refresh makes it but for what other slices bring.

Belongs here: one build by dbt, and more of them by the SQL it compiled. Does not belong here: inputs and assertions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from assets.assistance.assets import MADE, tournament
from assets.assistance.tournament_assets import TABLES
from assets.common.warehouse import declared_tables
from assets.settings import Settings
from assets.sources.readers import read_candidates, read_outputs, read_traits, read_verdicts
from dagster_project.resources import DuckDBWarehouse
from tests.support.dbt_run import OVER_ESTIMATES, WAREHOUSE_NAME, over_estimates, run_dbt
from tests.support.steps import run_steps

READERS = (read_candidates, read_outputs, read_verdicts, read_traits)
# who answered for a judge
OF_LLM = ("stg_llm_call", "int_answered_model")
BEFORE = ("path:models/staging/assistance", "path:models/intermediate/assistance", *OF_LLM)
AFTER = (*over_estimates("assistance"), "path:models/marts/assistance")
ONLY_MODELS = ("--exclude-resource-type", "test", "unit_test")


def build_slice(folder: Path, sources: Path, dbt_target: Path, *options: str) -> DuckDBWarehouse:
    """A warehouse in `folder` with the slice built from `sources`/tournament; nobody was asked.

    Args:
        options: more of dbt's, e.g. ONLY_MODELS to leave tests out.

    Raises:
        AssertionError: a model, a test or a unit test failed; which, and dbt's message.
    """
    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    land(warehouse, sources)
    run = run_dbt(folder, "build", "-s", *BEFORE, "--exclude", OVER_ESTIMATES, *options, parsed=dbt_target)
    assert run.success, run.failures
    python_step(warehouse)
    run = run_dbt(folder, "build", "-s", *AFTER, *options, parsed=dbt_target)
    assert run.success, run.failures
    return warehouse


def rebuild(
    folder: Path, built: DuckDBWarehouse, sources: Path, asked: Mapping[str, pd.DataFrame] | None = None
) -> DuckDBWarehouse:
    """The same models on other `sources`, in a warehouse of their own, by the SQL that dbt compiled for `built`."""
    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    land(warehouse, sources, asked)
    compiled = built.path.parent / "target" / "compiled" / "suitability_warehouse" / "models"
    over = {f"stg_{table.removeprefix('estimate.')}" for table in MADE}
    for layer, is_over in (("staging", False), ("intermediate", False), ("staging", True), ("marts", False)):
        if is_over:
            python_step(warehouse)
        paths = [
            *compiled.glob(f"{layer}/assistance/*.sql"),
            *(path for path in compiled.glob(f"{layer}/llm/*.sql") if path.stem in OF_LLM),
        ]
        files = {
            path.stem: path.read_text(encoding="utf-8") for path in paths if (path.stem in over) == is_over
        }
        with warehouse.connect() as connection:
            connection.execute(f"set threads = 1; create schema if not exists {layer}")
            for name in _in_order(layer, files):
                connection.execute(f"create or replace table {layer}.{name} as ({files[name]})")
    return warehouse


def land(warehouse: DuckDBWarehouse, sources: Path, asked: Mapping[str, pd.DataFrame] | None = None) -> None:
    """The raw tables of the slice; those that language models fill are empty but for `asked`."""
    for read in READERS:
        warehouse.write(read(sources).frames)
    empty = {name: pd.DataFrame(columns=list(declared_tables()[name])) for name in (*TABLES, "raw.llm_call")}
    warehouse.write(empty | dict(asked or {}))


def python_step(warehouse: DuckDBWarehouse) -> None:
    """What SQL can't say, from intermediate tables to model tables."""
    assert (
        run_steps(warehouse, Settings(home=warehouse.path.parent / "home"), tournament).keys() == MADE.keys()
    )


def _in_order(layer: str, files: Mapping[str, str]) -> Iterator[str]:
    """Names, each behind those that its SQL reads."""
    waiting = dict(files)
    while waiting:
        ready = [
            name
            for name, sql in waiting.items()
            if not any(f'"{layer}"."{other}"' in sql for other in waiting)
        ]
        assert ready, f"these read each other: {sorted(waiting)}"
        for name in sorted(ready):
            del waiting[name]
            yield name
