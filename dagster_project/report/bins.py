"""Bins of predicted probability with too few items, pooled with their neighbours.

Belongs here: that pooling. Does not belong here: how it is drawn or printed (charts.py, pages/checks.py).
"""

from __future__ import annotations

import pandas as pd

LEAST = 20


def pooled_bins(reliability: pd.DataFrame, least: int = LEAST) -> pd.DataFrame:
    """Bins of each system joined from the lowest up until each holds `least` items; what remains joins the last.

    A few items make a share that jumps between 0 and 1 and says nothing. Joined shares are weighted by items, so the
    mean over all items stays what it was.

    Args:
        reliability: marts.reliability (system, bin = tenth of predicted probability, n_items, predicted, observed).

    Returns:
        system, low and high (predicted probability from and to), n_items, predicted, observed, n_bins (joined), is_few
        (all its items together are fewer than `least`).
    """
    columns = ["system", "low", "high", "n_items", "predicted", "observed", "n_bins", "is_few"]
    rows = []
    for system, own in reliability.sort_values("bin").groupby("system", sort=False):
        groups: list[list[int]] = [[]]
        n_items = own["n_items"].to_numpy()
        for i in range(len(own)):
            if n_items[groups[-1]].sum() >= least:
                groups.append([])
            groups[-1].append(i)
        if len(groups) > 1 and n_items[groups[-1]].sum() < least:
            rest = groups.pop()
            groups[-1] += rest
        for group in groups:
            part = own.iloc[group]
            n = int(part["n_items"].sum())
            shares = [float((part[c] * part["n_items"]).sum() / n) for c in ("predicted", "observed")]
            low, high = int(part["bin"].iloc[0]) / 10, (int(part["bin"].iloc[-1]) + 1) / 10
            rows.append((system, low, high, n, *shares, len(group), n < least))
    return pd.DataFrame(rows, columns=columns)
