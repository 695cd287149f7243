"""The sensors on results files and chats, and what their jobs cover."""

from __future__ import annotations

import json
from pathlib import Path

import dagster as dg
import duckdb
import pytest
from assets.sources.partial import begin, finish
from dagster_project.automation import (
    CHATS,
    RESULTS,
    Watched,
    new_chat_file,
    new_results_file,
    seen_files,
)

from assets.settings import Settings
from tests.factories import write_results


@pytest.fixture
def own(tmp_path: Path) -> Settings:
    """Settings over a sources folder with one results file."""
    sources = tmp_path / "sources"
    write_results(sources, "system-a")
    return Settings(home=tmp_path / "home", sources=sources)


def _publish(own: Settings, sources: str) -> None:
    """What a whole refresh leaves for the sensor: its note, a working file, two marts of a publication."""
    begin(own, "refresh")
    finish(own.home)
    own.warehouse_path.touch()
    own.published.mkdir(parents=True, exist_ok=True)
    own.published_path.unlink(missing_ok=True)
    with duckdb.connect(str(own.published_path)) as connection:
        connection.execute("create schema marts")
        connection.execute("create table marts.refresh as select ? as sources", [sources])
        connection.execute(
            "create table marts.source_file (input text, source_file text, source_sha256 text)"
        )
        assert own.sources is not None
        for watched in (RESULTS, CHATS):
            for name, (_, sha) in seen_files(own.sources, watched, {}).items():
                row = [watched.name, f"{watched.location}/{name}", sha]
                connection.execute("insert into marts.source_file values (?, ?, ?)", row)


def _tick(own: Settings, cursor: str | None, watched: Watched = RESULTS) -> dg.SensorResult | dg.SkipReason:
    context = dg.build_sensor_context(cursor=cursor, resources={"settings": own})
    result = new_chat_file(context) if watched is CHATS else new_results_file(context)
    assert isinstance(result, dg.SensorResult | dg.SkipReason)
    return result


def _jobs(result: dg.SensorResult | dg.SkipReason) -> list[str | None]:
    assert isinstance(result, dg.SensorResult)
    return [request.job_name for request in result.run_requests or []]


def _settled(own: Settings) -> str:
    """A published refresh of these sources, and the cursor after a tick on it."""
    _publish(own, str(own.sources))
    result = _tick(own, None)
    assert _jobs(result) == []
    assert isinstance(result, dg.SensorResult)
    assert result.cursor
    return result.cursor


def test_a_new_file_starts_one_refresh_of_results_and_then_none(own: Settings) -> None:
    cursor = _settled(own)
    assert own.sources is not None
    write_results(own.sources, "system-g")
    write_results(own.sources, "system-h")
    result = _tick(own, cursor)
    assert _jobs(result) == ["refresh_results"]
    assert isinstance(result, dg.SensorResult)
    assert _jobs(_tick(own, result.cursor)) == []


def test_a_changed_file_starts_a_refresh(own: Settings) -> None:
    cursor = _settled(own)
    assert own.sources is not None
    write_results(own.sources, "system-a", {("bench", "1"): 0})
    assert _jobs(_tick(own, cursor)) == ["refresh_results"]


def test_an_identical_file_landed_again_starts_nothing(own: Settings) -> None:
    cursor = _settled(own)
    assert own.sources is not None
    path = own.sources / "battery" / "results" / "system-a.csv"
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    assert _jobs(_tick(own, cursor)) == []


def test_a_removed_file_starts_a_refresh_and_so_does_its_return(own: Settings) -> None:
    assert own.sources is not None
    path = write_results(own.sources, "system-b")
    cursor = _settled(own)
    content = path.read_bytes()
    path.unlink()
    gone = _tick(own, cursor)
    assert _jobs(gone) == ["refresh_results"]
    assert isinstance(gone, dg.SensorResult)
    path.write_bytes(content)
    assert _jobs(_tick(own, gone.cursor)) == ["refresh_results"]


def test_the_first_tick_compares_with_what_is_published(own: Settings) -> None:
    _publish(own, str(own.sources))
    assert own.sources is not None
    write_results(own.sources, "system-g")
    assert _jobs(_tick(own, None)) == ["refresh_results"]


def test_without_a_publication_of_these_sources_everything_is_refreshed(own: Settings) -> None:
    assert _jobs(_tick(own, None)) == ["refresh"]
    _publish(own, "another folder")
    assert _jobs(_tick(own, None)) == ["refresh"]


