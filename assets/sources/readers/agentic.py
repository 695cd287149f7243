"""agentic/: tool servers, scenarios with answer keys, trajectories of agents, verdicts on them; one row a line.

Belongs here: the fields of those files, lists and objects kept as JSON text. Does not belong here: whether a scenario
can be used or a call is right (assets/agentic).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

from assets.sources.inputs import BY_NAME
from assets.sources.readers.folder import Reading
from assets.sources.readers.json_lines import FieldFault, Names, read_json_lines, text

SERVERS = BY_NAME["servers"].location
SCENARIOS = BY_NAME["scenarios"].location
TRAJECTORIES = BY_NAME["trajectories"].location
VERDICTS = BY_NAME["verdicts"].location
SERVER_FIELDS = ("server", "description", "analysis", "tools")
SCENARIO_FIELDS = (
    *("scenario", "pair", "occupation", "request", "tool_analysis", "workflow"),
    *("tasks", "servers", "calls", "withheld", "follow_ups"),
)
USAGE = ("input_tokens", "output_tokens", "cost", "seconds")
TRAJECTORY_FIELDS = (
    *("scenario", "system", "mode", "run", "ended_by", "n_steers", "environment", "reward"),
    *("messages", "calls", *USAGE),
)
VERDICT_FIELDS = (
    *("scenario", "system", "mode", "run", "measure", "tool", "score", "category", "judge", "reason"),
)
MODES = ("single", "multi")
ENDS = ("answered", "user_ended", "turn_limit", "time_limit", "crashed", "budget")


def read_servers(sources: Path) -> Reading:
    """raw.tool_server: a row a server, its tools (name, description, input_schema) as JSON text.

    Raises:
        SourceError: as `json_lines.read_json_lines`.
    """
    return read_json_lines(sources, SERVERS, "raw.tool_server", SERVER_FIELDS, partial(_server, Names()))


def read_scenarios(sources: Path) -> Reading:
    """raw.scenario: a row a scenario; `pair` joins a scenario to its variant with withheld values.

    Raises:
        SourceError: as `json_lines.read_json_lines`.
    """
    return read_json_lines(sources, SCENARIOS, "raw.scenario", SCENARIO_FIELDS, partial(_scenario, Names()))


def read_trajectories(sources: Path) -> Reading:
    """raw.trajectory: a row a run of a system in a scenario, messages and calls as JSON text.

    Raises:
        SourceError: as `json_lines.read_json_lines`.
    """
    return read_json_lines(
        sources, TRAJECTORIES, "raw.trajectory", TRAJECTORY_FIELDS, partial(_trajectory, Names())
    )


def read_trajectory_verdicts(sources: Path) -> Reading:
    """raw.trajectory_verdict: a row a judge's score of one measure of a run; a score that is none is kept as it reads.

    Raises:
        SourceError: as `json_lines.read_json_lines`.
    """
    return read_json_lines(
        sources, VERDICTS, "raw.trajectory_verdict", VERDICT_FIELDS, partial(_verdict, Names())
    )


def _server(names: Names, record: dict[str, Any]) -> dict[str, object]:
    tools = []
    for tool in _objects(record, "tools", ("name",)):
        schema = tool.get("input_schema")
        if schema is not None and not isinstance(schema, dict):
            raise FieldFault("tools", tool, "input_schema is no JSON object")
        tools.append({"name": tool["name"], "description": tool.get("description"), "input_schema": schema})
    doubled = _doubled([tool["name"] for tool in tools])
    if doubled:
        raise FieldFault("tools", doubled, "two tools have this name")
    return {
        "server": _key(names, record, "server"),
        "description": text(record, "description"),
        "analysis": text(record, "analysis"),
        "tools": _dump(tools),
    }


def _scenario(names: Names, record: dict[str, Any]) -> dict[str, object]:
    calls = _objects(record, "calls", ("server", "tool"))
    for call in calls:
        if not isinstance(call.get("arguments"), dict):
            raise FieldFault("calls", call, "arguments is no JSON object")
    withheld = _objects(record, "withheld", ("parameter",))
    for item in withheld:
        if item.get("value") in (None, ""):
            raise FieldFault("withheld", item, "a withheld parameter without its value")
    row: dict[str, object] = {name: names(record, name) for name in ("pair", "occupation")}
    row |= {name: text(record, name) for name in ("request", "tool_analysis", "workflow")}
    row |= {"scenario": _key(names, record, "scenario")}
    row |= {name: _dump(_texts(record, name)) for name in ("tasks", "servers", "follow_ups")}
    return row | {"calls": _dump(calls), "withheld": _dump(withheld)}


def _trajectory(names: Names, record: dict[str, Any]) -> dict[str, object]:
    row: dict[str, object] = {name: _key(names, record, name) for name in ("scenario", "system", "run")}
    row |= {
        "mode": _one_of(names, record, "mode", MODES),
        "ended_by": _one_of(names, record, "ended_by", ENDS),
        "environment": text(record, "environment"),
        "n_steers": _number(record, "n_steers", whole=True),
        "reward": _number(record, "reward"),
    }
    calls = _objects(record, "calls", ("tool",))
    for call in calls:
        if not isinstance(call.get("arguments"), dict | str):
            raise FieldFault("calls", call, "arguments is neither a JSON object nor a text")
    usage = record.get("usage") or {}
    if not isinstance(usage, dict):
        raise FieldFault("usage", usage, "no JSON object")
    row |= {name: _number(usage, name, whole="tokens" in name) for name in USAGE}
    messages = _objects(record, "messages", ("role",))
    return row | {"messages": _dump(messages), "calls": _dump(calls)}


def _verdict(names: Names, record: dict[str, Any]) -> dict[str, object]:
    keys = ("scenario", "system", "run", "measure")
    row: dict[str, object] = {name: _key(names, record, name) for name in keys}
    row |= {"mode": _one_of(names, record, "mode", MODES)}
    row |= {name: names(record, name) for name in ("tool", "category", "judge")}
    return row | {name: text(record, name) for name in ("score", "reason")}


def _key(names: Names, record: dict[str, Any], field: str) -> str:
    if (value := names(record, field)) is None:
        raise FieldFault(field, "", "blank, but every line needs it")
    return value


def _one_of(names: Names, record: dict[str, Any], field: str, known: tuple[str, ...]) -> str:
    value = _key(names, record, field).lower()
    if value not in known:
        raise FieldFault(field, value, f"none of {', '.join(known)}")
    return value


def _objects(record: Mapping[str, Any], field: str, texts: tuple[str, ...]) -> list[dict[str, Any]]:
    """A list of objects, each with the non-blank `texts`; absent = empty."""
    value = record.get(field)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise FieldFault(field, value, "no list of JSON objects")
    for one in value:
        for name in texts:
            if not isinstance(one.get(name), str) or not one[name].strip():
                raise FieldFault(field, one, f"'{name}' is blank or no text")
    return value


def _texts(record: Mapping[str, Any], field: str) -> list[str]:
    value = record.get(field)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, str | int) for one in value):
        raise FieldFault(field, value, "no list of texts")
    return [str(one).strip() for one in value]


def _number(record: Mapping[str, Any], field: str, whole: bool = False) -> float | int | None:
    value = record.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise FieldFault(field, value, "no number")
    if value < 0 or value > 1e15 or (whole and value != int(value)):
        raise FieldFault(field, value, "not a whole number from 0" if whole else "below 0, or too large")
    return int(value) if whole else float(value)


def _doubled(values: list[str]) -> str | None:
    return next((value for i, value in enumerate(values) if value in values[:i]), None)


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
