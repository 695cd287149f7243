"""Reading JSON Lines whose single lines may be wrong: a bad line stays a row that says what is wrong with it.

Belongs here: bytes to records, what a field's name is, and the columns fault_column, fault_value and fault. Does not
belong here: which fields a file has (tournament.py). Inputs in which one bad line makes the whole file useless have
readers of their own (items.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from assets.common.names import DAMAGED_WHAT, clean_name, is_damaged
from assets.common.warehouse import conform
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import JSONL, find_files, relative
from assets.sources.readers.folder import Reading, copies, empty_frame
from assets.sources.readers.text import known_names

MAX_VALUE = 200
_RESAVE = "Write one JSON object a line, as UTF-8"


class DoubledFieldError(Exception):
    """Two fields of a record are the same known one, which `field` names."""

    def __init__(self, field: str) -> None:
        self.field = field
        super().__init__(f"{field} is given twice")


def known_fields(record: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    """The record, its fields that are `known` ones but for case and blanks around them called as those.

    Raises:
        DoubledFieldError: two fields are the same known one.
    """
    return dict(zip(_spelled(tuple(record), known), record.values(), strict=True))


@lru_cache(maxsize=1024)
def _spelled(found: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(known_names(found, known))
    if doubled := [name for name in known if names.count(name) > 1]:
        raise DoubledFieldError(doubled[0])
    return names


class FieldFault(Exception):
    """One field of one line can't be read: which, its text, why."""

    def __init__(self, column: str, value: object, why: str) -> None:
        self.column, self.why = column, why
        self.value = value if isinstance(value, str) else json.dumps(value)
        super().__init__(f"{column}: {why}")


class Names:
    """Clean names of key fields, each spelling cleaned and kept once."""

    def __init__(self) -> None:
        self._clean: dict[str, str | None] = {}

    def __call__(self, record: dict[str, Any], field: str) -> str | None:
        """The field as a clean name, whole numbers without a point; None where it is absent, null or blank.

        Raises:
            FieldFault: it is a list or an object, or a character of it was lost.
        """
        given = record.get(field)
        value = str(int(given)) if isinstance(given, float) and given.is_integer() else text(record, field)
        if value is None:
            return None
        if value not in self._clean:
            self._clean[value] = clean_name(value) or None
        if is_damaged(self._clean[value]):
            raise FieldFault(field, value, DAMAGED_WHAT)
        return self._clean[value]


def text(record: dict[str, Any], field: str) -> str | None:
    """The field as it reads (numbers and booleans as JSON spells them); None where it is absent, null or blank.

    Raises:
        FieldFault: it is a list or an object.
    """
    value = record.get(field)
    if isinstance(value, str):
        return value if value.strip() else None
    if value is None:
        return None
    if isinstance(value, list | dict):
        raise FieldFault(field, value, "no text")
    return json.dumps(value)


def read_json_lines(
    sources: Path,
    location: str,
    table: str,
    fields: Sequence[str],
    parse: Callable[[dict[str, Any]], dict[str, object]],
) -> Reading:
    """Every line of `<sources>/<location>/*.jsonl` as a row of `table`; no files give an empty frame.

    Args:
        fields: all columns that `parse` may give; those it doesn't give are NULL.
        parse: one JSON object to its columns; may raise FieldFault for what can't be read, or give `fault_column`,
            `fault_value` and `fault` itself, to keep the fields that can.

    Raises:
        SourceError: a file that can't be read, is empty or is not UTF-8, or has the same bytes as another.
    """
    paths, ignored_files = find_files(sources, location, (JSONL,))
    frames: list[pd.DataFrame] = []
    files: dict[str, str] = {}
    faults: list[SourceFileError] = []
    n_blank = 0
    columns = (*fields, "fault_column", "fault_value", "fault")
    for path in paths:
        file = relative(sources, path)
        digest = hashlib.sha256()
        rows: list[list[object]] = [[] for _ in columns]
        numbers: list[int] = []
        try:
            for number, line in _lines(path, file, digest):
                if not line.strip():
                    n_blank += 1
                    continue
                row = _row(line, tuple(fields), parse)
                numbers.append(number)
                for name, cells in zip(columns, rows, strict=True):
                    cells.append(row.get(name))
            if not numbers:
                do = "Fill in at least one line, or remove the file"
                raise SourceError([SourceFileError("the file holds no lines", file=file, do=do)])
        except SourceError as error:
            faults += error.faults
            continue
        files[file] = digest.hexdigest()
        frame = pd.DataFrame(
            {name: pd.Series(cells, dtype=object) for name, cells in zip(columns, rows, strict=True)}
        )
        frame["source_file"], frame["source_sha256"] = file, files[file]
        frame["row_number"] = np.array(numbers, dtype=np.int64)
        frames.append(conform(table, frame))
    faults += copies(files)
    if faults:
        raise SourceError(faults)
    whole = pd.concat(frames, ignore_index=True) if frames else empty_frame(table)
    return Reading({table: whole}, files, {}, ignored_files, n_blank)


def _lines(path: Path, file: str, digest: Any) -> Iterator[tuple[int, str]]:
    """Number and text of each line; line breaks of JSON Lines are \\n alone, others may stand inside a text."""
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(stream, start=1):
                digest.update(raw)
                try:
                    yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError:
                    fault = SourceFileError("a byte that is not UTF-8", file=file, row=number, do=_RESAVE)
                    raise SourceError([fault]) from None
    except OSError as error:
        do = "Check that it is a file and that you may read it"
        raise SourceError(
            [SourceFileError(f"cannot be read ({error.strerror})", file=file, do=do)]
        ) from error


def _row(
    line: str, fields: tuple[str, ...], parse: Callable[[dict[str, Any]], dict[str, object]]
) -> dict[str, object]:
    try:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise FieldFault("line", line.strip(), "no JSON") from None
        if not isinstance(record, dict):
            raise FieldFault("line", line.strip(), "no JSON object")
        # only an escape can bring in what no text holds
        if "\\u" in line and _is_damaged(json.dumps(record, ensure_ascii=False)):
            raise FieldFault("line", line.strip(), "a NUL character or half a character pair")
        try:
            return parse(known_fields(record, fields))
        except DoubledFieldError as error:
            raise FieldFault(error.field, line.strip(), "given twice") from None
    except FieldFault as fault:
        return {
            "fault_column": fault.column,
            "fault_value": fault.value.replace("\0", "")[:MAX_VALUE],
            "fault": fault.why,
        }


def _is_damaged(dumped: str) -> bool:
    return "\\u0000" in dumped or any("\ud800" <= character <= "\udfff" for character in dumped)
