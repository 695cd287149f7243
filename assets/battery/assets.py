"""Dagster assets of the battery slice: thin shells around pure functions.

Belongs here: read, call, write, metadata. Does not belong here: any computation (clustering.py, dbt).
"""

import dagster as dg

from assets.battery.clustering import dimension_members
from assets.ports import Warehouse
from assets.settings import Settings


@dg.asset(
    key=["model", "dimension_member"],
    deps=[dg.AssetKey(["intermediate", "int_capability_correlation"])],
    group_name="battery",
    kinds={"python", "scipy"},
    code_version="1",
    pool="warehouse",
    description="Clusters of capabilities that the battery demands together (average linkage on 1 - r).",
)
def dimension_member(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    """Cluster the retained capabilities; an empty battery gives an empty table."""
    correlation = warehouse.read("intermediate.int_capability_correlation")
    members = dimension_members(correlation, settings.cluster_cut)
    warehouse.replace({"model.dimension_member": members})
    diagonal = correlation[correlation["capability_a"] == correlation["capability_b"]]
    return dg.MaterializeResult(
        metadata={
            "n_capabilities": len(members),
            "n_dimensions": members["dimension_key"].nunique(),
            "dimensions": ", ".join(members["dimension_key"].unique()),
            "capabilities_that_never_vary": ", ".join(diagonal.loc[diagonal["r"].isna(), "capability_a"]),
            "cluster_cut": settings.cluster_cut,
        }
    )
