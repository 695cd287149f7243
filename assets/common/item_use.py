"""Which items may be put to a model or a person.

Belongs here: that rule, which readers, raters and assessors share. Does not belong here: what is asked about an item.
"""

from __future__ import annotations

import pandas as pd


def askable_items(items: pd.DataFrame) -> pd.DataFrame:
    """The rows of raw.item that have a text and are not excluded."""
    is_usable = items["text"].notna() & ~items["is_excluded"].isin([True])
    return items[is_usable].reset_index(drop=True)
