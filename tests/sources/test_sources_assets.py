"""The raw assets on a real warehouse file: tables written, faults shown, everything else left standing."""

from __future__ import annotations

import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pandas as pd
import pytest

from assets.settings import PROJECT, Settings
from assets.sources import assets as sources_assets
from assets.sources import refresh_record
from assets.sources.input_root import sources_folder
from assets.sources.readers import SourceError
from dagster_project.resources import DuckDBWarehouse
from tests.support.factories import write_ratings, write_results, write_sources

RAW = [
    asset for asset in dg.load_assets_from_modules([sources_assets]) if isinstance(asset, dg.AssetsDefinition)
]


def run(sources: Path, home: Path) -> dg.ExecuteInProcessResult:
    settings = Settings(sources=sources, home=home)
    resources = {"settings": settings, "warehouse": DuckDBWarehouse(settings.warehouse_path)}
    return dg.materialize(RAW, resources=resources, raise_on_error=False)


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    return write_sources(tmp_path / "inputs")


def test_every_raw_table_is_written(inputs: Path, tmp_path: Path) -> None:
    result = run(inputs, tmp_path / "home")
    assert result.success
    warehouse = DuckDBWarehouse(tmp_path / "home" / "warehouse.duckdb")
    counts = {
        name: len(warehouse.read(f"raw.{name}"))
        for name in (
            "refresh",
            "rating",
            "result",
            "ai_system",
            "source_file",
            "interview",
            "propensity_item",
            "propensity_band",
            "propensity_response",
            "onet_occupation",
            "onet_task",
            "oews",
            "oews_crosswalk",
            "chat",
            "chat_file",
            "index_value",
            "candidate",
            "tournament_output",
            "tournament_verdict",
            "assistance_trait",
            "tool_server",
            "scenario",
            "trajectory",
            "trajectory_verdict",
        )
    }
    assert counts == {
        "refresh": 1,
        "rating": 72,
        "result": 2,
        "ai_system": 1,
        "source_file": 25,
        "interview": 2,
        "propensity_item": 2,
        "propensity_band": 2,
        "propensity_response": 2,
        "onet_occupation": 2,
        "onet_task": 2,
        "oews": 2,
        "oews_crosswalk": 2,
        "chat": 2,
        "chat_file": 1,
        "index_value": 5,
        "candidate": 4,
        "tournament_output": 3,
        "tournament_verdict": 1,
        "assistance_trait": 1,
        "tool_server": 1,
        "scenario": 1,
        "trajectory": 1,
        "trajectory_verdict": 1,
    }
    assert set(warehouse.read("raw.rating")["level"]) == {"1"}
    assert warehouse.read("raw.survey_response")["respondent"].nunique() == 2
    assert warehouse.read("raw.survey_codebook").empty


def test_a_bad_file_fails_its_own_asset_and_keeps_the_old_table(inputs: Path, tmp_path: Path) -> None:
    run(inputs, tmp_path / "home")
    (inputs / "battery/results/system-b.csv").touch()
    write_ratings(inputs, "rater-c")
    result = run(inputs, tmp_path / "home")
    failed = {event.node_name: event.step_failure_data for event in result.get_step_failure_events()}
    assert set(failed) == {"raw__result"}
    cause = failed["raw__result"].user_failure_data
    assert cause is not None and "battery/results/system-b.csv, row 1: the file is empty" in str(
        cause.description
    )
    warehouse = DuckDBWarehouse(tmp_path / "home" / "warehouse.duckdb")
    assert len(warehouse.read("raw.result")) == 2 and len(warehouse.read("raw.rating")) == 108


def test_an_absent_input_gives_an_empty_table(inputs: Path, tmp_path: Path) -> None:
    run(inputs, tmp_path / "home")
    shutil.rmtree(inputs / "survey")
    for name in ("chats", "onet", "oews", "comparison"):
        shutil.rmtree(inputs / name)
    assert run(inputs, tmp_path / "home").success
    warehouse = DuckDBWarehouse(tmp_path / "home" / "warehouse.duckdb")
    for table in ("survey_response", "interview", "chat", "chat_file", "onet_task", "oews", "index_value"):
        assert warehouse.read(f"raw.{table}").empty, table


