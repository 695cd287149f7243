"""onet/*.txt: O*NET's official text release, as unzipped -> raw.onet_*, one row a line.

Belongs here: which of its files and columns are taken, its codes, and that files of two releases are not mixed.
Does not belong here: what the values mean (dbt), employment (oews.py).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from assets.common.warehouse import conform
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import find_files, relative
from assets.sources.inputs import BY_NAME
from assets.sources.readers.folder import Reading, empty_frame, provenance
from assets.sources.readers.text import Table, read_tabbed, read_text, require_columns

LOCATION = BY_NAME["onet"].location
SUFFIXES = BY_NAME["onet"].suffixes
OCCUPATION = "O*NET-SOC Code"
READ_ME = "Read Me.txt"
_AGAIN = "Unzip the official text release again and copy its files as they are"


@dataclass(frozen=True)
class File:
    """One file of the release: `columns` maps our name to O*NET's; `key` must be given and stand once."""

    table: str
    columns: Mapping[str, str]
    key: tuple[str, ...]
    is_required: bool = False


FILES = {
    "Occupation Data.txt": File(
        "raw.onet_occupation",
        {"occupation": OCCUPATION, "title": "Title", "description": "Description"},
        ("occupation",),
        is_required=True,
    ),
    "Task Statements.txt": File(
        "raw.onet_task",
        {"occupation": OCCUPATION, "task_id": "Task ID", "task": "Task", "task_type": "Task Type"},
        ("task_id",),
        is_required=True,
    ),
    "Tasks to DWAs.txt": File(
        "raw.onet_task_dwa",
        {"occupation": OCCUPATION, "task_id": "Task ID", "dwa_id": "DWA ID"},
        ("task_id", "dwa_id"),
    ),
    "IWA Reference.txt": File(
        "raw.onet_iwa", {"gwa_id": "Element ID", "iwa_id": "IWA ID", "title": "IWA Title"}, ("iwa_id",)
    ),
    "DWA Reference.txt": File(
        "raw.onet_dwa",
        {"gwa_id": "Element ID", "iwa_id": "IWA ID", "dwa_id": "DWA ID", "title": "DWA Title"},
        ("dwa_id",),
    ),
    "Content Model Reference.txt": File(
        "raw.onet_element", {"element_id": "Element ID", "name": "Element Name"}, ("element_id",)
    ),
    "Skills.txt": File(
        "raw.onet_skill",
        {
            "occupation": OCCUPATION,
            "skill": "Element ID",
            "name": "Element Name",
            "scale": "Scale ID",
            "value": "Data Value",
            "recommend_suppress": "Recommend Suppress",
        },
        ("occupation", "skill", "scale"),
    ),
    "Technology Skills.txt": File(
        "raw.onet_technology_skill",
        {
            "occupation": OCCUPATION,
            "example": "Example",
            "commodity_code": "Commodity Code",
            "commodity_title": "Commodity Title",
            "hot_technology": "Hot Technology",
            "in_demand": "In Demand",
        },
        ("occupation", "commodity_code", "example"),
    ),
    "Job Zones.txt": File(
        "raw.onet_job_zone", {"occupation": OCCUPATION, "job_zone": "Job Zone"}, ("occupation",)
    ),
}
# which file says what a code in another file must be: a foreign one is of another release
_DEFINED_IN = {
    "occupation": ("raw.onet_occupation", "occupation"),
    "task_id": ("raw.onet_task", "task_id"),
    "dwa_id": ("raw.onet_dwa", "dwa_id"),
    "iwa_id": ("raw.onet_iwa", "iwa_id"),
}
_PATTERNS = {
    "occupation": (re.compile(r"\d{2}-\d{4}\.\d{2}"), "no O*NET-SOC code such as 11-1011.00"),
    "task_id": (re.compile(r"[1-9]\d{0,17}"), "no task id (digits, no zero in front)"),
    "scale": (re.compile("IM|LV"), "no scale of skills (IM or LV)"),
}


