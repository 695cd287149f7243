"""battery/items/<benchmark>.jsonl -> the items' texts and expected answers, one row an item.

Belongs here: that file's fields. Does not belong here: who is asked (forms.py), and demands (ratings.py).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd

from assets.common.names import DAMAGED_WHAT, clean_name, is_damaged
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import find_files, relative
from assets.sources.inputs import BY_NAME
from assets.sources.readers.folder import copies
from assets.sources.readers.json_lines import DoubledFieldError, known_fields
from assets.sources.readers.text import read_bytes

LOCATION = BY_NAME["items"].location
FIELDS = ("item", "text", "answer")
COLUMNS = ["benchmark", *FIELDS]
_RESAVE = "Write one JSON object a line, with item and text, as UTF-8"


def read_items(sources: Path) -> pd.DataFrame:
    """benchmark (the file's stem), item, text, answer (None = the file has none); no files give no rows.

    Raises:
        SourceError: all faults of all files, as `folder.find_files` and `folder.copies`; a file without a line, a line
            that is no JSON object, a blank, doubled or wrong field, an item twice.
    """
    rows: list[dict[str, Any]] = []
    faults: list[SourceFileError] = []
    files: dict[str, str] = {}
    for path in find_files(sources, LOCATION, (".jsonl",))[0]:
        file = relative(sources, path)
        try:
            raw = read_bytes(path, file)
        except SourceError as error:
            faults += error.faults
            continue
        files[file] = hashlib.sha256(raw).hexdigest()
        found, wrong = _read_lines(raw, file, clean_name(path.stem))
        rows += found
        faults += wrong
    faults += copies(files)
    if faults:
        raise SourceError(faults)
    return pd.DataFrame(rows, columns=COLUMNS, dtype=object)


def _read_lines(raw: bytes, file: str, benchmark: str) -> tuple[list[dict[str, Any]], list[SourceFileError]]:
    try:
        # line breaks of JSON Lines are \n alone: others may stand inside a text
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start) + 1
        return [], [SourceFileError("a byte that is not UTF-8", file=file, row=number, do=_RESAVE)]
    rows: list[dict[str, Any]] = []
    faults: list[SourceFileError] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = _row(line)
            first = seen.setdefault(row["item"], number)
            if first != number:
                raise _FieldError("item", f"'{row['item']}' stands in line {first} already")
        except _FieldError as error:
            faults.append(SourceFileError(error.what, file=file, row=number, column=error.field, do=_RESAVE))
        else:
            rows.append({"benchmark": benchmark, **row})
    if not rows and not faults:
        do = "Fill in at least one line, or remove the file"
        faults.append(SourceFileError("the file holds no lines", file=file, do=do))
    return rows, faults


class _FieldError(Exception):
    def __init__(self, field: str | None, what: str) -> None:
        self.field, self.what = field, what


def _row(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    # a ValueError of its own: a whole number of more digits than Python reads
    except (ValueError, RecursionError) as error:
        raise _FieldError(None, f"the line is no JSON ({str(error).partition(';')[0]})") from None
    if not isinstance(record, dict):
        raise _FieldError(None, "the line is no JSON object")
    try:
        record = known_fields(record, FIELDS)
    except DoubledFieldError as error:
        raise _FieldError(error.field, "given twice") from None
    item, text = _text(record, "item"), _text(record, "text")
    if item is None or text is None:
        field = "item" if item is None else "text"
        raise _FieldError(field, "blank, but every item needs it")
    name = clean_name(item)
    if is_damaged(name):
        raise _FieldError("item", DAMAGED_WHAT)
    return {"item": name, "text": text, "answer": _text(record, "answer")}


def _text(record: dict[str, Any], field: str) -> str | None:
    """The field as text, None where it is absent, null or blank; whole numbers and decimals as they read."""
    value = record.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _FieldError(field, f"{json.dumps(value)[:40]} is no text")
    text = str(value)
    if any(c == "\0" or "\ud800" <= c <= "\udfff" for c in text):
        raise _FieldError(field, "a NUL character or half a character pair: the text is damaged")
    return text if text.strip() else None
