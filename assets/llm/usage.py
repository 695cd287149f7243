"""What the ledger says of spending: attempts without their texts, and counts of calls.

Belongs here: reading the ledger for the warehouse and for people. Does not belong here: prompts, answers and error
texts, which stay in the ledger: they may hold what the sources hold.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

from assets.llm.ledger import open_ledger

_COLUMNS = (
    "call_id", "attempt", "run", "plan", "role", "name", "model", "base_url", "back_end", "status",
    "input_tokens", "output_tokens", "cost", "started_at", "finished_at", "answered_model",
)  # fmt: skip
_COUNTS = """
with standing as (
    select *, attempt = max(attempt) over (partition by call_id) as is_last,
        sum(cost) over (partition by call_id) as call_cost
    from ledger
)
select role, name, model, status, count(*), sum(call_cost) from standing where is_last
group by role, name, model, status order by role, name, model, status
"""


def read_attempts(ledger_path: Path) -> pd.DataFrame:
    """One row an attempt, ordered by call and attempt; no row where there is no ledger.

    Raises:
        LedgerError: the file can't be read as a ledger.
    """
    query = f"select {', '.join(_COLUMNS)} from ledger order by call_id, attempt"
    return pd.DataFrame(_rows(ledger_path, query), columns=list(_COLUMNS), dtype=object)


def count_calls(ledger_path: Path) -> list[tuple[str, str, str, str, int, float | None]]:
    """Role, name, model, status, calls that stand so by their last attempt, and what all their attempts cost."""
    return _rows(ledger_path, _COUNTS)


def _rows(ledger_path: Path, query: str) -> list[Any]:
    if not ledger_path.exists():
        return []
    with closing(open_ledger(ledger_path)) as connection:
        return connection.execute(query).fetchall()
