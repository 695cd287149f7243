"""What starts by itself: the jobs, the nightly schedule and the sensors on results files and chats.

Belongs here: when something runs and what it covers. Does not belong here: what a step does (assets/, dbt/).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg

from assets.settings import Settings
from assets.sources.partial import why_not
from assets.sources.readers import chats, results
from assets.sources.readers.folder import file_sha256, find_files
from dagster_project.published import published_files

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

# the group 'warehouse' is what each refresh says of itself (raw.refresh is upstream of every raw table, so its
# downstream is everything)
_ITSELF = dg.AssetSelection.groups("warehouse")

refresh_results = dg.define_asset_job(
    "refresh_results",
    # systems.csv is read again so that a new system arrives with its name and settings
    (dg.AssetSelection.assets(["raw", "result"], ["raw", "ai_system"]).downstream() | _ITSELF) - ON_DEMAND,
    description="What depends on results files; ratings and survey are left as they stand.",
)

refresh_chats = dg.define_asset_job(
    "refresh_chats",
    (dg.AssetSelection.assets(["raw", "chat"], ["raw", "chat_file"]).downstream() | _ITSELF) - ON_DEMAND,
    description="What depends on chats; O*NET and all other inputs are left as they stand.",
)

nightly = dg.ScheduleDefinition(
    name="nightly",
    job=refresh,
    cron_schedule="0 2 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Everything, each night at 02:00 UTC.",
)


@dataclass(frozen=True)
class Watched:
    """An input whose files start a refresh: `name` as in marts.source_file, where they lie, and what they start."""

    name: str
    location: str
    suffixes: tuple[str, ...]
    job: str


RESULTS = Watched("results", results.LOCATION, results.SUFFIXES, refresh_results.name)
CHATS = Watched("chats", chats.LOCATION, chats.SUFFIXES, refresh_chats.name)

# file name -> [size and time of its last change, sha256 of its bytes]
Seen = dict[str, list[str]]


def seen_files(sources: Path, watched: Watched, before: Mapping[str, list[str]]) -> Seen:
    """The files that the input's reader takes; what has not been touched since `before` is not read again."""
    found = {}
    for path in _files(sources, watched):
        try:
            stat = path.stat()
        except FileNotFoundError:
            # gone since it was listed
            continue
        # of a file that is copied over with its old time the time of the entry changes
        touched = f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns}"
        known = before.get(path.name, ["", ""])
        sha256 = known[1] if known[0] == touched else file_sha256(path, f"{watched.location}/{path.name}")
        found[path.name] = [touched, sha256]
    return found


def _files(sources: Path, watched: Watched) -> list[Path]:
    return find_files(sources, watched.location, watched.suffixes)[0]


def _tick(
    context: dg.SensorEvaluationContext, settings: Settings, watched: Watched
) -> dg.SensorResult | dg.SkipReason:
    """Compare content hashes with the cursor's; without a cursor, with those of the published refresh."""
    if settings.sources is None:
        return dg.SkipReason("SUITABILITY_SOURCES is unset: the embedded demo has no files to watch.")
    if not settings.sources.is_dir():
        return dg.SkipReason(f"{settings.sources} is no folder.")
    published = published_files(settings.published_path, settings.sources, watched.name)
    if context.cursor:
        # an older cursor has the hash alone
        given = json.loads(context.cursor).items()
        before: Seen = {name: seen if isinstance(seen, list) else ["", seen] for name, seen in given}
    else:
        before = {name: ["", sha256] for name, sha256 in (published or {}).items()}
    now = seen_files(settings.sources, watched, before)
    if published is None and watched is not RESULTS and _files(settings.sources, RESULTS):
        return dg.SkipReason(
            "Nothing of these sources is published: the sensor on results starts a whole refresh."
        )
    cursor = json.dumps(now, sort_keys=True)
    hashes, old = ({name: sha256 for name, (_, sha256) in files.items()} for files in (now, before))
    changed = sorted(name for name in hashes.keys() | old.keys() if hashes.get(name) != old.get(name))
    if not changed:
        return dg.SensorResult(skip_reason=f"No file of {watched.location}/ changed.", cursor=cursor)
    # all other inputs of these sources must be in the warehouse, whole, before one alone can be refreshed
    is_alone = published is not None and not why_not(settings, watched.job)
    job = watched.job if is_alone else refresh.name
    context.log.info(f"files of {watched.location}/ new, changed or gone: {', '.join(changed)}")
    return dg.SensorResult(
        run_requests=[
            dg.RunRequest(job_name=job, tags={"suitability/changed_files": ", ".join(changed)[:200]})
        ],
        cursor=cursor,
    )


def _sensor(name: str, watched: Watched, part: Any, what: str) -> dg.SensorDefinition:
    """What of `watched` is new starts its job, `part`, once everything was refreshed."""

    @dg.sensor(
        name=name,
        jobs=[refresh, part],
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=f"A new, changed or removed {what} starts one refresh; an identical file landed again does not.",
    )
    def sensor(
        context: dg.SensorEvaluationContext, settings: dg.ResourceParam[Settings]
    ) -> dg.SensorResult | dg.SkipReason:
        return _tick(context, settings, watched)

    return sensor


new_results_file = _sensor("new_results_file", RESULTS, refresh_results, "results file")
new_chat_file = _sensor("new_chat_file", CHATS, refresh_chats, "file of chats")
