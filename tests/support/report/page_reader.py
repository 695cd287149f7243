"""Reads a rendered page back: its tables, links and the numbers that its charts draw."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any


def unpacked(file: Path) -> tuple[Any, Any]:
    """What a script under data/ hands to its page: (which scope or system, its numbers)."""
    found = re.fullmatch(
        r'report\.\w+\("r-\d+",(.+),"([A-Za-z0-9+/=]+)"\);\n', file.read_text(encoding="utf-8")
    )
    assert found
    return json.loads(found[1]), json.loads(gzip.decompress(base64.b64decode(found[2])))


class Reader(HTMLParser):
    """Tables per scope, links, and the embedded JSON of one page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[tuple[str, list[list[str]]]] = []
        self.links: list[str] = []
        self.json = ""
        self.n_scripts = 0
        self._scope, self._in_cell, self._in_json = "", False, False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.links += [str(values[a]) for a in ("href", "src") if a in values and tag != "base"]
        self.n_scripts += tag == "script"
        self._in_json = values.get("type") == "application/json"
        if tag == "div" and "data-for-scope" in values:
            self._scope = str(values["data-for-scope"])
        elif tag == "section":
            self._scope = ""
        elif tag == "table":
            self.tables.append((self._scope, []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][1][-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False
        if tag == "script":
            self._in_json = False

    def handle_data(self, data: str) -> None:
        if self._in_json:
            self.json += data
        elif self._in_cell:
            self.tables[-1][1][-1][-1] += data

    def scoped(self, first_heading: str, second_heading: str) -> dict[str, list[list[str]]]:
        return {s: t for s, t in self.tables if t and t[0][:2] == [first_heading, second_heading]}
