"""Demand annotation by language models: which calls it takes, and what the answers say cell by cell.

Belongs here: item × capability × rater -> calls, and answers -> raw.annotation. Does not belong here: sending
(assets/llm), the texts of rubrics and prompt (rubrics/), what becomes of levels (dbt).

A text is asked about once, however many items carry it; its levels go to all of them.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, create_model

from assets.battery.capability_rubrics import Rubric, read_rubrics
from assets.common.rubric_text import RubricError
from assets.llm import Answer, Call, Model, collect, framed, namesake, that_are_alike
from assets.settings import PROJECT, Settings

Mode = Literal["one", "all"]
OTHER: dict[Mode, Mode] = {"one": "all", "all": "one"}
PROMPT = PROJECT / "rubrics" / "prompts" / "annotate.md"
KEY = ["benchmark", "item"]


class AnnotationError(ValueError):
    """There is nothing to annotate, nobody to do it, or two raters of one name; says what to do."""


# the model reads the docstring, and the level can follow from the reason because that comes first
class Level(BaseModel):
    """The level of one capability that the item demands, and the reason for it."""

    model_config = ConfigDict(extra="forbid")

    reason: str
    level: int = Field(ge=0, le=5)


@dataclass(frozen=True)
class Instrument:
    """All that a rater is told beside the item: the rubrics by acronym, and the prompt with its version."""

    rubrics: Mapping[str, Rubric]
    prompt: str
    prompt_version: str


def read_instrument(prompt: Path = PROMPT) -> Instrument:
    """The project's rubrics and prompt.

    Raises:
        RubricError: as `read_rubrics`, or the prompt is empty.
    """
    raw = prompt.read_bytes()
    if not raw.strip():
        raise RubricError(f"{prompt}: the prompt is empty")
    return Instrument(read_rubrics(), raw.decode("utf-8"), hashlib.sha256(raw).hexdigest())


@dataclass(frozen=True)
class _Question:
    """A call, and the capabilities and text it is about."""

    call: Call
    capabilities: tuple[str, ...]
    text: str


def annotation_calls(
    items: pd.DataFrame, instrument: Instrument, raters: Sequence[Model], mode: Mode
) -> list[Call]:
    """The calls that annotate `items` (benchmark, item, text): each different text once a capability and rater.

    Calls with one rubric stand together, and the rubric comes first in each, so that a provider can cache it.

    Raises:
        AnnotationError: no items, no raters, or two raters that are one.
    """
    refuse_same_raters(raters)
    if items.empty:
        raise AnnotationError(
            "no item to annotate: put texts into battery/items/<benchmark>.jsonl, or items into propensity/items"
        )
    if not raters:
        raise AnnotationError("nobody to annotate: llm.toml names no [[rater]]")
    return [question.call for question in _questions(items, instrument, raters, mode)]


def _questions(
    items: pd.DataFrame, instrument: Instrument, raters: Iterable[Model], mode: Mode
) -> Iterator[_Question]:
    texts = list(dict.fromkeys(normalised(text) for text in items["text"]))
    names = tuple(instrument.rubrics)
    groups: list[tuple[str, ...]] = [(name,) for name in names] if mode == "one" else [names]
    for rater in raters:
        for group in groups:
            rubrics = "\n".join(instrument.rubrics[name].text for name in group)
            system, schema = f"{rubrics}\n{instrument.prompt}", _schema(group)
            for text in texts:
                yield _Question(Call(rater, framed({"item": text}), system, schema), group, text)


def normalised(text: str) -> str:
    """The text by which items count as the same: Unicode NFC."""
    return unicodedata.normalize("NFC", text)


@cache
def _schema(capabilities: tuple[str, ...]) -> type[BaseModel]:
    if len(capabilities) == 1:
        return Level
    fields = dict.fromkeys(capabilities, (Level, ...))
    return create_model("Levels", __config__=ConfigDict(extra="forbid"), **fields)  # type: ignore[call-overload, no-any-return]


def annotate(
    items: pd.DataFrame,
    instrument: Instrument,
    raters: Sequence[Model],
    mode: Mode,
    collected: Callable[[Sequence[Call]], Sequence[Answer]],
) -> pd.DataFrame:
    """What the answers say: one row per rater × item × capability, as raw.annotation without its booleans.

    `level` is NULL unless `status` is answered: a level is never invented.

    Args:
        items: benchmark, item, text; each benchmark and item once.
        collected: answers to calls, in their order.
    """
    questions = list(_questions(items, instrument, raters, mode))
    answers = collected([question.call for question in questions])
    rows = [
        (
            question.call.model.name, question.call.model.model, name, question.text, answer.status,
            _level(answer, name, mode), question.call.call_id,
        )
        for question, answer in zip(questions, answers, strict=True)
        for name in question.capabilities
    ]  # fmt: skip
    columns = ["rater", "model", "capability", "text", "status", "level", "call_id"]
    cells = pd.DataFrame(rows, columns=columns, dtype=object)
    placed = items[KEY].assign(text=items["text"].map(normalised)).sort_values(KEY, ignore_index=True)
    placed["item_number"] = placed.index + 1
    frame = cells.merge(placed, on="text", validate="many_to_many").drop(columns="text")
    versions = {name: rubric.version for name, rubric in instrument.rubrics.items()}
    frame = frame.assign(
        mode=mode,
        rubric_version=frame["capability"].map(versions),
        prompt_version=instrument.prompt_version,
    )
    return frame.sort_values(["rater", "item_number", "capability"], ignore_index=True)


def read_annotation(items: pd.DataFrame, raters: Sequence[Model], settings: Settings) -> pd.DataFrame:
    """raw.annotation by the ledger: every cell in the chosen mode, and those that were asked to compare the modes.

    Raises:
        AnnotationError: two raters that are one.
        RubricError: as `read_instrument`.
        LedgerError: the ledger can't be read.
    """
    refuse_same_raters(raters)
    instrument = read_instrument()

    def collected(calls: Sequence[Call]) -> list[Answer]:
        return collect(calls, settings.ledger_path)

    mode = settings.annotation_mode
    rating = annotate(items, instrument, raters, mode, collected)
    rating["is_wanted"] = _wanted(rating) if settings.selection_items else True
    other = annotate(comparison_sample(items, settings), instrument, raters, OTHER[mode], collected)
    compared = other[other["status"] != "pending"]
    frames = [
        rating.assign(is_comparison=False),
        compared.assign(is_comparison=True, is_wanted=True),
    ]
    return pd.concat(frames if len(compared) else frames[:1], ignore_index=True)


def read_text_annotation(items: pd.DataFrame, raters: Sequence[Model], settings: Settings) -> pd.DataFrame:
    """raw.propensity_annotation by the ledger: every cell of three-option items in the chosen mode.

    Raises: as `read_annotation`.
    """
    refuse_same_raters(raters)
    return annotate(
        items,
        read_instrument(),
        raters,
        settings.annotation_mode,
        lambda calls: collect(calls, settings.ledger_path),
    )


def _wanted(rating: pd.DataFrame) -> pd.Series[bool]:
    """Whether any rater was asked anything about the item: where a battery is chosen, the others need no rating."""
    is_asked = (rating["status"] != "pending").groupby([rating[name] for name in KEY]).transform("any")
    return is_asked.astype(bool)


def comparison_calls(items: pd.DataFrame, raters: Sequence[Model], settings: Settings) -> list[Call]:
    """The calls that annotate a sample of texts in both modes.

    Raises:
        AnnotationError: as `annotation_calls`.
    """
    sample, instrument = comparison_sample(items, settings), read_instrument()
    return [call for mode in OTHER for call in annotation_calls(sample, instrument, raters, mode)]


def comparison_sample(items: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """The items of `settings.annotation_sample` texts, drawn by the seed."""
    texts = items["text"].map(normalised)
    unique = sorted(set(texts))
    order = np.random.default_rng(settings.seed_for("annotation sample")).permutation(len(unique))
    return items[texts.isin([unique[i] for i in order[: settings.annotation_sample]])]


def _level(answer: Answer, capability: str, mode: Mode) -> int | None:
    if answer.value is None:
        return None
    found = answer.value if mode == "one" else getattr(answer.value, capability)
    assert isinstance(found, Level)
    return found.level


def refuse_same_raters(raters: Iterable[Model]) -> None:
    """Nothing, if no two raters would share their answers, and so agree by construction.

    Raises:
        AnnotationError: two raters are the same model with the same settings; names both.
    """
    if told := that_are_alike(raters):
        raise AnnotationError(f"the raters {told}. Give one of them another model, temperature or seed")


def refuse_same_names(raters: Iterable[Model], supplied_files: Iterable[str]) -> None:
    """Nothing, if no rater of llm.toml has the name of a supplied ratings file.

    Raises:
        AnnotationError: one has; names the rater and the file.
    """
    if found := namesake(raters, {Path(file).stem: file for file in supplied_files}):
        rater, file = found
        raise AnnotationError(
            f"{file} and the [[rater]] {rater.name} of llm.toml have one name, and would count as one rater. "
            "Rename or remove one of them"
        )
