"""What Dagster's UI shows of every asset: owner, group, columns, and how old the marts may be.

Belongs here: attributes that follow one rule for all assets. Does not belong here: descriptions and kinds (where the
asset is made), rows and reasons (written as it is made).
"""

from collections.abc import Mapping
from datetime import timedelta

import dagster as dg

from assets.settings import Settings
from assets.slices import group_of
from assets.versions import KEPT
from dagster_project.dbt_build.dbt_nodes import Columns, DbtNodes

PUBLISHED = dg.AssetKey(["published", "marts"])
SCHEMA = "dagster/column_schema"
# Of the marts as a whole: a refresh makes only what changed, so an old mart is no stale one. The schedule looks each
# night, and confirms the publication where nothing is due.
FRESH = dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=36), warn_window=timedelta(hours=26))


def with_attributes(asset: dg.AssetsDefinition, settings: Settings, nodes: DbtNodes) -> dg.AssetsDefinition:
    """The same asset with owner, group, columns and freshness policy."""

    def mapped(spec: dg.AssetSpec) -> dg.AssetSpec:
        name = ".".join(spec.key.path)
        columns = nodes.tables[name].columns if name in nodes.tables else nodes.sources.get(name)
        return spec.replace_attributes(
            owners=[settings.owner],
            group_name=group_of(spec.group_name or ""),
            metadata={**spec.metadata, SCHEMA: table_schema(columns)} if columns else spec.metadata,
            freshness_policy=FRESH if spec.key == PUBLISHED else None,
        )

    return asset.map_asset_specs(mapped)


def table_schema(columns: Columns) -> dg.TableSchema:
    """Columns as dbt's YAML declares them."""
    return dg.TableSchema(
        [
            dg.TableColumn(
                name, column.get("data_type") or "?", description=column.get("description") or None
            )
            for name, column in columns.items()
        ]
    )


def confirm_publication(instance: dg.DagsterInstance) -> None:
    """Report the publication as made again, where a look found that nothing it follows from has changed.

    Dagster judges freshness by materialisations alone: without this, marts would turn stale by lying still.
    """
    last = instance.get_latest_materialization_event(PUBLISHED)
    made = last.asset_materialization if last else None
    if made is None:
        return
    metadata: Mapping[str, object] = {KEPT: True, "reason": "nothing that it follows from has changed"}
    # tags say what it was made from, which is what it would be made from now
    instance.report_runless_asset_event(
        dg.AssetMaterialization(PUBLISHED, metadata=metadata, tags=made.tags)  # type: ignore[arg-type]
    )
