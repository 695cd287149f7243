"""Whether scenarios can be used, checked before anything is spent on runs or counted of them.

Belongs here: the checks that code can make, and which of them block. Does not belong here: reading files, what an
agent made of a scenario (tool_score.py).

Source: paper `open-economic-index`, Appendix H.3 and H.5 (what a scenario's author is asked to keep to).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd

from assets.agentic.given_values import Given, values_of
from assets.agentic.schema_check import argument_faults

# what no run can be scored against
SHAPE = frozenset({"unknown_tool", "invalid_argument"})
MOST_WITHHELD = 3
FEWEST_SERVERS = 2
_VALUE = 200

Tools = Mapping[str, Mapping[str, Any]]


class Fault(NamedTuple):
    """One thing wrong with a scenario, and where."""

    check: str
    place: str
    value: str
    reason: str


@dataclass(frozen=True)
class Scenario:
    """One scenario, its lists taken apart."""

    scenario: str
    request: str
    tasks: Sequence[str]
    servers: Sequence[str]
    calls: Sequence[Mapping[str, Any]]
    withheld: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Checked:
    """Rows of `estimate.scenario_key`, `scenario_member`, `scenario_fault` and `server_tool`."""

    key: pd.DataFrame
    member: pd.DataFrame
    fault: pd.DataFrame
    server_tool: pd.DataFrame


@dataclass
class _Rows:
    key: list[tuple[Any, ...]] = field(default_factory=list)
    member: list[tuple[Any, ...]] = field(default_factory=list)
    fault: list[tuple[Any, ...]] = field(default_factory=list)


def check_scenarios(servers: pd.DataFrame, scenarios: pd.DataFrame) -> Checked:
    """Check every scenario against the servers that are known.

    Args:
        servers: server, tools (JSON text).
        scenarios: scenario, request, tasks, servers, calls, withheld (JSON texts but the first two).
    """
    known = {
        server: tools_of(tools) for server, tools in servers[["server", "tools"]].itertuples(index=False)
    }
    rows = _Rows()
    for one in map(_scenario, scenarios.to_dict("records")):
        faults = list(dict.fromkeys(faults_of(one, known)))
        blocking = [is_blocking(one, fault) for fault in faults]
        rows.fault += [(one.scenario, *fault, block) for fault, block in zip(faults, blocking, strict=True)]
        rows.member += [(one.scenario, "task", task) for task in dict.fromkeys(one.tasks)]
        rows.member += [(one.scenario, "server", server) for server in one.servers]
        rows.key.append((one.scenario, *_counts(one, known), sum(blocking), len(faults) - sum(blocking)))
    return Checked(
        pd.DataFrame(rows.key, columns=["scenario", *_COUNTS, "n_faults", "n_notes"]),
        pd.DataFrame(rows.member, columns=["scenario", "kind", "member"]),
        pd.DataFrame(
            rows.fault, columns=["scenario", "check_name", "place", "value", "reason", "is_blocking"]
        ),
        _server_tools(known),
    )


def is_blocking(scenario: Scenario, fault: Fault) -> bool:
    """Whether a fault keeps the scenario from being scored.

    A scenario that names tasks says it is a request from work, as the paper's are, and is held to all of their rules.
    One that names none comes from elsewhere (most public sets have one server, and values that only tools know): it
    has to be one that runs can be scored against.
    """
    return bool(scenario.tasks) or fault.check in SHAPE


def faults_of(scenario: Scenario, known: Mapping[str, Tools]) -> Iterator[Fault]:
    """All that is wrong with a scenario; `known`: server -> tool -> its JSON Schema."""
    yield from _faults_of_key(scenario, known)
    yield from _faults_of_values(scenario, known)
    yield from _faults_of_request(scenario)
    if len(scenario.withheld) > MOST_WITHHELD:
        reason = f"more than {MOST_WITHHELD} values are withheld"
        yield Fault("withheld_count", "withheld", str(len(scenario.withheld)), reason)


def tools_of(tools: str) -> dict[str, Any]:
    """Tool -> its JSON Schema, of the text of `raw.tool_server.tools`."""
    return {tool["name"]: tool.get("input_schema") or {} for tool in json.loads(tools)}


def _faults_of_key(scenario: Scenario, known: Mapping[str, Tools]) -> Iterator[Fault]:
    if not scenario.calls:
        yield Fault("empty_key", "calls", "", "the answer key has no call")
    elif len({call["server"] for call in scenario.calls}) < FEWEST_SERVERS:
        yield Fault("one_server", "calls", scenario.calls[0]["server"], "all calls are of one server")
    for server in scenario.servers:
        if server not in known:
            yield Fault("unknown_server", "servers", server[:_VALUE], "not in agentic/servers")
    for place, call in enumerate(scenario.calls):
        if (tools := known.get(call["server"])) is None:
            continue
        if call["tool"] not in tools:
            yield Fault(
                "unknown_tool", f"calls.{place}.tool", call["tool"][:_VALUE], "its server has no such tool"
            )
            continue
        for fault in argument_faults(tools[call["tool"]], call["arguments"]):
            where = f"calls.{place}.arguments.{fault.path}".rstrip(".")
            yield Fault("invalid_argument", where, call["tool"][:_VALUE], f"{fault.fault}: {fault.reason}")


def _faults_of_values(scenario: Scenario, known: Mapping[str, Tools]) -> Iterator[Fault]:
    """Values of the key that an agent can't know when it has to pass them."""
    given = Given()
    given.add(scenario.request)
    given.add([one["value"] for one in scenario.withheld])
    for place, call in enumerate(scenario.calls):
        schema = known.get(call["server"], {}).get(call["tool"])
        for path, value in values_of(call["arguments"], schema):
            if not given.has(value):
                where, reason = (
                    f"calls.{place}.arguments.{path}",
                    "neither the request nor an earlier output has it",
                )
                yield Fault("value_not_given", where, str(value)[:_VALUE], reason)
        given.add(call.get("output"))


