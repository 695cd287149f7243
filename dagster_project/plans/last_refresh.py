"""What plans read of the last refresh: the working file, while nobody writes to it.

Belongs here: opening it, and its faults as a plan's. Does not belong here: what is read of it (*_plans.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from assets.settings import Settings
from dagster_project.plans.registry import PlanError
from dagster_project.resources import DamagedWarehouseError, DuckDBWarehouse, WarehouseBusyError
from dagster_project.runs.lock import RefreshRunningError, refresh_lock


@contextmanager
def last_refresh(settings: Settings, what: str) -> Iterator[DuckDBWarehouse]:
    """The warehouse that the last refresh left; no refresh can begin meanwhile.

    Args:
        what: is looked for there, for the message where it is absent.

    Raises:
        PlanError: there is none, or not with that table; a refresh is running; the file can't be opened.
    """
    nothing = f"{settings.home} holds no {what} yet. Run `suitability refresh` first"
    if not settings.warehouse_path.exists():
        raise PlanError(nothing)
    try:
        with refresh_lock(settings.home):
            yield DuckDBWarehouse(settings.warehouse_path, settings.lock_wait_seconds)
    except duckdb.CatalogException:
        raise PlanError(nothing) from None
    except (RefreshRunningError, WarehouseBusyError, DamagedWarehouseError) as error:
        raise PlanError(str(error)) from None
