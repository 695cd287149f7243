"""Calls that an agent made, scored against the calls of the answer key, tool by tool.

Belongs here: which calls are compared, and equality that code can decide. Does not belong here: equality that takes a
judge, scenario means (dbt).

Source: paper `open-economic-index`, Appendix B, Tool Call Accuracy.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

How = Literal["exact", "normalised", "differs", "never called"]


class KeyMatch(NamedTuple):
    """What code can say of one tool name of a key.

    `n_called` counts all calls of that name; compared are the last `n_expected` of them. 'differs' is not yet a 0: a
    judge may find the calls equivalent.
    """

    score: int | None
    n_expected: int
    n_called: int
    how: How


def match_key(expected: Sequence[Any], called: Sequence[Any]) -> KeyMatch:
    """Compare M expected calls of one tool with the last M calls of it, in any order.

    Args:
        expected: arguments of the key's calls of one tool name, at least one.
        called: arguments of the agent's calls of that name, in the order in which it made them.

    Returns:
        Score 1 if every expected call has a call of its own that equals it; 0 if the tool was never called; None where
        code can't decide.
    """
    sizes = len(expected), len(called)
    if not called:
        return KeyMatch(0, *sizes, "never called")
    last = called[-len(expected) :]
    # equality is transitive, so calls pair off exactly where both lists hold the same forms equally often
    if sorted(map(_as_is, expected)) == sorted(map(_as_is, last)):
        return KeyMatch(1, *sizes, "exact")
    if sorted(map(normal_form, expected)) == sorted(map(normal_form, last)):
        return KeyMatch(1, *sizes, "normalised")
    return KeyMatch(None, *sizes, "differs")


def normal_form(value: Any) -> str:
    """`normalised`, as a text to be compared by."""
    return _as_is(normalised(value))


def normalised(value: Any) -> Any:
    """A form in which values are equal that differ in nothing an answer key can mean.

    Texts lose case, compatibility forms and blanks at and between words; a text that reads as a number is that number;
    an argument that is null, or an empty text, list or object, counts as not given. Order of lists is kept.
    """
    if isinstance(value, dict):
        cleaned = {str(key): normalised(inner) for key, inner in value.items()}
        return {key: inner for key, inner in cleaned.items() if inner not in (None, "", [], {})}
    if isinstance(value, list | tuple):
        return [normalised(inner) for inner in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return _number(value)
    text = " ".join(unicodedata.normalize("NFKC", str(value)).casefold().split())
    try:
        return _number(json.loads(text)) if text and text[0] in "-0123456789" else text
    except (ValueError, TypeError, RecursionError):
        return text


def _number(value: Any) -> float | int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("no number")
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    return value


def _as_is(value: Any) -> str:
    """JSON text: 1, 1.0 and true are told apart, order of an object's fields is not."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
