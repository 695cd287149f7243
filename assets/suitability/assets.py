"""Dagster assets of the slice `suitability`.

Belongs here: read tables, call one pure function, hand over tables.
Does not belong here: any formula (weights.py, power_mean.py, score.py, sweep.py, paper_figures.py).
"""

import pandas as pd

from assets.common.warehouse import Files
from assets.parts import KeptParts, part_files
from assets.step import Made, Step, table_assets
from assets.suitability import paper_figures
from assets.suitability.draws import joint_draws
from assets.suitability.importance import informed
from assets.suitability.policies import read_policies
from assets.suitability.score import score
from assets.suitability.sweep import CERTAIN, SAMPLED, Sweep, grid, keep_swept

GROUP = "suitability"
KINDS = ("python", "numpy")
SCORED = {
    "estimate.suitability": "Suitability of each AI system for each activity, per scope and policy, from joint draws.",
    "estimate.suitability_pooled": "Mean log suitability over the AI systems, per scope, activity and policy.",
    "estimate.undefined_weight": "Importance rows that give no weights, with the reason; they have no suitability.",
}
DRAWS = "estimate.capability_draw"
IMPORTANCE = "intermediate.int_disclosed_capability_importance"
MEMBERS = "intermediate.int_dimension_member"
SYSTEMS = "staging.stg_ai_system"
POLICIES = "staging.stg_policy"
PUBLISHED = ("seed.published_capability", "seed.seed_dimension")


@table_assets(group=GROUP, writes=SCORED, reads=[DRAWS, IMPORTANCE, MEMBERS, SYSTEMS, POLICIES], kinds=KINDS)
def suitability_scores(step: Step) -> Made:
    """Score every scope × activity × system under every policy of dbt/seeds/policies.csv."""
    scores = score(
        importance=_importance(step),
        members=step.read(MEMBERS),
        draws=step.read(DRAWS),
        policies=read_policies(step.read(POLICIES)),
        seed_for=step.settings.seed_for,
        people=_people(step),
        border_log=step.settings.quadrant_suitability_log,
        fixed_median=step.settings.quadrant_median == "fixed",
    )
    tables = dict(zip(SCORED, (scores.suitability, scores.pooled, scores.undefined), strict=True))
    return Made(tables, metadata={"": {"n_undefined_weight": len(scores.undefined)}})


@table_assets(
    group=GROUP,
    writes={
        "estimate.suitability_sweep": "Suitability over a grid of powers and sharpness, of the systems at hand and of "
        "Table C6's."
    },
    reads=[DRAWS, IMPORTANCE, MEMBERS, SYSTEMS, *PUBLISHED],
    kinds=KINDS,
)
def suitability_sweep(step: Step) -> Made:
    """Basis 'fitted': at most `sweep_draws` of the posterior draws; basis 'published_c6': `published_draws`."""
    importance, draws = _importance(step), step.read(DRAWS)
    folder = step.home / "suitability" / "sweep"
    kept = KeptParts(folder)
    from_paper = paper_figures.published_sweep(
        importance,
        _published_members(step),
        step.read("seed.published_capability"),
        step.settings.published_draws,
        step.settings.seed_for,
    )
    swept = {"published_c6": keep_swept(kept, "published_c6", *from_paper)}
    if len(draws):
        joint = joint_draws(draws).thinned(step.settings.sweep_draws)
        of_systems = Sweep(
            importance,
            step.read(MEMBERS),
            joint.dimensions,
            grid(["raw", "relative"], [CERTAIN, SAMPLED]),
            step.settings.seed_for,
            people=_people(step),
        )
        swept["fitted"] = keep_swept(kept, "fitted", of_systems, joint)
    kept.sweep()
    return Made(
        {"estimate.suitability_sweep": Files(part_files(folder))},
        metadata={"": {f"swept_{basis}": systems for basis, systems in swept.items()}},
    )


@table_assets(
    group=GROUP,
    writes={
        "estimate.published_suitability": "Table C9's pooled suitability from Table C6's published means and the "
        "importance at hand."
    },
    reads=[IMPORTANCE, *PUBLISHED],
    kinds=KINDS,
)
def published_suitability(step: Step) -> Made:
    """Weighting 'relative' over the published dimensions, whatever dimensions the battery at hand gives."""
    importance, members = step.read(IMPORTANCE), _published_members(step)
    computed = paper_figures.published_suitability(
        importance, members, step.read("seed.published_capability")
    )
    at_hand, in_paper = set(importance["capability"]), set(members["capability"])
    told = {
        "capabilities_not_published": sorted(at_hand - in_paper),
        "published_capabilities_without_importance": sorted(in_paper - at_hand),
    }
    return Made({"estimate.published_suitability": computed}, metadata={"": told})


def _importance(step: Step) -> pd.DataFrame:
    return informed(step.read(IMPORTANCE), step.settings.interview_concentration)


def _people(step: Step) -> frozenset[str]:
    systems = step.read(SYSTEMS)
    return frozenset(systems.loc[systems["kind"] == "human", "system"])


def _published_members(step: Step) -> pd.DataFrame:
    """dimension, capability of paper Table A3."""
    dimensions = step.read("seed.seed_dimension")
    return dimensions.assign(capability=dimensions["dimension_key"].str.split("|")).explode("capability")
