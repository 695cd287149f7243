"""The 18 capabilities by acronym, as dbt's seed lists them.

Belongs here: their names, which several slices need. Does not belong here: rubrics (assets/battery) and the names that
files may give them (assets/sources).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache

from assets.settings import PROJECT


@cache
def capability_names() -> Mapping[str, str]:
    """Acronym -> name of the 18 capabilities, in the order of dbt/seeds/seed_capability.csv."""
    with (PROJECT / "dbt/seeds/seed_capability.csv").open(encoding="utf-8", newline="") as file:
        return {row["capability"]: row["name"] for row in csv.DictReader(file)}
