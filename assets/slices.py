"""The slices, in the order in which data flows through them, as Dagster's UI is to show them.

Belongs here: which slices there are. Does not belong here: which inputs each needs (dbt/seeds/seed_slice_input.csv says
it once, for the warehouse as well).
"""

from __future__ import annotations

import csv
from pathlib import Path

_NEEDED = Path(__file__).resolve().parents[1] / "dbt" / "seeds" / "seed_slice_input.csv"


def _slices() -> tuple[str, ...]:
    """Those that need an input: the others are planned."""
    with _NEEDED.open(encoding="utf-8", newline="") as file:
        return tuple(dict.fromkeys(row["slice"] for row in csv.DictReader(file) if row["input"]))


SLICES = _slices()
# what all slices read comes before them, what reads all of them after them
_ORDER = ("seeds", "llm", *SLICES, "warehouse")


def group_of(name: str) -> str:
    """The group of assets of a slice in Dagster, which sorts groups by name: `battery` -> `03_battery`.

    Raises:
        ValueError: there is no such slice.
    """
    if name not in _ORDER:
        raise ValueError(f"{name}: no slice. Give it a line in dbt/seeds/{_NEEDED.name}")
    return f"{_ORDER.index(name) + 1:02}_{name}"
