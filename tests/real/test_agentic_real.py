"""The slice on public benchmarks of agents: tau-bench's recorded runs, BFCL's keys and what answers by them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from assets.sources.readers import read_servers
from tests.support.agentic.slice_build import build_slice
from tests.support.factories import write_json_lines
from tests.support.real.agentic_input import bfcl_scenarios, write_smithery, write_tau_bench

# its key lacks an argument that its own schema requires
FAULTY = "simple_python_200"


@pytest.fixture(scope="module")
def warehouse(real_data: Path, tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> Any:
    """One build of both: agents of BFCL answer by the key, or by the key with one argument changed."""
    folder = tmp_path_factory.mktemp("agentic")
    sources = write_tau_bench(real_data, folder / "sources")
    servers, scenarios, runs = [], [], []
    for server, scenario in bfcl_scenarios(real_data):
        servers.append(server)
        scenarios.append(scenario)
        (call,) = scenario["calls"]
        for system, arguments in (("by-key", call["arguments"]), ("corrupted", corrupted(call["arguments"]))):
            made = {"tool": call["tool"], "arguments": arguments}
            run = {"scenario": scenario["scenario"], "system": system, "mode": "single", "run": 1}
            runs.append(run | {"ended_by": "answered", "calls": [made]})
    verdicts = [
        {"measure": "tool_accuracy", "tool": run["calls"][0]["tool"], "score": 0, "judge": "j"}
        | {name: run[name] for name in ("scenario", "system", "mode", "run")}
        for run in runs
        if run["system"] == "corrupted"
    ]
    for name, rows in (
        ("servers", servers),
        ("scenarios", scenarios),
        ("trajectories", runs),
        ("verdicts", verdicts),
    ):
        write_json_lines(sources / f"agentic/{name}/bfcl.jsonl", rows)
    return build_slice(folder, sources, dbt_target)


def corrupted(arguments: dict[str, Any]) -> dict[str, Any]:
    changed = copy.deepcopy(arguments)
    changed[next(iter(changed))] = "something else altogether"
    return changed


@pytest.mark.parametrize(
    ("measure", "published"),
    [
        # tau-bench (arXiv 2406.12045) prints pass^1 = .420 of this agent; the rest follows from the recorded rewards
        ("reward", [0.420, 0.273, 0.220, 0.200]),
        ("tool_accuracy_by_code", [0.365, 0.277, 0.250, 0.240]),
    ],
)
def test_repeats_are_those_of_tau_bench(warehouse: Any, measure: str, published: list[float]) -> None:
    repeat = warehouse.read("marts.agent_repeat")
    found = repeat[(repeat["system"] == "gpt-4o") & (repeat["measure"] == measure)].sort_values("k")
    assert found["pass_all_share"].round(3).tolist() == pytest.approx(published, abs=6e-4)
    assert found["n_scenarios"].tolist() == [50] * 4


def test_the_key_by_code_agrees_with_the_recorded_reward_in_155_of_200_runs(
    warehouse: Any,
) -> None:
    runs = warehouse.read("intermediate.int_agent_run").query("system == 'gpt-4o'")
    scores = warehouse.read("intermediate.int_agent_run_score").query("measure == 'tool_accuracy_by_code'")
    both = runs.merge(scores, on=["scenario", "system", "mode", "run"])
    assert len(both) == 200
    assert int(((both["score"] == 1) == (both["reward"] == 1)).sum()) == 155
    # nothing had to be called
    assert both["scenario"].nunique() == 50 and int((~both["scenario"].isin(named(warehouse))).sum()) == 28


def named(warehouse: Any) -> set[str]:
    return set(warehouse.read("marts.tool_score")["scenario"])


def test_keys_of_bfcl_fit_their_schemas_but_for_the_one_that_is_known(warehouse: Any) -> None:
    faults = warehouse.read("marts.scenario_fault")
    blocking = faults[faults["is_blocking"]]
    assert blocking[["scenario", "check_name"]].to_numpy().tolist() == [[FAULTY, "invalid_argument"]]


def test_an_agent_that_answers_by_the_key_scores_1_on_each_and_a_corrupted_one_0(
    warehouse: Any,
) -> None:
    scores = warehouse.read("marts.scenario_score").query("measure == 'tool_accuracy'")
    found = {system: rows["score"] for system, rows in scores.groupby("system")}
    assert found["by-key"].tolist() == [1.0] * 399
    assert found["corrupted"].tolist() == [0.0] * 399
    how = warehouse.read("marts.tool_score")
    assert set(how[how["system"] == "corrupted"]["how"]) == {"judge"}
    assert set(how[how["system"] == "by-key"]["how"]) == {"exact"}


def test_every_server_of_the_public_crawl_is_read(real_data: Path, tmp_path: Path) -> None:
    """2,120 servers with 17,578 tools by the data's README, of which 8 have a name that their server has already."""
    write_smithery(real_data, tmp_path)
    found = read_servers(tmp_path).frames["raw.tool_server"]
    assert len(found) == found["server"].nunique() == 2120 and found["fault"].isna().all()
    assert sum(len(json.loads(tools)) for tools in found["tools"]) == 17_578 - 8
