"""Dagster assets of what language models said about propensities; a refresh sends nothing.

Belongs here: read, call, hand over, metadata. Does not belong here: any computation (propensity_ledger.py and below).
"""

from __future__ import annotations

from assets.common.rubric_text import RubricError
from assets.llm.outcome import by_status, faults_as_failure
from assets.propensity.items import PropensityError
from assets.propensity.propensity_ledger import (
    askable,
    read_items,
    read_levels,
    read_responses,
    read_texts,
)
from assets.step import Made, Step, table_assets

ASKED = ["roles", "rubrics", "ledger"]
KINDS = ["python", "sqlite"]


@table_assets(
    group="propensity",
    writes={
        "raw.propensity_llm_item": "Items that a language model wrote, and the bands that others gave them; empty "
        "where none was asked."
    },
    inputs=ASKED,
    kinds=KINDS,
)
def propensity_llm_item(step: Step) -> Made:
    """Collect answers from the ledger."""
    with faults_as_failure(PropensityError, RubricError):
        frame = read_items(step.settings)
    return Made({"raw.propensity_llm_item": frame}, metadata={"": by_status(frame, "rows")})


@table_assets(
    group="propensity",
    writes={
        "raw.propensity_llm_response": "What each [[system]] of llm.toml chose under each incitation; empty where none "
        "was asked."
    },
    reads=["raw.propensity_item", "raw.propensity_response", "raw.propensity_llm_item"],
    inputs=ASKED,
    kinds=KINDS,
)
def propensity_llm_response(step: Step) -> Made:
    """Collect answers from the ledger."""
    items = askable(step.read("raw.propensity_item"), step.read("raw.propensity_llm_item"))
    supplied = step.read("raw.propensity_response")["system"].dropna().unique().tolist()
    with faults_as_failure(PropensityError, RubricError):
        frame = read_responses(items, supplied, step.settings)
    return Made({"raw.propensity_llm_response": frame}, metadata={"": by_status(frame, "rows")})


@table_assets(
    group="propensity",
    writes={
        "raw.propensity_llm_band": "The band that each [[rater]] of llm.toml gave each item, of any benchmark, on each "
        "propensity; empty where none is to be asked."
    },
    reads=["raw.propensity_item", "raw.propensity_llm_item", "raw.item"],
    inputs=ASKED,
    kinds=KINDS,
)
def propensity_llm_band(step: Step) -> Made:
    """Collect answers from the ledger."""
    supplied, written, texts = (
        step.read(f"raw.{name}") for name in ("propensity_item", "propensity_llm_item", "item")
    )
    with faults_as_failure(PropensityError, RubricError):
        frame = read_levels(supplied, written, texts, step.settings)
    return Made({"raw.propensity_llm_band": frame}, metadata={"": by_status(frame, "rows")})


@table_assets(
    group="propensity",
    writes={
        "raw.propensity_text": "Three-option items as systems read them, where their files lack a demand: what raters "
        "of capabilities are shown."
    },
    reads=["raw.propensity_item", "raw.propensity_llm_item", "raw.propensity_demand"],
    inputs=["rubrics", "names"],
    kinds=["python"],
)
def propensity_text(step: Step) -> Made:
    """Put prompt and options together."""
    supplied, written, demands = (
        step.read(f"raw.{name}") for name in ("propensity_item", "propensity_llm_item", "propensity_demand")
    )
    frame = read_texts(supplied, written, demands, step.settings)
    return Made({"raw.propensity_text": frame}, metadata={"": {"n_items": len(frame)}})
