"""Files and columns among the inputs that no reader takes.

Belongs here: gathering them, so that each refresh reports them, also for tables that it kept. Does not belong
here: printing (show.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assets.settings import Settings
from assets.sources.errors import SourceError
from assets.sources.inputs import INPUTS, listed_files
from assets.versions import FILES, Version


@dataclass(frozen=True)
class LeftOut:
    """Files, and file -> columns."""

    files: list[str]
    columns: dict[str, list[str]]


def left_out(settings: Settings, known: Mapping[str, Version]) -> LeftOut:
    """Of all inputs; of folders that can't be read, nothing: the refresh reports those itself."""
    files: list[str] = []
    columns: dict[str, list[str]] = {}
    for one in INPUTS:
        try:
            files += listed_files(one, settings)[1] if one.base == "sources" else []
        except SourceError:
            continue
    for version in known.values():
        files += version.metadata.get("ignored_files", [])
        columns |= version.metadata.get("ignored_columns", {})
    # folders of one input may lie in another's
    inputs = [found for version in known.values() for found in version.metadata.get(FILES, {}).values()]
    taken = {file for found in inputs for file in found}
    taken |= {location for one in INPUTS for location, _ in one.locations}
    return LeftOut([file for file in dict.fromkeys(files) if file not in taken], columns)
