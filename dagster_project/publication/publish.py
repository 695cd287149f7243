"""Publication: the marts are copied to a fresh file, checked, and swapped in by rename, Parquet beside them.

Belongs here: the copy, its checks and the swap. Does not belong here: what a mart holds (dbt/models/marts).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from dagster_project.dbt_build.dbt_nodes import DbtNodes
from dagster_project.resources import DuckDBWarehouse

# DuckDB 1.x clients (and tools that embed them) read this version; the 2.x default they can't
STORAGE_VERSION = "v1.0.0"


# What publication writes itself is seen by no test of dbt: rows that may not be. `n` counts those of the same key.
_NEVER = {
    "refresh": "finished_at is null",
    "refresh_step": "asset is null or n > 1 or is_made is null or is_made <> (reason is not null)",
}


class PublishError(RuntimeError):
    """The marts can't be published; the last good publication is unchanged."""


@dataclass(frozen=True)
class Mart:
    """What a mart promises: its columns in order, its key, and the comments that travel along."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    comment: str = ""
    column_comments: dict[str, str] = field(default_factory=dict)


def marts_of(nodes: DbtNodes) -> list[Mart]:
    """The marts of dbt's project, sorted by name; the key is the `unique_combination` or `unique` test's.

    Raises:
        PublishError: a mart has no key test (then nothing could be checked).
    """
    marts = [table for name, table in sorted(nodes.tables.items()) if name.startswith("marts.")]
    keyless = [table.name.split(".")[1] for table in marts if not table.key]
    if keyless:
        raise PublishError(
            f"Marts without a key test: {', '.join(keyless)}. Add unique_combination to their YAML."
        )
    return [
        Mart(
            name=table.name.split(".")[1],
            columns=tuple(table.columns),
            key=table.key,
            comment=table.description,
            column_comments={name: str(c["description"]).strip() for name, c in table.columns.items()},
        )
        for table in marts
    ]


def publish(
    warehouse: DuckDBWarehouse, folder: Path, marts: list[Mart], run_id: str | None = None
) -> dict[str, int]:
    """Copy `marts` into `folder`/suitability.duckdb and one Parquet file each; return rows per mart.

    Rows are ordered by key, so that equal marts give equal bytes. A crash at any point leaves the last good file.

    Args:
        run_id: of the run that publishes. When the working file holds another's refresh, that one has overtaken this
            run, and nothing is published.

    Raises:
        PublishError: a mart is missing, lacks a contracted column, has a duplicate key, or is another refresh's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "suitability.duckdb"
    for leftover in folder.glob(".publishing-*"):
        leftover.unlink()
    fresh = folder / f".publishing-{os.getpid()}.duckdb"
    with warehouse.connect() as connection:
        _refuse_overtaken(connection, run_id)
        connection.execute(f"attach {_literal(str(fresh))} as fresh (storage_version '{STORAGE_VERSION}')")
        connection.execute("create schema fresh.marts")
        rows = {mart.name: _copy(connection, mart) for mart in marts}
        if "refresh" in rows:
            now = datetime.now(UTC).replace(tzinfo=None)
            connection.execute("update fresh.marts.refresh set finished_at = ?", [now])
        if "refresh_step" in rows:
            rows["refresh_step"] = _write_steps(connection, run_id)
        parquet = dict(_write_parquet(connection, folder, marts))
        connection.execute("detach fresh")
    _verify(fresh, rows, {mart.name: mart.key for mart in marts})
    for path in (fresh, *parquet.values()):
        # read-only for all: one analyst who opens the file for writing would lock every other reader out
        path.chmod(0o444)
        _sync(path)
    os.replace(fresh, target)
    for name, path in parquet.items():
        os.replace(path, folder / f"{name}.parquet")
    for stale in folder.glob("*.parquet"):
        if stale.stem not in parquet:
            stale.unlink()
    _sync(folder)
    return rows


