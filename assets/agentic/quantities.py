"""What each scenario says of automation, augmentation and usage.

Belongs here: which scenarios count in which share. Does not belong here: shares and intervals (capability_share.py).

Source: paper `open-economic-index`, Figure 1.
"""

from __future__ import annotations

import pandas as pd

COLUMNS = ["occupation", "system", "quantity", "unit", "scenario", "value"]
MEASURE_OF = {"automation": ("single", "workflow"), "augmentation": ("multi", "autonomy")}


def quantities_of(scores: pd.DataFrame, usage: pd.DataFrame) -> pd.DataFrame:
    """A row for each unit that counts in a share, with its value (0 to 1).

    Args:
        scores: scenario, pair, occupation, system, mode, measure, complete_share.
        usage: scenario, is_used.

    Returns:
        occupation, system, quantity, unit, scenario, value. Automation and augmentation count scenarios; usage counts
        pairs, for a scenario and its variant have the same tasks.
    """
    known = scores[scores["occupation"].notna()]
    parts = []
    for quantity, (mode, measure) in MEASURE_OF.items():
        rows = known[
            (known["mode"] == mode) & (known["measure"] == measure) & known["complete_share"].notna()
        ]
        parts.append(rows.assign(quantity=quantity, unit=rows["scenario"], value=rows["complete_share"]))
    used = known.merge(usage[usage["is_used"].notna()], on="scenario").sort_values(["pair", "scenario"])
    once = used.drop_duplicates(["occupation", "system", "pair"])
    parts.append(once.assign(quantity="usage", unit=once["pair"], value=once["is_used"].astype(float)))
    return pd.concat([part[COLUMNS] for part in parts], ignore_index=True).astype({"value": float})
