"""What a refresh is about to make and why: two steps over one folder of ratings, changed one thing at a time.

The steps are real ones (assets/step.py) over a working file; `left` reads a setting, `copied` is handed on in a file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import dagster as dg
import duckdb
import pandas as pd
import pytest

from assets.common.warehouse import declared_tables
from assets.settings import Settings
from assets.sources.inputs import FileHashes, bytes_version, why_altered
from assets.step import Made, Step, table_assets
from assets.versions import FILE_OF, Version, of_file, why_stale
from dagster_project.dbt_build.assets import stale_tables
from dagster_project.dbt_build.dbt_nodes import read_nodes
from dagster_project.resources import DuckDBWarehouse
from dagster_project.runs.refresh_plan import Node, Refresh, keep_graph, plan_refresh, read_graph
from tests.support.factories import write_results

RESULT, FILE, AFTER = "raw.result", "estimate.joint_posterior", "estimate.dimension_member"


def rows(table: str, n: int) -> pd.DataFrame:
    """A declared table of `n` rows, all NULL."""
    return pd.DataFrame(None, index=range(n), columns=list(declared_tables()[table]), dtype=object)


@table_assets(group="battery", inputs=["results"], writes={RESULT: "A row a file."})
def result(step: Step) -> Made:
    assert step.settings.sources is not None
    return Made({RESULT: rows(RESULT, len(list((step.settings.sources / "battery/results").iterdir())))})


@table_assets(
    group="capability", reads=[RESULT], writes={FILE: "As many as in the table, by SUITABILITY_SLOPE."}
)
def copied(step: Step) -> Made:
    path = step.home / "kept.txt"
    path.write_text(f"{len(step.read(RESULT))} {step.settings.slope}")
    return Made(files={FILE: path})


@table_assets(group="capability", reads=[FILE], writes={AFTER: "Follows."})
def after(step: Step) -> Made:
    return Made({AFTER: rows(AFTER, 1)})


STEPS = (result, copied, after)


def graph_of(*steps: dg.AssetsDefinition) -> dict[str, Node]:
    return {
        ".".join(spec.key.path): Node(
            step.op.name,
            tuple(".".join(dep.asset_key.path) for dep in spec.deps),
            spec.code_version or "",
        )
        for step in steps
        for spec in step.specs
    }


GRAPH = graph_of(*STEPS)


@pytest.fixture
def own(tmp_path: Path) -> Settings:
    write_results(tmp_path / "sources", "a")
    write_results(tmp_path / "sources", "b")
    settings = Settings(home=tmp_path / "home", sources=tmp_path / "sources")
    settings.home.mkdir()
    return settings


def run(own: Settings, *steps: dg.AssetsDefinition) -> set[str]:
    """Run steps as a refresh does; the tables that were made, not kept."""
    warehouse = DuckDBWarehouse(own.warehouse_path)
    with dg.DagsterInstance.ephemeral() as instance:
        done = dg.materialize(
            steps or STEPS, resources={"warehouse": warehouse, "settings": own}, instance=instance
        )
    made = [e.step_materialization_data.materialization for e in done.get_asset_materialization_events()]
    return {".".join(one.asset_key.path) for one in made if "kept" not in one.metadata}


def plan(own: Settings, graph: dict[str, Node] = GRAPH) -> Refresh:
    return plan_refresh(graph, DuckDBWarehouse(own.warehouse_path).versions(), own)


def results(own: Settings) -> Path:
    assert own.sources is not None
    return own.sources / "battery" / "results"


def test_in_a_new_home_all_is_to_be_made_and_afterwards_nothing(own: Settings) -> None:
    assert plan(own).stale == dict.fromkeys(GRAPH, "not made yet")
    assert run(own) == set(GRAPH)
    assert plan(own).names == [] and plan(own).n_assets == 3
    assert run(own) == set()


def test_a_touched_or_copied_file_changes_nothing(own: Settings) -> None:
    run(own)
    path = results(own) / "a.csv"
    os.utime(path, (1, 1))
    assert plan(own).names == []
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    assert plan(own).names == [] and run(own) == set()


def add(folder: Path) -> None:
    (folder / "c.csv").write_bytes((folder / "a.csv").read_bytes())


def change(folder: Path) -> None:
    (folder / "a.csv").write_text((folder / "a.csv").read_text() + "\n")


def remove(folder: Path) -> None:
    (folder / "b.csv").unlink()


def rename(folder: Path) -> None:
    (folder / "b.csv").rename(folder / "c.csv")


@pytest.mark.parametrize(
    ("act", "why", "made"),
    [
        (add, "battery/results/c.csv is new", set(GRAPH)),
        # as many rows as before: what follows is looked at and kept
        (change, "battery/results/a.csv changed", {RESULT}),
        (remove, "battery/results/b.csv is gone", set(GRAPH)),
        (rename, "battery/results/b.csv is gone, battery/results/c.csv is new", {RESULT}),
    ],
)
def test_files_are_named_in_the_reason(
    own: Settings, act: Callable[[Path], None], why: str, made: set[str]
) -> None:
    run(own)
    act(results(own))
    found = plan(own)
    assert found.stale == {RESULT: why} and found.reasons == [(why, 1)]
    assert found.follows == {FILE: "depends on raw/result", AFTER: "depends on estimate/joint_posterior"}
    assert run(own) == made
    assert DuckDBWarehouse(own.warehouse_path).versions()[RESULT].reason == why
    assert plan(own).names == []


def test_a_setting_is_named_with_its_values_and_only_where_it_was_read(own: Settings) -> None:
    run(own)
    other = own.model_copy(update={"slope": 2.0, "min_cell": 50, "lock_wait_seconds": 7.0})
    assert plan(other).stale == {FILE: "SUITABILITY_SLOPE is 2.0 and was 1.0"}
    assert plan(other).follows == {AFTER: "depends on estimate/joint_posterior"}
    assert run(other) == {FILE, AFTER}
    assert plan(other).names == [] and plan(own).stale == {FILE: "SUITABILITY_SLOPE is 1.0 and was 2.0"}


@pytest.mark.parametrize(("content", "why"), [("2 9.9", "kept.txt was altered"), (None, "kept.txt is gone")])
def test_a_kept_file_that_was_altered_or_removed_is_made_again(
    own: Settings, content: str | None, why: str
) -> None:
    run(own)
    path = own.home / "kept.txt"
    path.unlink() if content is None else path.write_text(content)
    assert plan(own).stale == {FILE: why}
    # with the bytes that it had, so that nothing follows
    assert run(own) == {FILE}
    assert path.read_text() == "2 1.0" and plan(own).names == []


def test_changed_code_is_told(own: Settings) -> None:
    run(own)
    graph = GRAPH | {FILE: replace(GRAPH[FILE], code_version="another")}
    assert plan(own, graph).stale == {FILE: "its code changed"}


def test_what_has_not_passed_its_checks_counts_as_not_made(own: Settings) -> None:
    run(own)
    DuckDBWarehouse(own.warehouse_path).settle({RESULT: False}, [], [])
    assert plan(own).stale == {RESULT: "its checks have not passed"}
    assert run(own) == {RESULT} and plan(own).names == []


def test_a_table_that_somebody_dropped_is_made_again(own: Settings) -> None:
    run(own)
    with DuckDBWarehouse(own.warehouse_path).connect() as connection:
        connection.execute(f"drop table {RESULT}")
    assert plan(own).stale[RESULT] == "not made yet"
    assert run(own) == {RESULT} and plan(own).names == []


def test_what_no_asset_makes_any_more_goes_with_its_notes(own: Settings) -> None:
    run(own)
    warehouse = DuckDBWarehouse(own.warehouse_path)
    assert warehouse.drop_unknown(GRAPH) == []
    assert warehouse.drop_unknown([name for name in GRAPH if name != AFTER]) == [AFTER]
    assert warehouse.versions().keys() == GRAPH.keys() - {AFTER}
    with warehouse.connect() as connection:
        tables = connection.execute(
            "select table_schema || '.' || table_name from information_schema.tables"
        ).fetchall()
    assert (AFTER,) not in tables and (RESULT,) in tables


def test_a_step_that_broke_off_is_made_again(own: Settings) -> None:
    @table_assets(group="capability", reads=[FILE], writes={AFTER: "Fails."})
    def broken(step: Step) -> Made:
        raise RuntimeError("in the middle")

    run(own, result, copied)
    with pytest.raises(RuntimeError, match="in the middle"):
        run(own, result, copied, broken)
    assert plan(own).stale == {AFTER: "not made yet"}


def test_the_rows_of_a_table_and_not_their_place_make_its_version(own: Settings, tmp_path: Path) -> None:
    """Two homes, two working files: the same rows, the same version; another order is another."""
    frame = rows(AFTER, 2).assign(dimension_key=["a", "b"])
    columns = {}
    for name, written in (
        ("one", frame),
        ("two", frame),
        ("order", frame.iloc[::-1]),
        ("value", rows(AFTER, 2)),
    ):
        warehouse = DuckDBWarehouse(tmp_path / f"{name}.duckdb")
        (noted,) = warehouse.write({AFTER: written}, {AFTER: Version("code")}).values()
        assert noted.n_rows == 2
        columns[name] = noted.data_version
    assert columns["one"] == columns["two"] and len(set(columns.values())) == 3


def test_only_what_is_always_made_has_nothing_else_to_wait_for(own: Settings) -> None:
    """It is made when anything is, and not for its own sake."""
    run(own)
    graph = GRAPH | {"raw.refresh": Node("raw__refresh", (), "x", is_always_made=True)}
    assert plan(own, graph).names == []
    add(results(own))
    assert plan(own, graph).stale["raw.refresh"] == "every refresh records itself"
    # nor is what only a command of its own makes
    graph = {name: replace(node, is_on_demand=name == AFTER) for name, node in graph.items()}
    assert AFTER not in plan(own, graph).names


def test_a_step_of_python_makes_all_of_its_tables_and_a_start_of_dbt_those_that_are_stale(
    own: Settings,
) -> None:
    run(own)
    add(results(own))
    beside = Node(GRAPH[RESULT].step, (), "x")
    known = DuckDBWarehouse(own.warehouse_path).versions()
    known["raw.other"] = replace(known[RESULT], code_version="x", inputs={}, metadata={})
    graph = {**GRAPH, "raw.other": beside}
    assert plan_refresh(graph, known, own).follows["raw.other"] == "depends on raw/result"
    of_dbt = {name: replace(node, step="dbt_phase_1") for name, node in graph.items()}
    assert "raw.other" not in plan_refresh(of_dbt, known, own).names


def test_what_a_test_compares_with_a_stale_table_is_looked_at_and_nothing_after_it(own: Settings) -> None:
    """Else the test would not run until the other table is made again, and the pair be published untested."""
    run(own)
    add(results(own))
    known = DuckDBWarehouse(own.warehouse_path).versions()
    known |= {name: replace(known[RESULT], code_version="x", inputs={}) for name in ("marts.a", "marts.b")}
    known["marts.b"] = replace(known["marts.b"], inputs={"marts.a": known["marts.a"].data_version})
    graph = {
        **GRAPH, RESULT: replace(GRAPH[RESULT], compared_with=("marts.a",)),
        "marts.a": Node("dbt_phase_3", (), "x"), "marts.b": Node("dbt_phase_3", ("marts.a",), "x"),
    }  # fmt: skip
    found = plan_refresh(graph, known, own)
    assert found.follows["marts.a"] == "is tested together with raw/result" and "marts.b" not in found.names


def test_a_file_is_read_once_while_nobody_touches_it(own: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    path = results(own) / "a.csv"
    os.utime(path, (1, 1))
    monkeypatch.setattr("assets.sources.inputs._SETTLED_SECONDS", -1.0)
    first = FileHashes(own.home)
    right = first.of(path, "a.csv")
    first.keep()
    read: list[Path] = []

    def anew(path: Path, file: str) -> str:
        read.append(path)
        return "read anew"

    monkeypatch.setattr("assets.sources.inputs.file_sha256", anew)
    assert FileHashes(own.home).of(path, "a.csv") == right and not read
    # the same size and the old time, copied over: the entry's own time tells
    path.write_bytes(b"x" * path.stat().st_size)
    os.utime(path, (1, 1))
    assert FileHashes(own.home).of(path, "a.csv") == "read anew" and read == [path]


def test_what_is_read_of_a_file_that_was_just_written_is_not_remembered(own: Settings) -> None:
    """It may be written again within one tick of the clock that its time is told by."""
    path = results(own) / "a.csv"
    path.write_text("fresh")
    hashes = FileHashes(own.home)
    hashes.of(path, "a.csv")
    hashes.keep()
    assert not (own.home / "file_hashes.json").exists()


def test_the_graph_is_read_from_the_home_until_a_file_of_the_project_changes(
    tmp_path: Path, definitions: dg.Definitions, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Settings(home=tmp_path, sources=None)
    kept = keep_graph(definitions, own)
    built: list[bool] = []

    def build(_: Settings) -> dg.Definitions:
        built.append(True)
        return definitions

    monkeypatch.setattr("dagster_project.definitions.build_definitions", build)
    assert read_graph(own) == kept and not built
    assert "marts.suitability" in kept["marts.ai_system"].compared_with
    monkeypatch.setattr("dagster_project.runs.refresh_plan.project_stamp", lambda: "another")
    assert read_graph(own) == kept and built == [True]
    # junk is no graph
    (tmp_path / "graph.json").write_text("junk")
    assert read_graph(own) == kept and built == [True, True]


def test_a_working_file_of_an_earlier_version_tells_of_nothing(own: Settings) -> None:
    with duckdb.connect(str(own.warehouse_path)) as connection:
        connection.execute("create schema raw; create table raw.result as select 1 as x")
    assert plan(own).stale == dict.fromkeys(GRAPH, "not made yet")


def test_a_file_that_a_pattern_names_is_missed_and_an_altered_one_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "published"
    folder.mkdir()
    for name in ("a.duckdb", "a.parquet", "b.parquet"):
        (folder / name).write_text(name, encoding="utf-8")
    hashes = FileHashes(tmp_path)
    version = Version("c", data_version=bytes_version(folder / "*.*"), metadata={FILE_OF: "published/*.*"})
    assert why_altered(version, tmp_path, hashes) == ""
    (folder / "b.parquet").write_text("junk", encoding="utf-8")
    assert why_altered(version, tmp_path, hashes) == "published/*.* was altered"
    (folder / "b.parquet").unlink()
    assert why_altered(version, tmp_path, hashes) == "published/*.* was altered"
    for path in folder.iterdir():
        path.unlink()
    assert why_altered(version, tmp_path, hashes) == "published/*.* is gone"


def test_a_changed_seed_is_reported_as_the_file_it_is() -> None:
    """Not as code: a policy that somebody adds is an input of theirs."""

    def why(was: str, now: str) -> str:
        return why_stale(Version(was), now, {}, {})

    policies = of_file("c1", "policies.csv", "before")
    assert why(policies, of_file("c1", "policies.csv", "after")) == "dbt/seeds/policies.csv changed"
    assert why(policies, of_file("c2", "policies.csv", "after")) == "its code changed"
    assert why(policies, policies) == ""
    assert why("c1", "c2") == "its code changed"


def test_the_rows_of_a_seed_are_told_from_its_code(dbt_target: Path, tmp_path: Path) -> None:
    manifest = json.loads((dbt_target / "manifest.json").read_text(encoding="utf-8"))
    seed = manifest["nodes"]["seed.suitability_warehouse.policies"]
    before = read_nodes(dbt_target / "manifest.json", {}).tables
    seed["checksum"]["checksum"] = "another" + seed["checksum"]["checksum"]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    after = read_nodes(tmp_path / "manifest.json", {}).tables
    reasons = {
        name: why_stale(Version(table.code_version), after[name].code_version, {}, {})
        for name, table in before.items()
    }
    assert {name: why for name, why in reasons.items() if why} == {
        "seed.policies": "dbt/seeds/policies.csv changed"
    }


def test_a_changed_estimate_makes_its_view_and_the_marts_behind_it_again(dbt_target: Path) -> None:
    """A view has no rows of its own, but it has a version: of what it shows."""
    nodes = read_nodes(dbt_target / "manifest.json", {})
    view, mart = nodes.tables["staging.stg_item_influence"], nodes.tables["marts.item_influence"]
    assert view.reads == ("estimate.item_influence",) and mart.reads == (view.name,)
    known = {
        "estimate.item_influence": Version("", data_version="1"),
        view.name: Version(view.code_version, {}, {"estimate.item_influence": "1"}, data_version="v1"),
        mart.name: Version(mart.code_version, {}, {view.name: "v1"}, data_version="m1"),
    }
    assert stale_tables([view, mart], known, {}) == {}
    known["estimate.item_influence"] = Version("", data_version="2")
    assert stale_tables([view, mart], known, {}) == {
        view.name: "estimate.item_influence changed",
        mart.name: "staging.stg_item_influence is made again",
    }
