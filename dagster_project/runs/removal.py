"""Forgetting: once a supplied file is gone, what it held leaves the home's records as well.

Belongs here: which files the home may still hold something of, and rewriting what keeps deleted rows in its gaps.
Does not belong here: tables that followed from a file (a refresh makes them again), parts that slices keep (they
sweep their own).
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from assets.common.atomic_write import atomic_write
from assets.settings import Settings
from assets.sources.inputs import INPUTS, FileHashes, input_files
from assets.versions import FILE, FILES
from dagster_project.resources import DuckDBWarehouse

_RECORD = "held_files.json"
# of these a row may have to go while its file stays
_OF_PEOPLE = {"survey", "interviews", "chats"}
_BUSY_SECONDS = 60.0

Held = set[tuple[str, ...]]


def hold(settings: Settings, warehouse: DuckDBWarehouse) -> None:
    """Note which files a refresh is about to read, before it does: killed, it leaves what it read of them."""
    noted = {
        _entry(name.removeprefix(FILE), file, sha256)
        for version in warehouse.versions().values()
        for name, files in version.metadata.get(FILES, {}).items()
        for file, sha256 in files.items()
    }
    supplied = {one.name for one in INPUTS if one.base == "sources"}
    held = _read(settings)
    if new := {entry for entry in noted | _lying(settings) if entry[0] in supplied} - held:
        _write(settings, held | new)


def forget(settings: Settings, warehouse: DuckDBWarehouse) -> bool:
    """Drop what is left of files that are gone; whether there were any. Call it after a refresh that succeeded.

    DuckDB keeps deleted rows in free blocks and Dagster samples of bad values in its event logs, so the working file is
    written anew and only the last run keeps its events. Hold the refresh lock.
    """
    if not has_left(settings):
        return False
    _sweep(settings.home)
    _rewrite(warehouse)
    _forget_runs(settings)
    _write(settings, _lying(settings))
    return True


def has_left(settings: Settings) -> bool:
    """Whether the home may still hold something of a file that is gone."""
    return bool(_read(settings) - _lying(settings))


def _entry(name: str, file: str, sha256: str) -> tuple[str, ...]:
    return (name, file, sha256) if name in _OF_PEOPLE else (name, file)


def _lying(settings: Settings) -> Held:
    hashes = FileHashes(settings.home)
    return {
        _entry(one.name, file, sha256)
        for one in INPUTS
        if one.base == "sources"
        for file, sha256 in input_files(one, settings, hashes.of).items()
    }


def _read(settings: Settings) -> Held:
    try:
        return {tuple(entry) for entry in json.loads((settings.home / _RECORD).read_bytes())}
    except (OSError, ValueError):
        return set()


def _write(settings: Settings, held: Held) -> None:
    with atomic_write(settings.home / _RECORD) as fresh:
        fresh.write_text(json.dumps(sorted(held)), encoding="utf-8")


def _sweep(home: Path) -> None:
    """Remove what killed processes had begun to write (atomic_write.py), or had spilled."""
    for path in home.rglob(".*.*"):
        pid = path.suffix.removeprefix(".")
        if pid.isdigit() and not Path("/proc", pid).exists():
            path.unlink()
    for folder in home.glob("*.duckdb.tmp"):
        shutil.rmtree(folder)


def _rewrite(warehouse: DuckDBWarehouse) -> None:
    """The working file without its free blocks."""
    with atomic_write(warehouse.path) as fresh, warehouse.connect() as connection:
        place = str(fresh).replace("'", "''")
        (name,) = connection.execute("select current_database()").fetchone() or ("",)
        connection.execute(f"attach '{place}' as fresh")
        connection.execute(f'copy from database "{name}" to fresh')
        connection.execute("detach fresh")
        # nothing may be left in the log beside it, which the next opener would add to the fresh file
        connection.execute("checkpoint")


def _forget_runs(settings: Settings) -> None:
    """Events of the last run only; SQLite keeps deleted rows in free pages until it is vacuumed."""
    from dagster_project.runs.instance import open_instance

    with open_instance(settings.home) as instance:
        for run in instance.get_runs()[1:]:
            if run.is_finished:
                instance.delete_run(run.run_id)
        known = {run.run_id for run in instance.get_runs()}
    folder = settings.home / "dagster"
    for path in (folder / "history" / "runs").glob("*-*.db*"):
        if path.name.partition(".db")[0] not in known:
            path.unlink()
    for path in folder.rglob("*.db"):
        with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as connection:
            if path.name == "index.db":
                # of checks Dagster keeps what it knows of deleted runs, and has no call to delete it
                mine = ", ".join("?" * len(known))
                connection.execute(
                    f"delete from asset_check_executions where run_id not in ({mine})", sorted(known)
                )
                connection.commit()
            connection.execute("vacuum")
            connection.execute("pragma wal_checkpoint(truncate)")
