"""The sensor on all inputs, and what jobs cover."""

from __future__ import annotations

import os
import time
from pathlib import Path

import dagster as dg
import pytest

from assets.settings import Settings
from assets.sources.inputs import BY_NAME, INPUTS, FileHashes, all_files, version_of
from assets.versions import FILE, FILES, KEPT, Version
from dagster_project.asset_attributes import PUBLISHED
from dagster_project.resources import DuckDBWarehouse
from dagster_project.runs import due
from dagster_project.runs.lock import refresh_lock
from dagster_project.runs.refresh_plan import Node
from dagster_project.sensors import changed_inputs
from tests.support.factories import write_results

# a raw table a kind of input, and a mart that follows from the results
GRAPH = {
    **{f"raw.{one.name}": Node(f"raw__{one.name}", (f"file.{one.name}",), "code") for one in INPUTS},
    "marts.suitability": Node("dbt_phase_1", ("raw.results",), "code"),
}


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings over a sources folder with one results file; the graph is a small one."""
    monkeypatch.setattr(due, "read_graph", lambda settings: GRAPH)
    write_results(tmp_path / "sources", "system-a")
    (tmp_path / "home").mkdir()
    return Settings(home=tmp_path / "home", sources=tmp_path / "sources", quiet_seconds=0)


def _refresh(own: Settings) -> None:
    """What a refresh leaves for the sensor: of each table, what it was made from."""
    files = all_files(own, FileHashes(own.home))
    versions = {
        f"raw.{name}": Version(
            "code", {}, {FILE + name: version_of(found)}, name, metadata={FILES: {FILE + name: found}}
        )
        for name, found in files.items()
    }
    versions["marts.suitability"] = Version("code", {}, {"raw.results": "results"}, "made")
    DuckDBWarehouse(own.warehouse_path).write({}, versions)


class Sensor:
    """The sensor with its cursor, as the daemon keeps it."""

    def __init__(self, own: Settings) -> None:
        self.own = own
        self.cursor: str | None = None
        self.told = ""

    def look(self) -> list[dg.RunRequest]:
        context = dg.build_sensor_context(cursor=self.cursor, resources={"settings": self.own})
        result = changed_inputs(context)
        if isinstance(result, dg.SkipReason):
            self.told = result.skip_message or ""
            return []
        assert isinstance(result, dg.SensorResult)
        self.cursor, self.told = result.cursor or self.cursor, ""
        if isinstance(result.skip_reason, dg.SkipReason):
            self.told = result.skip_reason.skip_message or ""
        return list(result.run_requests or [])


def _keys(request: dg.RunRequest) -> set[str]:
    """What is to be made; all inputs are looked at besides."""
    keys = {key.to_user_string() for key in request.asset_selection or []}
    inputs = {f"file/{one.name}" for one in INPUTS}
    assert inputs <= keys
    return keys - inputs


@pytest.fixture
def settled(own: Settings) -> Sensor:
    """A refreshed home, and the sensor after two looks at it."""
    _refresh(own)
    sensor = Sensor(own)
    assert sensor.look() == sensor.look() == []
    return sensor


def test_a_new_file_starts_one_run_of_what_follows_once_it_is_whole(own: Settings, settled: Sensor) -> None:
    assert own.sources is not None
    path = write_results(own.sources, "system-g")
    # it still grows, and then is written anew at the same size
    assert settled.look() == [] and "whole" in settled.told
    path.write_text(path.read_text() + "\n")
    assert settled.look() == []
    os.utime(path, (1, 1))
    assert settled.look() == []
    (request,) = settled.look()
    assert request.job_name == "refresh" and _keys(request) == {"raw/results", "marts/suitability"}
    assert request.tags["suitability/why"] == "battery/results/system-g.csv is new"
    # while it runs, and after it failed, it is not asked for again
    assert settled.look() == settled.look() == [] and settled.told == "No file has changed."
    _refresh(own)
    assert settled.look() == []
    # each state has a key of its own: Dagster starts no second run for the same
    path.unlink()
    assert settled.look() == []
    (second,) = settled.look()
    assert second.run_key != request.run_key
    assert second.tags["suitability/why"] == "battery/results/system-g.csv is gone"


def test_a_copy_that_stalls_is_not_whole(own: Settings, settled: Sensor) -> None:
    """100 of 200 lines land and nothing moves for four looks; `cp -p` gave the file its original's time."""
    assert own.sources is not None
    settled.own = own.model_copy(update={"quiet_seconds": 60.0})
    path = write_results(own.sources, "system-g", {("bench", str(i)): 1 for i in range(200)})
    whole = path.read_text()
    path.write_text("".join(whole.splitlines(keepends=True)[:100]))
    os.utime(path, (1, 1))
    assert [settled.look() for _ in range(4)] == [[]] * 4
    assert "has changed within the last 60 s" in settled.told
    path.write_text(whole)
    now = time.time()
    times = (now, now + 59, now + 61, now + 76)
    asked = []
    for at in times:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("dagster_project.sensors.time.time", lambda at=at: at)
            asked.append(len(settled.look()))
    assert asked == [0, 0, 0, 1]


