"""What must hold before a job begins: the part fits beside the rest of the home, and the working file opens.

Belongs here: asking for both at once, for every way to start a job. Does not belong here: either rule.
"""

from __future__ import annotations

from assets.settings import Settings
from assets.sources.partial import PartialRefreshError, why_not
from dagster_project.resources import DuckDBWarehouse


def ready_warehouse(settings: Settings, job: str) -> DuckDBWarehouse:
    """The warehouse that `job` may begin on.

    Raises:
        PartialRefreshError: it is a part that doesn't fit.
        WarehouseBusyError, DamagedWarehouseError: the working file can't be opened.
    """
    if reason := why_not(settings, job):
        raise PartialRefreshError(reason)
    warehouse = DuckDBWarehouse(settings.warehouse_path, settings.lock_wait_seconds)
    with warehouse.connect():
        return warehouse
