"""survey/interviews/*.csv -> raw.interview, one row a line; a file is one interview.

Belongs here: the columns of those files. Does not belong here: which capabilities and points are usable, and
what counts as a role or a duty (dbt).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from assets.common.names import clean_name
from assets.sources.errors import SourceError
from assets.sources.inputs import BY_NAME
from assets.sources.readers.folder import Parsed, Reading, provenance, read_folder
from assets.sources.readers.privacy import coded, labels
from assets.sources.readers.ratings import capability_aliases
from assets.sources.readers.text import Table, require_columns, with_known_columns

LOCATION = BY_NAME["interviews"].location
LABELS = ("company", "role", "duty")
COLUMNS = (*LABELS, "capability", "points")
# dbt joins the two into a scope's name, and no two roles may end up with the same
DIVIDER = ": "


def read_interviews(sources: Path) -> Reading:
    """raw.interview: one row a line, in the file's order; duty NULL = the role as a whole.

    Columns may come in any order and case. Text that is neither a known capability nor a number is withheld.

    Raises:
        SourceError: as `read_folder`, and missing columns, no company or role, or a label that is none.
    """
    return read_folder(sources, LOCATION, ["raw.interview"], _parse)


def _parse(table: Table, _stem: str) -> Parsed:
    table = with_known_columns(table, COLUMNS)
    require_columns(table, COLUMNS, is_private=True)
    given = labels(table, LABELS)
    _require_role(table, given["company"].tolist(), given["role"].tolist())
    known = {name.casefold() for name in capability_aliases()}
    capability = [
        cell if cell is None or clean_name(cell).casefold() in known else "(withheld: not a capability)"
        for cell in table.key("capability")
    ]
    columns = provenance(table) | given
    columns |= {
        "capability_name": np.array(capability, dtype=object),
        "points": coded(table.column("points")),
    }
    ignored = [name or "(no name)" for name in table.header if name not in COLUMNS]
    return Parsed({"raw.interview": columns}, ignored)


def _require_role(table: Table, companies: list[str | None], roles: list[str | None]) -> None:
    faults = []
    for line, company, role in zip(table.row_numbers, companies, roles, strict=True):
        if not company or not role:
            column = "role" if company else "company"
            faults.append(
                table.fault("blank, but it says whose work this is", row=line, column=column, do="Fill it in")
            )
        elif DIVIDER in company:
            do = f"Write the company without '{DIVIDER}'"
            faults.append(
                table.fault(f"'{DIVIDER}' divides company from role", row=line, column="company", do=do)
            )
    if faults:
        raise SourceError(faults)
