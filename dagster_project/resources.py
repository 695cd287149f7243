"""The DuckDB side of the warehouse port: one short-lived connection a call, retried while another process has it.

Belongs here: opening the working file. Does not belong here: what is read or written (assets/, dbt/).
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from assets.common.warehouse import DamagedPartError, Files, Parts, Rows, conform, declared_tables
from assets.versions import FailedCheck, Version
from dagster_project.runs import version_table

if TYPE_CHECKING:
    # `status` and `sql` answer at once, and read no frame
    import numpy as np
    import numpy.typing as npt
    import pandas as pd


class WarehouseBusyError(RuntimeError):
    """Another process kept the working file open for longer than the wait allowed."""


class DamagedWarehouseError(RuntimeError):
    """The working file is no longer what was written."""

    def __init__(self, path: Path, reason: object) -> None:
        super().__init__(
            f"{path} is damaged: delete it and run `suitability refresh`; all of it is made anew from the inputs. "
            f"DuckDB said: {reason}"
        )


# DuckDB has classes for neither
_LOCKED = "Could not set lock on file"
_DAMAGED = ("is not a valid DuckDB database file", "Could not read enough bytes from file")


def tells_of_damage(message: str, path: Path) -> bool:
    """Whether DuckDB, or dbt in its words, says that the open database at `path` is damaged."""
    # a block with a wrong checksum is told without its file
    return "Corrupt database file" in message or (
        str(path) in message and any(sign in message for sign in _DAMAGED)
    )


class DuckDBWarehouse:
    """The working warehouse file. One writer at a time; readers use the published copy instead."""

    def __init__(self, path: Path, lock_wait_seconds: float = 30) -> None:
        self.path = path
        self.lock_wait_seconds = lock_wait_seconds
        # what was noted when the file was last as it is now: opening it costs more than most steps
        self._noted: tuple[str, dict[str, Version]] = ("", {})

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-write connection; close it soon, nobody else can open the file meanwhile.

        Raises:
            WarehouseBusyError: the file stayed locked by another process.
            DamagedWarehouseError: the file, or a part of it that was asked for, can't be read.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        deadline, pause = time.monotonic() + self.lock_wait_seconds, 0.05
        while True:
            try:
                connection = duckdb.connect(str(self.path))
                break
            except duckdb.Error as error:
                if tells_of_damage(str(error), self.path):
                    raise DamagedWarehouseError(self.path, error) from error
                if _LOCKED not in str(error):
                    raise
                if time.monotonic() > deadline:
                    raise WarehouseBusyError(
                        f"{self.path} could not be opened within {self.lock_wait_seconds:g} s. Close whatever has it "
                        f"open (people should read the published copy), then run again. DuckDB said: {error}"
                    ) from error
                time.sleep(pause)
                pause = min(pause * 2, 1.0)
        try:
            yield connection
        except duckdb.Error as error:
            if tells_of_damage(str(error), self.path):
                raise DamagedWarehouseError(self.path, error) from error
            raise
        finally:
            connection.close()

    def read(self, table: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        """All rows of `schema.name`; TEXT as object, integers Int64, booleans boolean, NULL as NA."""
        with self.connect() as connection:
            return _frame(connection.sql(f"select {_listed(columns)} from {_quoted(table)}"))

    def read_keys(
        self, table: str, columns: Sequence[str], key: str, values: npt.NDArray[np.int64]
    ) -> pd.DataFrame:
        """As `read`, of the rows whose integer `key` is among `values`."""
        import pandas as pd

        with self.connect() as connection:
            connection.register("asked", pd.DataFrame({"value": values}))
            found = (
                f'select {_listed(columns)} from {_quoted(table)} where "{key}" in (select value from asked)'
            )
            return _frame(connection.sql(found))

    def write(
        self, tables: Mapping[str, Rows], versions: Mapping[str, Version] | None = None
    ) -> dict[str, Version]:
        """Replace whole tables, and note what each was made from, in one transaction; see the port."""
        with self.connect() as connection:
            connection.begin()
            for table, rows in tables.items():
                _make_schema(connection, table)
                if isinstance(rows, Parts):
                    _sync(connection, table, rows.paths)
                else:
                    _replace(connection, table, rows)
            noted = version_table.note(connection, tables, versions) if versions else {}
            connection.commit()
        return noted

    def versions(self) -> dict[str, Version]:
        """All that is noted, by name; nothing in a new home."""
        if not self.path.exists():
            return {}
        mark = self._mark()
        if mark != self._noted[0]:
            with self.connect() as connection:
                found = version_table.read(connection)
            self._noted = (mark if mark == self._mark() else "", found)
        return dict(self._noted[1])

    def _mark(self) -> str:
        """Changes with the file, whoever writes to it."""
        files = (self.path, self.path.with_name(f"{self.path.name}.wal"))
        found = [file.stat() for file in files if file.exists()]
        return " ".join(f"{status.st_size} {status.st_mtime_ns} {status.st_ino}" for status in found)

    def settle(
        self,
        is_sound: Mapping[str, bool],
        failed: Sequence[FailedCheck],
        ran: Sequence[tuple[str, str]],
        seconds: Mapping[str, float] | None = None,
        reasons: Mapping[str, str] | None = None,
        refresh_id: str = "",
    ) -> None:
        """Note which tables passed their blocking checks, and which checks did not; see `versions_table.settle`."""
        with self.connect() as connection:
            version_table.settle(connection, is_sound, failed, ran, seconds, reasons, refresh_id)

    def drop_unknown(self, names: Collection[str]) -> list[str]:
        """Drop tables that no asset of `names` makes any more; see `version_table.drop_unknown`."""
        if not self.path.exists():
            return []
        with self.connect() as connection:
            return version_table.drop_unknown(connection, names)

    def failed_checks(self) -> list[FailedCheck]:
        """Checks that failed when last run."""
        if not self.path.exists():
            return []
        with self.connect() as connection:
            return version_table.read_failed(connection)


def _replace(connection: duckdb.DuckDBPyConnection, table: str, rows: pd.DataFrame | Files) -> None:
    import pandas as pd

    if isinstance(rows, Files) and not rows.paths:
        rows = pd.DataFrame(columns=list(declared_tables()[table]))
    if isinstance(rows, Files):
        # a home under a folder named a=b is no partitioned table
        incoming = connection.read_parquet([str(path) for path in rows.paths], hive_partitioning=False)
    else:
        incoming = connection.from_df(conform(table, rows))
    connection.execute(f"create or replace table {_quoted(table)} as select {_casts(table)} from incoming")
    incoming.close()


def _sync(connection: duckdb.DuckDBPyConnection, table: str, parts: Sequence[Path]) -> None:
    columns, place = declared_tables()[table], _quoted(table)
    by_name = {part.stem: str(part) for part in parts}
    if _columns(connection, table) != _types(connection, columns):
        declared = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
        connection.execute(f"create or replace table {place} ({declared})")
    known = {name for (name,) in connection.execute(f"select distinct part from {place}").fetchall()}
    for gone in known - by_name.keys():
        connection.execute(f"delete from {place} where part is not distinct from ?", [gone])
    if new := sorted(by_name.keys() - known):
        _insert_parts(connection, place, [by_name[name] for name in new])


def _insert_parts(connection: duckdb.DuckDBPyConnection, place: str, paths: list[str]) -> None:
    rows = (
        "select * exclude (filename), parse_filename(filename, true) as part "
        "from read_parquet($paths, filename = true, union_by_name = true, hive_partitioning = false)"
    )
    try:
        connection.execute(f"insert into {place} by name {rows}", {"paths": paths})
    except duckdb.Error as error:
        # DuckDB names no file when a page inside one is damaged
        for path in paths:
            try:
                # a hash needs the values, which a count or a maximum takes from the file's footer
                part = duckdb.read_parquet(path, hive_partitioning=False)
                part.aggregate("max(hash(columns(*)))").fetchall()
            except duckdb.Error as damage:
                raise DamagedPartError(
                    f"the kept file {path} is damaged ({damage}): delete it, and refresh; it is made anew"
                ) from error
        raise


def _make_schema(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    schema, _ = table.split(".")
    connection.execute(f'create schema if not exists "{schema}"')


def _casts(table: str) -> str:
    return ", ".join(f'cast("{c}" as {kind}) as "{c}"' for c, kind in declared_tables()[table].items())


def _quoted(table: str) -> str:
    schema, name = table.split(".")
    return f'"{schema}"."{name}"'


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in columns) or "*"


def _frame(rows: duckdb.DuckDBPyRelation) -> pd.DataFrame:
    import pandas as pd

    types = {"int64": pd.Int64Dtype(), "int32": pd.Int64Dtype(), "bool": pd.BooleanDtype()}
    frame: pd.DataFrame = rows.to_arrow_table().to_pandas(types_mapper=lambda kind: types.get(str(kind)))
    return frame


def _types(connection: duckdb.DuckDBPyConnection, declared: Mapping[str, str]) -> list[tuple[str, str]]:
    """Declared columns with DuckDB's own names of their types."""
    kinds = connection.execute(
        "select " + ", ".join(f"typeof(cast(null as {kind}))" for kind in declared.values())
    ).fetchone()
    return list(zip(declared, kinds or (), strict=True))


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> list[tuple[str, str]]:
    found = connection.execute(
        "select column_name, data_type from duckdb_columns() where database_name = current_database() "
        "and schema_name = ? and table_name = ? order by column_index",
        table.split("."),
    )
    return [(name, kind) for name, kind in found.fetchall()]
