"""Runs the battery part of the warehouse, raw tables to marts, in a folder of its own.

Belongs here: the runner that the battery tests share, with planted and with real inputs.
Does not belong here: inputs and assertions.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from assets.battery.assets import dimension_member, rater_demand
from assets.common.warehouse import declared_tables
from assets.settings import PROJECT, Settings
from dagster_project.resources import DuckDBWarehouse
from tests.support.dbt_run import WAREHOUSE_NAME, run_dbt
from tests.support.steps import run_steps

EMPTY_UNLESS_LANDED = (
    *("raw.rating", "raw.item", "raw.annotation", "raw.result", "raw.ai_system", "raw.llm_call"),
    *(
        "estimate.battery_selection",
        "estimate.battery_sample",
        "estimate.battery_selection_benchmark",
        "estimate.battery_selection_level",
    ),
    "estimate.dimension_member",
)


class BatteryPipeline:
    """The slice's own models, in a copy of the dbt project, on a warehouse file in `folder`."""

    def __init__(self, folder: Path, aliases: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.project = folder / "dbt"
        self.warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
        self.status: dict[str, str] = {}
        self.messages: dict[str, str] = {}
        source = PROJECT / "dbt"
        for name in ("macros", "models/sources", "models/intermediate/llm"):
            shutil.copytree(source / name, self.project / name)
        for name in ("dbt_project.yml", "profiles.yml"):
            shutil.copy(source / name, self.project / name)
        for layer in ("staging", "intermediate", "marts"):
            shutil.copytree(
                source / "models" / layer / "battery", self.project / "models" / layer / "battery"
            )
        # who answered for a rater
        (self.project / "models/staging/llm").mkdir()
        for path in (source / "models/staging/llm").glob("stg_llm_call.*"):
            shutil.copy(path, self.project / "models/staging/llm" / path.name)
        (self.project / "seeds").mkdir()
        for path in (source / "seeds").iterdir():
            if path.name.startswith("seed_"):
                shutil.copy(path, self.project / "seeds" / path.name)
        rows = [f"{alias},{system}" for alias, system in (aliases or {}).items()]
        (self.project / "seeds/seed_system_alias.csv").write_text("\n".join(["alias,system", *rows, ""]))
        self.land(dict.fromkeys(EMPTY_UNLESS_LANDED, pd.DataFrame()))

    def land(self, frames: Mapping[str, pd.DataFrame]) -> None:
        """Replace raw tables; a column that a frame lacks is NULL."""
        self.warehouse.write(
            {name: frame.reindex(columns=list(declared_tables()[name])) for name, frame in frames.items()}
        )

    def dbt(self, *arguments: str) -> bool:
        """Success of one dbt call; `status` and `messages` hold what became of each node, by its name."""
        run = run_dbt(self.folder, *arguments, project=self.project)
        self.status |= run.status
        self.messages |= run.messages
        return run.success

    def build(self, *options: str) -> None:
        """Everything: the models up to the correlations, the clusters, the rest."""
        run_steps(self.warehouse, Settings(), rater_demand)
        assert self.dbt("build", "-s", "+int_capability_correlation", *options), self.failures()
        run_steps(self.warehouse, Settings(), dimension_member)
        assert self.dbt("build", "--exclude", "+int_capability_correlation", *options), self.failures()

    def failures(self) -> dict[str, str]:
        """Message of each node that did not succeed."""
        return {n: self.messages[n] for n, s in self.status.items() if s in ("error", "fail", "skipped")}

    def read(self, table: str) -> pd.DataFrame:
        """A table of the warehouse."""
        return self.warehouse.read(table)
