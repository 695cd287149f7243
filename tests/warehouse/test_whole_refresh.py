"""Whole refreshes through the command line, on a small demo: the same bytes twice, kills, changed inputs, readers.

One home serves the whole module, in order: each test leaves a good publication behind for the next.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pytest

from assets.demo.generate import ensure_demo
from tests.warehouse.contract import CONTRACT

pytestmark = [pytest.mark.refresh, pytest.mark.timeout(600)]

# the refresh and what carries its ids or the file system's times
VARYING = {"refresh", "source_file"}


@dataclass
class Workplace:
    """A home and a folder of small demo inputs that tests may change."""

    home: Path
    sources: Path
    published: Path = field(init=False)

    def __post_init__(self) -> None:
        self.published = self.home / "published" / "suitability.duckdb"

    def environment(self) -> dict[str, str]:
        where = {"SUITABILITY_HOME": str(self.home), "SUITABILITY_SOURCES": str(self.sources)}
        few_draws = {"SUITABILITY_SWEEP_DRAWS": "100", "SUITABILITY_PUBLISHED_DRAWS": "500"}
        return os.environ | where | few_draws

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "dagster_project.cli", "refresh", *arguments],
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def refresh(self, *arguments: str) -> tuple[int, str]:
        process = self.start(*arguments)
        output, _ = process.communicate(timeout=300)
        return process.returncode, output

    def kill_when(self, line_starts: str, delay: float) -> None:
        """Start a refresh and kill its whole process group once a printed line starts so."""
        process = self.start()
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip().startswith(line_starts):
                break
        else:
            raise AssertionError(f"the refresh ended before {line_starts!r}")
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()

    def query(self, sql: str) -> list[tuple]:
        with duckdb.connect(str(self.published), read_only=True) as connection:
            return connection.execute(sql).fetchall()

    def parquet(self) -> dict[str, bytes]:
        return {
            p.stem: p.read_bytes() for p in self.published.parent.glob("*.parquet") if p.stem not in VARYING
        }


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    folder = tmp_path_factory.mktemp("refresh")
    sources = shutil.copytree(ensure_demo(folder / "demo", n_items=1000, seed=20260101), folder / "sources")
    workplace = Workplace(folder / "home", sources)
    code, output = workplace.refresh()
    assert code == 0, output
    return workplace


@pytest.fixture
def reader(workplace: Workplace) -> Iterator[list[str]]:
    """Polls the published file until the test ends; the list gathers the refresh ids seen, an error fails the test."""
    seen: list[str] = []
    errors: list[BaseException] = []
    ended = threading.Event()

    def poll() -> None:
        while not ended.is_set():
            try:
                rows = workplace.query(
                    "select refresh_id, (select count(*) from marts.suitability), "
                    "(select count(distinct system) from marts.suitability) from marts.refresh"
                )
                assert len(rows) == 1 and rows[0][1] > 0, rows
                if rows[0][0] not in seen:
                    seen.append(rows[0][0])
            except BaseException as error:
                errors.append(error)
                return
            time.sleep(0.05)

    thread = threading.Thread(target=poll)
    thread.start()
    yield seen
    ended.set()
    thread.join()
    assert not errors, errors


def test_every_contracted_mart_and_column_is_published_with_a_comment(workplace: Workplace) -> None:
    found: dict[str, set[str]] = {}
    for mart, column, comment in workplace.query(
        "select table_name, column_name, comment from duckdb_columns() where schema_name = 'marts'"
    ):
        found.setdefault(mart, set()).add(column)
        assert comment, f"{mart}.{column} has no comment"
    for mart, columns in CONTRACT.items():
        assert columns <= found.get(mart, set()), f"{mart} lacks {columns - found.get(mart, set())}"


def test_another_home_gives_the_same_bytes(workplace: Workplace, tmp_path: Path) -> None:
    other = Workplace(tmp_path / "home", workplace.sources)
    code, output = other.refresh()
    assert code == 0, output
    assert other.parquet() == workplace.parquet()


def test_kills_at_every_stage_leave_the_last_good_answer_and_the_next_run_gives_the_same_bytes(
    workplace: Workplace, reader: list[str]
) -> None:
    before = workplace.parquet()
    # so that the fit has something to do and would change the answer
    results = workplace.sources / "battery" / "results" / "o4-mini.csv"
    whole = results.read_text(encoding="utf-8")
    results.write_text(whole.rsplit("\n", 3)[0] + "\n", encoding="utf-8")
    for line_starts, delay in (
        ("raw/rating ...", 0.3),
        ("seed/", 1.5),
        ("model/system_posterior ...", 3.0),
        ("published/marts ...", 0.05),
    ):
        workplace.kill_when(line_starts, delay)
        assert workplace.query("select count(*) from marts.refresh") == [(1,)]
        if not line_starts.startswith("published"):
            assert workplace.parquet() == before, f"killed at {line_starts}"
    results.write_text(whole, encoding="utf-8")
    code, output = workplace.refresh()
    assert code == 0, output
    assert workplace.parquet() == before
    time.sleep(0.5)
    assert len(reader) >= 2


def test_a_removed_results_file_leaves_the_marts_and_a_bad_file_changes_nothing(workplace: Workplace) -> None:
    results = workplace.sources / "battery" / "results"
    whole = (results / "gpt-5-nano.csv").read_bytes()
    (results / "gpt-5-nano.csv").unlink()
    code, output = workplace.refresh("--job", "refresh_results")
    assert code == 0, output
    for mart in ("capability_profile", "system_profile", "suitability", "benchmark"):
        systems = {row[0] for row in workplace.query(f"select distinct system from marts.{mart}")}
        assert "gpt-5-nano" not in systems and len(systems) == 5, mart

    good = workplace.parquet()
    (results / "gpt-5-nano.csv").write_bytes(b"")
    code, output = workplace.refresh()
    assert code == 1
    assert "battery/results/gpt-5-nano.csv, row 1: the file is empty" in output
    assert workplace.parquet() == good
    (results / "gpt-5-nano.csv").write_bytes(whole)


def test_a_slice_without_input_is_skipped_with_its_reason(workplace: Workplace, tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    shutil.copytree(workplace.sources / "survey", sources / "survey")
    alone = Workplace(tmp_path / "home", sources)
    code, output = alone.refresh()
    assert code == 0, output
    status = dict(alone.query("select slice, status from marts.slice_status"))
    assert {status[name] for name in ("battery", "capability", "suitability")} == {"skipped"}
    assert status["work"] == "filled"
    assert alone.query("select count(*) from marts.suitability") == [(0,)]
    assert alone.query("select count(*) from marts.activity_importance")[0][0] > 100
