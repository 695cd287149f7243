"""battery/results/<system>.csv -> raw.result, one row a line.

Belongs here: the public results format's columns. Does not belong here: what a score means (staging).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from assets.sources.readers.errors import SourceError
from assets.sources.readers.folder import Parsed, Reading, provenance, read_folder
from assets.sources.readers.text import Table, require_columns, require_unique

LOCATION = "battery/results"
KEYS = ("dataset_name", "sample_id")
COLUMNS = ("task_name", "sample_id", "score", "metadata", "dataset_name")
REQUIRED = ("sample_id", "score", "dataset_name")
# what the marts call the joint fit, and a system's row over all benchmarks
JOINT_FIT, ALL_BENCHMARKS = "all systems", "all"


def read_results(sources: Path) -> Reading:
    """raw.result: one row a line, in the file's order; the system is the file's stem, case unchanged.

    Raises:
        SourceError: as `text.read_table`, and missing columns, blank or duplicated (dataset_name, sample_id).
    """
    return read_folder(sources, LOCATION, ["raw.result"], _parse)


def _parse(table: Table, system: str) -> Parsed:
    require_columns(table, REQUIRED)
    require_unique(table, KEYS)
    _require_unreserved(table, system)
    columns = provenance(table) | {
        "system": np.full(len(table.rows), system, dtype=object),
        "task_name": table.column("task_name"),
        "benchmark": table.key("dataset_name"),
        "item": table.key("sample_id"),
        "score": table.column("score"),
        "metadata": table.column("metadata"),
    }
    ignored = [name or "(no name)" for name in table.header if name not in COLUMNS]
    return Parsed({"raw.result": columns}, ignored)


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
