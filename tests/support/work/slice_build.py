"""The work slice's part of the dbt project alone, built on survey exports: readers, then dbt, then tables.

Belongs here: what the tests of the slice and its real-data test share. Does not belong here: expected numbers.
The agreement of raters (slice battery) is stood in for by a model with a given list of capabilities not retained.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd

from assets.common.warehouse import declared_tables
from assets.settings import PROJECT, Settings
from assets.sources.readers import read_interviews, read_survey
from assets.work.assets import importance_reliability
from dagster_project.resources import DuckDBWarehouse
from tests.support.dbt_run import WAREHOUSE_NAME, run_dbt
from tests.support.steps import run_steps

SEEDS = (
    *("seed_activity", "seed_capability", "seed_capability_alias", "seed_domain", "seed_survey_question"),
)
AGREEMENT = ("int_importance_matrix", "int_importance_agreement", "int_domain_departure")
AFTER_PYTHON = (
    *("stg_importance_reliability", "stg_importance_bootstrap"),
    *("int_importance_reliability", "importance_agreement", "importance_reliability"),
    *("domain_importance_agreement", "domain_departure"),
)
IMPORTANCE = (
    *("int_survey_scope", "int_activity_importance", "int_capability_importance", "int_cell_suppression"),
    *("int_disclosed_importance", "int_disclosed_capability_importance"),
    *("activity_importance", "capability_importance"),
)
LAYERS = ("staging", "intermediate", "marts")
RETENTION = """
select
    cast(capability as {{{{ dbt.type_string() }}}}) as capability,
    capability not in ({dropped}) as is_retained
from {{{{ ref('seed_capability') }}}}
"""


def build(
    folder: Path,
    sources: Path | None,
    *,
    dropped: tuple[str, ...],
    salt: str = "salt",
    with_tests: bool = True,
) -> DuckDBWarehouse:
    """Reads `sources` (None: empty raw tables) and runs the slice's models, its Python asset between them.

    The models' dbt tests run too, unless told not to.

    Raises:
        AssertionError: dbt failed; the message names the nodes.
    """
    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    tables = {
        name: pd.DataFrame(columns=list(columns), dtype=object)
        for name, columns in declared_tables().items()
        if name.startswith(("raw.survey", "raw.interview"))
    }
    if sources is not None:
        tables |= read_survey(sources, "salt").frames | read_interviews(sources).frames
    warehouse.write(tables)
    project = folder / "dbt"
    if not project.exists():
        _copy_project(project, dropped)
    before_python = "+int_importance_answer"
    kinds = [] if with_tests else ["--resource-type", "model", "--resource-type", "seed"]
    # as in a refresh: a test waits until all it compares is built
    build = ("build", "--indirect-selection", "buildable", *kinds)
    for part in ("--select", "--exclude"):
        run = run_dbt(folder, *build, part, before_python, project=project)
        assert run.success, run.failures
        if part == "--select":
            _python(warehouse)
    return warehouse


def recompute(folder: Path, warehouse: DuckDBWarehouse, answers: pd.DataFrame) -> DuckDBWarehouse:
    """A copy of a built warehouse in `folder` whose agreement marts follow from other answers, without starting dbt.

    Args:
        folder: an empty folder.
        warehouse: what `build` gave.
        answers: in place of int_importance_answer.
    """
    copy = _with_table(folder, warehouse, "int_importance_answer", answers)
    compiled = _compiled(warehouse)
    _run_compiled(copy, compiled, AGREEMENT)
    _python(copy)
    _run_compiled(copy, compiled, AFTER_PYTHON)
    return copy


def recount(folder: Path, warehouse: DuckDBWarehouse, respondents: pd.DataFrame) -> DuckDBWarehouse:
    """As `recompute`, the importance marts of other `respondents`, in place of int_respondent_qc."""
    copy = _with_table(folder, warehouse, "int_respondent_qc", respondents)
    _run_compiled(copy, _compiled(warehouse), IMPORTANCE)
    return copy


def _compiled(warehouse: DuckDBWarehouse) -> Path:
    return warehouse.path.parent / "target" / "compiled" / "suitability_warehouse" / "models"


def _with_table(folder: Path, warehouse: DuckDBWarehouse, table: str, rows: pd.DataFrame) -> DuckDBWarehouse:
    with warehouse.connect() as connection:
        # dbt ran in this process and may still have it open: all must stand in the file before it is copied
        connection.execute("checkpoint")
    copy = DuckDBWarehouse(Path(shutil.copy(warehouse.path, folder)))
    with copy.connect() as connection:
        connection.register("given", rows)
        connection.execute(f"create or replace table intermediate.{table} as from given")
    return copy


def _python(warehouse: DuckDBWarehouse) -> None:
    assert len(run_steps(warehouse, Settings(), importance_reliability)) == 2


def _run_compiled(warehouse: DuckDBWarehouse, compiled: Path, models: tuple[str, ...]) -> None:
    with warehouse.connect() as connection:
        connection.execute("set threads = 1")
        for model in models:
            layer = {"stg": "staging", "int": "intermediate"}.get(model.split("_")[0], "marts")
            sql = (compiled / layer / "work" / f"{model}.sql").read_text(encoding="utf-8")
            # staging over estimates is views
            kind = "view" if layer == "staging" else "table"
            connection.execute(f"create or replace {kind} {layer}.{model} as ({sql})")


def _copy_project(project: Path, dropped: tuple[str, ...]) -> None:
    whole = PROJECT / "dbt"
    for name in ("macros", "models/sources"):
        shutil.copytree(whole / name, project / name)
    for name in ("dbt_project.yml", "profiles.yml"):
        shutil.copy(whole / name, project / name)
    for layer in LAYERS:
        shutil.copytree(whole / "models" / layer / "work", project / "models" / layer / "work")
    (project / "seeds").mkdir()
    for seed in SEEDS:
        for file in (whole / "seeds").glob(f"{seed}.*"):
            shutil.copy(file, project / "seeds")
    quoted = ", ".join(f"'{capability}'" for capability in ("none", *dropped))
    stand_in = project / "models" / "intermediate" / "int_capability_retention.sql"
    stand_in.write_text(RETENTION.format(dropped=quoted), encoding="utf-8")
