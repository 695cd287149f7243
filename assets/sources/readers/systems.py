"""battery/systems.csv -> raw.ai_system, one row a line.

Belongs here: the columns of that file. Does not belong here: aliases and identity of systems (staging).
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.inputs import BY_NAME
from assets.sources.readers.folder import Parsed, Reading, provenance, read_folder
from assets.sources.readers.text import Table, require_columns, require_unique, with_known_columns

LOCATION = BY_NAME["systems"].location
COLUMNS = ("system", "name", "model", "settings", "scaffold", "developer", "family", "released_on", "kind")


def read_systems(sources: Path) -> Reading:
    """raw.ai_system: one row a line; all columns but `system` may be absent or blank (NULL = unknown).

    Raises:
        SourceError: as `read_folder`, and no `system` column, a doubled column, a blank or duplicated system.
    """
    return read_folder(sources, LOCATION, ["raw.ai_system"], _parse)


def _parse(table: Table, _stem: str) -> Parsed:
    table = with_known_columns(table, COLUMNS)
    require_columns(table, COLUMNS[:1])
    require_unique(table, COLUMNS[:1])
    columns = provenance(table) | {"system": table.key("system")}
    columns |= {name: table.column(name) for name in COLUMNS[1:]}
    ignored = [name or "(no name)" for name in table.header if name not in COLUMNS]
    return Parsed({"raw.ai_system": columns}, ignored)
