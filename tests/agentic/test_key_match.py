"""Calls against the key: the last M of a name, in any order, one score for all; equality that needs no judge."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.agentic.key_match import KeyMatch, match_key, normal_form

A, B, C = {"x": 1}, {"x": 2}, {"x": 3}


@pytest.mark.parametrize(
    ("expected", "called", "result"),
    [
        ([A], [A], (1, "exact")),
        ([A], [], (0, "never called")),
        ([A], [B], (None, "differs")),
        # the last call counts, whatever came before it
        ([A], [B, C, A], (1, "exact")),
        ([A], [A, B], (None, "differs")),
        # two expected: the last two, in any order, each with a call of its own
        ([A, B], [C, B, A], (1, "exact")),
        ([A, B], [A, B, C], (None, "differs")),
        ([A, B], [A, A], (None, "differs")),
        ([A, A], [A], (None, "differs")),
        ([A, A], [A, A], (1, "exact")),
        ([{"x": 1, "y": 2}], [{"y": 2, "x": 1}], (1, "exact")),
        ([A], [{"x": "1"}], (1, "normalised")),
        ([A], [{"x": 1.0}], (1, "normalised")),
        ([A], [{"x": True}], (None, "differs")),
        # arguments that are no JSON object
        ([A], ["x=1"], (None, "differs")),
    ],
)
def test_the_last_calls_are_compared(expected: list[Any], called: list[Any], result: tuple[Any, str]) -> None:
    assert match_key(expected, called) == KeyMatch(result[0], len(expected), len(called), result[1])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other", "is_equal"),
    [
        (" New  York ", "new york", True),
        ("ﬁne", "FINE", True),
        ("5", 5.0, True),
        ("-2.50", -2.5, True),
        ("1e3", 1000, True),
        ("007", 7, False),
        ("true", True, False),
        (0, False, False),
        (0, None, False),
        ({"a": 1, "b": None, "c": "", "d": [], "e": {}}, {"a": 1}, True),
        ({"a": 0}, {}, False),
        ([1, 2], [2, 1], False),
        ([], None, False),
        ("2026-05-03", "2026-05-04", False),
        ("1" * 400, "1" * 399 + "2", False),
    ],
)
def test_values_are_equal_that_differ_in_nothing_a_key_can_mean(one: Any, other: Any, is_equal: bool) -> None:
    assert (normal_form(one) == normal_form(other)) is is_equal


scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "A ", "1", "1.0"])
arguments = st.dictionaries(st.sampled_from("xyz"), scalars, max_size=2)


@given(st.lists(arguments, min_size=1, max_size=4), st.lists(arguments, max_size=6))
def test_the_score_is_that_of_trying_every_order(expected: list[Any], called: list[Any]) -> None:
    wanted = [normal_form(one) for one in expected]
    last = [normal_form(one) for one in called[-len(expected) :]]
    is_paired = any(list(order) == wanted for order in permutations(last))
    found = match_key(expected, called)
    assert (found.score == 1) is is_paired
    assert (found.score == 0) is (not called)
