"""What Dagster's UI shows of assets: owner, group, kinds, columns, data versions of inputs, freshness of the marts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions import freshness_evaluator
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.definitions.freshness import FreshnessState
from dagster._core.loader import LoadingContextForTest
from pydantic import ValidationError

from assets.settings import Settings
from assets.slices import SLICES, group_of
from assets.sources.inputs import BY_NAME, INPUTS, input_files, version_of
from assets.step import Made, Step, table_assets
from dagster_project.asset_attributes import FRESH, PUBLISHED, SCHEMA, confirm_publication, with_attributes
from dagster_project.dbt_build.dbt_nodes import DbtNodes
from dagster_project.observed_inputs import build_observed_inputs
from dagster_project.resources import DuckDBWarehouse
from tests.support.factories import write_results

# slices that come later, and of which one table is read all the same
BACKWARD = {
    # importance gives weights to simulated policies
    ("work", "capability"),
    # what models were asked is a step of the slice whose answers are counted
    *(("propensity", "llm"), ("assistance", "llm")),
    # the raters of battery items rate three-option items too
    ("propensity", "battery"),
    # an answered call is no file
    ("warehouse", "battery"),
}
# handed on in files
FILES = {
    *("capability_input", "system_posterior", "joint_posterior", "posterior_check", "prediction_input"),
    *("recovery_estimate", "calibration_estimate", "comparison_estimate"),
}


def test_every_asset_has_owner_group_and_kinds(definitions: dg.Definitions, settings: Settings) -> None:
    graph = definitions.get_repository_def().asset_graph
    nodes = [graph.get(key) for key in graph.get_all_asset_keys()]
    assert {tuple(node.owners) for node in nodes} == {(settings.owner,)} == {("team:data-platform",)}
    assert [node.key for node in nodes if not node.kinds] == []
    bare = {node.key for node in nodes if SCHEMA not in node.metadata and node.key.path[0] != "file"}
    assert {key.path[-1] for key in bare} == FILES | {"marts", "report"}
    by_python = graph.get(dg.AssetKey(["raw", "rating"])).metadata[SCHEMA].columns
    assert ("level", "string") in {(column.name, column.type) for column in by_python}


def test_groups_sort_by_name_as_the_data_flows(definitions: dg.Definitions) -> None:
    graph = definitions.get_repository_def().asset_graph
    groups = {key: graph.get(key).group_name or "" for key in graph.get_all_asset_keys()}
    assert sorted(set(groups.values())) == [group_of(n) for n in ("seeds", "llm", *SLICES, "warehouse")]
    found = {
        (groups[parent].partition("_")[2], group.partition("_")[2])
        for key, group in groups.items()
        for parent in graph.get(key).parent_keys
        if groups[parent] > group
    }
    assert found == BACKWARD
    with pytest.raises(ValueError, match=r"seed_slice_input\.csv"):
        group_of("nowhere")


@pytest.mark.parametrize("owner", ["team:a.b-c", "someone@example.org"])
def test_owners_that_settings_take_dagster_takes(owner: str, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, owner=owner)
    asset = with_attributes(build_observed_inputs(), settings, DbtNodes({}, {}))
    assert {tuple(spec.owners) for spec in asset.specs} == {(owner,)}


@pytest.mark.parametrize("owner", ["", "team:", "someone", "a@b", "team:a b"])
def test_other_owners_are_refused(owner: str) -> None:
    with pytest.raises(ValidationError, match="owner"):
        Settings(owner=owner)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.local_temp(str(tmp_path)) as found:
        yield found


@table_assets(group="battery", inputs=["results"], writes={"raw.source_file": "Any declared table."})
def reads_results(step: Step) -> Made:
    """Nothing is read: its lineage counts."""
    import pandas as pd

    from assets.common.warehouse import declared_tables

    return Made({"raw.source_file": pd.DataFrame(columns=list(declared_tables()["raw.source_file"]))})


def test_a_changed_file_gives_its_input_a_version_and_makes_what_reads_it_stale(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    write_results(tmp_path / "sources", "system-a")
    settings = Settings(home=tmp_path / "home", sources=tmp_path / "sources")
    inputs = build_observed_inputs()
    definitions = dg.Definitions(
        [inputs, reads_results],
        jobs=[
            dg.define_asset_job("look", dg.AssetSelection.assets(*inputs.keys)),
            dg.define_asset_job("all", dg.AssetSelection.assets(*inputs.keys, ["raw", "source_file"])),
        ],
        resources={"settings": settings, "warehouse": DuckDBWarehouse(settings.warehouse_path)},
    )
    graph = definitions.get_repository_def().asset_graph

    def run(job: str) -> dict[str, str]:
        """Versions that the UI shows."""
        assert definitions.resolve_job_def(job).execute_in_process(instance=instance).success
        found = {one.name: instance.fetch_observations(dg.AssetKey(["file", one.name]), 1) for one in INPUTS}
        observed = {name: result.records[0].asset_observation for name, result in found.items()}
        return {name: one.data_version or "" for name, one in observed.items() if one is not None}

    def status() -> str:
        context = LoadingContextForTest(instance)
        resolver = CachingStaleStatusResolver(instance, graph, context)
        return resolver.get_status(dg.AssetKey(["raw", "source_file"])).value

    before = run("all")
    assert before["results"] == version_of(input_files(BY_NAME["results"], settings)) and status() == "FRESH"
    write_results(tmp_path / "sources", "system-b")
    after = run("look")
    assert {name for name in after if after[name] != before[name]} == {"results"}
    assert status() == "STALE"
    assert run("all") == after and status() == "FRESH"
    # landed again with the same bytes
    write_results(tmp_path / "sources", "system-b")
    assert run("look") == after and status() == "FRESH"


def test_marts_turn_stale_when_no_night_confirms_them(
    definitions: dg.Definitions, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the freshness daemon says of one publication, hours after it and after it is confirmed."""
    graph = definitions.get_repository_def().asset_graph
    limited = {key for key in graph.get_all_asset_keys() if graph.get(key).freshness_policy_or_from_metadata}
    assert limited == {PUBLISHED}
    marts = {key for key in graph.get_all_asset_keys() if key.path[0] == "marts"}
    assert marts == graph.get(PUBLISHED).parent_keys and len(marts) > 70

    def state(hours: float) -> FreshnessState:
        monkeypatch.setattr(freshness_evaluator, "get_current_timestamp", lambda: time.time() + hours * 3600)
        evaluator = freshness_evaluator.FRESHNESS_EVALUATORS_BY_POLICY_TYPE[type(FRESH)]()
        context = LoadingContextForTest(instance)
        return asyncio.run(evaluator.evaluate_freshness(context, graph.get(PUBLISHED)))  # type: ignore[arg-type]

    confirm_publication(instance)
    assert state(0) == FreshnessState.UNKNOWN, "nothing that was never published is confirmed"
    tags = {"dagster/data_version": "v", "dagster/code_version": "c"}
    instance.report_runless_asset_event(dg.AssetMaterialization(PUBLISHED, tags=tags))
    assert [state(hours) for hours in (25, 27, 37)] == [
        FreshnessState.PASS,
        FreshnessState.WARN,
        FreshnessState.FAIL,
    ]
    first = instance.get_latest_materialization_event(PUBLISHED)
    confirm_publication(instance)
    last = instance.get_latest_materialization_event(PUBLISHED)
    assert first and last and last.timestamp > first.timestamp
    confirmed = last.asset_materialization
    assert confirmed and tags.items() <= (confirmed.tags or {}).items() and confirmed.metadata["kept"].value
    assert state(25) == FreshnessState.PASS
