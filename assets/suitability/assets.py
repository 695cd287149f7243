"""Dagster assets of the slice `suitability`.

Belongs here: read tables, call one pure function, write tables.
Does not belong here: any formula (mapping.py, weights.py).
"""

from collections.abc import Iterator

import dagster as dg

from assets.ports import Warehouse
from assets.settings import Settings
from assets.suitability.mapping import published_suitability as from_published_means
from assets.suitability.mapping import score
from assets.suitability.policies import read_policies

GROUP = "suitability"
SCORED = {
    "suitability": "Suitability of each AI system for each activity, per scope and policy, from joint draws.",
    "suitability_pooled": "Mean log suitability over the AI systems, per scope, activity and policy.",
    "undefined_weight": "Importance rows that give no weights, with the reason; they have no suitability.",
}
INPUTS = [
    ["model", "capability_draw"],
    ["intermediate", "int_capability_importance"],
    ["intermediate", "int_dimension_member"],
    ["seed", "policies"],
]


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=INPUTS,
            group_name=GROUP,
            kinds={"python", "numpy"},
            code_version="1",
            description=description,
        )
        for name, description in SCORED.items()
    ],
    pool="warehouse",
)
def suitability_scores(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """Score every scope × activity × system under every policy of dbt/seeds/policies.csv."""
    scores = score(
        importance=warehouse.read("intermediate.int_capability_importance"),
        members=warehouse.read("intermediate.int_dimension_member"),
        draws=warehouse.read("model.capability_draw"),
        policies=read_policies(warehouse.read("seed.policies")),
        seed_for=settings.seed_for,
    )
    tables = dict(zip(SCORED, (scores.suitability, scores.pooled, scores.undefined), strict=True))
    warehouse.replace({f"model.{name}": frame for name, frame in tables.items()})
    for name, frame in tables.items():
        yield dg.MaterializeResult(
            asset_key=["model", name],
            metadata={"n_rows": len(frame), "n_undefined_weight": len(scores.undefined)},
        )


@dg.asset(
    key=["model", "published_suitability"],
    deps=[
        ["intermediate", "int_capability_importance"],
        ["seed", "published_capability"],
        ["seed", "seed_dimension"],
    ],
    group_name=GROUP,
    kinds={"python", "numpy"},
    code_version="1",
    pool="warehouse",
    description="Table C9's pooled suitability from Table C6's published means and the importance at hand.",
)
def published_suitability(warehouse: dg.ResourceParam[Warehouse]) -> dg.MaterializeResult:
    """Weighting 'relative' over the published dimensions, whatever dimensions the battery at hand gives."""
    importance = warehouse.read("intermediate.int_capability_importance")
    dimensions = warehouse.read("seed.seed_dimension")
    members = dimensions.assign(capability=dimensions["dimension_key"].str.split("|")).explode("capability")
    computed = from_published_means(importance, members, warehouse.read("seed.published_capability"))
    warehouse.replace({"model.published_suitability": computed})
    at_hand, published = set(importance["capability"]), set(members["capability"])
    return dg.MaterializeResult(
        metadata={
            "n_rows": len(computed),
            "capabilities_not_published": sorted(at_hand - published),
            "published_capabilities_without_importance": sorted(published - at_hand),
        }
    )
