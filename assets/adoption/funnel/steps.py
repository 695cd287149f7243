"""The steps from unique English chats to tasks: relevant, summarised, matched, confirmed, each with its fallback.

Belongs here: the order of steps and what stands in where no language model is named, or not all has been answered.
Does not belong here: what is asked (asking.py), the search (matches.py), counting (dbt).

A step takes a language model's answers once none of its calls is pending: a half-answered log would be a sample that
nobody drew. An answer that can't be read is not guessed: its chat goes no further, and is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from assets.adoption.funnel import asking
from assets.adoption.funnel.adoption_inputs import Inputs
from assets.adoption.funnel.asking import Collected
from assets.adoption.funnel.task_sets import TaskSets, task_sets
from assets.adoption.match.matches import Keys, Matches, Texts
from assets.common.text_key import text_key
from assets.llm import Answer, Call, Model, Roles

RELEVANCE, SUMMARY, CONFIRMATION = "relevance", "summary", "confirmation"
PLAN_OF = {
    name: f"adoption-{plan}"
    for name, plan in ((RELEVANCE, "relevance"), (SUMMARY, "summary"), (CONFIRMATION, "confirm"))
}
STEP_OF = {RELEVANCE: "relevant", SUMMARY: "summarised", CONFIRMATION: "confirmed"}


class AdoptionError(ValueError):
    """A step can't be done as `llm.toml` stands, or not yet; says what to do."""


class Matcher(Protocol):
    """request_keys, and how to read their texts -> their nearest tasks, in order; forgets all that are not in use."""

    def __call__(self, keys: Keys, texts_of: Texts, in_use: Keys) -> Matches: ...


@dataclass(frozen=True)
class Step:
    """How a step was done: a row of estimate.adoption_step."""

    step: str
    status: str
    method: str
    note: str


@dataclass(frozen=True)
class Adopted:
    """`chats`: estimate.chat_request and country; `sets`: what those with `matches` are kept for, in their order."""

    chats: pd.DataFrame
    matches: Matches
    sets: TaskSets
    steps: list[Step]


def model_of(roles: Roles, role: str) -> Model | None:
    """Who plays `role`; None = nobody.

    Raises:
        AdoptionError: more than one does.
    """
    models = roles.of(role)
    if len(models) > 1:
        raise AdoptionError(
            f"llm.toml names {len(models)} [[{role}]]: one is to judge all chats alike, so keep one"
        )
    return models[0] if models else None


def asked(
    role: str, roles: Roles, calls_of: Callable[[Model], list[Call]], collected: Collected
) -> tuple[Sequence[Answer], str]:
    """The answers of a step so far, and why they are not taken; "" = they are."""
    model = model_of(roles, role)
    if model is None:
        return [], f"llm.toml names no [[{role}]]"
    answers = collected(calls_of(model))
    n_pending = sum(answer.status == "pending" for answer in answers)
    if n_pending:
        return answers, (
            f"{n_pending} of {len(answers)} calls to {model.name} are not answered: "
            f"suitability llm run {PLAN_OF[role]}"
        )
    return answers, ""


def texts_of(chats: pd.DataFrame, texts: pd.DataFrame) -> pd.Series:
    """What a language model is told of each of `chats`, in their order.

    Raises:
        AdoptionError: a chat has no text: chats and texts are of two refreshes.
    """
    found = chats["chat_key"].map(texts.set_index("chat_key")["text"])
    if n_missing := int(found.isna().sum()):
        raise AdoptionError(
            f"{n_missing} of {len(chats)} chats have no text: the last refresh did not get through. "
            "Run `suitability refresh`"
        )
    return found


def relevant(
    chats: pd.DataFrame, text: pd.Series, roles: Roles, collected: Collected
) -> tuple[pd.DataFrame, Step]:
    """`chats` with relevance_status, is_relevant and goes_on."""
    answers, why_not = asked(RELEVANCE, roles, lambda m: asking.relevance_calls(text.tolist(), m), collected)
    if why_not:
        unknown = pd.Series(pd.NA, index=chats.index, dtype="boolean")
        step = Step("relevant", "skipped", "none", f"{why_not}; all chats go on")
        return chats.assign(relevance_status=_none(chats), is_relevant=unknown, goes_on=True), step
    found = asking.relevance_of(answers).set_index(chats.index)
    chats = chats.assign(
        relevance_status=found["status"],
        is_relevant=found["is_relevant"],
        goes_on=found["is_relevant"].fillna(False).astype(bool),
    )
    return chats, _done(RELEVANCE, roles, answers)


