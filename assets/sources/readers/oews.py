"""oews/*: national employment and wages of the BLS, and the workbook that leads there from O*NET's codes.

Belongs here: the tables' columns, and which of the files is which. Does not belong here: how employment is divided
over occupations (dbt).
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd

from assets.common.warehouse import conform
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import CSV, find_files, relative
from assets.sources.inputs import BY_NAME
from assets.sources.readers.folder import Reading, empty_frame, provenance
from assets.sources.readers.text import Table, read_table, require_columns, require_unique
from assets.sources.readers.workbook import read_workbook

LOCATION = BY_NAME["oews"].location
SUFFIXES = BY_NAME["oews"].suffixes
EMPLOYMENT = {
    "oews_code": "OCC_CODE",
    "title": "OCC_TITLE",
    "soc_level": "O_GROUP",
    "employment": "TOT_EMP",
    "median_wage": "A_MEDIAN",
}
CROSSWALK = {"occupation": "O*NET-SOC Code", "oews_code": "NEM Code"}
_SOC = re.compile(r"\d{2}-\d{4}")
_ONET_SOC = re.compile(r"\d{2}-\d{4}\.\d{2}")
_TAXONOMY = re.compile(r"O\*?NET-SOC (\d{4}) Taxonomy", re.IGNORECASE)


def read_oews(sources: Path) -> Reading:
    """raw.oews and raw.oews_crosswalk; a file with the column 'NEM Code' is the crosswalk. No files give no rows.

    Raises:
        SourceError: as `text.read_table`, and missing columns, a code that is none (a date, a number), a code twice, or
            two files of one kind (two years would count each occupation twice).
    """
    paths, ignored = find_files(sources, LOCATION, SUFFIXES)
    frames = {name: empty_frame(name) for name in ("raw.oews", "raw.oews_crosswalk")}
    faults: list[SourceFileError] = []
    files: dict[str, str] = {}
    n_blank_rows = 0
    for path in paths:
        place = relative(sources, path)
        try:
            if path.suffix.lower() == CSV:
                table, notes = read_table(path, place), ""
            else:
                table, notes = read_workbook(path, place, (CROSSWALK["oews_code"], EMPLOYMENT["oews_code"]))
            is_crosswalk = CROSSWALK["oews_code"] in table.header
            frame = _crosswalk(table, notes) if is_crosswalk else _employment(table)
            name = "raw.oews_crosswalk" if is_crosswalk else "raw.oews"
            if len(frames[name]):
                first = frames[name]["source_file"].iloc[0]
                do = "Keep the newer one; each code may have one row"
                raise SourceError([SourceFileError(f"holds the same as {first}", file=place, do=do)])
        except SourceError as error:
            faults += error.faults
            continue
        frames[name] = frame
        files[place] = table.sha256
        n_blank_rows += table.n_blank_rows
    if faults:
        raise SourceError(faults)
    return Reading(frames, files, {}, ignored, n_blank_rows)


def _employment(table: Table) -> pd.DataFrame:
    require_columns(table, list(EMPLOYMENT.values()))
    require_unique(table, (EMPLOYMENT["soc_level"], EMPLOYMENT["oews_code"]))
    _require_codes(table, EMPLOYMENT["oews_code"], _SOC)
    columns = {ours: table.key(theirs) for ours, theirs in EMPLOYMENT.items()}
    return conform("raw.oews", pd.DataFrame(provenance(table) | columns))


def _crosswalk(table: Table, notes: str) -> pd.DataFrame:
    require_columns(table, list(CROSSWALK.values()))
    require_unique(table, (CROSSWALK["occupation"],))
    _require_codes(table, CROSSWALK["occupation"], _ONET_SOC)
    _require_codes(table, CROSSWALK["oews_code"], _SOC)
    found = _TAXONOMY.search(notes)
    taxonomy = f"O*NET-SOC {found[1]}" if found else None
    columns = {ours: table.key(theirs) for ours, theirs in CROSSWALK.items()}
    columns["soc_taxonomy"] = np.full(len(table.rows), taxonomy, dtype=object)
    return conform("raw.oews_crosswalk", pd.DataFrame(provenance(table) | columns))


def _require_codes(table: Table, column: str, pattern: re.Pattern[str]) -> None:
    """Nothing, if each cell of `column` that is given is a code; whether one must be given says `require_unique`.

    Raises:
        SourceError: cells that are no codes.
    """
    do = "Take the file as published: a spreadsheet turns codes into dates and numbers, and drops zeros"
    faults = [
        table.fault(f"'{cell[:40]}' is no code of occupations", row=line, column=column, do=do)
        for line, cell in zip(table.row_numbers, table.key(column), strict=True)
        if cell is not None and not pattern.fullmatch(cell)
    ]
    if faults:
        raise SourceError(faults)
