"""Scenarios: each check on a sound one broken for it, and ways to write a value that are no fault."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from assets.agentic.given_values import Given, values_of
from assets.agentic.scenario_check import Checked, check_scenarios
from tests.support.agentic.world import FIND, FOREIGN, MOVE, NOTE, PLAIN, SERVERS, VARIANT, Row

LISTS = ("tasks", "servers", "calls", "withheld")


def check(*scenarios: Row) -> Checked:
    servers = pd.DataFrame([{"server": s["server"], "tools": json.dumps(s["tools"])} for s in SERVERS])
    columns = ["scenario", "request", *LISTS]
    rows = [
        {name: json.dumps(s.get(name) or []) if name in LISTS else s.get(name) for name in columns}
        for s in scenarios
    ]
    return check_scenarios(servers, pd.DataFrame(rows, columns=columns))


def test_sound_scenarios_have_no_fault_and_their_counts_are_those_of_the_key() -> None:
    found = check(PLAIN, VARIANT)
    assert found.fault.empty
    counts = found.key.set_index("scenario").loc["s1-withheld"]
    assert counts.to_dict() == {
        "n_calls": 3, "n_tools_required": 3, "n_tools_offered": 4, "n_servers": 2, "n_tasks": 1, "n_withheld": 1,
        "n_faults": 0, "n_notes": 0,
    }  # fmt: skip
    assert found.member[["kind", "member"]].drop_duplicates().to_numpy().tolist() == [
        ["task", "1"], ["server", "staff-list"], ["server", "diary-desk"],
    ]  # fmt: skip


def arguments(call: Row, **changed: Any) -> Row:
    return call | {"arguments": call["arguments"] | changed}


@pytest.mark.parametrize(
    ("changed", "check_name", "place"),
    [
        ({"calls": []}, "empty_key", "calls"),
        ({"calls": [FIND, MOVE]}, "one_server", "calls"),
        ({"servers": ["unheard-of"]}, "unknown_server", "servers"),
        ({"calls": [FIND, MOVE, NOTE | {"tool": "drop_event"}]}, "unknown_tool", "calls.2.tool"),
        (
            {"calls": [FIND, MOVE, arguments(NOTE, colour="red", minutes=30)]},
            "invalid_argument",
            "calls.2.arguments.colour",
        ),
        (
            {"calls": [FIND, arguments(MOVE, team="legal"), NOTE]},
            "invalid_argument",
            "calls.1.arguments.team",
        ),
        # the id is known from an output that comes only later
        ({"calls": [MOVE, FIND, NOTE]}, "value_not_given", "calls.0.arguments.person_id"),
        (
            {"calls": [arguments(FIND, name="Bob Byrne"), MOVE, NOTE]},
            "value_not_given",
            "calls.0.arguments.name",
        ),
        (
            {"calls": [FIND, MOVE, arguments(NOTE, date="2026-05-04")]},
            "value_not_given",
            "calls.2.arguments.date",
        ),
        (
            {"calls": [FIND, MOVE, arguments(NOTE, minutes=45)]},
            "value_not_given",
            "calls.2.arguments.minutes",
        ),
        ({"request": PLAIN["request"] + " Use find person."}, "tool_named", "request"),
        ({"request": PLAIN["request"] + " It is in the Staff List."}, "tool_named", "request"),
        ({"withheld": [{"parameter": "name", "value": "ada byrne"}]}, "withheld_given", "withheld.name"),
        (
            {"withheld": [{"parameter": n, "value": f"value {n}"} for n in "abcd"]},
            "withheld_count",
            "withheld",
        ),
    ],
)
def test_each_fault_is_told_and_keeps_a_work_scenario_out(changed: Row, check_name: str, place: str) -> None:
    found = check(PLAIN | changed)
    told = found.fault[found.fault["check_name"] == check_name]
    assert (
        place in told["place"].tolist() and told["is_blocking"].all() and told["reason"].str.len().min() > 5
    )
    assert found.key["n_faults"].tolist() == [len(found.fault)]


def test_a_scenario_from_elsewhere_has_to_be_one_that_runs_can_be_scored_against() -> None:
    foreign = check(FOREIGN)
    assert not foreign.fault["is_blocking"].any() and foreign.key["n_notes"].tolist() == [len(foreign.fault)]
    known = check(FOREIGN | {"calls": [arguments(MOVE, team="legal")]})
    assert known.fault.set_index("check_name").loc["invalid_argument", "is_blocking"]
    assert pd.isna(foreign.key["n_tools_offered"].iloc[0])


@pytest.mark.parametrize(
    ("said", "value", "is_given"),
    [
        ("Meet on February 15th, 2024.", "2024-02-15T09:00:00Z", True),
        ("Meet on 2/15/2024.", "2024-02-15", True),
        ("Meet on February 16th, 2024.", "2024-02-15", False),
        ("Pay 1,250.50 to him", 1250.5, True),
        ("Pay 1,250.50 to him", 1250, False),
        ("a table for two", 2, True),
        ("line 12 of it", 1, False),
        ("Mail BOB@example.com!", "bob@example.com", True),
        ("repo my-org/backend", "my-org/back", False),
        # the agent's own wording: its numbers have to be known, its words don't
        ("invoice 4711", "Please find attached our invoice number 4711", True),
        ("invoice 4711", "Please find attached our invoice number 4712", False),
        ("anything", "", True),
        ("anything", "2024-13-45", False),
    ],
)
def test_a_value_is_given_however_people_write_it(said: str, value: Any, is_given: bool) -> None:
    given = Given()
    given.add(said)
    assert given.has(value) is is_given


def test_what_the_schema_says_itself_need_not_be_given() -> None:
    schema = {
        "properties": {
            "unit": {"enum": ["C", "F"]},
            "limit": {"default": 10},
            "flag": {"type": "boolean"},
            "to": {"type": "array", "items": {"properties": {"role": {"enum": ["cc"]}}}},
        }
    }
    found = dict(
        values_of({"unit": "C", "limit": 10, "flag": True, "to": [{"role": "cc", "name": "Ada"}]}, schema)
    )
    assert found == {"to.0.name": "Ada"}
    assert dict(values_of({"unit": "K", "limit": 11}, schema)) == {"unit": "K", "limit": 11}
