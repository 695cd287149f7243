"""The plans `propensity-...` of `suitability llm`: inputs read, calls listed.

Belongs here: what to read for them, and in which order they go: items, bands, runs, choices. Does not belong here:
what is asked (assets/propensity) and how plans are run (cli/llm_commands.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd

from assets.common.rubric_text import RubricError
from assets.llm import Call, LedgerError, read_roles
from assets.propensity.bands import band_calls
from assets.propensity.choice_runs import choice_calls, run_calls
from assets.propensity.items import PropensityError, item_calls
from assets.propensity.levels import annotatable, level_calls, refuse_unknown, targets
from assets.propensity.propensity_ledger import (
    askable,
    collected_from,
    read_items,
    read_texts,
    read_written_items,
    rubrics_to_annotate,
)
from assets.propensity.propensity_rubrics import read_rubrics
from assets.settings import Settings
from assets.sources.input_root import sources_folder
from assets.sources.readers import read_items as read_items_of_battery
from assets.sources.readers import read_propensity_items
from dagster_project.plans.registry import PlanError


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except (PropensityError, RubricError, LedgerError) as error:
        raise PlanError(str(error)) from None


def items(settings: Settings) -> list[Call]:
    """Every propensity, setting, right pole and margin, by the one [[writer]].

    Raises:
        PlanError: not exactly one writer; a bad rubric.
        RolesError: llm.toml can't be used.
    """
    with _told():
        return item_calls(read_rubrics(), read_roles(settings).of("writer"))


def bands(settings: Settings) -> list[Call]:
    """Every [[rater]]: the band of each written item, then the bands of all items on all propensities of the settings.

    Raises:
        PlanError: no items or no rater, or two raters that are one; a bad rubric; a benchmark without items.
        RolesError: llm.toml can't be used.
        SourceError: an items file can't be used.
    """
    raters, texts = read_roles(settings).of("rater"), read_items_of_battery(sources_folder(settings))
    with _told():
        written = read_written_items(settings)
        options = annotatable(_supplied(settings).rename(columns={"item": "item_id"}), written)
        refuse_unknown(settings.assessor_benchmarks, {*options["benchmark"], *texts["benchmark"]})
        own = band_calls(written, read_rubrics(), raters)
        asked = targets(options, texts, settings.assessor_benchmarks)
        calls = [*own, *level_calls(asked, rubrics_to_annotate(settings), raters)]
        if not calls:
            raise PropensityError(
                "no item to annotate: run `suitability llm run propensity-items` first, or bring "
                "propensity/items/<propensity>.csv or battery/items/<benchmark>.jsonl"
            )
        return list({call.call_id: call for call in calls}.values())


def texts(settings: Settings) -> pd.DataFrame:
    """Three-option items that lack a demand (benchmark, item, text), for the plan `annotate`.

    Raises:
        PlanError: a bad rubric, or a ledger that can't be read.
        RolesError, SourceError: llm.toml or an items file can't be used.
    """
    frames = read_propensity_items(sources_folder(settings)).frames
    with _told():
        written = read_written_items(settings)
        return read_texts(frames["raw.propensity_item"], written, frames["raw.propensity_demand"], settings)


def runs(settings: Settings) -> list[Call]:
    """Every [[system]], incitation and item, of the files and of the ledger.

    Raises:
        PlanError: no items or no system, or two systems that are one; a bad rubric.
        RolesError: llm.toml can't be used.
        SourceError: an items file can't be used.
    """
    with _told():
        return run_calls(_items(settings), read_rubrics(), read_roles(settings).of("system"))


def choices(settings: Settings) -> list[Call]:
    """Every reply of `runs` that is no structured answer, by the first [[judge]]. Raises as `runs`."""
    roles = read_roles(settings)
    with _told():
        return choice_calls(
            _items(settings),
            read_rubrics(),
            roles.of("system"),
            roles.of("judge"),
            collected_from(settings),
        )


def _items(settings: Settings) -> pd.DataFrame:
    return askable(_supplied(settings), read_items(settings))


def _supplied(settings: Settings) -> pd.DataFrame:
    return read_propensity_items(sources_folder(settings)).frames["raw.propensity_item"]
