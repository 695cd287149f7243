"""Dagster assets of the slice `agentic`: thin shells around pure functions.

Belongs here: read, call, hand over, metadata. Does not belong here: any computation (the modules beside it, dbt).
"""

import pandas as pd

from assets.agentic.capability_share import capability_shares
from assets.agentic.quantities import quantities_of
from assets.agentic.scenario_check import check_scenarios
from assets.agentic.tool_count import tool_count_correlations
from assets.agentic.tool_score import score_runs
from assets.llm.outcome import faults_as_failure
from assets.step import Made, Step, table_assets

GROUP = "agentic"
SERVERS = "staging.stg_tool_server"
SCENARIOS = "staging.stg_scenario"
TRAJECTORIES = "staging.stg_trajectory"
SCORES = "intermediate.int_scenario_score"
USAGE = "intermediate.int_scenario_usage"
MEMBERS = "estimate.scenario_member"
CHECKED = {
    "estimate.scenario_key": "What each scenario's answer key holds, and how many faults it has.",
    "estimate.scenario_member": "Tasks and servers of each scenario.",
    "estimate.scenario_fault": "What is wrong with scenarios.",
    "estimate.server_tool": "Tools of each server.",
}
SCORED = {
    "estimate.key_score": "What code can say of each tool name of each run.",
    "estimate.argument_fault": "Categories of what is wrong with calls that differ from the key.",
    "estimate.agent_call": "How often each run called each tool.",
}
MATCHED = {
    "estimate.server_match": "The tool server nearest to each task.",
    "estimate.server_match_floor": "Tasks and servers that each floor would match.",
    "estimate.commodity_match": "The tool server nearest to each commodity, with and without examples.",
    "estimate.commodity_floor": "Commodities and servers that each floor would cover.",
}
TASKS, TECHNOLOGY = "intermediate.int_task_text", "staging.stg_technology_skill"
KEY = ["scenario", "request", "tasks", "servers", "calls", "withheld"]
RUN = ["scenario", "system", "mode", "run", "ended_by", "calls"]


@table_assets(group=GROUP, writes=CHECKED, reads=[SERVERS, SCENARIOS], kinds=["python"])
def scenario_check(step: Step) -> Made:
    """Check every scenario; no scenarios give empty tables."""
    servers, scenarios = _accepted(step, SERVERS, ["server", "tools"]), _accepted(step, SCENARIOS, KEY)
    found = check_scenarios(servers, scenarios)
    tables = dict(zip(CHECKED, (found.key, found.member, found.fault, found.server_tool), strict=True))
    n_blocked = int((found.key["n_faults"] > 0).sum())
    return Made(tables, metadata={"": {"n_scenarios": len(found.key), "n_blocked": n_blocked}})


@table_assets(group=GROUP, writes=SCORED, reads=[SERVERS, SCENARIOS, TRAJECTORIES], kinds=["python"])
def tool_score(step: Step) -> Made:
    """Score every run's calls; no runs give empty tables."""
    servers = _accepted(step, SERVERS, ["server", "tools"])
    scenarios = _accepted(step, SCENARIOS, ["scenario", "calls"])
    found = score_runs(servers, scenarios, _accepted(step, TRAJECTORIES, RUN))
    tables = dict(zip(SCORED, (found.key_score, found.argument_fault, found.agent_call), strict=True))
    return Made(tables, metadata={"": {"n_names": len(found.key_score)}})


@table_assets(
    group=GROUP,
    writes={"estimate.tool_count_correlation": "Rank correlations of scores with the number of tools."},
    reads=[SCORES],
    kinds=["python", "scipy"],
)
def tool_count_correlation(step: Step) -> Made:
    """Correlate; no scores give an empty table."""
    return Made({"estimate.tool_count_correlation": tool_count_correlations(step.read(SCORES))})


@table_assets(
    group=GROUP,
    writes={
        "estimate.capability_share": "Shares of scenarios that agents carry, and that people use AI for."
    },
    reads=[SCORES, USAGE, MEMBERS],
    kinds=["python", "numpy"],
)
def capability_share(step: Step) -> Made:
    """Shares with intervals; no scores give an empty table."""
    values = quantities_of(step.read(SCORES), step.read(USAGE))
    found = capability_shares(values, step.read(MEMBERS), step.settings.seed_for)
    return Made({"estimate.capability_share": found})


@table_assets(
    group=GROUP,
    writes=MATCHED,
    reads=[SERVERS, TASKS, TECHNOLOGY],
    inputs=["roles"],
    kinds=["python", "numpy"],
)
def server_match(step: Step) -> Made:
    """Match servers to tasks and commodities; no servers give empty tables, and load no embedder."""
    from assets.agentic.server_match import match_servers
    from assets.embedding.embedders import EmbedderError, load_embedder
    from assets.embedding.vectors import embed_cached

    folder = step.home / "adoption" / "vectors"
    servers = _accepted(step, SERVERS, ["server", "description", "analysis"])
    texts = servers["analysis"].fillna(servers["description"])
    known = servers.assign(text=texts)[texts.notna()].sort_values("server")
    with faults_as_failure(EmbedderError):
        found = match_servers(
            known, step.read(TASKS), step.read(TECHNOLOGY),
            lambda new: embed_cached(new, load_embedder(step.settings), folder),
        )  # fmt: skip
    frames = (found.server, found.server_floor, found.commodity, found.commodity_floor)
    return Made(dict(zip(MATCHED, frames, strict=True)), metadata={"": {"n_servers": len(known)}})


def _accepted(step: Step, table: str, columns: list[str]) -> pd.DataFrame:
    frame = step.read(table, [*columns, "state"])
    return frame.loc[frame["state"] == "accepted", columns]
