"""Rules of the house that no linter checks: where inputs are listed, how modules are named, how large folders are."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from assets.settings import PROJECT
from assets.sources.inputs import INPUTS

ROOTS = ("assets", "dagster_project")
MODULES = [path for root in ROOTS for path in sorted((PROJECT / root).rglob("*.py"))]
# of one role in each folder that has it
ROLES = {"__init__.py", "__main__.py", "assets.py"}
# one file per format, and one per page
FLAT = {"assets/sources/readers", "dagster_project/report/pages"}
# beside __init__.py and __main__.py
MOST_FILES, MOST_LINES = 15, 400


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_a_module_says_what_belongs_in_it_and_is_short(path: Path) -> None:
    assert text(path).lstrip().startswith('"""'), "a docstring first"
    assert text(path).count("\n") <= MOST_LINES
    if path.name not in ROLES:
        assert "Belongs here:" in text(path) or len(text(path).splitlines()) < 90, (
            "what belongs here, and what does not"
        )


def test_folders_are_small() -> None:
    found = {str(path.parent.relative_to(PROJECT)) for path in MODULES}
    sizes = {
        folder: sum(not path.name.startswith("__") for path in (PROJECT / folder).glob("*.py"))
        for folder in found - FLAT
    }
    assert {folder: n for folder, n in sizes.items() if n > MOST_FILES} == {}


def test_no_input_is_listed_outside_the_catalogue() -> None:
    """A list elsewhere drifts: three or more locations of inputs in one other module are one."""
    locations = {location for one in INPUTS if one.base == "sources" for location, _ in one.locations}
    # an asset names its own inputs by their names
    others = [
        path for path in MODULES if path.name not in ("inputs.py", "assets.py") and "demo" not in path.parts
    ]
    lists = {
        str(path.relative_to(PROJECT)): named
        for path in others
        if len(
            named := {place for place in locations if re.search(rf"[\"']{re.escape(place)}[\"']", text(path))}
        )
        > 2
    }
    assert lists == {}


def test_assets_name_no_job_and_no_command() -> None:
    """The layer above knows the one below, not the other way round: what a user is told to run is the exception."""
    found = [
        path for path in MODULES if "assets" in path.parts and re.search(r"dagster_project", _code(path))
    ]
    assert found == []


def test_nothing_outside_the_command_line_imports_it() -> None:
    cli = PROJECT / "dagster_project" / "cli"
    found = [path for path in MODULES if cli not in path.parents and "dagster_project.cli" in _code(path)]
    assert found == []


def test_lineage_is_declared_once_by_what_a_step_reads() -> None:
    """A step under `table_assets` gets its deps from its reads: none names a table a second time."""
    found = [
        path for path in MODULES if re.search(r"\bdeps\s*=|\bAssetSpec\(|@dg\.(multi_)?asset\b", text(path))
    ]
    assert {str(path.relative_to(PROJECT)) for path in found} == {
        "assets/step.py",
        # what isn't made in Python: tables of dbt, and files
        "dagster_project/dbt_build/assets.py",
        "dagster_project/observed_inputs.py",
    }


def test_commands_are_put_together_in_one_module() -> None:
    """What several commands share has a module that is none."""
    cli = PROJECT / "dagster_project" / "cli"
    of_commands = re.compile(r"dagster_project\.cli\.(\w+_commands?|main)\b")
    found = {path.name for path in cli.glob("*.py") if of_commands.search(text(path))}
    assert found == {"main.py", "__main__.py"}


def _code(path: Path) -> str:
    """The import lines of a module."""
    return "\n".join(re.findall(r"^\s*(?:from|import) .*", text(path), re.MULTILINE))


def test_two_modules_of_one_name_play_one_role() -> None:
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        by_name[path.name].append(str(path.relative_to(PROJECT)))
    twins = {name: places for name, places in by_name.items() if len(places) > 1 and name not in ROLES}
    # a reader, its page or its slice may share a subject's name
    assert {n: p for n, p in twins.items() if not _are_of_layers(p)} == {}


def _are_of_layers(places: list[str]) -> bool:
    """At most one of them outside readers, pages, the report and the demo."""
    return sum(not re.search(r"/(readers|pages|report|demo)/", place) for place in places) <= 1
