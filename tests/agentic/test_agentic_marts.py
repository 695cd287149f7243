"""The slice from files to marts on one build: scripted agents get the scores and errors that their scripts deserve.

The dbt unit tests of the slice (hand-computed rows) run in the same build.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.support.agentic.slice_build import build_slice
from tests.support.agentic.world import ACCURACY, ERRORS, HOW, SCRIPTS, write_world


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> Any:
    folder = tmp_path_factory.mktemp("agentic")
    return build_slice(folder, write_world(folder / "sources"), dbt_target)


def test_every_tool_name_is_decided_as_its_script_says(warehouse: Any) -> None:
    found = warehouse.read("marts.tool_score")
    found = found[found["scenario"] != "f1"].set_index(["system", "mode", "tool"]).sort_index()["how"]
    order = ["find_person", "update_person", "create_event"]
    for system, how in HOW.items():
        for mode in ("single", "multi"):
            assert tuple(found[system, mode][order]) == how, (system, mode)
    assert set(found["hallucinating", "single"]) == {"judge"}
    assert set(found["hallucinating", "multi"]) == {"unjudged"}
    assert len(found) == 3 * 2 * len(SCRIPTS)


def test_accuracy_is_the_share_of_tool_names_and_null_while_a_judge_is_missing(
    warehouse: Any,
) -> None:
    scores = warehouse.read("marts.scenario_score")
    scores = scores[scores["scenario"] != "f1"].set_index(["system", "mode", "measure"]).sort_index()["score"]
    for (system, mode), expected in ACCURACY.items():
        measures = ("tool_accuracy", "tool_accuracy_by_code")
        found = [None if pd.isna(v := scores[system, mode, name]) else v for name in measures]
        assert found == pytest.approx(expected), (system, mode)


def test_a_foreign_scenario_is_scored_and_a_work_scenario_with_faults_is_not(
    warehouse: Any,
) -> None:
    faults = warehouse.read("marts.scenario_fault")
    told = {(row.scenario, row.check_name, row.is_blocking) for row in faults.itertuples()}
    assert told == {
        ("f1", "one_server", False),
        ("f1", "unknown_server", False),
        ("f1", "value_not_given", False),
        ("named", "tool_named", True),
        ("named", "value_not_given", True),
    }
    scores = warehouse.read("marts.scenario_score")
    assert set(scores["scenario"]) == {"s1", "s1-withheld", "f1"}
    # its arguments came as a text, and its call names no server
    foreign = scores[(scores["scenario"] == "f1") & (scores["measure"] == "tool_accuracy")]
    assert foreign["score"].tolist() == [1.0]


def test_lines_that_cannot_be_used_are_rejected_with_their_reasons(warehouse: Any) -> None:
    reject = warehouse.read("staging.stg_agentic_reject")
    found = sorted(zip(reject["table_name"], reject["column_name"], reject["reason"], strict=True))
    assert found == [
        ("scenario", "scenario", "duplicate: the first line of the scenario counts"),
        ("tool_server", "server", "duplicate: the first line of the server counts"),
        ("tool_server", "tools", "'name' is blank or no text"),
        ("trajectory", "mode", "none of single, multi"),
        ("trajectory", "run", "duplicate: the first line of the run counts"),
        ("trajectory", "scenario", "no usable line of agentic/scenarios has this scenario"),
        ("trajectory_verdict", "category", "no error category of this measure"),
        ("trajectory_verdict", "measure", "duplicate: one verdict on the run counts"),
        ("trajectory_verdict", "measure", "no measure of agents' runs"),
        ("trajectory_verdict", "measure", "not judged in this mode"),
        ("trajectory_verdict", "run", "no usable line of agentic/trajectories has this run"),
        ("trajectory_verdict", "tool", "blank, but tool_accuracy is judged by tool name"),
    ]
    blocked = warehouse.read("intermediate.int_scenario_reject")
    assert set(blocked["row_number"]) == {4} and "request" in set(blocked["column_name"])


def test_errors_have_the_classes_and_denominators_of_their_scripts(warehouse: Any) -> None:
    errors = warehouse.read("marts.agent_error").set_index(["system", "mode", "category"]).sort_index()
    assert (errors.groupby(["system", "mode"]).size() == 11).all()
    found = {key: (row["n"], row["n_of"]) for key, row in errors.iterrows() if row["n"] > 0}
    assert found == ERRORS
    # no judge has scored a name 0 there: a share of nothing
    assert pd.isna(errors.loc[("hallucinating", "multi", "wrong_value"), "share"])
    assert errors.loc[("hallucinating", "single", "context_handling"), "n_unclassed"] == 1
    assert errors.loc[("lazy", "multi", "goal_deviation"), "measure"] == "autonomy"


def status_of(warehouse: Any, measure: str) -> dict[tuple[str, str], tuple[Any, str]]:
    runs = warehouse.read("intermediate.int_agent_run_score")
    runs = runs[(runs["measure"] == measure) & (runs["scenario"] != "f1")]
    return {(r.system, r.mode): (None if pd.isna(r.score) else r.score, r.status) for r in runs.itertuples()}


def test_an_expired_conversation_has_autonomy_1_and_what_no_judge_read_is_not_0(
    warehouse: Any,
) -> None:
    autonomy, grounding = status_of(warehouse, "autonomy"), status_of(warehouse, "grounding")
    assert autonomy == {
        ("good", "multi"): (5.0, "scored"),
        ("lazy", "multi"): (1.0, "scored"),
        ("looping", "multi"): (1.0, "scored"),
        ("stopped", "multi"): (None, "budget"),
        **{(name, "multi"): (None, "unjudged") for name in ("hallucinating", "crashing", "alike")},
    }
    assert grounding["lazy", "multi"] == (None, "unscored")
    assert grounding["lazy", "single"] == (1.0, "scored") and grounding["good", "multi"] == (4.0, "scored")


def test_occupations_pairs_and_costs_follow(warehouse: Any) -> None:
    of = warehouse.read("marts.occupation_capability").set_index(["system", "mode"]).sort_index()
    assert set(of["occupation"]) == {"11-1011.00"} and set(of["title"]) == {"Planners"}
    assert of.loc[
        ("good", "single"), ["complete_share", "mean_tool_accuracy", "mean_grounding"]
    ].tolist() == [1, 1, 5]
    assert of.loc[("good", "multi"), ["complete_share", "mean_grounding", "all_high_share"]].tolist() == [
        1,
        4,
        1,
    ]
    assert of.loc[("lazy", "single"), ["complete_share", "mean_workflow", "all_high_share"]].tolist() == [
        0,
        1,
        0,
    ]
    assert pd.isna(of.loc[("alike", "single"), "complete_share"])
    pair = warehouse.read("marts.single_multi_pair").set_index(["system", "measure"]).sort_index()
    assert pair.loc[("good", "grounding"), ["single_score", "multi_score", "difference"]].tolist() == [
        5,
        4,
        -1,
    ]
    assert pair.loc[("lazy", "workflow"), ["single_score", "multi_score", "difference"]].tolist() == [1, 1, 0]
    assert ("hallucinating", "tool_accuracy") not in pair.index
    cost = (
        warehouse.read("marts.agent_cost")
        .query("scenario != 'f1'")
        .set_index(["system", "mode"])
        .sort_index()
    )
    assert cost.loc[("good", "multi"), ["n_without_cost", "mean_cost", "mean_seconds"]].tolist() == [
        0,
        0.25,
        12.5,
    ]
    assert cost.loc[("lazy", "multi"), "n_without_cost"] == 1 and pd.isna(
        cost.loc[("lazy", "multi"), "mean_cost"]
    )


def test_capability_is_set_against_usage(warehouse: Any) -> None:
    share = warehouse.read("marts.capability_adoption").set_index("system")
    good, lazy = share.loc["good"], share.loc["lazy"]
    assert good[["automation_share", "augmentation_share", "usage_share"]].tolist() == [1, 1, 1]
    assert lazy[["automation_share", "augmentation_share", "usage_share"]].tolist() == [0, 0, 1]
    # one scenario says little, whatever tasks are drawn: Wilson's interval of 1 of 1
    assert good["automation_q025"] == pytest.approx(0.20654, abs=1e-5) and good["automation_q975"] == 1
    # the scenario and its variant are one piece of work
    assert good["n_usage"] == 1 and good["n_automation"] == 1 and good["chat_share"] == 0.5
    assert pd.isna(share.loc["alike", "automation_share"]) and share.loc["alike", "n_automation"] == 0


def test_servers_are_matched_to_tasks_and_software_at_every_floor(warehouse: Any) -> None:
    (match,) = warehouse.read("marts.server_match").to_dict("records")
    assert match["task"] == "Plan shifts." and 0 < match["cosine"] < 1
    floors = warehouse.read("marts.server_match_floor")
    assert floors["task_share"].tolist() == [float(match["cosine"] >= floor) for floor in floors["floor"]]
    coverage = warehouse.read("marts.commodity_coverage")
    assert len(coverage) == 2 * len(floors) and set(coverage["n_commodities"]) == {1}
    assert len(warehouse.read("marts.commodity_match")) == 2


def test_servers_and_tools_are_listed_untested(warehouse: Any) -> None:
    servers = warehouse.read("marts.tool_server").set_index("server")
    assert servers["n_tools"].to_dict() == {"diary-desk": 2, "staff-list": 2}
    assert servers["has_analysis"].to_dict() == {"diary-desk": False, "staff-list": True}
    tools = warehouse.read("marts.tool_test").set_index("tool")
    assert tools.loc["create_event", ["n_arguments", "n_required", "status"]].tolist() == [3, 2, "not_tested"]
