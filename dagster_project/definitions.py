"""The one `Definitions`: everything Dagster knows of the warehouse, built by a function that tests override.

Belongs here: gathering. Does not belong here: any asset, check or job itself.
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

import dagster as dg

from assets.adoption.version import code_version as adoption_version
from assets.settings import Settings
from dagster_project import automation
from dagster_project.dbt_assets import build_dbt_assets, dbt_resource, prepare_manifest
from dagster_project.ge_checks import build_ge_checks
from dagster_project.instance import COMMAND_LINE_TAG, clear_killed_runs
from dagster_project.lock import refresh_lock
from dagster_project.publish_asset import build_published_marts
from dagster_project.ready import ready_warehouse
from dagster_project.resources import DuckDBWarehouse

ASSET_MODULES = (
    "assets.sources.assets",
    "assets.sources.onet_assets",
    "assets.sources.chat_assets",
    "assets.sources.comparison_assets",
    "assets.sources.assistance_assets",
    "assets.sources.propensity_assets",
    "assets.llm.assets",
    "assets.battery.assets",
    "assets.propensity.llm_assets",
    "assets.capability.assets",
    "assets.capability.proof_assets",
    "assets.work.assets",
    "assets.adoption.assets",
    "assets.adoption.index_assets",
    "assets.assistance.tournament_assets",
    "assets.suitability.assets",
    "assets.assistance.assets",
    "assets.propensity.assets",
    "dagster_project.report.asset",
)

# where lineage begins: nothing makes these here
INPUT_FILES = tuple(
    dg.AssetSpec(["file", name], description=description, group_name=slice_name, kinds={"file"})
    for name, slice_name, description in (
        ("ratings", "battery", "battery/ratings/<rater>.csv: demand level of each item and capability."),
        ("items", "battery", "battery/items/<benchmark>.jsonl: text and answer of each item."),
        ("rubrics", "battery", "rubrics/: rubrics, tasks, and what models are told beside them."),
        ("results", "battery", "battery/results/<system>.csv, or Inspect logs: score of each item."),
        ("systems", "battery", "battery/systems.csv: name, settings and scaffold of each system."),
        ("survey", "work", "survey/*.csv: Qualtrics exports."),
        ("interviews", "work", "survey/interviews/*.csv: one interview a file about a role or its duties."),
        ("onet", "adoption", "onet/*.txt: O*NET's text release."),
        ("oews", "adoption", "oews/: employment, wages and the crosswalk from O*NET's codes."),
        ("comparison", "adoption", "comparison/: what other indices of AI use found, for checks only."),
        ("chats", "adoption", "chats/*: what people asked an AI assistant."),
        ("prompts", "adoption", "rubrics/prompts/: what language models are told about chats."),
        (
            "candidates",
            "assistance",
            "tournament/candidates.csv: candidates, worker and judges with families.",
        ),
        ("outputs", "assistance", "tournament/outputs/*.jsonl: deliverables and assistance."),
        ("judgements", "assistance", "tournament/judgements/*.jsonl: verdicts on pairs."),
        ("traits", "assistance", "tournament/traits/*.jsonl: judges' codings of assistance."),
        ("tasks", "assistance", "tournament/tasks/*.md: tasks beside those of the project."),
        ("propensity_items", "propensity", "propensity/items/*.csv: three-option items with ideal bands."),
        ("propensity_responses", "propensity", "propensity/responses/*.csv: what systems chose."),
        ("roles", "llm", "llm.toml: which language model plays which role."),
        ("ledger", "llm", "ledger.sqlite in the home: every call to a language model."),
    )
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
        if context.instance and context.run and COMMAND_LINE_TAG not in context.run.tags:
            clear_killed_runs(context.instance)
        # before any step: raw tables that don't wait for raw.refresh would be of other settings already
        yield ready_warehouse(settings, context.run.job_name if context.run else "")


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
    manifest = prepare_manifest(settings)
    modules = [import_module(name) for name in ASSET_MODULES]
    return dg.Definitions(
        assets=[
            *INPUT_FILES,
            *_versioned(dg.load_assets_from_modules(modules), settings),
            build_dbt_assets(settings, manifest),
            build_published_marts(manifest),
        ],
        asset_checks=[
            *build_ge_checks(),
            *dg.load_asset_checks_from_modules(modules),
        ],
        jobs=[
            automation.refresh,
            automation.refresh_results,
            automation.refresh_chats,
            automation.recovery,
            automation.calibration,
            automation.comparison,
        ],
        schedules=[automation.nightly],
        sensors=[automation.new_results_file, automation.new_chat_file],
        # one process a run: a process a step costs 3 s each and can't share the warehouse file anyway
        executor=dg.in_process_executor,
        resources={"settings": settings, "warehouse": locked_warehouse, "dbt": dbt_resource()}
        | dict(resources or {}),
    )


def _versioned(assets: Iterable[Any], settings: Settings) -> list[Any]:
    """Those whose results follow settings and llm.toml say so in their code version."""
    version = adoption_version(settings)

    def told(spec: dg.AssetSpec) -> dg.AssetSpec:
        return spec.replace_attributes(code_version=version)

    return [
        asset.map_asset_specs(told) if getattr(asset, "op", None) and asset.op.name == "adoption" else asset
        for asset in assets
    ]


@dg.definitions
def defs() -> dg.Definitions:
    """What Dagster loads; built when asked for, so that importing this module starts nothing."""
    return build_definitions()