def test_the_same_bytes_landed_again_start_nothing(own: Settings, settled: Sensor) -> None:
    assert own.sources is not None
    path = own.sources / "battery" / "results" / "system-a.csv"
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    os.utime(path, (1, 1))
    assert settled.look() == []
    assert settled.look() == [] and settled.told == "Nothing has changed since the last refresh."
    # nor is the whole folder read at each look from then on
    assert settled.look() == [] and settled.told == "No file has changed."


def test_a_file_that_comes_back_as_it_was_before_a_run_is_asked_for(own: Settings, settled: Sensor) -> None:
    assert own.sources is not None
    path = own.sources / "battery" / "results" / "system-a.csv"
    content, times = path.read_bytes(), path.stat()
    path.write_bytes(b"changed")
    settled.look()
    assert len(settled.look()) == 1
    _refresh(own)
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    settled.look()
    assert len(settled.look()) == 1


@pytest.mark.parametrize("name", [one.name for one in INPUTS if one.base in ("sources", "llm")])
def test_every_kind_of_input_is_watched(own: Settings, settled: Sensor, name: str) -> None:
    assert own.sources is not None
    places = BY_NAME[name].locations or (("llm.toml", ()),)
    for location, suffixes in places:
        path = own.sources / location
        if not path.suffix:
            path = path / f"new{suffixes[0]}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
        assert settled.look() == []
        (request,) = settled.look()
        assert f"raw/{name}" in _keys(request)
        _refresh(own)


def test_nothing_is_asked_for_beside_a_refresh_and_is_right_after(own: Settings, settled: Sensor) -> None:
    assert own.sources is not None
    write_results(own.sources, "system-g")
    settled.look()
    with refresh_lock(own.home):
        assert settled.look() == [] and "A refresh is running" in settled.told
    assert len(settled.look()) == 1


def test_in_a_new_home_all_is_asked_for(own: Settings) -> None:
    sensor = Sensor(own)
    assert sensor.look() == []
    (request,) = sensor.look()
    assert _keys(request) == {name.replace(".", "/") for name in GRAPH}


def test_the_embedded_demo_has_nothing_to_watch_nor_has_a_folder_that_is_gone(tmp_path: Path) -> None:
    sensor = Sensor(Settings(home=tmp_path / "home", sources=None))
    assert sensor.look() == [] and "demo" in sensor.told
    sensor = Sensor(Settings(home=tmp_path / "home", sources=tmp_path / "nowhere"))
    assert sensor.look() == [] and "is no folder" in sensor.told


def test_a_damaged_working_file_is_told_and_asked_about_again(own: Settings, settled: Sensor) -> None:
    assert own.sources is not None
    good = own.warehouse_path.read_bytes()
    own.warehouse_path.write_bytes(b"\x9d" * 100_000)
    write_results(own.sources, "system-g")
    settled.look()
    assert settled.look() == [] and "is damaged" in settled.told
    own.warehouse_path.write_bytes(good)
    assert len(settled.look()) == 1


def test_a_refresh_covers_everything_but_what_is_on_demand(definitions: dg.Definitions) -> None:
    covered = definitions.resolve_job_def("refresh").asset_layer.selected_asset_keys
    graph = definitions.get_repository_def().asset_graph
    executable = {key for key in graph.get_all_asset_keys() if graph.get(key).is_executable}
    assert {key.path[-1] for key in executable - covered} == {
        "recovery_estimate",
        "calibration_estimate",
        "comparison_estimate",
    }
    assert covered <= executable


def test_there_is_one_sensor_and_what_is_stale_runs_each_night(
    own: Settings, definitions: dg.Definitions
) -> None:
    repository = definitions.get_repository_def()
    assert [sensor.name for sensor in repository.sensor_defs] == ["changed_inputs"]
    (schedule,) = repository.schedule_defs
    assert (schedule.cron_schedule, schedule.job_name) == ("0 2 * * *", "refresh")
    for is_due in (True, False):
        with (
            dg.DagsterInstance.local_temp() as instance,
            dg.build_schedule_context(instance, resources={"settings": own}) as context,
        ):
            instance.report_runless_asset_event(dg.AssetMaterialization(PUBLISHED))
            found = schedule.evaluate_tick(context)
            last = instance.get_latest_materialization_event(PUBLISHED)
            assert last and last.asset_materialization
            # what a look found unchanged is as fresh as the look
            assert (KEPT in last.asset_materialization.metadata) != is_due
        assert [_keys(one) for one in found.run_requests or []] == [
            {name.replace(".", "/") for name in GRAPH}
        ] * is_due
        _refresh(own)