def read_onet(sources: Path) -> Reading:
    """raw.onet_*: the files of the release that are used; others in the folder are listed as ignored.

    No folder gives empty frames. Where there are files, occupations and task statements must be among them; the
    others are optional.

    Raises:
        SourceError: as `text.read_tabbed`, and a required file or column is missing, a key is blank or stands twice, a
            code is none, or a code is unknown to the file that defines it (releases mixed).
    """
    paths, ignored = find_files(sources, LOCATION, SUFFIXES)
    names = {"raw.onet_release", *(file.table for file in FILES.values())}
    frames = {name: empty_frame(name) for name in sorted(names)}
    found = {path.name: path for path in paths}
    if not found:
        return Reading(frames, ignored_files=ignored)
    faults = [
        SourceFileError("the file is missing", file=f"{LOCATION}/{name}", do=_AGAIN)
        for name, file in FILES.items()
        if file.is_required and name not in found
    ]
    files: dict[str, str] = {}
    n_blank_rows = 0
    for name, path in found.items():
        place = relative(sources, path)
        try:
            if name == READ_ME:
                frames["raw.onet_release"] = _release(path, place)
                files[place] = frames["raw.onet_release"]["source_sha256"].iloc[0]
            elif name in FILES:
                table = read_tabbed(path, place, again=_AGAIN)
                frames[FILES[name].table] = _frame(table, FILES[name])
                files[place] = table.sha256
                n_blank_rows += table.n_blank_rows
            else:
                ignored.append(place)
        except SourceError as error:
            faults += error.faults
    faults = faults or list(_foreign(frames, {file.table: file for file in FILES.values()}))
    if faults:
        raise SourceError(faults)
    return Reading(frames, files, {}, sorted(ignored), n_blank_rows)


def _frame(table: Table, file: File) -> pd.DataFrame:
    try:
        require_columns(table, list(file.columns.values()))
    except SourceError as error:
        raise error.advising(_AGAIN) from None
    columns = {ours: table.key(theirs) for ours, theirs in file.columns.items()}
    frame = pd.DataFrame(provenance(table) | columns)
    faults = list(_wrong_keys(table, frame, file))
    if faults:
        raise SourceError(faults)
    return conform(file.table, frame)


def _wrong_keys(table: Table, frame: pd.DataFrame, file: File) -> Iterable[SourceFileError]:
    for column in dict.fromkeys((*file.key, *(set(_PATTERNS) & set(file.columns)))):
        pattern, what = _PATTERNS.get(column, (re.compile(".*", re.DOTALL), ""))
        is_wrong = [cell is None or not pattern.fullmatch(cell) for cell in frame[column]]
        for line, cell in frame.loc[is_wrong, ["row_number", column]].itertuples(index=False):
            told = "blank, but it names the row" if cell is None else f"'{cell[:40]}' is {what}"
            yield table.fault(told, row=line, column=file.columns[column], do=_AGAIN)
    for line in frame.loc[frame.duplicated(list(file.key)), "row_number"]:
        told = f"the row's {' and '.join(file.columns[c] for c in file.key)} stand in a row above already"
        yield table.fault(told, row=line, column=file.columns[file.key[-1]], do=_AGAIN)


def _foreign(frames: Mapping[str, pd.DataFrame], by_table: Mapping[str, File]) -> Iterable[SourceFileError]:
    for name, file in by_table.items():
        frame = frames[name]
        for column in set(file.columns) & set(_DEFINED_IN):
            home, key = _DEFINED_IN[column]
            if home == name or frame.empty:
                continue
            unknown = frame[~frame[column].isin(frames[home][key])].drop_duplicates(column)
            for place, line, cell in unknown[["source_file", "row_number", column]].itertuples(index=False):
                told = f"'{cell}' does not stand in the file that lists them ({_file_of(by_table, home)})"
                do = "Take all files from one release of O*NET; codes of two releases are not mixed"
                yield SourceFileError(told, file=place, row=line, column=file.columns[column], do=do)


def _file_of(by_table: Mapping[str, File], table: str) -> str:
    return next(name for name, file in FILES.items() if file is by_table[table])


def _release(path: Path, place: str) -> pd.DataFrame:
    """The release that 'Read Me.txt' names; taxonomies by O*NET's history of releases (2010: 15.1 to 25.0)."""
    raw, text = read_text(path, place)
    found = re.search(r"O\*NET\s+(\d+)\.(\d+)\s+Database", text)
    release = taxonomy = None
    if found:
        number = int(found[1]), int(found[2])
        release = f"{number[0]}.{number[1]}"
        taxonomy = "O*NET-SOC 2019" if number >= (25, 1) else "O*NET-SOC 2010" if number >= (15, 1) else None
    row = {
        "source_file": place,
        "source_sha256": hashlib.sha256(raw).hexdigest(),
        "row_number": 1,
        "release": release,
        "soc_taxonomy": taxonomy,
    }
    return conform("raw.onet_release", pd.DataFrame([row]))
