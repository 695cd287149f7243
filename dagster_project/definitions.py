"""The one `Definitions`: everything Dagster knows of the warehouse, built by a function that tests override.

Belongs here: gathering. Does not belong here: any asset, check or job itself.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import dagster as dg

from assets.settings import Settings
from assets.sources.inputs import INPUTS
from dagster_project.asset_checks import build_ge_checks
from dagster_project.dbt_build.assets import build_dbt_assets, dbt_resource
from dagster_project.dbt_build.dbt_nodes import read_nodes
from dagster_project.dbt_build.dbt_project import prepare_manifest
from dagster_project.jobs import JOBS, nightly
from dagster_project.publication.assets import build_published_marts
from dagster_project.resources import DuckDBWarehouse
from dagster_project.runs.due import due
from dagster_project.runs.instance import COMMAND_LINE_TAG, clear_killed_runs
from dagster_project.runs.lock import refresh_lock
from dagster_project.runs.preflight import ready_warehouse
from dagster_project.runs.refresh_plan import read_graph
from dagster_project.runs.removal import forget, has_left, hold
from dagster_project.sensors import changed_inputs

ASSET_MODULES = (
    "assets.sources.assets",
    "assets.llm.assets",
    "assets.battery.assets",
    "assets.propensity.llm_assets",
    "assets.capability.assets",
    "assets.capability.validation.assets",
    "assets.work.assets",
    "assets.adoption.assets",
    "assets.adoption.indices.assets",
    "assets.assistance.tournament_assets",
    "assets.suitability.assets",
    "assets.assistance.assets",
    "assets.propensity.assets",
    "assets.agentic.assets",
    "dagster_project.report.asset",
)

# where lineage begins: nothing makes these here
INPUT_FILES = tuple(
    dg.AssetSpec(["file", one.name], description=one.description, group_name=one.group, kinds={"file"})
    for one in INPUTS
)

# a run started by the scheduler or the UI waits for a command-line refresh to end
WAIT_FOR_OTHER_RUN_SECONDS = 3600


@dg.resource(
    required_resource_keys={"settings"},
    description="The working warehouse; the run that uses it holds the refresh lock.",
)
def locked_warehouse(context: dg.InitResourceContext) -> Iterator[DuckDBWarehouse]:
    """The warehouse of the resource `settings`, under the lock of its home for as long as the run lasts."""
    settings: Settings = context.resources.settings
    with refresh_lock(settings.home, WAIT_FOR_OTHER_RUN_SECONDS):
        warehouse = ready_warehouse(settings)
        if not context.instance or not context.run or COMMAND_LINE_TAG in context.run.tags:
            yield warehouse
            return
        clear_killed_runs(context.instance)
        hold(settings, warehouse)
        if context.run.job_name == "refresh":
            warehouse.drop_unknown(read_graph(settings))
        yield warehouse
        # a run that failed leaves something to make: what it was made from is still needed
        if has_left(settings) and not due(settings).names:
            forget(settings, warehouse)


def build_definitions(
    settings: Settings | None = None, resources: Mapping[str, Any] | None = None
) -> dg.Definitions:
    """All assets, checks, jobs and resources for `settings` (default: the environment's).

    Args:
        settings: what the resources and dbt are built from.
        resources: replace those of the same key (`settings`, `warehouse`, `dbt`), for tests.

    Raises:
        DbtProjectError: dbt can't read its project.
        SuiteError: a file in expectations/ is not a suite.
    """
    settings = settings or Settings()
    nodes = read_nodes(prepare_manifest(settings), settings.dbt_vars())
    modules = [import_module(name) for name in ASSET_MODULES]
    steps = dg.load_assets_from_modules(modules)
    reads = {
        ".".join(spec.key.path): tuple(".".join(dep.asset_key.path) for dep in spec.deps)
        for step in steps
        if isinstance(step, dg.AssetsDefinition)
        for spec in step.specs
    }
    return dg.Definitions(
        assets=[
            *INPUT_FILES,
            *steps,
            *build_dbt_assets(nodes, lambda name: reads.get(name, ())),
            build_published_marts(nodes),
        ],
        asset_checks=[*build_ge_checks(), *dg.load_asset_checks_from_modules(modules)],
        jobs=JOBS,
        schedules=[nightly],
        sensors=[changed_inputs],
        # one process a run: a process a step costs 3 s each and can't share the warehouse file anyway
        executor=dg.in_process_executor,
        resources={"settings": settings, "warehouse": locked_warehouse, "dbt": dbt_resource}
        | dict(resources or {}),
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What Dagster loads; built when asked for, so that importing this module starts nothing."""
    return build_definitions()
