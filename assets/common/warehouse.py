"""What a slice may ask of the outside: the warehouse port and the declared schemas of the tables Python writes.

Belongs here: the protocol that assets are written against, and the reader of dbt/models/sources/.
Does not belong here: any engine (the DuckDB implementation is dagster_project/resources.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import yaml

from assets.settings import PROJECT
from assets.versions import FailedCheck, Version

if TYPE_CHECKING:
    # `status` asks for versions only, and answers at once
    import numpy as np
    import numpy.typing as npt
    import pandas as pd


class DamagedPartError(RuntimeError):
    """A kept Parquet part is no longer what was written."""


@dataclass(frozen=True)
class Files:
    """Rows that lie in Parquet files, to be loaded without standing in memory; no files give no rows."""

    paths: Sequence[Path]


@dataclass(frozen=True)
class Parts:
    """The same of files that never change: a name stands for its contents, and in the table's column `part`.

    Parts that the table holds already are not read again; those not named here go. A column that a part lacks is NULL.
    """

    paths: Sequence[Path]


Rows: TypeAlias = "pd.DataFrame | Files | Parts"


class Reader(Protocol):
    """Whole tables by name, joined by key, never by position."""

    def read(self, table: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        """All rows of `schema.name`, of all columns or those named; TEXT as object, integers Int64, NULL as NA."""
        ...

    def read_keys(
        self, table: str, columns: Sequence[str], key: str, values: npt.NDArray[np.int64]
    ) -> pd.DataFrame:
        """As `read`, of the rows whose integer `key` is among `values`."""
        ...


class Warehouse(Reader, Protocol):
    """The one door to the warehouse."""

    def write(
        self, tables: Mapping[str, Rows], versions: Mapping[str, Version] | None = None
    ) -> dict[str, Version]:
        """Replace whole tables, and note what each was made from, in one transaction.

        Columns and types are those of dbt/models/sources/.

        Args:
            tables: rows by `schema.name`.
            versions: by name, of tables and of what lies in files alone; data version and rows of a table are filled
                in. Without it nothing is noted, and the tables count as not made.

        Returns:
            The versions as noted.

        Raises:
            DamagedPartError: names the part that can't be read; all tables are as they were.
        """
        ...

    def versions(self) -> dict[str, Version]:
        """All that is noted, by name."""
        ...

    def settle(
        self, is_sound: Mapping[str, bool], failed: Sequence[FailedCheck], ran: Sequence[tuple[str, str]]
    ) -> None:
        """Note of which tables the blocking checks have passed, and which of the checks that `ran` have not."""
        ...


@cache
def declared_tables() -> dict[str, dict[str, str]]:
    """`schema.table` -> column -> type, for each table that Python writes (declared once, in dbt's sources)."""
    files = sorted((PROJECT / "dbt/models/sources").glob("*.yml"))
    documents = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in files]
    return {
        f"{source['name']}.{table['name']}": {c["name"]: c["data_type"] for c in table["columns"]}
        for document in documents
        for source in document["sources"]
        for table in source["tables"]
    }


def conform(table: str, frame: pd.DataFrame) -> pd.DataFrame:
    """`frame` with exactly the declared columns in the declared order.

    Raises:
        ValueError: a declared column is missing or an undeclared one is present, named.
    """
    columns = list(declared_tables()[table])
    missing, unknown = set(columns) - set(frame.columns), set(frame.columns) - set(columns)
    if missing or unknown:
        raise ValueError(f"{table}: missing columns {sorted(missing)}, undeclared columns {sorted(unknown)}")
    return frame[columns]
