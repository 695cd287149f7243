"""Reading all files of one input: faults collected over all of them, frames put together.

Belongs here: what the readers of ratings, results, systems and survey share. Does not belong here: columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.common.names import clean_name
from assets.common.warehouse import conform, declared_tables
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import find_files, relative
from assets.sources.readers.repeats import copied_file, original_names
from assets.sources.readers.text import Table, read_table

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
    # file -> names as they came -> as they count
    respelled: dict[str, dict[str, str]] = field(default_factory=dict)


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
        SourceError: all faults of all files together, as `find_files`, `text.read_table`, `copies`, `copied_file` and
            `parse`; then no frame is returned.
    """
    paths, ignored_files = find_files(sources, location)
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in tables}
    faults: list[SourceFileError] = []
    files: dict[str, str] = {}
    long: dict[str, str] = {}
    originals = original_names([clean_name(path.stem) for path in paths])
    named_alike: dict[str, Table] = {}
    ignored_columns: dict[str, list[str]] = {}
    respelled: dict[str, dict[str, str]] = {}
    n_blank_rows = 0
    for path in paths:
        file = relative(sources, path)
        try:
            table = read_table(path, file)
            parsed = parse(table, clean_name(path.stem))
        except SourceError as error:
            faults += error.faults
            continue
        if clean_name(path.stem) in {*originals, *originals.values()}:
            named_alike[clean_name(path.stem)] = table
        for name, columns in parsed.tables.items():
            parts[name].append(conform(name, pd.DataFrame(dict(columns))))
        files[file] = table.sha256
        if len(table.rows) >= copy_rows:
            long[file] = table.sha256
        n_blank_rows += table.n_blank_rows
        stem = clean_name(path.stem)
        names = ({path.stem: stem} if stem != path.stem else {}) | table.respelled
        if names:
            respelled[file] = names
        if parsed.ignored_columns:
            ignored_columns[file] = parsed.ignored_columns
    faults += copies(long)
    for copy, original in originals.items():
        pair = [named_alike[name] for name in (copy, original) if name in named_alike]
        fault = copied_file(*pair) if len(pair) == 2 else None
        # one equal to the byte is reported already
        if fault and not (pair[0].sha256 == pair[1].sha256 and pair[0].file in long):
            faults.append(fault)
    if faults:
        raise SourceError(faults)
    frames = {name: pd.concat(part or [empty_frame(name)], ignore_index=True) for name, part in parts.items()}
    return Reading(frames, files, ignored_columns, ignored_files, n_blank_rows, respelled)


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
