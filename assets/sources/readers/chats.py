"""chats/*.{parquet,jsonl,jsonl.gz} -> raw.chat and raw.chat_file: streamed, and kept as a Parquet part a file.

Belongs here: the two forms of chats, and which file has to be read again. Does not belong here: what happens to a text
(chat_text.py), which chats count (dbt: stg_chat, int_chat).

Of a conversation only the user's turns are kept: they say what was asked for, and what an assistant answered may
repeat anything. A row that can't be used stays, without text and with the reason.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assets.common.atomic_write import atomic_write
from assets.common.text_key import text_key
from assets.common.warehouse import conform, declared_tables
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import file_sha256, find_files, relative
from assets.sources.inputs import BY_NAME
from assets.sources.readers.chat_language import detect, detector_version
from assets.sources.readers.chat_records import EXPECTED, Record, columns_of, records
from assets.sources.readers.chat_text import clean, mask, mask_emails
from assets.sources.readers.folder import empty_frame

LOCATION = BY_NAME["chats"].location
SUFFIXES = BY_NAME["chats"].suffixes
BLANK = "no user turn holds any text"
BATCH = 5_000
LABEL_CHARACTERS = 80
# by their digits: since 2001 seconds have ten, until 2286
_SINCE_1970 = re.compile(r"(\d{10}|\d{13}|\d{16}|\d{19})(?:\.\d{1,9})?")
_TWELVE_HOURS = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d{1,2})((?::\d\d){1,2}(?:\.\d+)?) ?([AP])\.?M\.?", re.IGNORECASE
)
_ZERO_ZONE = re.compile(r"(?<=\d) ?(?:UTC|GMT)$", re.IGNORECASE)
_CODE = ("chats.py", "chat_records.py", "chat_text.py", "chat_language.py", "json_lines.py", "text.py")


@dataclass(frozen=True)
class ChatParts:
    """`parts`: one Parquet file an input file, columns of raw.chat but for `part`; `files`: raw.chat_file."""

    parts: list[Path]
    files: pd.DataFrame
    ignored_files: list[str] = field(default_factory=list)
    n_read: int = 0


def read_chats(sources: Path, folder: Path, *, max_characters: int, request_characters: int) -> ChatParts:
    """Every chat of `sources`, as Parquet parts in `folder`; a file that is unchanged is not read again.

    Args:
        max_characters: a chat's user turns are cut there; how much was cut is recorded.
        request_characters: the first user turn is cut there.

    Raises:
        SourceError: all faults of all files: one that is empty, can't be read, is cut in half, has neither form's
            columns, or holds only rows that can't be used, all for one reason.
    """
    paths, ignored = find_files(sources, LOCATION, SUFFIXES)
    folder.mkdir(parents=True, exist_ok=True)
    parts: list[Path] = []
    rows: list[dict[str, Any]] = []
    faults: list[SourceFileError] = []
    n_read = 0
    for path in paths:
        file = relative(sources, path)
        try:
            sha256 = file_sha256(path, file)
            if not path.stat().st_size:
                # of a cloud folder's placeholder, or an export that broke off
                do = "Export or copy the file again, or remove it"
                raise SourceFileError("the file is empty (0 bytes)", file=file, row=1, do=do)
            identity = f"{file}/{sha256}/{max_characters}/{request_characters}/{_code_version()}"
            part = folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:32]}.parquet"
            if not _is_whole(part):
                n_read += 1
                _write_part(path, file, sha256, part, max_characters, request_characters)
            _refuse_if_none_can_be_used(path, file, part)
        except SourceFileError as fault:
            faults.append(fault)
        else:
            parts.append(part)
            rows.append({"source_file": file, "source_sha256": sha256, **_counts(part)})
    if faults:
        raise SourceError(faults)
    for stale in set(folder.iterdir()) - set(parts):
        stale.unlink()
    frame = conform("raw.chat_file", pd.DataFrame(rows)) if rows else empty_frame("raw.chat_file")
    return ChatParts(parts, frame, ignored, n_read)


def _code_version() -> str:
    digest = hashlib.sha256(detector_version().encode())
    for name in _CODE:
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()


def _is_whole(part: Path) -> bool:
    try:
        pq.read_metadata(part)
    except (OSError, pa.ArrowInvalid):
        return False
    return True


def _schema() -> pa.Schema:
    kinds = {"string": pa.string(), "bigint": pa.int64()}
    columns = declared_tables()["raw.chat"].items()
    return pa.schema([(name, kinds[kind]) for name, kind in columns if name != "part"])


def _write_part(
    path: Path, file: str, sha256: str, part: Path, max_characters: int, request_characters: int
) -> None:
    schema = _schema()
    stream = records(path, file)
    with atomic_write(part) as fresh, pq.ParquetWriter(fresh, schema, compression="zstd") as writer:
        while batch := list(islice(stream, BATCH)):
            rows = [_row(record, max_characters, request_characters) for record in batch]
            detected = iter(detect([row["request"] for row in rows if row["request"]]))
            for row in rows:
                row |= {
                    "source_file": file,
                    "source_sha256": sha256,
                    "language_detected": next(detected) if row["request"] else None,
                }
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _refuse_if_none_can_be_used(path: Path, file: str, part: Path) -> None:
    """One reason for every row is a file of another form; several, or blank texts, are rows that become rejects."""
    problems = pc.unique(pq.read_table(part, columns=["problem"])["problem"]).to_pylist()
    if len(problems) != 1 or problems[0] in (None, BLANK):
        return
    found = columns_of(path)
    what = f"no row can be used: {problems[0]}"
    if found:
        what += f"; found the columns {mask(', '.join(found))[0]}"
    raise SourceFileError(what, file=file, do=EXPECTED)


def _row(record: Record, max_characters: int, request_characters: int) -> dict[str, Any]:
    masked = [mask(clean(turn)) for turn in record.turns]
    turns = [text.strip() for text, _ in masked if text.strip()]
    text = "\n\n".join(turns)
    problem = record.problem or (None if turns else BLANK if record.turns else "no turn is a user's")
    request = turns[0][:request_characters].strip() if turns and not problem else None
    return {
        "row_number": record.row_number,
        "chat_id": mask_emails(record.chat_id) if record.chat_id else None,
        "form": record.form,
        "chat_key": text_key(text) if request else None,
        "request_key": text_key(request) if request else None,
        "text": text[:max_characters] if request else None,
        "request": request,
        "n_turns": len(record.turns),
        "n_characters": len(text),
        "n_cut": max(len(text) - max_characters, 0),
        "n_masked": sum(n for _, n in masked),
        "language_label": _label(record.language),
        "country": _label(record.country),
        "at": _as_utc(record.at),
        "problem": problem,
    }


def _label(text: str | None) -> str | None:
    """Nobody says that a field holds what its name promises."""
    return mask(text[:LABEL_CHARACTERS])[0] if text else None


def _as_utc(at: str | None) -> str | None:
    """ISO 8601, or (milli-, micro-, nano)seconds since 1970, in UTC (no offset = UTC); anything else as a label."""
    if at and (since := _SINCE_1970.fullmatch(at)):
        micros = Decimal(at).scaleb(16 - len(since[1]))
        try:
            return (datetime(1970, 1, 1) + timedelta(microseconds=int(micros))).isoformat(sep=" ")
        except OverflowError:
            return _label(at)
    try:
        moment = datetime.fromisoformat(_on_24_hours(at)) if at else None
    except ValueError:
        return _label(at)
    if moment is None:
        return None
    try:
        moment = moment.astimezone(UTC) if moment.tzinfo else moment
    except OverflowError:
        return _label(at)
    return moment.replace(tzinfo=None).isoformat(sep=" ")


def _on_24_hours(at: str) -> str:
    """A time with AM or PM, or UTC or GMT behind it, in ISO 8601; other names of zones are not unique."""
    if found := _TWELVE_HOURS.fullmatch(at.strip()):
        day, hour, rest, half = found.groups()
        if 1 <= int(hour) <= 12:
            return f"{day} {int(hour) % 12 + 12 * (half.upper() == 'P'):02d}{rest}"
    return _ZERO_ZONE.sub("+00:00", at)


def _counts(part: Path) -> dict[str, Any]:
    """What a part holds, by its columns; no text is read."""
    columns = ["form", "problem", "n_cut", "n_masked", "country"]
    table = pq.read_table(part, columns=columns)
    unusable = pc.sum(pc.is_valid(table["problem"])).as_py() or 0
    forms = set(pc.unique(table["form"]).to_pylist()) - {None}
    return {
        "form": forms.pop() if len(forms) == 1 else ("mixed" if forms else None),
        "n_rows": table.num_rows,
        "n_unusable": unusable,
        "n_cut": pc.sum(pc.greater(table["n_cut"], 0)).as_py() or 0,
        "n_masked": pc.sum(pc.greater(table["n_masked"], 0)).as_py() or 0,
        "n_no_country": table["country"].null_count,
    }
