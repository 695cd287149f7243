"""Reading one CSV file safely: bytes to cells of text, each record with its line, or a fault that says where.

Belongs here: encoding, quoting, ragged rows, header names, missing columns, duplicated keys. Does not belong
here: what a column means. No cell is ever changed, except that names used as keys are normalised by
`clean_name`.
"""

from __future__ import annotations

import csv
import difflib
import hashlib
import io
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assets.common.names import DAMAGED_DO, DAMAGED_WHAT, clean_name, is_damaged
from assets.sources.errors import SourceError, SourceFileError

# A cell longer than this is a quote that was never closed, not an answer.
MAX_CELL_CHARACTERS = 10_000_000
# key columns whose cells may be told as they came
PUBLIC_NAMES = frozenset(
    {"system", "candidate", "family", "benchmark", "dataset name", "dataset_name"}
    | {"sample id", "sample_id", "item_id", "company"}
)
_SAVE_AS_UTF8 = "Save the file as UTF-8 (in a spreadsheet: 'CSV UTF-8') and run again"
_RESAVE = "Export the file again as comma-separated CSV, cells with commas, quotes or line breaks in quotes"


@dataclass(frozen=True)
class Table:
    """One file's cells. `header`: m clean names; `rows`: n × m cells as they came; `row_numbers`: n lines.

    `respelled`: names as they came -> as they count, of those key columns that were read and hold nothing private.
    """

    file: str
    sha256: str
    header: list[str]
    rows: list[list[str]]
    row_numbers: list[int]
    n_blank_rows: int
    respelled: dict[str, str] = field(default_factory=dict)

    @cached_property
    def cells(self) -> npt.NDArray[np.object_]:
        """n × m text cells, blank ones as None."""
        cells = np.empty((len(self.rows), len(self.header)), dtype=object)
        cells[:] = [[cell if cell.strip() else None for cell in row] for row in self.rows]
        return cells

    def column(self, name: str) -> npt.NDArray[np.object_]:
        """The n cells of a column as they came, blank = None; all None where the file lacks the column."""
        if name not in self.header:
            return np.full(len(self.rows), None, dtype=object)
        return self.cells[:, self.header.index(name)]

    def key(self, name: str) -> npt.NDArray[np.object_]:
        """The n cells of a key column as clean names.

        Raises:
            SourceError: a character of a name was lost; the cell itself is not told, it may be private.
        """
        cells = self.column(name)
        # names repeat: each spelling is cleaned and looked at once
        clean = {cell: clean_name(cell) or None if cell else None for cell in dict.fromkeys(cells)}
        if damaged := {cell for cell, key in clean.items() if is_damaged(key)}:
            raise SourceError(
                [
                    self.fault(DAMAGED_WHAT, row=line, column=name, do=DAMAGED_DO)
                    for line, cell in zip(self.row_numbers, cells, strict=True)
                    if cell in damaged
                ]
            )
        if name in PUBLIC_NAMES:
            self.respelled.update({cell: key for cell, key in clean.items() if key and cell.strip() != key})
        return np.array([clean[cell] for cell in cells], dtype=object)

    def fault(
        self, what: str, *, row: int | None = None, column: str | None = None, do: str
    ) -> SourceFileError:
        return SourceFileError(what, file=self.file, row=row, column=column, do=do)


def known_names(found: Iterable[str], known: Collection[str]) -> list[str]:
    """`found`, each that is a known name but for case and blanks around it spelled as that."""
    by_case = {name.casefold(): name for name in known}
    return [name if name in known else by_case.get(clean_name(name).casefold(), name) for name in found]


def with_known_columns(table: Table, known: Sequence[str]) -> Table:
    """The table, its columns that are `known` ones in another case called as those.

    For every reader with columns that may be absent: one that is there but unread would be missed by nobody.

    Raises:
        SourceError: two columns are the same known one.
    """
    table = replace(table, header=known_names(table.header, known))
    if faults := _doubled(table, known):
        raise SourceError(faults)
    return table


def read_table(path: Path, file: str) -> Table:
    """The CSV file at `path`, called `file` in messages.

    Raises:
        SourceError: empty, unreadable, not UTF-8, NUL bytes, broken quoting, header only, ragged rows.
    """
    raw, text = read_text(path, file)
    _refuse_other_divider(text, file)
    return _table(raw, _records(text, file), file)


