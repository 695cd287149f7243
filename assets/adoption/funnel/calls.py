"""Which calls each step of the funnel takes, once those before it are settled.

Belongs here: the calls, and what must be run first. Does not belong here: the steps themselves (steps.py), what is
asked (asking.py), reading and sending.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.adoption.funnel import asking
from assets.adoption.funnel.adoption_inputs import Inputs
from assets.adoption.funnel.asking import Collected
from assets.adoption.funnel.steps import (
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
from assets.adoption.match.matches import NEAREST
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
    return asking.summary_calls(text[chats["goes_on"]].tolist(), model)


def confirmation_plan(
    inputs: Inputs, nearest: pd.DataFrame, roles: Roles, collected: Collected
) -> list[Call]:
    """One call a request and its nearest tasks, as the last refresh found them: a plan searches, and embeds, nothing.

    Args:
        nearest: estimate.request_match.

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
    chats, requests, second = summarised(chats, text, inputs.requests, roles, collected)
    _settled(second, SUMMARY, roles)
    keys = chats.loc[chats["goes_on"], "request_key"].to_numpy(np.int64)
    n_new = int((~np.isin(keys, nearest["request_key"].to_numpy(np.int64))).sum())
    if n_new:
        raise AdoptionError(
            f"{n_new} requests have not been matched yet. Run `suitability refresh`, then come back"
        )
    return asking.confirmation_calls(requests(keys), _tasks_of(keys, nearest, inputs.tasks), model)


def _tasks_of(
    keys: npt.NDArray[np.int64], nearest: pd.DataFrame, tasks: pd.DataFrame
) -> npt.NDArray[np.object_]:
    """Texts of the nearest tasks of each request, row by row."""
    columns = [f"task_text_id_{rank}" for rank in range(1, min(NEAREST, len(tasks)) + 1)]
    ids = nearest.set_index("request_key")[columns].loc[pd.Index(keys)]
    text = tasks.set_index("task_text_id")["text"]
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
