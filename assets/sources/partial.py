"""Refreshes of a part: what they read again, and when the rest of a home is whole enough to stand beside it.

Belongs here: the rule, and the small file in the home that it is kept by. Does not belong here: which assets a job
covers (dagster_project/automation.py).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pandas as pd

from assets.whole_file import written_whole

WHOLE = "refresh"
# job -> inputs (as in raw.source_file) that it reads
PARTS = {"refresh_results": {"results", "systems"}, "refresh_chats": {"chats"}}


class PartialRefreshError(RuntimeError):
    """A part can't be refreshed beside what stands in the home; says what to do."""


@dataclass(frozen=True)
class State:
    """`sources` of the last refresh, and the `jobs` begun since the last publication."""

    sources: str
    jobs: list[str] = field(default_factory=list)


def why_not(home: Path, job: str, sources: str, before: str | None) -> str | None:
    """Why `job` can't begin on `sources`; a part may follow itself, or what was published, of the same sources.

    Args:
        before: sources of the last refresh, None = none yet; counts where an earlier version left no note.
    """
    if job not in PARTS:
        return None
    state = _read(home) or State(before or "nowhere")
    if state.sources != sources:
        return f"all else in this home is from {state.sources}, not from {sources}. Run `suitability refresh`"
    if unfinished := sorted(set(state.jobs) - {job}):
        what = f"{', '.join(unfinished)} did not get through, so what it covers is neither old nor new"
        return f"{what}. Run `suitability refresh`"
    return None


def begin(home: Path, job: str, sources: str, before: str | None) -> None:
    """Note that `job` begins on `sources`; arguments as of `why_not`.

    Raises:
        PartialRefreshError: it can't.
    """
    if reason := why_not(home, job, sources, before):
        raise PartialRefreshError(reason)
    state = _read(home) or State(before or sources)
    _write(home, State(sources, [job]) if job == WHOLE else State(state.sources, [*state.jobs, job]))


def finish(home: Path) -> None:
    """Note that all that was begun is published."""
    if state := _read(home):
        _write(home, State(state.sources))


def source_files_after(found: pd.DataFrame, before: pd.DataFrame, inputs: set[str]) -> pd.DataFrame:
    """raw.source_file after a refresh of `inputs` alone: of all others, the files as they were read."""
    own, others = found[found["input"].isin(inputs)], before[~before["input"].isin(inputs)]
    return pd.concat([own, others], ignore_index=True) if len(others) else own


def _read(home: Path) -> State | None:
    try:
        return State(**json.loads((home / "begun.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def _write(home: Path, state: State) -> None:
    with written_whole(home / "begun.json") as fresh:
        fresh.write_text(json.dumps(asdict(state)), encoding="utf-8")
