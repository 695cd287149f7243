"""Dagster assets of the slice `propensity`: thin shells around pure functions.

Belongs here: read, call, write, metadata. Does not belong here: any computation (estimate.py, assessor.py, dbt).
"""

from collections.abc import Iterator

import dagster as dg

from assets.ports import Warehouse
from assets.propensity.assessor import assess
from assets.propensity.estimate import estimate
from assets.settings import Settings

GROUP = "propensity"
RESPONSES = ["intermediate", "int_propensity_response"]
FEATURES = ["intermediate", "int_propensity_feature"]
BOUNDS = {"lower_bound": "lower", "upper_bound": "upper"}
ESTIMATED = {
    "propensity_position": "Where each system stands on each propensity scale under each incitation.",
    "propensity_band_fit": "Success observed and fitted, per system, incitation and band.",
}
ASSESSED = {
    "assessor": "How well forests predict success from demands, without and with propensities.",
    "assessor_system": "What propensities add to that for each system.",
    "assessor_gain": "What they add over systems, with the signed-rank test.",
}


@dg.multi_asset(
    name="propensity_position",
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=[RESPONSES],
            group_name=GROUP,
            kinds={"python", "numpy"},
            code_version="1",
            description=description,
        )
        for name, description in ESTIMATED.items()
    ],
    pool="warehouse",
)
def propensity_position(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """Fit every system × propensity × incitation; no responses give empty tables."""
    found = estimate(
        warehouse.read("intermediate.int_propensity_response").rename(columns=BOUNDS),
        open_ends=settings.open_ends,
        lapse=settings.lapse,
        free_slope=settings.propensity_slope == "free",
    )
    printed = {own: name for name, own in BOUNDS.items()}
    frames = dict(zip(ESTIMATED, (found.position, found.fitted.rename(columns=printed)), strict=True))
    warehouse.replace({f"model.{name}": frame for name, frame in frames.items()})
    n_saturated = int(found.position["is_saturated"].astype(bool).sum())
    for name, frame in frames.items():
        yield dg.MaterializeResult(
            asset_key=["model", name],
            metadata={"dagster/row_count": len(frame), "n_saturated": n_saturated},
        )


@dg.multi_asset(
    name="assessor",
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=[RESPONSES, FEATURES],
            group_name=GROUP,
            kinds={"python", "scikitlearn"},
            code_version="1",
            description=description,
        )
        for name, description in ASSESSED.items()
    ],
    pool="warehouse",
)
def assessor(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """Assess every system, unprompted or under every incitation; no responses give empty tables."""
    responses = warehouse.read("intermediate.int_propensity_response")
    if settings.assessor_incitations == "unprompted":
        responses = responses[responses["incitation"] == "none"]
    features = warehouse.read("intermediate.int_propensity_feature")
    folder = settings.home / "propensity" / "assessor"
    found = assess(responses, features, settings.assessor_trees, settings.seed_for, folder)
    frames = dict(zip(ASSESSED, (found.assessor, found.by_system, found.gain), strict=True))
    warehouse.replace({f"model.{name}": frame for name, frame in frames.items()})
    for name, frame in frames.items():
        yield dg.MaterializeResult(
            asset_key=["model", name],
            metadata={"dagster/row_count": len(frame), "n_trees": settings.assessor_trees},
        )
