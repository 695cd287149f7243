"""The DuckDB side of the warehouse port: one short-lived connection a call, retried while another process has it.

Belongs here: opening the working file. Does not belong here: what is read or written (assets/, dbt/).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pandas as pd

from assets.ports import conform, declared_tables


class WarehouseBusyError(RuntimeError):
    """Another process kept the working file open for longer than the wait allowed."""


class DuckDBWarehouse:
    """The working warehouse file. One writer at a time; readers use the published copy instead."""

    def __init__(self, path: Path, lock_wait_seconds: float = 30) -> None:
        self.path = path
        self.lock_wait_seconds = lock_wait_seconds

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-write connection; close it soon, nobody else can open the file meanwhile.

        Raises:
            WarehouseBusyError: the file stayed locked by another process.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        deadline, pause = time.monotonic() + self.lock_wait_seconds, 0.05
        while True:
            try:
                connection = duckdb.connect(str(self.path))
                break
            except duckdb.IOException as error:
                if "lock" not in str(error) or time.monotonic() > deadline:
                    raise WarehouseBusyError(
                        f"{self.path} could not be opened within {self.lock_wait_seconds:g} s. Close whatever has it "
                        f"open (people should read the published copy), then run again. DuckDB said: {error}"
                    ) from error
                time.sleep(pause)
                pause = min(pause * 2, 1.0)
        try:
            yield connection
        finally:
            connection.close()

    def read(self, table: str) -> pd.DataFrame:
        """All rows of `schema.name`; TEXT as object, integers Int64, booleans boolean, NULL as NA."""
        schema, name = table.split(".")
        with self.connect() as connection:
            arrow = connection.table(f'"{schema}"."{name}"').to_arrow_table()
        types = {"int64": pd.Int64Dtype(), "int32": pd.Int64Dtype(), "bool": pd.BooleanDtype()}
        return arrow.to_pandas(types_mapper=lambda kind: types.get(str(kind)))

    def replace(self, tables: dict[str, pd.DataFrame]) -> None:
        """Replace whole tables in one transaction; columns and types are those of dbt/models/sources.yml."""
        with self.connect() as connection:
            connection.begin()
            for table, frame in tables.items():
                schema, name = table.split(".")
                columns = declared_tables()[table]
                connection.execute(f'create schema if not exists "{schema}"')
                casts = ", ".join(f'cast("{c}" as {kind}) as "{c}"' for c, kind in columns.items())
                connection.register("incoming", conform(table, frame))
                target = f'"{schema}"."{name}"'
                connection.execute(f"create or replace table {target} as select {casts} from incoming")
                connection.unregister("incoming")
            connection.commit()

    def load(self, table: str, paths: Sequence[Path]) -> None:
        """Replace a table by the rows of Parquet files, which never stand in memory as a whole."""
        if not paths:
            self.replace({table: pd.DataFrame(columns=list(declared_tables()[table]))})
            return
        schema, name = table.split(".")
        casts = ", ".join(f'cast("{c}" as {kind}) as "{c}"' for c, kind in declared_tables()[table].items())
        with self.connect() as connection:
            connection.execute(f'create schema if not exists "{schema}"')
            incoming = connection.read_parquet([str(path) for path in paths])
            connection.execute(f'create or replace table "{schema}"."{name}" as select {casts} from incoming')
            incoming.close()
