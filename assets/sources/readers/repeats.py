"""Rows and files that repeat others by content: what an id or a hash of bytes does not show.

Belongs here: finding them. Does not belong here: what a repetition means for an input (its reader says so).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assets.sources.errors import SourceFileError
from assets.sources.readers.text import Table

# In the public survey (571 rows without ids) the only equal rows are of people who left after three answers; of those
# with 20 cells and more no two agree in over half of them. A pasted row with a cell corrected agrees in 95 %.
FEWEST_EQUAL = 10
FEWEST_NEAR = 20
MOST_UNEQUAL = 0.05
# of a file named like another, so many of the rows are in the other
LEAST_SHARED = 0.9
# what a file manager or a browser adds: 'x (1)', 'x - Copy', 'x - Copy (2)', 'x copy 2', 'Copy of x'
_COPY_NAME = re.compile(r"(?:copy of )?(.+?)(?: \(\d{1,2}\)| ?-? ?copy(?: ?\(?\d{1,2}\)?)?)?", re.IGNORECASE)


@dataclass(frozen=True)
class Row:
    """One record: where it is, whether it has an id of its own, and its (column, cell) pairs that aren't blank."""

    file: str
    line: int
    has_id: bool
    cells: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Repeat:
    """`row` says what `of` said but for `n_unequal` of `n_cells` columns."""

    row: Row
    of: Row
    n_unequal: int
    n_cells: int


def repeated_rows(rows: Sequence[Row]) -> Iterator[Repeat]:
    """Rows equal or nearly equal to an earlier one. Two that both have an id are two, whatever they say."""
    first: dict[frozenset[tuple[str, str]], list[Row]] = defaultdict(list)
    for row in rows:
        if len(row.cells) < FEWEST_EQUAL:
            continue
        known = first[row.cells]
        earlier = next((other for other in known if not (row.has_id and other.has_id)), None)
        if earlier:
            yield Repeat(row, earlier, 0, len(row.cells))
        else:
            known.append(row)
    different = [row for same in first.values() for row in same if len(row.cells) >= FEWEST_NEAR]
    yield from _near(different)


def _near(rows: Sequence[Row]) -> Iterator[Repeat]:
    """Each row with the first that differs in few cells.

    Two rows that share all but k cells share one of the k + 1 rarest of each: only rows with a rare cell in common are
    compared, which takes no time that grows with the square of their number.
    """
    frequency = Counter(cell for row in rows for cell in row.cells)
    by_cell: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        rarest = sorted(row.cells, key=lambda cell: (frequency[cell], cell))
        rarest = rarest[: int(2 * MOST_UNEQUAL * len(rarest)) + 2]
        for candidate in sorted({other for cell in rarest for other in by_cell[cell]}):
            other = rows[candidate]
            n_cells = len({column for column, _ in row.cells | other.cells})
            n_unequal = n_cells - len(row.cells & other.cells)
            if n_unequal and n_unequal <= MOST_UNEQUAL * n_cells and not (row.has_id and other.has_id):
                yield Repeat(row, other, n_unequal, n_cells)
                break
        for cell in rarest:
            by_cell[cell].append(number)


def original_names(stems: Sequence[str]) -> dict[str, str]:
    """Name of a file that is called like a copy -> that of the other, where both are there."""
    by_name = {stem.casefold(): stem for stem in stems}
    found = {}
    for stem in stems:
        match = _COPY_NAME.fullmatch(stem)
        original = by_name.get(match[1].casefold()) if match else None
        if original is not None and original != stem:
            found[stem] = original
    return found


def copied_file(copy: Table, original: Table) -> SourceFileError | None:
    """A fault, if `copy`, which is named like a copy, has nearly all its rows from `original`."""
    rows = {tuple(row) for row in original.rows}
    n_shared = sum(tuple(row) in rows for row in copy.rows)
    if copy.header != original.header or n_shared < LEAST_SHARED * len(copy.rows):
        return None
    what = f"named like a copy of {original.file}, and {n_shared} of its {len(copy.rows)} rows are in there"
    do = "Remove one of them; if both are meant, give it a name that is not one of a copy"
    return copy.fault(what, do=do)
