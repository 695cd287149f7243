"""Texts of another release: the same text first, then the nearest, else none; nothing is lost on the way."""

from __future__ import annotations

import numpy as np
import pandas as pd

from assets.adoption.indices.bridge import bridge
from assets.embedding.embedders import Vectors

OURS = pd.DataFrame(
    [
        ("task", "10", "Repair engines."),
        ("task", "9", "repair  engines"),
        ("task", "11", "Teach pupils."),
        ("IWA", "4.A.1", "Repair engines."),
    ],
    columns=["level", "unit", "text"],
)
PLACE = {"Repair engines.": 0, "repair  engines": 0, "Teach pupils.": 1}
ANGLE = {"teach many pupils": 0.9, "teach": 0.7}


def embed(texts: list[str]) -> Vectors:
    """Ours on two axes; others at a known cosine to 'Teach pupils.'."""
    rows = []
    for text in texts:
        cosine = ANGLE.get(text, float(PLACE.get(text, 0)))
        rows.append(
            [
                np.sqrt(1 - cosine**2) if text not in ANGLE else 0.0,
                cosine,
                np.sqrt(1 - cosine**2) if text in ANGLE else 0.0,
            ]
        )
    return np.array(rows, dtype=np.float32)


def matched(*texts: str, level: str = "task") -> dict[object, tuple[object, ...]]:
    given = pd.DataFrame({"level": level, "text": list(texts)})
    found = bridge(given, OURS, embed, 0.85)
    assert sorted(found["text"]) == sorted(texts)
    return {row.text: (row.unit, row.method) for row in found.itertuples()}


def test_the_same_text_in_other_dress_is_the_same() -> None:
    # of two of ours the smaller id, as a number
    same = ("REPAIR ENGINES", "repair engines.", "repair\u00a0engines. ")
    assert matched(*same) == dict.fromkeys(same, ("9", "text"))
    assert matched("repair engines", level="IWA") == {"repair engines": ("4.A.1", "text")}


def test_the_nearest_is_taken_from_the_floor_on_and_told_below() -> None:
    assert matched("teach many pupils", "teach") == {
        "teach many pupils": ("11", "nearest"),
        "teach": (None, "none"),
    }
    given = pd.DataFrame({"level": ["task"], "text": ["teach"]})
    row = bridge(given, OURS, embed, 0.85).iloc[0]
    assert (row["score"], row["nearest_text"]) == (0.7, "Teach pupils.")
    assert bridge(given, OURS, embed, 0.7).iloc[0]["unit"] == "11"


def test_nothing_to_look_in_and_nothing_to_look_for() -> None:
    given = pd.DataFrame({"level": ["task"], "text": ["teach"]})
    row = bridge(given, OURS.iloc[:0], embed, 0.85).iloc[0]
    assert (row["unit"], row["method"]) == (None, "none") and np.isnan(row["score"])
    assert bridge(given.iloc[:0], OURS, embed, 0.85).empty
