"""The slice from files to marts, as a refresh makes it but for what other slices bring.

Belongs here: one build. Does not belong here: inputs and assertions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from assets.assistance.assets import MADE, tournament
from assets.assistance.tournament_assets import TABLES
from assets.ports import declared_tables
from assets.settings import Settings
from assets.sources.readers import read_candidates, read_judgements, read_outputs, read_traits
from dagster_project.resources import DuckDBWarehouse
from tests.dbt_run import WAREHOUSE_NAME, run_dbt

READERS = (read_candidates, read_outputs, read_judgements, read_traits)


def build_slice(folder: Path, sources: Path, dbt_target: Path, *options: str) -> DuckDBWarehouse:
    """A warehouse in `folder` with the slice built from `sources`/tournament; nobody was asked.

    Args:
        options: more of dbt's, e.g. to leave tests out.

    Raises:
        AssertionError: a model, a test or a unit test failed; which, and dbt's message.
    """
    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    for read in READERS:
        warehouse.replace(read(sources).frames)
    names = [f"raw.{name}" for name in TABLES]
    warehouse.replace({name: pd.DataFrame(columns=list(declared_tables()[name])) for name in names})
    first = ("path:models/staging/assistance", "path:models/intermediate/assistance")
    run = run_dbt(folder, "build", "-s", *first, *options, parsed=dbt_target)
    assert run.success, run.failures
    step: Any = tournament
    made = list(step.op.compute_fn.decorated_fn(warehouse, Settings(home=folder / "home")))
    assert {result.asset_key.path[1] for result in made} == set(MADE)
    run = run_dbt(folder, "build", "-s", "path:models/marts/assistance", *options, parsed=dbt_target)
    assert run.success, run.failures
    return warehouse
