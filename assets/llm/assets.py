"""Dagster asset of the ledger: what calls to language models cost, as a table.

Belongs here: read, metadata. Does not belong here: sending; a refresh never spends (`suitability llm run` does).
"""

from assets.llm.outcome import by_status, faults_as_failure
from assets.llm.usage import read_attempts
from assets.step import Made, Step, table_assets


@table_assets(
    group="llm",
    writes={
        "raw.llm_call": "Every attempt at a call to a language model, without its texts; empty where none was made."
    },
    inputs=["ledger"],
    kinds=["python", "sqlite"],
)
def llm_call(step: Step) -> Made:
    """Read the ledger."""
    with faults_as_failure():
        frame = read_attempts(step.settings.ledger_path)
    return Made({"raw.llm_call": frame}, metadata={"": by_status(frame, "attempts")})
