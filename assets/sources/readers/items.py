"""battery/items/<benchmark>.jsonl -> the items' texts and expected answers, one row an item.

Belongs here: that file's fields. Does not belong here: who is asked (forms.py), and demands (ratings.py).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from assets.sources.readers.errors import SourceError, SourceFileError
from assets.sources.readers.folder import find_files
from assets.sources.readers.text import clean_name

LOCATION = "battery/items"
COLUMNS = ["benchmark", "item", "text", "answer"]
_RESAVE = "Write one JSON object a line, with item and text, as UTF-8"


def read_items(sources: Path) -> pd.DataFrame:
    """benchmark (the file's stem), item, text, answer (None = the file has none); no files give no rows.

    Raises:
        SourceError: all faults of all files: a line that is no JSON object, a blank or wrong field, an item twice.
    """
    rows: list[dict[str, Any]] = []
    faults: list[SourceFileError] = []
    for path in find_files(sources, LOCATION, (".jsonl",))[0]:
        found, wrong = _read_file(path, path.relative_to(sources).as_posix())
        rows += found
        faults += wrong
    if faults:
        raise SourceError(faults)
    return pd.DataFrame(rows, columns=COLUMNS, dtype=object)


def _read_file(path: Path, file: str) -> tuple[list[dict[str, Any]], list[SourceFileError]]:
    try:
        # line breaks of JSON Lines are \n alone: others may stand inside a text
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
    except OSError as error:
        do = "Check that it is a file and that you may read it"
        return [], [SourceFileError(f"cannot be read ({error.strerror})", file=file, do=do)]
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
            rows.append({"benchmark": clean_name(path.stem), **row})
    return rows, faults


class _FieldError(Exception):
    def __init__(self, field: str | None, what: str) -> None:
        self.field, self.what = field, what


def _row(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise _FieldError(None, f"the line is no JSON ({error})") from None
    if not isinstance(record, dict):
        raise _FieldError(None, "the line is no JSON object")
    item, text = _text(record, "item"), _text(record, "text")
    if item is None or text is None:
        field = "item" if item is None else "text"
        raise _FieldError(field, "blank, but every item needs it")
    return {"item": clean_name(item), "text": text, "answer": _text(record, "answer")}


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