def read_tabbed(path: Path, file: str, *, again: str) -> Table:
    """The file at `path`, one record a line, cells divided by tabs; quotes are part of the text (O*NET's form).

    Args:
        again: what to do where the file is damaged.

    Raises:
        SourceError: as `read_table`.
    """
    raw = read_bytes(path, file)
    try:
        lines = _decode(raw, file).replace("\r\n", "\n").split("\n")
        return _table(raw, [(number, line.split("\t")) for number, line in enumerate(lines, start=1)], file)
    except SourceError as error:
        raise error.advising(again) from None


def read_text(path: Path, file: str) -> tuple[bytes, str]:
    """The file's bytes and, without a BOM, its text.

    Raises:
        SourceError: empty, unreadable, not UTF-8, NUL bytes.
    """
    raw = read_bytes(path, file)
    return raw, _decode(raw, file)


def _table(raw: bytes, records: list[tuple[int, list[str]]], file: str) -> Table:
    n_found = len(records)
    records = [(line, row) for line, row in records if any(cell.strip() for cell in row)]
    if not records:
        raise SourceError([SourceFileError("the file holds only blank lines", file=file, row=1, do=_RESAVE)])
    header_line, header = records[0]
    names = [clean_name(cell) for cell in header]
    if len(records) == 1:
        do = "Fill in at least one row, or remove the file"
        fault = SourceFileError("the file has a header but no rows", file=file, row=header_line + 1, do=do)
        raise SourceError([fault])
    ragged = [_ragged(file, line, row, names) for line, row in records[1:] if len(row) != len(names)]
    if ragged:
        raise SourceError(ragged)
    return Table(
        file=file,
        sha256=hashlib.sha256(raw).hexdigest(),
        header=names,
        rows=[row for _, row in records[1:]],
        row_numbers=[line for line, _ in records[1:]],
        n_blank_rows=n_found - len(records),
    )


def require_columns(table: Table, required: Sequence[str], *, is_private: bool = False) -> None:
    """Nothing, if the header names every required column exactly once.

    With `is_private` the message doesn't repeat what stands in the header: it may be a respondent's row.

    Raises:
        SourceError: columns are missing (named, with the nearest present ones) or named twice.
    """
    missing = [name for name in required if name not in table.header]
    faults = []
    if missing:
        near = {name: _nearest(name, table.header) for name in missing}
        hints = [f"'{found}' instead of '{name}'" for name, found in near.items() if found]
        what = f"{_listed(missing)} missing; expected {_listed(required)}"
        if not is_private:
            what += f"; found {_listed(table.header)}"
        if hints:
            what += f"; perhaps {', '.join(hints[:5])}"
        do = "Name the columns as expected, divided by commas (`suitability template` writes an example)"
        faults.append(table.fault(what, row=1, column=missing[0], do=do))
    faults += _doubled(table, required)
    if faults:
        raise SourceError(faults)


def _doubled(table: Table, names: Sequence[str]) -> list[SourceFileError]:
    faults = []
    for name in dict.fromkeys(names):
        places = [str(i + 1) for i, found in enumerate(table.header) if found == name]
        if len(places) > 1:
            what = f"the header names it {len(places)} times, as columns {' and '.join(places)}"
            faults.append(table.fault(what, row=1, column=name, do="Keep one of them"))
    return faults


def require_unique(table: Table, columns: Sequence[str]) -> None:
    """Nothing, if the key made of `columns` is given in each row and stands once in the file.

    Raises:
        SourceError: a blank key, or a key that stands twice: both rows are named, none is preferred.
    """
    faults: list[SourceFileError] = []
    first: dict[tuple[str, ...], int] = {}
    keys = [table.key(column) for column in columns]
    for line, *key in zip(table.row_numbers, *keys, strict=True):
        if None in key:
            blank = columns[key.index(None)]
            faults.append(table.fault("blank, but it names the row", row=line, column=blank, do="Fill it in"))
            continue
        seen = first.setdefault(tuple(key), line)
        if seen != line:
            named = ", ".join(f"{column} '{value}'" for column, value in zip(columns, key, strict=True))
            do = (
                f"Keep the right one of rows {seen} and {line}; put repeated attempts into files of their own"
            )
            faults.append(
                table.fault(f"{named} stands in row {seen} already", row=line, column=columns[-1], do=do)
            )
    if faults:
        raise SourceError(faults)


