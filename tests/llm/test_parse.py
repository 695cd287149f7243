"""Strict reading: what is one answer is taken, whatever wraps it; what could be two is unparsed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from assets.llm.sending.parse import read_choice
from tests.llm.conftest import Level


class Note(BaseModel):
    level: int
    why: str


def choice(content: Any, finish: str = "stop", **message: Any) -> dict[str, Any]:
    return {"finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}


@pytest.mark.parametrize(
    "content",
    [
        '{"level": 3}',
        '  \n{"level":3}\n ',
        '\ufeff{"level": 3}',
        '```json\n{"level": 3}\n```',
        'Here it is:\n```\n{"level": 3}\n```\nAnything else?',
        "The level is as follows: {\"level\": 3} (see [1]).",
        '<think>Perhaps {"level": 5}? No.</think>\n{"level": 3}',
        '<THINK>a</THINK><reasoning>{"level": 1}</reasoning>{"level": 3}',
        'Perhaps {"level": 5}? No.</think>{"level": 3}',
        '{"level": 3}\n\nAgain: {"level": 3}',
        [{"type": "text", "text": '{"level": 3}'}],
        [{"type": "text", "text": '{"lev'}, {"type": "text", "text": 'el": 3}'}],
        [{"type": "thinking", "thinking": '{"level": 1}'}, {"type": "output_text", "text": {"value": '{"level": 3}'}}],
        [{"type": "reasoning", "summary": []}, '{"level": 3}'],
        '{"level": 3, "level": 3}',
    ],
)  # fmt: skip
def test_one_answer_is_read_whatever_wraps_it(content: Any) -> None:
    assert read_choice(choice(content), Level).value == Level(level=3)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("2 out of 5", "no JSON object"),
        ("3", "JSON int"),
        ('"3"', "JSON str"),
        ("[]", "JSON list"),
        ('[{"level": 3}]', "JSON list"),
        ('I say [{"level": 3}]', "a list"),
        ('I say [{"level": 3}, {"level": ', "no whole JSON"),
        ('I say [{"level": 3},', "no whole JSON"),
        ('{"level": 3} or {"level": 4}', "2 different"),
        ('{"level": 1} or {"level": true}', "2 different"),
        ('{"level": 2, "level": 5}', "two different values"),
        ('So: {"level": 2, "level": 5}', "two different values"),
        ('{"level": 3, "why": "cut of', "no whole JSON"),
        ('{"why": {"level": 3}, "mo', "no whole JSON"),
        ("{'level': 3}", "no whole JSON"),
        ('{"level": 3,}', "no whole JSON"),
        ("{level: 3}", "no whole JSON"),
        ('{"level": NaN}', "no whole JSON"),
        ('{"level": "3"}', "level"),
        ('{"level": 3.0}', "level"),
        ('{"level": 3.5}', "level"),
        ('{"level": true}', "level"),
        ('{"level": null}', "level"),
        ('{"level": 6}', "level"),
        ('{"level": -1}', "level"),
        ("{}", "level"),
        ('{"level": 3, "or": 4}', "or"),
        ('{"rating": 3}', "level"),
        ("<think>it must be 3", "no end"),
        ('<think>{"level": 3}', "no end"),
        ("", "no JSON object"),
        (None, "no JSON object"),
        ([], "no JSON object"),
        ([{"type": "image_url", "image_url": "x"}, {"type": "text", "text": '{"level": 3}'}], "unknown kind"),
        (3, "unknown kind"),
        ("{" * 100_000, "no whole JSON"),
        ("[" * 100_000, "no whole JSON"),
    ],
)  # fmt: skip
def test_what_could_be_two_answers_or_none_is_unparsed(content: Any, reason: str) -> None:
    reading = read_choice(choice(content), Level)
    assert (reading.status, reading.value) == ("unparsed", None)
    assert reason in reading.reason


def test_an_answer_cut_off_is_unparsed_even_when_it_reads_well() -> None:
    assert read_choice(choice('{"level": 3}', finish="length"), Level).status == "unparsed"
    assert read_choice(choice("a long text", finish="length"), None).status == "unparsed"


@pytest.mark.parametrize(
    "answer",
    [
        choice(None, refusal="I can't help with that."),
        choice([{"type": "refusal", "refusal": "no"}]),
        choice('{"level": 3}', refusal="no"),
        choice("", finish="content_filter"),
        choice('{"level": 3}', finish="content_filter"),
    ],
)
def test_a_refusal_is_a_refusal_not_an_answer(answer: dict[str, Any]) -> None:
    reading = read_choice(answer, Level)
    assert (reading.status, reading.value) == ("refused", None)
    assert reading.reason


@pytest.mark.parametrize("broken", [None, [], {}, {"message": None}, {"message": "text"}])
def test_a_completion_without_a_message_is_unparsed(broken: Any) -> None:
    assert read_choice(broken, Level).status == "unparsed"


def test_free_text_is_taken_without_its_reasoning() -> None:
    assert read_choice(choice("<think>hm</think>\n Dear all, "), None).text == "Dear all,"
    assert (
        read_choice(choice("Use <analysis>x</analysis> and {1}"), None).text
        == "Use <analysis>x</analysis> and {1}"
    )
    # a text about such tags keeps them
    about = "Write <think>a</think> first."
    assert read_choice(choice(about), None).text == about
    assert read_choice(choice(" \n"), None).status == "unparsed"


@given(st.text(), st.integers())
def test_any_text_in_a_field_survives_a_fence(why: str, level: int) -> None:
    note = Note(level=level, why=why)
    content = f"Sure.\n```json\n{json.dumps({'level': level, 'why': why}, ensure_ascii=False)}\n```"
    reading = read_choice(choice(content), Note)
    # words that look like the end of reasoning may cost an answer, never change one
    assert reading.value == note or (reading.status == "unparsed" and "</" in why)


@given(st.text(alphabet='{}[]"\\:, 0123456789levltrufas\n`<think/>', max_size=60))
def test_no_text_makes_it_raise_or_answer_two_things(text: str) -> None:
    reading = read_choice(choice(text), Level)
    if reading.status == "answered":
        assert reading.value is not None and text.count('"level"') >= 1
