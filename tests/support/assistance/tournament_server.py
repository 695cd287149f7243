"""A scripted server that does tasks, helps with them, judges pairs and codes guidance.

Belongs here: the answers. Does not belong here: the protocol (tests/support/llm/scripted_server.py) and assertions.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from typing import Any

from tests.support.llm.scripted_server import Reply, ScriptedServer, completed

HANDED_OVER = "Hand this in: "
FIRST_SEAT_JUDGE = "juror-two"


class TournamentServer(ScriptedServer):
    """What it answers follows from the texts alone, sooner or later by their hash, so that answers overtake each other.

    A judge prefers the text of the higher hash, but `FIRST_SEAT_JUDGE` always the first. After `fails_after` requests
    it is down. `odd` has another message for those of a model whose prompt holds a text.
    """

    def __init__(self) -> None:
        super().__init__()
        self.slowness = 0.01
        self.odd: dict[tuple[str, str], dict[str, Any]] = {}
        self.paid_for: Counter[str] = Counter()

    def __enter__(self) -> TournamentServer:
        super().__enter__()
        return self

    async def _complete(self, request: dict[str, Any]) -> Reply:
        self.delay = self.slowness * digest(json.dumps(request)) / 256
        reply = await super()._complete(request)
        if reply.status != 200:
            return reply
        self.paid_for[json.dumps(request, sort_keys=True)] += 1
        return completed(Reply(message=self._message(request), usage=reply.usage, model="m"))

    def _message(self, request: dict[str, Any]) -> dict[str, Any]:
        model, (told, asked) = request["model"], texts_of(request)
        for (name, word), message in self.odd.items():
            if name == model and word in asked:
                return message
        if "<first>" in asked:
            return _verdict(model, told, asked)
        if "code a text of guidance" in told:
            codes = ("specificity", "structure", "against_task", "leaks_deliverable")
            return _json(reason="r", **{name: digest(name + asked) % 11 for name in codes})
        if HANDED_OVER in asked:
            return {"content": asked.split(HANDED_OVER)[1].split("\n")[0]}
        return {"content": words(model + told + asked)}

    def judged(self) -> list[dict[str, Any]]:
        """The requests for verdicts and codings."""
        return [request for request in self.requests if request["model"].startswith("juror")]


def texts_of(request: dict[str, Any]) -> tuple[str, str]:
    """System prompt ('' = none) and user's message."""
    texts = {message["role"]: message["content"] for message in request["messages"]}
    return texts.get("system", ""), texts["user"]


def digest(text: str) -> int:
    """0-255."""
    return hashlib.sha256(text.encode()).digest()[0]


def words(text: str) -> str:
    """Twelve words that no other text has."""
    return " ".join(re.findall("....", hashlib.sha256(text.encode()).hexdigest())[:12])


def seats(asked: str) -> tuple[str, str]:
    """The two deliverables before a judge."""
    first, second = (re.search(rf"<{tag}>\n(.*)\n</{tag}>", asked, re.DOTALL) for tag in ("first", "second"))
    assert first and second
    return first[1], second[1]


def choice_of(model: str, first: str, second: str) -> str:
    """What a judge takes."""
    return "first" if model == FIRST_SEAT_JUDGE or words(first) > words(second) else "second"


def _verdict(model: str, told: str, asked: str) -> dict[str, Any]:
    first, second = seats(asked)
    names = re.findall(r"^- (\w+): ", told.split("\n\n")[0], re.MULTILINE)
    scores = [{name: digest(name + text) % 10 + 1 for name in names} for text in (first, second)]
    return _json(
        scores_first=scores[0], scores_second=scores[1], rationale=f"{first} / {second}",
        choice=choice_of(model, first, second),
    )  # fmt: skip


def _json(**fields: Any) -> dict[str, Any]:
    return {"content": json.dumps(fields)}
