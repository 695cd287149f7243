"""Reading the published file, as any reader does: read-only, one short connection.

Belongs here: the few queries that the command line needs. Does not belong here: writing it (publish.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from dagster_project.resources import tells_of_damage

Answer = TypeVar("Answer")


class NothingPublishedError(RuntimeError):
    """No refresh has been published in this home yet."""


class UnreadablePublicationError(RuntimeError):
    """The published file is damaged, or holds other tables than this version publishes."""

    def __init__(self, path: Path, what: str, reason: object) -> None:
        super().__init__(
            f"{path} {what}: run `suitability refresh` to write it again. DuckDB reported: {reason}"
        )


@dataclass(frozen=True)
class Pair:
    """One system on one activity; suitability on the log scale with its central 95 % interval."""

    system: str
    activity: str
    mean_log: float
    q025_log: float
    q975_log: float


@dataclass(frozen=True)
class Publication:
    """What the published file contains."""

    refresh: dict[str, Any]
    rows: dict[str, int]
    slices: list[tuple[str, str, str]]
    best: list[Pair]

    @property
    def finished_at(self) -> datetime:
        """UTC."""
        finished: datetime = self.refresh["finished_at"]
        return finished


def query(path: Path, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and rows of one statement on the published file.

    Raises:
        NothingPublishedError: there is no such file yet.
        UnreadablePublicationError: it is damaged.
        duckdb.Error: the statement is wrong, or there is not exactly one.
    """
    return _query(path, sql, _rows)


def query_arrow(path: Path, sql: str) -> Any:
    """The same as a pyarrow.Table, with the columns' types; raises as `query` does."""
    return _query(path, sql, lambda connection, text: connection.sql(text).to_arrow_table())


def _query(path: Path, sql: str, take: Callable[[duckdb.DuckDBPyConnection, str], Answer]) -> Answer:
    if not path.exists():
        raise NothingPublishedError(
            f"Nothing is published yet: {path} does not exist. Run `suitability refresh` first."
        )
    try:
        return _asked(path, sql, take)
    except duckdb.Error as error:
        if tells_of_damage(str(error), path):
            raise UnreadablePublicationError(path, "is damaged", error) from error
        raise


def _asked(path: Path, sql: str, take: Callable[[duckdb.DuckDBPyConnection, str], Answer]) -> Answer:
    with duckdb.connect(str(path), read_only=True) as connection:
        # reading the marts is all that is asked for: no other file is read or written on the way
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        n_statements = len(connection.extract_statements(sql))
        if n_statements != 1:
            raise duckdb.InvalidInputException(f"Expected one SQL statement, got {n_statements}.")
        return take(connection, sql)


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    result = connection.execute(sql)
    return [column[0] for column in result.description or []], result.fetchall()


def read_publication(path: Path, n_best: int = 5) -> Publication:
    """The published refresh, rows per mart, slices, and the best system-activity pairs over all respondents.

    Raises:
        NothingPublishedError: there is no published file yet.
        UnreadablePublicationError: it is damaged, or another version's.
    """
    try:
        return _read_publication(path, n_best)
    except (duckdb.CatalogException, duckdb.BinderException) as error:
        raise UnreadablePublicationError(path, "was written by another version", error) from error


def _read_publication(path: Path, n_best: int) -> Publication:
    names, rows = query(path, "select * from marts.refresh")
    marts = [
        r[0]
        for r in query(path, "select table_name from duckdb_tables() where schema_name = 'marts' order by 1")[
            1
        ]
    ]
    counts = " union all ".join(f"select '{mart}', count(*) from marts.\"{mart}\"" for mart in marts)
    best = query(
        path,
        f"""
        select coalesce(ai_system.name, suitability.system), activity, mean_log, q025_log, q975_log
        from marts.suitability
        join marts.policy on policy.policy = suitability.policy and policy.is_default
        left join marts.ai_system on ai_system.system = suitability.system
        where suitability.scope_type = 'all' and mean_log is not null and coalesce(ai_system.kind, 'ai') = 'ai'
        order by mean_log desc, suitability.system, activity
        limit {n_best}
        """,
    )[1]
    return Publication(
        refresh=dict(zip(names, rows[0], strict=True)),
        rows=dict(sorted(query(path, counts)[1])),
        slices=[
            (str(a), str(b), str(c))
            for a, b, c in query(path, "select slice, status, reason from marts.slice_status order by 1")[1]
        ],
        best=[Pair(*row) for row in best],
    )
