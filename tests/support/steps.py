"""Steps of the slices outside of a refresh: on a warehouse file, or on frames.

Belongs here: running them, and the warehouse port on a dictionary. Does not belong here: inputs and assertions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import dagster as dg
import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.common.warehouse import Files, Rows, Warehouse, conform, declared_tables
from assets.settings import Settings
from assets.versions import FailedCheck, Version


class MemoryWarehouse:
    """The warehouse port on frames. It knows of no versions, so that every step is made."""

    def __init__(self, tables: Mapping[str, pd.DataFrame] | None = None) -> None:
        self.tables = dict(tables or {})

    def read(self, table: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        return self.tables[table][list(columns)] if columns else self.tables[table]

    def read_keys(
        self, table: str, columns: Sequence[str], key: str, values: npt.NDArray[np.int64]
    ) -> pd.DataFrame:
        frame = self.read(table)
        return frame.loc[frame[key].isin(values), list(columns)]

    def write(
        self, tables: Mapping[str, Rows], versions: Mapping[str, Version] | None = None
    ) -> dict[str, Version]:
        frames = {table: _frame(table, rows) for table, rows in tables.items()}
        self.tables |= frames
        return {
            table: replace(version, n_rows=len(frames[table]), data_version=version.data_version or "some")
            if table in frames
            else version
            for table, version in (versions or {}).items()
        }

    def versions(self) -> dict[str, Version]:
        return {}

    def settle(
        self, is_sound: Mapping[str, bool], failed: Sequence[FailedCheck], ran: Sequence[tuple[str, str]]
    ) -> None:
        """It notes nothing."""


class _Forgetful:
    """A warehouse without its notes: what a test writes past them leaves no step as it stands."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse

    def __getattr__(self, name: str) -> Any:
        return getattr(self._warehouse, name)

    def versions(self) -> dict[str, Version]:
        return {}


def _frame(table: str, rows: Rows) -> pd.DataFrame:
    if isinstance(rows, pd.DataFrame):
        return conform(table, rows)
    named = {} if isinstance(rows, Files) else {path: {"part": path.stem} for path in rows.paths}
    columns = list(declared_tables()[table])
    # as in the warehouse, a file may hold more than its table
    parts = [
        pd.read_parquet(path).assign(**named.get(path, {})).reindex(columns=columns) for path in rows.paths
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def run_steps(
    warehouse: Warehouse, settings: Settings, *steps: dg.AssetsDefinition
) -> dict[str, dict[str, Any]]:
    """Make all tables of `steps`, whatever is noted; what they told of each, by `schema.name`.

    Raises:
        dagster.Failure: as the step.
    """
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize(
            steps, resources={"warehouse": _Forgetful(warehouse), "settings": settings}, instance=instance
        )
    told = [
        event.step_materialization_data.materialization for event in result.get_asset_materialization_events()
    ]
    return {".".join(one.asset_key.path): {k: v.value for k, v in one.metadata.items()} for one in told}
