"""What the next refresh makes again and why: the graph of assets held against what is noted of each.

Belongs here: the graph as it is kept in the home, and the plan that follows from it. Does not belong here: when a
single table is stale (assets/versions.py), running (definitions.py).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from assets.common.atomic_write import atomic_write
from assets.common.folder_hash import folder_hash
from assets.settings import PROJECT, Settings
from assets.sources.input_root import SOURCES, is_synthetic, sources_folder, sources_name
from assets.sources.inputs import (
    INPUTS,
    FileHashes,
    all_files,
    input_versions,
    why_altered,
)
from assets.versions import (
    DBT_STEP,
    FILE,
    Version,
    code_version,
    values_of,
    why_stale,
)

if TYPE_CHECKING:
    import dagster as dg

# what definitions follow from
_FOLDERS = ("assets", "dagster_project", "dbt", "expectations", "rubrics")


@dataclass(frozen=True)
class Node:
    """An asset: the step that makes it, what it reads (inputs as file.<name>), and the version of its code.

    `compared_with` are tables that it need not follow from, and must fit together with: a test reads both.
    """

    step: str
    reads: tuple[str, ...]
    code_version: str
    is_always_made: bool = False
    is_on_demand: bool = False
    compared_with: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refresh:
    """What a refresh is to make: `stale` for a reason of its own, `follows` from one of those; name -> why."""

    n_assets: int
    stale: dict[str, str] = field(default_factory=dict)
    follows: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """All that may be made again; what turns out to have the same inputs as before is kept."""
        return sorted({**self.stale, **self.follows})

    @property
    def selection(self) -> list[str]:
        """What its run covers: all inputs, which are looked at first, and `names`."""
        return [*(FILE + one.name for one in INPUTS), *self.names]

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Each reason with the number of assets that it alone makes stale, the commonest first."""
        return Counter(self.stale.values()).most_common()


def read_graph(settings: Settings) -> dict[str, Node]:
    """Every asset by name, after what it reads; kept in the home until a file of the project changes."""
    path, stamp = settings.home / "graph.json", project_stamp()
    try:
        kept = json.loads(path.read_bytes())
        if kept["stamp"] == stamp:
            listed = ("reads", "compared_with")
            return {
                name: Node(**{**node, **{key: tuple(node[key]) for key in listed}})
                for name, node in kept["nodes"].items()
            }
    except (OSError, ValueError, KeyError, TypeError):
        pass
    from dagster_project.definitions import build_definitions

    return keep_graph(build_definitions(settings), settings)


def keep_graph(definitions: dg.Definitions, settings: Settings) -> dict[str, Node]:
    """The graph of `definitions`, kept in the home for `read_graph`."""
    from dagster_project.jobs import ON_DEMAND

    graph = definitions.get_repository_def().asset_graph
    on_demand = {".".join(key.path) for key in ON_DEMAND.resolve(graph)}
    nodes = {}
    for key in graph.toposorted_asset_keys:
        asset = graph.get(key)
        if asset.is_materializable:
            nodes[".".join(key.path)] = Node(
                asset.assets_def.op.name,
                tuple(sorted(".".join(parent.path) for parent in asset.parent_keys)),
                asset.code_version or "",
                bool(asset.metadata.get("suitability/is_always_made")),
                ".".join(key.path) in on_demand,
                tuple(asset.metadata.get("suitability/compared_with", ())),
            )
    document = {"stamp": project_stamp(), "nodes": {name: asdict(node) for name, node in nodes.items()}}
    with atomic_write(settings.home / "graph.json") as fresh:
        fresh.write_text(json.dumps(document), encoding="utf-8")
    return nodes


def project_stamp() -> str:
    """Changes with every file of the project that assets follow from, and with the libraries."""
    parts = [code_version("assets.settings"), *(folder_hash(PROJECT / name) for name in _FOLDERS)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def plan_refresh(graph: Mapping[str, Node], known: Mapping[str, Version], settings: Settings) -> Refresh:
    """What must be made again, given what is noted of each asset and what lies in the sources now.

    Raises:
        SourceError: files can't be read.
    """
    values, hashes = values_of(settings), FileHashes(settings.home)
    files = {FILE + name: found for name, found in all_files(settings, hashes).items()}
    stale: dict[str, str] = {}
    for name, node in graph.items():
        if node.is_on_demand or node.is_always_made:
            continue
        own = {read: files[read] for read in node.reads if read in files}
        old = known.get(name)
        why = why_stale(old, node.code_version, values, input_versions(node.reads, own, known), own)
        if not why and old is not None:
            why = why_altered(old, settings.home, hashes)
        if why:
            stale[name] = why
    hashes.keep()
    itself = [name for name, node in graph.items() if node.is_always_made and not node.is_on_demand]
    noted = [known[name].metadata for name in itself if name in known]
    # the same bytes from elsewhere, or called synthetic: only the refresh itself has another thing to say
    now = {SOURCES: sources_name(settings), "is_synthetic": is_synthetic(sources_folder(settings))}
    if stale or any(told.get(key, value) != value for told in noted for key, value in now.items()):
        stale |= dict.fromkeys(itself, "every refresh records itself")
    return Refresh(len(graph), stale, _following(graph, stale))


def _following(graph: Mapping[str, Node], stale: Mapping[str, str]) -> dict[str, str]:
    """What follows from `stale`, and what the same steps make; a step of Python makes all of its tables or none."""
    beside: dict[str, list[str]] = {}
    for name, node in graph.items():
        if not node.step.startswith(DBT_STEP):
            beside.setdefault(node.step, []).append(name)
    follows: dict[str, str] = {}
    waiting = [*stale]
    readers: dict[str, list[str]] = {}
    for name, node in graph.items():
        for read in node.reads:
            readers.setdefault(read, []).append(name)
    while waiting:
        cause = waiting.pop()
        for name in (*readers.get(cause, []), *beside.get(graph[cause].step, [])):
            if name not in stale and name not in follows and not graph[name].is_on_demand:
                follows[name] = f"depends on {cause.replace('.', '/')}"
                waiting.append(name)
    for cause in (*stale, *follows):
        for name in graph[cause].compared_with:
            if name not in stale:
                follows.setdefault(name, f"is tested together with {cause.replace('.', '/')}")
    return follows
