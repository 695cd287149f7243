"""The sensor on all inputs.

Belongs here: when it asks for a refresh. Does not belong here: what the refresh makes (refresh_plan.py).
"""

import hashlib
import json
import time

import dagster as dg

from assets.settings import Settings
from assets.sources.errors import SourceError
from assets.sources.inputs import stamps, still_landing
from dagster_project.jobs import refresh
from dagster_project.runs.due import NOTHING_DUE, due_request

INTERVAL_SECONDS = 15


@dg.sensor(
    job=refresh,
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="A new, changed or removed file of any input starts one refresh, once sizes and times of all files are "
    "the same at two looks and none has changed for a while; identical bytes landed again start none.",
)
def changed_inputs(
    context: dg.SensorEvaluationContext, settings: dg.ResourceParam[Settings]
) -> dg.SensorResult | dg.SkipReason:
    """Ask once for each state of the files; one whose refresh failed is asked for again by the schedule only."""
    if settings.sources is None:
        return dg.SkipReason("SUITABILITY_SOURCES is unset: the embedded demo has no files to watch.")
    if not settings.sources.is_dir():
        return dg.SkipReason(f"{settings.sources} is no folder.")
    try:
        text = json.dumps(sorted(stamps(settings)))
    except SourceError as error:
        return dg.SkipReason(str(error))
    if landing := still_landing(settings, time.time()):
        return dg.SkipReason(
            f"{landing} has changed within the last {settings.quiet_seconds:g} s (SUITABILITY_QUIET_SECONDS): it may "
            "be incomplete."
        )
    look = hashlib.sha256(text.encode()).hexdigest()
    seen, asked = [*json.loads(context.cursor or "[]"), "", ""][:2]
    if look != seen:
        return dg.SensorResult(
            skip_reason="Files have changed; if they are as they are now at the next look, they are whole.",
            cursor=json.dumps([look, asked]),
        )
    if look == asked:
        return dg.SkipReason("No file has changed.")
    request = due_request(settings, run_key=look)
    if isinstance(request, dg.SkipReason):
        # what can't be told now may be told at the next look
        is_told = request.skip_message == NOTHING_DUE
        return dg.SensorResult(
            skip_reason=request.skip_message, cursor=json.dumps([look, look if is_told else asked])
        )
    return dg.SensorResult(run_requests=[request], cursor=json.dumps([look, look]))
