"""Dagster asset of the ledger: what calls to language models cost, as a table.

Belongs here: read, write, metadata. Does not belong here: sending; a refresh never spends (`suitability llm run` does).
"""

import dagster as dg

from assets.llm.ledger import LedgerError
from assets.llm.usage import read_attempts
from assets.ports import Warehouse
from assets.settings import Settings


@dg.asset(
    key=["raw", "llm_call"],
    deps=[["file", "ledger"]],
    group_name="llm",
    kinds={"python", "sqlite"},
    code_version="1",
    pool="warehouse",
    description="Every attempt at a call to a language model, without its texts; empty where none was made.",
)
def llm_call(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    try:
        frame = read_attempts(settings.ledger_path)
    except LedgerError as error:
        raise dg.Failure(str(error), allow_retries=False) from None
    warehouse.replace({"raw.llm_call": frame})
    counts = {str(status): int(n) for status, n in frame["status"].value_counts().sort_index().items()}
    return dg.MaterializeResult(metadata={"dagster/row_count": len(frame), "attempts_by_status": counts})
