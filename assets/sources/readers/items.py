"""battery/items/<benchmark>.jsonl -> the items' texts, expected answers and exclusions, one row per item.

Belongs here: that file's fields. Does not belong here: who is asked (forms.py), and demands (ratings.py).
"""

from __future__ import annotations

import hashlib
import json
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pandas as pd

from assets.common.item_use import askable_items
from assets.common.names import DAMAGED_WHAT, clean_name, is_damaged
from assets.common.text_key import item_text_key
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import find_files, relative
from assets.sources.inputs import BY_NAME
from assets.sources.readers.folder import copies
from assets.sources.readers.json_lines import DoubledFieldError, known_fields
from assets.sources.readers.text import read_bytes

LOCATION = BY_NAME["items"].location
FIELDS = ("item", "text", "answer", "exclude", "reason")
COLUMNS = ["benchmark", "item", "text", "answer"]
ALL_COLUMNS = [*COLUMNS, "is_excluded", "reason", "text_key"]
_RESAVE = "Write one JSON object a line, with item and text, as UTF-8"


def read_items(sources: Path) -> pd.DataFrame:
    """benchmark, item, text, answer of the items that may be put to anyone: with a text, and not excluded.

    Raises as `read_all_items`.
    """
    return askable_items(read_all_items(sources)[0])[COLUMNS]


def read_all_items(sources: Path) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """raw.item, and the fields of each file that are not read; no files give no rows.

    benchmark is the file's stem; answer, reason and, of excluded items, text are None where the file has none.

    Raises:
        SourceError: all faults of all files, as `folder.find_files` and `folder.copies`; a file without a line, a line
            that is no JSON object, a blank, doubled or wrong field, an item twice.
    """
    rows: list[dict[str, Any]] = []
    faults: list[SourceFileError] = []
    files: dict[str, str] = {}
    ignored: dict[str, list[str]] = {}
    for path in find_files(sources, LOCATION, (".jsonl",))[0]:
        file = relative(sources, path)
        try:
            raw = read_bytes(path, file)
        except SourceError as error:
            faults += error.faults
            continue
        files[file] = hashlib.sha256(raw).hexdigest()
        found, wrong, unread = _read_lines(raw, file, clean_name(path.stem))
        if unread:
            ignored[file] = unread
        rows += found
        faults += wrong
    faults += copies(files)
    if faults:
        raise SourceError(faults)
    return pd.DataFrame(rows, columns=ALL_COLUMNS, dtype=object), ignored


def _read_lines(
    raw: bytes, file: str, benchmark: str
) -> tuple[list[dict[str, Any]], list[SourceFileError], list[str]]:
    try:
        # line breaks of JSON Lines are \n alone: others may stand inside a text
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start) + 1
        return [], [SourceFileError("a byte that is not UTF-8", file=file, row=number, do=_RESAVE)], []
    rows: list[dict[str, Any]] = []
    faults: list[SourceFileError] = []
    seen: dict[str, int] = {}
    unread: dict[str, None] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row, others = _row(line)
            unread |= dict.fromkeys(others)
            first = seen.setdefault(row["item"], number)
            if first != number:
                raise _FieldError("item", f"'{row['item']}' stands in line {first} already")
        except _FieldError as error:
            faults.append(SourceFileError(error.what, file=file, row=number, column=error.field, do=error.do))
        else:
            rows.append({"benchmark": benchmark, **row})
    if not rows and not faults:
        do = "Fill in at least one line, or remove the file"
        faults.append(SourceFileError("the file holds no lines", file=file, do=do))
    return rows, faults, list(unread)


class _FieldError(Exception):
    def __init__(self, field: str | None, what: str, do: str = _RESAVE) -> None:
        self.field, self.what, self.do = field, what, do


def _row(line: str) -> tuple[dict[str, Any], list[str]]:
    """The row without its benchmark, and the fields that are not read."""
    try:
        record = json.loads(line, object_pairs_hook=_each_field_once)
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
    is_excluded, reason = _exclusion(record)
    # an item that is excluded is put to nobody
    if item is None or (text is None and not is_excluded):
        field = "item" if item is None else "text"
        raise _FieldError(field, "blank, but every item needs it")
    name = clean_name(item)
    if is_damaged(name):
        raise _FieldError("item", DAMAGED_WHAT)
    row = {
        "item": name,
        "text": text,
        "answer": _text(record, "answer"),
        "is_excluded": is_excluded,
        "reason": reason,
        "text_key": None if text is None else item_text_key(text),
    }
    return row, [field for field in record if field not in FIELDS]


def _each_field_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Of a field given twice, the last would silently win."""
    record: dict[str, Any] = {}
    for name, value in pairs:
        if name in record:
            raise _FieldError(name, "given twice", "Keep one of the two")
        record[name] = value
    return record


def _exclusion(record: dict[str, Any]) -> tuple[bool, str | None]:
    """Whether the item is excluded, and why."""
    for field in record:
        if field not in FIELDS and get_close_matches(field.lower(), ["exclude"], cutoff=0.8):
            raise _FieldError(field, "not a field of items", "Call it 'exclude', or give it another name")
    is_excluded = record.get("exclude", False)
    if not isinstance(is_excluded, bool):
        what = f"{json.dumps(is_excluded)[:40]} is neither true nor false"
        raise _FieldError(
            "exclude", what, "Write true without quotes to exclude the item, or leave the field out"
        )
    reason = _text(record, "reason")
    if is_excluded and reason is None:
        raise _FieldError("reason", "blank, but every excluded item needs it", "Say why the item is excluded")
    if reason is not None and not is_excluded:
        raise _FieldError("exclude", "not true, though a reason is given", "Write true, or remove the reason")
    return is_excluded, reason


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
