"""The tables `state.*` of the working file: what each table was made from, and which of its checks failed.

Belongs here: their columns, and reading and writing them in the transaction of the table they speak of.
Does not belong here: when a table is stale (assets/versions.py) or what to rebuild (refresh_plan.py).

dbt writes the same rows by the macro `note_version` (dbt/macros/versions.sql).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb

from assets.common.warehouse import Parts, Rows
from assets.versions import FailedCheck, Version

TABLES = """
create schema if not exists state;
create table if not exists state.version (
    name varchar, code_version varchar, settings varchar, inputs varchar, data_version varchar, n_rows bigint,
    seconds double, is_checked boolean, reason varchar, refresh_id varchar, metadata varchar
);
alter table state.version add column if not exists columns varchar;
create table if not exists state.failed_check (
    name varchar, check_name varchar, is_blocking boolean, description varchar
);
"""
# a table's columns with their types, in order
COLUMNS = "string_agg(column_name || ' ' || data_type, ',' order by column_index)"
# order counts: sums of floats follow it
_OWN = (
    f"(select {COLUMNS} from duckdb_columns() where schema_name = '{{schema}}' and table_name = '{{table}}' "
    "and database_name = current_database())"
)
CONTENT = (
    f"select count(*) as n_rows, md5(concat_ws('/', count(*), sum(h), bit_xor(h), {_OWN})) as data_version, "
    f"{_OWN} as columns from (select hash(t, row_number() over ()) as h from {{place}} t)"
)


def note(
    connection: duckdb.DuckDBPyConnection, tables: Mapping[str, Rows], versions: Mapping[str, Version]
) -> dict[str, Version]:
    """Write `versions` in the open transaction, with data version and rows of those that are tables."""
    connection.execute(TABLES)
    noted = {
        name: _counted(version, _content(connection, name, tables[name])) if name in tables else version
        for name, version in versions.items()
    }
    for name, version in noted.items():
        connection.execute("delete from state.version where name = ?", [name])
        connection.execute("delete from state.failed_check where name = ?", [name])
        connection.execute(
            "insert into state.version values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                name, version.code_version, _json(version.settings), _json(version.inputs), version.data_version,
                version.n_rows, version.seconds, version.is_checked, version.reason, version.refresh_id,
                _json(version.metadata), version.columns,
            ],
        )  # fmt: skip
    return noted


def read(connection: duckdb.DuckDBPyConnection) -> dict[str, Version]:
    """All versions by name, but those of tables that somebody has dropped; none where nothing was noted yet.

    A table whose columns or types are others than when it was noted, or were not noted (by an older version of the
    project), is marked as altered: SQL that reads it may be unchanged, and so would its input.
    """
    if not _exists(connection):
        return {}
    connection.execute(TABLES)
    rows = connection.execute(
        "select version.*, n_rows is not null and version.columns is distinct from found.columns from state.version "
        f"left join (select schema_name || '.' || table_name as name, {COLUMNS} as columns from duckdb_columns() "
        "where database_name = current_database() group by all) as found on version.name = found.name "
        "where n_rows is null or found.name is not null"
    ).fetchall()
    return {
        name: Version(
            code, json.loads(settings), json.loads(inputs), data, n_rows, seconds, bool(is_checked), reason or "",
            refresh_id or "", json.loads(metadata or "{}"), columns or "", is_altered,
        )
        for name, code, settings, inputs, data, n_rows, seconds, is_checked, reason, refresh_id, metadata, columns,
        is_altered in rows
    }  # fmt: skip


def read_failed(connection: duckdb.DuckDBPyConnection) -> list[FailedCheck]:
    """All checks that failed when last run, by name."""
    if not _exists(connection):
        return []
    rows = connection.execute("select * from state.failed_check order by all").fetchall()
    return [FailedCheck(*row) for row in rows]


def settle(
    connection: duckdb.DuckDBPyConnection,
    is_sound: Mapping[str, bool],
    failed: Sequence[FailedCheck],
    ran: Sequence[tuple[str, str]],
    seconds: Mapping[str, float] | None = None,
    reasons: Mapping[str, str] | None = None,
    refresh_id: str = "",
) -> None:
    """Note of which tables the blocking checks have passed, and which of the checks that `ran` have not.

    What dbt made is noted by dbt without how long it took, why, and for which refresh: that is filled in here.
    """
    connection.begin()
    connection.execute(TABLES)
    for pair in ran:
        connection.execute("delete from state.failed_check where name = ? and check_name = ?", pair)
    for check in failed:
        connection.execute(
            "insert into state.failed_check values (?, ?, ?, ?)",
            [check.name, check.check_name, check.is_blocking, check.description],
        )
    for name, passed in is_sound.items():
        connection.execute("update state.version set is_checked = ? where name = ?", [passed, name])
    for name in reasons or {}:
        connection.execute(
            "update state.version set seconds = ?, reason = ?, refresh_id = ? where name = ?",
            [(seconds or {}).get(name), (reasons or {})[name], refresh_id, name],
        )
    connection.commit()


def drop_unknown(connection: duckdb.DuckDBPyConnection, names: Collection[str]) -> list[str]:
    """Drop what was made by an asset that the project no longer has, and its notes; return the names."""
    if not _exists(connection):
        return []
    noted = connection.execute(
        "select name, table_type from state.version left join information_schema.tables "
        "on name = table_schema || '.' || table_name and table_catalog = current_database() order by name"
    ).fetchall()
    gone = {name: kind for name, kind in noted if name not in names}
    if not gone:
        return []
    connection.begin()
    for name, kind in gone.items():
        schema, table = name.split(".")
        if kind:
            connection.execute(f'drop {"view" if kind == "VIEW" else "table"} "{schema}"."{table}" cascade')
        for notes in ("version", "failed_check"):
            connection.execute(f"delete from state.{notes} where name = ?", [name])
    connection.commit()
    return list(gone)


def _counted(version: Version, content: Mapping[str, Any]) -> Version:
    # a table with columns that decide nothing (times) brings a data version of its own
    return replace(version, **{**content, "data_version": version.data_version or content["data_version"]})


def _exists(connection: duckdb.DuckDBPyConnection) -> bool:
    found = connection.execute(
        "select count(*) from duckdb_tables() where schema_name = 'state' and table_name = 'failed_check' "
        "and database_name = current_database()"
    ).fetchone()
    return bool(found and found[0])


def _content(connection: duckdb.DuckDBPyConnection, name: str, rows: Rows) -> dict[str, Any]:
    schema, table = name.split(".")
    if isinstance(rows, Parts):
        # names of parts stand for their contents, and what follows from them doesn't follow their order
        names = sorted(path.stem for path in rows.paths)
        count = connection.execute(f'select count(*) from "{schema}"."{table}"').fetchone()
        columns = connection.execute(
            f"select {COLUMNS} from duckdb_columns() where database_name = current_database() "
            "and schema_name = ? and table_name = ?",
            [schema, table],
        ).fetchone()
        assert count is not None and columns is not None
        digest = hashlib.md5("/".join([*names, columns[0]]).encode()).hexdigest()
        return {"n_rows": count[0], "data_version": digest, "columns": columns[0]}
    found = connection.execute(
        CONTENT.format(place=f'"{schema}"."{table}"', schema=schema, table=table)
    ).fetchone()
    assert found is not None
    return {"n_rows": found[0], "data_version": found[1], "columns": found[2]}


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(dict(values), sort_keys=True, default=str)
