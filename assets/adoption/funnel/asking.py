"""What language models are asked about chats: relevant to work? which request? which tasks are its?

Belongs here: chats -> calls, and answers -> columns. Does not belong here: sending (assets/llm), the prompts' texts
(rubrics/prompts), what happens where no model is named (steps.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, field_validator

from assets.adoption.match.matches import NEAREST
from assets.llm import Answer, Call, Model, framed
from assets.settings import PROJECT

Collected = Callable[[Sequence[Call]], Sequence[Answer]]
PROMPTS = PROJECT / "rubrics" / "prompts"


# the docstrings are read by the models
class Relevance(BaseModel):
    """Whether the request has to do with work, and the reason for it."""

    model_config = ConfigDict(extra="forbid")

    reason: str
    is_relevant: bool


class Summary(BaseModel):
    """The request in at most three sentences."""

    model_config = ConfigDict(extra="forbid")

    request: str = Field(min_length=1, max_length=1000)

    @field_validator("request")
    @classmethod
    def _has_words(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("only blanks")
        return value


class Confirmation(BaseModel):
    """The numbers of the tasks that belong to the request, and the reason for it."""

    model_config = ConfigDict(extra="forbid")

    reason: str
    tasks: list[Annotated[int, Field(ge=1, le=NEAREST)]]


@cache
def prompt(name: str) -> str:
    """The text of `rubrics/prompts/<name>.md`."""
    return (PROMPTS / f"{name}.md").read_text(encoding="utf-8")


def relevance_calls(texts: Sequence[str], model: Model) -> list[Call]:
    """One call a chat, in order."""
    system = prompt("chat_relevance")
    return [Call(model, framed({"chat": text}), system, Relevance) for text in texts]


def summary_calls(texts: Sequence[str], model: Model) -> list[Call]:
    """One call a chat, in order."""
    system = prompt("chat_summary")
    return [Call(model, framed({"chat": text}), system, Summary) for text in texts]


def confirmation_calls(requests: Sequence[str], tasks: npt.NDArray[np.object_], model: Model) -> list[Call]:
    """One call a request, in order; `tasks` (n, k): texts of its nearest tasks, the nearest first."""
    system = prompt("chat_confirmation")
    calls = []
    for request, texts in zip(requests, tasks, strict=True):
        numbered = "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))
        calls.append(Call(model, f"{framed({'summary': request})}\n\n{numbered}", system, Confirmation))
    return calls


def relevance_of(answers: Sequence[Answer]) -> pd.DataFrame:
    """`status` and `is_relevant` (NA unless answered) of each answer."""
    return _frame(answers, "is_relevant", lambda value: value.is_relevant, "boolean")


def summary_of(answers: Sequence[Answer]) -> pd.DataFrame:
    """`status` and `request` (None unless answered) of each answer."""
    return _frame(answers, "request", lambda value: " ".join(value.request.split()), "object")


def kept_tasks(answers: Sequence[Answer], k: int) -> tuple[list[str], npt.NDArray[np.bool_]]:
    """Status of each answer and which of the `k` tasks (n, k) it keeps.

    An answer that names a number that is no task's is unparsed: what it meant is not guessed.
    """
    kept = np.zeros((len(answers), k), dtype=bool)
    status: list[str] = []
    for row, answer in enumerate(answers):
        numbers = answer.value.tasks if isinstance(answer.value, Confirmation) else []
        is_sound = set(numbers) <= set(range(1, k + 1))
        status.append(answer.status if is_sound else "unparsed")
        if is_sound:
            kept[row, [number - 1 for number in numbers]] = True
    return status, kept


def _frame(
    answers: Sequence[Answer], name: str, value: Callable[[Any], Any], dtype: Literal["boolean", "object"]
) -> pd.DataFrame:
    values = [None if answer.value is None else value(answer.value) for answer in answers]
    status = pd.Series([answer.status for answer in answers], dtype=object)
    return pd.DataFrame({"status": status, name: pd.Series(values, dtype=dtype)})
