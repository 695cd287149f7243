"""Runs the battery part of the warehouse, raw tables to marts, in a folder of its own.

Belongs here: the runner that the battery tests share, with planted and with real inputs.
Does not belong here: inputs and assertions.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from assets.battery.assets import dimension_member
from assets.ports import declared_tables
from assets.settings import PROJECT, Settings
from dagster_project.resources import DuckDBWarehouse

EMPTY_UNLESS_LANDED = (
    *("raw.rating", "raw.annotation", "raw.result", "raw.ai_system"),
    *("model.battery_selection", "model.battery_selection_benchmark", "model.battery_selection_level"),
    "model.dimension_member",
)


class BatteryPipeline:
    """The slice's own models, in a copy of the dbt project, on a warehouse file in `folder`."""

    def __init__(self, folder: Path, aliases: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.project = folder / "dbt"
        self.warehouse = DuckDBWarehouse(folder / "warehouse.duckdb")
        self.status: dict[str, str] = {}
        self.messages: dict[str, str] = {}
        source = PROJECT / "dbt"
        shutil.copytree(source / "macros", self.project / "macros")
        for name in ("dbt_project.yml", "profiles.yml", "models/sources.yml"):
            (self.project / name).parent.mkdir(exist_ok=True)
            shutil.copy(source / name, self.project / name)
        for layer in ("staging", "intermediate", "marts"):
            shutil.copytree(
                source / "models" / layer / "battery", self.project / "models" / layer / "battery"
            )
        (self.project / "seeds").mkdir()
        for path in (source / "seeds").iterdir():
            if path.name.startswith(("seed_", "published_value_battery")):
                shutil.copy(path, self.project / "seeds" / path.name)
        rows = [f"{alias},{system}" for alias, system in (aliases or {}).items()]
        (self.project / "seeds/seed_system_alias.csv").write_text("\n".join(["alias,system", *rows, ""]))
        self.land(dict.fromkeys(EMPTY_UNLESS_LANDED, pd.DataFrame()))

    def land(self, frames: Mapping[str, pd.DataFrame]) -> None:
        """Replace raw tables; a column that a frame lacks is NULL."""
        self.warehouse.replace(
            {name: frame.reindex(columns=list(declared_tables()[name])) for name, frame in frames.items()}
        )

    def dbt(self, *arguments: str) -> int:
        """Exit code of one dbt call; `status` and `messages` hold what became of each node, by its name."""
        environment = os.environ | {
            "SUITABILITY_WAREHOUSE_PATH": str(self.warehouse.path),
            "DBT_TARGET_PATH": str(self.folder / "target"),
            "DBT_LOG_PATH": str(self.folder / "log"),
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        }
        command = [str(Path(sys.executable).with_name("dbt")), "--quiet", *arguments]
        command += ["--project-dir", str(self.project), "--profiles-dir", str(self.project)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        results_file = self.folder / "target" / "run_results.json"
        assert results_file.exists(), done.stdout + done.stderr
        results = json.loads(results_file.read_text())["results"]
        names = [result["unique_id"].split(".")[2] for result in results]
        self.status |= dict(zip(names, (result["status"] for result in results), strict=True))
        self.messages |= dict(zip(names, (result["message"] or "" for result in results), strict=True))
        return done.returncode

    def build(self, command: str = "build") -> None:
        """Everything: the models up to the correlations, the clusters, the rest."""
        seeds = ["seed"] if command == "run" else []
        for call in ([*seeds], [command, "-s", "+int_capability_correlation"]):
            assert not call or self.dbt(*call) == 0, self.failures()
        dimension_member(warehouse=self.warehouse, settings=Settings())
        assert self.dbt(command, "--exclude", "+int_capability_correlation") == 0, self.failures()

    def failures(self) -> dict[str, str]:
        """Message of each node that did not succeed."""
        return {n: self.messages[n] for n, s in self.status.items() if s in ("error", "fail", "skipped")}

    def read(self, table: str) -> pd.DataFrame:
        """A table of the warehouse."""
        return self.warehouse.read(table)
