"""`suitability shortform`: a form made, filled in by a script, read back, and taken by readers, staging and marts."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from assets.sources.readers import read_ratings, read_results, read_systems
from dagster_project.cli.main import main
from dagster_project.runs.lock import refresh_lock
from tests.support.battery.slice_build import BatteryPipeline
from tests.support.factories import CAPABILITIES, write_ratings, write_results, write_systems

BENCHMARKS = ("maths", "words", "spare")
ITEMS = [(BENCHMARKS[i % 3], f"{i:03d}") for i in range(45)]


def call(*arguments: object, home: Path, sources: Path | None) -> Result:
    env = {"SUITABILITY_HOME": str(home), "SUITABILITY_SOURCES": str(sources) if sources else None}
    return CliRunner().invoke(main, ["shortform", *map(str, arguments)], env=env)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """45 items of 3 benchmarks, rated alike by two in other orders, answered by a system; texts, keys of 'maths'."""
    folder = tmp_path_factory.mktemp("sources")
    rng = np.random.default_rng(0)
    levels = {key: dict(zip(CAPABILITIES, rng.integers(0, 6, 18), strict=True)) for key in ITEMS}
    write_ratings(folder, "rater-a", ITEMS, levels)
    write_ratings(folder, "rater-b", reversed(ITEMS), levels)
    write_results(folder, "system-a", {key: i % 2 for i, key in enumerate(ITEMS)})
    write_systems(folder, [{"system": "system-a", "name": "System A"}])
    lines = [
        json.dumps({"item": item, "text": f"What is {item}?", "answer": f"It is {item}"})
        for benchmark, item in ITEMS
        if benchmark == "maths"
    ]
    path = folder / "battery/items/maths.jsonl"
    path.parent.mkdir()
    path.write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working warehouse with demands (nothing of 'spare' demands anything) and an intercept."""
    folder = tmp_path_factory.mktemp("home")
    rng = np.random.default_rng(1)
    demand = pd.DataFrame(
        [
            (*key, dimension, 0.0 if key[0] == "spare" else float(rng.integers(1, 11)) / 2)
            for key in ITEMS
            for dimension in ("L", "SM")
        ],
        columns=["benchmark", "item", "dimension", "demand"],
    )
    demand.loc[demand["dimension"] == "SM", "demand"] *= rng.integers(0, 2, len(ITEMS))
    with duckdb.connect(str(folder / "warehouse.duckdb")) as connection:
        connection.register("planted", demand)
        connection.execute(
            "create schema intermediate; create table intermediate.int_demand as select * from planted"
        )
        connection.execute(
            "create schema estimate; create table estimate.intercept_draw as select 1 as chain, 1 as draw, 0.5 as value"
        )
    return folder


def fill(form: Path, answer: dict[str, str], score: dict[str, str]) -> list[dict[str, str]]:
    """Answers and scores by item; the lines of the form as they were."""
    with form.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    filled = [
        line | {"answer": answer.get(line["item"], ""), "score": score.get(line["item"], "")}
        for line in lines
    ]
    with form.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(filled)
    return lines


