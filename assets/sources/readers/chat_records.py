"""One record a chat out of the files of chats, in the WildChat schema or in three columns, a batch at a time.

Belongs here: Parquet, JSON lines, and the two forms. Does not belong here: what happens to texts (chat_text.py).
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assets.sources.errors import SourceFileError
from assets.sources.readers.json_lines import DoubledFieldError, known_fields
from assets.sources.readers.text import known_names

FORM_WILDCHAT, FORM_LOG = "wildchat", "log"
CONVERSATION = "conversation"
PLAIN = {
    FORM_WILDCHAT: ("conversation_hash", "language", "country", "timestamp"),
    FORM_LOG: ("chat_id", "text", "at"),
}
OF_TURN = ("role", "content")
_FIELDS = {form: (CONVERSATION, *plain) for form, plain in PLAIN.items()}
# conversations may be long: few at a time
ROWS_AT_A_TIME = 1_000
EXPECTED = (
    "Give one chat a row, or one JSON object a line: the WildChat schema (conversation_hash, and conversation as a "
    "list of turns with role and content), or chat_id, text and at"
)
MOST_COLUMNS, COLUMN_CHARACTERS = 12, 40
_RESAVE = "Fetch or write it again; nothing of it was taken"


@dataclass(frozen=True)
class Record:
    """One chat as the file has it. `turns`: what the user wrote, turn by turn; `problem`: why it can't be used.

    `row_number`: line of a JSON Lines file, row of a Parquet file, both from 1.
    """

    row_number: int
    form: str | None
    chat_id: str | None = None
    turns: tuple[str, ...] = ()
    language: str | None = None
    country: str | None = None
    at: str | None = None
    problem: str | None = None


def records(path: Path, file: str) -> Iterator[Record]:
    """The chats of one file in its order, never the whole file in memory.

    Raises:
        SourceFileError: the file can't be read, is cut off, or has the columns of neither form.
    """
    try:
        if path.suffix.lower() == ".parquet":
            yield from _of_parquet(path, file)
        else:
            yield from _of_lines(path, file)
    except (pa.ArrowException, EOFError, zlib.error, gzip.BadGzipFile) as error:
        what = f"cannot be read to its end: it is cut off or damaged ({str(error).splitlines()[0]})"
        raise SourceFileError(what, file=file, do=_RESAVE) from None
    except UnicodeDecodeError:
        raise SourceFileError("holds text that is not UTF-8", file=file, do=_RESAVE) from None
    except OSError as error:
        what = f"cannot be read ({error.strerror or str(error).splitlines()[0]})"
        raise SourceFileError(what, file=file, do="Check that it is whole and that you may read it") from None


def _of_parquet(path: Path, file: str) -> Iterator[Record]:
    with pq.ParquetFile(path) as parquet:
        names = parquet.schema_arrow.names
        form = _form(tuple(names))
        known = known_names(names, _FIELDS[form])
        required = {"conversation_hash"} if form == FORM_WILDCHAT else {"chat_id", "text"}
        if missing := sorted(required - set(known)):
            what = f"has no column {' and no '.join(missing)}"
            raise SourceFileError(
                f"{what}; found the columns {', '.join(_shown(names))}", file=file, do=EXPECTED
            )
        if doubled := [name for name in _FIELDS[form] if known.count(name) > 1]:
            raise SourceFileError(
                "two columns have this name", file=file, column=doubled[0], do="Keep one of them"
            )
        as_known = dict(zip(names, known, strict=True))
        leaves = [parquet.schema.column(i).path for i in range(len(parquet.schema))]
        # of the conversation's many fields two are read
        columns = [
            leaf
            for leaf in leaves
            if as_known.get(leaf) in PLAIN[form]
            or (
                as_known.get(leaf.partition(".")[0]) == CONVERSATION
                and leaf.rpartition(".")[2] in OF_TURN
                and leaf.count(".") == 3
            )
        ]
        number = 0
        for batch in parquet.iter_batches(batch_size=ROWS_AT_A_TIME, columns=columns):
            for row in _rows(batch, number, file):
                number += 1
                yield _record(number, row, form)


@lru_cache(maxsize=1024)
def _form(names: tuple[str, ...]) -> str:
    return FORM_WILDCHAT if CONVERSATION in known_names(names, (CONVERSATION,)) else FORM_LOG


def _rows(batch: pa.RecordBatch, before: int, file: str) -> list[dict[str, Any]]:
    """The batch's rows, of which `before` stand above in the file.

    Raises:
        SourceFileError: a time that is none: beyond the year 9999, or in a zone that doesn't exist.
    """
    try:
        rows: list[dict[str, Any]] = batch.to_pylist()
    except (ArithmeticError, LookupError):
        for name, cells in zip(batch.schema.names, batch.columns, strict=True):
            for number, cell in enumerate(cells, start=before + 1):
                try:
                    cell.as_py()
                except (ArithmeticError, LookupError) as error:
                    what, do = f"a value that is none ({error})", "Write times as text in ISO 8601"
                    raise SourceFileError(what, file=file, row=number, column=name, do=do) from None
        raise
    return rows


def columns_of(path: Path) -> list[str]:
    """The columns of a file that can be read, with those inside them, or the fields of its first JSON object."""
    if path.suffix.lower() == ".parquet":
        schema = pq.read_metadata(path).schema
        return _shown(schema.column(i).path.replace(".list.element", "") for i in range(len(schema)))
    for _, text in _lines(path):
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            return _shown(row)
    return []


def _shown(names: Iterable[str]) -> list[str]:
    return [name[:COLUMN_CHARACTERS] for name in islice(names, MOST_COLUMNS)]


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each line that isn't blank."""
    with gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if text.strip():
                yield number, text


