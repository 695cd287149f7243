"""Tables of printed cells, and the printers that several pages share.

Belongs here: the shape of a table, cells made of one estimate, a count or a name.
Does not belong here: which rows and columns a page shows (pages/), number formats (labels.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from dagster_project.report.labels import MISSING, OfSystem, Scope, Temperature, number, text


@dataclass(frozen=True)
class Table:
    """A table of printed cells; the first column heads the rows."""

    columns: list[str]
    rows: list[list[str]]
    wraps: set[int] = field(default_factory=set)  # columns of running text


@dataclass(frozen=True)
class ScopedTable:
    """The table of one choice of the selector; the page shows that of the selected one."""

    scope: Scope | OfSystem | Temperature
    table: Table


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
