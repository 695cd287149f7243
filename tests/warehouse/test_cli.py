"""The command line: help, exit codes, output formats, and what a failed run says."""

from __future__ import annotations

import csv
import io
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import duckdb
import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from assets.capability.fit import fit_store
from assets.capability.fit.factorised import SystemFit
from assets.settings import PROJECT, Settings
from dagster_project.asset_checks import failed_check
from dagster_project.cli import show
from dagster_project.cli.main import main
from dagster_project.publication.read_published import read_publication
from dagster_project.runs.instance import open_instance
from dagster_project.runs.lock import refresh_lock
from dagster_project.runs.monitor import Watch, run_job
from tests.support.factories import write_sources


def _call(
    *arguments: str, home: Path, sources: Path | str | None = None, given: str | None = None, **env: str
) -> Result:
    variables: dict[str, str | None] = {"SUITABILITY_HOME": str(home), "SUITABILITY_SOURCES": None, **env}
    if sources:
        variables["SUITABILITY_SOURCES"] = str(sources)
    return CliRunner().invoke(main, arguments, env=variables, input=given)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a hand-made publication of two suitability pairs."""
    folder = tmp_path / "published"
    folder.mkdir()
    with duckdb.connect(str(folder / "suitability.duckdb")) as connection:
        connection.execute(
            """
            create schema marts;
            create table marts.refresh as
                select 'r1' as refresh_id, timestamp '2026-01-02 03:04:05' as finished_at, 'demo' as sources,
                    true as is_synthetic;
            create table marts.slice_status as
                select 'work' as slice, 'skipped' as status, 'no files in survey' as reason;
            create table marts.policy as select 'p' as policy, true as is_default union all select 'q', false;
            create table marts.ai_system as select 's' as system, 'System S' as name, 'ai' as kind;
            create table marts.suitability as
                select * from (values ('all', 'all', 'Checking', 's', 'p', 1.25, 1.0, 1.5),
                    ('all', 'all', 'Coding', 'nameless', 'p', 2.5, 2.25, 2.75),
                    ('domain', 'd', 'Coding', 's', 'p', 9.0, 9.0, 9.0),
                    ('all', 'all', 'Coding', 's', 'q', 9.0, 9.0, 9.0))
                    as t(scope_type, scope, activity, system, policy, mean_log, q025_log, q975_log);
            """
        )
    return tmp_path


def _seconds_of_children() -> float:
    """Processor time of this process's children: the wall clock measures the neighbours as well."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_help_answers_in_under_a_second_and_documents_the_exit_codes() -> None:
    started = _seconds_of_children()
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "dagster_project.cli", "--help"],
        cwd=PROJECT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert _seconds_of_children() - started < 1
    words = ("refresh", "status", "sql", "template", "wipe", "doctor", "Exit codes", "SUITABILITY_SOURCES")
    for word in words:
        assert word in done.stdout
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert not imported & {"dagster", "pandas", "duckdb", "dbt", "pydantic"}


@pytest.mark.parametrize(
    "command", ["refresh", "status", "sql", "template", "wipe", "doctor", "dev", "docs", "shortform"]
)
def test_every_command_explains_itself(command: str, tmp_path: Path) -> None:
    result = _call(command, "--help", home=tmp_path)
    assert result.exit_code == 0
    assert "Usage" in result.output


def test_nothing_published_is_code_3(tmp_path: Path) -> None:
    for arguments in (["status"], ["sql", "select 1"]):
        result = _call(*arguments, home=tmp_path)
        assert result.exit_code == 3
        assert "Nothing is published yet" in result.output + result.stderr


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({"SUITABILITY_SOURCES": "/nowhere/at/all"}, "/nowhere/at/all"),
        ({"SUITABILITY_SEED": "many"}, "SUITABILITY_SEED"),
        ({"SUITABILITY_COMPOSITE": "median"}, "SUITABILITY_COMPOSITE"),
        ({"SUITABILITY_CAPABILITY_PRIOR_MEAN": "nan"}, "SUITABILITY_CAPABILITY_PRIOR_MEAN"),
        ({"SUITABILITY_CAPABILITY_PRIOR_SD": "inf"}, "SUITABILITY_CAPABILITY_PRIOR_SD"),
        ({"SUITABILITY_MAX_KHAT": "inf"}, "SUITABILITY_MAX_KHAT"),
    ],
)
def test_a_wrong_setting_is_code_2_and_names_it(tmp_path: Path, env: dict[str, str], message: str) -> None:
    result = _call("refresh", home=tmp_path, **env)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


