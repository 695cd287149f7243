"""What dbt's manifest holds, as the refresh needs it: tables with what decides them, their tests, and phases.

Belongs here: reading the manifest. Does not belong here: Dagster (assets.py), running dbt (dbt_process.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assets.versions import of_file
from dagster_project.dbt_build.dbt_project import DBT_FOLDER

# what changes tables without standing in a node
_PROJECT_FILES = ("dbt_project.yml", "profiles.yml")


# name -> what dbt's YAML says of a column: data_type, description, ...
Columns = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class DbtTest:
    """A test of dbt: `on` the table it is told of, over all of `reads`; `is_blocking` unless it only warns."""

    unique_id: str
    name: str
    on: str
    reads: tuple[str, ...]
    is_blocking: bool
    description: str


@dataclass(frozen=True)
class DbtTable:
    """A seed or model.

    Args:
        variables: dbt variables, which are settings, that its text or macros name.
        key: columns of its key test.
    """

    unique_id: str
    name: str
    group: str
    description: str
    columns: Columns
    reads: tuple[str, ...]
    code_version: str
    variables: tuple[str, ...]
    key: tuple[str, ...]


@dataclass(frozen=True)
class DbtNodes:
    """Tables by `schema.name`, each after what it reads; tests by unique id; columns of tables that Python makes."""

    tables: dict[str, DbtTable]
    tests: dict[str, DbtTest]
    sources: dict[str, Columns] = field(default_factory=dict)

    def compared_with(self, name: str) -> list[str]:
        """Other tables of dbt that a test reads together with a table."""
        found = {read for test in self.tests.values() if name in test.reads for read in test.reads}
        return sorted(found & self.tables.keys() - {name})


def read_nodes(manifest_path: Path, variables: Mapping[str, object]) -> DbtNodes:
    """The nodes of a manifest.

    Args:
        variables: of which a table's code may name some.
    """
    manifest = json.loads(manifest_path.read_text(encoding="utf-8"))
    nodes = {**manifest["nodes"], **manifest["sources"]}
    # a source is a table that Python makes
    named = {key: f"{n['schema']}.{n.get('alias') or n['identifier']}" for key, n in nodes.items()}
    macros = _Macros(manifest["macros"])
    project = [(DBT_FOLDER / name).read_text() for name in _PROJECT_FILES]
    tests = {
        key: DbtTest(
            key, node["name"], named[node["attached_node"]],
            tuple(sorted(named[parent] for parent in node["depends_on"]["nodes"])),
            str(node["config"]["severity"]).casefold() == "error",
            node.get("description") or "",
        )
        for key, node in nodes.items()
        if node["resource_type"] == "test"
    }  # fmt: skip
    keys = {named[attached]: key for attached, key in _keys(nodes[test] for test in tests).items()}
    tested: dict[str, list[str]] = {}
    for key in sorted(tests):
        tested.setdefault(tests[key].on, []).append(_hashed(nodes[key], macros))
    tables = {}
    for key, node in nodes.items():
        if node["resource_type"] not in ("model", "seed"):
            continue
        text = macros.text(node)
        is_seed = node["resource_type"] == "seed"
        variables_named = tuple(sorted(name for name in variables if any(name in part for part in text)))
        # the first part of a seed's text is the hash of its file
        parts = [*text[is_seed:], _config(node), *project, *tested.get(named[key], [])]
        code_version = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
        if is_seed:
            code_version = of_file(code_version, Path(node["path"]).name, text[0][:16])
        tables[named[key]] = DbtTable(
            key, named[key], _group(node), node["description"].strip(), node["columns"],
            tuple(sorted(named[parent] for parent in node["depends_on"].get("nodes", []))),
            code_version, variables_named,
            keys.get(named[key], ()),
        )  # fmt: skip
    sources = {named[key]: source["columns"] for key, source in manifest["sources"].items()}
    return DbtNodes(_sorted(tables), tests, sources)


def phases(nodes: DbtNodes, reads_of: Callable[[str], tuple[str, ...]]) -> dict[str, int]:
    """Table of dbt -> the earliest start of dbt in which it can be made, from 1.

    A table that follows from a table of Python, which follows from a table of dbt, needs a start after that one's.

    Args:
        reads_of: what a table that dbt doesn't make is made from.
    """
    found: dict[str, int] = {}

    def phase(name: str) -> int:
        if name not in found:
            table = nodes.tables.get(name)
            if table is None:
                found[name] = max((phase(read) for read in reads_of(name)), default=0)
            else:
                found[name] = max((phase(r) + (r not in nodes.tables) for r in table.reads), default=1)
                found[name] = max(found[name], 1)
        return found[name]

    return {name: phase(name) for name in nodes.tables}


def _keys(tests: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Unique id of a table -> its key, by the test on it."""
    found: dict[str, tuple[str, ...]] = {}
    for test in tests:
        kind = test.get("test_metadata") or {}
        if kind.get("name") == "unique_combination":
            found[test["attached_node"]] = tuple(kind["kwargs"]["columns"])
        elif kind.get("name") == "unique":
            found.setdefault(test["attached_node"], (test["column_name"],))
    return found


class _Macros:
    def __init__(self, macros: Mapping[str, Any]) -> None:
        self._macros = macros

    def text(self, node: Mapping[str, Any]) -> list[str]:
        """A node's text (a seed's hash) and that of each macro of the project that it reaches."""
        own = node.get("raw_code") or node.get("checksum", {}).get("checksum", "")
        waiting, seen = list(node.get("depends_on", {}).get("macros", [])), set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen or name not in self._macros:
                continue
            seen.add(name)
            waiting.extend(self._macros[name]["depends_on"]["macros"])
        # macros of dbt itself change with its version only
        return [
            own,
            *(
                self._macros[n]["macro_sql"]
                for n in sorted(seen)
                if n.startswith("macro.suitability_warehouse.")
            ),
        ]


def _hashed(test: Mapping[str, Any], macros: _Macros) -> str:
    kept = {
        name: test["config"].get(name)
        for name in ("severity", "where", "warn_if", "error_if", "limit", "enabled")
    }
    return json.dumps([*macros.text(test), test.get("test_metadata"), kept], sort_keys=True)


def _config(node: Mapping[str, Any]) -> str:
    """What the YAML of a table says of its bytes: types, constraints, how it is stored."""
    columns = [[name, one.get("data_type"), one.get("constraints")] for name, one in node["columns"].items()]
    config = {
        name: node["config"].get(name)
        for name in ("materialized", "schema", "alias", "column_types", "contract")
    }
    return json.dumps([columns, config], sort_keys=True)


def _group(node: Mapping[str, Any]) -> str:
    """The folder under the layer (models/marts/<slice>/...); 'seeds' for seeds."""
    if node["resource_type"] == "seed":
        return "seeds"
    folders = node["fqn"][2:-1]
    return folders[0] if folders else "warehouse"


def _sorted(tables: dict[str, DbtTable]) -> dict[str, DbtTable]:
    """Each after what it reads."""
    done: dict[str, DbtTable] = {}

    def take(name: str) -> None:
        if name in tables and name not in done:
            for read in tables[name].reads:
                take(read)
            done[name] = tables[name]

    for name in sorted(tables):
        take(name)
    return done
