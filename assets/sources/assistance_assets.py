"""The raw assets of the tournament: who takes part, what they wrote, what judges said.

Belongs here: thin Dagster assets. Does not belong here: reading (readers/), or what language models answered
(assets/assistance).
"""

from collections.abc import Callable
from pathlib import Path

import dagster as dg

from assets.ports import Warehouse
from assets.settings import Settings
from assets.sources.folder import sources_folder
from assets.sources.outcome import faults_as_failure, reading_result
from assets.sources.readers import Reading, read_candidates, read_judgements, read_outputs, read_traits


def _raw_asset(
    name: str, file: str, read: Callable[[Path], Reading], description: str
) -> dg.AssetsDefinition:
    table = f"raw.{name}"

    @dg.asset(
        key=["raw", name],
        deps=[["file", file]],
        group_name="assistance",
        kinds={"python", "duckdb"},
        pool="warehouse",
        code_version="1",
        description=description,
    )
    def raw_table(
        warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
    ) -> dg.MaterializeResult:
        with faults_as_failure():
            reading = read(sources_folder(settings))
        warehouse.replace(reading.frames)
        return reading_result(reading, table)

    return raw_table


candidate = _raw_asset(
    "candidate", "candidates", read_candidates, "Candidates, workers and judges with their families."
)
tournament_output = _raw_asset(
    "tournament_output", "outputs", read_outputs, "Deliverables, and the assistance behind them."
)
tournament_judgement = _raw_asset(
    "tournament_judgement", "judgements", read_judgements, "Verdicts on pairs of deliverables as they came."
)
assistance_trait = _raw_asset(
    "assistance_trait", "traits", read_traits, "Judges' codings of assistance texts as they came."
)
