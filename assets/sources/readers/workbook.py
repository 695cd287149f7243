"""One .xlsx workbook -> cells of text: the first sheet that holds a header of the wanted columns.

Belongs here: finding the header among titles above it, cells as text. Does not belong here: what a column means.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path

from assets.common.names import clean_name
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.readers.text import Table, read_bytes


def read_workbook(path: Path, file: str, wanted: Sequence[str]) -> tuple[Table, str]:
    """The table below the first row that holds any of the `wanted` names, and the text of all other cells.

    Rows count as the spreadsheet shows them. Columns without a name are left out.

    Raises:
        SourceError: unreadable, no workbook, or no such row.
    """
    # only where there is a workbook
    import openpyxl

    raw = read_bytes(path, file)
    again = "Download it or save it again as .xlsx, or save it as CSV"
    try:
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        sheets = {sheet.title: [list(row) for row in sheet.iter_rows(values_only=True)] for sheet in book}
        book.close()
    except Exception as error:  # a damaged file may fail anywhere in zip, XML or the cells
        what = f"cannot be read as a workbook ({type(error).__name__})"
        raise SourceError([SourceFileError(what, file=file, do=again)]) from error
    for title, cells in sheets.items():
        rows = [[_text(cell) for cell in row] for row in cells]
        heads = [i for i, row in enumerate(rows) if set(wanted) & {clean_name(cell) for cell in row}]
        if heads:
            table = _table(rows, heads[0], file, hashlib.sha256(raw).hexdigest())
            others = [row for name, sheet in sheets.items() if name != title for row in sheet]
            notes = [*rows[: heads[0]], *([_text(cell) for cell in row] for row in others)]
            return table, "\n".join(cell for row in notes for cell in row if cell)
    what = f"no row of any sheet names a column {' or '.join(wanted)}"
    raise SourceError([SourceFileError(what, file=file, do=again)])


def _table(rows: list[list[str]], head: int, file: str, sha256: str) -> Table:
    names = [clean_name(cell) for cell in rows[head]]
    kept = [i for i, name in enumerate(names) if name]
    body = [(head + 2 + n, row) for n, row in enumerate(rows[head + 1 :])]
    full = [(line, [row[i] if i < len(row) else "" for i in kept]) for line, row in body]
    given = [(line, row) for line, row in full if any(cell.strip() for cell in row)]
    if not given:
        do = "Fill in at least one row, or remove the file"
        raise SourceError(
            [SourceFileError("the file has a header but no rows", file=file, row=head + 2, do=do)]
        )
    return Table(
        file=file,
        sha256=sha256,
        header=[names[i] for i in kept],
        rows=[row for _, row in given],
        row_numbers=[line for line, _ in given],
        n_blank_rows=len(full) - len(given),
    )


def _text(cell: object) -> str:
    """A cell as the spreadsheet means it: whole numbers without a point, blank as ''."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return "" if cell is None else str(cell)
