"""What people type, before it goes any further: codes pass, labels are checked, everything else is withheld.

Belongs here: the rules that keep personal text at the door. Does not belong here: which columns are read
(survey_schema.py and the readers) and which values are usable (dbt staging).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assets.sources.errors import SourceError, SourceFileError
from assets.sources.readers.text import Table

MAX_LABEL_CHARACTERS = 80
# Numbers, and lists of them as multiple-choice answers have: what a coded cell can be.
_CODE = re.compile(r"\s*[+-]?\d{0,8}(?:\.\d{0,17})?(?:[eE][+-]?\d+)?(?:\s*,\s*\d{1,3}(?:\.\d{1,3})?)*\s*")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
# Seven digits in one go, or behind a plus; nine with separators, so that a span of years is no telephone.
_TELEPHONE = re.compile(r"\d{7}|\+\d(?:[\s()./-]*\d){6}|\d(?:[\s()./-]*\d){8}")


def coded(cells: npt.NDArray[np.object_]) -> npt.NDArray[np.object_]:
    """Cells as they are where they can be codes; text, addresses and long numbers are withheld, and say so.

    People type into boxes that ask for a number. What they typed is theirs: it gets no further than this.
    """
    withheld = "(withheld: not a code)"
    return np.array(
        [cell if cell is None or not cell.strip() or _CODE.fullmatch(cell) else withheld for cell in cells],
        dtype=object,
    )


def labels(table: Table, columns: Sequence[str]) -> dict[str, npt.NDArray[np.object_]]:
    """The clean names in columns that are published as they stand, runs of blanks as one; blank = None.

    Raises:
        SourceError: a cell is no label but free text, an e-mail address or a telephone number; the message
            says where it stands and doesn't repeat it.
    """
    found: dict[str, npt.NDArray[np.object_]] = {}
    faults: list[SourceFileError] = []
    for column in columns:
        names = [" ".join(cell.split()) if cell else None for cell in table.key(column)]
        for line, name in zip(table.row_numbers, names, strict=True):
            if name and (what := _personal(name)):
                do = f"Give a name of at most {MAX_LABEL_CHARACTERS} characters and nothing personal"
                faults.append(table.fault(f"{what}; this is published", row=line, column=column, do=do))
        found[column] = np.array(names, dtype=object)
    if faults:
        raise SourceError(faults)
    return found


def _personal(name: str) -> str | None:
    if len(name) > MAX_LABEL_CHARACTERS:
        return f"{len(name)} characters where a name is expected"
    if _EMAIL.search(name):
        return "an e-mail address"
    return "a telephone number" if _TELEPHONE.search(name) else None
