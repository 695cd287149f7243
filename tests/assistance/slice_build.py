"""The assistance slice's part of the dbt project, built on an input folder: readers, dbt, Python, dbt.

Belongs here: what the slice's tests, its real-data tests and its benchmark share. Does not belong here: inputs,
expected numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pandas as pd

from assets.assistance.assets import tournament
from assets.ports import declared_tables
from assets.settings import Settings
from assets.sources.readers import read_candidates, read_judgements, read_outputs, read_traits
from dagster_project.resources import DuckDBWarehouse
from tests.dbt_run import WAREHOUSE_NAME, run_dbt

READERS = (read_candidates, read_outputs, read_judgements, read_traits)
ASKED = ("raw.tournament_llm_output", "raw.tournament_llm_judgement", "raw.assistance_llm_trait")
BEFORE = ("path:models/staging/assistance", "path:models/intermediate/assistance")
AFTER = ("path:models/marts/assistance",)


def build(
    folder: Path,
    sources: Path,
    parsed: Path,
    *,
    asked: Mapping[str, pd.DataFrame] | None = None,
    with_tests: bool = True,
) -> DuckDBWarehouse:
    """Reads `sources` and runs the slice's models, its Python asset between them.

    Args:
        parsed: the fixture `dbt_target`.
        asked: raw tables that language models fill; those not given are empty.
        with_tests: dbt's tests run too.

    Raises:
        AssertionError: dbt failed; the message names the nodes.
    """
    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    land(warehouse, sources, asked or {})
    kinds = () if with_tests else ("--exclude-resource-type", "test", "unit_test")
    for selected in (BEFORE, AFTER):
        run = run_dbt(folder, "build", "-s", *selected, *kinds, parsed=parsed)
        assert run.success, run.failures
        if selected is BEFORE:
            python_step(warehouse)
    return warehouse


def rebuild(
    folder: Path,
    built: DuckDBWarehouse,
    sources: Path,
    *,
    asked: Mapping[str, pd.DataFrame] | None = None,
) -> DuckDBWarehouse:
    """The same models on other `sources` in a warehouse of their own; `build` compiled their SQL, dbt doesn't start."""
    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    land(warehouse, sources, asked or {})
    compiled = built.path.parent / "target" / "compiled" / "suitability" / "models"
    for layer in ("staging", "intermediate", "marts"):
        if layer == "marts":
            python_step(warehouse)
        files = {
            path.stem: path.read_text(encoding="utf-8") for path in compiled.glob(f"{layer}/assistance/*.sql")
        }
        with warehouse.connect() as connection:
            connection.execute(f"set threads = 1; create schema if not exists {layer}")
            for name in _in_order(layer, files):
                connection.execute(f"create or replace table {layer}.{name} as ({files[name]})")
    return warehouse


def land(warehouse: DuckDBWarehouse, sources: Path, asked: Mapping[str, pd.DataFrame]) -> None:
    """The raw tables of the slice."""
    for read in READERS:
        warehouse.replace(read(sources).frames)
    warehouse.replace(empty_asked() | dict(asked))


def empty_asked() -> dict[str, pd.DataFrame]:
    """The raw tables that language models fill, with nothing asked."""
    return {name: pd.DataFrame(columns=list(declared_tables()[name]), dtype=object) for name in ASKED}


def python_step(warehouse: DuckDBWarehouse) -> None:
    """What SQL can't say, from intermediate tables to model tables."""
    made = cast("Iterator[object]", tournament(warehouse=warehouse, settings=Settings()))
    assert len(list(made)) > 0


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
