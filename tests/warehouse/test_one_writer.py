"""One writer: the warehouse file, the refresh lock, and what a killed run leaves behind."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import duckdb
import pandas as pd
import pytest

from assets.settings import PROJECT, Settings
from dagster_project.definitions import locked_warehouse
from dagster_project.resources import DamagedWarehouseError, DuckDBWarehouse, WarehouseBusyError
from dagster_project.runs.instance import COMMAND_LINE_TAG, POOL, clear_killed_runs, open_instance
from dagster_project.runs.lock import RefreshRunningError, holder, refresh_lock
from dagster_project.runs.monitor import Watch, run_job

HOLD_FILE = """
import sys, time, duckdb
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
time.sleep(float(sys.argv[2]))
"""
HOLD_LOCK = """
import sys, time
from pathlib import Path
from dagster_project.runs.lock import refresh_lock
with refresh_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


@contextmanager
def _process(code: str, target: Path, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds `target` for some seconds; entered when it does."""
    arguments = [sys.executable, "-c", code, str(target), str(seconds)]
    with subprocess.Popen(arguments, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "held"
        try:
            yield process
        finally:
            process.kill()


def test_an_opener_waits_for_another_process_to_let_go(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    frame = pd.DataFrame({"dimension_key": ["EM"], "capability": ["EM"]})
    with _process(HOLD_FILE, path, 1.5):
        started = time.monotonic()
        warehouse = DuckDBWarehouse(path, lock_wait_seconds=30)
        warehouse.write({"estimate.dimension_member": frame})
        assert time.monotonic() - started > 1
    assert warehouse.read("estimate.dimension_member")["capability"].tolist() == ["EM"]


def test_an_opener_that_waited_in_vain_says_who_and_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    with _process(HOLD_FILE, path, 60) as other:
        warehouse = DuckDBWarehouse(path, lock_wait_seconds=0.3)
        with pytest.raises(WarehouseBusyError, match=rf"published copy.*{other.pid}"):
            warehouse.read("estimate.dimension_member")


@pytest.mark.parametrize("damage", ["all", "half", "a block"])
def test_a_damaged_file_is_told_at_once_and_not_waited_for(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "block" / "warehouse.duckdb"
    warehouse = DuckDBWarehouse(path, lock_wait_seconds=30)
    with warehouse.connect() as connection:
        connection.execute("create schema estimate")
        connection.execute(
            "create table estimate.dimension_member as select hash(i) as dimension_key, hash(i + 1) as capability "
            "from range(100000) as t(i)"
        )
    content = path.read_bytes()
    size = len(content)
    broken = {
        "all": b"\x9d" * size,
        "half": content[: size // 2],
        "a block": content[: size // 2] + b"\x9d" * 262_144 + content[size // 2 + 262_144 :],
    }
    path.write_bytes(broken[damage])
    started = time.monotonic()
    with pytest.raises(
        DamagedWarehouseError, match=r"warehouse\.duckdb is damaged: delete it and run `suitab"
    ):
        warehouse.read("estimate.dimension_member")
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("damage", [True, False])
def test_no_step_runs_on_a_damaged_file(tmp_path: Path, damage: bool) -> None:
    reached = []

    @dg.asset(required_resource_keys={"warehouse"})
    def made() -> None:
        reached.append(True)

    settings = Settings(home=tmp_path, seed=1)
    with DuckDBWarehouse(settings.warehouse_path).connect():
        pass
    if damage:
        settings.warehouse_path.write_bytes(b"\x9d" * 100_000)
    definitions = dg.Definitions(
        assets=[made],
        jobs=[dg.define_asset_job("refresh", executor_def=dg.in_process_executor)],
        resources={"settings": settings, "warehouse": locked_warehouse},
    )
    watch = Watch()
    with open_instance(tmp_path) as instance:
        assert run_job(definitions, "refresh", instance, watch) == bool(reached) == (not damage)
    assert ["is damaged: delete it" in failure.message for failure in watch.failures] == [True] * damage


def test_another_fault_than_damage_is_told_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "warehouse.duckdb").symlink_to(tmp_path / "nowhere" / "lock")
    with pytest.raises(duckdb.IOException, match="No such file"):
        DuckDBWarehouse(tmp_path / "warehouse.duckdb").read("estimate.dimension_member")


def test_a_second_refresh_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    with _process(HOLD_LOCK, tmp_path, 60) as other:
        assert holder(tmp_path) == other.pid
        with pytest.raises(RefreshRunningError, match=f"Process {other.pid} "), refresh_lock(tmp_path):
            pass
    assert holder(tmp_path) is None
    with refresh_lock(tmp_path):
        pass


def test_the_lock_can_be_waited_for_and_taken_twice_in_one_process(tmp_path: Path) -> None:
    with _process(HOLD_LOCK, tmp_path, 1), refresh_lock(tmp_path, wait_seconds=30), refresh_lock(tmp_path):
        assert holder(tmp_path) is not None
    assert holder(tmp_path) is None


def test_a_killed_run_is_closed_and_its_pool_slot_freed(tmp_path: Path) -> None:
    @dg.asset(pool=POOL)
    def step() -> None: ...

    job = dg.Definitions(assets=[step]).resolve_implicit_global_asset_job_def()
    with open_instance(tmp_path) as instance:
        run = instance.create_run_for_job(
            job, status=dg.DagsterRunStatus.STARTED, tags={COMMAND_LINE_TAG: "true"}
        )
        storage = instance.event_log_storage
        storage.initialize_concurrency_limit_to_default(POOL)
        assert storage.claim_concurrency_slot(POOL, run.run_id, "step").is_claimed
        assert not storage.claim_concurrency_slot(POOL, "another", "step").is_claimed
        storage.free_concurrency_slots_for_run("another")
        assert clear_killed_runs(instance) == [run.run_id]
        after = instance.get_run_by_id(run.run_id)
        assert after is not None
        assert after.status == dg.DagsterRunStatus.FAILURE
        assert storage.get_concurrency_info(POOL).active_run_ids == set()
        assert clear_killed_runs(instance) == []
        assert job.execute_in_process(instance=instance).success


def test_dagster_asks_nothing_of_the_network_and_limits_the_pool(tmp_path: Path) -> None:
    with open_instance(tmp_path) as instance:
        assert not instance.telemetry_enabled
        assert not instance.nux_enabled
        limits = instance.get_concurrency_config()
        assert limits.pool_config.default_pool_limit == 1
    configuration = tmp_path / "dagster" / "dagster.yaml"
    configuration.write_text(configuration.read_text() + "# mine\n")
    with open_instance(tmp_path):
        assert configuration.read_text().endswith("# mine\n")
