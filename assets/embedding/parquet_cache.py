"""Tables kept on disk between runs, written whole or not at all, and noticed when they are no longer what was written.

Belongs here: files named for their contents. Does not belong here: what they hold (vectors.py, matches.py).
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

_log = logging.getLogger(__name__)


def keep(table: pa.Table, folder: Path, repetitive: Sequence[str] = ()) -> None:
    """`table` as a file of its own in `folder`; two processes with the same table write the same file.

    Args:
        repetitive: columns of few different values.
    """
    stream = pa.BufferOutputStream()
    pq.write_table(table, stream, compression="none", use_dictionary=list(repetitive))
    content = stream.getvalue()
    name = hashlib.sha256(content).hexdigest()
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{name}.{os.getpid()}"
    fresh.write_bytes(content)
    os.replace(fresh, folder / f"{name}.parquet")


def kept(folder: Path, columns: Sequence[str] | None = None) -> Iterator[tuple[Path, pa.Table]]:
    """Each table that `keep` put there and its file, all of it or the columns named.

    A file that isn't as it was written is told in the log and removed; so is, untold, what a killed run left half done.
    """
    for path in folder.glob(".*"):
        path.unlink()
    for path in sorted(folder.glob("*.parquet")):
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != path.stem:
            _log.warning("%s is damaged, and removed: what it held is made anew", path)
            path.unlink()
            continue
        yield path, pq.read_table(pa.BufferReader(content), use_threads=False, columns=columns)
