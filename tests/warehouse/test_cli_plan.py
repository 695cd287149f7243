"""The command line on what changed: dry runs, status, a refresh without changes, and what was not read."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from assets.settings import Settings
from assets.versions import FILES, FailedCheck, Version
from dagster_project.cli import show
from dagster_project.cli.left_out import LeftOut, left_out
from dagster_project.resources import DuckDBWarehouse
from dagster_project.runs import refresh_plan
from dagster_project.runs.refresh_plan import Node, Refresh
from tests.warehouse.test_cli import _call, home

__all__ = ["home"]


def test_what_was_not_read_is_told_in_a_handful_of_lines(tmp_path: Path) -> None:
    """Files in folders as they lie there now; columns as noted, also of tables that this refresh kept."""
    sources = tmp_path / "sources"
    (sources / "battery/ratings/more").mkdir(parents=True)
    (sources / "battery/ratings/y.csv.gz").touch()
    (sources / "survey").mkdir()
    for k in range(4):
        (sources / f"survey/{k}.txt").touch()
    columns = {"r/a.csv": ["SMs"], "s.csv": [f"q{k}" for k in range(40)]}
    known = {"raw.rating": Version("c", metadata={"ignored_columns": columns})}
    found = left_out(Settings(home=tmp_path / "home", sources=sources), known)
    files = ["battery/ratings/more", "battery/ratings/y.csv.gz", *(f"survey/{k}.txt" for k in range(4))]
    assert found == LeftOut(files, columns)
    text = io.StringIO()
    show.left_out(Console(file=text, width=200), found)
    lines = text.getvalue().splitlines()
    assert lines == [*(f"not read  {file}" for file in files), "... and 2 more: `suitability dev` shows all"]
    text.truncate(0)
    show.left_out(Console(file=text, width=200), LeftOut([], columns))
    assert "r/a.csv: column SMs\nnot read  s.csv: column q0, q1, q2 and 37 more" in text.getvalue()


def test_a_file_that_another_input_takes_counts_as_read(tmp_path: Path) -> None:
    (tmp_path / "survey/interviews").mkdir(parents=True)
    (tmp_path / "survey/odd.txt").touch()
    settings = Settings(home=tmp_path / "home", sources=tmp_path)
    assert left_out(settings, {}).files == ["survey/odd.txt"]
    taken = Version("c", metadata={FILES: {"file.interviews": {"survey/odd.txt": "sha"}}})
    assert left_out(settings, {"raw.interview": taken}).files == []


def _noted(home: Path, monkeypatch: pytest.MonkeyPatch, seed: int = 1) -> None:
    """Two assets of the home as made under a seed, in place of the project's."""
    monkeypatch.setattr(
        refresh_plan, "read_graph", lambda settings: {
            "estimate.fit": Node("estimate__fit", ("raw.rating",), "c"), "raw.rating": Node("raw__rating", (), "c"),
        },
    )  # fmt: skip
    versions = {
        "raw.rating": Version("c", {"seed": seed}, data_version="r"),
        "estimate.fit": Version("c", {}, {"raw.rating": "r"}, "f"),
    }
    DuckDBWarehouse(home / "warehouse.duckdb").write({}, versions)


def test_a_dry_run_tells_what_would_be_made_and_why_and_makes_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _noted(home, monkeypatch)
    before = (home / "published" / "suitability.duckdb").read_bytes()
    result = _call("refresh", "--dry-run", home=home, SUITABILITY_SEED="2")
    assert result.exit_code == 0, result.output
    told = result.output.splitlines()[2:]
    assert told == [
        "2 of 2 assets to rebuild or check:",
        "  SUITABILITY_SEED is 2 and was 1 (1 asset)",
        "  1 asset depends on these",
    ]
    verbose = _call("refresh", "--dry-run", "--verbose", home=home, SUITABILITY_SEED="2").output
    assert "    estimate/fit: depends on raw/rating\n" in verbose
    assert "    raw/rating: SUITABILITY_SEED is 2 and was 1\n" in verbose
    assert (
        "Nothing has changed: all 2 assets are up to date."
        in _call("refresh", "--dry-run", home=home, SUITABILITY_SEED="1").output
    )
    assert (home / "published" / "suitability.duckdb").read_bytes() == before
    assert not (home / "dagster").exists() and not (home / "logs").exists()


def test_status_shows_the_publication_and_that_it_is_synthetic(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _noted(home, monkeypatch)
    result = _call("status", home=home)
    assert result.exit_code == 0
    for text in (
        "SYNTHETIC",
        "r1",
        "no refresh is running",
        "slice work was skipped",
        str(home / "published"),
    ):
        assert text in result.output.replace("\n", "") or text in result.output


def test_status_tells_what_the_next_refresh_would_make(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _noted(home, monkeypatch)
    assert "Nothing has changed: all 2" in _call("status", home=home, SUITABILITY_SEED="1").output
    changed = _call("status", home=home, SUITABILITY_SEED="2").output
    assert "SUITABILITY_SEED is 2 and was 1" in changed and "no refresh is running" in changed


def test_a_refresh_without_changes_runs_nothing_and_tells_the_publication_and_old_warnings(
    home: Path, dbt_target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _noted(home, monkeypatch)
    warning = FailedCheck("raw.rating", "floor", False, "at least 100 rows; observed 7")
    DuckDBWarehouse(home / "warehouse.duckdb").settle({}, [warning], [])
    shutil.copytree(dbt_target, home / "dbt" / "target")
    done = _call("refresh", "--verbose", home=home, SUITABILITY_SEED="1")
    assert done.exit_code == 0, done.output
    assert "Nothing has changed" in done.output and "SYNTHETIC" in done.output
    assert "warning  raw/rating: floor  at least 100 rows; observed 7" in done.output
    assert not (home / "dagster").exists()


def test_reasons_are_told_the_commonest_first_and_no_more_than_fit() -> None:
    stale = {f"raw.t{k}": f"reason {min(k, 9)}" for k in range(12)}
    text = io.StringIO()
    show.plan(Console(file=text, width=200), Refresh(20, stale), False)
    lines = text.getvalue().splitlines()
    assert lines[:3] == [
        "12 of 20 assets to rebuild or check:",
        "  reason 9 (3 assets)",
        "  reason 0 (1 asset)",
    ]
    assert len(lines) == 10 and lines[-1] == "  and for 2 more reasons"
