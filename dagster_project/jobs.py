"""What can be run, and the nightly schedule.

Belongs here: which assets a job covers. Does not belong here: what a step does (assets/, dbt/), sensors (sensors.py).
"""

import dagster as dg

from assets.settings import Settings
from assets.sources.inputs import INPUTS

# minutes of fits that prove the model; every refresh loads what they left
ON_DEMAND = dg.AssetSelection.assets(
    ["estimate", "recovery_estimate"],
    ["estimate", "calibration_estimate"],
    ["estimate", "comparison_estimate"],
)

# first of all: what lies there now
LOOKED_AT = dg.AssetSelection.assets(*(["file", one.name] for one in INPUTS))

refresh = dg.define_asset_job(
    "refresh",
    LOOKED_AT | dg.AssetSelection.all() - ON_DEMAND,
    description="From the input files to the published marts: makes what has changed, keeps the rest.",
)

recovery = dg.define_asset_job(
    "recovery",
    dg.AssetSelection.assets(
        ["estimate", "recovery_estimate"],
        ["estimate", "recovery_dimension"],
        ["estimate", "recovery_summary"],
    ),
    description="Known agents simulated on the battery and recovered; the next refresh publishes the figures.",
)

calibration = dg.define_asset_job(
    "calibration",
    dg.AssetSelection.assets(
        ["estimate", "calibration_estimate"], ["estimate", "calibration"], ["estimate", "calibration_rank"]
    ),
    description="Agents from the prior ranked in their posteriors; the next refresh publishes the figures.",
)

comparison = dg.define_asset_job(
    "comparison",
    dg.AssetSelection.assets(["estimate", "comparison_estimate"], ["estimate", "model_comparison"]),
    description="Models scored on benchmarks left out; the next refresh publishes the figures.",
)

JOBS = (refresh, recovery, calibration, comparison)


@dg.schedule(
    job=refresh,
    cron_schedule="0 2 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Whatever has changed, each night at 02:00 UTC.",
)
def nightly(
    context: dg.ScheduleEvaluationContext, settings: dg.ResourceParam[Settings]
) -> dg.RunRequest | dg.SkipReason:
    """One run of what is stale."""
    from dagster_project.asset_attributes import confirm_publication
    from dagster_project.runs.due import NOTHING_DUE, due_request

    request = due_request(settings)
    if isinstance(request, dg.SkipReason) and request.skip_message == NOTHING_DUE:
        confirm_publication(context.instance)
    return request
