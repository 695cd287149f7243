"""The raw assets of propensities: items with their bands, and what systems chose.

Belongs here: thin Dagster assets. Does not belong here: reading (readers/propensity.py), or what language models
answered (assets/propensity).
"""

from collections.abc import Iterator

import dagster as dg

from assets.ports import Warehouse
from assets.settings import Settings
from assets.sources.folder import sources_folder
from assets.sources.outcome import faults_as_failure, reading_result
from assets.sources.readers import read_propensity_items, read_propensity_responses

ITEM_TABLES = {
    "propensity_item": "Items with ideal bands on propensity scales as they came: a row a line, all TEXT.",
    "propensity_demand": "What those items demand of capabilities as it came: a row a line × capability, all TEXT.",
}


@dg.multi_asset(
    name="propensity_items",
    specs=[
        dg.AssetSpec(
            ["raw", name],
            deps=[["file", "propensity_items"]],
            group_name="propensity",
            kinds={"python", "duckdb"},
            code_version="1",
            description=description,
        )
        for name, description in ITEM_TABLES.items()
    ],
    pool="warehouse",
)
def propensity_items(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    with faults_as_failure():
        reading = read_propensity_items(sources_folder(settings))
    warehouse.replace(reading.frames)
    for table in reading.frames:
        yield reading_result(reading, table)


@dg.asset(
    key=["raw", "propensity_response"],
    deps=[["file", "propensity_responses"]],
    group_name="propensity",
    kinds={"python", "duckdb"},
    pool="warehouse",
    code_version="1",
    description="What systems chose under each incitation as it came: a row a line, all TEXT.",
)
def propensity_response(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    with faults_as_failure():
        reading = read_propensity_responses(sources_folder(settings))
    warehouse.replace(reading.frames)
    return reading_result(reading, "raw.propensity_response")
