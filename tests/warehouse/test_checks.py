"""Great Expectations suites as asset checks: what they tell, and what they block."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest

from assets.ports import declared_tables
from assets.settings import PROJECT
from dagster_project.ge_checks import SuiteError, build_ge_checks, load_suites, run_suite
from tests.steps import MemoryWarehouse

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


def _files(*inputs: str) -> pd.DataFrame:
    return pd.DataFrame({"input": list(inputs)})


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


@pytest.mark.parametrize(("severity", "is_blocked"), [("critical", True), ("warning", False)])
def test_critical_blocks_what_is_downstream_and_a_warning_does_not(
    tmp_path: Path, severity: str, is_blocked: bool
) -> None:
    checks = build_ge_checks(_write(tmp_path, FLOOR, IN_SET | {"severity": severity}))

    @dg.asset(key=["raw", "source_file"])
    def source_file() -> None: ...

    @dg.asset(key=["raw", "rating"])
    def rating() -> None: ...

    @dg.asset(key=["staging", "stg_rating"], deps=[rating])
    def downstream() -> None: ...

    tables = {"raw.rating": _ratings("9"), "raw.source_file": _files("ratings")}
    definitions = dg.Definitions(
        assets=[source_file, rating, downstream],
        asset_checks=checks,
        resources={"warehouse": MemoryWarehouse(tables)},
    )
    with dg.DagsterInstance.ephemeral() as instance:
        result = definitions.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=instance, raise_on_error=False
        )
    made = {
        event.asset_key.to_user_string()
        for event in result.get_asset_materialization_events()
        if event.asset_key
    }
    failed = [e for e in result.get_asset_check_evaluations() if not e.passed]
    assert [e.check_name for e in failed] == ["column_values_to_be_in_set_level"]
    assert ("staging/stg_rating" not in made) == is_blocked
    assert result.success != is_blocked
