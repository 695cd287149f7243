"""The guard at the door: Great Expectations suites (expectations/<raw table>.json) as Dagster asset checks.

Belongs here: reading the suites, running them, and one Dagster check an expectation. Does not belong here: what is
expected (expectations/) and checks behind the first SQL (dbt tests).

A suite: {"table": "raw.rating", "input": "ratings", "expectations": [{"type", "kwargs", "severity", "meta"}]}, the
row-count floor first. Severity 'critical' blocks what is downstream, 'warning' does not.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd

from assets.common.warehouse import declared_tables
from assets.settings import PROJECT
from assets.versions import KEPT, FailedCheck
from dagster_project.resources import DuckDBWarehouse
from dagster_project.runs.instance import POOL

FOLDER = PROJECT / "expectations"
FLOOR = "expect_table_row_count_to_be_between"
SAMPLE_SIZE = 10
PLACE = ("source_file", "row_number")
# where a raw table's `value` stands for several columns of a file, this says which
COLUMN, VALUE = "column_name", "value"
SOURCE_FILES = dg.AssetKey(["raw", "source_file"])


class SuiteError(ValueError):
    """A suite file is not what this module reads; the message names the file."""


@dataclass(frozen=True)
class Expectation:
    """One expectation of a suite; `name` is its Dagster check's, unique in the suite."""

    name: str
    type: str
    kwargs: dict[str, Any]
    severity: str
    why: str


@dataclass(frozen=True)
class Suite:
    """The expectations on one raw table; `input` is the kind of file it comes from (raw.source_file.input)."""

    table: str
    input: str
    expectations: tuple[Expectation, ...]

    @property
    def asset(self) -> dg.AssetKey:
        return dg.AssetKey(self.table.split("."))


def load_suites(folder: Path = FOLDER) -> list[Suite]:
    """The suites of a folder, sorted by file name.

    Raises:
        SuiteError: a suite has unknown keys, an undeclared table or severity, or no row-count floor in front.
    """
    return [_load(path) for path in sorted(folder.glob("*.json"))]


def _load(path: Path) -> Suite:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        table, expected = document["table"], document["expectations"]
        expectations: list[Expectation] = []
        for entry in expected:
            name = _check_name(entry["type"], entry["kwargs"], {e.name for e in expectations})
            why = entry.get("meta", {}).get("why", "")
            expectations.append(Expectation(name, entry["type"], entry["kwargs"], entry["severity"], why))
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise SuiteError(f"{path}: not a suite ({type(error).__name__}: {error})") from error
    if table not in declared_tables():
        raise SuiteError(f"{path}: table {table!r} is not declared in dbt/models/sources/")
    unknown = sorted({e.severity for e in expectations} - {"critical", "warning"})
    if unknown:
        raise SuiteError(f"{path}: severity {', '.join(unknown)}: use critical or warning")
    if not expectations or expectations[0].type != FLOOR or not expectations[0].kwargs.get("min_value"):
        raise SuiteError(f"{path}: the first expectation must be {FLOOR} with a min_value of at least 1")
    return Suite(table, document.get("input", ""), tuple(expectations))


def _check_name(kind: str, kwargs: dict[str, Any], taken: set[str]) -> str:
    columns = [
        kwargs.get("column"),
        kwargs.get("column_A"),
        kwargs.get("column_B"),
        *kwargs.get("column_list", []),
    ]
    parts = [kind.removeprefix("expect_"), *(column for column in columns if column)]
    name = stem = re.sub(r"\W+", "_", "_".join(parts))
    number = 1
    while name in taken:
        number += 1
        name = f"{stem}_{number}"
    return name


def run_suite(suite: Suite, frame: pd.DataFrame, n_files: int) -> Iterator[dg.AssetCheckResult]:
    """One result an expectation, in order.

    Where the input was absent altogether (`frame` empty, no file found), every check passes and says that it was
    skipped; an empty table though files were found goes through the expectations, and fails the floor.
    """
    if frame.empty and suite.input and n_files == 0:
        reason = f"no {suite.input} file was found: the input is absent"
        for expectation in suite.expectations:
            yield _result(suite, expectation, passed=True, metadata={"skipped": reason})
        return
    for expectation, outcome in zip(suite.expectations, _validate(suite, frame), strict=True):
        yield _result(
            suite, expectation, passed=bool(outcome["success"]), metadata=_metadata(expectation, outcome)
        )


def _validate(suite: Suite, frame: pd.DataFrame) -> list[dict[str, Any]]:
    # 5 s: only when a suite runs
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    context.enable_analytics(enable=False)
    batch = (
        context.data_sources.add_pandas("raw")
        .add_dataframe_asset(suite.table)
        .add_batch_definition_whole_dataframe("all")
    )
    gx_suite = gx.ExpectationSuite(
        name=suite.table,
        expectations=[
            {"type": e.type, "kwargs": e.kwargs, "severity": e.severity, "meta": {"name": e.name}}
            for e in suite.expectations
        ],
    )
    located = [column for column in (*PLACE, COLUMN) if column in frame.columns]
    report = batch.get_batch({"dataframe": frame}).validate(
        gx_suite, result_format={"result_format": "COMPLETE", "unexpected_index_column_names": located}
    )
    # results come back grouped by kind of failure, not in the suite's order
    outcomes: list[Any] = [result.to_json_dict() for result in report.results]
    by_name = {outcome["expectation_config"]["meta"]["name"]: outcome for outcome in outcomes}
    return [by_name[e.name] for e in suite.expectations]


