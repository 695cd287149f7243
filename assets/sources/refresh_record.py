"""Who, what and when of a refresh -> raw.refresh, one row.

Belongs here: the run's identity and versions. Does not belong here: anything about single files
(inventory.py).
"""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd

from assets.common.warehouse import conform
from assets.settings import PROJECT, Settings
from assets.sources.input_root import is_synthetic, sources_name

GIT_SECONDS = 5.0


def new_refresh(settings: Settings, sources: Path, started_at: datetime, run_id: str) -> pd.DataFrame:
    """raw.refresh for a refresh of `sources`; `refresh_id` sorts by time and ends as `run_id` begins.

    Publication compares that ending with its own run, so that the marts of two refreshes are never mixed.
    """
    started_at = started_at.astimezone(UTC)
    row = {
        "refresh_id": f"{started_at:%Y%m%dT%H%M%SZ}-{run_id[:8]}",
        "started_at": started_at.replace(tzinfo=None),
        "sources": sources_name(settings),
        "is_synthetic": is_synthetic(sources),
        "seed": settings.seed,
        "git_commit": git_commit(PROJECT),
        "duckdb_version": _version("duckdb"),
        "project_version": _version("suitability"),
    }
    return conform("raw.refresh", pd.DataFrame([row]))


def git_commit(project: Path) -> str | None:
    """The commit checked out at `project`; None where that isn't a checkout's top, or git doesn't answer."""
    command = ["git", "-C", str(project), "rev-parse", "--show-toplevel", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=GIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.split("\n")
    if done.returncode or len(lines) < 2 or Path(lines[0]).resolve() != project.resolve():
        return None
    return lines[1]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
