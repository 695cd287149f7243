"""A call and its answer: the two things a slice exchanges with the door.

Belongs here: the identity of a call, the request it becomes, the shape of an answer. Does not belong here: sending it
(sending/door.py, batch.py), reading what came back (parse.py).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

from pydantic import BaseModel

from assets.llm.roles import Model, settings_that_change_answers

Status = Literal["answered", "unparsed", "refused", "failed", "pending"]
# what a call that was sent ends as; pending = not sent, or sent and not heard of yet
OUTCOMES: tuple[Status, ...] = ("answered", "unparsed", "refused", "failed")

# rough, as every estimate before spending: English text, most tokenisers
CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True)
class Call:
    """One question to one model. Stable text goes into `system` (it comes first, so providers can cache it).

    Args:
        schema: what the answer must be; None = free text.
        repeat: tells apart askings of one thing ("1", "2", ... for runs of a tournament).
    """

    model: Model
    prompt: str
    system: str = ""
    schema: type[BaseModel] | None = None
    repeat: str = ""

    @cached_property
    def call_id(self) -> str:
        """sha256 over role, model, the settings that change answers, texts, schema and `repeat`."""
        identity = {
            **settings_that_change_answers(self.model),
            "system": self.system,
            "prompt": self.prompt,
            "schema": schema_text(self.schema),
            "repeat": self.repeat,
        }
        return sha256(json.dumps(identity, sort_keys=True, ensure_ascii=True))

    def request(self) -> dict[str, Any]:
        """The body of POST /chat/completions. A schema that the server can't enforce is asked for in words."""
        model, prompt = self.model, self.prompt
        body: dict[str, Any] = {"model": model.model, model.max_tokens_name: model.max_tokens}
        if model.temperature is not None:
            body["temperature"] = model.temperature
        if model.seed is not None:
            body["seed"] = model.seed
        if self.schema is not None and model.json_schema:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": self.schema.__name__,
                    "schema": _strict_schema(self.schema),
                    "strict": True,
                },
            }
        elif self.schema is not None:
            prompt += (
                "\n\nAnswer with one JSON object that follows this JSON schema, and with nothing else:\n"
                + schema_text(self.schema)
            )
        messages = [{"role": "system", "content": self.system}] if self.system else []
        return body | {"messages": [*messages, {"role": "user", "content": prompt}]}

    def estimated_input_tokens(self) -> int:
        """Characters / 4 over all that is sent: an estimate, not a count."""
        length = len(self.system) + len(self.prompt) + len(schema_text(self.schema))
        return -(-length // CHARACTERS_A_TOKEN)

    def highest_cost(self) -> float | None:
        """By the estimated input and an answer of `max_tokens`; None where the model has no prices."""
        return self.model.cost(self.estimated_input_tokens(), self.model.max_tokens)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a call.

    `value` is the parsed schema (answered calls with a schema only), `text` the answer without reasoning, `reason` why
    there is no answer. Tokens and cost are those of the attempt that settled it, None where unknown. `run` is the run
    that paid for it.
    """

    call: Call
    status: Status
    value: BaseModel | None = None
    text: str = ""
    reason: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    attempt: int = 0
    run: str = ""

    @property
    def call_id(self) -> str:
        return self.call.call_id


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@cache
def schema_text(schema: type[BaseModel] | None) -> str:
    """The JSON schema, in one spelling; '' for free text."""
    return "" if schema is None else json.dumps(schema.model_json_schema(), sort_keys=True)


@cache
def _strict_schema(schema: type[BaseModel]) -> Any:
    from openai import pydantic_function_tool

    return pydantic_function_tool(schema)["function"]["parameters"]
