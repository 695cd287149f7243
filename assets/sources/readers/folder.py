"""Reading all files of one input: which files count, faults collected over all of them, frames put together.

Belongs here: what the readers of ratings, results, systems and survey share. Does not belong here: columns.
"""

from __future__ import annotations

import hashlib
import stat
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
        SourceError: a file where a folder is expected, a folder that can't be reached, two files that give the same
            name, or one whose name is blank.
    """
    folder, _, file = location.rpartition("/") if location.endswith(CSV) else (location, "", "")
    children = _children(sources, folder)
    if file:
        found, ignored = [child for child in children if child.name.casefold() == file.casefold()], []
    else:
        found = [
            child
            for child in children
            if child.name.lower().endswith(suffixes) and not child.name.startswith((".", "~"))
        ]
        ignored = sorted(set(children) - set(found))
    faults = []
    by_name: dict[tuple[str, str], Path] = {}
    for child in found:
        name = clean_name(child.stem)
        other = by_name.setdefault((name.casefold() if file else name, child.suffix.lower()), child)
        if other is not child:
            what = f"gives the same name as {other.name}"
            faults.append(
                SourceFileError(what, file=relative(sources, child), do="Rename or remove one of them")
            )
        if not name:
            do = "Rename it"
            faults.append(SourceFileError("the file's name is blank", file=relative(sources, child), do=do))
    if faults:
        raise SourceError(faults)
    return found, [relative(sources, child) for child in ignored]


def _children(sources: Path, location: str) -> list[Path]:
    """What lies in the folder, sorted; nothing where there is no folder.

    One that is there but can't be reached (a share that isn't mounted) is not taken for none: that would publish
    empty tables over good ones.
    """
    path = sources
    for name in location.split("/"):
        path = path / name
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except OSError as error:
            if isinstance(error, FileNotFoundError) and not path.is_symlink():
                return []
            raise SourceError([_unreachable(sources, path, error)]) from None
        if not is_folder:
            file, do = relative(sources, path), "Make it a folder that holds the files, or remove it"
            raise SourceError([SourceFileError("a file where a folder is expected", file=file, do=do)])
    try:
        return sorted(path.iterdir())
    except OSError as error:
        raise SourceError([_unreachable(sources, path, error)]) from None


def _unreachable(sources: Path, path: Path, error: OSError) -> SourceFileError:
    what = f"cannot be reached ({error.strerror})"
    do = "Restore what it leads to and your right to read it, or remove it"
    return SourceFileError(what, file=relative(sources, path), do=do)


def copies(files: Mapping[str, str]) -> list[SourceFileError]:
    """A fault for each of `files` (name -> sha256) whose bytes an earlier one holds too: its rows would count twice."""
    faults = []
    first: dict[str, str] = {}
    for file, sha256 in files.items():
        other = first.setdefault(sha256, file)
        if other != file:
            what = f"the same bytes as {other}, which would count twice"
            do = "Remove one of them; if both are meant, tell them apart by a column or field of your own"
            faults.append(SourceFileError(what, file=file, do=do))
    return faults


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
    sources: Path,
    location: str,
    tables: Iterable[str],
    parse: Callable[[Table, str], Parsed],
    *,
    copy_rows: float = 1,
) -> Reading:
    """Every file of one input through `parse(table, clean file stem)`; no files give empty frames.

    Args:
        copy_rows: files of so many rows or more that are equal to the byte are copies. Where the name alone says whose
            file it is, shorter ones may well be equal; infinite where all may be.

    Raises:
        SourceError: all faults of all files together, as `find_files`, `text.read_table`, `copies` and `parse`; then no
            frame is returned.
    """
    paths, ignored_files = find_files(sources, location)
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in tables}
    faults: list[SourceFileError] = []
    files: dict[str, str] = {}
    long: dict[str, str] = {}
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
        if len(table.rows) >= copy_rows:
            long[file] = table.sha256
        n_blank_rows += table.n_blank_rows
        if parsed.ignored_columns:
            ignored_columns[file] = parsed.ignored_columns
    faults += copies(long)
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
