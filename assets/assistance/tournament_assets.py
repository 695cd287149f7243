"""Dagster assets of a tournament's calls: what language models wrote, judged and coded, from the ledger.

Belongs here: read, call, hand over, metadata, and the check of assistance. Does not belong here: any computation
(tournament.py, traits.py); sending, a refresh never does (`suitability llm run` does).
"""

import dagster as dg
import pandas as pd

from assets.assistance.planning import PanelError
from assets.assistance.tasks import TaskError, read_instrument
from assets.assistance.tournament import Supplied, Tournament, take_part
from assets.assistance.traits import MAX_CONTAINED, assisted, leaks
from assets.common.warehouse import Warehouse, declared_tables
from assets.llm import read_roles
from assets.llm.outcome import by_status, faults_as_failure
from assets.settings import Settings
from assets.step import Made, Step, table_assets
from assets.versions import FailedCheck

FILES = ("raw.candidate", "raw.tournament_output", "raw.tournament_verdict", "raw.assistance_trait")
TABLES = {
    "raw.tournament_llm_output": "Deliverables that language models are to write, by the ledger; sends nothing.",
    "raw.tournament_llm_verdict": "Verdicts of language models on pairs of deliverables, by the ledger; sends "
    "nothing.",
    "raw.assistance_llm_trait": "Traits of assistance as language models code them, by the ledger; sends nothing.",
}


@table_assets(
    group="assistance",
    writes=TABLES,
    reads=FILES,
    inputs=["roles", "rubrics", "tasks", "ledger"],
    kinds=["python", "sqlite"],
)
def tournament_calls(step: Step) -> Made:
    """Collect answers from the ledger; no rows where llm.toml names nobody for a tournament."""
    frames = {name: pd.DataFrame(columns=list(declared_tables()[name])) for name in TABLES}
    with faults_as_failure(PanelError, TaskError):
        roles = read_roles(step.settings)
        if take_part(roles):
            supplied = Supplied(*map(step.read, FILES))
            tournament = Tournament(step.settings, roles, supplied, step.settings.sources)
            found = (tournament.output_frame(), tournament.verdict_frame(), tournament.trait_frame())
            frames = dict(zip(TABLES, found, strict=True))
    return Made(frames, metadata={name: by_status(frame, "calls") for name, frame in frames.items()})


def _leak_check(table: str) -> dg.AssetChecksDefinition:
    name = "assistance_holds_no_deliverable"

    @dg.asset_check(
        name=name,
        asset=table.split("."),
        description="No assistance holds more than a quarter of the deliverable it was written for, word for word.",
        pool="warehouse",
    )
    def leak_check(
        warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
    ) -> dg.AssetCheckResult:
        """Compare each text with the deliverable that came of it; tells which hold it, blocks nothing."""
        prompts = {task: one.prompt for task, one in read_instrument(settings.sources).tasks.items()}
        outputs = assisted(warehouse.read(table))
        told = [f"{' / '.join(entry)}: {share:.0%}" for entry, share in leaks(outputs, prompts)]
        what = f"Assistance that holds the deliverable itself: {', '.join(told[:3])}"
        warehouse.settle({}, [FailedCheck(table, name, False, what)] if told else [], [(table, name)])
        return dg.AssetCheckResult(
            passed=not told,
            severity=dg.AssetCheckSeverity.WARN,
            description="Assistance that holds the deliverable itself.",
            metadata={
                "n_texts": len(outputs), "n_flagged": len(told), "largest_share_allowed": MAX_CONTAINED,
                "flagged": told[:20],
            },
        )  # fmt: skip

    return leak_check


supplied_assistance_check = _leak_check("raw.tournament_output")
written_assistance_check = _leak_check("raw.tournament_llm_output")
