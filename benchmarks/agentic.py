"""CPU seconds and memory of the agentic slice: scripted trajectories from files to scores.

python -m benchmarks.agentic [scenarios] writes that many scenarios × 2 modes, reads, checks and scores them, and builds
the slice's models. The target is 5,000 × 2 in under 30 CPU seconds, dbt's start apart, and memory that grows with
neither the messages nor the number of runs.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assets.agentic.scenario_check import check_scenarios
from assets.agentic.tool_score import score_runs
from assets.sources.readers import read_scenarios, read_servers, read_trajectories

SERVERS, TOOLS, CALLS = 40, 10, 5
FILLER = "A synthetic answer of some length. " * 20


def main() -> None:
    """Print CPU seconds of each stage and the peak of memory."""
    n_scenarios = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    with TemporaryDirectory() as folder:
        sources = Path(folder)
        write(sources, n_scenarios)
        print(f"{n_scenarios:,} scenarios × 2 modes, {peak():,.0f} MB before")
        started = time.process_time()
        servers = read_servers(sources).frames["raw.tool_server"]
        scenarios = read_scenarios(sources).frames["raw.scenario"]
        trajectories = read_trajectories(sources).frames["raw.trajectory"].drop(columns="messages")
        told("read", started)
        started = time.process_time()
        found = check_scenarios(servers, scenarios)
        assert not found.key["n_faults"].any()
        told("checked", started)
        started = time.process_time()
        scored = score_runs(servers, scenarios, trajectories)
        told("scored", started)
        share = scored.key_score["score"].fillna(0).mean()
        print(f"{len(scored.key_score):,} tool names, {share:.3f} right by code, peak {peak():,.0f} MB")


def told(stage: str, started: float) -> None:
    print(f"{stage:8} {time.process_time() - started:6.1f} CPU s, peak {peak():,.0f} MB")


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def write(sources: Path, n_scenarios: int) -> None:
    """agentic/ of `n_scenarios`; one call in four differs from the key."""
    lines(sources / "agentic/servers/all.jsonl", map(server, range(SERVERS)))
    lines(sources / "agentic/scenarios/all.jsonl", map(scenario, range(n_scenarios)))
    runs = (run(n, mode) for n in range(n_scenarios) for mode in ("single", "multi"))
    lines(sources / "agentic/trajectories/all.jsonl", runs)


def server(number: int) -> dict[str, Any]:
    properties = {"name": {"type": "string"}, "amount": {"type": "integer"}, "unit": {"enum": ["kg", "lb"]}}
    schema = {"type": "object", "properties": properties, "required": ["name", "amount"]}
    tools = [{"name": f"tool_{number}_{n}", "input_schema": schema} for n in range(TOOLS)]
    return {"server": f"server-{number:02d}", "analysis": "Invented.", "tools": tools}


def calls_of(number: int) -> list[dict[str, Any]]:
    own = [(number + 7 * place) % SERVERS for place in range(CALLS)]
    return [
        {"server": f"server-{at:02d}", "tool": f"tool_{at}_{(number + at) % TOOLS}", "output": {"id": number + at},
         "arguments": {"name": f"item {number}", "amount": number, "unit": "kg"}}
        for at in own
    ]  # fmt: skip


def scenario(number: int) -> dict[str, Any]:
    request = f"Please take item {number}, in the amount of {number}, through every step."
    given = {"occupation": "11-1011.00", "tasks": [str(number % 130)], "calls": calls_of(number)}
    return {"scenario": f"s{number}", "request": request} | given


def run(number: int, mode: str) -> dict[str, Any]:
    made = [
        {
            "tool": c["tool"],
            "arguments": c["arguments"] | ({"colour": "red"} if (number + n) % 4 == 0 else {}),
        }
        for n, c in enumerate(calls_of(number))
    ]
    messages = [{"role": "assistant", "content": FILLER}] * 8
    key = {"scenario": f"s{number}", "system": "scripted", "mode": mode, "run": 1}
    return key | {"ended_by": "answered", "calls": made, "messages": messages}


def lines(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
