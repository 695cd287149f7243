"""The checks of `suitability doctor`: the installation, the home, the sources.

Belongs here: checking and reporting. Does not belong here: repairing.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dagster_project.cli import show

if TYPE_CHECKING:
    from assets.settings import Settings
    from assets.sources.inputs import Input

PACKAGES = (
    "dagster",
    "dbt-core",
    "dbt-duckdb",
    "duckdb",
    "great-expectations",
    "pandas",
    "pymc",
    "nutpie",
    "plotly",
)
FREE_GIGABYTES = 2


@dataclass(frozen=True)
class Finding:
    """One thing looked at; `state` is ok, note (works, but know it) or missing."""

    what: str
    state: str
    text: str


def examine(settings: Settings) -> list[Finding]:
    """Everything a refresh needs, in the order a person would look."""
    return [*_installation(), *_home(settings), *_sources(settings), *_item_texts(settings)]


def _installation() -> list[Finding]:
    wanted = sys.version_info[:2] == (3, 11)
    python = ".".join(map(str, sys.version_info[:3]))
    findings = [
        Finding(
            "python", "ok" if wanted else "missing", python if wanted else f"{python}: install Python 3.11"
        )
    ]
    for package in PACKAGES:
        try:
            findings.append(Finding(package, "ok", version(package)))
        except PackageNotFoundError:
            findings.append(
                Finding(package, "missing", "not installed: run `make refresh` or install requirements.lock")
            )
    browser = shutil.which("chromium")
    text = browser or "not found; only the report's tests need it"
    return [*findings, Finding("chromium", "ok" if browser else "note", text)]


def _home(settings: Settings) -> list[Finding]:
    folder = settings.home
    while not folder.exists():
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        return [
            Finding(
                "home",
                "missing",
                f"{settings.home}: {folder} is not writable. Set SUITABILITY_HOME to another folder",
            )
        ]
    free = shutil.disk_usage(folder).free / 1e9
    enough = free >= FREE_GIGABYTES
    findings = [Finding("home", "ok" if enough else "note", f"{settings.home}, {free:.1f} GB free")]
    return [*findings, _published(settings), *_working_file(settings)]


def _published(settings: Settings) -> Finding:
    from dagster_project.publication.read_published import (
        NothingPublishedError,
        UnreadablePublicationError,
        read_publication,
    )

    try:
        read_publication(settings.published_path)
    except NothingPublishedError:
        return Finding("published", "note", "nothing published yet: run `suitability refresh`")
    except UnreadablePublicationError as error:
        return Finding("published", "missing", str(error))
    return Finding("published", "ok", str(settings.published_path))


def _working_file(settings: Settings) -> list[Finding]:
    """Nothing of a file that is not there, or that a refresh is at work on."""
    from dagster_project.resources import DamagedWarehouseError, DuckDBWarehouse, WarehouseBusyError
    from dagster_project.runs.lock import holder

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
        return [
            Finding(
                "sources", "note", "SUITABILITY_SOURCES is not set: the embedded demo (SYNTHETIC) is used"
            )
        ]
    from assets.sources.inputs import INPUTS

    findings = [_input(settings.sources, one) for one in INPUTS if one.base == "sources"]
    if all(finding.state == "note" for finding in findings):
        findings.append(
            Finding(
                "inputs",
                "missing",
                "no input files: `suitability template` writes empty ones with the right headers",
            )
        )
    return [Finding("sources", "ok", str(settings.sources)), *findings]


def _input(sources: Path, one: Input) -> Finding:
    """The files that the input's readers would take, and what lies beside them."""
    from assets.sources.files import find_files, relative
    from assets.sources.inputs import INPUTS
    from assets.sources.readers import SourceError

    name, own = one.name, one.locations
    try:
        found = [find_files(sources, *place) for place in own]
    except SourceError as error:
        return Finding(name, "missing", str(error))
    files = [path for paths, _ in found for path in paths]
    if dangling := [relative(sources, path) for path in files if not path.exists()]:
        return Finding(name, "missing", f"broken links, correct or delete them: {show.first(dangling)}")
    if empty := [relative(sources, path) for path in files if path.suffix == ".csv" and _is_empty(path)]:
        return Finding(name, "missing", f"header without rows, fill in or delete: {show.first(empty)}")
    # interviews lie in the folder of the survey
    others = {location for other in INPUTS for location, _ in other.locations}
    ignored = [file for _, beside in found for file in beside if file not in others]
    text = f"{len(files)} file{'' if len(files) == 1 else 's'} ({_where(own)})"
    if not files:
        text = f"none ({_where(own)}): slice {one.group} will be skipped or incomplete"
    if ignored:
        text += f"; not read: {show.first(ignored)}"
    return Finding(name, "ok" if files else "note", text)


def _item_texts(settings: Settings) -> list[Finding]:
    """Items whose text differs between sources, by the last publication; nothing where none does or none is there."""
    import duckdb

    from dagster_project.publication.read_published import (
        NothingPublishedError,
        UnreadablePublicationError,
        query,
    )

    wanted = "select distinct benchmark || ' ' || item from marts.item_text_drift order by 1"
    try:
        found = [item for (item,) in query(settings.published_path, wanted)[1]]
    except (NothingPublishedError, UnreadablePublicationError, duckdb.Error):
        return []
    told = f"other texts in other sources, see marts.item_text_drift: {show.first(found)}"
    return [Finding("item texts", "note", told)] if found else []


def _is_empty(path: Path) -> bool:
    """Whether a CSV file has no line below its header, as `suitability template` writes it: it stops a refresh."""
    with path.open("rb") as file:
        return sum(bool(line.strip()) for line, _ in zip(file, range(2), strict=False)) < 2


def _where(places: Sequence[tuple[str, tuple[str, ...]]]) -> str:
    return ", ".join(
        location if location.endswith(suffix) else f"{location}/*{suffix}"
        for location, suffixes in places
        for suffix in suffixes
    )


def report(console: Console, findings: list[Finding]) -> bool:
    """Print the findings; whether nothing that is needed is missing."""
    table = Table("check", "state", "details")
    styles = {"ok": "green", "note": "yellow", "missing": "bold red"}
    for finding in findings:
        table.add_row(finding.what, f"[{styles[finding.state]}]{finding.state}[/]", escape(finding.text))
    console.print(table)
    return all(finding.state != "missing" for finding in findings)
