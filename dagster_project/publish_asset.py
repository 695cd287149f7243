"""The Dagster asset of the publication: it waits for every mart and for every blocking check on them.

Belongs here: wiring only. Does not belong here: how marts are copied and swapped (publish.py).
"""

from pathlib import Path

import dagster as dg

from assets.ports import Warehouse
from assets.settings import Settings
from assets.sources.partial import finish
from dagster_project.publish import marts_from_manifest, publish


def build_published_marts(manifest_path: Path) -> dg.AssetsDefinition:
    """The asset `published/marts`, downstream of each mart in dbt's manifest."""
    marts = marts_from_manifest(manifest_path)

    @dg.asset(
        key=["published", "marts"],
        deps=[dg.AssetKey(["marts", mart.name]) for mart in marts],
        pool="warehouse",
        group_name="warehouse",
        kinds={"duckdb", "parquet"},
        code_version="1",
        description="The marts as people read them: one DuckDB file and a Parquet file each, swapped in atomically.",
    )
    def published_marts(
        context: dg.AssetExecutionContext,
        warehouse: dg.ResourceParam[Warehouse],
        settings: dg.ResourceParam[Settings],
    ) -> dg.MaterializeResult:
        rows = publish(warehouse, settings.published, marts, run_prefix=context.run.run_id[:8])  # type: ignore[arg-type]
        finish(settings.home)
        return dg.MaterializeResult(
            metadata={
                "path": dg.MetadataValue.path(str(settings.published_path)),
                "rows": dg.MetadataValue.table(
                    [dg.TableRecord({"mart": name, "rows": count}) for name, count in rows.items()],
                    schema=dg.TableSchema([dg.TableColumn("mart"), dg.TableColumn("rows", "int")]),
                ),
            }
        )

    return published_marts
