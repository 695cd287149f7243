"""Dagster assets of what language models said about propensities; a refresh sends nothing.

Belongs here: read, call, write, metadata. Does not belong here: any computation (ledger.py and below).
"""

from __future__ import annotations

import dagster as dg

from assets.llm.outcome import collected_result, faults_as_failure
from assets.ports import Warehouse
from assets.propensity.items import PropensityError
from assets.propensity.ledger import askable, read_items, read_responses
from assets.rubric_text import RubricError
from assets.settings import Settings

ASKED = [["file", "roles"], ["file", "rubrics"], ["file", "ledger"]]


@dg.asset(
    key=["raw", "propensity_llm_item"],
    deps=ASKED,
    group_name="propensity",
    kinds={"python", "sqlite"},
    code_version="1",
    pool="warehouse",
    description="Items that a language model wrote, and the bands that others gave them; empty where none was asked.",
)
def propensity_llm_item(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    with faults_as_failure(PropensityError, RubricError):
        frame = read_items(settings)
    warehouse.replace({"raw.propensity_llm_item": frame})
    return collected_result("raw.propensity_llm_item", frame, "rows")


@dg.asset(
    key=["raw", "propensity_llm_response"],
    deps=[
        ["raw", "propensity_item"], ["raw", "propensity_response"], ["raw", "propensity_llm_item"], *ASKED,
    ],
    group_name="propensity",
    kinds={"python", "sqlite"},
    code_version="1",
    pool="warehouse",
    description="What each [[system]] of llm.toml chose under each incitation; empty where none was asked.",
)  # fmt: skip
def propensity_llm_response(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    items = askable(warehouse.read("raw.propensity_item"), warehouse.read("raw.propensity_llm_item"))
    supplied = warehouse.read("raw.propensity_response")["system"].dropna().unique().tolist()
    with faults_as_failure(PropensityError, RubricError):
        frame = read_responses(items, supplied, settings)
    warehouse.replace({"raw.propensity_llm_response": frame})
    return collected_result("raw.propensity_llm_response", frame, "rows")
