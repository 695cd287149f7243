"""Bins of predicted probability with too few items, pooled with their neighbours.

Belongs here: that pooling. Does not belong here: how it is drawn or printed (charts.py, pages/checks.py).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from dagster_project.report.tables import records

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
    for system, own in records(reliability.sort_values("bin")).items():
        groups: list[list[dict[Hashable, Any]]] = [[]]
        for tenth in own:
            if _size(groups[-1]) >= least:
                groups.append([])
            groups[-1].append(tenth)
        if len(groups) > 1 and _size(groups[-1]) < least:
            rest = groups.pop()
            groups[-1] += rest
        for group in groups:
            n = _size(group)
            shares = [sum(r[c] * r["n_items"] for r in group) / n for c in ("predicted", "observed")]
            low, high = int(group[0]["bin"]) / 10, (int(group[-1]["bin"]) + 1) / 10
            rows.append((system, low, high, n, *shares, len(group), n < least))
    return pd.DataFrame(rows, columns=columns)


def _size(group: list[dict[Hashable, Any]]) -> int:
    return int(sum(r["n_items"] for r in group))
