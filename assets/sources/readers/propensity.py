"""propensity/ -> raw.propensity_item, propensity_demand (items with their bands), propensity_band and _response.

Belongs here: the columns of these files. Does not belong here: what a bound, a choice or an incitation means (staging).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from assets.common.names import clean_name
from assets.sources.errors import SourceError
from assets.sources.inputs import BY_NAME
from assets.sources.readers.folder import Columns, Parsed, Reading, provenance, read_folder
from assets.sources.readers.ratings import capability_aliases
from assets.sources.readers.text import Table, require_columns, with_known_columns

ITEMS = BY_NAME["propensity_items"].location
BANDS = BY_NAME["propensity_bands"].location
RESPONSES = BY_NAME["propensity_responses"].location
OPTIONS = ("option_a", "option_b", "option_c")
ITEM_COLUMNS = ("item_id", "propensity", "benchmark", "prompt", *OPTIONS, "correct", "lower", "upper")
BAND_COLUMNS = ("benchmark", "item", "propensity", "lower", "upper")
RESPONSE_COLUMNS = ("system", "item_id", "propensity", "incitation", "option", "is_correct")


def read_propensity_items(sources: Path) -> Reading:
    """raw.propensity_item, a row a line, and raw.propensity_demand, a row a line × capability column.

    Capability columns, by name or acronym, are optional. A line that can't be used is left to staging, which says why.

    Raises:
        SourceError: as `read_folder`; missing or doubled columns; two columns of one capability.
    """
    return read_folder(sources, ITEMS, ["raw.propensity_item", "raw.propensity_demand"], _parse_items)


def read_propensity_bands(sources: Path) -> Reading:
    """raw.propensity_band: a row a line; the file's stem is the rater.

    Raises:
        SourceError: as `read_folder`; missing or doubled columns.
    """
    return read_folder(sources, BANDS, ["raw.propensity_band"], _parse_bands)


def read_propensity_responses(sources: Path) -> Reading:
    """raw.propensity_response: a row a line.

    Raises:
        SourceError: as `read_folder`; missing or doubled columns.
    """
    return read_folder(sources, RESPONSES, ["raw.propensity_response"], _parse_responses)


def _parse_items(table: Table, _stem: str) -> Parsed:
    aliases = capability_aliases()
    # an acronym in small letters may be anything ('ms', 'p')
    table = with_known_columns(
        table, (*ITEM_COLUMNS, *(name for name in aliases if name not in aliases.values()))
    )
    require_columns(table, ITEM_COLUMNS)
    renamed = {"item": "item_id", "lower_bound": "lower", "upper_bound": "upper"}
    keys = {"item": table.key("item_id"), "propensity": table.key("propensity")}
    rest = {name: table.column(name) for name in ("prompt", *OPTIONS)} | {"correct": table.key("correct")}
    bounds = {name: table.key(renamed[name]) for name in ("lower_bound", "upper_bound")}
    item = provenance(table) | keys | {"benchmark": table.key("benchmark")} | rest | bounds
    capabilities = _capability_columns(table, aliases)
    taken = {*ITEM_COLUMNS, *capabilities.values()}
    ignored = [name or "(no name)" for name in table.header if name not in taken]
    demand: Columns = {
        name: np.tile(cells, len(capabilities)) for name, cells in (provenance(table) | keys).items()
    } | {
        "capability": np.repeat(np.array(list(capabilities), dtype=object), len(table.rows)),
        "level": np.concatenate([np.array([], dtype=object), *map(table.column, capabilities.values())]),
    }
    return Parsed({"raw.propensity_item": item, "raw.propensity_demand": demand}, ignored)


def _capability_columns(table: Table, aliases: Mapping[str, str]) -> dict[str, str]:
    """Acronym -> the column that holds it."""
    columns: dict[str, str] = {}
    faults = []
    for name in table.header:
        acronym = aliases.get(name)
        if acronym in columns:
            what = f"'{columns[acronym]}' is the same capability"
            faults.append(table.fault(what, row=1, column=name, do="Keep one of the columns"))
        elif acronym is not None:
            columns[acronym] = name
    if faults:
        raise SourceError(faults)
    return columns


def _parse_bands(table: Table, stem: str) -> Parsed:
    table = with_known_columns(table, BAND_COLUMNS)
    require_columns(table, BAND_COLUMNS)
    columns = provenance(table) | {
        "rater": np.full(len(table.rows), clean_name(stem), dtype=object),
        "benchmark": table.key("benchmark"),
        "item": table.key("item"),
        "propensity": table.key("propensity"),
        "lower_bound": table.key("lower"),
        "upper_bound": table.key("upper"),
    }
    ignored = [name or "(no name)" for name in table.header if name not in BAND_COLUMNS]
    return Parsed({"raw.propensity_band": columns}, ignored)


def _parse_responses(table: Table, _stem: str) -> Parsed:
    table = with_known_columns(table, RESPONSE_COLUMNS)
    require_columns(table, RESPONSE_COLUMNS)
    columns = provenance(table) | {
        "system": table.key("system"),
        "item": table.key("item_id"),
        "propensity": table.key("propensity"),
        "incitation": table.key("incitation"),
        "chosen": table.key("option"),
        "is_correct": table.key("is_correct"),
    }
    ignored = [name or "(no name)" for name in table.header if name not in RESPONSE_COLUMNS]
    return Parsed({"raw.propensity_response": columns}, ignored)
