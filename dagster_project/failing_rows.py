"""The rows behind a failed dbt test: dbt counts them, a person needs to see which they are.

Belongs here: finding and running a test's compiled SQL. Does not belong here: printing (show.py).
"""

from __future__ import annotations

import json

import duckdb

from assets.settings import Settings
from dagster_project.dbt_assets import dbt_home
from dagster_project.resources import DuckDBWarehouse, WarehouseBusyError


def failing_rows(settings: Settings, test: str, limit: int = 5) -> list[str]:
    """The first rows that the dbt test named `test` found, as `column=value` text; none where it is no dbt test.

    What can't be found out (tables gone since, warehouse busy) gives no rows: the test's own message stands anyway.
    """
    manifest = dbt_home(settings) / "target" / "manifest.json"
    nodes = json.loads(manifest.read_text(encoding="utf-8"))["nodes"].values()
    node = next((n for n in nodes if n["resource_type"] == "test" and n["name"] == test), None)
    if node is None:
        return []
    folder = dbt_home(settings) / "run" / "compiled" / node["package_name"] / node["original_file_path"]
    path = folder / node["path"] if folder.suffix in {".yml", ".yaml"} else folder
    try:
        sql = path.read_text(encoding="utf-8")
        with DuckDBWarehouse(settings.warehouse_path, settings.lock_wait_seconds).connect() as connection:
            result = connection.execute(f"select * from ({sql}\n) as failing limit {limit}")
            names = [column[0] for column in result.description or []]
            return [
                ", ".join(f"{name}={value}" for name, value in zip(names, row, strict=True))
                for row in result.fetchall()
            ]
    except (OSError, duckdb.Error, WarehouseBusyError):
        return []
