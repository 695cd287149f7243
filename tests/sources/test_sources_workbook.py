"""A workbook that is damaged is a fault of its file, wherever reading it fails."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from assets.sources.readers import SourceError, read_oews
from tests.support.factories import OEWS_HEADER

FILE = "oews/national.xlsx"
SHEET = "xl/worksheets/sheet1.xml"


def write(sources: Path) -> Path:
    book = openpyxl.Workbook()
    for row in (OEWS_HEADER, ("11-1011", "Chiefs", "detailed", "900", "#")):
        book.active.append(row)
    path = sources / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)
    return path


def change(path: Path, part: str, how: Callable[[str], str]) -> None:
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts[part] = how(parts[part].decode()).encode()
    with zipfile.ZipFile(path, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)


@pytest.mark.parametrize(
    ("part", "how"),
    [
        (SHEET, lambda xml: xml[: len(xml) // 2]),
        ("xl/workbook.xml", lambda xml: xml[: len(xml) // 2]),
        (SHEET, lambda xml: re.sub('<c r="A1"[^>]*>.*?</c>', '<c r="A1" t="s"><v>999</v></c>', xml)),
    ],
)
def test_a_damaged_workbook_is_named(part: str, how: Callable[[str], str], tmp_path: Path) -> None:
    change(write(tmp_path), part, how)
    with pytest.raises(SourceError) as told:
        read_oews(tmp_path)
    (fault,) = told.value.faults
    assert fault.file == FILE and fault.what.startswith("cannot be read as a workbook")
    assert "or save it as CSV" in fault.do