def summarised(
    chats: pd.DataFrame, text: pd.Series, requests: Texts, roles: Roles, collected: Collected
) -> tuple[pd.DataFrame, Texts, Step]:
    """`chats` with summary_status and summary_key, and how to read their requests: summaries where a model wrote them.

    summary_key is there while the step still waits for answers: the next refresh will ask for its match again.
    """
    on = chats["goes_on"]
    answers, why_not = asked(SUMMARY, roles, lambda m: asking.summary_calls(text[on].tolist(), m), collected)
    # without a model there is not one answer
    found = asking.summary_of(answers).set_index(chats.index[on][: len(answers)])
    written = found["request"].dropna()
    keys = written.map(text_key).astype("Int64")
    status = _none(chats)
    chats = chats.assign(summary_status=status, summary_key=keys.reindex(chats.index))
    if why_not:
        return chats, requests, Step("summarised", "fallback", "first user turn", why_not)
    status[on] = found["status"]
    summary = pd.Series(written.to_numpy(object), index=keys.to_numpy(np.int64))
    summary = summary[~summary.index.duplicated()]
    chats = chats.assign(
        request_key=chats["summary_key"],
        goes_on=chats.index.isin(written.index),
        summary_status=status,
    )
    return chats, lambda asked_for: summary.loc[pd.Index(asked_for)].tolist(), _done(SUMMARY, roles, answers)


def requests_of(inputs: Inputs, roles: Roles, collected: Collected) -> tuple[pd.DataFrame, Texts, list[Step]]:
    """The first two steps: chats with what `relevant` and `summarised` add; how to read requests.

    Raises:
        AdoptionError: as `texts_of` and `model_of`.
    """
    is_asked = roles.of(RELEVANCE) or roles.of(SUMMARY)
    text = texts_of(inputs.chats, inputs.texts()) if is_asked else _none(inputs.chats)
    chats, first = relevant(inputs.chats, text, roles, collected)
    chats, requests, second = summarised(chats, text, inputs.requests, roles, collected)
    return chats, requests, [first, second]


def adopt(
    inputs: Inputs, matcher: Matcher, floor: float, margin: float, roles: Roles, collected: Collected
) -> Adopted:
    """All four steps.

    Where no language model confirms, a task is kept whose cosine is at least `floor` and within `margin` of the nearest
    task's: what lies further off is, as a rule, another task that shares some words.
    """
    chats, requests, steps = requests_of(inputs, roles, collected)
    tasks = inputs.tasks
    on = chats["goes_on"].to_numpy(bool) & (len(tasks) > 0)
    keys = chats.loc[on, "request_key"].to_numpy(np.int64)
    in_use = [
        column.dropna().to_numpy(np.int64) for column in (inputs.chats["request_key"], chats["summary_key"])
    ]
    matches = matcher(keys, requests, np.concatenate(in_use))
    # how many were new would make the same chats another mart the second time
    note = f"{pd.Series(keys).nunique()} different requests, {len(tasks)} task texts"
    steps.append(Step("matched", "done", matches.embedder, note))
    answers, why_not = asked(
        CONFIRMATION, roles, lambda m: confirmations(requests(keys), tasks, matches, m), collected
    )
    status = _none(chats)
    if why_not:
        kept = (matches.cosine >= floor) & (matches.cosine >= (matches.cosine[:, :1] - margin).round(6))
        method = f"cosine >= {floor:g}, and within {margin:g} of the nearest"
        steps.append(Step("confirmed", "fallback", method, why_not))
    else:
        found, kept = asking.kept_tasks(answers, matches.task.shape[1])
        status[on] = found
        steps.append(_done(CONFIRMATION, roles, answers))
    sets = task_sets(matches.task, kept, len(tasks))
    cosine, number = np.full(len(chats), np.nan), np.zeros(len(chats), np.int64)
    cosine[on], number[on] = matches.cosine[:, 0], sets.number
    table = chats.drop(columns=["goes_on", "summary_key"]).assign(
        confirmation_status=status,
        request_key=chats["request_key"].astype("Int64").where(on),
        nearest_cosine=cosine,
        task_set=pd.Series(number, chats.index, dtype="Int64").where(number > 0),
    )
    return Adopted(table, matches, sets, steps)


def confirmations(requests: list[str], tasks: pd.DataFrame, matches: Matches, model: Model) -> list[Call]:
    """One call a matched chat."""
    texts = tasks["text"].to_numpy(object)[matches.task]
    return asking.confirmation_calls(requests, texts, model)


def _none(chats: pd.DataFrame) -> pd.Series:
    return pd.Series(np.empty(len(chats), object), index=chats.index)


def _done(role: str, roles: Roles, answers: Sequence[Answer]) -> Step:
    model = model_of(roles, role)
    assert model is not None
    counts = Counter(answer.status for answer in answers)
    note = ", ".join(f"{counts[status]} {status}" for status in sorted(counts)) or "no chat got here"
    return Step(STEP_OF[role], "done", f"{model.name} ({model.model})", note)