def _of_lines(path: Path, file: str) -> Iterator[Record]:
    for number, text in _lines(path):
        if number == 1 and text.lstrip().startswith(b"["):
            raise SourceFileError("starts a JSON array, not one object a line", file=file, row=1, do=EXPECTED)
        try:
            row = json.loads(text)
        # beside bad JSON and bad UTF-8: a whole number of more digits than Python reads
        except (ValueError, RecursionError):
            # the line itself is not repeated: it may hold anything
            yield Record(number, None, problem="the line is no JSON, or cut off")
            continue
        if not isinstance(row, dict):
            yield Record(number, None, problem="the line is no JSON object")
        else:
            yield _record(number, row, _form(tuple(row)))


def _record(number: int, given: dict[str, Any], form: str) -> Record:
    try:
        row = known_fields(given, _FIELDS[form])
    except DoubledFieldError as error:
        return Record(number, form, problem=str(error))
    if form == FORM_LOG:
        text, chat_id = row.get("text"), _text(row.get("chat_id"))
        problem = None
        if chat_id is None:
            problem = "no chat_id"
        elif text is not None and not isinstance(text, str):
            problem = "text is no text"
        turns = (text,) if isinstance(text, str) else ()
        return Record(number, form, chat_id, turns, at=_text(row.get("at")), problem=problem)
    conversation = row.get(CONVERSATION)
    plain = Record(
        number,
        form,
        chat_id=_text(row.get("conversation_hash")),
        language=_text(row.get("language")),
        country=_text(row.get("country")),
        at=_text(row.get("timestamp")),
    )
    if not isinstance(conversation, list) or not all(isinstance(turn, dict) for turn in conversation):
        return replace(plain, problem="conversation is no list of turns")
    said = (turn.get("content") for turn in conversation if turn.get("role") == "user")
    return replace(plain, turns=tuple(text for text in said if isinstance(text, str)))


def _text(value: Any) -> str | None:
    """A plain field as text, None where it is blank."""
    # NaN is how a frame of numbers writes a blank
    if value is None or value != value:
        return None
    text = str(value).replace("\0", "").encode("utf-8", "replace").decode("utf-8").strip()
    return text or None
