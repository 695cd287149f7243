"""The documentation as tests see it: files, headings, links, blocks of code and the names in them.

Belongs here: reading Markdown. Does not belong here: what must hold of it (test_docs_*.py).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from assets.settings import PROJECT

DOCS = PROJECT / "docs"
README = PROJECT / "README.md"
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE
)
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(?P<text>.+?)$", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
# in text and in ```text blocks too: output may name settings, and never a path of the machine it came from
_HOME_PATH = re.compile(r"(?<![\w.])/(?:tmp|home|root|work|Users|opt|mnt)/\w+")


class Block(NamedTuple):
    """A fenced block; `page` is relative to the project."""

    page: str
    language: str
    text: str


def pages() -> list[Path]:
    """README, contributors' pages and the site, in a fixed order."""
    return [README, PROJECT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def name_of(page: Path) -> str:
    return page.relative_to(PROJECT).as_posix()


def blocks(*languages: str) -> Iterator[Block]:
    """Fenced blocks in one of `languages`, of all pages."""
    for page in pages():
        for found in _FENCE.finditer(page.read_text(encoding="utf-8")):
            if found["language"] in languages:
                yield Block(name_of(page), found["language"], found["text"])


def inline_code(page: Path) -> list[str]:
    return _CODE.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))


def links(page: Path) -> list[str]:
    """Targets of all links and pictures outside code."""
    prose = _CODE.sub("", _FENCE.sub("", page.read_text(encoding="utf-8")))
    return _LINK.findall(prose)


def anchors(page: Path) -> set[str]:
    """Ids of the page's headings, as MkDocs makes them."""
    prose = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return {_slug(found["text"]) for found in _HEADING.finditer(prose)}


def machine_paths(page: Path) -> list[str]:
    return _HOME_PATH.findall(page.read_text(encoding="utf-8"))


def _slug(heading: str) -> str:
    text = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    text = re.sub(r"[^\w\s-]", "", text).strip().lower()
    return re.sub(r"[-\s]+", "-", text)
