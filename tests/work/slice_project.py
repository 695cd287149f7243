"""The work slice's part of the dbt project alone, built on survey exports: readers, then dbt, then tables.

Belongs here: what the tests of the slice and its real-data test share. Does not belong here: expected numbers.
The agreement of raters (slice battery) is stood in for by a model with a given list of capabilities not retained.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd

from assets.ports import declared_tables
from assets.settings import PROJECT
from assets.sources.readers import read_survey
from dagster_project.resources import DuckDBWarehouse
from tests.dbt_run import WAREHOUSE_NAME, run_dbt

SEEDS = ("seed_activity", "seed_capability", "seed_domain", "seed_survey_question", "published_value_work")
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
    """Reads `sources` (None: empty raw tables) and runs the slice's models, and their dbt tests unless told not to.

    Raises:
        AssertionError: dbt failed; the message names the nodes.
    """
    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    tables = {
        name: pd.DataFrame(columns=list(columns), dtype=object)
        for name, columns in declared_tables().items()
        if name.startswith("raw.survey")
    }
    if sources is not None:
        tables |= read_survey(sources, "salt").frames
    warehouse.replace(tables)
    project = folder / "dbt"
    if not project.exists():
        _copy_project(project, dropped)
    run = run_dbt(folder, "build" if with_tests else "run", project=project)
    assert run.success, run.failures
    return warehouse


def _copy_project(project: Path, dropped: tuple[str, ...]) -> None:
    whole = PROJECT / "dbt"
    shutil.copytree(whole / "macros", project / "macros")
    for name in ("dbt_project.yml", "profiles.yml", "models/sources.yml"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
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