def test_a_running_refresh_is_code_4_and_names_the_process(tmp_path: Path) -> None:
    done = None
    with refresh_lock(tmp_path):
        done = subprocess.run(
            [sys.executable, "-m", "dagster_project.cli", "refresh"],
            cwd=PROJECT, capture_output=True, text=True, env={"SUITABILITY_HOME": str(tmp_path), "PATH": ""},
        )  # fmt: skip
        pid = (tmp_path / "refresh.lock").read_text()
    assert done.returncode == 4
    assert f"Process {pid} is already refreshing" in done.stderr


@pytest.mark.parametrize("content", [b"\x9d" * 50_000, b"", None])
def test_a_damaged_publication_is_told_with_what_to_do(home: Path, content: bytes | None) -> None:
    path = home / "published" / "suitability.duckdb"
    if content is None:
        with duckdb.connect(str(path)) as connection:
            connection.execute("drop table marts.policy")
    else:
        path.write_bytes(content)
    told = "run `suitability refresh` to write it again"
    for arguments in (["status"], ["sql", "select * from marts.policy"])[: 1 if content is None else 2]:
        result = _call(*arguments, home=home)
        assert (result.exit_code, type(result.exception)) == (1, SystemExit)
        assert f"{path} " in result.stderr and told in result.stderr
    result = _call("doctor", home=home, COLUMNS="400")
    assert result.exit_code == 1 and told in result.output


def test_doctor_finds_a_damaged_working_file(home: Path) -> None:
    assert "working file" not in _call("doctor", home=home, COLUMNS="400").output
    (home / "warehouse.duckdb").write_bytes(b"\x9d" * 50_000)
    result = _call("doctor", home=home, COLUMNS="400")
    assert result.exit_code == 1 and "warehouse.duckdb is damaged: delete it" in result.output


def test_the_best_pairs_are_those_of_the_default_policy_over_all(home: Path) -> None:
    publication = read_publication(home / "published" / "suitability.duckdb")
    assert [(p.system, p.activity, p.mean_log, p.q025_log, p.q975_log) for p in publication.best] == [
        ("nameless", "Coding", 2.5, 2.25, 2.75),
        ("System S", "Checking", 1.25, 1.0, 1.5),
    ]
    assert publication.rows == {
        "ai_system": 1,
        "policy": 2,
        "refresh": 1,
        "slice_status": 1,
        "suitability": 4,
    }


def test_a_publication_whose_best_are_withheld_is_shown(home: Path) -> None:
    with duckdb.connect(str(home / "published" / "suitability.duckdb")) as connection:
        connection.execute("update marts.suitability set mean_log = null, q025_log = null, q975_log = null")
    publication = read_publication(home / "published" / "suitability.duckdb")
    assert publication.best == []
    show.publication(Console(file=(out := io.StringIO())), Settings(home=home), publication)
    assert "No suitability was computed" in out.getvalue()


def test_sql_answers_in_three_formats(home: Path) -> None:
    query = "select activity, mean_log from marts.suitability where policy = 'p' and scope = 'all' order by 2"
    as_csv = _call("sql", query, "--format", "csv", home=home)
    assert list(csv.reader(io.StringIO(as_csv.output))) == [
        ["activity", "mean_log"],
        ["Checking", "1.25"],
        ["Coding", "2.50"],
    ]
    as_json = _call("sql", query, "--format", "json", home=home)
    assert [row["activity"] for row in json.loads(as_json.output)] == ["Checking", "Coding"]
    as_table = _call("sql", query, home=home)
    assert "Checking" in as_table.output
    assert "2 rows" in as_table.output


def test_sql_takes_a_file_or_standard_input_and_writes_parquet_with_its_types(
    home: Path, tmp_path: Path
) -> None:
    query = tmp_path / "question.sql"
    query.write_text(
        "select policy, count(*) as n from marts.suitability group by 1 order by 1", encoding="utf-8"
    )
    answer = tmp_path / "answer.parquet"
    assert _call("sql", "-f", str(query), "-o", str(answer), home=home).exit_code == 0
    table = pq.read_table(answer)
    assert [str(kind) for kind in table.schema.types] == ["string", "int64"] and sum(
        table["n"].to_pylist()
    ) == 4
    piped = _call("sql", "--format", "csv", home=home, given=query.read_text(encoding="utf-8"))
    assert piped.output.splitlines()[0] == "policy,n" and len(piped.output.splitlines()) == 1 + table.num_rows
    assert _call("sql", "select 1", "--format", "parquet", home=home).exit_code == 2
    assert _call("sql", "select 1", "-f", str(query), home=home).exit_code == 2
    assert _call("sql", "-o", str(tmp_path), "select 1", home=home).exit_code == 2


