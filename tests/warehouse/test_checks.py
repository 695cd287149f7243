"""Great Expectations suites as asset checks: what they tell, and what they block."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest

from assets.common.warehouse import declared_tables
from assets.settings import PROJECT
from assets.versions import Version
from dagster_project.asset_checks import SuiteError, build_ge_checks, load_suites, run_suite
from dagster_project.resources import DuckDBWarehouse

FLOOR = {"type": "expect_table_row_count_to_be_between", "kwargs": {"min_value": 1}, "severity": "critical"}
IN_SET = {
    "type": "expect_column_values_to_be_in_set",
    "kwargs": {"column": "level", "value_set": ["0", "1", "2"]},
    "severity": "critical",
    "meta": {"why": "levels are 0-5"},
}


def _write(folder: Path, *expectations: dict[str, Any], table: str = "raw.rating") -> Path:
    document = {"table": table, "input": "ratings", "expectations": list(expectations)}
    (folder / "rating.json").write_text(json.dumps(document))
    return folder


def _ratings(*levels: str | None) -> pd.DataFrame:
    frame = pd.DataFrame(
        "x", index=range(len(levels)), columns=list(declared_tables()["raw.rating"]), dtype=object
    )
    return frame.assign(
        level=pd.Series([*levels], dtype=object),
        row_number=range(2, len(levels) + 2),
        source_file="battery/ratings/a.csv",
    )


def test_a_failing_expectation_shows_counts_and_where_the_offenders_stand(tmp_path: Path) -> None:
    (suite,) = load_suites(_write(tmp_path, FLOOR, IN_SET))
    floor, in_set = run_suite(suite, _ratings("0", "7", "1", "nine"), n_files=1)
    assert floor.passed
    assert not in_set.passed
    assert in_set.check_name == "column_values_to_be_in_set_level"
    assert in_set.severity == dg.AssetCheckSeverity.ERROR
    assert in_set.description == "levels are 0-5"
    told: dict[str, Any] = {name: getattr(value, "value", value) for name, value in in_set.metadata.items()}
    assert told["type"] == "expect_column_values_to_be_in_set"
    assert told["kwargs"] == IN_SET["kwargs"]
    assert (told["element_count"], told["unexpected_count"], told["unexpected_percent"]) == (4, 2, 50)
    assert [(row["row_number"], row["level"]) for row in told["sample"]] == [(3, "7"), (5, "nine")]


def test_an_absent_input_is_skipped_with_a_reason(
    tmp_path: Path, empty_table: Callable[[str], pd.DataFrame]
) -> None:
    (suite,) = load_suites(_write(tmp_path, FLOOR, IN_SET))
    results = list(run_suite(suite, empty_table("raw.rating"), n_files=0))
    assert [result.passed for result in results] == [True, True]
    assert all("no ratings file" in str(result.metadata["skipped"].value) for result in results)


def test_an_empty_table_though_files_were_found_fails_the_floor(
    tmp_path: Path, empty_table: Callable[[str], pd.DataFrame]
) -> None:
    (suite,) = load_suites(_write(tmp_path, FLOOR, IN_SET))
    floor, _ = run_suite(suite, empty_table("raw.rating"), n_files=2)
    assert not floor.passed
    assert floor.severity == dg.AssetCheckSeverity.ERROR


def test_an_expectation_that_raises_fails(tmp_path: Path) -> None:
    unknown = IN_SET | {"kwargs": {"column": "no_such_column", "value_set": ["0"]}}
    (suite,) = load_suites(_write(tmp_path, FLOOR, unknown))
    _, raised = run_suite(suite, _ratings("0"), n_files=1)
    assert not raised.passed
    assert "no_such_column" in str(raised.metadata["error"].value)


@pytest.mark.parametrize(
    ("expectations", "message"),
    [
        ((IN_SET,), "first expectation"),
        ((), "first expectation"),
        ((FLOOR | {"kwargs": {"min_value": 0}},), "first expectation"),
        ((FLOOR, IN_SET | {"severity": "fatal"}), "severity fatal"),
        ((FLOOR, {"type": "expect_column_to_exist"}), "not a suite"),
    ],
)
def test_a_malformed_suite_is_refused_by_name(
    tmp_path: Path, expectations: tuple[dict[str, Any], ...], message: str
) -> None:
    with pytest.raises(SuiteError, match=rf"rating\.json.*{message}"):
        load_suites(_write(tmp_path, *expectations))


def test_a_suite_for_an_undeclared_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"raw\.nothing"):
        load_suites(_write(tmp_path, FLOOR, table="raw.nothing"))


def test_the_products_suites_cover_each_input_table() -> None:
    suites = load_suites(PROJECT / "expectations")
    assert {suite.table for suite in suites} >= {
        "raw.rating",
        "raw.result",
        "raw.ai_system",
        "raw.survey_response",
    }


def _run(folder: Path, warehouse: DuckDBWarehouse) -> tuple[dg.ExecuteInProcessResult, set[str]]:
    """Run the suites of a folder beside assets that make nothing; the result and what was reached."""

    @dg.asset(key=["raw", "source_file"])
    def source_file() -> None: ...

    @dg.asset(key=["raw", "rating"])
    def rating() -> None: ...

    @dg.asset(key=["staging", "stg_rating"], deps=[rating])
    def downstream() -> None: ...

    definitions = dg.Definitions(
        assets=[source_file, rating, downstream],
        asset_checks=build_ge_checks(folder),
        resources={"warehouse": warehouse},
    )
    with dg.DagsterInstance.ephemeral() as instance:
        result = definitions.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=instance, raise_on_error=False
        )
    made = result.get_asset_materialization_events()
    return result, {event.asset_key.to_user_string() for event in made if event.asset_key}


def _note(warehouse: DuckDBWarehouse, *levels: str) -> None:
    """The ratings as the step that reads them leaves them: its checks are still to come."""
    version = Version("code", is_checked=False)
    warehouse.write({"raw.rating": _ratings(*levels)}, {"raw.rating": version})


@pytest.fixture
def warehouse(tmp_path: Path) -> DuckDBWarehouse:
    warehouse = DuckDBWarehouse(tmp_path / "home" / "warehouse.duckdb")
    columns = list(declared_tables()["raw.source_file"])
    warehouse.write({"raw.source_file": pd.DataFrame({"input": ["ratings"]}).reindex(columns=columns)})
    return warehouse


@pytest.mark.parametrize(("severity", "is_blocked"), [("critical", True), ("warning", False)])
def test_critical_blocks_what_is_downstream_and_a_warning_does_not(
    tmp_path: Path, warehouse: DuckDBWarehouse, severity: str, is_blocked: bool
) -> None:
    folder = _write(tmp_path, FLOOR, IN_SET | {"severity": severity})
    _note(warehouse, "9", "1")
    # once made, once kept: the same is told
    for is_kept in (False, not is_blocked):
        result, made = _run(folder, warehouse)
        (failed,) = (e for e in result.get_asset_check_evaluations() if not e.passed)
        assert failed.check_name == "column_values_to_be_in_set_level"
        assert ("kept" in failed.metadata) == is_kept
        assert ("staging/stg_rating" not in made) == is_blocked
        assert result.success != is_blocked
        assert warehouse.versions()["raw.rating"].is_checked != is_blocked
        (noted,) = warehouse.failed_checks()
        assert (noted.name, noted.check_name, noted.is_blocking) == (
            "raw.rating",
            failed.check_name,
            is_blocked,
        )
        for told in ("levels are 0-5", "1 offending", "'level': '9'", "'row_number': 2"):
            assert told in noted.description


def test_a_table_that_is_right_again_has_no_failed_check(tmp_path: Path, warehouse: DuckDBWarehouse) -> None:
    folder = _write(tmp_path, FLOOR, IN_SET)
    _note(warehouse, "9")
    assert not _run(folder, warehouse)[0].success
    _note(warehouse, "1")
    result, _ = _run(folder, warehouse)
    assert result.success and warehouse.failed_checks() == []
    assert warehouse.versions()["raw.rating"].is_checked
