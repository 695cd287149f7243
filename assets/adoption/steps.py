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
import numpy.typing as npt
import pandas as pd

from assets.adoption import asking
from assets.adoption.asking import Collected
from assets.adoption.matches import Matches, nothing_to_match
from assets.keys import text_key
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
    """requests (request_key, request) -> their nearest tasks, in order."""

    def __call__(self, requests: pd.DataFrame) -> Matches: ...


@dataclass(frozen=True)
class Step:
    """How a step was done: a row of model.adoption_step."""

    step: str
    status: str
    method: str
    note: str


@dataclass(frozen=True)
class Adopted:
    """`chats`: model.chat_request; `matched`: the chats that have `matches`, row by row, and what is `kept` (n, k)."""

    chats: pd.DataFrame
    matched: npt.NDArray[np.int64]
    matches: Matches
    kept: npt.NDArray[np.bool_]
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
) -> Sequence[Answer] | str:
    """All answers of a step, or why there are none."""
    model = model_of(roles, role)
    if model is None:
        return f"llm.toml names no [[{role}]]"
    answers = collected(calls_of(model))
    n_pending = sum(answer.status == "pending" for answer in answers)
    if n_pending:
        return (
            f"{n_pending} of {len(answers)} calls to {model.name} are not answered: "
            f"suitability llm run {PLAN_OF[role]}"
        )
    return answers


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
    """`chats` with relevance_status and is_relevant; the request of those that go no further is None."""
    answers = asked(RELEVANCE, roles, lambda m: asking.relevance_calls(text.tolist(), m), collected)
    if isinstance(answers, str):
        unknown = pd.array([None] * len(chats), dtype="boolean")
        step = Step("relevant", "skipped", "none", f"{answers}; all chats go on")
        return chats.assign(relevance_status=_none(chats), is_relevant=unknown), step
    found = asking.relevance_of(answers).set_index(chats.index)
    goes_on = found["is_relevant"].fillna(False).astype(bool)
    chats = chats.assign(
        relevance_status=found["status"],
        is_relevant=found["is_relevant"],
        request=_none(chats).mask(goes_on, chats["request"]),
    )
    return chats, _done(RELEVANCE, roles, answers)


def summarised(
    chats: pd.DataFrame, text: pd.Series, roles: Roles, collected: Collected
) -> tuple[pd.DataFrame, Step]:
    """`chats` with summary_status; request and its key are those of the summary where a model wrote one."""
    goes_on = chats["request"].notna()
    answers = asked(SUMMARY, roles, lambda m: asking.summary_calls(text[goes_on].tolist(), m), collected)
    if isinstance(answers, str):
        return chats.assign(summary_status=_none(chats)), Step(
            "summarised", "fallback", "first user turn", answers
        )
    found = asking.summary_of(answers).set_index(chats.index[goes_on])
    request, status = _none(chats), _none(chats)
    request[goes_on], status[goes_on] = found["request"], found["status"]
    keys = pd.array([None if r is None else text_key(r) for r in request], dtype="Int64")
    chats = chats.assign(request=request, request_key=keys, summary_status=status)
    return chats, _done(SUMMARY, roles, answers)


def requests_of(
    chats: pd.DataFrame, texts: Callable[[], pd.DataFrame], roles: Roles, collected: Collected
) -> tuple[pd.DataFrame, list[Step]]:
    """The first two steps: `chats` with relevance_status, is_relevant, summary_status; request is None where it ends.

    Args:
        chats: chat_key, request_key, request; one row a unique English chat.
        texts: chat_key, text; read only where a language model is asked.

    Raises:
        AdoptionError: as `texts_of` and `model_of`.
    """
    is_asked = roles.of(RELEVANCE) or roles.of(SUMMARY)
    text = texts_of(chats, texts()) if is_asked else _none(chats)
    chats, first = relevant(chats, text, roles, collected)
    chats, second = summarised(chats, text, roles, collected)
    return chats, [first, second]


def adopt(
    chats: pd.DataFrame,
    texts: Callable[[], pd.DataFrame],
    tasks: pd.DataFrame,
    matcher: Matcher,
    floor: float,
    roles: Roles,
    collected: Collected,
) -> Adopted:
    """All four steps.

    Args:
        chats, texts: as `requests_of`.
        tasks: task_text_id, text.
        floor: cosine from which a task is kept where no language model confirms.
    """
    chats, steps = requests_of(chats, texts, roles, collected)
    on = chats["request"].notna() & (len(tasks) > 0)
    requests = chats.loc[on, ["request_key", "request"]].astype({"request_key": "int64"})
    matches = matcher(requests) if len(requests) else nothing_to_match()
    # how many were new would make the same chats another mart the second time
    note = f"{requests['request_key'].nunique()} different requests, {len(tasks)} task texts"
    steps.append(Step("matched", "done", matches.embedder, note))
    answers = asked(CONFIRMATION, roles, lambda m: confirmations(requests, tasks, matches, m), collected)
    status = _none(chats)
    if isinstance(answers, str):
        kept = matches.cosine >= floor
        steps.append(Step("confirmed", "fallback", f"cosine >= {floor:g}", answers))
    else:
        found, kept = asking.kept_tasks(answers, matches.task.shape[1])
        status[on] = found
        steps.append(_done(CONFIRMATION, roles, answers))
    table = chats.assign(
        confirmation_status=status, request_key=chats["request_key"].astype("Int64").where(on)
    )
    return Adopted(
        table.drop(columns="request"), table.loc[on, "chat_key"].to_numpy(np.int64), matches, kept, steps
    )


def confirmations(requests: pd.DataFrame, tasks: pd.DataFrame, matches: Matches, model: Model) -> list[Call]:
    """One call a matched chat."""
    texts = tasks["text"].to_numpy(object)[matches.task]
    return asking.confirmation_calls(requests["request"].tolist(), texts, model)


def _none(chats: pd.DataFrame) -> pd.Series:
    return pd.Series([None] * len(chats), index=chats.index, dtype=object)


def _done(role: str, roles: Roles, answers: Sequence[Answer]) -> Step:
    model = model_of(roles, role)
    assert model is not None
    counts = Counter(answer.status for answer in answers)
    note = ", ".join(f"{counts[status]} {status}" for status in sorted(counts)) or "no chat got here"
    return Step(STEP_OF[role], "done", f"{model.name} ({model.model})", note)
