"""The raw asset of other indices of AI use.

Belongs here: a thin Dagster asset. Does not belong here: reading (readers/) or judging (dbt staging).
"""

import dagster as dg

from assets.ports import Warehouse
from assets.settings import Settings
from assets.sources.folder import sources_folder
from assets.sources.outcome import faults_as_failure, reading_result
from assets.sources.readers import read_comparison


@dg.asset(
    key=["raw", "index_value"],
    deps=[["file", "comparison"]],
    group_name="adoption",
    kinds={"python", "duckdb"},
    code_version="1",
    pool="warehouse",
)
def index_value(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    """What other indices of AI use found, as it came: a row a value, all TEXT."""
    with faults_as_failure():
        reading = read_comparison(sources_folder(settings))
    warehouse.replace(reading.frames)
    return reading_result(reading, "raw.index_value")
