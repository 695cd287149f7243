"""dbt's tests in Dagster, on a few models: errors block what is downstream, warnings don't; unit tests are CI's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import dagster as dg
import duckdb
import pytest

from assets.settings import Settings
from dagster_project.cli.failing_rows import failing_rows
from dagster_project.dbt_build.assets import build_dbt_assets, dbt_resource
from dagster_project.dbt_build.dbt_nodes import DbtNodes
from dagster_project.resources import DuckDBWarehouse
from tests.support.warehouse.small_project import use_project

MODELS = {
    "checked": "select {level} as level",
    "downstream": "select level from {{ ref('checked') }}",
    "sound": "select 2 as level",
    "doubled": "select level * 2 as level from {{ ref('sound') }}",
    "whole": "select cast({whole} as integer) as level",
}
YAML = """
models:
  - name: checked
    data_tests:
      - sound_numbers: {{arguments: {{ranges: {{level: [0, 5]}}}}, config: {{severity: {severity}}}}}
  - name: downstream
    columns: [{{name: level}}]
  - name: whole
    config: {{contract: {{enforced: true}}}}
    columns: [{{name: level, data_type: integer, constraints: [{{type: not_null}}]}}]
unit_tests:
  - name: it_doubles
    model: doubled
    given: [{{input: ref('sound'), rows: [{{level: 2}}]}}]
    expect: {{rows: [{{level: 5}}]}}
"""
RANGE = "sound_numbers_checked__0_5_"
# two models that don't depend on each other, and a test over both
PAIR = {"a": "select {level} as level", "b": "select 1 as level"}
PAIR_YAML = """
models:
  - name: b
    columns: [{name: level, data_tests: [{relationships: {arguments: {to: ref('a'), field: level}}}]}]
