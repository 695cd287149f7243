"""The text of a rubric by its headings, paragraphs and bullets, each with its line.

Belongs here: what rubrics of every slice share. Does not belong here: which headings a rubric must have (the slices).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


class RubricError(ValueError):
    """Rubrics that can't be used as they stand: one line a fault, with file, line and what is wrong."""


@dataclass
class Part:
    """What stands under one heading: plain paragraphs and bullets, each with its line."""

    title: str
    line: int
    level: int
    paragraphs: list[tuple[int, str]] = field(default_factory=list)
    bullets: list[tuple[int, str]] = field(default_factory=list)


def read_text(path: Path) -> tuple[str, str]:
    """The text of `path` and its version, the sha256 of the bytes.

    Raises:
        RubricError: empty, or no UTF-8; names the line.
    """
    raw = path.read_bytes()
    if not raw.strip():
        raise RubricError(f"{path}: the file is empty")
    try:
        return raw.decode("utf-8"), hashlib.sha256(raw).hexdigest()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise RubricError(f"{path}, line {line}: a byte that is not UTF-8") from None


def parts_of(text: str) -> Iterator[Part]:
    """The text by its headings; a line that is indented or not set off by a blank one goes on the line above."""
    part, current = Part("", 1, 0), None
    for number, line in enumerate(text.split("\n"), start=1):
        heading = re.match(r"(#+) +(.*?) *$", line)
        if heading:
            yield part
            part, current = Part(heading[2], number, len(heading[1])), None
        elif not line.strip():
            current = None
        elif current is None or line.startswith("- "):
            current = part.bullets if line.startswith("- ") else part.paragraphs
            current.append((number, line.removeprefix("- ").strip()))
        else:
            first, words = current[-1]
            current[-1] = (first, f"{words} {line.strip()}")
    yield part


def plain(phrase: str) -> str:
    """The words of `phrase`, by which two phrases count as the same."""
    return " ".join(re.findall(r"\w+", phrase.casefold()))
