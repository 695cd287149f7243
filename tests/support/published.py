"""Figures printed in the papers, as the seeds hold them, and a twin of the verdict on them in decimal arithmetic.

Belongs here: reading dbt/seeds/published_value_*.csv, the twin, and the counts by status on the public data.
Does not belong here: builds of slices.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pandas as pd

from assets.settings import PROJECT

KEY = ["paper", "table_name", "row_name", "column_name"]
TSP, PROPENSITIES, CENTAUR, INDEX = (
    *("task-suitability-profiles", "propensities-2x2pl"),
    *("centaurbench", "open-economic-index"),
)

# On the public data, table by table, of the cells that each slice's real-data test builds.
REAL: dict[str, dict[tuple[str, str], int]] = {
    "battery": {
        ("Table A2", "match"): 73,
        ("Table 1", "match"): 23,
        ("Table 2", "match"): 48,
        ("Section 3.1.2", "match"): 2,
        ("Table 6", "match"): 8,
    },
    "work": {
        ("Table B2", "match"): 24,
        ("Table B3", "match"): 15,
        ("Table B3", "not_in_release"): 6,
        ("Section 4.3.1", "match"): 6,
        ("Section 4.3.3", "match"): 26,
        ("Table B4", "match"): 6,
        ("Table B4", "close"): 10,
        ("Table B5", "match"): 72,
        ("Section 4.3.4", "match"): 7,
        ("Figure 4", "match"): 1,
    },
    "suitability": {
        ("Table C7", "match"): 81,
        ("Table C7", "close"): 9,
        ("Table C8", "match"): 16,
        ("Table C8", "close"): 12,
        ("Table C9", "match"): 113,
        ("Table C9", "close"): 9,
        ("Table C10", "match"): 115,
        ("Table C10", "close"): 7,
        ("Section 4.4.1", "match"): 7,
    },
    # arithmetic of Table C6, which the other cells of these tables are not
    "capability": {
        ("Table 6", "match"): 16,
        ("Table C5", "match"): 11,
        ("Table C5", "close"): 1,
        ("Table C6", "match"): 8,
    },
    # 37 of 41 general activities have others below them; the sample has 544 chats
    "adoption": {
        ("Section 2.1", "match"): 2,
        ("Section 2.1", "off"): 3,
        ("Section 2.2", "match"): 1,
        ("Appendix A.1", "match"): 1,
    },
}
# (paper, status) -> cells on the public data before `suitability recovery` (no_data: Tables 4, 5, C2, C3)
REAL_TOTAL = {
    (TSP, "match"): 678,
    (TSP, "close"): 48,
    (TSP, "no_data"): 171,
    (TSP, "not_in_release"): 212,
    (PROPENSITIES, "not_in_release"): 23,
    (CENTAUR, "not_in_release"): 76,
    (INDEX, "match"): 4,
    (INDEX, "off"): 3,
    (INDEX, "no_data"): 3,
    (INDEX, "not_in_release"): 63,
}


def read_published() -> pd.DataFrame:
    """All printed cells, as text but for digits; blanks are ''."""
    files = sorted((PROJECT / "dbt" / "seeds").glob("published_value_*.csv"))
    frames = [pd.read_csv(file, dtype=str, keep_default_na=False) for file in files]
    return pd.concat(frames, ignore_index=True).astype({"digits": int})


def status(computed: float | None, published: str, digits: int, tolerance: str, expected: str = "") -> str:
    """The verdict on one figure, from the decimals as they are written."""
    if expected:
        return expected
    if computed is None or pd.isna(computed):
        return "no_data"
    # nine decimals, as a sum of doubles is no decimal
    off = abs(round(Decimal(repr(float(computed))), 9) - Decimal(published))
    if 2 * off <= Decimal(10) ** -digits:
        return "match"
    return "close" if off <= Decimal(tolerance) else "off"


def compared(cells: pd.DataFrame, computed: pd.DataFrame) -> pd.DataFrame:
    """`cells` of `read_published` with what a slice computed and the twin's status.

    Args:
        computed: int_published_<slice>.
    """
    both = cells.merge(computed, on=KEY, how="left", validate="one_to_one")
    given = both[["computed", "published", "digits", "tolerance", "expected"]].itertuples(index=False)
    return both.assign(status=[status(*one) for one in given])


def counts(rows: pd.DataFrame) -> dict[tuple[str, str], int]:
    """(table, status) -> number of cells."""
    return dict(Counter(zip(rows["table_name"], rows["status"], strict=True)))