def _metadata(expectation: Expectation, outcome: dict[str, Any]) -> dict[str, Any]:
    result = outcome.get("result") or {}
    found = {
        "observed": result.get("observed_value"),
        "element_count": result.get("element_count"),
        "unexpected_count": result.get("unexpected_count"),
        "unexpected_percent": result.get("unexpected_percent"),
        "sample": _sample(expectation, result),
        "error": _exception(outcome.get("exception_info") or {}),
    }
    return {
        "type": expectation.type,
        "kwargs": dg.MetadataValue.json(expectation.kwargs),
        **{
            name: dg.MetadataValue.json(value) if isinstance(value, list | dict) else value
            for name, value in found.items()
            if value not in (None, [], "")
        },
    }


def _sample(expectation: Expectation, result: dict[str, Any]) -> list[Any]:
    """The first offenders: value and place. The name of a column of values is no place of another cell."""
    found = (result.get("unexpected_index_list") or result.get("partial_unexpected_list") or [])[:SAMPLE_SIZE]
    if expectation.kwargs.get("column") == VALUE:
        return found
    return [
        {name: value for name, value in one.items() if name != COLUMN} if isinstance(one, dict) else one
        for one in found
    ]


def _exception(info: dict[str, Any]) -> str:
    if "raised_exception" in info:
        return str(info.get("exception_message") or "") if info["raised_exception"] else ""
    return "; ".join(
        str(one.get("exception_message")) for one in info.values() if one.get("raised_exception")
    )


def _result(
    suite: Suite, expectation: Expectation, *, passed: bool, metadata: dict[str, Any]
) -> dg.AssetCheckResult:
    blocking = expectation.severity == "critical"
    return dg.AssetCheckResult(
        asset_key=suite.asset,
        check_name=expectation.name,
        passed=passed,
        severity=dg.AssetCheckSeverity.ERROR if blocking else dg.AssetCheckSeverity.WARN,
        description=expectation.why or None,
        metadata=metadata,
    )


def failed_check(table: str, result: dg.AssetCheckResult) -> FailedCheck:
    """A result as it is noted beside the table, in words."""
    found: dict[str, Any] = {name: getattr(value, "value", value) for name, value in result.metadata.items()}
    count = found.get("unexpected_count")
    told = [result.description or "", f"{count:g} offending" if count else "", str(found.get("error", ""))]
    if "observed" in found:
        told.append(f"observed {found['observed']}")
    if found.get("sample"):
        told.append(f"for example {found['sample'][:3]}")
    text = "; ".join(part for part in told if part)
    return FailedCheck(table, str(result.check_name), result.severity == dg.AssetCheckSeverity.ERROR, text)


def kept_results(
    specs: Sequence[dg.AssetCheckSpec], table: str, failed: Sequence[FailedCheck]
) -> Iterator[dg.AssetCheckResult]:
    """The results of a table that is kept, as they were when it was made."""
    told = {check.check_name: check.description for check in failed if check.name == table}
    for spec in specs:
        yield dg.AssetCheckResult(
            asset_key=spec.asset_key, check_name=spec.name, passed=spec.name not in told,
            severity=dg.AssetCheckSeverity.ERROR if spec.blocking else dg.AssetCheckSeverity.WARN,
            description=told.get(spec.name), metadata={KEPT: True},
        )  # fmt: skip


def build_ge_checks(folder: Path = FOLDER) -> list[dg.AssetChecksDefinition]:
    """One multi-asset check a suite, one Dagster check an expectation."""
    return [_build(suite) for suite in load_suites(folder)]


def _build(suite: Suite) -> dg.AssetChecksDefinition:
    specs = [
        dg.AssetCheckSpec(
            name=expectation.name,
            asset=suite.asset,
            description=expectation.why or None,
            blocking=expectation.severity == "critical",
            additional_deps=[] if suite.asset == SOURCE_FILES else [SOURCE_FILES],
        )
        for expectation in suite.expectations
    ]

    @dg.multi_asset_check(name=f"expectations_{suite.table.replace('.', '_')}", specs=specs, pool=POOL)
    def check_raw_table(
        warehouse: dg.ResourceParam[DuckDBWarehouse],
    ) -> Iterator[dg.AssetCheckResult]:
        version = warehouse.versions().get(suite.table)
        if version is not None and version.is_checked:
            yield from kept_results(specs, suite.table, warehouse.failed_checks())
            return
        files = warehouse.read("raw.source_file")
        results = list(
            run_suite(suite, warehouse.read(suite.table), int((files["input"] == suite.input).sum()))
        )
        failed = [failed_check(suite.table, result) for result in results if not result.passed]
        is_sound = not any(check.is_blocking for check in failed)
        ran = [(suite.table, str(result.check_name)) for result in results]
        warehouse.settle({suite.table: is_sound}, failed, ran)
        yield from results

    return check_raw_table
