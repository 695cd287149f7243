"""Reading all files of one input: which files count, faults collected over all of them, frames put together.

Belongs here: what the readers of ratings, results, systems and survey share. Does not belong here: columns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.ports import conform, declared_tables
from assets.sources.readers.errors import SourceError, SourceFileError
from assets.sources.readers.text import Table, clean_name, read_table

CSV = ".csv"
Columns = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Parsed:
    """One file's part of each raw table, and the columns that were not taken."""

    tables: Mapping[str, Columns]
    ignored_columns: list[str]


@dataclass(frozen=True)
class Reading:
    """`frames`: raw table -> rows, as declared; the rest is what was found and what was left out."""

    frames: dict[str, pd.DataFrame]
    files: dict[str, str] = field(default_factory=dict)
    ignored_columns: dict[str, list[str]] = field(default_factory=dict)
    ignored_files: list[str] = field(default_factory=list)
    n_blank_rows: int = 0


def find_files(
    sources: Path, location: str, suffixes: tuple[str, ...] = (CSV,)
) -> tuple[list[Path], list[str]]:
    """The files of `<sources>/<location>` (a folder, or one .csv file), sorted, and what else lies there.

    Raises:
        SourceError: a file where the folder is expected, or two CSV files that give the same name.
    """
    path = sources / location
    if location.endswith(CSV):
        return ([path] if path.exists() else []), []
    if not path.exists():
        return [], []
    if not path.is_dir():
        do = f"Make it a folder that holds the {' and '.join(suffixes)} files"
        raise SourceError([SourceFileError("a file where a folder is expected", file=location, do=do)])
    found: list[Path] = []
    ignored: list[Path] = []
    for child in sorted(path.iterdir()):
        is_input = child.name.lower().endswith(suffixes) and not child.name.startswith((".", "~"))
        (found if is_input else ignored).append(child)
    by_name: dict[str, Path] = {}
    for child in (child for child in found if child.suffix.lower() == CSV):
        other = by_name.setdefault(clean_name(child.stem), child)
        if other is not child:
            what = f"gives the same name as {other.name}"
            fault = SourceFileError(what, file=relative(sources, child), do="Rename or remove one of them")
            raise SourceError([fault])
    return found, [relative(sources, child) for child in ignored]


def relative(sources: Path, path: Path) -> str:
    return path.relative_to(sources).as_posix()


def file_sha256(path: Path, file: str) -> str:
    """Of the file's bytes, streamed.

    Raises:
        SourceFileError: it can't be read.
    """
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        do = "Check that it is a file and that you may read it"
        raise SourceFileError(f"cannot be read ({error.strerror})", file=file, do=do) from None


def read_folder(
    sources: Path, location: str, tables: Iterable[str], parse: Callable[[Table, str], Parsed]
) -> Reading:
    """Every file of one input through `parse(table, clean file stem)`; no files give empty frames.

    Raises:
        SourceError: all faults of all files together; then no frame is returned.
    """
    paths, ignored_files = find_files(sources, location)
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in tables}
    faults: list[SourceFileError] = []
    files: dict[str, str] = {}
    ignored_columns: dict[str, list[str]] = {}
    n_blank_rows = 0
    for path in paths:
        file = relative(sources, path)
        try:
            table = read_table(path, file)
            parsed = parse(table, clean_name(path.stem))
        except SourceError as error:
            faults += error.faults
            continue
        for name, columns in parsed.tables.items():
            parts[name].append(conform(name, pd.DataFrame(dict(columns))))
        files[file] = table.sha256
        n_blank_rows += table.n_blank_rows
        if parsed.ignored_columns:
            ignored_columns[file] = parsed.ignored_columns
    if faults:
        raise SourceError(faults)
    frames = {name: pd.concat(part or [empty_frame(name)], ignore_index=True) for name, part in parts.items()}
    return Reading(frames, files, ignored_columns, ignored_files, n_blank_rows)


def empty_frame(table: str) -> pd.DataFrame:
    """No rows, the declared columns."""
    kinds = {"bigint": "int64", "timestamp": "datetime64[us]", "boolean": "bool"}
    columns = declared_tables()[table]
    return pd.DataFrame({name: pd.Series(dtype=kinds.get(kind, "object")) for name, kind in columns.items()})


def provenance(table: Table) -> dict[str, npt.NDArray[Any]]:
    """source_file, source_sha256 and row_number of each row."""
    n = len(table.rows)
    return {
        "source_file": np.full(n, table.file, dtype=object),
        "source_sha256": np.full(n, table.sha256, dtype=object),
        "row_number": np.array(table.row_numbers, dtype=np.int64),
    }
