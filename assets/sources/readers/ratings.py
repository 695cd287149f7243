"""battery/ratings/<rater>.csv -> raw.rating, one row a cell.

Belongs here: the public annotation format's columns. Does not belong here: which levels are valid (staging).
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import numpy as np

from assets.common.names import clean_name
from assets.settings import PROJECT
from assets.sources.errors import SourceError
from assets.sources.inputs import BY_NAME
from assets.sources.readers.folder import Parsed, Reading, provenance, read_folder
from assets.sources.readers.text import Table, require_columns, require_unique

LOCATION = BY_NAME["ratings"].location
KEYS = ("dataset name", "sample id")
# two raters may agree on all levels of a few items, never on 18 of each of so many
COPY_ROWS = 10


@cache
def capability_aliases() -> dict[str, str]:
    """Column name -> acronym, for every spelling that dbt/seeds/seed_capability_alias.csv declares."""
    with (PROJECT / "dbt/seeds/seed_capability_alias.csv").open(encoding="utf-8", newline="") as file:
        return {clean_name(row["capability_name"]): row["capability"] for row in csv.DictReader(file)}


@cache
def headings() -> dict[str, str]:
    """Acronym -> the column name that the public format is written with, in the order of columns."""
    names: dict[str, str] = {}
    for name, acronym in capability_aliases().items():
        names.setdefault(acronym, name)
    return names


def read_ratings(sources: Path) -> Reading:
    """raw.rating: rows = items × 18 a file, in the file's order, named by header and never by position.

    Raises:
        SourceError: as `read_folder`, and missing or doubled columns, blank or duplicated keys.
    """
    return read_folder(sources, LOCATION, ["raw.rating"], _parse, copy_rows=COPY_ROWS)


def _parse(table: Table, rater: str) -> Parsed:
    aliases = capability_aliases()
    present = [name for name in table.header if name in aliases]
    _require_capabilities(table, present)
    require_unique(table, KEYS)
    columns = [table.header.index(name) for name in present]
    n, k = len(table.rows), len(columns)
    each = {name: np.repeat(values, k) for name, values in provenance(table).items()}
    each |= {
        "rater": np.full(n * k, rater, dtype=object),
        "benchmark": np.repeat(table.key(KEYS[0]), k),
        "item": np.repeat(table.key(KEYS[1]), k),
        "capability_name": np.tile(np.array(present, dtype=object), n),
        "level": table.cells[:, columns].ravel(),
    }
    ignored = [name or "(no name)" for name in table.header if name not in present and name not in KEYS]
    return Parsed({"raw.rating": each}, ignored)


def _require_capabilities(table: Table, present: list[str]) -> None:
    aliases, names = capability_aliases(), headings()
    given: dict[str, str] = {}
    faults = []
    for name in present:
        other = given.setdefault(aliases[name], name)
        if other != name:
            what = f"the same capability as column '{other}'"
            faults.append(table.fault(what, row=1, column=name, do="Keep one of the two columns"))
    if faults:
        raise SourceError(faults)
    require_columns(table, [*KEYS, *(given.get(acronym, name) for acronym, name in names.items())])