def test_a_parquet_of_chats_cut_in_half_fails_by_name_and_the_old_chats_stay(
    inputs: Path, tmp_path: Path
) -> None:
    run(inputs, tmp_path / "home")
    whole = tmp_path / "whole.parquet"
    pd.DataFrame({"chat_id": ["c3"] * 500, "text": [f"Ask {i}" for i in range(500)]}).to_parquet(whole)
    data = whole.read_bytes()
    (inputs / "chats" / "new.parquet").write_bytes(data[: len(data) // 2])
    result = run(inputs, tmp_path / "home")
    (failed,) = result.get_step_failure_events()
    assert failed.node_name == "chats"
    cause = failed.step_failure_data.user_failure_data
    assert cause is not None and "chats/new.parquet: cannot be read to its end" in str(cause.description)
    assert len(DuckDBWarehouse(tmp_path / "home" / "warehouse.duckdb").read("raw.chat")) == 2


def test_metadata_tells_what_was_left_out(inputs: Path, tmp_path: Path) -> None:
    (inputs / "battery/ratings/notes.txt").touch()
    (inputs / "battery/items/old").mkdir(parents=True, exist_ok=True)
    result = run(inputs, tmp_path / "home")
    (shown,) = result.asset_materializations_for_node("raw__rating")
    assert shown.metadata["ignored_files"].value == ["battery/ratings/notes.txt"]
    (shown,) = result.asset_materializations_for_node("raw__item")
    assert shown.metadata["ignored_files"].value == ["battery/items/old"]
    survey = result.asset_materializations_for_node("survey")
    assert {one.asset_key.path[-1] for one in survey} == {"survey_response", "survey_codebook"}
    assert survey[0].metadata["ignored_files"].value == []
    assert "'survey/online.csv': ['StartDate', 'IPAddress'," in str(
        survey[0].metadata["ignored_columns"].value
    )


def test_data_version_follows_the_bytes(inputs: Path, tmp_path: Path) -> None:
    def version() -> str:
        (shown,) = run(inputs, tmp_path / "home").asset_materializations_for_node("raw__result")
        return (shown.tags or {})["dagster/data_version"]

    first = version()
    write_results(inputs)  # identical bytes land again
    assert version() == first
    write_results(inputs, scores={("bench", "1"): 0})
    assert version() != first


def test_a_reader_is_asked_again_only_of_other_files(inputs: Path, tmp_path: Path) -> None:
    """Tables with a suite are made until it has passed, which it never does here; the rest are kept."""

    def made(*changed: Path) -> set[str]:
        for path in changed:
            path.write_bytes(path.read_bytes())
        result = run(inputs, tmp_path / "home")
        assert result.success
        told = [
            one.step_materialization_data.materialization for one in result.get_asset_materialization_events()
        ]
        return {one.asset_key.path[-1] for one in told if "reason" in one.metadata}

    with_suite = {path.stem for path in (PROJECT / "expectations").glob("*.json")}
    first = made()
    assert with_suite | {"refresh", "source_file", "item", "propensity_demand"} <= first
    again = made()
    assert with_suite | {"refresh"} <= again and not {"source_file", "item"} & again
    # the same bytes at another time are no other file
    assert made(inputs / "battery/systems.csv") == again
    write_ratings(inputs, "rater-c")
    assert made() == again | {"source_file"}
    (table,) = DuckDBWarehouse(tmp_path / "home" / "warehouse.duckdb").read("raw.refresh").to_dict("records")
    assert table["sources"] == str(inputs)


def test_refresh_row(inputs: Path, tmp_path: Path) -> None:
    settings = Settings(sources=inputs, home=tmp_path / "home", seed=7)
    at = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    run_id = "0123abcd-4567-89ab-cdef-0123456789ab"
    row = refresh_record.new_refresh(settings, inputs, at, run_id).iloc[0]
    assert row["refresh_id"] == "20260304T050607Z-0123abcd"
    assert (row["seed"], row["sources"], bool(row["is_synthetic"])) == (7, str(inputs), False)
    assert row["duckdb_version"] == "2.0.1"
    (inputs / "SYNTHETIC.md").touch()
    assert bool(refresh_record.new_refresh(settings, inputs, at, run_id).iloc[0]["is_synthetic"])


def test_git_commit_is_that_of_the_project_or_null(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refresh_record.git_commit(tmp_path) is None
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], [*identity, "commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    assert re.fullmatch(r"[0-9a-f]{40}", refresh_record.git_commit(tmp_path) or "")
    (tmp_path / "unpacked").mkdir()
    assert refresh_record.git_commit(tmp_path / "unpacked") is None  # another project's checkout around ours
    monkeypatch.setenv("PATH", "")
    assert refresh_record.git_commit(tmp_path) is None


@pytest.mark.parametrize("make", [False, True])
def test_a_wrong_sources_folder_is_named(make: bool, tmp_path: Path) -> None:
    folder = tmp_path / "typo"
    if make:
        (folder / "unrelated").mkdir(parents=True)
    with pytest.raises(SourceError, match="SUITABILITY_SOURCES") as caught:
        sources_folder(Settings(sources=folder, home=tmp_path))
    assert str(folder) in str(caught.value)
