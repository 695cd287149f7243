"""Dagster assets of the slice `propensity`: thin shells around pure functions.

Belongs here: read, call, hand over, metadata. Does not belong here: any computation (estimate.py, assessor.py, dbt).
"""

from assets.propensity.assessor import assess_collections
from assets.propensity.estimate import estimate
from assets.step import Made, Step, table_assets

GROUP = "propensity"
RESPONSES = "intermediate.int_propensity_response"
OUTCOMES = "intermediate.int_assessor_response"
FEATURES = "intermediate.int_propensity_feature"
BOUNDS = {"lower_bound": "lower", "upper_bound": "upper"}
ESTIMATED = {
    "estimate.propensity_position": "Where each system stands on each propensity scale under each incitation.",
    "estimate.propensity_band_fit": "Success observed and fitted, per system, incitation and band.",
}
ASSESSED = {
    "estimate.assessor": "How well forests predict success from demands, without and with propensities.",
    "estimate.assessor_system": "What propensities add to that for each system.",
    "estimate.assessor_gain": "What they add over systems, with the signed-rank test.",
}


@table_assets(group=GROUP, writes=ESTIMATED, reads=[RESPONSES], kinds=["python", "numpy"])
def propensity_position(step: Step) -> Made:
    """Fit every system × propensity × incitation; no responses give empty tables."""
    found = estimate(
        step.read(RESPONSES).rename(columns=BOUNDS),
        open_ends=step.settings.open_ends,
        lapse=step.settings.lapse,
        free_slope=step.settings.propensity_slope == "free",
    )
    printed = {own: name for name, own in BOUNDS.items()}
    tables = dict(zip(ESTIMATED, (found.position, found.fitted.rename(columns=printed)), strict=True))
    n_saturated = int(found.position["is_saturated"].astype(bool).sum())
    return Made(tables, metadata={"": {"n_saturated": n_saturated}})


@table_assets(group=GROUP, writes=ASSESSED, reads=[OUTCOMES, FEATURES], kinds=["python", "scikitlearn"])
def assessor(step: Step) -> Made:
    """Assess every system, unprompted or under every incitation; no responses give empty tables."""
    responses, settings = step.read(OUTCOMES), step.settings
    if settings.assessor_incitations == "unprompted":
        responses = responses[responses["incitation"] == "none"]
    found = assess_collections(
        responses,
        step.read(FEATURES),
        settings.assessor_trees,
        settings.seed_for,
        step.home / "propensity" / "assessor",
        settings.assessor_benchmarks,
        settings.assessor_propensities,
    )
    tables = dict(zip(ASSESSED, (found.assessor, found.by_system, found.gain), strict=True))
    return Made(tables, metadata={"": {"n_trees": settings.assessor_trees}})
