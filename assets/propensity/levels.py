"""Levels of any item on any propensity, for assessors: which items, which calls, and what each rater answered.

Belongs here: items of propensity/items, of the [[writer]] and of battery/items × propensity × rater -> calls, and
answers -> raw.propensity_llm_band. Does not belong here: the band by which an item is used (bands.py), demands on
capabilities (assets/battery), the words of rubrics and prompts (rubrics/), and what becomes of levels (dbt).

An item's own propensity is asked like the other three: levels of one item then come from the same raters.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from assets.llm import Call, Model, framed, that_are_alike
from assets.propensity.bands import Band, shown
from assets.propensity.choice_runs import asked, usable_items
from assets.propensity.items import COLUMNS, Collected, PropensityError
from assets.propensity.propensity_rubrics import Rubric, read_prompt

KEY = ["benchmark", "item"]
TARGETS = [*KEY, "prompt", "shown"]
TEXTS = [*KEY, "text"]
LEVEL_COLUMNS = [
    "rater", *KEY, "propensity", "lower", "upper", "status", "reason", "rubric_version", "call_id",
]  # fmt: skip


def annotatable(supplied: pd.DataFrame, written: pd.DataFrame) -> pd.DataFrame:
    """Three-option items, one row per benchmark and item: usable ones of files, then answered ones of the writer.

    Args:
        supplied: as raw.propensity_item, with item_id instead of item.
        written: `COLUMNS` and status; an item counts whether or not it has its own band yet.
    """
    answered = written.loc[written["status"] == "answered", list(COLUMNS)]
    found = pd.concat([usable_items(supplied), answered], ignore_index=True)
    return found.drop_duplicates(["benchmark", "item_id"], ignore_index=True)


def targets(options: pd.DataFrame, texts: pd.DataFrame, benchmarks: Sequence[str]) -> pd.DataFrame:
    """`TARGETS`: what raters are shown of each item, and by which prompt ('band' or 'band-text').

    Args:
        options: items with three options (`annotatable`).
        texts: items that are a text: benchmark, item, text, answer (None = not known).
        benchmarks: keep to these; none = all.
    """
    of_options = [
        (row["benchmark"], row["item_id"], "band", shown(row)) for row in options.to_dict("records")
    ]
    of_texts = [
        (row["benchmark"], row["item"], "band-text", _framed(row["text"], row["answer"]))
        for row in texts.to_dict("records")
    ]
    frame = pd.DataFrame([*of_options, *of_texts], columns=TARGETS, dtype=object).drop_duplicates(KEY)
    return frame[chosen(frame, benchmarks)].reset_index(drop=True)


def _framed(text: str, answer: str | None) -> str:
    """The item, and its right answer where it is known; neither can close its own tag or the other's."""
    parts = {"item": text} if pd.isna(answer) else {"item": text, "answer": str(answer)}
    return framed(parts, also=("answer",))


def chosen(items: pd.DataFrame, benchmarks: Collection[str]) -> pd.Series[bool]:
    """Which rows of `items` belong to `benchmarks`; all where none is named."""
    if not benchmarks:
        return pd.Series(True, index=items.index)
    return items["benchmark"].isin(benchmarks)


def refuse_unknown(benchmarks: Collection[str], known: Collection[str]) -> None:
    """Nothing, if every chosen benchmark has items.

    Raises:
        PropensityError: one has none; gives the nearest name that has.
    """
    for name in benchmarks:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise PropensityError(
                f"SUITABILITY_ASSESSOR_BENCHMARKS names {name!r}, which has no item in propensity/items or "
                f"battery/items, nor one of the [[writer]].{hint}"
            )


def level_calls(items: pd.DataFrame, rubrics: Mapping[str, Rubric], raters: Sequence[Model]) -> list[Call]:
    """The calls that annotate `items` (`TARGETS`) with every propensity of `rubrics`; a text that recurs is asked once.

    Calls of one rater, propensity and prompt are together, so that a provider can cache the rubric.

    Raises:
        PropensityError: two raters that are one.
        RubricError: a prompt can't be read.
    """
    if alike := that_are_alike(raters):
        raise PropensityError(f"the raters {alike}. Give one of them another model, temperature or seed")
    return list({call.call_id: call for _, _, call in _questions(items, rubrics, raters)}.values())


def _questions(
    items: pd.DataFrame, rubrics: Mapping[str, Rubric], raters: Sequence[Model]
) -> list[tuple[Mapping[str, str], Rubric, Call]]:
    by_prompt = {
        name: [{str(key): text for key, text in row.items()} for row in rows.to_dict("records")]
        for name, rows in items.groupby("prompt", sort=True)
    }
    return [
        (item, rubric, Call(rater, item["shown"], f"{rubric.text}\n{instruction}", Band))
        for rater in raters
        for rubric in rubrics.values()
        for name, rows in by_prompt.items()
        for instruction in [read_prompt(str(name))]
        for item in rows
    ]


def levels(
    items: pd.DataFrame, rubrics: Mapping[str, Rubric], raters: Sequence[Model], collected: Collected
) -> pd.DataFrame:
    """`LEVEL_COLUMNS`, one row per rater × item × propensity; the bounds are NULL unless status is answered."""
    questions = _questions(items, rubrics, raters)
    rows = []
    for (item, rubric, call), answer in zip(questions, collected([c for *_, c in questions]), strict=True):
        band = answer.value if isinstance(answer.value, Band) else None
        bounds = (band.lower, band.upper) if band else (None, None)
        told = (answer.status, answer.reason or None, rubric.version, call.call_id)
        rows.append((call.model.name, item["benchmark"], item["item"], rubric.propensity, *bounds, *told))
    return pd.DataFrame(rows, columns=LEVEL_COLUMNS, dtype=object)


def texts_to_rate(
    options: pd.DataFrame, demands: pd.DataFrame, capabilities: Collection[str], benchmarks: Sequence[str]
) -> pd.DataFrame:
    """`TEXTS`: the items that lack a demand in the files, as systems read them; for raters of capabilities.

    Args:
        options: items with three options (`annotatable`).
        demands: as raw.propensity_demand; a level that is no whole number from 0 to 5 is none.
        capabilities: acronyms that every item needs.
        benchmarks: keep to these; none = all.
    """
    is_level = pd.to_numeric(demands["level"], errors="coerce").isin(range(6))
    known = demands[is_level & demands["capability"].isin(capabilities)]
    n_known = known.groupby(["propensity", "item"])["capability"].nunique()
    rated = set(n_known.index[n_known == len(capabilities)])
    form = read_prompt("question")
    rows = [
        (row["benchmark"], row["item_id"], asked(form, {str(k): v for k, v in row.items()}))
        for row in options[chosen(options, benchmarks)].to_dict("records")
        if (row["propensity"], row["item_id"]) not in rated
    ]
    return pd.DataFrame(rows, columns=TEXTS, dtype=object)
