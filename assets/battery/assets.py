"""Dagster assets of the battery slice: thin shells around pure functions.

Belongs here: read, call, write, metadata. Does not belong here: any computation (annotation.py, clustering.py,
rater_effects.py, selection.py, dbt).
"""

from collections.abc import Iterator

import dagster as dg
import pandas as pd

from assets.battery.annotation import AnnotationError, answers_of, read_annotation, refuse_same_names
from assets.battery.clustering import dimension_members
from assets.battery.selection import select, total_variation
from assets.llm import read_roles
from assets.llm.outcome import collected_result, faults_as_failure
from assets.ports import Warehouse, declared_tables
from assets.rubric_text import RubricError
from assets.settings import Settings


@dg.asset(
    key=["raw", "annotation"],
    deps=[
        ["raw", "item"], ["raw", "source_file"], ["file", "roles"], ["file", "rubrics"], ["file", "ledger"],
    ],
    group_name="battery",
    kinds={"python", "sqlite"},
    code_version="1",
    pool="warehouse",
    description="What language models answered about the demands of items, cell by cell; sends nothing.",
)  # fmt: skip
def annotation(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    """Collect answers from the ledger; no rows without items or without raters in llm.toml."""
    files = warehouse.read("raw.source_file")
    with faults_as_failure(AnnotationError, RubricError):
        raters = read_roles(settings).of("rater")
        refuse_same_names(raters, files.loc[files["input"] == "ratings", "source_file"])
        frame = read_annotation(warehouse.read("raw.item"), raters, settings)
    warehouse.replace({"raw.annotation": frame})
    return collected_result("raw.annotation", frame, "cells", answers_of(frame))


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


SELECTION = {
    "battery_selection": "Items chosen for a battery of the size asked; empty where none was.",
    "battery_selection_benchmark": "How many items of each benchmark that takes.",
    "battery_selection_level": "Levels that the battery was to have, and has.",
}


@dg.multi_asset(
    name="battery_selection",
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=[["intermediate", "int_item_level"]],
            group_name="battery",
            kinds={"python", "scipy"},
            code_version="1",
            description=description,
        )
        for name, description in SELECTION.items()
    ],
    pool="warehouse",
)
def battery_selection(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """Choose `settings.selection_items` items; unset, or without ratings, the tables stand empty."""
    frames = {name: pd.DataFrame(columns=list(declared_tables()[f"model.{name}"])) for name in SELECTION}
    metadata: dict[str, str | float] = {}
    levels = warehouse.read("intermediate.int_item_level") if settings.selection_items else pd.DataFrame()
    if settings.selection_items and len(levels):
        found = select(levels, settings.selection_items, settings)
        mark = {"selection_sha256": found.digest}
        frames = {
            "battery_selection": found.items.assign(**mark),
            "battery_selection_benchmark": found.benchmarks.assign(**mark, relaxed=found.relaxed),
            "battery_selection_level": found.levels,
        }
        metadata = {
            "relaxed": found.relaxed or "nothing",
            "total_variation": total_variation(found.levels, "achieved_share"),
            "total_variation_if_proportional": total_variation(found.levels, "proportional_share"),
        }
    warehouse.replace({f"model.{name}": frame for name, frame in frames.items()})
    for name, frame in frames.items():
        yield dg.MaterializeResult(
            asset_key=["model", name], metadata={"dagster/row_count": len(frame), **metadata}
        )
