"""How a raw asset ends: with what was read and left out, or with the faults of its files.

Belongs here: the two ends that all raw assets share. Does not belong here: any asset.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dagster as dg

from assets.ports import DamagedPartError
from assets.sources.partial import PartialRefreshError
from assets.sources.readers import Reading, SourceError


@contextmanager
def faults_as_failure() -> Iterator[None]:
    """Shows faults of files, or a part beside no whole, as the step's failure: no stack trace, no retries."""
    try:
        yield
    except SourceError as error:
        files = sorted({fault.file for fault in error.faults})
        raise dg.Failure(str(error), metadata={"files": files}, allow_retries=False) from None
    except (PartialRefreshError, DamagedPartError) as error:
        raise dg.Failure(str(error), allow_retries=False) from None


def reading_result(reading: Reading, table: str) -> dg.MaterializeResult:
    """What was read and what was left out; the data version is that of the files' contents."""
    fingerprint = hashlib.sha256(repr(sorted(reading.files.items())).encode()).hexdigest()[:16]
    metadata: dict[str, Any] = {
        "dagster/row_count": len(reading.frames[table]),
        "files": list(reading.files),
        "ignored_files": reading.ignored_files,
        "ignored_columns": reading.ignored_columns,
        "blank_rows_skipped": reading.n_blank_rows,
    }
    return dg.MaterializeResult(
        asset_key=dg.AssetKey(table.split(".")), metadata=metadata, data_version=dg.DataVersion(fingerprint)
    )
