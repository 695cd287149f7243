"""What `suitability doctor` looks at: the installation, the home, the sources.

Belongs here: looking and telling. Does not belong here: mending.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from assets.settings import Settings

PACKAGES = (
    "dagster",
    "dagster-dbt",
    "dbt-core",
    "dbt-duckdb",
    "duckdb",
    "great-expectations",
    "pandas",
    "pymc",
    "nutpie",
    "plotly",
)
INPUTS = {
    "ratings": ("battery/ratings/*.csv", "battery"),
    "results": ("battery/results/*.csv, battery/results/*.eval, battery/results/*.json", "capability"),
    "systems": ("battery/systems.csv", "capability"),
    "survey": ("survey/*.csv", "work"),
    "interviews": ("survey/interviews/*.csv", "work"),
    "propensity items": ("propensity/items/*.csv", "propensity"),
    "propensity responses": ("propensity/responses/*.csv", "propensity"),
    "chats": ("chats/*.parquet, chats/*.jsonl, chats/*.jsonl.gz", "adoption"),
    "O*NET": ("onet/*.txt", "adoption"),
    "OEWS": ("oews/*.csv, oews/*.xlsx", "adoption"),
}
FREE_GIGABYTES = 2


@dataclass(frozen=True)
class Finding:
    """One thing looked at; `state` is ok, note (works, but know it) or missing."""

    what: str
    state: str
    text: str


def examine(settings: Settings) -> list[Finding]:
    """Everything a refresh needs, in the order a person would look."""
    return [*_installation(), *_home(settings), *_sources(settings)]


def _installation() -> list[Finding]:
    wanted = sys.version_info[:2] == (3, 11)
    python = ".".join(map(str, sys.version_info[:3]))
    findings = [
        Finding("python", "ok" if wanted else "missing", python if wanted else f"{python}; 3.11 is needed")
    ]
    for package in PACKAGES:
        try:
            findings.append(Finding(package, "ok", version(package)))
        except PackageNotFoundError:
            findings.append(
                Finding(package, "missing", "not installed: run `make refresh` or install requirements.lock")
            )
    browser = shutil.which("chromium")
    text = browser or "not found: only the report's tests need it"
    return [*findings, Finding("chromium", "ok" if browser else "note", text)]


def _home(settings: Settings) -> list[Finding]:
    folder = settings.home
    while not folder.exists():
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        return [Finding("home", "missing", f"{settings.home}: {folder} can't be written to")]
    free = shutil.disk_usage(folder).free / 1e9
    enough = free >= FREE_GIGABYTES
    findings = [Finding("home", "ok" if enough else "note", f"{settings.home}, {free:.1f} GB free")]
    return [*findings, _published(settings), *_working_file(settings)]


def _published(settings: Settings) -> Finding:
    from dagster_project.published import (
        NothingPublishedError,
        UnreadablePublicationError,
        read_publication,
    )

    try:
        read_publication(settings.published_path)
    except NothingPublishedError:
        return Finding("published", "note", "nothing yet: run `suitability refresh`")
    except UnreadablePublicationError as error:
        return Finding("published", "missing", str(error))
    return Finding("published", "ok", str(settings.published_path))


def _working_file(settings: Settings) -> list[Finding]:
    """Nothing of a file that is not there, or that a refresh is at work on."""
    from dagster_project.lock import holder
    from dagster_project.resources import DamagedWarehouseError, DuckDBWarehouse, WarehouseBusyError

    path = settings.warehouse_path
    if not path.exists() or holder(settings.home):
        return []
    try:
        with DuckDBWarehouse(path, lock_wait_seconds=0).connect():
            return [Finding("working file", "ok", str(path))]
    except WarehouseBusyError as error:
        return [Finding("working file", "note", str(error))]
    except DamagedWarehouseError as error:
        return [Finding("working file", "missing", str(error))]


def _sources(settings: Settings) -> list[Finding]:
    if settings.sources is None:
        return [Finding("sources", "note", "SUITABILITY_SOURCES is unset: the embedded demo (SYNTHETIC)")]
    findings = [Finding("sources", "ok", str(settings.sources))]
    for name, (patterns, slice_name) in INPUTS.items():
        n_files = sum(len(list(settings.sources.glob(pattern))) for pattern in patterns.split(", "))
        text = f"{n_files} file{'' if n_files == 1 else 's'} ({patterns})"
        missing = f"none ({patterns}): slice {slice_name} will be skipped or incomplete"
        findings.append(Finding(name, "ok" if n_files else "note", text if n_files else missing))
    if all(finding.state == "note" for finding in findings[1:]):
        findings.append(
            Finding("inputs", "missing", "no input of any kind: `suitability template` writes examples")
        )
    return findings


def report(console: Console, findings: list[Finding]) -> bool:
    """Print the findings; whether nothing that is needed is missing."""
    table = Table("what", "", "")
    styles = {"ok": "green", "note": "yellow", "missing": "bold red"}
    for finding in findings:
        table.add_row(finding.what, f"[{styles[finding.state]}]{finding.state}[/]", finding.text)
    console.print(table)
    return all(finding.state != "missing" for finding in findings)
