"""Dagster's SQLite event log with its files held open while a refresh runs in this process.

Dagster's own opens the file anew for each of the thousands of events of a refresh, which took a third of the
command's processor time. What is written is the same: Dagster's UI reads it as its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine, event


class OpenEventLog(SqliteEventLogStorage):
    """One connection a file until `dispose`, instead of one an event."""

    def __init__(self, base_dir: str) -> None:
        self._engines: dict[str, Engine] = {}
        self._known_indexes: dict[str, bool] = {}
        super().__init__(base_dir)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        if shard not in self._engines:
            # makes the file and its tables where they are missing
            with super()._connect(shard):
                pass
            self._engines[shard] = _engine(self.conn_string_for_shard(shard))
        with self._db_lock, self._engines[shard].begin() as connection:
            yield connection

    @cached_property
    def supports_asset_checks(self) -> bool:
        """Asked for at each check; the tables don't change while a refresh runs."""
        return bool(super().supports_asset_checks)

    def has_secondary_index(self, name: str) -> bool:
        """Asked for at each asset; an index that is there stays."""
        if not self._known_indexes.get(name):
            self._known_indexes[name] = bool(super().has_secondary_index(name))
        return self._known_indexes[name]

    def dispose(self) -> None:
        """Close the files."""
        super().dispose()
        for engine in self._engines.values():
            engine.dispose()
        self._engines.clear()


class OpenStorage(DagsterSqliteStorage):
    """Dagster's default storage with that event log."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(base_dir, inst_data)
        self._event_log_storage = OpenEventLog(self._event_log_storage._base_dir)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: Any) -> OpenStorage:
        """As instance.py names it to Dagster."""
        return cls(inst_data=inst_data, **config_value)


def _engine(place: str) -> Engine:
    engine = create_engine(place, connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS})

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _: object) -> None:
        # a loss of power may take the last events with it, but leaves the log whole
        connection.execute("PRAGMA synchronous=NORMAL")

    return engine