def test_a_piped_table_is_not_cut(home: Path) -> None:
    columns = ", ".join(f"'{'x' * 40}' as column_{i}" for i in range(10))
    printed = _call("sql", f"select {columns}", home=home).output
    assert printed.count("x" * 40) == 10 and "column_9" in printed


def test_settings_are_listed_with_what_differs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUITABILITY_MIN_CELL", "3")
    told = _call("settings", "min", "cell", home=home).output
    assert "SUITABILITY_MIN_CELL = 3  (default: 1)" in told and "SUITABILITY_SEED" not in told
    changed = _call("settings", "--changed", home=home).output
    assert "SUITABILITY_MIN_CELL = 3" in changed and "SUITABILITY_SEED" not in changed
    assert "SUITABILITY_SEED = 20260101\n" in _call("settings", home=home).output


def test_help_fits_a_terminal_of_80_columns() -> None:
    for command in (main, *main.commands.values()):
        text = CliRunner().invoke(command, ["--help"]).output
        assert not [line for line in text.splitlines() if len(line) > 80], command.name


def test_sql_that_is_wrong_or_writes_is_code_1_in_duckdbs_words(home: Path) -> None:
    wrong = _call("sql", "select nothing from marts.suitability", home=home)
    assert wrong.exit_code == 1
    assert "nothing" in wrong.stderr
    writes = _call("sql", "delete from marts.suitability", home=home)
    assert writes.exit_code == 1
    assert "read-only" in writes.stderr