def test_the_embedded_demo_has_nothing_to_watch(own: Settings, tmp_path: Path) -> None:
    result = _tick(Settings(home=tmp_path / "home", sources=None), None)
    assert isinstance(result, dg.SkipReason)
    assert "demo" in (result.skip_message or "")


def test_a_new_month_of_chats_starts_a_refresh_of_chats_alone(own: Settings) -> None:
    assert own.sources is not None
    folder = own.sources / "chats"
    folder.mkdir()
    (folder / "2026-01.jsonl").write_text("{}\n")
    # of two sensors that find nothing published one starts the whole refresh
    assert isinstance(_tick(own, None, CHATS), dg.SkipReason) and _jobs(_tick(own, None)) == ["refresh"]
    _publish(own, str(own.sources))
    (folder / "2026-02.jsonl").write_text("{}\n")
    first = _tick(own, None, CHATS)
    assert _jobs(first) == ["refresh_chats"]
    assert isinstance(first, dg.SensorResult)
    assert _jobs(_tick(own, first.cursor, CHATS)) == []
    # results have a sensor of their own
    assert _jobs(_tick(own, None)) == []
    # as long as nobody touches a file it is not read again, however large it is
    seen = seen_files(own.sources, CHATS, {})
    seen["2026-01.jsonl"][1] = "as it was"
    assert seen_files(own.sources, CHATS, seen) == seen
    # a cursor of an earlier version holds the hashes alone
    old = json.dumps({name: sha256 for name, (_, sha256) in seen_files(own.sources, CHATS, {}).items()})
    assert _jobs(_tick(own, old, CHATS)) == []
    (folder / "2026-01.jsonl").write_text("{ }\n")
    assert _jobs(_tick(own, first.cursor, CHATS)) == ["refresh_chats"]


def test_after_a_refresh_that_did_not_get_through_everything_is_refreshed(own: Settings) -> None:
    cursor = _settled(own)
    begin(own, "refresh")
    assert own.sources is not None
    write_results(own.sources, "system-g")
    assert _jobs(_tick(own, cursor)) == ["refresh"]
    finish(own.home)
    assert _jobs(_tick(own, cursor)) == ["refresh_results"]
    # nor beside figures of other settings, or a note that can't be read
    assert _jobs(_tick(own.model_copy(update={"min_cell": 50}), cursor)) == ["refresh"]
    (own.home / "begun.json").write_text("junk")
    assert _jobs(_tick(own, cursor)) == ["refresh"]


def test_the_chats_job_leaves_onet_and_all_else_alone(definitions: dg.Definitions) -> None:
    keys = {
        key.to_user_string()
        for key in definitions.resolve_job_def("refresh_chats").asset_layer.selected_asset_keys
    }
    assert {"raw/chat", "model/chat_request", "model/adoption_bootstrap", "marts/occupation_adoption"} <= keys
    assert {"raw/refresh", "raw/source_file", "marts/refresh", "published/marts", "published/report"} <= keys
    untouched = {"raw/onet_task", "intermediate/int_occupation", "raw/index_value", "raw/result"}
    assert not untouched & keys


def test_the_results_job_leaves_ratings_and_survey_alone(definitions: dg.Definitions) -> None:
    keys = {
        key.to_user_string()
        for key in definitions.resolve_job_def("refresh_results").asset_layer.selected_asset_keys
    }
    assert {"raw/result", "intermediate/int_response", "model/capability_draw", "marts/suitability"} <= keys
    assert {"raw/refresh", "raw/source_file", "marts/refresh", "published/marts", "published/report"} <= keys
    untouched = {
        "raw/rating",
        "raw/survey_response",
        "intermediate/int_demand",
        "intermediate/int_activity_importance",
    }
    assert not untouched & keys


def test_everything_but_what_is_on_demand_runs_each_night(definitions: dg.Definitions) -> None:
    (schedule,) = definitions.get_repository_def().schedule_defs
    assert schedule.cron_schedule == "0 2 * * *"
    covered = definitions.resolve_job_def(schedule.job_name).asset_layer.selected_asset_keys
    graph = definitions.get_repository_def().asset_graph
    executable = {key for key in graph.get_all_asset_keys() if graph.get(key).is_executable}
    assert {key.path[-1] for key in executable - covered} == {
        "recovery_estimate",
        "calibration_estimate",
        "comparison_estimate",
    }
    assert covered <= executable
