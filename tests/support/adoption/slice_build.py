"""The adoption slice, raw tables to marts, on a warehouse file in a folder of its own.

Belongs here: the runner that planted and real inputs share. Does not belong here: inputs and assertions.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from assets.adoption.assets import adoption
from assets.adoption.indices.assets import embedder_validation, index_bridge
from assets.common.warehouse import Parts, Rows, declared_tables
from assets.settings import Settings
from assets.sources.input_root import sources_folder
from assets.sources.readers import read_chats, read_comparison
from dagster_project.resources import DuckDBWarehouse
from tests.support.dbt_run import OVER_ESTIMATES, WAREHOUSE_NAME, over_estimates, run_dbt
from tests.support.steps import run_steps

BEFORE = (
    *("int_chat", "int_chat_text", "int_request", "int_task_text", "int_occupation_task"),
    *("int_hierarchy", "int_index_text", "int_work_activity"),
    *("int_occupation", "int_occupation_skill", "int_task_work_activity"),
)
RAW = ("raw.onet_", "raw.oews")
FIRST = (
    *("--indirect-selection", "cautious", "-s", "path:models/staging/adoption", "seed_major_group"),
    *BEFORE,
    *("--exclude", OVER_ESTIMATES),
)
REST = (
    *("-s", *over_estimates("adoption"), "path:models/intermediate/adoption", "path:models/marts/adoption"),
    *("--exclude", *BEFORE),
)


def land(settings: Settings, world: Mapping[str, pd.DataFrame]) -> DuckDBWarehouse:
    """The raw tables: `world`, and chats and comparison of the settings' sources."""
    warehouse = DuckDBWarehouse(settings.home / WAREHOUSE_NAME)
    empty = {name: pd.DataFrame() for name in declared_tables() if name.startswith(RAW)}
    frames = empty | dict(world)
    warehouse.write({n: f.reindex(columns=list(declared_tables()[n])) for n, f in frames.items()})
    sources = sources_folder(settings)
    chats = read_chats(
        sources,
        settings.home / "chats",
        max_characters=settings.chat_characters,
        request_characters=settings.request_characters,
    )
    chat_tables: dict[str, Rows] = {"raw.chat": Parts(chats.parts), "raw.chat_file": chats.files}
    warehouse.write(chat_tables | read_comparison(sources).frames)
    return warehouse


def build(
    folder: Path,
    sources: Path,
    world: Mapping[str, pd.DataFrame],
    parsed: Path,
    *options: str,
    **given: object,
) -> DuckDBWarehouse:
    """Every table of the slice, the chats being those of `sources`; `given`: settings.

    Args:
        world: raw tables of O*NET and OEWS; a column that one lacks is NULL, a table that lacks is empty.
        parsed: the fixture `dbt_target`.
        options: of dbt build.
    """
    settings = Settings.model_validate({"home": folder, "sources": sources, "embedder": "wordllama", **given})
    warehouse = land(settings, world)
    for step, selection in enumerate((FIRST, REST)):
        if step:
            run_steps(warehouse, settings, adoption, embedder_validation, index_bridge)
        run = run_dbt(folder, "build", *selection, *options, parsed=parsed)
        assert run.success, run.failures
    return warehouse
