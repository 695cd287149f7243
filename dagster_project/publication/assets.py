"""The Dagster asset of the publication: it waits for every mart and for every blocking check on them.

Belongs here: wiring only. Does not belong here: how marts are copied and swapped (publish.py).
"""

import hashlib

import dagster as dg

from assets.step import Made, Step, table_assets
from dagster_project.dbt_build.dbt_nodes import DbtNodes
from dagster_project.publication.publish import marts_of, publish


def build_published_marts(nodes: DbtNodes) -> dg.AssetsDefinition:
    """The asset `published/marts`, downstream of each mart of dbt's project."""
    marts = marts_of(nodes)

    @table_assets(
        group="warehouse",
        kinds=["duckdb", "parquet"],
        reads=[f"marts.{mart.name}" for mart in marts],
        writes={
            "published.marts": "The marts as people read them: one DuckDB file and a Parquet file each, swapped in "
            "atomically."
        },
        # descriptions are published as comments
        salt=hashlib.sha256(repr(marts).encode()).hexdigest()[:16],
    )
    def published_marts(step: Step) -> Made:
        settings = step.settings
        rows = publish(step.warehouse, settings.published, marts, run_id=step.context.run.run_id)  # type: ignore[arg-type]
        return Made(
            # the DuckDB file and the Parquet files beside it
            files={"published.marts": settings.published / "*.*"},
            metadata={"": {"path": str(settings.published_path), "rows": rows}},
        )

    return published_marts
