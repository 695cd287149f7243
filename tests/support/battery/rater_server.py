"""A scripted server that rates: knows which rubric it was told, and answers in the schema of annotation.

Belongs here: the answers. Does not belong here: the protocol (tests/support/llm/scripted_server.py) and assertions.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from tests.support.llm.scripted_server import Reply, ScriptedServer, completed, level_of


class RaterServer(ScriptedServer):
    """Answers each capability with a level by a hash of acronym and text; `odd` says what it does otherwise."""

    def __init__(self, odd: dict[tuple[str, str], dict[str, Any]] | None = None, delay: float = 0.0) -> None:
        super().__init__(delay=delay)
        self.odd = odd or {}
        self.paid_for: Counter[tuple[str, str]] = Counter()

    def __enter__(self) -> RaterServer:
        super().__enter__()
        return self

    async def _complete(self, request: dict[str, Any]) -> Reply:
        told, asked = (message["content"] for message in request["messages"])
        text = asked.removeprefix("<item>\n").removesuffix("\n</item>")
        names = re.findall(r"^# (\w+): ", told, re.MULTILINE)
        levels = {name: {"reason": "r", "level": level_of(name + text)} for name in names}
        content = json.dumps(levels if len(names) > 1 else levels[names[0]])
        message = self.odd.get((names[0], text), {})
        reply = await super()._complete(request)
        self.paid_for[("+".join(names), text)] += 1
        return completed(Reply(content, message=message, usage=reply.usage, model="m"))
