"""One run of a job in this process, watched: progress, time per stage, and what went wrong first.

Belongs here: turning Dagster's events into what a person at a terminal needs. Does not belong here: printing (cli.py).
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assets.versions import KEPT
from dagster_project.runs.instance import COMMAND_LINE_TAG

if TYPE_CHECKING:
    import dagster as dg
    from dagster import DagsterInstance

STAGES = {
    "raw": "raw",
    "seed": "staging/intermediate",
    "staging": "staging/intermediate",
    "intermediate": "staging/intermediate",
    "estimate": "estimate",
    "marts": "marts",
    "published/marts": "publish",
    "published/report": "report",
}
WRAPPERS = {
    "DagsterExecutionStepExecutionError",
    "DagsterResourceFunctionError",
    "DagsterUserCodeExecutionError",
}
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Failure:
    """A step that failed, with the message of the exception that started it, and its trace for --verbose."""

    step: str
    message: str
    trace: str


@dataclass
class Watch:
    """Listens to the events of one run."""

    on_progress: Callable[[str], None] = lambda text: None
    on_asset: Callable[[str, float], None] = lambda key, seconds: None
    seconds: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(dict.fromkeys(STAGES.values()), 0.0)
    )
    failures: list[Failure] = field(default_factory=list)
    _made: set[str] = field(default_factory=set)
    _kept: set[str] = field(default_factory=set)
    _last: float | None = None

    @property
    def n_made(self) -> int:
        """Assets that were made."""
        return len(self._made)

    @property
    def n_kept(self) -> int:
        """Assets that were looked at and kept."""
        return len(self._kept - self._made)

    def __call__(self, entry: Any) -> None:
        """Take one EventLogEntry: the time since the one before belongs to the stage whose asset or check ended."""
        event = entry.dagster_event
        if event is None:
            return
        kind = event.event_type_value
        if kind == "STEP_START":
            self.on_progress(step_name(event.step_key))
            self._last = entry.timestamp
        elif kind == "ASSET_MATERIALIZATION":
            key = "/".join(event.asset_key.path)
            # partitions of one asset count once, and as made if any of them is
            (self._kept if KEPT in event.event_specific_data.materialization.metadata else self._made).add(
                key
            )
            self.on_asset(key, self._book(key, entry.timestamp))
        elif kind == "ASSET_CHECK_EVALUATION":
            self._book("/".join(event.event_specific_data.asset_key.path), entry.timestamp)
        elif kind == "STEP_FAILURE":
            self._take_failure(step_name(event.step_key), event.step_failure_data.error)
        elif kind == "PIPELINE_FAILURE" and not self.failures and event.job_failure_data.error:
            # nothing ran: a resource could not be had
            self._take_failure("start", event.job_failure_data.error)

    def _book(self, key: str, now: float) -> float:
        spent = now - (self._last if self._last is not None else now)
        self._last = now
        stage = STAGES.get(key) or STAGES.get(key.split("/")[0])
        if stage:
            self.seconds[stage] += spent
        return spent

    def _take_failure(self, step: str, error: Any) -> None:
        self.failures.append(Failure(step, first_cause(error), error.to_string()))


def step_name(step_key: str) -> str:
    """`raw__rating` as people name it: raw/rating."""
    return step_key.replace("__", "/")


def first_cause(error: Any) -> str:
    """The message of the exception under Dagster's wrappers."""
    while error.cls_name in WRAPPERS and error.cause is not None:
        error = error.cause
    message: str = error.message
    # errors meant for people say it all; the class name in front is noise
    return ANSI.sub("", re.sub(r"^[\w.]*(Error|Failure|Exception): ", "", message.strip()))


def run_job(
    definitions: dg.Definitions,
    name: str,
    instance: DagsterInstance,
    watch: Watch,
    *,
    assets: Sequence[str] | None = None,
    verbose: bool = False,
) -> bool:
    """Run a job in this process under `watch`; whether it succeeded. Hold the refresh lock while it runs.

    Args:
        assets: those of the job that are to run, as `schema.name`; None = all.
    """
    from dagster import AssetKey

    run_id = str(uuid.uuid4())
    instance.add_event_listener(run_id, watch)
    level = "INFO" if verbose else "CRITICAL"
    result = definitions.resolve_job_def(name).execute_in_process(
        instance=instance,
        run_id=run_id,
        asset_selection=None if assets is None else [AssetKey(name.split(".")) for name in assets],
        run_config={"loggers": {"console": {"config": {"log_level": level}}}},
        raise_on_error=False,
        tags={COMMAND_LINE_TAG: "true"},
    )
    return bool(result.success)
