"""Dagster assets of a tournament's calls: what language models wrote, judged and coded, from the ledger.

Belongs here: read, call, write, metadata, and the check of assistance. Does not belong here: any computation
(tournament.py, traits.py); sending, a refresh never does (`suitability llm run` does).
"""

from collections.abc import Iterator

import dagster as dg
import pandas as pd

from assets.assistance.planning import PanelError
from assets.assistance.tasks import TaskError, read_instrument
from assets.assistance.tournament import Supplied, Tournament, take_part
from assets.assistance.traits import MAX_CONTAINED, assisted, leaks
from assets.llm import read_roles
from assets.llm.outcome import collected_result, faults_as_failure
from assets.ports import Warehouse, declared_tables
from assets.settings import Settings

FILES = ("candidate", "tournament_output", "tournament_judgement", "assistance_trait")
TABLES = {
    "tournament_llm_output": "Deliverables that language models are to write, by the ledger; sends nothing.",
    "tournament_llm_judgement": "Verdicts of language models on pairs of deliverables, by the ledger; sends nothing.",
    "assistance_llm_trait": "Traits of assistance as language models code them, by the ledger; sends nothing.",
}


@dg.multi_asset(
    name="tournament_calls",
    specs=[
        dg.AssetSpec(
            ["raw", name],
            deps=[
                *(["raw", table] for table in FILES),
                *(["file", file] for file in ("roles", "rubrics", "tasks", "ledger")),
            ],
            group_name="assistance",
            kinds={"python", "sqlite"},
            code_version="1",
            description=description,
        )
        for name, description in TABLES.items()
    ],
    pool="warehouse",
)
def tournament_calls(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """Collect answers from the ledger; no rows where llm.toml names nobody for a tournament."""
    frames = {name: pd.DataFrame(columns=list(declared_tables()[f"raw.{name}"])) for name in TABLES}
    with faults_as_failure(PanelError, TaskError):
        roles = read_roles(settings)
        if take_part(roles):
            supplied = Supplied(*(warehouse.read(f"raw.{table}") for table in FILES))
            tournament = Tournament(settings, roles, supplied, settings.sources)
            found = (tournament.output_frame(), tournament.judgement_frame(), tournament.trait_frame())
            frames = dict(zip(TABLES, found, strict=True))
    warehouse.replace({f"raw.{name}": frame for name, frame in frames.items()})
    for name, frame in frames.items():
        yield collected_result(f"raw.{name}", frame, "calls", frame[["call_id", "status"]])


@dg.multi_asset_check(
    name="assistance_check",
    specs=[
        dg.AssetCheckSpec(
            "assistance_holds_no_deliverable",
            asset=["raw", table],
            description="No assistance holds more than a quarter of the deliverable it was written for, word for word.",
        )
        for table in ("tournament_output", "tournament_llm_output")
    ],
    pool="warehouse",
)
def assistance_check(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.AssetCheckResult]:
    """Compare each assistance text with the deliverable that came of it; tells which hold it, blocks nothing."""
    prompts = {name: task.prompt for name, task in read_instrument(settings.sources).tasks.items()}
    for table in ("tournament_output", "tournament_llm_output"):
        outputs = assisted(warehouse.read(f"raw.{table}"))
        found = leaks(outputs, prompts)
        told = [f"{' / '.join(entry)}: {share:.0%}" for entry, share in found]
        yield dg.AssetCheckResult(
            passed=not found,
            asset_key=["raw", table],
            check_name="assistance_holds_no_deliverable",
            severity=dg.AssetCheckSeverity.WARN,
            description="Assistance that holds the deliverable itself.",
            metadata={
                "n_texts": len(outputs), "n_flagged": len(found), "largest_share_allowed": MAX_CONTAINED,
                "flagged": told[:20],
                "unexpected_count": len(found), "sample": told[:20],
            },
        )  # fmt: skip
