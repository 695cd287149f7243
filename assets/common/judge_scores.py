"""What a judge's scores for two deliverables say: a mean each, or what is wrong with them.

Belongs here: the reading of scores that files and language models share. Does not belong here: choices and ranks (dbt).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

LOWEST, HIGHEST = 1, 10


class ScorePair(NamedTuple):
    """Mean over the dimensions for each seat; `fault` (with the side it is on) where they are not usable."""

    mean_first: float | None
    mean_second: float | None
    fault_column: str | None = None
    fault: str | None = None


def score_pair(first: object, second: object) -> ScorePair:
    """The means of two objects dimension -> score 1-10 (centaurbench, section 3.4); None = no scores were given.

    Both sides have to be scored on the same dimensions, else their means can't be compared.
    """
    if first is None and second is None:
        return ScorePair(None, None)
    for column, scores in (("scores_first", first), ("scores_second", second)):
        if fault := _fault(scores):
            return ScorePair(None, None, column, fault)
    assert isinstance(first, Mapping) and isinstance(second, Mapping)
    if first.keys() != second.keys():
        return ScorePair(None, None, "scores_second", "other dimensions than scores_first")
    return ScorePair(sum(first.values()) / len(first), sum(second.values()) / len(second))


def _fault(scores: object) -> str | None:
    if not isinstance(scores, Mapping) or not scores:
        return "not an object of dimensions and scores"
    for value in scores.values():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return "a score that is no number"
        if not LOWEST <= value <= HIGHEST:
            return f"a score outside {LOWEST} to {HIGHEST}"
    return None
