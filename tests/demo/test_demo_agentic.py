"""The demo's agents: their scenarios are sound, and what was planted in their runs comes back from the scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assets.agentic.scenario_check import check_scenarios
from assets.agentic.tool_score import CATASTROPHIC, Scored, score_runs
from assets.demo import agentic, onet
from assets.sources.readers import read_scenarios, read_servers, read_trajectories, read_trajectory_verdicts

Frames = dict[str, pd.DataFrame]


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    sources = tmp_path_factory.mktemp("demo")
    tasks = onet.task_table(np.random.default_rng([1, *b"adoption"]))
    agentic.write_agentic(sources / "agentic", tasks, 1)
    readings = [
        read(sources) for read in (read_servers, read_scenarios, read_trajectories, read_trajectory_verdicts)
    ]
    return {name: frame for reading in readings for name, frame in reading.frames.items()}


@pytest.fixture(scope="module")
def scored(frames: Frames) -> Scored:
    runs = frames["raw.trajectory"].drop_duplicates(["scenario", "system", "mode", "run"])
    runs = runs[runs["scenario"] != "unheard-of"]
    return score_runs(frames["raw.tool_server"], frames["raw.scenario"], runs)


def test_every_line_can_be_read_and_only_the_planted_scenario_has_faults(frames: Frames) -> None:
    assert all(frame["fault"].isna().all() for frame in frames.values())
    found = check_scenarios(frames["raw.tool_server"], frames["raw.scenario"])
    assert found.fault[["scenario", "check_name"]].to_numpy().tolist() == [["names-its-tools", "tool_named"]]
    assert len(found.key) == 2 * agentic.N_OCCUPATIONS * agentic.N_PAIRS + 1
    # of two or three servers, and more offered than required
    assert set(found.key["n_tools_required"]) == {4, 6}
    assert (found.key["n_tools_offered"] >= found.key["n_tools_required"]).all()


@pytest.mark.parametrize("system", agentic.SYSTEMS)
@pytest.mark.parametrize("mode", agentic.N_MODES)
def test_calls_are_right_as_often_as_planted(frames: Frames, scored: Scored, system: str, mode: str) -> None:
    key = scored.key_score[(scored.key_score["system"] == system) & (scored.key_score["mode"] == mode)]
    key = key[~key["how"].isin(["catastrophic", "budget"])]
    verdicts = frames["raw.trajectory_verdict"]
    judged = verdicts[verdicts["measure"] == "tool_accuracy"].astype({"score": float})
    both = key.merge(
        judged, on=["scenario", "system", "mode", "run", "tool"], how="left", suffixes=("", "_judge")
    )
    right = both["score"].astype("Float64").fillna(both["score_judge"].astype("Float64"))
    # every call that code can't decide was judged
    assert right.notna().all()
    n_calls = both.groupby(["scenario", "run"])["tool"].transform("size")
    planted = (
        agentic.SYSTEMS[system].calls[agentic.N_MODES[mode]] - agentic.LESS_PER_TOOL * (n_calls - 4)
    ).mean()
    # scenarios differ with an SD of .08: 60 of them move a mean by .01, 800 draws by .015
    assert float(right.mean()) == pytest.approx(float(planted), abs=0.06)


def test_ends_and_errors_are_as_planted(frames: Frames, scored: Scored) -> None:
    ends = frames["raw.trajectory"]["ended_by"].value_counts(normalize=True)
    assert sum(ends.get(name, 0.0) for name in CATASTROPHIC) == pytest.approx(0.05, abs=0.025)
    assert set(scored.argument_fault["category"]) >= {
        "hallucinated_argument",
        "missing_argument",
        "wrong_value",
    }
    extra = scored.agent_call[~scored.agent_call["is_expected"]]
    assert set(extra["tool"]) == {"list_0_room"} and (extra["n_failed"] == extra["n_calls"]).all()


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    tasks = onet.task_table(np.random.default_rng(1))
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        agentic.write_agentic(tmp_path / name, tasks, seed)
    texts = {
        name: [file.read_bytes() for file in sorted((tmp_path / name).rglob("*.jsonl"))] for name in "abc"
    }
    assert texts["a"] == texts["b"] != texts["c"]
    assert all(json.loads(line) for line in texts["a"][0].splitlines())