def test_a_reader_that_has_seen_enough_is_no_fault(tmp_path: Path) -> None:
    """As `suitability sql ... | head -1` does: the pipe is closed before all is written."""
    (tmp_path / "published").mkdir()
    with duckdb.connect(str(tmp_path / "published/suitability.duckdb")) as connection:
        connection.execute(
            "create schema marts; create table marts.n as select range as n from range(200000)"
        )
    command = [sys.executable, "-m", "dagster_project.cli", "sql", "--format", "csv", "select * from marts.n"]
    environment = os.environ | {"SUITABILITY_HOME": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"n\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_template_writes_what_doctor_then_finds(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    result = _call("template", str(folder), home=tmp_path / "home")
    assert result.exit_code == 0
    written = [Path(line) for line in result.output.split("\n") if line]
    assert written
    assert all(path.is_file() for path in written)
    seen = _call("doctor", home=tmp_path / "home", sources=folder, COLUMNS="200")
    # each of them would stop a refresh
    assert seen.exit_code == 1 and "header without rows, fill in or delete: battery/ratings/" in seen.output
    for path in written:
        header = path.read_text(encoding="utf-8-sig").partition("\n")[0]
        path.write_text(f"{header}\n{',' * header.count(',')}x\n", encoding="utf-8")
    seen = _call("doctor", home=tmp_path / "home", sources=folder, COLUMNS="200")
    assert seen.exit_code == 0 and "1 file (battery/ratings/*.csv)" in seen.output


def test_wipe_removes_the_fit_and_the_partition_of_one_system(tmp_path: Path) -> None:
    fits = {name: fit_store.system_path(tmp_path, name) for name in ("a", "b/c")}
    for name, path in fits.items():
        fit = SystemFit("factorised", np.zeros((1, 1)), np.ones(1))
        fit_store.write_system(path, fit, ("L",), name)
    with open_instance(tmp_path) as instance:
        instance.add_dynamic_partitions("ai_system", list(fits))

    unknown = _call("wipe", "b", home=tmp_path)
    assert unknown.exit_code == 1
    assert "There is no stored fit of 'b'. Stored fits: a, b/c." in unknown.stderr
    assert all(path.exists() for path in fits.values())

    done = _call("wipe", "b/c", home=tmp_path)
    assert done.exit_code == 0
    assert "Removed the fit of 'b/c'" in done.stdout
    assert [path.exists() for path in fits.values()] == [True, False]
    with open_instance(tmp_path) as instance:
        assert instance.get_dynamic_partitions("ai_system") == ["a"]
    assert _call("wipe", "b/c", home=tmp_path).exit_code == 1


def test_doctor_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = _call("doctor", home=tmp_path / "home", sources=tmp_path / "empty", COLUMNS="200")
    assert result.exit_code == 1
    assert "no input files" in result.output
    whole = _call("doctor", home=tmp_path / "home", sources=write_sources(tmp_path / "all"), COLUMNS="200")
    assert whole.exit_code == 0
    assert "2 files (battery/ratings/*.csv)" in whole.output


def test_doctor_tells_of_all_inputs_of_what_is_not_read_and_of_links_to_nothing(tmp_path: Path) -> None:
    sources = write_sources(tmp_path / "all")
    (sources / "battery/results/more").mkdir()
    (sources / "battery/results/[y].csv.gz").touch()
    (sources / "survey/interviews").mkdir(exist_ok=True)
    whole = _call("doctor", home=tmp_path / "home", sources=sources, COLUMNS="900")
    for input_name in (
        "items",
        "candidates",
        "outputs",
        "judgements",
        "traits",
        "comparison",
        "servers",
        "verdicts",
    ):
        assert f" {input_name} " in whole.output
    assert "not read: battery/results/[y].csv.gz, battery/results/more " in whole.output
    assert "not read: survey" not in whole.output and whole.exit_code == 0
    systems = sources / "battery/systems.csv"
    systems.unlink(missing_ok=True)
    systems.symlink_to(tmp_path / "nowhere.csv")
    (sources / "battery/ratings/z.csv").symlink_to(tmp_path / "nowhere.csv")
    broken = _call("doctor", home=tmp_path / "home", sources=sources, COLUMNS="900")
    assert broken.exit_code == 1
    for file in ("battery/systems.csv", "battery/ratings/z.csv"):
        assert f"broken links, correct or delete them: {file} " in broken.output


def test_a_failed_run_tells_the_first_cause_the_failed_check_and_the_last_good_publication(
    home: Path,
) -> None:
    @dg.asset(key=["raw", "rating"])
    def rating() -> None:
        try:
            int("x")
        except ValueError as error:
            raise dg.Failure("battery/ratings/a.csv, row 7: a clear message") from error

    job = dg.define_asset_job("all", dg.AssetSelection.all(), executor_def=dg.in_process_executor)
    watch = Watch()
    with dg.DagsterInstance.ephemeral() as instance:
        assert not run_job(dg.Definitions(assets=[rating], jobs=[job]), "all", instance, watch)
    observed = dg.AssetCheckResult(
        asset_key=["raw", "result"], check_name="floor", passed=False, description="at least one row",
        metadata={"observed": 0},
    )  # fmt: skip
    text = io.StringIO()
    console = Console(file=text, width=200)
    settings = Settings(home=home)
    show.checks(console, [failed_check("raw.result", observed)])
    show.failures(console, watch, verbose=False)
    show.last_good(console, settings, read_publication(settings.published_path))
    told = text.getvalue()
    assert "FAILED raw/rating\nbattery/ratings/a.csv, row 7: a clear message" in told
    assert "CHECK FAILED raw/result: floor\nat least one row; observed 0" in told
    assert "last good publication is unchanged: refresh r1 of 2026-01-02 03:04:05 UTC" in told
    assert "Traceback" not in told


def test_time_is_booked_to_the_stage_whose_asset_was_made() -> None:
    seconds = {"raw": 0.3, "marts": 0.1}

    @dg.asset(key=["raw", "rating"])
    def rating() -> None:
        time.sleep(seconds["raw"])

    @dg.asset(key=["marts", "suitability"], deps=[rating])
    def suitability() -> None:
        time.sleep(seconds["marts"])

    watch, made = Watch(), []
    watch.on_asset = lambda key, spent: made.append(key)
    job = dg.define_asset_job("all", dg.AssetSelection.all(), executor_def=dg.in_process_executor)
    with dg.DagsterInstance.ephemeral() as instance:
        assert run_job(dg.Definitions(assets=[rating, suitability], jobs=[job]), "all", instance, watch)
    assert made == ["raw/rating", "marts/suitability"]
    assert 0.3 <= watch.seconds["raw"] < 2
    assert 0.1 <= watch.seconds["marts"] < 2
    assert watch.seconds["publish"] == 0