"""


def _models(models: Mapping[str, str], **values: object) -> dict[str, str]:
    for name, value in values.items():
        models = {key: sql.replace(f"{{{name}}}", str(value)) for key, sql in models.items()}
    return dict(models)


def _run(own: Settings, nodes: DbtNodes) -> tuple[dg.ExecuteInProcessResult, set[str]]:
    """Run all of a project and a stand-in for the publication; the result, and what was made, not kept."""

    @dg.asset(key=["published", "marts"], deps=[name.split(".") for name in nodes.tables])
    def published() -> None: ...

    definitions = dg.Definitions(
        assets=[*build_dbt_assets(nodes, lambda name: ()), published],
        resources={"settings": own, "dbt": dbt_resource, "warehouse": DuckDBWarehouse(own.warehouse_path)},
    )
    with dg.DagsterInstance.ephemeral() as instance:
        result = definitions.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=instance, raise_on_error=False
        )
    events = [e.step_materialization_data.materialization for e in result.get_asset_materialization_events()]
    return result, {one.asset_key.to_user_string() for one in events if "kept" not in one.metadata}


def _checks(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    return {one.check_name: one.passed for one in result.get_asset_check_evaluations()}


def _message(result: dg.ExecuteInProcessResult) -> str:
    (failed,) = (event for event in result.all_events if event.is_step_failure)
    return str(failed.step_failure_data.error)


def test_a_failing_error_blocks_and_so_does_what_may_not_be_null(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models, yaml = _models(MODELS, level=7, whole="null"), YAML.format(severity="error")
    own, nodes = use_project(tmp_path, monkeypatch, models, yaml)
    result, made = _run(own, nodes)
    assert not result.success
    assert made == {"marts/checked", "marts/sound", "marts/doubled"}
    assert _checks(result) == {RANGE: False}
    told = _message(result)
    assert f"marts/checked: the test {RANGE} failed (1 offending rows)" in told
    assert "marts/whole: " in told and "NOT NULL constraint failed" in told and "downstream" not in told
    warehouse = DuckDBWarehouse(own.warehouse_path)
    is_checked = {name: version.is_checked for name, version in warehouse.versions().items()}
    assert is_checked == {"marts.checked": False, "marts.sound": True, "marts.doubled": True}
    (failed,) = warehouse.failed_checks()
    assert (failed.name, failed.check_name, failed.is_blocking) == ("marts.checked", RANGE, True)

    # what has not passed is made again though nothing changed, and again stops what is downstream
    result, made = _run(own, nodes)
    assert not result.success and made == {"marts/checked"}
    assert _checks(result) == {RANGE: False}

    # and once it passes, the way is free
    own, nodes = use_project(tmp_path, monkeypatch, _models(MODELS, level=3, whole=1), yaml)
    result, made = _run(own, nodes)
    assert result.success, _message(result)
    assert made == {"marts/checked", "marts/downstream", "marts/whole", "published/marts"}
    assert _checks(result) == {RANGE: True}
    assert warehouse.failed_checks() == []
    assert {version.is_checked for version in warehouse.versions().values()} == {True}


def test_a_failing_warning_does_not_nor_a_unit_test_and_nothing_is_written_into_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models, yaml = _models(MODELS, level=7, whole=1), YAML.format(severity="warn")
    own, nodes = use_project(tmp_path, monkeypatch, models, yaml)
    result, made = _run(own, nodes)
    assert result.success, _message(result)
    assert made == {*(f"marts/{name}" for name in MODELS), "published/marts"}
    assert _checks(result) == {RANGE: False}
    assert {path.name for path in (tmp_path / "dbt").iterdir()} == {
        "dbt_project.yml", "macros", "models", "profiles.yml", "seeds", "tests",
    }  # fmt: skip
    warehouse = DuckDBWarehouse(own.warehouse_path)
    assert {version.is_checked for version in warehouse.versions().values()} == {True}
    # it is told of in each refresh, also of those that keep the table
    (failed,) = warehouse.failed_checks()
    assert (failed.check_name, failed.is_blocking) == (RANGE, False)
    with duckdb.connect(str(own.warehouse_path), read_only=True) as connection:
        assert connection.execute("select level from marts.downstream").fetchall() == [(7,)]
    # nothing is made twice
    _, made = _run(own, nodes)
    assert made == {"published/marts"}
    assert warehouse.failed_checks() == [failed]


def test_two_tables_that_do_not_fit_together_both_fail_though_one_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, nodes = use_project(tmp_path, monkeypatch, _models(PAIR, level=1), PAIR_YAML)
    assert _run(own, nodes)[0].success
    own, nodes = use_project(tmp_path, monkeypatch, _models(PAIR, level=2), PAIR_YAML)
    result, made = _run(own, nodes)
    assert not result.success and made == {"marts/a"}
    warehouse = DuckDBWarehouse(own.warehouse_path)
    assert not any(version.is_checked for version in warehouse.versions().values())
    # not even a second try gets past it
    result, made = _run(own, nodes)
    assert not result.success and made == {"marts/a", "marts/b"}


def test_numbers_that_are_none_or_out_of_range_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        ("sound", 1.5, 0, "null"), ("edge", 5, -1, 9), ("not a number", "nan", 0, 1), ("infinite", 1, "-infinity", 2),
        ("high", 5.1, 0, 0), ("low", 1, 0, -1), ("both", -0.1, "infinity", 3),
    ]  # fmt: skip
    values = ", ".join(f"('{name}', '{level}', '{free}', {n})" for name, level, free, n in rows)
    sql = (
        'select name, level::double as level, "Free"::double as "Free", n::bigint as n'
        f' from (values {values}) as t (name, level, "Free", n)'
    )
    yaml = (
        "models:\n  - name: measured\n    data_tests:\n"
        "      - sound_numbers: {arguments: {ranges: {level: [0, 5], n: [0, null]}}}\n"
    )
    own, nodes = use_project(tmp_path, monkeypatch, {"measured": sql}, yaml)
    result, _ = _run(own, nodes)
    assert not result.success
    (name,) = _checks(result)
    told = [row.split(", ")[:-3] for row in failing_rows(own, name, limit=10)]
    assert {row[-1]: ", ".join(row[:-1]) for row in told} == {
        "name=not a number": "unsound=level", "name=infinite": "unsound=Free", "name=high": "unsound=level",
        "name=low": "unsound=n", "name=both": "unsound=level, Free",
    }  # fmt: skip
