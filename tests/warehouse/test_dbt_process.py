"""dbt's process: what it tells, and what is told of one that dies, hangs, or loses its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from assets.settings import PROJECT, Settings
from dagster_project.dbt_build.dbt_nodes import DbtNodes
from dagster_project.dbt_build.dbt_process import DbtProcess, DbtProcessError, Outcome
from dagster_project.resources import DuckDBWarehouse
from tests.support.warehouse.small_project import use_project

# of more pairs than any machine multiplies within a test
ENDLESS = "select sum(a.range * b.range) as total from range(10000000) as a, range(10000000) as b"
MODELS = {
    "first": "select 1 as level",
    "second": "select level + 1 as level from {{ ref('first') }}",
    "endless": ENDLESS,
    "wrong": "select nothing as level from {{ ref('first') }}",
}
YAML = """
models:
  - name: first
    data_tests: [{sound_numbers: {arguments: {ranges: {level: [0, 5]}}}}]
"""
PARENT = """
import sys
from pathlib import Path
from assets.settings import Settings
from dagster_project.dbt_build import dbt_project
from dagster_project.dbt_build.dbt_process import DbtProcess
dbt_project.DBT_FOLDER = Path(sys.argv[1])
dbt = DbtProcess(Settings(home=Path(sys.argv[2]), sources=None))
dbt.start()
print(dbt._process.pid, flush=True)
list(dbt.build({"model.suitability_warehouse.endless": {}}, [], {}))
"""


def is_running(pid: int) -> bool:
    """Whether a process runs; one that has ended and whose end nobody asked for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition: Callable[[], object], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, DbtNodes]]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("process")
        yield use_project(folder, patch, MODELS, YAML)


@pytest.fixture(scope="module")
def dbt(small: tuple[Settings, DbtNodes]) -> Iterator[DbtProcess]:
    process = DbtProcess(small[0])
    yield process
    process.close()


def pid_of(dbt: DbtProcess) -> int:
    assert dbt._process is not None
    return dbt._process.pid


def build(dbt: DbtProcess, nodes: DbtNodes, *names: str) -> dict[str, Outcome]:
    """Make models and run the tests on them; outcomes by name."""
    tables: dict[str, dict[str, Any]] = {f"model.suitability_warehouse.{name}": {} for name in names}
    tests = [key for key, test in nodes.tests.items() if test.on.removeprefix("marts.") in names]
    return {one.unique_id.split(".")[2]: one for one in dbt.build(tables, tests, {})}


def rows(settings: Settings, table: str) -> list[tuple[int]]:
    with duckdb.connect(str(settings.warehouse_path)) as connection:
        return connection.execute(f"from marts.{table}").fetchall()


def test_one_process_makes_what_it_is_asked_for_time_after_time(
    dbt: DbtProcess, small: tuple[Settings, DbtNodes]
) -> None:
    settings, nodes = small
    made = build(dbt, nodes, "first")
    pid = pid_of(dbt)
    assert [one.status for one in made.values()] == ["success", "pass"] and len(made) == 2
    # in between the working file is free, for whoever writes tables by Python
    with duckdb.connect(str(settings.warehouse_path)) as connection:
        connection.execute("update marts.first set level = 7")
    made = build(dbt, nodes, "wrong", "second")
    assert pid_of(dbt) == pid
    assert (made["wrong"].status, made["second"].status) == ("error", "success")
    assert "nothing" in made["wrong"].message
    # what was not asked for was left alone
    assert rows(settings, "first") == [(7,)] and rows(settings, "second") == [(8,)]
    dbt.close()
    assert not is_running(pid)


def test_a_process_killed_in_the_middle_of_a_model_is_told_with_its_name(
    dbt: DbtProcess, small: tuple[Settings, DbtNodes]
) -> None:
    settings, nodes = small
    with duckdb.connect(str(settings.warehouse_path)) as connection:
        connection.execute(
            "create schema if not exists marts; create or replace table marts.endless as select 1 as total"
        )
    dbt.start()
    threading.Thread(target=_kill_in_the_middle, args=(dbt,)).start()
    with pytest.raises(DbtProcessError, match=r"was killed by SIGKILL while it worked on endless;"):
        build(dbt, nodes, "endless")
    assert rows(settings, "endless") == [(1,)]
    # the next one starts another
    assert build(dbt, nodes, "first")["first"].status == "success"


def _kill_in_the_middle(dbt: DbtProcess) -> None:
    """Once the model is told of as started, and before its time is up."""
    pid, told = pid_of(dbt), dbt._lines
    wait_for(lambda: told.unfinished_tasks)
    time.sleep(0.5)
    os.kill(pid, signal.SIGKILL)


def _holds(pid: int, path: Path) -> bool:
    try:
        return any(os.readlink(one) == str(path) for one in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def test_a_process_killed_while_it_waits_is_told_at_the_next_request(
    dbt: DbtProcess, small: tuple[Settings, DbtNodes]
) -> None:
    _, nodes = small
    build(dbt, nodes, "first")
    os.kill(pid_of(dbt), signal.SIGKILL)
    wait_for(lambda: not is_running(pid_of(dbt)))
    with pytest.raises(DbtProcessError, match="was killed by SIGKILL while it worked on nothing yet"):
        build(dbt, nodes, "first")


def test_a_model_that_hangs_is_ended_and_named(small: tuple[Settings, DbtNodes]) -> None:
    settings, nodes = small
    impatient = DbtProcess(settings.model_copy(update={"model_seconds": 2.0}))
    impatient.start()
    pid = pid_of(impatient)
    with pytest.raises(DbtProcessError, match=r"nothing for 2 s .*on endless, .*SUITABILITY_MODEL_SECONDS"):
        build(impatient, nodes, "endless")
    assert not is_running(pid)
    # nothing holds the working file any more
    with duckdb.connect(str(settings.warehouse_path)) as connection:
        assert connection.execute("select count(*) from state.version").fetchall() == [(0,)]


def test_a_killed_parent_takes_dbt_along(small: tuple[Settings, DbtNodes]) -> None:
    settings, _ = small
    arguments = [sys.executable, "-c", PARENT, str(settings.home.with_name("dbt")), str(settings.home)]
    with subprocess.Popen(arguments, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        # in the middle of a query it reads no closed pipe
        wait_for(lambda: _holds(pid, settings.warehouse_path))
        assert is_running(pid)
        parent.kill()
    wait_for(lambda: not is_running(pid), 10)
    # the system lets go of a dead process's lock in its own time
    with DuckDBWarehouse(settings.warehouse_path, 10).connect():
        pass


def test_what_dbt_can_not_begin_is_told_in_its_last_words(
    dbt: DbtProcess, small: tuple[Settings, DbtNodes]
) -> None:
    settings, nodes = small
    dbt.close()
    (settings.home / "dbt/target/partial_parse.msgpack").write_bytes(b"junk")
    with pytest.raises(DbtProcessError, match=r"ended with exit code 1 .*process\.log: .*\w"):
        build(dbt, nodes, "first")
