"""What many systems have too much of for a page: it lies in a file a system, which the page loads when that is ticked.

Belongs here: cutting charts and tables into the leading systems' part, which stays, and a part for each other system.
Does not belong here: what charts and tables hold (charts.py, pages/), putting the parts together (static/parts.js).

A page opened from a folder may not fetch files, but may load scripts: so each file calls a function of the page with
its part, packed.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from dagster_project.report.charts import Chart
from dagster_project.report.labels import LEADING, System
from dagster_project.report.tables import ScopedTable, Table

Part = dict[str, Any]


def packed(text: str) -> str:
    """`text` gzipped, in base64; the same for the same text, whenever it is called."""
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=6, mtime=0)).decode()


def script(function: str, refresh: str, key: str | int, content: Any) -> str:
    """A script that hands `content` (JSON) to a function of the page, which takes it from its own refresh only."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return f'report.{function}({json.dumps(refresh)},{json.dumps(key)},"{packed(text)}");\n'


def brief(x: Any) -> Any:
    """`x` (JSON) with every float at six significant digits: finer than anything that is drawn, and a third as long."""
    if isinstance(x, float):
        return float(f"{x:.6g}")
    if isinstance(x, dict):
        return {key: brief(inner) for key, inner in x.items()}
    return [brief(inner) for inner in x] if isinstance(x, list | tuple) else x


def cut(context: dict[str, Any]) -> dict[int, Part]:
    """Take what is not of leading systems out of a page's charts (in place), and give it back by index of system.

    A part holds `charts`, to be merged into the page's (keys of objects into places of arrays, arrays behind arrays),
    `rows`, to be set at the end of tables by their `key`, and what the page gives: `choice`, one more of the selector
    with its sentence and table, and `block`, one more titled table.
    """
    parts: dict[int, Part] = defaultdict(dict)
    charts: dict[str, Chart] = context.get("charts", {})
    charts.update(brief(charts))
    for name, chart in list(charts.items()):
        for index, patch in _cut_chart(chart).items():
            parts[index].setdefault("charts", {})[name] = patch
        if chart.get("system", 0) >= LEADING:
            del charts[name]
    for index, choice in context.get("choices", {}).items():
        parts[index]["choice"] = choice
    for index, block in context.get("blocks", {}).items():
        parts[index]["block"] = block
    for table in _tables(context):
        for index, rows in table.rest.items():
            parts[index].setdefault("rows", {})[table.key] = rows
    return dict(parts)


def _cut_chart(chart: Chart) -> dict[int, Chart]:
    """The patches of one chart by index of system; what they hold is gone from it."""
    patches: dict[int, Chart] = {}
    match chart["kind"]:
        case "dots":
            for key, picture in chart["scopes"].items():
                for column in [c for c in ("values", "doubts") if c in picture]:
                    for index, own in enumerate(picture[column][LEADING:], LEADING):
                        pictures = patches.setdefault(index, {"scopes": {}})["scopes"]
                        pictures.setdefault(key, {}).setdefault(column, {})[index] = own
                    del picture[column][LEADING:]
        case "points":
            for series in [s for s in chart["series"] if s["system"] >= LEADING]:
                patches.setdefault(series["system"], {"series": []})["series"].append(series)
            chart["series"] = [s for s in chart["series"] if s["system"] < LEADING]
        case "radar":
            n = sum(index < LEADING for index in chart["members"])
            for index, values in zip(chart["members"][n:], chart["values"][n:], strict=True):
                patches[index] = {"members": [index], "values": [values]}
            del chart["members"][n:], chart["values"][n:]
        case "curve":
            for key, index in [(k, i) for k, i in chart["systems"].items() if i >= LEADING]:
                patches[index] = {"scopes": {key: chart["scopes"].pop(key)}, "systems": {key: index}}
                del chart["systems"][key]
        case "correlation" if chart.get("system", 0) >= LEADING:
            patches[chart["system"]] = dict(chart)
    return patches


def _tables(found: Any) -> Iterator[Table]:
    """Every table in a context, however deep."""
    if isinstance(found, Table):
        yield found
    elif isinstance(found, ScopedTable):
        yield found.table
    elif isinstance(found, dict | list | tuple):
        for inner in found.values() if isinstance(found, dict) else found:
            yield from _tables(inner)


def scripts(pages: dict[str, dict[int, Part]], systems: list[System], refresh: str) -> dict[str, str]:
    """File name under data/ -> its text, one for each system that is not leading; `pages`: page -> what `cut` gave."""
    found = {}
    for system in systems[LEADING:]:
        own = {page: parts[system.index] for page, parts in pages.items() if system.index in parts}
        found[f"system-{system.index}.js"] = script("part", refresh, system.index, own)
    return found
