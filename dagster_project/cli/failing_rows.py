"""Rows behind a failed dbt test or a NULL, and what to do about a damaged file.

Belongs here: finding and running a node's compiled SQL. Does not belong here: printing (show.py).
"""

from __future__ import annotations

import json
import re

import duckdb

from assets.settings import Settings
from dagster_project.dbt_build.dbt_project import dbt_home
from dagster_project.resources import (
    DamagedWarehouseError,
    DuckDBWarehouse,
    WarehouseBusyError,
    tells_of_damage,
)

_NULL = re.compile(r"NOT NULL constraint failed: (\w+?)(?:__dbt_tmp)?\.(\w+)")


def failing_rows(settings: Settings, test: str, limit: int = 5) -> list[str]:
    """The first rows that the dbt test named `test` found, as `column=value` text; none where it is no dbt test.

    Where they can't be read (table dropped since, warehouse busy), none: the test's own message is printed anyway.
    """
    sql = _compiled(settings, "test", test)
    return _rows(settings, f"select * from ({sql}\n) as failing limit {limit}") if sql else []


def null_rows(settings: Settings, message: str, limit: int = 5) -> list[str]:
    """What a model's refusal of NULL is about: column, model and the first rows, as `failing_rows` gives them."""
    found = _NULL.search(message)
    sql = _compiled(settings, "model", found[1]) if found else None
    if not found or not sql:
        return []
    rows = _rows(settings, f'select * from ({sql}\n) as failing where "{found[2]}" is null limit {limit}')
    return [f"Column {found[2]} of {found[1]} must not be NULL. First rows where it is:", *rows]


def with_remedy(settings: Settings, message: str) -> str:
    """A failed step's message, with the rows of a NULL; of a damaged working file the file and what to do."""
    path = settings.warehouse_path
    if tells_of_damage(message, path) and not message.startswith(str(path)):
        # of dbt, which names neither the file nor what to do
        return str(DamagedWarehouseError(path, message))
    return "\n    ".join([message, *null_rows(settings, message)])


def _compiled(settings: Settings, kind: str, name: str) -> str | None:
    """The SQL that dbt last ran for a node; None where there is none."""
    manifest = dbt_home(settings) / "target" / "manifest.json"
    nodes = json.loads(manifest.read_text(encoding="utf-8"))["nodes"].values()
    node = next((n for n in nodes if n["resource_type"] == kind and n["name"] == name), None)
    if node is None:
        return None
    folder = dbt_home(settings) / "run" / "compiled" / node["package_name"] / node["original_file_path"]
    path = folder / node["path"] if folder.suffix in {".yml", ".yaml"} else folder
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None


def _rows(settings: Settings, sql: str) -> list[str]:
    try:
        with DuckDBWarehouse(settings.warehouse_path, settings.lock_wait_seconds).connect() as connection:
            result = connection.execute(sql)
            names = [column[0] for column in result.description or []]
            return [
                ", ".join(f"{name}={value}" for name, value in zip(names, row, strict=True))
                for row in result.fetchall()
            ]
    except (duckdb.Error, WarehouseBusyError, DamagedWarehouseError):
        return []
