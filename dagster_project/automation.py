"""What starts by itself: the jobs, the nightly schedule and the sensor on results files.

Belongs here: when something runs and what it covers. Does not belong here: what a step does (assets/, dbt/).
"""

import hashlib
import json
from pathlib import Path

import dagster as dg

from assets.settings import Settings
from assets.sources.readers import results
from assets.sources.readers.folder import find_files
from dagster_project.published import published_results

# minutes of fits that prove the model; every refresh loads what they left
ON_DEMAND = dg.AssetSelection.assets(
    ["model", "recovery_estimate"], ["model", "calibration_estimate"], ["model", "comparison_estimate"]
)

refresh = dg.define_asset_job(
    "refresh",
    dg.AssetSelection.all() - ON_DEMAND,
    description="Everything, from the input files to the published marts.",
)

recovery = dg.define_asset_job(
    "recovery",
    dg.AssetSelection.assets(
        ["model", "recovery_estimate"], ["model", "recovery_dimension"], ["model", "recovery_summary"]
    ),
    description="Known agents simulated on the battery and recovered; the next refresh publishes the figures.",
)

calibration = dg.define_asset_job(
    "calibration",
    dg.AssetSelection.assets(
        ["model", "calibration_estimate"], ["model", "calibration"], ["model", "calibration_rank"]
    ),
    description="Agents from the prior ranked in their posteriors; the next refresh publishes the figures.",
)

comparison = dg.define_asset_job(
    "comparison",
    dg.AssetSelection.assets(["model", "comparison_estimate"], ["model", "model_comparison"]),
    description="Models scored on benchmarks left out; the next refresh publishes the figures.",
)

refresh_results = dg.define_asset_job(
    "refresh_results",
    # systems.csv is read again so that a new system arrives with its name and settings; the group 'warehouse' is
    # what each refresh says of itself (raw.refresh is upstream of every raw table, so its downstream is everything)
    (
        dg.AssetSelection.assets(["raw", "result"], ["raw", "ai_system"]).downstream()
        | dg.AssetSelection.groups("warehouse")
    )
    - ON_DEMAND,
    description="What depends on results files; ratings and survey are left as they stand.",
)

nightly = dg.ScheduleDefinition(
    name="nightly",
    job=refresh,
    cron_schedule="0 2 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Everything, each night at 02:00 UTC.",
)


def results_hashes(sources: Path) -> dict[str, str]:
    """File name -> sha256 of its bytes, for the files that the reader of results takes."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in find_files(sources, results.LOCATION, results.SUFFIXES)[0]
    }


@dg.sensor(
    name="new_results_file",
    jobs=[refresh, refresh_results],
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="A new, changed or removed results file starts one refresh; an identical file landed again does not.",
)
def new_results_file(
    context: dg.SensorEvaluationContext, settings: dg.ResourceParam[Settings]
) -> dg.SensorResult | dg.SkipReason:
    """Compare content hashes with the cursor's; without a cursor, with those of the published refresh."""
    if settings.sources is None:
        return dg.SkipReason("SUITABILITY_SOURCES is unset: the embedded demo has no files to watch.")
    if not settings.sources.is_dir():
        return dg.SkipReason(f"{settings.sources} is no folder.")
    now = results_hashes(settings.sources)
    published = published_results(settings.published_path, settings.sources)
    before = json.loads(context.cursor) if context.cursor else (published or {})
    cursor = json.dumps(now, sort_keys=True)
    changed = sorted(name for name in now.keys() | before.keys() if now.get(name) != before.get(name))
    if not changed:
        return dg.SensorResult(skip_reason="No results file changed.", cursor=cursor)
    # ratings and survey of these sources must be in the warehouse before results alone can be refreshed
    job = refresh if published is None else refresh_results
    context.log.info(f"results files new, changed or gone: {', '.join(changed)}")
    return dg.SensorResult(
        run_requests=[
            dg.RunRequest(job_name=job.name, tags={"suitability/changed_files": ", ".join(changed)[:200]})
        ],
        cursor=cursor,
    )
