"""What the door's tests share: a model on the scripted server, its key, limits without patience.

Belongs here: builders of calls. Does not belong here: the server itself (scripted_server.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from assets.llm import Call, Limits, Model
from tests.support.llm.scripted_server import KEY

FAST = Limits(
    first_wait_seconds=0.01, max_wait_seconds=0.05, breaker_pause_seconds=0.1, batch_poll_seconds=0.01
)


class Level(BaseModel):
    """What a rater answers."""

    model_config = ConfigDict(extra="forbid")

    level: int = Field(ge=0, le=5)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_LLM_KEY", KEY)


def model_at(base_url: str, /, **settings: Any) -> Model:
    """A priced rater: a call of the scripted server costs 100 · 1 + 10 · 2 = 120 millionths."""
    defaults: dict[str, Any] = {
        "role": "rater", "name": "rater-a", "model": "scripted", "base_url": base_url, "max_tokens": 50,
        "api_key_env": "TEST_LLM_KEY", "input_price": 1, "output_price": 2, "timeout_seconds": 10,
        "json_schema": True,
    }  # fmt: skip
    return Model(**(defaults | settings))


def calls_of(model: Model, prompts: Iterable[str], **settings: Any) -> list[Call]:
    return [Call(model, prompt, **({"schema": Level} | settings)) for prompt in prompts]