def _write_steps(connection: duckdb.DuckDBPyConnection, run_id: str | None) -> int:
    """Of each asset, what this refresh did: the mart was built before the last of them were."""
    connection.execute("delete from fresh.marts.refresh_step")
    connection.execute(
        "insert into fresh.marts.refresh_step by name select replace(name, '.', '/') as asset, "
        "refresh_id = $run as is_made, case when is_made then reason end as reason, "
        "case when is_made then seconds end as seconds, n_rows "
        "from state.version where not starts_with(name, 'published.') order by asset",
        {"run": run_id or ""},
    )
    count = connection.execute("select count(*) from fresh.marts.refresh_step").fetchone()
    assert count is not None
    return int(count[0])


def _refuse_overtaken(connection: duckdb.DuckDBPyConnection, run_id: str | None) -> None:
    if run_id is None:
        return
    run_prefix = run_id[:8]
    row = connection.execute("select refresh_id from marts.refresh").fetchone()
    if row is None or not row[0].endswith(run_prefix):
        raise PublishError(
            f"The marts belong to refresh {row[0] if row else '(none)'}, not to run {run_prefix}: another refresh has "
            "replaced them. Nothing was published; run one refresh at a time."
        )


def _copy(connection: duckdb.DuckDBPyConnection, mart: Mart) -> int:
    found = [
        name
        for (name,) in connection.execute(
            "select column_name from information_schema.columns "
            "where table_schema = 'marts' and table_name = ? and table_catalog = current_database() "
            "order by ordinal_position",
            [mart.name],
        ).fetchall()
    ]
    lacking = [column for column in mart.columns if column not in found]
    if lacking:
        what = f"lacks {', '.join(lacking)}" if found else "missing"
        raise PublishError(f"mart {mart.name}: {what} in the warehouse")
    key = ", ".join(f'"{column}"' for column in mart.key)
    columns = ", ".join(f'"{column}"' for column in found)
    duplicate = connection.execute(
        f'select {key}, count(*) from marts."{mart.name}" group by {key} having count(*) > 1 limit 1'
    ).fetchone()
    if duplicate:
        raise PublishError(
            f"mart {mart.name}: key ({', '.join(mart.key)}) = {duplicate[:-1]} occurs {duplicate[-1]} times"
        )
    connection.execute(
        f'create table fresh.marts."{mart.name}" as select {columns} from marts."{mart.name}" order by {key}'
    )
    connection.execute(f'comment on table fresh.marts."{mart.name}" is {_literal(mart.comment)}')
    for column, comment in mart.column_comments.items():
        connection.execute(f'comment on column fresh.marts."{mart.name}"."{column}" is {_literal(comment)}')
    count = connection.execute(f'select count(*) from fresh.marts."{mart.name}"').fetchone()
    assert count is not None
    return int(count[0])


def _write_parquet(
    connection: duckdb.DuckDBPyConnection, folder: Path, marts: list[Mart]
) -> Iterator[tuple[str, Path]]:
    for mart in marts:
        path = folder / f".publishing-{os.getpid()}-{mart.name}.parquet"
        connection.execute(f'copy fresh.marts."{mart.name}" to {_literal(str(path))} (format parquet)')
        yield mart.name, path


def _verify(path: Path, rows: dict[str, int], keys: dict[str, tuple[str, ...]]) -> None:
    with duckdb.connect(str(path), read_only=True) as connection:
        for name, expected in rows.items():
            found = connection.execute(f'select count(*) from marts."{name}"').fetchone()
            if found is None or found[0] != expected:
                raise PublishError(f"the fresh copy of mart {name} holds {found} rows instead of {expected}")
        for name, never in _NEVER.items():
            if name in rows:
                counted = (
                    f'select *, count(*) over (partition by {", ".join(keys[name])}) as n from marts."{name}"'
                )
                bad = connection.execute(f"from ({counted}) where {never}").fetchone()
                if bad:
                    raise PublishError(f"the fresh copy of mart {name} holds a row that may not be: {bad}")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
