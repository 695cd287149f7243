"""What must hold before a job begins: the working file opens, and has its notes.

Belongs here: asking for it, for every way to start a job. Does not belong here: the file itself (resources.py).
"""

from __future__ import annotations

from assets.settings import Settings
from dagster_project.resources import DuckDBWarehouse
from dagster_project.runs.version_table import TABLES


def ready_warehouse(settings: Settings) -> DuckDBWarehouse:
    """The warehouse that a job may begin on.

    Raises:
        WarehouseBusyError, DamagedWarehouseError: the working file can't be opened.
    """
    warehouse = DuckDBWarehouse(settings.warehouse_path, settings.lock_wait_seconds)
    with warehouse.connect() as connection:
        # dbt adds to the notes, and makes none
        connection.execute(TABLES)
    return warehouse