def read_bytes(path: Path, file: str) -> bytes:
    """The file's bytes.

    Raises:
        SourceError: a folder, unreadable, or empty.
    """
    if path.is_dir():
        raise SourceError(
            [SourceFileError("a folder where a file is expected", file=file, do="Move the folder away")]
        )
    try:
        raw = path.read_bytes()
    except OSError as error:
        do = "Check that the file exists and that you may read it"
        raise SourceError(
            [SourceFileError(f"cannot be read ({error.strerror})", file=file, do=do)]
        ) from error
    if not raw:
        do = "Export or copy the file again, or remove it"
        raise SourceError([SourceFileError("the file is empty (0 bytes)", file=file, row=1, do=do)])
    return raw


def _decode(raw: bytes, file: str) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError(
            [SourceFileError("the file is UTF-16, not UTF-8", file=file, row=1, do=_SAVE_AS_UTF8)]
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # utf-8-sig counts from behind the BOM, so the place is looked for in the whole bytes.
        start = error.start + (3 if raw.startswith(b"\xef\xbb\xbf") else 0)
        what = f"byte 0x{raw[start]:02x} at position {_position(raw, start)} of the line is not UTF-8"
        raise SourceError([_at_byte(raw, start, what, file, _SAVE_AS_UTF8)]) from error
    if "\0" in text:
        what = "a NUL byte: the file is damaged or not UTF-8"
        raise SourceError([_at_byte(raw, raw.index(b"\0"), what, file, _SAVE_AS_UTF8)])
    return text


def _position(raw: bytes, start: int) -> int:
    return start - max(raw.rfind(b"\n", 0, start), raw.rfind(b"\r", 0, start))


def _at_byte(raw: bytes, start: int, what: str, file: str, do: str) -> SourceFileError:
    """The fault at byte `start`: line by line breaks, column by the cells before it (never raises)."""
    before = raw[:start].decode("utf-8-sig", errors="replace").replace("\0", "")
    line = len(before.splitlines()) + (not before or before[-1] in "\r\n")
    try:
        rows = list(csv.reader(io.StringIO(before + "?", newline="")))
    except csv.Error:
        rows = []
    in_named_column = len(rows) > 1 and len(rows[-1]) <= len(rows[0])
    column = clean_name(rows[0][len(rows[-1]) - 1]) if in_named_column else None
    return SourceFileError(what, file=file, row=line, column=column, do=do)


def _refuse_other_divider(text: str, file: str) -> None:
    """Refuse a header with more semicolons or tabs than commas: whatever else was said of the file would mislead."""
    header = next((line for line in text.splitlines() if line.strip()), "")
    for mark, name in ((";", "semicolons"), ("\t", "tabs")):
        if header.count(mark) > header.count(","):
            what = f"the cells are divided by {name}, not by commas"
            do = "Save it as CSV with commas (in a spreadsheet: 'CSV UTF-8 (comma delimited)') and run again"
            raise SourceError([SourceFileError(what, file=file, row=1, do=do)])


def _records(text: str, file: str) -> list[tuple[int, list[str]]]:
    """Each record with the line it starts on; cells may span lines."""
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    records, line = [], 1
    try:
        for row in reader:
            records.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        known = {
            "unexpected end of data": "a quote is opened here and never closed",
            f"field larger than field limit ({MAX_CELL_CHARACTERS})": (
                f"a cell of more than {MAX_CELL_CHARACTERS:,} characters"
            ),
        }
        what = known.get(str(error), f"the quotes don't pair up ({error})")
        raise SourceError([SourceFileError(what, file=file, row=line, do=_RESAVE)]) from error
    return records


def _ragged(file: str, line: int, row: list[str], names: list[str]) -> SourceFileError:
    what = f"{len(row)} cells where the header has {len(names)}"
    column = names[len(row)] if len(row) < len(names) else None
    return SourceFileError(what, file=file, row=line, column=column, do=_RESAVE)


def _nearest(name: str, present: Sequence[str]) -> str | None:
    def plain(text: str) -> str:
        return text.casefold().replace("_", " ").replace("-", " ")

    by_plain = {plain(found): found for found in present}
    match = difflib.get_close_matches(plain(name), by_plain, n=1, cutoff=0.7)
    return by_plain[match[0]] if match else None


def _listed(names: Sequence[str], most: int = 24) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
