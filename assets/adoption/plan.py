"""Which calls each step of the funnel takes, once those before it are settled.

Belongs here: the calls, and what must be run first. Does not belong here: the steps themselves (steps.py), what is
asked (asking.py), reading and sending.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.adoption import asking
from assets.adoption.asking import Collected
from assets.adoption.inputs import Inputs
from assets.adoption.steps import (
    CONFIRMATION,
    RELEVANCE,
    SUMMARY,
    AdoptionError,
    Step,
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


def confirmation_plan(
    inputs: Inputs, requested: pd.DataFrame, nearest: pd.DataFrame, roles: Roles, collected: Collected
) -> list[Call]:
    """One call a request and its nearest tasks, as the last refresh found them: a plan searches, and embeds, nothing.

    Args:
        requested: chat_key, request_key of model.chat_request.
        nearest: chat_key, rank, task_text_id of model.chat_match.

    Raises:
        AdoptionError: as `summary_plan`; calls about summaries are open; requests are newer than the last refresh.
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
    chats = chats[chats["request"].notna()]
    matched = chats["chat_key"].map(requested.set_index("chat_key")["request_key"])
    n_new = int((~matched.eq(chats["request_key"]).fillna(False).astype(bool)).sum())
    if n_new:
        raise AdoptionError(
            f"{n_new} requests have not been matched yet. Run `suitability refresh`, then come back"
        )
    return asking.confirmation_calls(
        chats["request"].tolist(), _tasks_of(chats, nearest, inputs.tasks), model
    )


def _tasks_of(chats: pd.DataFrame, nearest: pd.DataFrame, tasks: pd.DataFrame) -> npt.NDArray[np.object_]:
    """Texts of the nearest tasks of each of `chats`, row by row."""
    by_rank = nearest.pivot(index="chat_key", columns="rank", values="task_text_id")
    text = tasks.set_index("task_text_id")["text"]
    ids = by_rank.loc[chats["chat_key"].tolist()].sort_index(axis=1)
    found: npt.NDArray[np.object_] = ids.apply(lambda column: column.map(text)).to_numpy(object)
    return found


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
