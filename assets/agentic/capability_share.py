"""What agents can do in an occupation, against what AI is used for there: shares of scenarios with intervals.

Belongs here: the shares and the bootstrap. Does not belong here: scores of scenarios, what people use (dbt).

Source: paper `open-economic-index`, Figure 1 and section 3.3, which give shares without intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

REPLICATES = 1000
LEVEL = 0.95
COLUMNS = ["occupation", "system", "quantity", "share", "low", "high", "n_scenarios", "n_tasks", "n_servers"]

Floats = npt.NDArray[np.float64]


def capability_shares(
    scores: pd.DataFrame, members: pd.DataFrame, seed_for: Callable[..., int], replicates: int = REPLICATES
) -> pd.DataFrame:
    """Rows of `estimate.capability_share`.

    Args:
        scores: occupation, system, quantity, unit (a scenario, or a pair that counts once), value (0 to 1).
        members: scenario, kind ('task' or 'server'), member.
        seed_for: names -> seed.
        replicates: bootstrap resamples.
    """
    clusters = {
        unit: list(zip(rows["kind"], rows["member"], strict=True))
        for unit, rows in members.groupby("scenario", sort=True)
    }
    found = []
    for (occupation, system, quantity), rows in scores.groupby(
        ["occupation", "system", "quantity"], sort=True
    ):
        ordered = rows.sort_values("unit")
        values = ordered["value"].to_numpy(dtype=np.float64)
        of_unit = [clusters.get(unit, []) for unit in ordered["scenario"]]
        rng = np.random.default_rng(seed_for("capability_share", occupation, system, quantity))
        low, high = interval(values, of_unit, rng, replicates)
        kinds = [kind for kind, _ in {cluster for unit in of_unit for cluster in unit}]
        sizes = len(values), kinds.count("task"), kinds.count("server")
        found.append((occupation, system, quantity, float(values.mean()), low, high, *sizes))
    return pd.DataFrame(found, columns=COLUMNS)


def interval(
    values: Floats,
    clusters: Sequence[Sequence[tuple[str, str]]],
    rng: np.random.Generator,
    replicates: int = REPLICATES,
) -> tuple[float, float]:
    """95 % interval of the mean of `values` (0 to 1) over units that share clusters.

    Each replicate draws tasks with replacement, and servers, and weighs a unit by 1 + Σ (times drawn - 1) over the
    tasks and servers it belongs to. To first order its variance is that of clustered standard errors: squared sums of
    residuals by cluster (Cameron, Gelbach and Miller 2011), in which a unit's own error counts once for each of its
    clusters; so it errs on the wide side. Where all values are equal no draw moves the mean: the interval is never
    narrower than Wilson's.
    """
    from assets.common.shares import wilson

    mean = float(values.mean())
    low, high = wilson(mean * len(values), len(values))
    weights = np.ones((replicates, len(values)))
    for kind in sorted({kind for unit in clusters for kind, _ in unit}):
        names = sorted({name for unit in clusters for of, name in unit if of == kind})
        drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=replicates) - 1.0
        weights += drawn @ _membership(clusters, kind, names)
    total = weights.sum(axis=1)
    # with few clusters a draw can leave next to nothing: it says nothing of the mean
    is_sound = total > 0.1 * len(values)
    means = np.clip((weights @ values)[is_sound] / total[is_sound], 0, 1)
    if not len(means):
        return low, high
    tail = (1 - LEVEL) / 2
    return min(low, float(np.quantile(means, tail))), max(high, float(np.quantile(means, 1 - tail)))


def _membership(clusters: Sequence[Sequence[tuple[str, str]]], kind: str, names: Sequence[str]) -> Floats:
    """Clusters × units: 1 where a unit belongs to the cluster."""
    at = {name: row for row, name in enumerate(names)}
    found = np.zeros((len(names), len(clusters)))
    for column, unit in enumerate(clusters):
        for of, name in unit:
            if of == kind:
                found[at[name], column] = 1.0
    return found