def test_a_form_goes_out_and_comes_back_as_a_person(home: Path, sources: Path, tmp_path: Path) -> None:
    made = call("--n", 12, "--out", tmp_path / "form", home=home, sources=sources)
    assert made.exit_code == 0, made.output
    assert "items have no text" in made.output and "items have no expected answer" in made.output
    form = tmp_path / "form/form.csv"
    asked = fill(form, {}, {})
    by_benchmark = {b: [line["item"] for line in asked if line["benchmark"] == b] for b in BENCHMARKS}
    assert len(asked) == 12 and max(map(len, by_benchmark.values())) <= 8 and not by_benchmark["spare"]
    assert all(
        (line["text"] == f"What is {line['item']}?") == (line["benchmark"] == "maths") for line in asked
    )
    right, wrong, *_ = by_benchmark["maths"]
    by_hand, no_key, *_ = by_benchmark["words"]
    fill(form, {right: f" it IS {right} ", wrong: "no idea", no_key: "an essay"}, {by_hand: "1"})

    read = call("--read", form, "--system", "Person 7", home=home, sources=sources)
    assert read.exit_code == 0, read.output
    assert "Person 7: 3 scored, 1 unscored (no key, no score), 8 unanswered (missing)" in read.output
    again = call("--read", form, "--system", "Person 7", home=home, sources=sources)
    assert again.exit_code == 1 and "battery/results/Person 7.csv" in again.output
    assert (
        call("--read", form, "--system", "system-a", "--replace", home=home, sources=sources).exit_code == 1
    )

    pipeline = BatteryPipeline(tmp_path / "warehouse")
    for reading in (read_ratings(sources), read_results(sources), read_systems(sources)):
        pipeline.land(reading.frames)
    models = ["+benchmark", "+ai_system", "stg_ai_system_reject"]
    # 41 items that the person was not asked don't lower the join coverage
    tests = ["test_name:join_coverage_floor", "benchmark,test_type:data", "ai_system,test_type:data"]
    command = ["build", "-s", *models, *tests, "--indirect-selection", "empty"]
    assert pipeline.dbt(*command), pipeline.failures()
    assert [s for n, s in pipeline.status.items() if n.startswith("join_coverage_floor")] == ["pass"]
    systems = pipeline.read("marts.ai_system").set_index("system")
    columns = ["name", "kind", "n_items", "n_scored", "n_unscored", "accuracy"]
    person = systems.loc[["Person 7"], columns].to_numpy().tolist()
    assert person == [["Person 7", "human", 4, 3, 1, pytest.approx(2 / 3)]]
    assert systems.loc["system-a", "kind"] == "ai"
    covered = pipeline.read("marts.benchmark").query("system == 'Person 7'").set_index("benchmark")
    assert covered.loc[["maths", "words"], ["n_results", "join_coverage_share"]].to_numpy().tolist() == [
        [2, 1.0],
        [2, 1.0],
    ]
    assert covered.loc["spare", "n_results"] == 0 and pd.isna(covered.loc["spare", "join_coverage_share"])
    result = pipeline.read("staging.stg_result").query("system == 'Person 7'").set_index("item")["score"]
    assert result.fillna(-1).to_dict() == {right: 1.0, wrong: 0.0, by_hand: 1.0, no_key: -1.0}
    assert pipeline.read("staging.stg_ai_system_reject").empty


def test_the_same_form_each_time_and_never_over_a_filled_one(
    home: Path, sources: Path, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        assert call("--n", 8, "--cap", 5, "--out", tmp_path / name, home=home, sources=sources).exit_code == 0
    first, second = ({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in ("a", "b"))
    assert first == second and set(first) == {"form.csv", "key.csv", "README.txt"}
    assert max(pd.read_csv(tmp_path / "a/key.csv")["benchmark"].value_counts()) <= 5
    refused = call("--n", 8, "--out", tmp_path / "a", home=home, sources=sources)
    assert refused.exit_code == 1 and "form.csv" in refused.output
    assert {p.name: p.read_bytes() for p in (tmp_path / "a").iterdir()} == first


def test_what_can_not_be_done_is_said(home: Path, sources: Path, tmp_path: Path) -> None:
    nothing = call("--out", tmp_path / "form", home=tmp_path / "new", sources=sources)
    assert nothing.exit_code == 1 and "run `suitability refresh` first" in nothing.output
    form = tmp_path / "form.csv"
    form.write_text("benchmark,item,answer\nmaths,000,x\n")
    for arguments, folder, code, message in (
        (("--read", form, "--system", "P"), None, 2, "suitability template"),
        (("--read", form, "--system", "P"), sources, 1, "key.csv"),
        (("--system", "P"), sources, 2, "can only be used with --read"),
    ):
        result = call(*arguments, home=home, sources=folder)
        assert result.exit_code == code
        assert message in result.output
    with refresh_lock(home):
        pass  # free: nothing above kept it


def test_a_running_refresh_is_code_4(home: Path, sources: Path, tmp_path: Path) -> None:
    import fcntl

    with (home / "refresh.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        busy = call("--out", tmp_path / "form", home=home, sources=sources)
    assert busy.exit_code == 4 and "is already refreshing" in busy.output


def test_a_working_file_that_is_open_elsewhere_or_damaged_is_told(
    home: Path, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "home"
    own.mkdir()
    path = own / "warehouse.duckdb"
    shutil.copy(home / path.name, path)
    monkeypatch.setenv("SUITABILITY_LOCK_WAIT_SECONDS", "0")
    hold = "import duckdb, sys, time; c = duckdb.connect(sys.argv[1]); print(flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", hold, str(path)], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline()
        busy = call("--out", tmp_path / "form", home=own, sources=sources)
        other.kill()
    assert busy.exit_code == 4 and "Close whatever has it open" in busy.output
    path.write_bytes(b"\x9d" * 100_000)
    damaged = call("--out", tmp_path / "form", home=own, sources=sources)
    assert damaged.exit_code == 1 and "is damaged: delete it" in damaged.output
