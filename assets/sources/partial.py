"""Refreshes of a part: what they read again, and when the rest of a home is whole enough to stand beside it.

Belongs here: the rule, and the small file in the home that it is kept by. Does not belong here: which assets a job
covers (dagster_project/automation.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import BaseModel, ConfigDict

from assets.project import folder_hash
from assets.settings import PROJECT, Settings
from assets.sources.folder import sources_name
from assets.whole_file import written_whole

WHOLE = "refresh"
# job -> inputs (as in raw.source_file) that it reads
PARTS = {"refresh_results": {"results", "systems"}, "refresh_chats": {"chats"}}
# home is where, not what; sources are kept by name; llm is the path of a file whose contents may change too, since
# plans, not refreshes, ask; lock_wait_seconds is patience; the last two are read by jobs of their own alone
_DECIDE_NOTHING = {"home", "sources", "llm", "lock_wait_seconds", "recovery_runs", "calibration_fits"}
# seeds and models, steps, rubrics
_PROJECT_FOLDERS = ("dbt", "assets", "rubrics")
_AGAIN = "Run `suitability refresh`"


class PartialRefreshError(RuntimeError):
    """A part can't be refreshed beside what stands in the home; says what to do."""


class State(BaseModel):
    """`jobs` begun since the last publication, and what the last whole refresh was made by: sources, settings, project.

    A home of an earlier version has no settings.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: str
    settings: dict[str, Any] | None = None
    project: dict[str, str] = {}
    jobs: list[str] = []

    def unlike(self, now: State) -> str:
        """What is another now than it was in the last whole refresh; empty = nothing."""
        old, new = self.settings or {}, now.settings or {}
        differ = [
            f"SUITABILITY_{name.upper()} is {_shown(new, name)} and was {_shown(old, name)}"
            for name in sorted(old.keys() | new.keys())
            if _shown(new, name) != _shown(old, name)
        ]
        if differ:
            return f"{', '.join(differ)} in the last whole refresh"
        changed = [f"{name}/" for name in now.project if now.project[name] != self.project.get(name)]
        return (
            f"files of the project changed since the last whole refresh, in {', '.join(changed)}"
            if changed
            else ""
        )


def _shown(settings: dict[str, Any], name: str) -> str:
    value = settings.get(name)
    return "unset" if value is None else str(value)


def why_not(settings: Settings, job: str) -> str | None:
    """Why `job` can't begin; a part may follow itself, or what was published, if all else is made by the same."""
    if job not in PARTS:
        return None
    try:
        state = _read(settings.home)
    except PartialRefreshError as error:
        return str(error)
    sources = sources_name(settings)
    if state is None or not settings.warehouse_path.exists():
        return f"nothing in this home was refreshed as a whole yet. {_AGAIN}"
    if state.sources != sources:
        return f"all else in this home is from {state.sources}, not from {sources}. {_AGAIN}"
    if state.settings is None:
        return f"an earlier version refreshed this home, and did not note its settings. {_AGAIN}"
    if unlike := state.unlike(_now(settings)):
        return f"{unlike}. {_AGAIN}"
    if unfinished := sorted(set(state.jobs) - {job}):
        what = f"{', '.join(unfinished)} did not get through, so what it covers is neither old nor new"
        return f"{what}. {_AGAIN}"
    return None


def begin(settings: Settings, job: str) -> None:
    """Note that `job` begins.

    Raises:
        PartialRefreshError: it can't.
    """
    if reason := why_not(settings, job):
        raise PartialRefreshError(reason)
    # assets chosen by hand make no whole where there was none
    before = None if job == WHOLE else _read(settings.home) or State(sources=sources_name(settings))
    state = before or _now(settings)
    _write(settings.home, state.model_copy(update={"jobs": [*state.jobs, job]}))


def finish(home: Path) -> None:
    """Note that all that was begun is published."""
    if state := _read(home):
        _write(home, state.model_copy(update={"jobs": []}))


def source_files_after(found: pd.DataFrame, before: pd.DataFrame, inputs: set[str]) -> pd.DataFrame:
    """raw.source_file after a refresh of `inputs` alone: of all others, the files as they were read."""
    own, others = found[found["input"].isin(inputs)], before[~before["input"].isin(inputs)]
    return pd.concat([own, others], ignore_index=True) if len(others) else own


def _now(settings: Settings) -> State:
    return State(
        sources=sources_name(settings),
        settings=settings.model_dump(mode="json", exclude=_DECIDE_NOTHING),
        project={name: folder_hash(PROJECT / name) for name in _PROJECT_FOLDERS},
    )


def _read(home: Path) -> State | None:
    path = home / "begun.json"
    try:
        return State.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise PartialRefreshError(
            f"{path}, the note of the last whole refresh, can't be read. {_AGAIN}, which makes it anew"
        ) from None


def _write(home: Path, state: State) -> None:
    with written_whole(home / "begun.json") as fresh:
        fresh.write_text(state.model_dump_json(), encoding="utf-8")
