"""What a home's records still hold of a file that is gone: nothing, by the bytes of every file."""

from __future__ import annotations

import os
from pathlib import Path

import dagster as dg
import pytest

from assets.settings import Settings
from assets.versions import FILE, FILES, Version
from dagster_project import definitions
from dagster_project.resources import DuckDBWarehouse
from dagster_project.runs.instance import open_instance
from dagster_project.runs.refresh_plan import Refresh
from dagster_project.runs.removal import forget, hold

# too odd to be compressed into other bytes
SECRET = "zq7Xv-91kWm.Jp4Ty@q8Zr3.Lb6Ns-example"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A home, and sources of two results files."""
    results = tmp_path / "sources" / "battery" / "results"
    results.mkdir(parents=True)
    for system in ("one", "two"):
        (results / f"{system}.csv").write_text("task_name,sample_id,score\n", encoding="utf-8")
    return Settings(home=tmp_path / "home", sources=tmp_path / "sources")


def files_with(home: Path, text: str) -> set[str]:
    return {
        path.relative_to(home).parts[0]
        for path in home.rglob("*")
        if path.is_file() and text.encode() in path.read_bytes()
    }


def run(settings: Settings, sample: str) -> None:
    """A run whose check tells of a bad value."""

    @dg.asset_check(asset="rating")
    def is_good() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=False, metadata={"sample": sample * 20})

    @dg.asset
    def rating_asset() -> None:
        """Something to run."""

    project = dg.Definitions(assets=[dg.AssetSpec("rating"), rating_asset], asset_checks=[is_good])
    job = project.resolve_implicit_global_asset_job_def()
    with open_instance(settings.home) as instance:
        assert job.execute_in_process(instance=instance, run_config={"loggers": {"console": {"config": {
            "log_level": "CRITICAL"}}}}).success  # fmt: skip


def test_nothing_of_a_file_that_is_gone_stays_in_the_working_file_the_event_logs_or_what_a_kill_left(
    settings: Settings,
) -> None:
    warehouse = DuckDBWarehouse(settings.warehouse_path)
    with warehouse.connect() as connection:
        connection.execute("set force_compression = 'uncompressed'")
        connection.execute("create schema raw")
        connection.execute("create table raw.t as select ? || i as value from range(200000) r(i)", [SECRET])
        connection.execute("checkpoint")
    hold(settings, warehouse)
    run(settings, SECRET)
    leftover = settings.home / "chats" / ".part.parquet.999999999"
    leftover.parent.mkdir()
    leftover.write_text(SECRET, encoding="utf-8")
    assert not forget(settings, warehouse)

    (settings.sources / "battery" / "results" / "two.csv").unlink()  # type: ignore[operator]
    hold(settings, warehouse)
    with warehouse.connect() as connection:
        connection.execute("create or replace table raw.t as select 'kept' as value, i from range(9) r(i)")
        connection.execute("create view raw.v as select * from raw.t")
    run(settings, "other")
    assert files_with(settings.home, SECRET) == {"warehouse.duckdb", "dagster", "chats"}

    assert forget(settings, warehouse)
    assert files_with(settings.home, SECRET) == set()
    assert files_with(settings.home, "other" * 20) == {"dagster"}
    with warehouse.connect() as connection:
        assert connection.execute("select i from raw.v").fetchall() == [(i,) for i in range(9)]
    # done once
    assert not forget(settings, warehouse)


def test_what_a_process_that_lives_is_writing_stays(settings: Settings) -> None:
    warehouse = DuckDBWarehouse(settings.warehouse_path)
    hold(settings, warehouse)
    (settings.sources / "battery" / "results" / "two.csv").unlink()  # type: ignore[operator]
    mine = settings.home / f".file_hashes.json.{os.getpid()}"
    mine.touch()
    assert forget(settings, warehouse) and mine.exists()


def test_a_file_that_a_killed_refresh_read_is_forgotten_too_and_one_of_an_earlier_version(
    settings: Settings,
) -> None:
    warehouse = DuckDBWarehouse(settings.warehouse_path)
    noted = Version("c", metadata={FILES: {f"{FILE}results": {"battery/results/zero.csv": "0"}}})
    warehouse.write({}, {"raw.result": noted})
    hold(settings, warehouse)
    assert forget(settings, warehouse)
    third = settings.sources / "battery" / "results" / "three.csv"  # type: ignore[operator]
    third.touch()
    hold(settings, warehouse)
    third.unlink()
    hold(settings, warehouse)
    assert forget(settings, warehouse)


@pytest.mark.parametrize(("folder", "counts"), [("survey", True), ("battery/results", False)])
def test_a_row_that_goes_counts_where_rows_are_people(settings: Settings, folder: str, counts: bool) -> None:
    warehouse = DuckDBWarehouse(settings.warehouse_path)
    place = settings.sources / folder  # type: ignore[operator]
    place.mkdir(exist_ok=True, parents=True)
    (place / "some.csv").write_text("a\n1\n2\n", encoding="utf-8")
    hold(settings, warehouse)
    (place / "some.csv").write_text("a\n1\n", encoding="utf-8")
    hold(settings, warehouse)
    assert forget(settings, warehouse) == counts


@pytest.mark.parametrize(("stale", "remains"), [({}, False), ({"raw.result": "new"}, True)])
def test_a_run_of_the_scheduler_forgets_too_once_nothing_is_left_to_make(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, stale: dict[str, str], remains: bool
) -> None:
    monkeypatch.setattr(definitions, "due", lambda settings: Refresh(1, stale))
    file = settings.sources / "battery" / "results" / "two.csv"  # type: ignore[operator]

    @dg.asset(required_resource_keys={"warehouse"})
    def table() -> None:
        """A step, in which a file that was read goes."""
        file.unlink()

    project = dg.Definitions(
        assets=[table], resources={"settings": settings, "warehouse": definitions.locked_warehouse}
    )
    run(settings, SECRET)
    with open_instance(settings.home) as instance:
        job = project.resolve_implicit_global_asset_job_def()
        assert job.execute_in_process(instance=instance, run_config={"loggers": {"console": {"config": {
            "log_level": "CRITICAL"}}}}).success  # fmt: skip
        (last,) = [one.run_id for one in instance.get_runs(limit=1)]
        assert instance.get_run_stats(last).steps_succeeded == 1
    assert bool(files_with(settings.home, SECRET)) == remains
