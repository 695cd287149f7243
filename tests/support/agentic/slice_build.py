"""The slice alone, from files to marts: readers, dbt, steps and dbt again, beside small tables of other slices.

Belongs here: one build. Does not belong here: inputs and assertions.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from assets.agentic.assets import (
    capability_share,
    scenario_check,
    server_match,
    tool_count_correlation,
    tool_score,
)
from assets.settings import Settings
from assets.sources.readers import read_scenarios, read_servers, read_trajectories, read_trajectory_verdicts
from dagster_project.resources import DuckDBWarehouse
from tests.support.dbt_run import WAREHOUSE_NAME, run_dbt
from tests.support.steps import run_steps

# of other slices: task 1 is asked for often, and O*NET has no other
NEIGHBOURS = """
create schema if not exists intermediate;
create schema if not exists marts;
create schema if not exists staging;
create table intermediate.int_occupation as select '11-1011.00' as occupation, 'Planners' as title;
create table intermediate.int_occupation_task as
    select '11-1011.00' as occupation, '1' as task_id, '1' as task_text_id;
create table intermediate.int_task_text_usage as select '1' as task_text_id, 5::bigint as n_chats;
create table intermediate.int_task_text as select '1' as task_text_id, 'Plan shifts.' as text;
create table staging.stg_technology_skill as
    select '4323' as commodity_code, 'Calendar software' as commodity_title, 'Daybook' as example;
create table intermediate.int_chat_minimum as select 5 as min_chats;
create table marts.occupation_adoption as select '11-1011.00' as occupation, 0.5::double as chat_share;
"""
SEEDS = ("seed_system_alias", "seed_agent_measure", "seed_error_category")
FROM_FILES = ("tool_server", "scenario", "trajectory", "trajectory_verdict", "agentic_reject")
CHECKED = ("scenario_key", "scenario_member", "scenario_fault", "server_tool")
SCORED = ("key_score", "argument_fault", "agent_call")
MATCHED = ("server_match", "server_match_floor", "commodity_match", "commodity_floor")
ESTIMATED = ("tool_count_correlation", "capability_share", *MATCHED)


def build_slice(folder: Path, sources: Path, dbt_target: Path) -> DuckDBWarehouse:
    """`sources`/agentic to marts in `folder`; all tests of its models have passed."""
    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    for read in (read_servers, read_scenarios, read_trajectories, read_trajectory_verdicts):
        warehouse.write(read(sources).frames)
    with duckdb.connect(str(folder / WAREHOUSE_NAME)) as connection:
        connection.execute(NEIGHBOURS)
    settings = Settings(home=folder / "home", embedder="wordllama")

    def build(*selected: str) -> None:
        run = run_dbt(folder, "build", "-s", *selected, parsed=dbt_target)
        assert run.success, run.failures

    build(*SEEDS, *(f"stg_{name}" for name in FROM_FILES))
    run_steps(warehouse, settings, scenario_check, tool_score)
    build(*(f"stg_{name}" for name in (*CHECKED, *SCORED)), "path:models/intermediate/agentic")
    run_steps(warehouse, settings, tool_count_correlation, capability_share, server_match)
    build(*(f"stg_{name}" for name in ESTIMATED), "path:models/marts/agentic")
    return warehouse
