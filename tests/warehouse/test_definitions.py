"""The asset graph: loads fast, matches its snapshot, and agrees with dbt and with the declared sources."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml

from assets.common.warehouse import declared_tables
from assets.settings import PROJECT, Settings
from assets.versions import DBT_STEP
from dagster_project.dbt_build import dbt_nodes, dbt_project
from dagster_project.dbt_build.dbt_nodes import DbtTable, read_nodes
from dagster_project.dbt_build.dbt_project import DbtProjectError, prepare_manifest, project_hash

SNAPSHOT = Path(__file__).with_name("asset_graph.txt")
LOAD = """
import sys, time
from pathlib import Path
started = time.perf_counter()
from assets.settings import Settings
from dagster_project.definitions import build_definitions
build_definitions(Settings(home=Path(sys.argv[1]))).get_repository_def()
print(time.process_time(), time.perf_counter() - started)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def _lines(definitions: dg.Definitions) -> list[str]:
    """`key <- deps` of each asset, sorted."""
    graph = definitions.get_repository_def().asset_graph
    nodes = {key: graph.get(key).parent_keys for key in graph.get_all_asset_keys()}
    return sorted(
        " ".join([key.to_user_string(), "<-", *sorted(dep.to_user_string() for dep in deps)]).strip(" <-")
        for key, deps in nodes.items()
    )


def test_the_asset_graph_is_the_recorded_one(definitions: dg.Definitions) -> None:
    """A changed lineage shows in a diff. To record it: python -m tests.warehouse.test_definitions."""
    recorded = SNAPSHOT.read_text(encoding="utf-8").splitlines()
    assert _lines(definitions) == recorded


def test_definitions_load_in_seconds_and_without_heavy_imports(
    settings: Settings, definitions: dg.Definitions
) -> None:
    # `definitions` has parsed the dbt project: what remains is what every start costs. Processor time is
    # compared, for the wall clock measures the neighbours as well.
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(settings.home)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    times, modules = done.stdout.strip().splitlines()[-2:]
    # 3 on an idle machine; processors shared with other work need up to three times as long for the same
    assert float(times.split()[0]) < 10
    heavy = {
        "dagster_dbt",
        "dbt",
        "sqlglot",
        "plotly",
        "pymc",
        "nutpie",
        "pytensor",
        "great_expectations",
        "scipy",
        "sklearn",
    }
    loaded = heavy & set(modules.split())
    assert loaded == set()


def test_every_dbt_node_is_an_asset_and_no_asset_of_dbt_is_left_over(
    settings: Settings, definitions: dg.Definitions
) -> None:
    manifest = json.loads(prepare_manifest(settings).read_text())
    nodes = {
        (node["schema"], node["name"])
        for node in manifest["nodes"].values()
        if node["resource_type"] in {"model", "seed", "snapshot"}
    }
    folder = PROJECT / "dbt"
    files = {p.stem for p in (*folder.glob("models/**/*.sql"), *folder.glob("seeds/**/*.csv"))}
    assert {name for _, name in nodes} == files
    graph = definitions.get_repository_def().asset_graph
    keys = {
        tuple(k.path)
        for k in graph.get_all_asset_keys()
        if k.path[0] not in {"file", "raw", "estimate", "published"}
    }
    assert keys == nodes


def test_every_declared_source_is_made_by_a_python_asset(definitions: dg.Definitions) -> None:
    graph = definitions.get_repository_def().asset_graph
    made = {".".join(key.path) for key in graph.get_all_asset_keys() if graph.get(key).is_executable}
    assert set(declared_tables()) <= made


def test_lineage_reads_from_file_to_published_mart(definitions: dg.Definitions) -> None:
    graph = definitions.get_repository_def().asset_graph
    waiting, upstream = [dg.AssetKey(["published", "report"])], set[dg.AssetKey]()
    while waiting:
        key = waiting.pop()
        if key not in upstream:
            upstream.add(key)
            waiting.extend(graph.get(key).parent_keys)
    assert {key.path[1] for key in upstream if key.path[0] == "file"} == {
        *("ratings", "items", "results", "systems", "survey", "interviews"),
        *("ledger", "roles", "rubrics"),
        *("chats", "onet", "oews", "comparison", "names"),
        *("propensity_items", "propensity_bands", "propensity_responses"),
        *("candidates", "outputs", "judgements", "traits", "tasks"),
        *("servers", "scenarios", "trajectories", "verdicts"),
    }


