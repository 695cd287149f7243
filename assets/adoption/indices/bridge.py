"""From texts of one release of O*NET to those of another: the same text, else the nearest one, else none.

Belongs here: which of our texts another index's text stands for, how that was found and how near it is. Does not belong
here: reading indices (sources), comparing them (dbt).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.embedding.nearest import nearest

COLUMNS = ["level", "text", "unit", "method", "score", "nearest_text"]
TEXT, NEAREST, NONE = "text", "nearest", "none"


def bridge(
    given: pd.DataFrame,
    ours: pd.DataFrame,
    embed: Callable[[list[str]], npt.NDArray[np.float32]],
    floor: float,
) -> pd.DataFrame:
    """One row for each level and text of `given`.

    Texts are the same where case, blanks, look-alike characters and a full stop at the end are all that differs. What
    is not found so takes the text of greatest cosine, if that reaches `floor`; ties go to the smaller id.

    Args:
        given: level, text; each once.
        ours: level, unit, text; a unit once a level.
        embed: texts -> unit rows; called only where a text is not found as it is.
        floor: cosine.

    Returns:
        `COLUMNS`: unit is None where method is none; score is 1 for the same text, else the cosine of the nearest, NaN
        where there is none; nearest_text is ours.
    """
    parts = [
        _level(level, texts, ours[ours["level"] == level], embed, floor) for level, texts in _by_level(given)
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def same(text: str) -> str:
    """What is equal for texts that count as the same."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().casefold().rstrip(".").rstrip()


def _by_level(given: pd.DataFrame) -> list[tuple[str, list[str]]]:
    return [(str(level), sorted(part["text"])) for level, part in given.groupby("level", sort=True)]


def _level(
    level: str,
    texts: list[str],
    ours: pd.DataFrame,
    embed: Callable[[list[str]], npt.NDArray[np.float32]],
    floor: float,
) -> pd.DataFrame:
    # ids are digits or of one length each: this orders both as people do
    ordered = sorted(zip(ours["unit"], ours["text"], strict=True), key=lambda row: (len(row[0]), row[0]))
    first: dict[str, tuple[str, str]] = {}
    for unit, text in ordered:
        first.setdefault(same(text), (unit, text))
    found: dict[str, tuple[str | None, str, float, str | None]] = {
        text: (first[same(text)][0], TEXT, 1.0, first[same(text)][1]) for text in texts if same(text) in first
    }
    rest = [text for text in texts if text not in found]
    candidates = list(first.values())
    if rest and candidates:
        places = [str(place) for place in range(len(candidates))]
        vectors = embed([*rest, *(text for _, text in candidates)])
        near, cosine = nearest(vectors[: len(rest)], vectors[len(rest) :], places, 1)
        for text, place, score in zip(rest, near[:, 0], cosine[:, 0].astype(float).round(6), strict=True):
            unit, other = candidates[int(place)]
            is_near = score >= floor
            found[text] = (unit if is_near else None, NEAREST if is_near else NONE, float(score), other)
    rows = [(level, text, *found.get(text, (None, NONE, float("nan"), None))) for text in texts]
    return pd.DataFrame(rows, columns=COLUMNS)
