"""Dagster assets of the battery slice: thin shells around pure functions.

Belongs here: read, call, hand over, metadata. Does not belong here: any computation (annotation.py, clustering.py,
rater_effects.py, selection.py, dbt).
"""

import pandas as pd

from assets.battery.annotation import (
    AnnotationError,
    read_annotation,
    read_text_annotation,
    refuse_same_names,
)
from assets.battery.clustering import dimension_members
from assets.battery.selection import select, total_variation
from assets.common.item_use import askable_items
from assets.common.rubric_text import RubricError
from assets.common.warehouse import declared_tables
from assets.llm import read_roles
from assets.llm.outcome import by_status, faults_as_failure
from assets.step import Made, Step, table_assets

GROUP = "battery"


@table_assets(
    group=GROUP,
    writes={
        "raw.annotation": "What language models answered about the demands of items, cell by cell; sends nothing."
    },
    reads=["raw.item", "raw.source_file"],
    inputs=["roles", "rubrics", "names", "ledger"],
    kinds=["python", "sqlite"],
)
def annotation(step: Step) -> Made:
    """Collect answers from the ledger; no rows without items or without raters in llm.toml."""
    files = step.read("raw.source_file")
    with faults_as_failure(AnnotationError, RubricError):
        raters = read_roles(step.settings).of("rater")
        refuse_same_names(raters, files.loc[files["input"] == "ratings", "source_file"])
        frame = read_annotation(askable_items(step.read("raw.item")), raters, step.settings)
    return Made({"raw.annotation": frame}, metadata={"": by_status(frame, "cells")})


@table_assets(
    group=GROUP,
    writes={
        "raw.propensity_annotation": "What language models answered about the demands of three-option items; sends "
        "nothing."
    },
    reads=["raw.propensity_text"],
    inputs=["roles", "rubrics", "names", "ledger"],
    kinds=["python", "sqlite"],
)
def propensity_annotation(step: Step) -> Made:
    """Collect answers from the ledger; no rows without items or without raters in llm.toml."""
    with faults_as_failure(AnnotationError, RubricError):
        raters = read_roles(step.settings).of("rater")
        frame = read_text_annotation(step.read("raw.propensity_text"), raters, step.settings)
    return Made({"raw.propensity_annotation": frame}, metadata={"": by_status(frame, "cells")})


@table_assets(
    group=GROUP,
    writes={
        "estimate.dimension_member": "Clusters of capabilities that the battery demands together (average linkage "
        "on 1 - r)."
    },
    reads=["intermediate.int_capability_correlation"],
    kinds=["python", "scipy"],
)
def dimension_member(step: Step) -> Made:
    """Cluster the retained capabilities; an empty battery gives an empty table."""
    correlation = step.read("intermediate.int_capability_correlation")
    members = dimension_members(correlation, step.settings.cluster_cut)
    diagonal = correlation[correlation["capability_a"] == correlation["capability_b"]]
    told = {
        "n_capabilities": len(members),
        "n_dimensions": members["dimension_key"].nunique(),
        "dimensions": ", ".join(members["dimension_key"].unique()),
        "capabilities_that_never_vary": ", ".join(diagonal.loc[diagonal["r"].isna(), "capability_a"]),
        "cluster_cut": step.settings.cluster_cut,
    }
    return Made({"estimate.dimension_member": members}, metadata={"": told})


@table_assets(
    group=GROUP,
    writes={
        "estimate.rater_demand": "Demands as posterior of a rater-effects model; empty unless "
        "SUITABILITY_CONSENSUS=posterior."
    },
    reads=["staging.stg_rating", "intermediate.int_capability_retention"],
    kinds=["python", "pymc"],
)
def rater_demand(step: Step) -> Made:
    """Fit the raters' bias and noise to all ratings of retained capabilities, also of items that miss some."""
    from assets.battery import rater_effects

    ratings = pd.DataFrame(columns=[*rater_effects.KEY, "rater", "level"])
    if step.settings.consensus == "posterior":
        retention = step.read("intermediate.int_capability_retention")
        retained = retention.loc[retention["is_retained"], "capability"]
        rating = step.read("staging.stg_rating")
        ratings = rating.loc[rating["capability"].isin(retained), list(ratings.columns)]
    demand, effects = rater_effects.rater_demand(ratings)
    by_rater = (
        effects.astype({"bias": float, "noise": float}).groupby("rater")[["bias", "noise"]].mean().round(3)
    )
    told = {
        "consensus": step.settings.consensus,
        "bias": by_rater["bias"].to_dict(),
        "noise": by_rater["noise"].to_dict(),
    }
    return Made({"estimate.rater_demand": demand}, metadata={"": told})


SELECTION = {
    "estimate.battery_selection": "Items chosen for a battery of the size asked; empty where none was.",
    "estimate.battery_sample": "Items whose ratings set the target of that battery: those to be rated first.",
    "estimate.battery_selection_benchmark": "How many items of each benchmark that takes.",
    "estimate.battery_selection_level": "Levels that the battery was to have, and has.",
}
AVAILABLE, LEVELS = "intermediate.int_available_item", "intermediate.int_item_level"


@table_assets(group=GROUP, writes=SELECTION, reads=[AVAILABLE, LEVELS], kinds=["python", "scipy"])
def battery_selection(step: Step) -> Made:
    """Choose `settings.selection_items` of the available items; unset, or without items, the tables are empty."""
    frames = {name: pd.DataFrame(columns=list(declared_tables()[name])) for name in SELECTION}
    told: dict[str, str | float] = {}
    n_items = step.settings.selection_items
    available = step.read(AVAILABLE) if n_items else pd.DataFrame()
    if n_items and len(available):
        found = select(available, step.read(LEVELS), n_items, step.settings)
        mark = {"selection_sha256": found.digest}
        made = (
            found.items.assign(**mark),
            found.sample,
            found.benchmarks.assign(**mark, relaxed=found.relaxed),
            found.levels,
        )
        frames = dict(zip(SELECTION, made, strict=True))
        told = {
            "relaxed": found.relaxed or "nothing",
            "total_variation": total_variation(found.levels, "expected_share"),
            "total_variation_if_proportional": total_variation(found.levels, "proportional_share"),
        }
    return Made(frames, metadata={"": told})
