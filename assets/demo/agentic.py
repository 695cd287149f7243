"""A synthetic benchmark of agents: invented tool servers, requests from the demo's occupations, runs, verdicts.

Belongs here: agentic/ of the demo. Does not belong here: occupations and tasks (onet.py). Servers, people, systems and
their scores are invented; messages are one filler sentence each.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

Row = dict[str, Any]
N_OCCUPATIONS, N_PAIRS, N_RUNS = 5, 12, 3
TEXT: Row = {"type": "string"}


class Desk(NamedTuple):
    """One server: what its things are called, and how many more tools it offers than scenarios use."""

    server: str
    thing: str
    what: str
    n_more: int


DESKS = (
    Desk("quillpad-docs", "document", "drafts, shares and files documents", 1),
    Desk("rosterly", "shift", "plans shifts and books people", 2),
    Desk("sumsheet", "ledger", "keeps tables of figures and adds them up", 4),
    Desk("postlark", "letter", "writes and sends letters to customers", 0),
    Desk("hallwren", "room", "books rooms and equipment for meetings", 6),
    Desk("stockfinch", "parcel", "tracks stock and parcels", 3),
)
NAMES = (
    "Alder",
    "Birch",
    "Cedar",
    "Dogwood",
    "Elder",
    "Fir",
    "Gorse",
    "Hazel",
    "Ivy",
    "Juniper",
    "Larch",
    "Maple",
)
PEOPLE = ("Ines Okafor", "Tomas Lind", "Priya Varga", "Noor Haddad", "Jonas Weller", "Mei Castell")


class Skill(NamedTuple):
    """How one system does: chance that a tool name is right (less for each further one), that the workflow is whole, in
    a single turn and with a user, mean grounding in both, and how well it asks."""

    calls: tuple[float, float]
    whole: tuple[float, float]
    grounding: tuple[float, float]
    asks: float


# with a user the workflow is whole more often, but calls and grounding suffer
SYSTEMS = {
    "kestrel-agent": Skill((0.86, 0.74), (0.55, 0.70), (4.3, 3.8), 3.6),
    "plover-agent": Skill((0.70, 0.58), (0.30, 0.45), (3.4, 3.0), 2.8),
}
LESS_PER_TOOL = 0.03
ENDS = {"turn_limit": 0.03, "crashed": 0.02, "budget": 0.01}
N_MODES = {"single": 0, "multi": 1}
HOW_WRONG = ("hallucinated", "missing", "wrong", "never")
WORKFLOW_ERRORS = ("goal_deviation", "task_orchestration", "context_handling")
GROUNDING_ERRORS = ("fabricated_claim", "output_misread", "missing_evidence")
SHARE_UNREADABLE = 0.01
SHARE_EXTRA = 0.25


def write_agentic(folder: Path, tasks: pd.DataFrame, seed: int) -> None:
    """servers/, scenarios/, trajectories/ and verdicts/ under `folder`, for `tasks` of onet.task_table."""
    rng = np.random.default_rng([seed, *b"agentic"])
    scenarios = _scenarios(rng, tasks)
    runs, verdicts = _runs(rng, scenarios)
    named = scenarios[0] | {"scenario": "names-its-tools", "pair": None}
    named["request"] += " Use find_document for it."
    _json_lines(folder / "servers/servers.jsonl", map(_server, DESKS))
    _json_lines(folder / "scenarios/scenarios.jsonl", [*scenarios, named])
    for system in SYSTEMS:
        of_system = [run for run in runs if run["system"] == system]
        # planted: a run given twice, and one in a scenario that nobody has
        faults = [of_system[0], of_system[1] | {"scenario": "unheard-of"}]
        _json_lines(folder / f"trajectories/{system}.jsonl", [*of_system, *faults])
    _json_lines(folder / "verdicts/judge-a.jsonl", [*verdicts, verdicts[0] | {"measure": "style"}])


def _server(desk: Desk) -> Row:
    find = {"properties": {"name": TEXT}, "required": ["name"]}
    change = {
        "properties": {f"{desk.thing}_id": {"type": "integer"}, "person": TEXT, "day": TEXT},
        "required": [f"{desk.thing}_id", "person"],
    }  # fmt: skip
    tools = [("find", find), ("assign", change), *((f"list_{n}", find) for n in range(desk.n_more))]
    return {
        "server": desk.server,
        "description": f"An invented server that {desk.what}.",
        "analysis": f"It {desk.what}. Its tools find a {desk.thing} by name and assign it to people.",
        "tools": [
            {"name": f"{verb}_{desk.thing}", "description": f"Invented tool for each {desk.thing}",
             "input_schema": {"type": "object"} | schema}
            for verb, schema in tools
        ],
    }  # fmt: skip


def _scenarios(rng: np.random.Generator, tasks: pd.DataFrame) -> list[Row]:
    """A request with everything in it and its variant without the day, of the occupations with most chats."""
    rows: list[Row] = []
    totals = tasks.groupby("occupation")["chats"].sum().sort_values(ascending=False, kind="stable")
    for occupation in totals.index[:N_OCCUPATIONS]:
        own = tasks[tasks["occupation"] == occupation]
        often = own.sort_values("chats", ascending=False, kind="stable").head(5)
        p = (often["chats"] / often["chats"].sum()).to_numpy()
        for number in range(1, N_PAIRS + 1):
            tasks_of = rng.choice(often["task_id"].to_numpy(), int(rng.integers(1, 4)), replace=False, p=p)
            rows += _pair(rng, f"{occupation}-{number:02d}", str(occupation), tasks_of.tolist())
    return rows


def _pair(rng: np.random.Generator, pair: str, occupation: str, tasks: list[str]) -> list[Row]:
    desks = [DESKS[i] for i in rng.choice(len(DESKS), int(rng.integers(2, 4)), replace=False)]
    day = f"2026-{rng.integers(1, 13):02d}-{rng.integers(10, 29):02d}"
    person = PEOPLE[int(rng.integers(len(PEOPLE)))]
    calls, parts = [], []
    for desk in desks:
        name, key = NAMES[int(rng.integers(len(NAMES)))], int(rng.integers(1000, 9999))
        found = {"name": name}
        given = {f"{desk.thing}_id": key, "person": person, "day": day}
        calls += [
            {"server": desk.server, "tool": f"find_{desk.thing}", "arguments": found, "output": {"id": key}},
            {"server": desk.server, "tool": f"assign_{desk.thing}", "arguments": given, "output": "done"},
        ]
        parts.append(f"the {desk.thing} called {name}")
    what = f"Please look up {', '.join(parts)}, and hand all of it to {person}"
    shared = {
        "pair": pair,
        "occupation": occupation,
        "tasks": tasks,
        "calls": calls,
        "tool_analysis": "Invented.",
    }
    shared |= {"workflow": "Each thing is found first; its id is what it is assigned by."}
    withheld = {"withheld": [{"parameter": "day", "value": day}], "follow_ups": ["For which day?"]}
    plain = shared | {"scenario": f"{pair}-single", "request": f"{what} on {day}."}
    return [plain, shared | {"scenario": f"{pair}-multi", "request": f"{what} on the usual day."} | withheld]


def _runs(rng: np.random.Generator, scenarios: list[Row]) -> tuple[list[Row], list[Row]]:
    runs: list[Row] = []
    verdicts: list[Row] = []
    for scenario in scenarios:
        mode = "multi" if scenario.get("withheld") else "single"
        # hard for all systems, or easy
        ease = rng.normal(0, 0.08)
        for system, skill in SYSTEMS.items():
            for number in range(1, N_RUNS + 1):
                key = {"scenario": scenario["scenario"], "system": system, "mode": mode, "run": number}
                end, calls, judged, share = _calls(rng, scenario, skill.calls[N_MODES[mode]] + ease)
                runs.append(_run(rng, key, end, calls, scenario))
                if end != "budget":
                    verdicts += [
                        key | {"judge": "judge-a", "reason": "Synthetic verdict."} | one for one in judged
                    ]
                    verdicts += [
                        key | {"judge": "judge-a", "reason": "Synthetic verdict."} | one
                        for one in _judged(rng, mode, end, skill, share + ease)
                    ]
    return runs, verdicts


def _calls(rng: np.random.Generator, scenario: Row, chance: float) -> tuple[str, list[Row], list[Row], float]:
    """How a run ended, its calls, verdicts on those that code can't decide, and the share that is right."""
    drawn = rng.random()
    end = "user_ended" if scenario.get("withheld") else "answered"
    for name, share in ENDS.items():
        if 0 <= drawn < share:
            end = name
        drawn -= share
    chance -= LESS_PER_TOOL * (len(scenario["calls"]) - 4)
    calls: list[Row] = []
    verdicts: list[Row] = []
    n_right = 0
    for expected in scenario["calls"]:
        call = {"tool": expected["tool"], "arguments": copy.deepcopy(expected["arguments"]), "error": ""}
        call["result"] = json.dumps(expected["output"])
        is_right = bool(rng.random() < chance)
        n_right += is_right
        way = rng.random()
        if is_right and way < 0.2:
            _rephrase(call["arguments"], is_plain=way < 0.1)
        how = "" if is_right else HOW_WRONG[int(rng.integers(len(HOW_WRONG)))]
        if how == "never":
            continue
        if how:
            _spoil(rng, call["arguments"], how)
        if how or (is_right and 0.1 <= way < 0.2):
            verdicts.append({"measure": "tool_accuracy", "tool": call["tool"], "score": int(is_right)})
        calls.append(call)
    if rng.random() < SHARE_EXTRA:
        calls.insert(
            0, {"tool": "list_0_room", "arguments": {"name": "Alder"}, "result": "", "error": "timeout"}
        )
    if end in ENDS:
        return end, calls[: max(1, len(calls) // 2)], [], 0.0
    return end, calls, verdicts, n_right / len(scenario["calls"])


def _rephrase(arguments: Row, is_plain: bool) -> None:
    """Another spelling of the same: of case alone, which code sees through, or of words."""
    name = "person" if "person" in arguments else "name"
    given = arguments[name]
    arguments[name] = given.upper() if is_plain else f"{given} (as asked)"


def _spoil(rng: np.random.Generator, arguments: Row, how: str) -> None:
    if how == "hallucinated":
        arguments["colour"] = "green"
    elif how == "missing":
        arguments.pop("person" if "person" in arguments else "name")
    else:
        arguments["person" if "person" in arguments else "name"] = (
            PEOPLE[int(rng.integers(len(PEOPLE)))] + " II"
        )


def _judged(rng: np.random.Generator, mode: str, end: str, skill: Skill, share: float) -> list[Row]:
    """Verdicts on a whole run: the more calls are right, the better."""
    at = N_MODES[mode]
    is_whole = rng.random() < skill.whole[at] + 0.5 * (share - skill.calls[at])
    whole = (
        5 if is_whole and end not in ENDS else int(np.clip(np.rint(rng.normal(1.5 + 2.5 * share, 0.8)), 1, 4))
    )
    grounding = int(np.clip(np.rint(rng.normal(skill.grounding[at] + share - 0.7, 0.9)), 1, 5))
    scores = {"workflow" if mode == "single" else "autonomy": whole, "grounding": grounding}
    if mode == "multi":
        scores["followup"] = int(np.clip(np.rint(rng.normal(skill.asks, 1.1)), 1, 5))
    rows: list[Row] = []
    for measure, score in scores.items():
        row: Row = {"measure": measure, "score": "cannot tell" if rng.random() < SHARE_UNREADABLE else score}
        errors = GROUNDING_ERRORS if measure == "grounding" else WORKFLOW_ERRORS
        if score < 3 and measure != "followup":
            row["category"] = errors[int(rng.choice(len(errors), p=(0.5, 0.3, 0.2)))]
        rows.append(row)
    return rows


def _run(rng: np.random.Generator, key: Row, end: str, calls: list[Row], scenario: Row) -> Row:
    turns = 1 if key["mode"] == "single" else int(rng.integers(2, 6))
    usage = {
        "input_tokens": int(rng.integers(2000, 4000)) * (len(calls) + turns),
        "output_tokens": int(rng.integers(80, 200)) * (len(calls) + turns),
        "seconds": round(float(rng.gamma(4, 2)) * (len(calls) + turns), 1),
    }
    usage["cost"] = round(usage["input_tokens"] * 6e-7 + usage["output_tokens"] * 2.5e-6, 6)
    messages = [{"role": "user", "content": scenario["request"]}]
    messages += [{"role": "assistant", "content": "Synthetic answer."}] * turns
    steers = 0 if key["mode"] == "single" else int(rng.poisson(0.6))
    return key | {"ended_by": end, "n_steers": steers, "messages": messages, "calls": calls, "usage": usage}


def _json_lines(path: Path, rows: Iterable[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
