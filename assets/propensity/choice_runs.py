"""Runs of systems on items under graded prompts: which calls it takes, and which option each answer chose.

Belongs here: system × incitation × item -> calls, and answers -> responses. Does not belong here: sending (assets/llm),
the words of prompts (rubrics/), and what follows from responses (estimate.py).

An option counts as it stands in the structured answer; only where that can't be read, a judge reads the reply.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict

from assets.llm import Answer, Call, Model, framed, namesake, that_are_alike
from assets.propensity.items import COLUMNS, LETTERS, Collected, PropensityError
from assets.propensity.propensity_rubrics import LEVELS, Rubric, read_prompt
from assets.propensity.two_by_two import is_band

UNPROMPTED = "none"
INCITATIONS = (*LEVELS, UNPROMPTED)
RESPONSE_COLUMNS = (
    "system", "item_id", "propensity", "incitation", "option", "is_correct", "status", "reason", "read_by",
    "incitation_version", "call_id",
)  # fmt: skip


# the model reads the docstrings
class Choice(BaseModel):
    """The option you choose."""

    model_config = ConfigDict(extra="forbid")

    option: Literal["a", "b", "c"]


class Verdict(BaseModel):
    """The option that the reply settles on; none where it settles on no single one."""

    model_config = ConfigDict(extra="forbid")

    option: Literal["a", "b", "c", "none"]


@dataclass(frozen=True)
class _Question:
    call: Call
    incitation: str
    item: Mapping[str, str]


def usable_items(*tables: pd.DataFrame) -> pd.DataFrame:
    """The items of `tables` that a system can be asked: `COLUMNS`, all texts there, a right letter, a band.

    These are the lines that staging takes (stg_propensity_item), if they have a situation to show. Of tables with a
    status only the items that are answered; an id that stands twice is asked once, as its first usable row has it.
    """
    kept = []
    for table in tables:
        of_status = table[table["status"] == "answered"] if "status" in table else table
        items = of_status[list(COLUMNS)].map(lambda cell: cell.strip(" ") if isinstance(cell, str) else "")
        items = items.assign(propensity=items["propensity"].str.lower(), correct=items["correct"].str.lower())
        stated = (items != "").all(axis=1) & items["correct"].isin(LETTERS)
        options = items[[f"option_{letter}" for letter in LETTERS]].apply(lambda column: column.str.lower())
        low, high = of_status["lower_bound"].map(_number), of_status["upper_bound"].map(_number)
        kept.append(items[stated & (options.nunique(axis=1) == len(LETTERS)) & is_band(low, high)])
    return pd.concat(kept, ignore_index=True).drop_duplicates(["propensity", "item_id"], ignore_index=True)


def _number(text: object) -> float:
    """The number that a cell states, NaN where it states none; digits of other scripts are none in SQL either."""
    try:
        return float(text) if isinstance(text, str) and text.isascii() else math.nan
    except ValueError:
        return math.nan


def run_calls(items: pd.DataFrame, rubrics: Mapping[str, Rubric], systems: Sequence[Model]) -> list[Call]:
    """Every system, incitation -3 to 3 and none, and item; all of one system prompt together.

    Raises:
        PropensityError: no systems, or two that are one; no items.
        RubricError: the prompt can't be read.
    """
    if not systems:
        raise PropensityError("nobody to ask: llm.toml names no [[system]]")
    _refuse_same_systems(systems)
    if items.empty:
        raise PropensityError(
            "no item with a band: run `suitability llm run propensity-items` and `... propensity-bands` first, "
            "or bring propensity/items/<propensity>.csv"
        )
    return [question.call for question in _questions(items, rubrics, systems)]


def _questions(
    items: pd.DataFrame, rubrics: Mapping[str, Rubric], systems: Sequence[Model]
) -> list[_Question]:
    form = read_prompt("question")
    by_propensity = {
        propensity: [
            {str(name): value for name, value in item.items()}
            for item in items[items["propensity"] == propensity].to_dict("records")
        ]
        for propensity in rubrics
    }
    return [
        _Question(Call(system, asked(form, item), _told(rubric, incitation), Choice), incitation, item)
        for system in systems
        for propensity, rubric in rubrics.items()
        for incitation in INCITATIONS
        for item in by_propensity[propensity]
    ]


def _told(rubric: Rubric, incitation: str) -> str:
    """The system prompt: none at all where the system is to answer as it is."""
    return "" if incitation == UNPROMPTED else rubric.incitations[incitation]


def asked(form: str, item: Mapping[str, str]) -> str:
    """The question as a system reads it; `form` is rubrics/prompts/propensity-question.md."""
    # one pass: what stands between braces in an item's own text stays as it is
    columns = {"{situation}": "prompt"} | {f"{{option_{letter}}}": f"option_{letter}" for letter in LETTERS}
    return re.sub("|".join(map(re.escape, columns)), lambda found: item[columns[found[0]]], form.strip())


def choice_calls(
    items: pd.DataFrame,
    rubrics: Mapping[str, Rubric],
    systems: Sequence[Model],
    judges: Sequence[Model],
    collected: Collected,
) -> list[Call]:
    """The calls by which the first of `judges` reads the replies that are no structured answer.

    Raises:
        PropensityError: there are such replies and no judge.
        RubricError: the prompt can't be read.
    """
    questions = _questions(items, rubrics, systems)
    answers = collected([question.call for question in questions])
    unread = [answer for answer in answers if _is_for_a_judge(answer)]
    if unread and not judges:
        raise PropensityError(
            f"{len(unread)} replies to read and nobody to do it: llm.toml names no [[judge]]"
        )
    return [call for answer in unread if (call := _judge_call(answer, judges)) is not None]


def _is_for_a_judge(answer: Answer) -> bool:
    return answer.status == "unparsed" and bool(answer.text.strip())


def _judge_call(answer: Answer, judges: Sequence[Model]) -> Call | None:
    if not judges:
        return None
    shown = framed({"question": answer.call.prompt, "reply": answer.text})
    return Call(judges[0], shown, read_prompt("choice"), Verdict)


def responses(
    items: pd.DataFrame,
    rubrics: Mapping[str, Rubric],
    systems: Sequence[Model],
    judges: Sequence[Model],
    collected: Collected,
) -> pd.DataFrame:
    """What the answers say: one row a system × incitation × item, `RESPONSE_COLUMNS`.

    `option` and `is_correct` are NULL unless `status` is answered; `read_by` says schema or judge.

    Raises:
        PropensityError: two systems are one.
    """
    _refuse_same_systems(systems)
    questions = _questions(items, rubrics, systems) if len(items) and systems else []
    answers = collected([question.call for question in questions])
    to_judge = {a.call_id: call for a in answers if _is_for_a_judge(a) and (call := _judge_call(a, judges))}
    verdicts = dict(zip(to_judge, collected(list(to_judge.values())), strict=True))
    rows = []
    for question, answer in zip(questions, answers, strict=True):
        option, status, reason, read_by = _read(answer, verdicts.get(answer.call_id))
        item = question.item
        rows.append(
            (
                answer.call.model.name, item["item_id"], item["propensity"], question.incitation, option,
                None if option is None else option == item["correct"], status, reason or None, read_by,
                rubrics[item["propensity"]].incitation_version, answer.call_id,
            )
        )  # fmt: skip
    return pd.DataFrame(rows, columns=list(RESPONSE_COLUMNS), dtype=object)


def _read(answer: Answer, verdict: Answer | None) -> tuple[str | None, str, str, str | None]:
    """(option, status, reason, read by) of one answer and what a judge made of it, if one was asked."""
    if isinstance(answer.value, Choice):
        return answer.value.option, answer.status, "", "schema"
    if verdict is not None and isinstance(verdict.value, Verdict):
        if verdict.value.option == "none":
            return None, "unparsed", "settles on no single option, says the judge", "judge"
        return verdict.value.option, "answered", "", "judge"
    waits = f"; the judge's reading is {verdict.status}" if verdict is not None else ""
    return None, answer.status, f"{answer.reason}{waits}", None


def _refuse_same_systems(systems: Sequence[Model]) -> None:
    if told := that_are_alike(systems):
        raise PropensityError(
            f"the systems {told}, and would share their answers. Give one of them another model, temperature or seed"
        )


def refuse_same_names(systems: Sequence[Model], supplied: Iterable[str]) -> None:
    """Nothing, if no [[system]] of llm.toml has the name of a system in propensity/responses.

    Raises:
        PropensityError: one has; names it.
    """
    if found := namesake(systems, {name: name for name in supplied}):
        system, name = found
        raise PropensityError(
            f"the [[system]] {system.name} of llm.toml and {name} in propensity/responses have one name, and would "
            "count as one system. Rename or remove one of them"
        )
