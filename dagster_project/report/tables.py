"""Tables of printed cells, and the printers that several pages share.

Belongs here: the shape of a table, cells made of one estimate, a count or a name.
Does not belong here: which rows and columns a page shows (pages/), number formats (labels.py).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from dagster_project.report.labels import LEADING, MISSING, OfSystem, Scope, Temperature, number, text


@dataclass(frozen=True)
class Table:
    """A table of printed cells; the first column heads the rows."""

    columns: list[str]
    rows: list[list[str]]
    wraps: set[int] = field(default_factory=set)  # columns of running text
    key: str = ""  # by which a page's script finds the table
    rest: dict[int, list[list[str]]] = field(
        default_factory=dict
    )  # rows of systems that don't lead, by index


def of_systems(
    key: str, columns: list[str], rows: Iterable[tuple[int, list[str]]], wraps: set[int] | None = None
) -> Table:
    """A table whose rows belong to systems, `rows` = (index, cells): those of leading systems, the others aside."""
    leading: list[list[str]] = []
    rest: dict[int, list[list[str]]] = {}
    for index, cells in rows:
        (leading if index < LEADING else rest.setdefault(index, [])).append(cells)
    return Table(columns, leading, wraps or set(), key, rest)


@dataclass(frozen=True)
class ScopedTable:
    """The table of one choice of the selector; the page shows that of the selected one."""

    scope: Scope | OfSystem | Temperature
    table: Table


def records(frame: pd.DataFrame) -> dict[str, list[dict[Hashable, Any]]]:
    """The rows of each system, in their order."""
    found: dict[str, list[dict[Hashable, Any]]] = {}
    for row in frame.to_dict("records"):
        found.setdefault(str(row["system"]), []).append(row)
    return found


def interval(row: Any) -> str:
    """Cell of (mean, low, high): the mean over its interval."""
    return f"{number(row[0])}\n({number(row[1])} to {number(row[2])})"


def count(value: object) -> str:
    """Cell of a whole number; a dash for NULL."""
    return number(value, 0)


def words(value: object) -> str:
    """Cell of a text; a dash for NULL and blanks."""
    return text(value, MISSING)


def names_of(frame: pd.DataFrame, key: str) -> dict[str, str]:
    """Key -> column `name`, or the key itself where that is blank."""
    return {str(k): text(name, str(k)) for k, name in zip(frame[key], frame["name"], strict=True)}


def printed(
    frame: pd.DataFrame, formats: dict[str, tuple[str, Callable[[object], str]]], **options: Any
) -> Table:
    """`frame` as a table: column -> (heading, printer)."""
    rows = [[printer(r[c]) for c, (_, printer) in formats.items()] for r in frame.to_dict("records")]
    return Table([heading for heading, _ in formats.values()], rows, **options)
