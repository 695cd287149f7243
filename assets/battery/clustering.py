"""Clusters of capabilities that benchmark items demand together.

Belongs here: average-linkage clustering of a correlation table.
Does not belong here: the correlations and the clusters' names (SQL, dbt/models/intermediate/battery).
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def dimension_members(correlation: pd.DataFrame, cut: float) -> pd.DataFrame:
    """Cut the average-linkage dendrogram on the distance 1 - r (paper: section 3.1.2, Figure 2).

    Args:
        correlation: capability_a, capability_b, r; each unordered pair once and each capability with itself,
            in any order. A capability whose demand never varies has no r: it becomes its own cluster.
        cut: distance above which clusters stay apart (the paper cuts at 0.5).

    Returns:
        dimension_key (the constituents' acronyms, sorted, joined by |) and capability, sorted by both;
        no rows for no capabilities.

    Raises:
        ValueError: a pair is missing, stands twice, or has no r though both capabilities vary.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    pairs = _pairs(correlation)
    names = sorted({name for pair in pairs for name in pair})
    constant = [name for name in names if np.isnan(_find(pairs, name, name))]
    varying = [name for name in names if name not in constant]
    clusters = [[name] for name in constant]
    if len(varying) > 1:
        r = np.array([[_find(pairs, a, b) for b in varying] for a in varying])
        if np.isnan(r).any():
            row, column = np.argwhere(np.isnan(r))[0]
            raise ValueError(
                f"capability correlation: {varying[row]} and {varying[column]} vary but have no correlation"
            )
        distance = np.clip(1 - r, 0, 2)
        np.fill_diagonal(distance, 0)
        labels = fcluster(linkage(squareform(distance), method="average"), t=cut, criterion="distance")
        clusters += [
            [name for name, label in zip(varying, labels, strict=True) if label == wanted]
            for wanted in np.unique(labels)
        ]
    elif varying:
        clusters.append(varying)
    rows = sorted(("|".join(sorted(cluster)), name) for cluster in clusters for name in cluster)
    return pd.DataFrame(rows, columns=["dimension_key", "capability"], dtype=object)


def _pairs(correlation: pd.DataFrame) -> dict[tuple[str, str], float]:
    """The table as a dictionary on sorted pairs."""
    pairs: dict[tuple[str, str], float] = {}
    columns = (correlation[name] for name in ("capability_a", "capability_b", "r"))
    for a, b, r in zip(*columns, strict=True):
        pair = (a, b) if a <= b else (b, a)
        if pair in pairs:
            raise ValueError(f"capability correlation: the pair {pair[0]}, {pair[1]} stands twice")
        pairs[pair] = float("nan") if pd.isna(r) else float(r)
    return pairs


def _find(pairs: dict[tuple[str, str], float], a: str, b: str) -> float:
    pair = (a, b) if a <= b else (b, a)
    if pair not in pairs:
        raise ValueError(f"capability correlation: the pair {pair[0]}, {pair[1]} is missing")
    return pairs[pair]
