"""Dagster assets of the battery slice: thin shells around pure functions.

Belongs here: read, call, write, metadata. Does not belong here: any computation (clustering.py, rater_effects.py, dbt).
"""

import dagster as dg
import pandas as pd

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


@dg.asset(
    key=["model", "rater_demand"],
    deps=[
        dg.AssetKey(["staging", "stg_rating"]),
        dg.AssetKey(["intermediate", "int_capability_retention"]),
    ],
    group_name="battery",
    kinds={"python", "pymc"},
    code_version="1",
    pool="warehouse",
    description="Demands as posterior of a rater-effects model; empty unless SUITABILITY_CONSENSUS=posterior.",
)
def rater_demand(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    """Fit the raters' bias and noise to all ratings of retained capabilities, also of items that miss some."""
    from assets.battery import rater_effects

    ratings = pd.DataFrame(columns=[*rater_effects.KEY, "rater", "level"])
    if settings.consensus == "posterior":
        retention = warehouse.read("intermediate.int_capability_retention")
        retained = retention.loc[retention["is_retained"], "capability"]
        rating = warehouse.read("staging.stg_rating")
        ratings = rating.loc[rating["capability"].isin(retained), list(ratings.columns)]
    demand, effects = rater_effects.rater_demand(ratings)
    warehouse.replace({"model.rater_demand": demand})
    by_rater = (
        effects.astype({"bias": float, "noise": float}).groupby("rater")[["bias", "noise"]].mean().round(3)
    )
    return dg.MaterializeResult(
        metadata={
            "consensus": settings.consensus,
            "dagster/row_count": len(demand),
            "bias": by_rater["bias"].to_dict(),
            "noise": by_rater["noise"].to_dict(),
        }
    )
