"""What a model sent back, read strictly: an answer, a refusal, or unparsed. Nothing is guessed or repaired.

Belongs here: parts, reasoning, fences, text around one JSON object, the pydantic check. Does not belong here: transport
(door.py) and what an answer means (the slice that asked).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from assets.llm.call import Status

_OPEN = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)
_CLOSE = re.compile(r"</(think|thinking|reasoning)>", re.IGNORECASE)
_BRACKET = re.compile(r"[{\[]")
_REASONING_PARTS = {"reasoning", "thinking", "redacted_thinking", "reasoning_text", "summary_text"}
_TEXT_PARTS = {"text", "output_text"}


class Unparsed(ValueError):
    """There is no one answer to be read; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One completion, read."""

    status: Status
    text: str = ""
    value: BaseModel | None = None
    reason: str = ""


def read_choice(choice: object, schema: type[BaseModel] | None) -> Reading:
    """`choices[0]` of a chat completion as an answer to a call with `schema` (None = free text)."""
    text = ""
    try:
        if not isinstance(choice, dict) or not isinstance(message := choice.get("message"), dict):
            raise Unparsed("the completion has no message")
        finish = choice.get("finish_reason")
        text, refusal = _content(message.get("content"))
        refusal = _text_of(message.get("refusal")) or refusal
        if refusal:
            return Reading("refused", text, reason=refusal)
        if finish == "content_filter":
            return Reading("refused", text, reason="stopped by the provider's content filter")
        if finish == "length":
            raise Unparsed("cut off at max_tokens")
        if schema is None:
            text = without_reasoning(text)
            if not text:
                raise Unparsed("the answer is empty")
            return Reading("answered", text)
        return Reading("answered", text, value=_validated(one_object(text), schema))
    except Unparsed as error:
        return Reading("unparsed", text, reason=str(error))


def _content(content: object) -> tuple[str, str]:
    """Text and refusal of a message's content: a string, or a list of parts."""
    if content is None or isinstance(content, str):
        return content or "", ""
    if not isinstance(content, list):
        raise Unparsed(f"content of an unknown kind: {type(content).__name__}")
    texts, refusals = [], []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
            continue
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in _TEXT_PARTS:
            texts.append(_text_of(part.get("text")))
        elif kind == "refusal":
            refusals.append(_text_of(part.get("refusal")))
        elif kind not in _REASONING_PARTS:
            raise Unparsed(f"a part of an unknown kind: {kind}")
    return "".join(texts), "\n".join(refusals)


def _text_of(value: object) -> str:
    if isinstance(value, dict):
        value = value.get("value")
    return value if isinstance(value, str) else ""


def without_reasoning(text: str) -> str:
    """`text` without the block such as <think>...</think> it starts with, stripped.

    Chat templates that open the block themselves leave only its end in the answer; all before it is reasoning too.

    Raises:
        Unparsed: the block has no end, so where the answer begins is unknown.
    """
    ends = [match.end() for match in _CLOSE.finditer(text)]
    if _OPEN.match(text) and not ends:
        raise Unparsed("the reasoning has no end")
    if ends and _OPEN.match(text):
        text = text[ends[0] :]
        # a second block follows the first
        return without_reasoning(text) if _OPEN.match(text) else _stripped(text)
    if ends and not re.search(r"<(think|thinking|reasoning)>", text, re.IGNORECASE):
        text = text[ends[-1] :]
    return _stripped(text)


def _stripped(text: str) -> str:
    return text.strip().strip("\ufeff").strip()


def one_object(text: str) -> dict[str, Any]:
    """The one JSON object in `text`; reasoning, code fences and words around it are left out.

    The same object twice is one. Raises:
        Unparsed: none, several different ones, a list of objects, or braces that are no whole JSON.
    """
    try:
        whole = _loads(_stripped(text))
    except ValueError as error:
        if isinstance(error, _DoubleKey):
            raise Unparsed(str(error)) from None
    else:
        if isinstance(whole, dict):
            return whole
        raise Unparsed(f"JSON {type(whole).__name__} where an object was asked for")
    found = list(_objects(without_reasoning(text)))
    if not found:
        raise Unparsed("no JSON object in the answer")
    if len({_spelling(one) for one in found}) > 1:
        raise Unparsed(f"{len(found)} different JSON objects in the answer")
    return found[0]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    at = 0
    while match := _BRACKET.search(text, at):
        start = match.start()
        try:
            value, at = _DECODER.raw_decode(text, start)
        except _DoubleKey as error:
            raise Unparsed(str(error)) from None
        except (ValueError, RecursionError):
            if match.group() == "{" or re.match(r"\[\s*[{\[]", text[start:]):
                raise Unparsed("braces that are no whole JSON object") from None
            at = start + 1
            continue
        if isinstance(value, dict):
            yield value
        elif any(isinstance(element, dict | list) for element in value):
            raise Unparsed("a list where an object was asked for")


class _DoubleKey(ValueError):
    pass


def _no_double_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs) and any(_spelling(made[key]) != _spelling(value) for key, value in pairs):
        raise _DoubleKey("one key with two different values")
    return made


def _spelling(value: Any) -> str:
    """Tells 1, 1.0 and true apart, which Python takes for equal."""
    return json.dumps(value, sort_keys=True)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_no_double_keys, parse_constant=_no_constant)


def _loads(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _validated(found: dict[str, Any], schema: type[BaseModel]) -> BaseModel:
    try:
        return schema.model_validate_json(json.dumps(found), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or schema.__name__
        raise Unparsed(f"{where}: {first['msg']}") from None
