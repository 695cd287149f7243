"""Arguments against JSON Schemas of others: classes of faults, and schemas that are none or endless."""

from __future__ import annotations

import time
from typing import Any

import pytest

from assets.agentic.schema_check import argument_faults

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["to", "n"],
    "properties": {
        "to": {"type": "array", "items": {"$ref": "#/$defs/person"}},
        "n": {"type": "integer"},
        "how": {"enum": ["mail", "call"]},
        "at": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "additionalProperties": True,
    "$defs": {"person": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}},
}
SOUND = {"to": [{"name": "Ada"}], "n": 2}


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        (SOUND, []),
        (SOUND | {"how": "mail", "at": None}, []),
        (SOUND | {"n": 2.0}, []),
        ({"to": []}, [("n", "missing required argument")]),
        ({}, [("n", "missing required argument"), ("to", "missing required argument")]),
        (SOUND | {"cc": 1}, [("cc", "unknown argument")]),
        (SOUND | {"n": "2"}, [("n", "mistyped argument")]),
        (SOUND | {"n": True}, [("n", "mistyped argument")]),
        (SOUND | {"how": "fax"}, [("how", "mistyped argument")]),
        (SOUND | {"at": 5}, [("at", "mistyped argument")]),
        (SOUND | {"to": [{"name": "Ada"}, {}]}, [("to.1.name", "missing required argument")]),
        (SOUND | {"to": [{"name": 5}]}, [("to.0.name", "mistyped argument")]),
    ],
)
def test_each_fault_has_its_class_and_place(arguments: dict[str, Any], faults: list[tuple[str, str]]) -> None:
    assert [(fault.path, fault.fault) for fault in argument_faults(SCHEMA, arguments)] == faults


@pytest.mark.parametrize("schema", [None, {}, {"type": "object"}, {"properties": {}}, {"properties": ["x"]}])
def test_a_tool_without_properties_is_not_checked(schema: Any) -> None:
    assert argument_faults(schema, {"anything": 1}) == []


@pytest.mark.parametrize(
    "rule",
    [
        {"type": "no such type"},
        {"type": 5},
        {"items": [{"type": "string"}]},
        {"enum": 5},
        {"$ref": "#/nowhere"},
        {"$ref": "https://schemas.example/person.json"},
        {"$ref": "file:///etc/hosts"},
        {"allOf": [{"$ref": "#/properties/x"}]},
        {"anyOf": 3},
        {"properties": 3},
        {"pattern": "(a+)+$"},
    ],
)
def test_what_is_no_schema_forbids_nothing_and_fetches_nothing(rule: Any) -> None:
    schema = {"type": "object", "properties": {"x": rule}}
    assert argument_faults(schema, {"x": {"x": {"x": "a" * 40}}}) in ([], argument_faults(schema, {"x": {}}))


def test_alternatives_that_double_with_each_level_end_soon() -> None:
    levels: dict[str, Any] = {
        f"l{n}": {"anyOf": [{"$ref": f"#/$defs/l{n + 1}"}, {"$ref": f"#/$defs/l{n + 1}"}]} for n in range(60)
    }
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/l0"}},
        "$defs": {**levels, "l60": {"type": "string"}},
    }
    started = time.monotonic()
    argument_faults(schema, {"x": 5})
    assert time.monotonic() - started < 10


def test_one_schema_that_takes_too_long_leaves_the_next_check_whole() -> None:
    test_alternatives_that_double_with_each_level_end_soon()
    assert [fault.path for fault in argument_faults(SCHEMA, {"to": []})] == ["n"]
