"""What a user is told: which rows a check found, wrong paths and settings, names that look like markup."""

from __future__ import annotations

import errno
import json
import os
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner
from pydantic import ValidationError
from rich.console import Console

from assets.settings import Settings
from assets.sources.inputs import stamps
from dagster_project.cli import refresh_command, show
from dagster_project.cli.failing_rows import failing_rows, null_rows, with_remedy
from dagster_project.cli.main import main
from dagster_project.publication.publish import Mart, publish
from dagster_project.publication.read_published import query
from dagster_project.resources import DuckDBWarehouse


def test_the_rows_behind_a_failed_dbt_test_are_named(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    node = {
        "resource_type": "test",
        "name": "floor_x",
        "package_name": "suitability_warehouse",
        "original_file_path": "models/x.yml",
        "path": "floor_x.sql",
    }
    (tmp_path / "dbt/target").mkdir(parents=True)
    (tmp_path / "dbt/target/manifest.json").write_text(json.dumps({"nodes": {"t": node}}))
    compiled = tmp_path / "dbt/run/compiled/suitability_warehouse/models/x.yml"
    compiled.mkdir(parents=True)
    (compiled / "floor_x.sql").write_text("select benchmark, share from x -- below the floor")
    with DuckDBWarehouse(settings.warehouse_path).connect() as connection:
        connection.execute("create table x as select 'AGIEval-MCQ' as benchmark, 0.0 as share")
    assert failing_rows(settings, "floor_x") == ["benchmark=AGIEval-MCQ, share=0.0"]
    assert failing_rows(settings, "another") == []
    # and those for which a model was refused
    model = node | {"resource_type": "model", "name": "x", "original_file_path": "models/x.sql"}
    (tmp_path / "dbt/target/manifest.json").write_text(json.dumps({"nodes": {"t": node, "m": model}}))
    (compiled.parent / "x.sql").write_text("select benchmark, nullif(share, 0) as share from x")
    message = "Runtime Error in model x\n  Constraint Error: NOT NULL constraint failed: x__dbt_tmp.share"
    assert null_rows(settings, message) == [
        "Column share of x must not be NULL. First rows where it is:",
        "benchmark=AGIEval-MCQ, share=None",
    ]
    assert null_rows(settings, "another error") == []
    (compiled / "floor_x.sql").write_text("select * from gone")
    assert failing_rows(settings, "floor_x") == []


@pytest.mark.parametrize("name", ["o'brien", 'say "hi"', "space ünïcode", "semi;colon", "[x]"])
def test_odd_home_names_publish(tmp_path: Path, name: str) -> None:
    warehouse = DuckDBWarehouse(tmp_path / name / "warehouse.duckdb")
    with warehouse.connect() as connection:
        connection.execute("create schema marts")
        connection.execute("create table marts.m as select 1 as k")
    publish(warehouse, tmp_path / name / "published", [Mart("m", ("k",), ("k",))])
    assert query(tmp_path / name / "published" / "suitability.duckdb", "select k from marts.m")[1] == [(1,)]


@pytest.mark.parametrize("name", ["a%20b", "q?x", "a#b", "back\\slash"])
def test_home_names_that_would_write_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValidationError, match="must not hold"):
        Settings(home=tmp_path / name)


def test_a_misspelt_variable_is_named_with_its_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUITABILITY_SOURCE", "data")
    with pytest.raises(ValidationError, match="SUITABILITY_SOURCE; did you mean SUITABILITY_SOURCES"):
        Settings()


