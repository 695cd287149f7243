"""Whether the values that an answer key passes to tools can be known: does a text give them?

Belongs here: values of arguments, and how texts write them. Does not belong here: which texts count
(scenario_check.py).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

# a longer text is the agent's own wording: of it only the numbers have to be given
LONGEST_NAME = 5
_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[t ]|$)")


class Given:
    """What has been said so far: grows with the request, withheld values and outputs of earlier calls."""

    def __init__(self) -> None:
        self._words = " "
        self._numbers: set[float] = set()

    def add(self, value: Any) -> None:
        """Everything in `value`, a text or JSON."""
        for leaf in _leaves(value):
            text = _plain(str(leaf))
            self._words += _words(text) + " "
            self._numbers |= {float(found.replace(",", "")) for found in _NUMBER.findall(text)[:10_000]}
            self._numbers |= {float(n) for n, word in enumerate(_WORDS) if f" {word} " in f" {_words(text)} "}

    def has(self, value: Any) -> bool:
        """Whether a number, or a text (of more than five words: its numbers), has been said."""
        if isinstance(value, int | float):
            return abs(float(value)) in self._numbers
        text = _plain(str(value))
        words = _words(text)
        if not words or f" {words} " in self._words:
            return True
        if is_date := _DATE.match(text):
            return self._has_date(*map(int, is_date.groups()))
        if len(words.split()) <= LONGEST_NAME:
            return False
        return all(self.has(float(found.replace(",", ""))) for found in _NUMBER.findall(text))

    def has_words(self, name: str) -> bool:
        """Whether `name` was said as whole words, '_' and '-' read as blanks."""
        return bool(words := _words(_plain(name))) and f" {words} " in self._words

    def _has_date(self, year: int, month: int, day: int) -> bool:
        """Whether a date was said in another form: '15 February 2024', '2/15/2024'."""
        try:
            date(year, month, day)
        except ValueError:
            return False
        name = _MONTHS[month - 1]
        is_month = month in self._numbers or any(f" {form} " in self._words for form in (name, name[:3]))
        is_day = any(f" {day}{ending} " in self._words for ending in ("", "st", "nd", "rd", "th"))
        return year in self._numbers and is_month and (is_day or day in self._numbers)


def values_of(arguments: Any, schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Path and value of each number and text in `arguments` that has to be known.

    Not of those that the schema itself says: members of an enumeration, and defaults.
    """
    rules = schema if isinstance(schema, Mapping) else {}
    if isinstance(arguments, Mapping):
        inner = rules.get("properties")
        for name, value in arguments.items():
            rule = inner.get(name) if isinstance(inner, Mapping) else None
            yield from values_of(value, rule, f"{path}.{name}" if path else str(name))
    elif isinstance(arguments, list):
        for place, value in enumerate(arguments):
            yield from values_of(value, rules.get("items"), f"{path}.{place}")
    elif isinstance(arguments, int | float | str) and not isinstance(arguments, bool):
        options = rules.get("enum")
        is_said = (isinstance(options, list) and arguments in options) or rules.get("default") == arguments
        if not is_said and rules.get("const") != arguments:
            yield path, arguments


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif value is not None and not isinstance(value, bool):
        yield value


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text))