def _faults_of_request(scenario: Scenario) -> Iterator[Fault]:
    """What the request must not say: which tools to use, and what is withheld."""
    given = Given()
    given.add(scenario.request)
    names = {str(call["tool"]) for call in scenario.calls if not _is_word(str(call["tool"]))}
    for name in sorted(names | set(scenario.servers)):
        if given.has_words(name):
            yield Fault("tool_named", "request", name[:_VALUE], "the request names a tool or server")
    for one in scenario.withheld:
        if not isinstance(one["value"], bool | dict | list) and given.has(one["value"]):
            yield Fault(
                "withheld_given",
                f"withheld.{one['parameter']}",
                str(one["value"])[:_VALUE],
                "the request has it",
            )


def _is_word(name: str) -> bool:
    """Whether a tool's name may be a word of plain speech ('search'): in a request it names nothing."""
    return name.isalpha() and name.islower()


_COUNTS = ("n_calls", "n_tools_required", "n_tools_offered", "n_servers", "n_tasks", "n_withheld")


def _counts(scenario: Scenario, known: Mapping[str, Tools]) -> tuple[Any, ...]:
    is_known = scenario.servers and all(server in known for server in scenario.servers)
    return (
        len(scenario.calls),
        len({call["tool"] for call in scenario.calls}),
        sum(len(known[server]) for server in scenario.servers) if is_known else None,
        len(scenario.servers),
        len(set(scenario.tasks)),
        len(scenario.withheld),
    )


def _scenario(row: Mapping[Any, Any]) -> Scenario:
    calls = json.loads(row["calls"])
    servers = [*json.loads(row["servers"]), *(call["server"] for call in calls)]
    request = "" if pd.isna(row["request"]) else row["request"]
    return Scenario(
        row["scenario"],
        request,
        json.loads(row["tasks"]),
        list(dict.fromkeys(servers)),
        calls,
        json.loads(row["withheld"]),
    )


def _server_tools(known: Mapping[str, Tools]) -> pd.DataFrame:
    rows = []
    for server, tools in known.items():
        for tool, schema in tools.items():
            properties, required = schema.get("properties"), schema.get("required")
            names = set(properties) if isinstance(properties, dict) else set()
            needed = (
                {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
            )
            rows.append((server, tool, len(names), len(names & needed)))
    return pd.DataFrame(rows, columns=["server", "tool", "n_arguments", "n_required"])
