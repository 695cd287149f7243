"""The plans `annotate` and `annotate-modes` of `suitability llm`: inputs read, calls listed.

Belongs here: what to read for them, and what must be run first. Does not belong here: what is asked
(assets/battery/annotation.py) and how plans are run (cli/llm_commands.py).
"""

from __future__ import annotations

import pandas as pd

from assets.battery.annotation import (
    AnnotationError,
    annotation_calls,
    comparison_calls,
    read_instrument,
)
from assets.common.rubric_text import RubricError
from assets.llm import Call, collect, read_roles
from assets.settings import Settings
from assets.sources.input_root import sources_folder
from assets.sources.readers import read_items
from dagster_project.plans.propensity_plans import texts as propensity_texts
from dagster_project.plans.registry import PlanError

TEXTS = ["benchmark", "item", "text"]


def annotate(settings: Settings) -> list[Call]:
    """Every item of battery/items, and every three-option item that lacks a demand, × capability × rater.

    Raises:
        PlanError: nothing to annotate or nobody to do it; bad rubrics; one call for all capabilities is asked for and
            was not compared with the default.
        RolesError: llm.toml can't be used.
        SourceError: an items file can't be used.
    """
    raters = read_roles(settings).of("rater")
    items = read_items(sources_folder(settings))
    rated = [items[TEXTS], propensity_texts(settings)[TEXTS]]
    try:
        calls = annotation_calls(
            pd.concat(rated, ignore_index=True), read_instrument(), raters, settings.annotation_mode
        )
        compared = comparison_calls(items, raters, settings) if settings.annotation_mode == "all" else []
    except (AnnotationError, RubricError) as error:
        raise PlanError(str(error)) from None
    n_open = sum(answer.status == "pending" for answer in collect(compared, settings.ledger_path))
    if n_open:
        raise PlanError(
            "SUITABILITY_ANNOTATION_MODE=all must be compared with one capability a call first, and "
            f"{n_open} calls of that are not answered. Run `suitability llm run annotate-modes` and a refresh, look at "
            "marts.annotation_mode_agreement, then come back"
        )
    return calls


def annotate_modes(settings: Settings) -> list[Call]:
    """A sample of items in both modes. Raises as `annotate`."""
    try:
        raters = read_roles(settings).of("rater")
        return comparison_calls(read_items(sources_folder(settings)), raters, settings)
    except (AnnotationError, RubricError) as error:
        raise PlanError(str(error)) from None
