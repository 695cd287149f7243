"""What it costs to let someone help other than the helper one would choose.

Belongs here: regret and its intervals over runs. Does not belong here: the rankings, who does best (dbt).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student

# means of ranks are equal when they agree to this many decimals, as in dbt's macro nine_decimals
DECIMALS = 9
# places of two runs are too often equal to tell how far they vary
MIN_RUNS = 3
COLUMNS = ["task", "candidate", "regret", "regret_q025", "regret_q975", "regret_win_share"]

Floats = NDArray[np.float64]


def helper_regret(run_ranks: pd.DataFrame, spread: pd.DataFrame) -> pd.DataFrame:
    """For each task and helper, the places lost by its help rather than the chosen one's.

    For each run, the helper is chosen on the other runs (smallest mean rank) and compared on this one: on the same runs
    the smallest of many means is small by luck, and any other would seem to cost.

    The interval is of the helper's mean rank less the smallest of all. Its upper end is the largest of Student's upper
    limits of the differences to each other helper; its lower end the largest of their lower limits, with Bonferroni's
    correction, as which of them is largest is luck too. Neither leaves the places there are. No difference has a
    smaller standard error than as many independent comparisons would give it: runs that agree don't make it certain.

    Args:
        run_ranks: task, mode, run, candidate, mean_rank, win_share, is_unaided.
        spread: task, mode, candidate, opponent, variance (of the share of comparisons won; int_tournament_spread).

    Returns:
        task, candidate, regret (places; may be below 0 by chance), regret_q025, regret_q975, regret_win_share (the
        same in shares of comparisons won); NaN below two runs, the interval below three.
    """
    helped = run_ranks[(run_ranks["mode"] == "augmentation") & ~run_ranks["is_unaided"].astype(bool)]
    helping = spread[spread["mode"] == "augmentation"]
    rows = []
    for task, part in helped.groupby("task", sort=True):
        ranks, shares = (
            part.pivot(index="run", columns="candidate", values=value) for value in ("mean_rank", "win_share")
        )
        place, win = ranks.to_numpy(float), shares.to_numpy(float)
        chosen = _chosen_without_each(place)
        least = _least_errors(helping[helping["task"] == task], list(ranks.columns))
        for i, name in enumerate(ranks.columns):
            rows.append(
                (task, name, _lost(place, chosen, i), *_interval(place, i, least), -_lost(win, chosen, i))
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def _chosen_without_each(place: Floats) -> NDArray[np.int64]:
    """For each run, who has the smallest mean in the others; -1 where nobody stands in them."""
    given = np.isfinite(place)
    values = np.where(given, place, 0)
    n = given.sum(0) - given
    means = np.divide(values.sum(0) - values, n, out=np.full(place.shape, np.inf), where=n > 0).round(
        DECIMALS
    )
    return np.where(np.isfinite(means.min(axis=1)), means.argmin(axis=1), -1)


def _lost(values: Floats, chosen: NDArray[np.int64], i: int) -> float:
    """Mean over runs of the value of helper `i` less that of the chosen one."""
    runs = np.flatnonzero(chosen >= 0)
    behind = values[runs, i] - values[runs, chosen[runs]]
    known = behind[np.isfinite(behind)]
    return float(known.mean()) if len(known) else np.nan


def _least_errors(spread: pd.DataFrame, names: list[str]) -> Floats:
    """Standard errors (names, names) of the difference of two mean ranks, if comparisons were independent.

    The comparisons of the two with each other move both ranks, and apart.
    """
    variance = spread.groupby("candidate")["variance"].sum().reindex(names, fill_value=0.0).to_numpy(float)
    shared = spread.pivot(index="candidate", columns="opponent", values="variance")
    of_both = shared.reindex(index=names, columns=names).fillna(0.0).to_numpy(float)
    return np.sqrt(variance[:, None] + variance[None, :] + 2 * of_both)


def _interval(place: Floats, i: int, least: Floats) -> tuple[float, float]:
    n_runs, n_helpers = place.shape
    if n_runs < MIN_RUNS:
        return np.nan, np.nan
    # the last of all, the worker alone among them, is so many places behind the first
    furthest = float(n_helpers)
    lows, highs = [], []
    for j in range(n_helpers):
        behind = place[:, i] - place[:, j]
        known = behind[np.isfinite(behind)]
        if j == i:
            continue
        if len(known) < 2:
            highs.append(furthest)
            continue
        se = max(known.std(ddof=1) / np.sqrt(len(known)), least[i, j])
        levels = [1 - 0.025 / (n_helpers - 1), 0.975]
        below, above = student.ppf(levels, len(known) - 1) * se
        lows.append(known.mean() - below)
        highs.append(known.mean() + above)
    # the helper itself is 0 places behind itself
    return min(max([0.0, *lows]), furthest), min(max([0.0, *highs]), furthest)
