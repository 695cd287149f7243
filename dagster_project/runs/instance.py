"""Dagster's own home, `<home>/dagster`: its configuration, and the clean-up after a refresh that was killed.

Belongs here: what Dagster needs to know of this machine. Does not belong here: definitions (definitions.py).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagster import DagsterInstance

POOL = "warehouse"
COMMAND_LINE_TAG = "suitability/command_line"

# where one of these is in dagster.yaml, somebody keeps the history elsewhere
STORAGE = {"storage", "run_storage", "event_log_storage", "schedule_storage"}

CONFIGURATION = """\
# Written when absent; yours to change.
telemetry: {enabled: false}
nux: {enabled: false}
concurrency:
  # one step at a time may open the warehouse file, and one run at a time is launched
  pools: {default_limit: 1, granularity: op}
  runs: {max_concurrent_runs: 1}
"""


def prepare_dagster_home(home: Path) -> Path:
    """Make `<home>/dagster` with its dagster.yaml where absent, and name it in DAGSTER_HOME."""
    folder = home / "dagster"
    folder.mkdir(parents=True, exist_ok=True)
    configuration = folder / "dagster.yaml"
    if not configuration.exists():
        configuration.write_text(CONFIGURATION, encoding="utf-8")
    os.environ["DAGSTER_HOME"] = str(folder)
    return folder


def open_instance(home: Path) -> DagsterInstance:
    """The instance of `home` for runs in this process: no second copy of step output, the event log held open."""
    from dagster import DagsterInstance
    from dagster._core.instance.ref import InstanceRef

    folder = prepare_dagster_home(home)
    overrides: dict[str, object] = {
        "compute_logs": {
            "module": "dagster._core.storage.noop_compute_log_manager",
            "class": "NoOpComputeLogManager",
        }
    }
    if not STORAGE & _keys(folder / "dagster.yaml"):
        held_open = {"module": "dagster_project.runs.event_log", "class": "OpenStorage"}
        overrides["storage"] = {"custom": {**held_open, "config": {"base_dir": str(folder)}}}
    return DagsterInstance.from_ref(InstanceRef.from_dir(str(folder), overrides=overrides))


def _keys(configuration: Path) -> set[str]:
    import yaml

    return set(yaml.safe_load(configuration.read_text(encoding="utf-8")) or {})


def clear_killed_runs(instance: DagsterInstance) -> list[str]:
    """Close the runs whose process died and free the pool slots they kept; return the ids of the closed runs.

    Call it only while holding the refresh lock and before a run of one's own: then nobody else can rightly hold a
    slot, and a command-line run that has not ended is dead, for it would hold the lock.
    """
    from dagster import DagsterRunStatus, RunsFilter

    unfinished = [DagsterRunStatus.STARTING, DagsterRunStatus.STARTED, DagsterRunStatus.CANCELING]
    killed = instance.get_runs(RunsFilter(statuses=unfinished, tags={COMMAND_LINE_TAG: "true"}))
    for run in killed:
        instance.report_run_failed(run, "The process of this run ended before the run was finished.")
    for run_id in instance.event_log_storage.get_concurrency_info(POOL).active_run_ids:
        instance.event_log_storage.free_concurrency_slots_for_run(run_id)
    return [run.run_id for run in killed]
