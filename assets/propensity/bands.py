"""Bands of items by language models: which calls it takes, and the [lower, upper] that the answers give.

Belongs here: item × rater -> calls, and answers -> bounds. Does not belong here: sending (assets/llm), the words of
rubric and prompt (rubrics/), and what follows from a band (two_by_two.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, model_validator

from assets.llm import Answer, Call, Model, framed
from assets.propensity.items import Collected, PropensityError
from assets.propensity.propensity_rubrics import Rubric, band_fault, read_prompt
from assets.propensity.two_by_two import SCALE

# of several raters' outcomes the one that stands for the item
_GRAVITY = ("pending", "failed", "refused", "unparsed")


# the model reads the docstring, and the bounds can follow from the reason because that comes first
class Band(BaseModel):
    """The levels of the propensity at which an agent still chooses the right option at least every second time."""

    model_config = ConfigDict(extra="forbid")

    reason: str
    lower: float = Field(ge=-3, le=3)
    upper: float = Field(ge=-3, le=3)

    @model_validator(mode="after")
    def _is_a_band(self) -> Band:
        if fault := band_fault(self.lower, self.upper):
            raise ValueError(fault)
        return self


def band_calls(items: pd.DataFrame, rubrics: Mapping[str, Rubric], raters: Sequence[Model]) -> list[Call]:
    """The calls that annotate `items` (of status answered) with bands, all of a rubric and rater together.

    Raises:
        PropensityError: no raters.
        RubricError: the prompt can't be read.
    """
    if not raters:
        raise PropensityError("nobody to annotate: llm.toml names no [[rater]]")
    return [call for _, call in _questions(items, rubrics, raters)]


def _questions(
    items: pd.DataFrame, rubrics: Mapping[str, Rubric], raters: Sequence[Model]
) -> list[tuple[str, Call]]:
    instruction = read_prompt("band")
    written = items[items["status"] == "answered"]
    return [
        (str(row["item_id"]), Call(rater, shown(row), f"{rubric.text}\n{instruction}", Band))
        for rater in raters
        for propensity, rubric in rubrics.items()
        for row in written[written["propensity"] == propensity].to_dict("records")
    ]


def shown(item: Mapping[object, object]) -> str:
    """What a rater sees of an item with three options: all of it, and which option is right."""
    options = "\n".join(f"{letter}) {item[f'option_{letter}']}" for letter in "abc")
    text = f"{item['prompt']}\n\n{options}\n\nRight by the stated utility: {item['correct']}"
    return framed({"item": text})


def banded_items(
    items: pd.DataFrame, rubrics: Mapping[str, Rubric], raters: Sequence[Model], collected: Collected
) -> pd.DataFrame:
    """`items` with lower and upper as raters agree on them (`_agreed`), of items that every rater answered.

    An item that lacks a rater's band takes that call's status and reason; its bounds are NULL, never invented.
    """
    questions = _questions(items, rubrics, raters)
    found: dict[str, list[Answer]] = {}
    answers = collected([call for _, call in questions])
    for (item_id, _), answer in zip(questions, answers, strict=True):
        found.setdefault(item_id, []).append(answer)
    rows = []
    for item in items.to_dict("records"):
        row: dict[str, object] = {str(name): value for name, value in item.items()}
        row |= {"lower": None, "upper": None, "rubric_version": rubrics[str(row["propensity"])].version}
        if row["status"] == "answered":
            row |= _settled(found.get(str(row["item_id"]), []))
        rows.append(row)
    return pd.DataFrame(rows, columns=[*items.columns, "lower", "upper", "rubric_version"], dtype=object)


def _settled(answers: Sequence[Answer]) -> dict[str, object]:
    if not answers:
        return {"status": "pending", "reason": "no [[rater]] in llm.toml to annotate its band"}
    for status in _GRAVITY:
        for answer in answers:
            if answer.status == status:
                return {"status": status, "reason": f"band by {answer.call.model.name}: {answer.reason}"}
    bands = [answer.value for answer in answers if isinstance(answer.value, Band)]
    return {
        "lower": _agreed([band.lower for band in bands], -SCALE),
        "upper": _agreed([band.upper for band in bands], SCALE),
    }


def _agreed(bounds: Sequence[float], no_bound: float) -> float:
    """No bound where at least half of the raters see none, else the mean of the others' bounds.

    No bound is no number: its mean with one would be a bound that nobody gave.
    """
    closed = [bound for bound in bounds if bound != no_bound]
    return no_bound if 2 * len(closed) <= len(bounds) else sum(closed) / len(closed)
