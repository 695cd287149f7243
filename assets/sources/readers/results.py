"""battery/results -> raw.result: one row a line of <system>.csv, or a sample × epoch of an Inspect log.

Belongs here: the public results format's columns, and both formats put together. Does not belong here: what a log
holds (inspect_logs.py), what a score means (staging).
"""

from __future__ import annotations

import json
from math import inf
from pathlib import Path

import numpy as np
import pandas as pd

from assets.common.warehouse import declared_tables
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import find_files
from assets.sources.inputs import BY_NAME, INSPECT_LOGS
from assets.sources.readers.folder import Parsed, Reading, provenance, read_folder
from assets.sources.readers.inspect_logs import read_inspect_logs
from assets.sources.readers.item_text import item_text
from assets.sources.readers.text import Table, require_columns, require_unique, with_known_columns

LOCATION = BY_NAME["results"].location
SUFFIXES = BY_NAME["results"].suffixes
KEYS = ("dataset_name", "sample_id")
COLUMNS = ("task_name", "sample_id", "score", "metadata", "dataset_name")
REQUIRED = ("sample_id", "score", "dataset_name")
# of a JSON object in `metadata`, the first of these that is there is the item's text
TEXT_FIELDS = ("input", "prompt", "question", "text")
# what the marts call the joint fit, and a system's row over all benchmarks
JOINT_FIT, ALL_BENCHMARKS = "all systems", "all"


def read_results(sources: Path) -> Reading:
    """raw.result, CSV before logs; the system is a CSV file's stem, case unchanged, or what a log ran.

    Raises:
        SourceError: all faults of all files, as `read_folder` and `inspect_logs.read_inspect_logs`; missing or
            doubled columns, blank or duplicated (dataset_name, sample_id).
    """
    faults: list[SourceFileError] = []
    reading = Reading({})
    try:
        # a deterministic system repeats its answers, and a copy under another name shows as another system
        reading = read_folder(sources, LOCATION, ["raw.result"], _parse, copy_rows=inf)
    except SourceError as error:
        faults += error.faults
    logs = find_files(sources, LOCATION, INSPECT_LOGS)[0]
    try:
        frames, files, left_out = read_inspect_logs(sources, logs)
        faults += [
            SourceFileError(
                f"a benchmark can't be called '{ALL_BENCHMARKS}', the marts' name of all benchmarks together",
                file=str(frame["source_file"].iloc[0]),
                do="Give its task another name in dbt/seeds/seed_inspect_task.csv",
            )
            for frame in frames
            if (frame["benchmark"] == ALL_BENCHMARKS).any()
        ]
    except SourceError as error:
        faults += error.faults
    if faults:
        raise SourceError(faults)
    if not logs:
        return reading
    parts = [frame for frame in (reading.frames["raw.result"], *frames) if len(frame)]
    return Reading(
        {"raw.result": pd.concat(parts, ignore_index=True)},
        reading.files | files,
        reading.ignored_columns | left_out,
        [file for file in reading.ignored_files if file not in files],
        reading.n_blank_rows,
        reading.respelled,
    )


def _parse(table: Table, system: str) -> Parsed:
    table = with_known_columns(table, COLUMNS)
    require_columns(table, REQUIRED)
    require_unique(table, KEYS)
    _require_unreserved(table, system)
    columns = (
        provenance(table)
        | {
            "system": np.full(len(table.rows), system, dtype=object),
            "task_name": table.column("task_name"),
            "benchmark": table.key("dataset_name"),
            "item": table.key("sample_id"),
            "score": table.column("score"),
            "metadata": table.column("metadata"),
        }
        | _item_texts(table.column("metadata"))
    )
    columns |= {
        name: np.full(len(table.rows), None, dtype=object)
        for name in declared_tables()["raw.result"]
        if name not in columns
    }
    ignored = [name or "(no name)" for name in table.header if name not in COLUMNS]
    return Parsed({"raw.result": columns}, ignored)


def _item_texts(metadata: np.ndarray) -> dict[str, np.ndarray]:
    """text_key and text_start of items whose text the metadata hold, as a field of a JSON object."""
    found = [item_text(_held(cell)) for cell in metadata]
    keys, starts = np.full(len(found), None, dtype=object), np.full(len(found), None, dtype=object)
    keys[:], starts[:] = [key for key, _ in found], [start for _, start in found]
    return {"text_key": keys, "text_start": starts}


def _held(cell: object) -> str | None:
    if not isinstance(cell, str) or not cell.lstrip().startswith("{"):
        return None
    try:
        record = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    return next((record[name] for name in TEXT_FIELDS if isinstance(record.get(name), str)), None)


def _require_unreserved(table: Table, system: str) -> None:
    """Refuse the names under which the marts keep totals: a system or benchmark of that name would add to them."""
    do = "Rename it"
    faults = []
    if system == JOINT_FIT:
        faults.append(
            table.fault(f"a system can't be called '{system}', the marts' name of the joint fit", do=do)
        )
    names = zip(table.row_numbers, table.key("dataset_name"), strict=True)
    first = next((row for row, name in names if name == ALL_BENCHMARKS), None)
    if first is not None:
        what = f"a benchmark can't be called '{ALL_BENCHMARKS}', the marts' name of all benchmarks together"
        faults.append(table.fault(what, row=first, column="dataset_name", do=do))
    if faults:
        raise SourceError(faults)