def test_every_asset_and_check_that_opens_the_warehouse_is_in_its_pool(definitions: dg.Definitions) -> None:
    outside = set()
    for job in definitions.resolve_all_job_defs():
        for node in job.graph.node_dict.values():
            op = node.definition
            if (
                isinstance(op, dg.OpDefinition)
                and "warehouse" in op.required_resource_keys
                and op.pool != "warehouse"
            ):
                outside.add(op.name)
    assert not outside


def test_every_asset_has_a_group_and_those_made_here_a_code_version(definitions: dg.Definitions) -> None:
    graph = definitions.get_repository_def().asset_graph
    nodes = [graph.get(key) for key in graph.get_all_asset_keys()]
    assert [node.key for node in nodes if node.group_name == "default"] == []
    assert [node.key for node in nodes if node.is_materializable and not node.code_version] == []


def test_dbt_starts_as_often_as_the_graph_needs_and_that_is_thrice(definitions: dg.Definitions) -> None:
    """Counted anew: on the longest way to an asset, how often it comes to dbt from Python, or begins there."""
    graph = definitions.get_repository_def().asset_graph
    by_dbt = {
        k for k in graph.get_all_asset_keys() if k.path[0] in {"seed", "staging", "intermediate", "marts"}
    }
    starts: dict[dg.AssetKey, int] = {}
    for key in graph.toposorted_asset_keys:
        ways = [starts[p] + (key in by_dbt and p not in by_dbt) for p in graph.get(key).parent_keys]
        starts[key] = max(ways, default=int(key in by_dbt))
    steps = {
        key: graph.get(key).assets_def.op.name.removeprefix(DBT_STEP)
        for key in by_dbt
    }  # fmt: skip
    job = definitions.resolve_job_def("refresh").graph.node_dict
    names = [name for name in job if name.startswith(DBT_STEP)]
    assert len(names) == max(starts.values()) == 3
    # a seed, which follows from nothing, is made in the first
    assert {key: str(max(starts[key], 1)) for key in by_dbt} == steps


def test_sql_defaults_are_those_of_the_settings(settings: Settings) -> None:
    project = yaml.safe_load((PROJECT / "dbt/dbt_project.yml").read_text(encoding="utf-8"))
    # names of types are the engines', not the user's
    chosen = {name: value for name, value in project["vars"].items() if not name.startswith("type_")}
    assert chosen == settings.dbt_vars()


MODEL: dict[str, Any] = {
    "resource_type": "model", "schema": "marts", "alias": "m",
    "fqn": ["suitability_warehouse", "marts", "battery", "m"],
    "raw_code": "select {{ var('cut') }}", "checksum": {"checksum": "m"}, "description": "A model.",
    "columns": {"x": {"name": "x", "data_type": "integer", "constraints": []}},
    "config": {"materialized": "table", "contract": {"enforced": True}},
    "depends_on": {"macros": ["macro.suitability_warehouse.outer"], "nodes": []},
}  # fmt: skip
TEST: dict[str, Any] = {
    "resource_type": "test", "schema": "audit", "alias": "t", "name": "t",
    "attached_node": "model.suitability_warehouse.m",
    "raw_code": "{{ test_range(**_dbt_generic_test_kwargs) }}", "checksum": {"checksum": "t"}, "column_name": "x",
    "test_metadata": {"name": "range", "kwargs": {"max_value": 5}},
    "config": {"severity": "ERROR", "where": None}, "description": "",
    "depends_on": {
        "macros": ["macro.suitability_warehouse.test_range"], "nodes": ["model.suitability_warehouse.m"],
    },
}  # fmt: skip


def _macro(text: str, *calls: str) -> dict[str, Any]:
    return {
        "macro_sql": text,
        "depends_on": {"macros": [f"macro.suitability_warehouse.{name}" for name in calls]},
    }


def _manifest() -> dict[str, Any]:
    names = {"outer": ("inner",), "inner": (), "other": (), "test_range": ("in_test",), "in_test": ()}
    return {
        "nodes": {
            "model.suitability_warehouse.m": copy.deepcopy(MODEL),
            "test.suitability_warehouse.t": copy.deepcopy(TEST),
        },
        "sources": {},
        "macros": {
            f"macro.suitability_warehouse.{name}": _macro(name, *calls) for name, calls in names.items()
        },
    }


def _table(folder: Path, manifest: dict[str, Any], **variables: object) -> DbtTable:
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return read_nodes(folder / "manifest.json", {"cut": 1, "unused": 1, **variables}).tables["marts.m"]


