"""A dbt project of a few models with the product's macros, in place of its own.

Belongs here: writing it and reading its nodes. Does not belong here: models and assertions (the tests).
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from assets.settings import PROJECT, Settings
from dagster_project.dbt_build import dbt_nodes, dbt_project
from dagster_project.dbt_build.dbt_nodes import DbtNodes, read_nodes
from dagster_project.dbt_build.dbt_project import prepare_manifest
from dagster_project.runs.preflight import ready_warehouse


def put_project(folder: Path, models: Mapping[str, str], yaml: str = "models: []\n") -> Path:
    """A project of marts without contracts; what a former one of this folder had is gone."""
    project = folder / "dbt"
    shutil.rmtree(project, ignore_errors=True)
    for name in ("models/marts/battery", "seeds", "tests"):
        (project / name).mkdir(parents=True)
    shutil.copytree(PROJECT / "dbt/macros", project / "macros")
    for name in ("dbt_project.yml", "profiles.yml"):
        text = (PROJECT / "dbt" / name).read_text(encoding="utf-8")
        (project / name).write_text(text.replace("enforced: true", "enforced: false"), encoding="utf-8")
    place = project / "models/marts/battery"
    for name, sql in models.items():
        (place / f"{name}.sql").write_text(sql, encoding="utf-8")
    (place / "models.yml").write_text(yaml, encoding="utf-8")
    return project


def use_project(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    models: Mapping[str, str],
    yaml: str = "models: []\n",
    **settings: float,
) -> tuple[Settings, DbtNodes]:
    """Settings of a home beside the project, which stands in place of the product's from here on, and its nodes."""
    project = put_project(folder, models, yaml)
    for module in (dbt_project, dbt_nodes):
        monkeypatch.setattr(module, "DBT_FOLDER", project)
    own = Settings(home=folder / "home", sources=None, **settings)  # type: ignore[arg-type]
    own.home.mkdir(exist_ok=True)
    ready_warehouse(own)
    return own, read_nodes(prepare_manifest(own), own.dbt_vars())
