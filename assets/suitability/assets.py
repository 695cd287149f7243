"""Dagster assets of the slice `suitability`.

Belongs here: read tables, call one pure function, write tables.
Does not belong here: any formula (weights.py, power_mean.py, score.py, sweep.py, published.py).
"""

from collections.abc import Iterator

import dagster as dg
import pandas as pd

from assets.parts import Parts, part_files
from assets.ports import Warehouse
from assets.settings import Settings
from assets.suitability import published
from assets.suitability.draws import joint_draws
from assets.suitability.policies import read_policies
from assets.suitability.score import score
from assets.suitability.sweep import CERTAIN, SAMPLED, Sweep, grid, keep_swept

GROUP = "suitability"
SCORED = {
    "suitability": "Suitability of each AI system for each activity, per scope and policy, from joint draws.",
    "suitability_pooled": "Mean log suitability over the AI systems, per scope, activity and policy.",
    "undefined_weight": "Importance rows that give no weights, with the reason; they have no suitability.",
}
FITTED = [
    ["model", "capability_draw"],
    ["intermediate", "int_capability_importance"],
    ["intermediate", "int_dimension_member"],
    ["staging", "stg_ai_system"],
]
PUBLISHED = [
    ["intermediate", "int_capability_importance"],
    ["seed", "published_capability"],
    ["seed", "seed_dimension"],
]


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=[*FITTED, ["intermediate", "int_policy_activity"], ["seed", "policies"]],
            group_name=GROUP,
            kinds={"python", "numpy"},
            code_version="3",
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
        people=_people(warehouse),
        hidden=_hidden(warehouse),
        border_log=settings.quadrant_suitability_log,
    )
    tables = dict(zip(SCORED, (scores.suitability, scores.pooled, scores.undefined), strict=True))
    warehouse.replace({f"model.{name}": frame for name, frame in tables.items()})
    for name, frame in tables.items():
        yield dg.MaterializeResult(
            asset_key=["model", name],
            metadata={"n_rows": len(frame), "n_undefined_weight": len(scores.undefined)},
        )


@dg.asset(
    key=["model", "suitability_sweep"],
    deps=[
        *FITTED,
        ["intermediate", "int_policy_activity"],
        ["seed", "published_capability"],
        ["seed", "seed_dimension"],
    ],
    group_name=GROUP,
    kinds={"python", "numpy"},
    code_version="3",
    pool="warehouse",
    description="Suitability over a grid of powers and sharpness, of the systems at hand and of Table C6's.",
)
def suitability_sweep(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    """Basis 'fitted': at most `sweep_draws` of the posterior draws; basis 'published_c6': `published_draws`."""
    importance = warehouse.read("intermediate.int_capability_importance")
    draws = warehouse.read("model.capability_draw")
    folder = settings.home / "suitability" / "sweep"
    parts = Parts(folder)
    from_paper = published.published_sweep(
        importance,
        _published_members(warehouse),
        warehouse.read("seed.published_capability"),
        settings.published_draws,
        settings.seed_for,
    )
    swept = {"published_c6": keep_swept(parts, "published_c6", *from_paper)}
    if len(draws):
        joint = joint_draws(draws).thinned(settings.sweep_draws)
        of_systems = Sweep(
            importance,
            warehouse.read("intermediate.int_dimension_member"),
            joint.dimensions,
            grid(["raw", "relative"], [CERTAIN, SAMPLED]),
            settings.seed_for,
            people=_people(warehouse),
            hidden=_hidden(warehouse),
        )
        swept["fitted"] = keep_swept(parts, "fitted", of_systems, joint)
    parts.sweep()
    warehouse.load("model.suitability_sweep", part_files(folder))
    return dg.MaterializeResult(metadata={f"swept_{basis}": systems for basis, systems in swept.items()})


@dg.asset(
    key=["model", "published_suitability"],
    deps=PUBLISHED,
    group_name=GROUP,
    kinds={"python", "numpy"},
    code_version="2",
    pool="warehouse",
    description="Table C9's pooled suitability from Table C6's published means and the importance at hand.",
)
def published_suitability(warehouse: dg.ResourceParam[Warehouse]) -> dg.MaterializeResult:
    """Weighting 'relative' over the published dimensions, whatever dimensions the battery at hand gives."""
    importance = warehouse.read("intermediate.int_capability_importance")
    members = _published_members(warehouse)
    computed = published.published_suitability(
        importance, members, warehouse.read("seed.published_capability")
    )
    warehouse.replace({"model.published_suitability": computed})
    at_hand, in_paper = set(importance["capability"]), set(members["capability"])
    return dg.MaterializeResult(
        metadata={
            "n_rows": len(computed),
            "capabilities_not_published": sorted(at_hand - in_paper),
            "published_capabilities_without_importance": sorted(in_paper - at_hand),
        }
    )


def _hidden(warehouse: Warehouse) -> set[tuple[str, str, str]]:
    cells = warehouse.read("intermediate.int_policy_activity")
    hidden = cells.loc[cells["is_suppressed"], ["scope_type", "scope", "activity"]]
    return set(hidden.itertuples(index=False, name=None))


def _people(warehouse: Warehouse) -> frozenset[str]:
    systems = warehouse.read("staging.stg_ai_system")
    return frozenset(systems.loc[systems["kind"] == "human", "system"])


def _published_members(warehouse: Warehouse) -> pd.DataFrame:
    """dimension, capability of paper Table A3."""
    dimensions = warehouse.read("seed.seed_dimension")
    return dimensions.assign(capability=dimensions["dimension_key"].str.split("|")).explode("capability")
