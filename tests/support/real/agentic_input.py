"""Public agent benchmarks in the input layout: tau-bench's recorded trajectories, BFCL's keys, Smithery's servers.

Belongs here: converters. Does not belong here: assertions. Nothing of this is part of the product.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.factories import write_json_lines

Row = dict[str, Any]
TAU = "taubench_gpt-4o-airline_trajectories.json.gz"
# BFCL's names of types -> JSON Schema's
TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}


def json_lines(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def write_tau_bench(real: Path, sources: Path) -> Path:
    """agentic/ of 50 airline scenarios × 4 runs of one system with a simulated user; tools without schemas."""
    with gzip.open(real / "agentic" / TAU, "rt", encoding="utf-8") as file:
        trials = json.load(file)
    scenarios, runs = {}, []
    for trial in trials:
        task, name = trial["info"]["task"], f"airline-{trial['task_id']}"
        calls = [{"server": "airline", "tool": a["name"], "arguments": a["kwargs"]} for a in task["actions"]]
        scenarios[name] = {"scenario": name, "request": task["instruction"], "calls": calls}
        made = [
            {"tool": call["function"]["name"], "arguments": call["function"]["arguments"]}
            for message in trial["traj"]
            for call in message.get("tool_calls") or ()
        ]
        messages = [{"role": m["role"], "content": m.get("content")} for m in trial["traj"]]
        run = {"scenario": name, "system": "gpt-4o", "mode": "multi", "run": trial["trial"]}
        end = {"ended_by": "user_ended", "reward": trial["reward"], "messages": messages, "calls": made}
        runs.append(run | end)
    write_json_lines(sources / "agentic/scenarios/tau.jsonl", scenarios.values())
    write_json_lines(sources / "agentic/trajectories/tau.jsonl", runs)
    return sources


def bfcl_scenarios(real: Path) -> Iterator[tuple[Row, Row]]:
    """Server and scenario of each question of simple_python, the key from the first value of each."""
    folder = real / "agentic"
    answers = {
        a["id"]: a["ground_truth"]
        for a in json_lines(folder / "BFCL_v4_simple_python.possible_answer.jsonl.gz")
    }
    for question in json_lines(folder / "BFCL_v4_simple_python.jsonl.gz"):
        name, (function,) = question["id"], question["function"]
        tool = {"name": function["name"], "input_schema": json_schema(function["parameters"])}
        (truth,) = answers[name]
        given = {k: first(options) for k, options in truth[function["name"]].items() if options[0] != ""}
        call = {"server": name, "tool": function["name"], "arguments": given}
        text = question["question"][0][0]["content"]
        yield {"server": name, "tools": [tool]}, {"scenario": name, "request": text, "calls": [call]}


def first(options: Any) -> Any:
    """The first of BFCL's possible values; objects hold a list for each field of theirs."""
    value = options[0]
    if isinstance(value, dict):
        return {k: first(inner) for k, inner in value.items() if inner[0] != ""}
    if isinstance(value, list):
        return [first([inner]) if isinstance(inner, dict) else inner for inner in value]
    return value


def json_schema(rules: Any) -> Any:
    if isinstance(rules, list):
        return [json_schema(one) for one in rules]
    if not isinstance(rules, dict):
        return rules
    found = {k: json_schema(v) for k, v in rules.items()}
    if isinstance(kind := found.get("type"), str):
        found["type"] = TYPES.get(kind, kind)
        if found["type"] is None:
            del found["type"]
    return found


def write_smithery(real: Path, sources: Path) -> Path:
    """agentic/servers of all servers in the public crawl."""
    rows = [
        {
            "server": f"{one['server_id']} {one['server_name']}",
            "description": one["overview"],
            "analysis": (one["labels"] or {}).get("analysis"),
            "tools": list({tool["name"]: tool for tool in one["tools"] or ()}.values()),
        }
        for one in json_lines(real / "agentic" / "smithery_servers_toucan.jsonl.gz")
    ]
    return write_json_lines(sources / "agentic/servers/smithery.jsonl", rows)
