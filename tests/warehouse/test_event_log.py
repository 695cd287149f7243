"""The event log that a refresh holds open: Dagster's own classes read what it wrote; a storage of one's own is kept."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
from dagster._core.instance.ref import InstanceRef

from dagster_project.runs.event_log import OpenEventLog
from dagster_project.runs.instance import open_instance, prepare_dagster_home


@dg.asset(check_specs=[dg.AssetCheckSpec("is_odd", asset="number")])
def number() -> dg.MaterializeResult:
    """Three."""
    return dg.MaterializeResult(metadata={"n": 3}, check_results=[dg.AssetCheckResult(passed=True)])


@dg.asset(deps=[number])
def broken() -> None:
    """Never made."""
    raise ValueError("no")


def test_dagster_reads_its_own_history_of_runs(tmp_path: Path) -> None:
    with open_instance(tmp_path) as instance:
        assert isinstance(instance.event_log_storage, OpenEventLog)
        result = dg.materialize([number, broken], instance=instance, raise_on_error=False)
        again = dg.materialize([number], instance=instance)
        written = [e.event_type_value for e in result.all_events]
    folder = str(prepare_dagster_home(tmp_path))
    with dg.DagsterInstance.from_ref(InstanceRef.from_dir(folder)) as plain:
        read = [e.dagster_event.event_type_value for e in plain.all_logs(result.run_id) if e.dagster_event]
        assert [event for event in read if event in written] == written
        assert {run.run_id: run.status.value for run in plain.get_runs()} == {
            result.run_id: "FAILURE",
            again.run_id: "SUCCESS",
        }
        made = plain.get_latest_materialization_event(number.key)
        assert made is not None and made.run_id == again.run_id
        key = dg.AssetCheckKey(number.key, "is_odd")
        (check,) = plain.event_log_storage.get_asset_check_execution_history(key, limit=1)
        assert check.run_id == again.run_id and check.status.value == "SUCCEEDED"


def test_a_storage_named_in_the_configuration_is_used(tmp_path: Path) -> None:
    kept = tmp_path / "elsewhere"
    configuration = prepare_dagster_home(tmp_path) / "dagster.yaml"
    configuration.write_text(f"storage:\n  sqlite: {{base_dir: {kept}}}\n", encoding="utf-8")
    with open_instance(tmp_path) as instance:
        dg.materialize([number], instance=instance)
    assert [path.name for path in (kept / "history").iterdir()] and not (
        tmp_path / "dagster/history"
    ).exists()
