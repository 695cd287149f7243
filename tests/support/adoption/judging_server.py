"""A scripted server that judges chats: relevant or not, which request, which tasks.

Belongs here: the answers. Does not belong here: the protocol (tests/support/llm/scripted_server.py) and assertions.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from tests.support.llm.scripted_server import Reply, ScriptedServer, completed

# chats whose step named here goes wrong hold the word
REFUSED, UNREAD = "forbidden", "mumbling"
STEPS = ("relevance", "summary", "confirmation")


class JudgingServer(ScriptedServer):
    """What it answers follows from the texts alone; after `fails_after` requests it is down.

    A chat is relevant unless it is about a joke. Its summary is `<Verb> <thing>.`, the first words in quotes. Of the
    tasks those are kept that have the summary's words. `forbidden-<step>` is refused there, `mumbling-<step>` unparsed.
    """

    def __init__(self, delay: float = 0.0) -> None:
        super().__init__(delay=delay)
        self.paid_for: Counter[tuple[str, str]] = Counter()

    def __enter__(self) -> JudgingServer:
        super().__enter__()
        return self

    async def _complete(self, request: dict[str, Any]) -> Reply:
        reply = await super()._complete(request)
        if reply.status != 200:
            return reply
        step, asked = request["model"], request["messages"][-1]["content"]
        self.paid_for[(step, asked)] += 1
        return completed(Reply(message=_message(step, asked), usage=reply.usage, model="m"))

    def count(self, step: str) -> int:
        """Calls of a step that were paid for."""
        return sum(n for (name, _), n in self.paid_for.items() if name == step)


def _message(step: str, asked: str) -> dict[str, Any]:
    if f"{REFUSED}-{step}" in asked:
        return {"refusal": "No."}
    if f"{UNREAD}-{step}" in asked:
        return {"content": "Well, it depends."}
    if step == "relevance":
        return _json(reason="r", is_relevant="joke" not in asked)
    if step == "summary":
        return _json(request=re.search(r'"(.+?)"', asked)[1])  # type: ignore[index]
    summary = asked.partition("\n")[2].partition("\n")[0]
    tasks = re.findall(r"^(\d)\. (.+)$", asked, re.MULTILINE)
    # the number behind the last is no task's
    far = [4] if "beyond" in summary else []
    return _json(reason="r", tasks=[int(n) for n, text in tasks if text == summary] + far)


def _json(**fields: Any) -> dict[str, Any]:
    return {"content": json.dumps(fields)}
