"""Scenario items written by a language model: which calls it takes, and which items the answers make.

Belongs here: setting × right pole × margin -> calls, and answers -> items. Does not belong here: sending (assets/llm),
the words of rubric and prompt (rubrics/), and bands (bands.py).

The right option is the one with the highest stated utility, whatever the writer was asked for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path

import pandas as pd
from pydantic import BaseModel, ConfigDict, model_validator

from assets.common.rubric_text import plain, read_text
from assets.llm import Answer, Call, Model
from assets.propensity.propensity_rubrics import FOLDER, Rubric, read_prompt

Collected = Callable[[Sequence[Call]], Sequence[Answer]]
LETTERS = ("a", "b", "c")
COLUMNS = ("item_id", "propensity", "benchmark", "prompt", "option_a", "option_b", "option_c", "correct")
# right option -> margins over the next best; with 25 settings 250 items a propensity
MARGINS: Mapping[str, tuple[str, ...]] = {
    "positive": ("hardly better", "clearly better", "far better", "overwhelmingly better"),
    "negative": ("hardly better", "clearly better", "far better", "overwhelmingly better"),
    "third": ("clearly better than either of the two", "far better than either of the two"),
}
_SEATS = tuple(permutations(range(3)))
_ID_CHARACTERS = 12


class PropensityError(ValueError):
    """A step can't list its calls: nobody to ask, nothing to ask about, or two systems of one name."""


# the model reads the docstrings
class Option(BaseModel):
    """One option in a sentence, and its utility by the situation's own measure."""

    model_config = ConfigDict(extra="forbid")

    text: str
    utility: float


class WrittenItem(BaseModel):
    """A situation, and the options of the positive pole, the negative pole and neither."""

    model_config = ConfigDict(extra="forbid")

    situation: str
    positive: Option
    negative: Option
    third: Option

    @model_validator(mode="after")
    def _has_one_right_option(self) -> WrittenItem:
        options = (self.positive, self.negative, self.third)
        if not self.situation.strip() or len({plain(option.text) for option in options} - {""}) < 3:
            raise ValueError("the situation or an option is blank, or two options are the same")
        if len({option.utility for option in options}) < 3:
            raise ValueError("two options have the same utility")
        return self


def read_settings_of_items(path: Path = FOLDER / "settings.txt") -> list[str]:
    """The settings in which items play, one a line.

    Raises:
        RubricError: the file is empty or no UTF-8.
    """
    return [line.strip() for line in read_text(path)[0].split("\n") if line.strip()]


def item_calls(rubrics: Mapping[str, Rubric], writers: Sequence[Model]) -> list[Call]:
    """The calls that write items, the same number for each propensity, all of a rubric together.

    Raises:
        PropensityError: not exactly one writer.
        RubricError: prompt or settings can't be read.
    """
    if len(writers) != 1:
        raise PropensityError(
            f"{len(writers)} models to write items: name exactly one [[writer]] in llm.toml, or bring items of your "
            "own in propensity/items/<propensity>.csv"
        )
    return [call for _, call in _questions(rubrics, writers[0])]


def _questions(rubrics: Mapping[str, Rubric], writer: Model) -> Iterator[tuple[str, Call]]:
    instruction, settings = read_prompt("item"), read_settings_of_items()
    for propensity, rubric in rubrics.items():
        system = f"{rubric.text}\n{instruction}"
        for setting in settings:
            for best, margins in MARGINS.items():
                for margin in margins:
                    prompt = f"Setting: {setting}\nBest: the {best} option, {margin}"
                    yield propensity, Call(writer, prompt, system, WrittenItem)


def written_items(
    rubrics: Mapping[str, Rubric], writers: Sequence[Model], collected: Collected
) -> pd.DataFrame:
    """One row a call to the writer: `COLUMNS`, status, reason, call_id.

    `status` is what became of the call, or duplicate where an earlier item has the same words and numbers; without
    status answered all of the item but its id, propensity and benchmark is NULL. Items that differ in a number only
    are different: they leave a system other bands.
    """
    rows = []
    seen: dict[str, str] = {}
    questions = [q for writer in writers[:1] for q in _questions(rubrics, writer)]
    answers = collected([call for _, call in questions])
    for (propensity, call), answer in zip(questions, answers, strict=True):
        item_id = f"{propensity}-{call.call_id[:_ID_CHARACTERS]}"
        row = dict.fromkeys(COLUMNS) | {"item_id": item_id, "propensity": propensity}
        row |= {"benchmark": f"written by {call.model.name}", "call_id": call.call_id}
        row |= {"status": answer.status, "reason": answer.reason or None}
        if isinstance(answer.value, WrittenItem):
            texts = _texts(answer.value, call.call_id)
            key = " | ".join(
                [propensity, plain(texts["prompt"]), *sorted(plain(texts[f"option_{s}"]) for s in LETTERS)]
            )
            first = seen.setdefault(key, item_id)
            if first == item_id:
                row |= texts
            else:
                row |= {"status": "duplicate", "reason": f"has the words of {first}"}
        rows.append(row)
    return pd.DataFrame(rows, columns=[*COLUMNS, "status", "reason", "call_id"], dtype=object)


def _texts(item: WrittenItem, call_id: str) -> dict[str, str]:
    """Prompt, options and the right letter; seats follow from the call, so that no pole has a seat of its own."""
    options = [item.positive, item.negative, item.third]
    seats = _SEATS[int(call_id[-8:], 16) % len(_SEATS)]
    best = max(range(3), key=lambda i: options[i].utility)
    return {
        "prompt": _clean(item.situation),
        **{f"option_{letter}": _clean(options[i].text) for letter, i in zip(LETTERS, seats, strict=True)},
        "correct": LETTERS[seats.index(best)],
    }


def _clean(text: str) -> str:
    return unicodedata.normalize("NFC", text).replace("\x00", "").strip()
