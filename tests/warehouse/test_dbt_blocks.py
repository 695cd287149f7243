"""dbt's tests in Dagster, on a few models: errors block what is downstream, warnings don't; unit tests are CI's."""

from __future__ import annotations

import shutil
from pathlib import Path

import dagster as dg
import duckdb
import pytest

from assets.settings import PROJECT, Settings
from dagster_project import dbt_assets
from dagster_project.dbt_assets import build_dbt_assets, dbt_resource, prepare_manifest
from dagster_project.resources import DuckDBWarehouse

MODELS = {
    "checked": "select 7 as level",
    "downstream": "select level from {{ ref('checked') }}",
    "sound": "select 2 as level",
    "doubled": "select level * 2 as level from {{ ref('sound') }}",
    "whole": "select cast({whole} as integer) as level",
}
YAML = """
models:
  - name: checked
    columns:
      - name: level
        data_tests:
          - accepted_range: {{arguments: {{min_value: 0, max_value: 5}}, config: {{severity: {severity}}}}}
  - name: downstream
    columns: [{{name: level}}]
  - name: whole
    config: {{contract: {{enforced: true}}}}
    columns: [{{name: level, data_type: integer, constraints: [{{type: not_null}}]}}]
unit_tests:
  - name: it_doubles
    model: doubled
    given: [{{input: ref('sound'), rows: [{{level: 2}}]}}]
    expect: {{rows: [{{level: {expected}}}]}}
"""


def _run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, severity: str, expected: int, whole: str = "1"
) -> tuple[bool, set[str], Settings]:
    """Run a project whose `checked` holds a level 7; success, the assets made, and its settings."""
    project = tmp_path / "dbt"
    for folder in ("models/marts/battery", "seeds", "tests"):
        (project / folder).mkdir(parents=True)
    shutil.copytree(PROJECT / "dbt/macros", project / "macros")
    for name in ("dbt_project.yml", "profiles.yml"):
        shutil.copy(PROJECT / "dbt" / name, project / name)
    configuration = (project / "dbt_project.yml").read_text().replace("enforced: true", "enforced: false")
    (project / "dbt_project.yml").write_text(configuration)
    models = project / "models/marts/battery"
    for name, sql in MODELS.items():
        (models / f"{name}.sql").write_text(sql.replace("{whole}", whole))
    (models / "models.yml").write_text(YAML.format(severity=severity, expected=expected))
    monkeypatch.setattr(dbt_assets, "DBT_FOLDER", project)
    own = Settings(home=tmp_path / "home")
    dbt_models = build_dbt_assets(own, prepare_manifest(own))

    @dg.asset(key=["published", "marts"], deps=[["marts", name] for name in MODELS])
    def published() -> None: ...

    definitions = dg.Definitions(
        assets=[dbt_models, published],
        resources={"settings": own, "dbt": dbt_resource(), "warehouse": DuckDBWarehouse(own.warehouse_path)},
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
    return result.success, made, own


def test_a_failing_error_blocks_and_so_does_what_may_not_be_null(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    success, made, _ = _run(tmp_path, monkeypatch, severity="error", expected=4, whole="null")
    assert not success
    assert made == {"marts/checked", "marts/sound", "marts/doubled"}


def test_a_failing_warning_does_not_nor_a_unit_test_and_nothing_is_written_into_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    success, made, own = _run(tmp_path, monkeypatch, severity="warn", expected=5)
    assert success
    assert made == {*(f"marts/{name}" for name in MODELS), "published/marts"}
    assert {path.name for path in (tmp_path / "dbt").iterdir()} == {
        "dbt_project.yml", "macros", "models", "profiles.yml", "seeds", "tests",
    }  # fmt: skip
    with duckdb.connect(str(own.warehouse_path), read_only=True) as connection:
        assert connection.execute("select level from marts.downstream").fetchall() == [(7,)]