@pytest.mark.parametrize("text", ["1,2,5", " 1, 2 ,5 ", "[1, 2, 5]"])
def test_a_list_is_written_with_commas_or_as_json(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SUITABILITY_DEPTH_CHATS", text)
    assert Settings().depth_chats == (1, 2, 5)


@pytest.mark.parametrize("text", ["a", "1,b", "5,1", "", "1,,2", "{}", "[1,2", "0", "1.5"])
def test_a_wrong_list_is_a_usage_error(text: str) -> None:
    result = CliRunner().invoke(main, ["status"], env={"SUITABILITY_DEPTH_CHATS": text})
    assert result.exit_code == 2
    assert "SUITABILITY_DEPTH_CHATS: must be whole numbers from 1" in result.output


def test_an_empty_path_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    default = Settings()
    for name in ("SUITABILITY_HOME", "SUITABILITY_SOURCES", "SUITABILITY_LLM"):
        monkeypatch.setenv(name, "")
    settings = Settings()
    assert (settings.home, settings.sources, settings.llm) == (default.home, None, None)


@pytest.mark.parametrize(
    ("temperature", "slope", "told"),
    [
        (1000, 1, "SUITABILITY_TEMPERATURE: .*20"),
        (20, 5, "^Error: SUITABILITY_TEMPERATURE times .*at most 50$"),
    ],
)
def test_a_curve_beyond_floating_point_is_a_usage_error(temperature: int, slope: int, told: str) -> None:
    given = {"SUITABILITY_TEMPERATURE": str(temperature), "SUITABILITY_SLOPE": str(slope)}
    result = CliRunner().invoke(main, ["status"], env=given)
    assert result.exit_code == 2
    assert re.search(told, result.output, re.MULTILINE), result.output


@pytest.mark.skipif(
    os.geteuid() == 0 and not Path("/proc/self").exists(), reason="needs a folder that can't be made"
)
@pytest.mark.parametrize("command", ["refresh", "docs"])
def test_a_home_that_cannot_be_made_is_a_usage_error(command: str) -> None:
    result = CliRunner().invoke(
        main, [command], env={"SUITABILITY_HOME": "/proc/self/x", "SUITABILITY_SOURCES": None}
    )
    assert result.exit_code == 2
    assert "is not writable" in result.output


def test_names_with_square_brackets_are_shown_as_they_are() -> None:
    console = Console(record=True, width=100)
    show.rows(console, ["[/x]"], [("gpt-5 [high]",), ("[/nope]",)])
    text = console.export_text()
    assert "gpt-5 [high]" in text
    assert "[/nope]" in text
    assert "[/x]" in text


def _sqlite_fails() -> None:
    try:
        raise sqlite3.OperationalError("disk I/O error")
    except sqlite3.OperationalError as error:
        # as SQLAlchemy does for Dagster's records
        raise RuntimeError("[SQL: insert into event_logs ...]") from error


def _write_fails() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("fault", [_sqlite_fails, _write_fails])
@pytest.mark.parametrize("verbose", [(), ("--verbose",)])
def test_a_full_disk_is_one_sentence_that_names_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Callable[[], None], verbose: tuple[str, ...]
) -> None:
    monkeypatch.setattr(refresh_command, "_refresh", lambda *_: fault())
    env = {"SUITABILITY_HOME": str(tmp_path / "home"), "SUITABILITY_SOURCES": None}
    result = CliRunner().invoke(main, ["refresh", *verbose], env=env)
    assert result.exit_code == 1
    (line,) = result.output.splitlines()
    assert line.startswith(f"{tmp_path / 'home'}: the disk is full or not writable (")
    assert "SUITABILITY_HOME" in line


def test_damage_that_dbt_meets_is_told_with_the_file_and_what_to_do(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    message = "Runtime Error in model x\n  Corrupt database file: computed checksum 1 does not match"
    told = with_remedy(settings, message)
    assert told.startswith(f"{settings.warehouse_path} is damaged: delete it and run `suitability refresh`")
    assert message in told and with_remedy(settings, told) == told
    assert with_remedy(settings, "another error") == "another error"


@pytest.fixture
def published(tmp_path: Path) -> Path:
    path = tmp_path / "published" / "suitability.duckdb"
    path.parent.mkdir()
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table t as select 1 as a")
    return path


def sql(published: Path, *arguments: str) -> tuple[int, str]:
    home = str(published.parent.parent)
    result = CliRunner().invoke(
        main, ["sql", *arguments], env={"SUITABILITY_HOME": home, "SUITABILITY_SOURCES": None}
    )
    return result.exit_code, result.output


def test_a_query_may_start_with_a_comment(published: Path) -> None:
    assert sql(published, "-- 1. How many?\nselect count(*) as n from t", "--format", "csv") == (0, "n\n1\n")


@pytest.mark.parametrize("query_text", ["", "select 1; select 2", "copy (select 1) to '{folder}/made.csv'"])
def test_sql_reads_the_marts_and_nothing_else(published: Path, query_text: str) -> None:
    code, output = sql(published, query_text.format(folder=published.parent))
    assert code == 1
    assert "Traceback" not in output
    assert not (published.parent / "made.csv").exists()


def test_json_holds_no_nan_and_no_doubled_name(published: Path) -> None:
    code, output = sql(published, "select 'nan'::double as x, 'inf'::double as y", "--format", "json")
    assert (code, json.loads(output)) == (0, [{"x": None, "y": None}])
    assert sql(published, "select 1 as a, 2 as a", "--format", "json")[0] == 1


def test_a_filled_template_folder_is_refused_in_a_line(tmp_path: Path) -> None:
    env = {"SUITABILITY_HOME": str(tmp_path / "home"), "SUITABILITY_SOURCES": None}
    assert CliRunner().invoke(main, ["template", str(tmp_path / "in")], env=env).exit_code == 0
    again = CliRunner().invoke(main, ["template", str(tmp_path / "in")], env=env)
    assert again.exit_code == 1
    assert "not overwritten" in again.output


def test_the_sensor_watches_the_files_that_the_reader_takes(tmp_path: Path) -> None:
    folder = tmp_path / "battery" / "results"
    folder.mkdir(parents=True)
    for name in ("a.csv", "B.CSV", ".hidden.csv", "~lock.csv", "notes.txt"):
        (folder / name).write_text(name)
    watched = [path for path, _ in stamps(Settings(home=tmp_path / "home", sources=tmp_path))]
    assert sorted(watched) == [str(folder / "B.CSV"), str(folder / "a.csv")]
