"""The raw assets of the world of occupations: O*NET, employment and wages.

Belongs here: thin Dagster assets. Does not belong here: reading (readers/) or judging (expectations/, dbt staging).
"""

from collections.abc import Iterator

import dagster as dg

from assets.ports import Warehouse
from assets.settings import Settings
from assets.sources.folder import sources_folder
from assets.sources.outcome import faults_as_failure, reading_result
from assets.sources.readers import read_oews, read_onet

ONET = {
    "onet_release": "The release of O*NET and the taxonomy of its codes.",
    "onet_occupation": "Occupations as they came: a row a line, all TEXT.",
    "onet_task": "Task statements as they came: a row a line, all TEXT.",
    "onet_task_dwa": "Detailed work activities of tasks as they came.",
    "onet_iwa": "Intermediate work activities as they came.",
    "onet_dwa": "Detailed work activities as they came.",
    "onet_element": "Names of the content model's elements as they came.",
    "onet_skill": "Skills of occupations as they came.",
    "onet_technology_skill": "Technology that occupations use, as it came.",
    "onet_job_zone": "Job zones as they came.",
}
OEWS = {
    "oews": "National employment and wages as they came: a row an occupation, all TEXT.",
    "oews_crosswalk": "From O*NET's codes to those of OEWS, as it came.",
}


def _specs(tables: dict[str, str], file: str) -> list[dg.AssetSpec]:
    return [
        dg.AssetSpec(
            ["raw", name],
            deps=[["file", file]],
            group_name="adoption",
            kinds={"python", "duckdb"},
            code_version="1",
            description=description,
        )
        for name, description in tables.items()
    ]


@dg.multi_asset(specs=_specs(ONET, "onet"), pool="warehouse")
def onet(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """Read the text release."""
    with faults_as_failure():
        reading = read_onet(sources_folder(settings))
    warehouse.replace(reading.frames)
    for name in ONET:
        yield reading_result(reading, f"raw.{name}")


@dg.multi_asset(specs=_specs(OEWS, "oews"), pool="warehouse")
def oews(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """Read employment, wages and the crosswalk."""
    with faults_as_failure():
        reading = read_oews(sources_folder(settings))
    warehouse.replace(reading.frames)
    for name in OEWS:
        yield reading_result(reading, f"raw.{name}")
