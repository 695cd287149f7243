"""Kept Parquet parts: what a step made of one system or the like, found again by the hash of all that decides it.

Belongs here: that hash; writing, checking and finding files that carry it; sweeping those that nothing asks for.
Does not belong here: what a part holds, and what decides it (the slices).
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from assets.common.atomic_write import atomic_write

_NOTE = b"suitability"

_log = logging.getLogger(__name__)

Read = Callable[[Path], tuple[pa.Table, dict[str, Any]]]


class DamagedFileError(ValueError):
    """A stored file can't be read back as it was written."""


class KeptParts:
    """The parts of one table: a folder with a file a label, each with the fingerprint of what it was made from.

    Who makes the table asks for each part that belongs to it, then sweeps away what is left of others.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._asked: set[Path] = set()

    def holds(self, label: str, fingerprint: str) -> bool:
        """Whether the part is there, whole, and made from this; it belongs to the table from now on."""
        path = part_path(self._folder, label)
        self._asked.add(path)
        return stored_fingerprint(path) == fingerprint

    def keep(self, label: str, fingerprint: str, frame: pd.DataFrame) -> None:
        """Write the part, in place of what was there under this label."""
        write_frame(part_path(self._folder, label), frame, fingerprint)

    def sweep(self) -> None:
        """Delete every file that was not asked for."""
        for path in self._folder.iterdir() if self._folder.exists() else ():
            if path not in self._asked:
                path.unlink()


def part_files(folder: Path) -> list[Path]:
    """The parts that `folder` holds, in the order of their names."""
    return sorted(folder.glob("*.parquet"))


def part_path(folder: Path, label: str) -> Path:
    """File of the part `label`; any text makes a legal file name of its own."""
    own = hashlib.sha256(label.encode()).hexdigest()[:8]
    return folder / f"{quote(label, safe='')[:150]}-{own}.parquet"


def fingerprint_of(*decides: object) -> str:
    """sha256 of what decides a part, in this order: arrays by their bytes, all else as JSON writes it."""
    digest = hashlib.sha256()
    for value in decides:
        if isinstance(value, np.ndarray) and value.dtype != object:
            digest.update(f"{value.dtype}{value.shape}".encode())
            digest.update(np.ascontiguousarray(value).tobytes())
        else:
            plain = value.tolist() if isinstance(value, np.ndarray) else value
            digest.update(json.dumps(plain, sort_keys=True).encode())
        digest.update(b"\0")
    return digest.hexdigest()


def code_version(beside: str, names: Iterable[str], libraries: Iterable[str] = (), below: str = "") -> str:
    """Hash of the modules that decide a part.

    Args:
        beside: `__file__` of a module in their folder.
        names: their paths from that folder.
        libraries: installed packages whose version decides it too.
        below: the code version of what they build on.
    """
    sources = [(Path(beside).parent / name).read_text(encoding="utf-8") for name in names]
    return fingerprint_of(below, sources, {name: version(name) for name in libraries})[:12]


def stored_fingerprint(path: Path, read: Read | None = None) -> str | None:
    """Fingerprint of a stored file; None where there is none, or none that was made to the end.

    A damaged file counts as none; a warning names it.

    Args:
        read: how the file is read, where more is asked of it than to be whole.
    """
    if not path.exists():
        return None
    try:
        _, note = (read or read_noted)(path)
        return str(note["fingerprint"]) if note["is_converged"] else None
    except (DamagedFileError, KeyError) as fault:
        _log.warning("%s It counts as not made.", fault)
        return None


def write_frame(path: Path, frame: pd.DataFrame, fingerprint: str = "") -> None:
    """Any table, with the fingerprint of what it came from; text stays text where no row has any."""
    texts = {name: pa.string() for name in frame.columns if frame[name].dtype == object}
    table = pa.Table.from_pandas(frame, preserve_index=False)
    fields = [
        field.with_type(texts[field.name]) if pa.types.is_null(field.type) else field
        for field in table.schema
    ]
    write_noted(path, table.cast(pa.schema(fields)), {"fingerprint": fingerprint, "is_converged": True})


def read_noted(path: Path) -> tuple[pa.Table, dict[str, Any]]:
    """The table, its checksums verified, and its note.

    Raises:
        DamagedFileError: it can't be read.
    """
    try:
        table = pq.read_table(path, page_checksum_verification=True)
        return table, json.loads(table.schema.metadata[_NOTE])
    # a flipped byte ends in any of these, by where it is
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError) as fault:
        raise DamagedFileError(f"{path} is damaged ({fault}). Remove it, then refresh.") from fault


def write_noted(path: Path, table: pa.Table, note: Mapping[str, object]) -> None:
    """`table` with its note, written whole or not at all."""
    metadata = {**(table.schema.metadata or {}), _NOTE: json.dumps(note).encode()}
    with atomic_write(path) as fresh:
        pq.write_table(
            table.replace_schema_metadata(metadata), fresh, compression="zstd", write_page_checksum=True
        )
