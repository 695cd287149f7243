"""JSON Lines of agentic/: a bad line stays a row that says which field is wrong, and its neighbours stay."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assets.sources.readers import (
    Reading,
    read_scenarios,
    read_servers,
    read_trajectories,
    read_trajectory_verdicts,
)
from tests.support.factories import write_agentic, write_json_lines

READERS: dict[str, Callable[[Path], Reading]] = {
    "servers": read_servers,
    "scenarios": read_scenarios,
    "trajectories": read_trajectories,
    "verdicts": read_trajectory_verdicts,
}
CALL = {"server": "x", "tool": "book", "arguments": {}}
RUN: dict[str, Any] = {"scenario": "s", "system": "a", "mode": "single", "run": 1, "ended_by": "answered"}
NO_END = "none of answered, user_ended, turn_limit, time_limit, crashed, budget"
NO_ARGUMENTS = "arguments is neither a JSON object nor a text"
GOOD: dict[str, dict[str, Any]] = {
    "servers": {"server": "x", "tools": [{"name": "book"}]},
    "scenarios": {"scenario": "s", "request": "Book it.", "calls": [CALL]},
    "trajectories": RUN,
    "verdicts": RUN | {"measure": "grounding", "score": 4},
}


def read(tmp_path: Path, name: str, *lines: dict[str, Any] | str) -> pd.DataFrame:
    write_json_lines(tmp_path / f"agentic/{name}/all.jsonl", lines)
    (frame,) = READERS[name](tmp_path).frames.values()
    return frame


@pytest.mark.parametrize(
    ("name", "changed", "column", "why"),
    [
        ("servers", {"server": " "}, "server", "blank, but every line needs it"),
        ("servers", {"tools": {"name": "book"}}, "tools", "no list of JSON objects"),
        ("servers", {"tools": [{"name": ""}]}, "tools", "'name' is blank or no text"),
        ("servers", {"tools": [{"name": "b", "input_schema": []}]}, "tools", "input_schema is no JSON object"),
        ("servers", {"tools": [{"name": "b"}, {"name": "b"}]}, "tools", "two tools have this name"),
        ("scenarios", {"scenario": None}, "scenario", "blank, but every line needs it"),
        ("scenarios", {"calls": [CALL | {"tool": None}]}, "calls", "'tool' is blank or no text"),
        ("scenarios", {"calls": [CALL | {"arguments": "{}"}]}, "calls", "arguments is no JSON object"),
        ("scenarios", {"withheld": [{"parameter": "day"}]}, "withheld", "a withheld parameter without its value"),
        ("scenarios", {"tasks": [[1]]}, "tasks", "no list of texts"),
        ("trajectories", {"mode": "both"}, "mode", "none of single, multi"),
        ("trajectories", {"ended_by": "bored"}, "ended_by", NO_END),
        ("trajectories", {"calls": [{"tool": "t", "arguments": 5}]}, "calls", NO_ARGUMENTS),
        ("trajectories", {"usage": [1]}, "usage", "no JSON object"),
        ("trajectories", {"usage": {"input_tokens": 1.5}}, "input_tokens", "not a whole number from 0"),
        ("trajectories", {"usage": {"cost": -1}}, "cost", "below 0, or too large"),
        ("trajectories", {"reward": True}, "reward", "no number"),
        ("verdicts", {"mode": "both"}, "mode", "none of single, multi"),
        ("verdicts", {"score": [4]}, "score", "no text"),
        ("verdicts", {"system": ""}, "system", "blank, but every line needs it"),
    ],
)  # fmt: skip
def test_a_bad_line_says_why_and_its_neighbours_stay(
    tmp_path: Path, name: str, changed: dict[str, Any], column: str, why: str
) -> None:
    frame = read(tmp_path, name, GOOD[name], GOOD[name] | changed, GOOD[name])
    assert frame["fault"].tolist() == [None, why, None]
    assert frame.loc[1, "fault_column"] == column and len(str(frame.loc[1, "fault_value"])) <= 200


def test_lists_and_objects_are_kept_as_json_and_numbers_as_numbers(tmp_path: Path) -> None:
    write_agentic(tmp_path)
    usage = {"input_tokens": 10, "output_tokens": 2, "cost": 0.5, "seconds": 3}
    made = {"tool": "book", "arguments": {"über": [1, None]}, "result": "\u2028"}
    run = RUN | {"run": 2.0, "usage": usage, "reward": 1, "calls": [made], "Mode": "Multi"}
    del run["mode"]
    (row,) = read(tmp_path / "own", "trajectories", run).to_dict("records")
    assert json.loads(row["calls"]) == [made] and row["run"] == "2" and row["mode"] == "multi"
    assert [row[name] for name in usage] == [10, 2, 0.5, 3] and row["reward"] == 1.0
    assert json.loads(row["messages"]) == []
    (scenario,) = read_scenarios(tmp_path).frames["raw.scenario"].to_dict("records")
    assert json.loads(scenario["calls"])[0]["tool"] == "get_forecast"
    assert [json.loads(scenario[name]) for name in ("tasks", "withheld", "servers")] == [[], [], []]


def test_a_score_that_is_none_is_kept_as_it_reads(tmp_path: Path) -> None:
    given = [5, "4", "cannot tell", None]
    frame = read(tmp_path, "verdicts", *(GOOD["verdicts"] | {"score": score} for score in given))
    assert frame["score"].tolist() == ["5", "4", "cannot tell", None] and frame["fault"].isna().all()
