"""A run as a process of its own, for tests that kill it: `-m tests.support.llm.killed_run BASE_URL LEDGER N BACK_END`.

Belongs here: the run. Does not belong here: the killing (test_killed.py).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from assets.llm import Answer, run
from tests.llm.conftest import FAST, calls_of, model_at


def ask(base_url: str, ledger: Path, n_calls: int, back_end: str) -> list[Answer]:
    model = model_at(base_url, max_in_flight=8, back_end=back_end)
    return run(calls_of(model, [f"item {n}" for n in range(n_calls)]), ledger, "killed", limits=FAST)


def told(answers: list[Answer]) -> str:
    """All of the answers that must not depend on what happened on the way."""
    return json.dumps(
        [[a.call_id, a.status, a.text, a.input_tokens, a.output_tokens, a.cost] for a in answers]
    )


if __name__ == "__main__":
    base_url, ledger, n_calls, back_end = sys.argv[1:]
    print(told(ask(base_url, Path(ledger), int(n_calls), back_end)))
