"""The run that is due, as a schedule or a sensor asks for it.

Belongs here: from the plan to a request. Does not belong here: the plan (refresh_plan.py), when to ask (jobs.py,
sensors.py).
"""

from __future__ import annotations

import dagster as dg

from assets.settings import Settings
from assets.sources.errors import SourceError
from dagster_project.resources import DamagedWarehouseError, DuckDBWarehouse, WarehouseBusyError
from dagster_project.runs.lock import holder
from dagster_project.runs.refresh_plan import Refresh, plan_refresh, read_graph

NOTHING_DUE = "Nothing has changed since the last refresh."


def due(settings: Settings) -> Refresh:
    """What the next refresh is to make.

    Raises:
        SourceError, WarehouseBusyError, DamagedWarehouseError: it can't be told now.
    """
    warehouse = DuckDBWarehouse(settings.warehouse_path, settings.lock_wait_seconds)
    return plan_refresh(read_graph(settings), warehouse.versions(), settings)


def due_request(settings: Settings, run_key: str | None = None) -> dg.RunRequest | dg.SkipReason:
    """A request for just that; the reason where nothing is due, or where it can't be told."""
    if pid := holder(settings.home):
        return dg.SkipReason(f"A refresh is running (pid {pid}).")
    try:
        plan = due(settings)
    except (SourceError, WarehouseBusyError, DamagedWarehouseError) as error:
        return dg.SkipReason(str(error))
    if not plan.names:
        return dg.SkipReason(NOTHING_DUE)
    why = "; ".join(reason for reason, _ in plan.reasons)[:200]
    return dg.RunRequest(
        run_key=run_key,
        job_name="refresh",
        asset_selection=[dg.AssetKey(name.split(".")) for name in plan.selection],
        tags={"suitability/why": why},
    )