@pytest.mark.parametrize(
    ("place", "value", "follows"),
    [
        ("nodes/model.suitability_warehouse.m/raw_code", "select 2", True),
        ("nodes/model.suitability_warehouse.m/columns/x/data_type", "bigint", True),
        ("nodes/model.suitability_warehouse.m/columns/x/constraints", [{"type": "not_null"}], True),
        ("nodes/model.suitability_warehouse.m/config/contract", {"enforced": False}, True),
        ("macros/macro.suitability_warehouse.outer/macro_sql", "changed", True),
        ("macros/macro.suitability_warehouse.inner/macro_sql", "changed", True),
        ("macros/macro.suitability_warehouse.in_test/macro_sql", "changed", True),
        ("nodes/test.suitability_warehouse.t/test_metadata/kwargs/max_value", 4, True),
        ("nodes/test.suitability_warehouse.t/config/severity", "WARN", True),
        ("macros/macro.suitability_warehouse.other/macro_sql", "changed", False),
        ("nodes/model.suitability_warehouse.m/description", "Another word for it.", False),
    ],
)
def test_a_code_version_follows_macros_tests_and_contracts(
    tmp_path: Path, place: str, value: object, follows: bool
) -> None:
    manifest = _manifest()
    before = _table(tmp_path, manifest).code_version
    assert _table(tmp_path, manifest).code_version == before
    *way, last = place.split("/")
    node: Any = manifest
    for step in way:
        node = node[step]
    assert node[last] != value
    node[last] = value
    assert (_table(tmp_path, manifest).code_version != before) == follows


def test_variables_that_a_model_or_its_macros_name_are_its_settings(tmp_path: Path) -> None:
    """They are compared as settings: their values change no code."""
    before = _table(tmp_path, _manifest())
    assert before.variables == ("cut",)
    assert _table(tmp_path, _manifest(), cut=2) == before
    manifest = _manifest()
    manifest["macros"]["macro.suitability_warehouse.inner"]["macro_sql"] = "{{ var('unused') }}"
    assert _table(tmp_path, manifest).variables == ("cut", "unused")


@pytest.mark.parametrize("name", ["dbt_project.yml", "profiles.yml"])
def test_a_changed_project_file_changes_every_code_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for file in ("dbt_project.yml", "profiles.yml"):
        (tmp_path / file).write_text("a")
    monkeypatch.setattr(dbt_nodes, "DBT_FOLDER", tmp_path)
    before = _table(tmp_path, _manifest()).code_version
    (tmp_path / name).write_text("b")
    assert _table(tmp_path, _manifest()).code_version != before


def test_a_changed_dbt_file_makes_the_manifest_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "target").mkdir()
    (tmp_path / "models" / "one.sql").write_text("select 1")
    monkeypatch.setattr(dbt_project, "DBT_FOLDER", tmp_path)
    before = project_hash()
    (tmp_path / "target" / "made_by_dbt.json").write_text("{}")
    assert project_hash() == before
    (tmp_path / "models" / "one.sql").write_text("select 2")
    changed = project_hash()
    assert changed != before
    (tmp_path / "models" / "two.sql").write_text("select 2")
    assert project_hash() not in {before, changed}


def test_the_manifest_is_parsed_again_only_when_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, starts = Settings(home=tmp_path), []

    def parse(settings: Settings, *arguments: str) -> None:
        starts.append(arguments[0])
        (tmp_path / "dbt" / "target" / "manifest.json").write_text("{}")

    monkeypatch.setattr(dbt_project, "run_dbt", parse)
    prepare_manifest(own)
    prepare_manifest(own)
    assert starts == ["parse"]
    monkeypatch.setattr(dbt_project, "project_hash", lambda: "another")
    prepare_manifest(own)
    assert starts == ["parse", "parse"]


def test_a_broken_dbt_project_is_told_in_dbts_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "dbt"
    (project / "models").mkdir(parents=True)
    for name in ("dbt_project.yml", "profiles.yml"):
        (project / name).write_text((PROJECT / "dbt" / name).read_text())
    (project / "models" / "broken.sql").write_text("select * from {{ ref('nowhere') }}")
    monkeypatch.setattr(dbt_project, "DBT_FOLDER", project)
    with pytest.raises(DbtProjectError, match="nowhere"):
        prepare_manifest(Settings(home=tmp_path / "home"))


if __name__ == "__main__":
    import tempfile

    from dagster_project.definitions import build_definitions

    with tempfile.TemporaryDirectory() as home:
        text = "\n".join(_lines(build_definitions(Settings(home=Path(home))))) + "\n"
    SNAPSHOT.write_text(text, encoding="utf-8")
    print(f"{SNAPSHOT}: {len(text.splitlines())} assets ({time.strftime('%H:%M:%S')})")
