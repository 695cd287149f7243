"""The plans `annotate...` of `suitability llm`: inputs read, calls listed.

Belongs here: what to read for them, and what must be run first. Does not belong here: what is asked
(assets/battery/annotation.py), which items make a battery (assets/battery/selection.py), and how plans are run
(cli/llm_commands.py).
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from assets.battery.annotation import (
    KEY,
    AnnotationError,
    annotation_calls,
    comparison_calls,
    read_instrument,
)
from assets.battery.selection import sample_of
from assets.common.rubric_text import RubricError
from assets.llm import Call, collect, read_roles
from assets.settings import Settings
from assets.sources.input_root import sources_folder
from assets.sources.readers import read_items, read_ratings
from dagster_project.plans.last_refresh import last_refresh
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
    items = read_items(sources_folder(settings))
    rated = pd.concat([items[TEXTS], propensity_texts(settings)[TEXTS]], ignore_index=True)
    return _calls(rated, items, settings)


def annotate_sample(settings: Settings) -> list[Call]:
    """What must be rated before a battery can be chosen: the samples' items that no file rates.

    Raises as `annotate`, and where a ratings file can't be used or all samples are rated by files.
    """
    sources = sources_folder(settings)
    items, rated = read_items(sources), _rated_by_files(sources)
    sample = sample_of(pd.concat([items[KEY], rated]), settings)
    is_rated = sample.set_index(KEY).index.isin(rated.set_index(KEY).index)
    open_items = _among(items, sample[~is_rated])
    if open_items.empty and len(sample):
        raise PlanError("every item of the samples is rated by a file: run `suitability refresh`")
    return _calls(open_items, items, settings)


def annotate_chosen(settings: Settings) -> list[Call]:
    """The items that the last refresh chose for a battery.

    Raises as `annotate`, and where nothing is chosen, or what was chosen has no text.
    """
    with last_refresh(settings, "chosen battery") as warehouse:
        chosen = warehouse.read("estimate.battery_selection")
        told = warehouse.read("estimate.battery_selection_benchmark")["relaxed"].unique()
    if chosen.empty:
        why = told[0] if len(told) else "SUITABILITY_SELECTION_ITEMS is unset, or no item is there"
        raise PlanError(
            f"the last refresh chose no battery ({why}). Set SUITABILITY_SELECTION_ITEMS, run "
            "`suitability llm run annotate-sample` and `suitability refresh`, then come back"
        )
    items = read_items(sources_folder(settings))
    return _calls(_among(items, chosen), items, settings)


def _calls(items: pd.DataFrame, all_items: pd.DataFrame, settings: Settings) -> list[Call]:
    raters = read_roles(settings).of("rater")
    try:
        calls = annotation_calls(items, read_instrument(), raters, settings.annotation_mode)
        compared = comparison_calls(all_items, raters, settings) if settings.annotation_mode == "all" else []
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


def _rated_by_files(sources: Path) -> pd.DataFrame:
    """benchmark and item of what has a level in battery/ratings, as staging reads levels: whole numbers 0-5."""
    rating = read_ratings(sources).frames["raw.rating"]
    level = pd.to_numeric(rating["level"], errors="coerce")
    return rating.loc[level.isin(range(6)), KEY].drop_duplicates()


def _among(items: pd.DataFrame, keys: pd.DataFrame) -> pd.DataFrame:
    """The rows of `items` whose benchmark and item are in `keys`."""
    return items.merge(keys[KEY], on=KEY)


def annotate_modes(settings: Settings) -> list[Call]:
    """A sample of items in both modes. Raises as `annotate`."""
    try:
        raters = read_roles(settings).of("rater")
        return comparison_calls(read_items(sources_folder(settings)), raters, settings)
    except (AnnotationError, RubricError) as error:
        raise PlanError(str(error)) from None
