"""Runs of agents, scored by code against the answer keys of their scenarios.

Belongs here: which calls belong to which tool name of a key, failures without any judgement, classes of wrong
arguments. Does not belong here: equality of two calls (key_match.py), judges' verdicts and means (dbt).

Source: paper `open-economic-index`, Appendix B (Tool Call Accuracy) and Appendix F (Table 11).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from assets.agentic.key_match import match_key, normal_form
from assets.agentic.scenario_check import tools_of
from assets.agentic.schema_check import argument_faults

RUN = ["scenario", "system", "mode", "run"]
CATASTROPHIC = frozenset({"turn_limit", "time_limit", "crashed"})
BUDGET = "budget"
CATEGORY_OF = {
    "unknown argument": "hallucinated_argument",
    "missing required argument": "missing_argument",
    "mistyped argument": "wrong_value",
}

Call = Mapping[str, Any]


@dataclass(frozen=True)
class Scored:
    """Rows of `estimate.key_score`, `estimate.argument_fault` and `estimate.agent_call`."""

    key_score: pd.DataFrame
    argument_fault: pd.DataFrame
    agent_call: pd.DataFrame


@dataclass(frozen=True)
class Tool:
    """One tool name of a key: its expected arguments, the servers it is of, and its schema where that is known."""

    name: str
    expected: list[Any]
    servers: frozenset[str]
    schema: Mapping[str, Any] | None


def score_runs(servers: pd.DataFrame, scenarios: pd.DataFrame, trajectories: pd.DataFrame) -> Scored:
    """Score every run, tool name by tool name.

    Args:
        servers: server, tools (JSON text).
        scenarios: scenario, calls (JSON text).
        trajectories: scenario, system, mode, run, ended_by, calls (JSON text); of known scenarios.
    """
    known = {
        server: tools_of(tools) for server, tools in servers[["server", "tools"]].itertuples(index=False)
    }
    keys = {
        scenario: _key(json.loads(calls), known)
        for scenario, calls in scenarios[["scenario", "calls"]].itertuples(index=False)
    }
    scores: list[tuple[Any, ...]] = []
    faults: list[tuple[Any, ...]] = []
    calls: list[tuple[Any, ...]] = []
    for *run, ended_by, text in trajectories[[*RUN, "ended_by", "calls"]].itertuples(index=False):
        key, made = keys[run[0]], json.loads(text)
        by_tool = _by_tool(made, key)
        for tool in key.values():
            called = [arguments_of(call) for call in by_tool[tool.name, True]]
            row = _score(tool, called, ended_by)
            scores.append((*run, tool.name, *row))
            if row[2] == "differs":
                faults += [(*run, tool.name, category) for category in fault_categories(tool, called)]
        calls += [
            (*run, name, is_expected, len(of_tool), sum(_is_failed(call) for call in of_tool))
            for (name, is_expected), of_tool in by_tool.items()
            if of_tool
        ]
    score_columns = [*RUN, "tool", "n_expected", "n_called", "how", "score"]
    score = pd.DataFrame(scores, columns=score_columns).astype({"score": "Int64"})
    return Scored(
        score,
        pd.DataFrame(faults, columns=[*RUN, "tool", "category"]),
        pd.DataFrame(calls, columns=[*RUN, "tool", "is_expected", "n_calls", "n_failed"]),
    )


def arguments_of(call: Call) -> Any:
    """A call's arguments; those that came as a text are read as JSON, and stay a text where they are none."""
    given = call["arguments"]
    if isinstance(given, str):
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            return given
    return given


def fault_categories(tool: Tool, called: Sequence[Any]) -> list[str]:
    """Categories of what is wrong with the compared calls of a tool name, each once.

    A call that no schema forbids, but that the key doesn't have, holds a wrong value; one that the key has, made less
    often than it should be, was missed.
    """
    compared = called[-len(tool.expected) :]
    wanted = Counter(map(normal_form, tool.expected))
    found: set[str] = set()
    for arguments in compared:
        form = normal_form(arguments)
        if wanted[form] > 0:
            wanted[form] -= 1
            continue
        schema_faults = argument_faults(tool.schema, arguments) if isinstance(arguments, dict) else []
        found |= {CATEGORY_OF[fault.fault] for fault in schema_faults} or {"wrong_value"}
    return sorted(found or {"missed_tool"})


def _key(calls: Sequence[Call], known: Mapping[str, Mapping[str, Any]]) -> dict[str, Tool]:
    expected: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        expected[call["tool"]].append(call)
    return {name: _tool(name, of_name, known) for name, of_name in expected.items()}


def _tool(name: str, calls: Sequence[Call], known: Mapping[str, Mapping[str, Any]]) -> Tool:
    servers = frozenset(call["server"] for call in calls)
    schemas = [known[server].get(name) for server in sorted(servers) if server in known]
    return Tool(name, [call["arguments"] for call in calls], servers, schemas[0] if schemas else None)


def _by_tool(made: Sequence[Call], key: Mapping[str, Tool]) -> Mapping[tuple[str, bool], list[Call]]:
    """Calls by tool name and whether they are of the key's tool: another server's tool may share its name."""
    found: dict[tuple[str, bool], list[Call]] = defaultdict(list)
    for call in made:
        tool, server = key.get(call["tool"]), call.get("server")
        found[call["tool"], tool is not None and (not server or server in tool.servers)].append(call)
    return found


def _score(tool: Tool, called: Sequence[Any], ended_by: str) -> tuple[int, int, str, int | None]:
    match = match_key(tool.expected, called)
    sizes = match.n_expected, match.n_called
    if ended_by == BUDGET:
        return *sizes, "budget", None
    if ended_by in CATASTROPHIC:
        return *sizes, "catastrophic", 0
    return *sizes, match.how, match.score


def _is_failed(call: Call) -> bool:
    return bool(call.get("error"))
