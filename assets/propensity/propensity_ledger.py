"""What language models said about propensities, by the ledger: items with bands, levels, and what systems chose.

Belongs here: who is asked (the roles), and the rows of raw.propensity_llm_item, _llm_band, _llm_response and
raw.propensity_text. Does not belong here: what is asked (items.py, bands.py, levels.py, choice_runs.py) and sending
(assets/llm).
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from assets.common.capabilities import capability_names
from assets.common.item_use import askable_items
from assets.llm import Answer, Call, collect, read_roles
from assets.propensity.bands import banded_items
from assets.propensity.choice_runs import refuse_same_names, responses, usable_items
from assets.propensity.items import Collected, written_items
from assets.propensity.levels import annotatable, levels, targets, texts_to_rate
from assets.propensity.propensity_rubrics import Rubric, read_rubrics
from assets.settings import Settings

SOURCE = "ledger"
RAW_NAMES = {"item_id": "item", "option": "chosen", "lower": "lower_bound", "upper": "upper_bound"}


def collected_from(settings: Settings) -> Collected:
    """Calls -> what the ledger of `settings` has of them; sends nothing."""

    def collected(calls: Sequence[Call]) -> list[Answer]:
        return collect(calls, settings.ledger_path)

    return collected


def read_written_items(settings: Settings) -> pd.DataFrame:
    """Items that the [[writer]] wrote; no rows without one. Columns as `items.written_items`.

    Raises:
        RolesError, RubricError, LedgerError: llm.toml, a rubric or the ledger can't be read.
    """
    return written_items(read_rubrics(), read_roles(settings).of("writer"), collected_from(settings))


def read_items(settings: Settings) -> pd.DataFrame:
    """raw.propensity_llm_item: every item asked for, with what became of it and of its band.

    Raises:
        RolesError, RubricError, LedgerError: as `read_written_items`.
    """
    raters = read_roles(settings).of("rater")
    items = banded_items(read_written_items(settings), read_rubrics(), raters, collected_from(settings))
    return _as_raw(items)


def read_responses(items: pd.DataFrame, supplied_systems: Sequence[str], settings: Settings) -> pd.DataFrame:
    """raw.propensity_llm_response: every [[system]], incitation and item of `items` (of `askable`).

    Raises:
        PropensityError: two systems are one, or one has the name of a system of the files.
        RolesError, RubricError, LedgerError: as `read_written_items`.
    """
    roles = read_roles(settings)
    refuse_same_names(roles.of("system"), supplied_systems)
    found = responses(items, read_rubrics(), roles.of("system"), roles.of("judge"), collected_from(settings))
    said = found["is_correct"].map(lambda is_correct: None if is_correct is None else str(int(is_correct)))
    return _as_raw(found.assign(is_correct=said))


def askable(supplied: pd.DataFrame, written: pd.DataFrame) -> pd.DataFrame:
    """The items that systems are asked: of raw.propensity_item and raw.propensity_llm_item, the files' first."""
    back = {"item": "item_id"}
    return usable_items(supplied.rename(columns=back), written.rename(columns=back))


def rubrics_to_annotate(settings: Settings) -> dict[str, Rubric]:
    """The rubrics of the propensities that items are annotated with.

    Raises:
        RubricError: as `read_rubrics`.
    """
    return {name: one for name, one in read_rubrics().items() if name in settings.assessor_propensities}


def read_levels(
    supplied: pd.DataFrame, written: pd.DataFrame, texts: pd.DataFrame, settings: Settings
) -> pd.DataFrame:
    """raw.propensity_llm_band: every [[rater]], item of any benchmark and propensity of the settings.

    Args:
        supplied, written: raw.propensity_item and raw.propensity_llm_item.
        texts: raw.item; what is excluded, or has no text, is asked of nobody.

    Raises:
        RolesError, RubricError, LedgerError: as `read_written_items`.
    """
    options = _annotatable(supplied, written)
    asked = targets(options, askable_items(texts), settings.assessor_benchmarks)
    raters, rubrics = read_roles(settings).of("rater"), rubrics_to_annotate(settings)
    return _as_raw(levels(asked, rubrics, raters, collected_from(settings)))


def read_texts(
    supplied: pd.DataFrame, written: pd.DataFrame, demands: pd.DataFrame, settings: Settings
) -> pd.DataFrame:
    """raw.propensity_text: the three-option items whose files don't give all 18 demands.

    Args:
        supplied, written: as `read_levels`.
        demands: raw.propensity_demand.
    """
    return texts_to_rate(
        _annotatable(supplied, written), demands, capability_names(), settings.assessor_benchmarks
    )


def _annotatable(supplied: pd.DataFrame, written: pd.DataFrame) -> pd.DataFrame:
    back = {"item": "item_id"}
    return annotatable(supplied.rename(columns=back), written.rename(columns=back))


def _as_raw(frame: pd.DataFrame) -> pd.DataFrame:
    """Named as the tables of the files, texts like theirs, with a place to name a row by."""
    frame = frame.rename(columns=RAW_NAMES)
    for bound in {"lower_bound", "upper_bound"} & set(frame.columns):
        frame[bound] = frame[bound].map(lambda level: None if level is None else repr(float(level)))
    return frame.assign(source_file=SOURCE, row_number=range(1, len(frame) + 1))
