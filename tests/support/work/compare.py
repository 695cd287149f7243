"""Marts against a twin: rows by key, numbers to the twelfth digit.

Belongs here: what the twin tests of the slice share. Does not belong here: expected numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

FLOW = [
    *("n_started", "n_in_domain", "n_removed_incomplete", "n_removed_quiz", "n_removed_speed", "n_kept"),
    *("n_removed_unknown", "n_recorded", "n_preview", "n_test", "n_spam"),
]
ACTIVITY = [
    *("importance", "conditional_importance", "hours_per_week", "n_selected", "n_ranked"),
    *("n_hours", "n_respondents", "n_domains", "is_absent", "is_thin", "suppression"),
]
Rows = Mapping[tuple[Any, ...], tuple[Any, ...]]
CAPABILITY = [
    "points",
    "points_if_selected",
    "n_raters",
    "n_selected",
    "n_respondents",
    "is_thin",
    "suppression",
]


def rows(frame: pd.DataFrame, keys: list[str], values: list[str]) -> Rows:
    """Key -> values, NULL as None; a key that comes twice fails."""
    records = [
        {name: None if pd.isna(cell) else cell for name, cell in record.items()}
        for record in frame.to_dict("records")
    ]
    found = {tuple(r[key] for key in keys): tuple(r[value] for value in values) for r in records}
    assert len(found) == len(frame)
    return found


def assert_same(found: Rows, expected: Rows) -> None:
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        for value, other in zip(found[key], values, strict=True):
            if isinstance(other, float) and value is not None:
                assert math.isclose(value, other, rel_tol=1e-12, abs_tol=1e-12), key
            else:
                assert value == other, key
