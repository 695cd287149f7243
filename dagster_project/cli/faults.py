"""Messages for faults that any command may meet: a full disk, a home that is busy, damaged or of another version.

Belongs here: distinguishing them from faults of the program, and their exit codes. Does not belong here: printing
(show.py).
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from assets.sources.errors import SourceError
from dagster_project.cli.exit_codes import BUSY, FAILED
from dagster_project.publication.read_published import UnreadablePublicationError
from dagster_project.resources import DamagedWarehouseError, WarehouseBusyError

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
# SQLite, which keeps Dagster's records and the ledger, says no more of it
_SQLITE = ("disk I/O error", "database or disk is full", "readonly database", "unable to open database file")


def known(error: BaseException, home: Path) -> tuple[str, int] | None:
    """Message and exit code of an error; None for one that only a trace explains."""
    for cause in _causes(error):
        if isinstance(cause, WarehouseBusyError):
            return str(cause), BUSY
        if isinstance(cause, DamagedWarehouseError | UnreadablePublicationError | SourceError):
            return str(cause), FAILED
        if _is_of_the_disk(cause):
            reason = str(cause).strip().splitlines()[-1]
            text = f"{home}: the disk is full or not writable ({reason}). Free some space, or set"
            return f"{text} SUITABILITY_HOME to another folder.", FAILED
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _is_of_the_disk(error: BaseException) -> bool:
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return True
    if isinstance(error, sqlite3.OperationalError) and any(sign in str(error) for sign in _SQLITE):
        return True
    # of dbt, a process of its own, there is only what it printed
    return os.strerror(errno.ENOSPC) in str(error)
