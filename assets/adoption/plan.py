"""Which calls each step of the funnel takes, once those before it are settled.

Belongs here: the calls, and what must be run first. Does not belong here: the steps themselves (steps.py), what is
asked (asking.py), reading and sending.
"""

from __future__ import annotations

import pandas as pd

from assets.adoption import asking
from assets.adoption.asking import Collected
from assets.adoption.inputs import Inputs
from assets.adoption.steps import (
    CONFIRMATION,
    RELEVANCE,
    SUMMARY,
    AdoptionError,
    Matcher,
    Step,
    confirmations,
    matched,
    model_of,
    relevant,
    summarised,
    texts_of,
)
from assets.llm import Call, Model, Roles


def relevance_plan(inputs: Inputs, roles: Roles) -> list[Call]:
    """One call a unique English chat.

    Raises:
        AdoptionError: nobody, or more than one, is to be asked; there is nothing to ask about.
    """
    model = _judge(roles, RELEVANCE)
    return asking.relevance_calls(_texts(inputs).tolist(), model)


def summary_plan(inputs: Inputs, roles: Roles, collected: Collected) -> list[Call]:
    """One call a relevant chat; all are where nobody judges relevance.

    Raises:
        AdoptionError: as `relevance_plan`; calls about relevance are open.
    """
    model, text = _judge(roles, SUMMARY), _texts(inputs)
    chats, step = relevant(inputs.chats, text, roles, collected)
    _settled(step, RELEVANCE, roles)
    return asking.summary_calls(text[chats["request"].notna()].tolist(), model)


def confirmation_plan(inputs: Inputs, roles: Roles, matcher: Matcher, collected: Collected) -> list[Call]:
    """One call a request and its nearest tasks.

    Raises:
        AdoptionError: as `summary_plan`; calls about summaries are open; there are no tasks.
    """
    model, text = _judge(roles, CONFIRMATION), _texts(inputs)
    if inputs.tasks.empty:
        raise AdoptionError(
            "there are no tasks to confirm: put O*NET's text release into onet/ and run `suitability refresh`"
        )
    chats, first = relevant(inputs.chats, text, roles, collected)
    _settled(first, RELEVANCE, roles)
    chats, second = summarised(chats, text, roles, collected)
    _settled(second, SUMMARY, roles)
    requests, matches = matched(chats[chats["request"].notna()], matcher)
    return confirmations(requests, inputs.tasks, matches, model)


def _judge(roles: Roles, role: str) -> Model:
    model = model_of(roles, role)
    if model is None:
        raise AdoptionError(f"llm.toml names no [[{role}]]: add a table of that name for the model to ask")
    return model


def _texts(inputs: Inputs) -> pd.Series:
    if inputs.chats.empty:
        raise AdoptionError(
            "there are no English chats to ask about: put logs into chats/ and run `suitability refresh`"
        )
    return texts_of(inputs.chats, inputs.texts())


def _settled(step: Step, role: str, roles: Roles) -> None:
    if step.status != "done" and roles.of(role):
        raise AdoptionError(f"{step.note.removesuffix('; all chats go on')}, then come back")
