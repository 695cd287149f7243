"""A scripted server that writes items, gives bands, chooses options and reads choices.

Belongs here: the answers. Does not belong here: the protocol (tests/support/llm/scripted_server.py) and assertions.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from typing import Any

from tests.support.llm.scripted_server import Reply, ScriptedServer, completed

UNDECIDED, IN_WORDS = "Either is fine.", "I take the second one."


class ChoosingServer(ScriptedServer):
    """What it answers follows from the texts alone; after `fails_after` requests it is down.

    Odd are: risk's negative item has the words of its positive one; extraversion's third is refused; the band of
    red_blue's positive one is upside down; the model `talker`, unprompted, answers ultracrepidarianism in words.
    """

    def __init__(self) -> None:
        super().__init__()
        self.paid_for: Counter[tuple[str, str, str]] = Counter()

    def __enter__(self) -> ChoosingServer:
        super().__enter__()
        return self

    async def _complete(self, request: dict[str, Any]) -> Reply:
        reply = await super()._complete(request)
        if reply.status != 200:
            return reply
        told, asked = texts_of(request)
        self.paid_for[(request["model"], told, asked)] += 1
        return completed(Reply(message=_message(request["model"], told, asked), usage=reply.usage, model="m"))


def texts_of(request: dict[str, Any]) -> tuple[str, str]:
    """System prompt ('' = none) and user's message."""
    texts = {message["role"]: message["content"] for message in request["messages"]}
    return texts.get("system", ""), texts["user"]


def chosen(model: str, told: str, asked: str) -> str:
    """The option that a model takes."""
    return "abc"[hashlib.sha256(f"{model}|{told}|{asked}".encode()).digest()[0] % 3]


def _message(model: str, told: str, asked: str) -> dict[str, Any]:
    if asked.startswith("Setting:"):
        return _item(re.search(r"^# (\w+): ", told, re.MULTILINE)[1], asked)  # type: ignore[index]
    if asked.startswith("<item>"):
        is_odd = "red_blue by positive" in asked
        return _json(reason="r", lower=1 if is_odd else -1.5, upper=0 if is_odd else 0.5)
    if asked.startswith("<question>"):
        return _json(option="none" if UNDECIDED in asked else "b")
    if model == "talker" and not told and "ultracrepidarianism" in asked:
        return {"content": UNDECIDED if "by positive" in asked else IN_WORDS}
    return _json(option=chosen(model, told, asked))


def _item(propensity: str, asked: str) -> dict[str, Any]:
    best = re.search(r"Best: the (\w+) option", asked)[1]  # type: ignore[index]
    if (propensity, best) == ("extraversion", "third"):
        return {"refusal": "No."}
    best = "positive" if propensity == "risk" and best == "negative" else best
    options = {
        pole: {"text": f"Take the {pole} way.", "utility": 10.0 if pole == best else float(n)}
        for n, pole in enumerate(("positive", "negative", "third"))
    }
    return _json(situation=f"Item of {propensity} by {best}: choose.", **options)


def _json(**fields: Any) -> dict[str, Any]:
    return {"content": json.dumps(fields)}
