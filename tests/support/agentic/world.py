"""Two servers, a request in both forms, and agents whose scripts say what they deserve.

Belongs here: inputs and the hand-computed scores. Does not belong here: assertions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.factories import write_json_lines

Row = dict[str, Any]


def schema(required: list[str], **properties: Any) -> Row:
    return {"type": "object", "properties": properties, "required": required}


TEXT = {"type": "string"}
CREATE = schema(["title", "date"], title=TEXT, date=TEXT, minutes={"type": "integer", "default": 30})
UPDATE = schema(["person_id", "team"], person_id={"type": "integer"}, team={"enum": ["sales", "support"]})
SERVERS: list[Row] = [
    {
        "server": "diary-desk",
        "description": "Diaries",
        "tools": [
            {"name": "create_event", "input_schema": CREATE},
            {"name": "list_events", "input_schema": schema(["date"], date=TEXT)},
        ],
    },
    {
        "server": "staff-list",
        "description": "Records of staff",
        "analysis": "Finds people and moves them between teams.",
        "tools": [
            {"name": "find_person", "input_schema": schema(["name"], name=TEXT)},
            {"name": "update_person", "input_schema": UPDATE},
        ],
    },
]
FIND: Row = {
    "server": "staff-list",
    "tool": "find_person",
    "arguments": {"name": "Ada Byrne"},
    "output": {"person_id": 417},
}
MOVE: Row = {
    "server": "staff-list",
    "tool": "update_person",
    "arguments": {"person_id": 417, "team": "sales"},
    "output": "ok",
}
NOTE: Row = {
    "server": "diary-desk",
    "tool": "create_event",
    "arguments": {"title": "Welcome Ada", "date": "2026-05-03"},
    "output": "done",
}
KEY = [FIND, MOVE, NOTE]
PLAIN: Row = {
    "scenario": "s1",
    "pair": "p1",
    "occupation": "11-1011.00",
    "tasks": ["1"],
    "request": "Look up Ada Byrne, move her to another team, and put 'Welcome Ada' on 3 May 2026.",
    "workflow": "find, then move, then note",
    "calls": KEY,
}
VARIANT: Row = PLAIN | {
    "scenario": "s1-withheld",
    "request": "Look up Ada Byrne, move her to another team, and put 'Welcome Ada' into my calendar.",
    "withheld": [{"parameter": "date", "value": "2026-05-03"}],
    "follow_ups": ["On which day?"],
}
# from elsewhere: no tasks, one server that nobody described, a value that only tools know
FOREIGN: Row = {
    "scenario": "f1",
    "request": "Book it.",
    "calls": [{"server": "x", "tool": "book", "arguments": {"n": 9}}],
}
SCENARIOS = [PLAIN, VARIANT, FOREIGN]


def call(tool: str, error: str = "", **arguments: Any) -> Row:
    return {"tool": tool, "arguments": arguments, "result": "some", "error": error}


RIGHT = [call(one["tool"], **one["arguments"]) for one in KEY]
SCRIPTS: dict[str, tuple[str, list[Row]]] = {
    # a call that failed and was made again: the last counts
    "good": ("answered", [call("find_person", "timeout", name="Ada"), *RIGHT]),
    "lazy": ("answered", []),
    "hallucinating": (
        "answered",
        [
            call("find_person", name="Ada Byrne", department="any"),
            call("update_person", person_id=417),
            call("create_event", title="Welcome Ada", date="2026-05-04"),
            call("send_mail", to="ada"),
        ],
    ),
    "looping": (
        "turn_limit",
        [call("find_person", name="Ada Byrne"), *[call("list_events", date="2026-05-03")] * 5],
    ),
    "crashing": ("crashed", RIGHT[:1]),
    # blanks and case by code, another order of names by a judge
    "alike": (
        "answered",
        [
            call("find_person", name="Byrne, Ada"),
            RIGHT[1],
            call("create_event", title=" welcome  ADA", date="2026-05-03"),
        ],
    ),
    "stopped": ("budget", RIGHT),
}


def trajectories() -> list[Row]:
    rows = []
    for system, (end, calls) in SCRIPTS.items():
        for scenario, mode in (("s1", "single"), ("s1-withheld", "multi")):
            usage = {"input_tokens": 1000, "output_tokens": 50, "cost": 0.25, "seconds": 12.5}
            ended = "user_ended" if (end, mode) == ("answered", "multi") else end
            rows.append(
                {
                    "scenario": scenario,
                    "system": system,
                    "mode": mode,
                    "run": 1,
                    "ended_by": ended,
                    "calls": calls,
                    "usage": usage if system == "good" else None,
                    "n_steers": 0,
                }
            )
    return rows


def verdict(system: str, mode: str, measure: str, score: object, **more: Any) -> Row:
    scenario = {"single": "s1", "multi": "s1-withheld"}[mode]
    row = {"scenario": scenario, "system": system, "mode": mode, "run": 1, "measure": measure, "score": score}
    return row | {"judge": "j", "reason": "as scripted"} | more


VERDICTS = [
    verdict("good", "single", "workflow", 5),
    verdict("good", "single", "grounding", 5),
    verdict("good", "multi", "autonomy", 5),
    verdict("good", "multi", "grounding", 4),
    verdict("good", "multi", "followup", 5),
    verdict("lazy", "single", "workflow", 1, category="goal_deviation"),
    verdict("lazy", "single", "grounding", 1, category="fabricated_claim"),
    verdict("lazy", "multi", "autonomy", 1, category="task_orchestration"),
    verdict("lazy", "multi", "followup", 1),
    # a judge that can't be read
    verdict("lazy", "multi", "grounding", "very"),
    *(
        verdict("hallucinating", "single", "tool_accuracy", 0, tool=tool)
        for tool in ("find_person", "update_person", "create_event")
    ),
    verdict("hallucinating", "single", "workflow", 2),
    *(verdict("alike", mode, "tool_accuracy", 1, tool="find_person") for mode in ("single", "multi")),
]
# tool name -> how, of each agent, where both modes are alike
HOW = {
    "good": ("exact", "exact", "exact"),
    "lazy": ("never called", "never called", "never called"),
    "looping": ("catastrophic", "catastrophic", "catastrophic"),
    "crashing": ("catastrophic", "catastrophic", "catastrophic"),
    "alike": ("judge", "exact", "normalised"),
    "stopped": ("budget", "budget", "budget"),
}
# share of tool names right, as judged and by code alone; None = can't be said
ACCURACY = {
    ("good", "single"): (1.0, 1.0),
    ("good", "multi"): (1.0, 1.0),
    ("lazy", "single"): (0.0, 0.0),
    ("lazy", "multi"): (0.0, 0.0),
    ("hallucinating", "single"): (0.0, 0.0),
    ("hallucinating", "multi"): (None, 0.0),
    ("looping", "single"): (0.0, 0.0),
    ("looping", "multi"): (0.0, 0.0),
    ("crashing", "single"): (0.0, 0.0),
    ("crashing", "multi"): (0.0, 0.0),
    ("alike", "single"): (1.0, 2 / 3),
    ("alike", "multi"): (1.0, 2 / 3),
    ("stopped", "single"): (None, None),
    ("stopped", "multi"): (None, None),
}
# (n, n_of) of the categories that are not 0; those of no denominator have None as their share
ERRORS = {
    ("lazy", "single", "missed_tool"): (3, 3),
    ("lazy", "single", "goal_deviation"): (1, 1),
    ("lazy", "single", "fabricated_claim"): (1, 1),
    ("lazy", "multi", "missed_tool"): (3, 3),
    ("lazy", "multi", "task_orchestration"): (1, 1),
    ("hallucinating", "single", "extraneous_tool"): (1, 4),
    ("hallucinating", "single", "hallucinated_argument"): (1, 3),
    ("hallucinating", "single", "missing_argument"): (1, 3),
    ("hallucinating", "single", "wrong_value"): (1, 3),
    ("hallucinating", "multi", "extraneous_tool"): (1, 4),
    ("looping", "single", "extraneous_tool"): (5, 6),
    ("looping", "multi", "extraneous_tool"): (5, 6),
}


def write_world(sources: Path) -> Path:
    """agentic/ with all of the above, and behind it lines that can't be used."""
    folder = sources / "agentic"
    write_json_lines(
        folder / "servers/all.jsonl", [*SERVERS, SERVERS[0], {"server": "y", "tools": [{"name": ""}]}]
    )
    named = PLAIN | {
        "scenario": "named",
        "pair": None,
        "request": "Use create_event for Ada Byrne's 'Welcome Ada'.",
    }
    write_json_lines(folder / "scenarios/all.jsonl", [*SCENARIOS, named, PLAIN | {"request": "again"}])
    runs = trajectories()
    foreign = {"scenario": "f1", "system": "good", "mode": "single", "run": 1, "ended_by": "answered"}
    bad: list[Row] = [
        runs[0],
        runs[0] | {"scenario": "nowhere"},
        runs[0] | {"mode": "both"},
        runs[0] | {"scenario": "named"},
        foreign | {"calls": [{"tool": "book", "arguments": '{"n": 9}'}]},
    ]
    write_json_lines(folder / "trajectories/all.jsonl", [*runs, *bad])
    write_json_lines(
        folder / "verdicts/all.jsonl",
        [
            *VERDICTS,
            verdict("good", "single", "workflow", 1),
            verdict("good", "single", "autonomy", 1),
            verdict("good", "single", "style", 1),
            verdict("nobody", "single", "workflow", 1),
            verdict("good", "single", "tool_accuracy", 1),
            verdict("good", "multi", "grounding", 1, category="goal_deviation"),
        ],
    )
    return sources
