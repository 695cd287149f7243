"""The dbt project on PostgreSQL: seeds and models build on sources without rows, formulas give what DuckDB gives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assets.common.warehouse import declared_tables
from assets.settings import PROJECT
from tests.support.warehouse.postgres_server import connect, postgres_server

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(900)]

TYPES = {"string": "text", "double": "double precision"}
# what is no success: a warehouse without a refresh is told, and this one has none
TOLD = {"row_count_floor_refresh_1"}
# the last bit of a sum of doubles depends on the engine's order of adding
LAST_BIT = {"int_rater_agreement_overall_gives_the_published_example"}

Dbt = Callable[..., dict[str, tuple[str, str]]]


def _make_empty_tables(where: dict[str, str]) -> None:
    tables = declared_tables()
    connection = connect(where)
    with connection, connection.cursor() as cursor:
        # rater_coverage looks for the nearest spelling
        cursor.execute("create extension fuzzystrmatch")
        for schema in sorted({name.split(".")[0] for name in tables}):
            cursor.execute(f"create schema {schema}")
        for name, columns in tables.items():
            declared = ", ".join(f'"{column}" {TYPES.get(kind, kind)}' for column, kind in columns.items())
            cursor.execute(f"create table {name} ({declared})")
    connection.close()


@pytest.fixture(scope="module")
def dbt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dbt]:
    """Run dbt on a server that has every source, without rows; (status, message) of each node by unique id."""
    folder = tmp_path_factory.mktemp("postgres")
    with postgres_server() as where:
        _make_empty_tables(where)

        def run(*arguments: str) -> dict[str, tuple[str, str]]:
            folders = ("--project-dir", str(PROJECT / "dbt"), "--profiles-dir", str(PROJECT / "dbt"))
            record = folder / "run_results.json"
            record.unlink(missing_ok=True)
            done = subprocess.run(
                [str(Path(sys.executable).with_name("dbt")), "--quiet", *arguments, "--target", "postgres"]
                + [*folders],
                env=os.environ | where | {"DBT_TARGET_PATH": str(folder), "DBT_LOG_PATH": str(folder)},
                cwd=folder,
                capture_output=True,
                text=True,
            )
            assert record.exists(), done.stdout + done.stderr
            results = json.loads(record.read_text(encoding="utf-8"))["results"]
            return {one["unique_id"]: (one["status"], one["message"] or "") for one in results}

        yield run


@pytest.fixture(scope="module")
def built(dbt: Dbt) -> dict[str, tuple[str, str]]:
    return dbt("build", "--resource-type", "seed", "--resource-type", "model")


def _failures(results: dict[str, tuple[str, str]], kind: str) -> dict[str, tuple[str, str]]:
    """By name, what of a kind of node was no success."""
    return {
        key.split(".")[-1 if kind == "unit_test" else 2]: result
        for key, result in results.items()
        if key.split(".")[0] == kind and result[0] not in ("success", "pass")
    }


def test_every_seed_and_model_builds(built: dict[str, tuple[str, str]]) -> None:
    assert len(built) > 200
    assert (_failures(built, "seed"), _failures(built, "model")) == ({}, {})


@pytest.mark.usefixtures("built")
def test_every_data_test_is_sql_of_postgresql_too(dbt: Dbt) -> None:
    results = dbt("test", "--exclude-resource-type", "unit_test")
    assert len(results) > 500
    assert _failures(results, "test").keys() == TOLD


@pytest.mark.slow
@pytest.mark.usefixtures("built")
def test_formulas_give_on_postgresql_what_they_give_on_duckdb(dbt: Dbt) -> None:
    results = dbt("test", "--select", "test_type:unit")
    assert len(results) > 100
    assert _failures(results, "unit_test").keys() == LAST_BIT
