"""Doing against helping: how the two rankings go together, whether help beats none, what good assistance has.

Belongs here: correlations and resamples over rankings. Does not belong here: the rankings (dbt).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata, spearmanr

N_RESAMPLES = 2000
# means of ranks are equal when they agree to this many decimals, as in dbt's macro nine_decimals
DECIMALS = 9
# up to so many values all orders are tried
EXACT = 7


def mode_correlation(task_ranks: pd.DataFrame) -> pd.DataFrame:
    """Spearman's rho between mean ranks in automation and in augmentation (centaurbench, equation 2).

    Args:
        task_ranks: task, mode, candidate, mean_rank, is_worker; workers are left out, as they help nobody.

    Returns:
        task (each, and 'all': mean ranks averaged over tasks first), spearman_rho, p_value (as `rank_correlation`;
        descriptive), n_candidates; NaN below three candidates or where a mode ranks all alike.
    """
    helpers = task_ranks[~task_ranks["is_worker"].astype(bool)]
    columns = ["task", "spearman_rho", "p_value", "n_candidates"]
    if helpers.empty:
        return pd.DataFrame(columns=columns)
    overall = helpers.groupby(["mode", "candidate"], sort=True)["mean_rank"].mean().reset_index()
    parts = [("all", overall), *helpers.groupby("task", sort=True)]
    rows = []
    for task, part in parts:
        wide = part.pivot(index="candidate", columns="mode", values="mean_rank")
        wide = wide.reindex(columns=["automation", "augmentation"]).dropna()
        rows.append((task, *rank_correlation(wide["automation"], wide["augmentation"]), len(wide)))
    return pd.DataFrame(rows, columns=columns)


def rank_correlation(x: pd.Series, y: pd.Series) -> tuple[float, float]:
    """Spearman's rho and its two-sided p-value; NaN below three values or where one side doesn't vary.

    Up to `EXACT` values p is over all orders (the t distribution would give 0 for a perfect one of three).
    """
    a, b = (values.to_numpy(float).round(DECIMALS) for values in (x, y))
    if len(a) < 3 or len(np.unique(a)) < 2 or len(np.unique(b)) < 2:
        return np.nan, np.nan
    found = spearmanr(a, b)
    rho = float(found.statistic)
    if len(a) > EXACT:
        return rho, float(found.pvalue)
    ranks_a, ranks_b = (rankdata(values) - (len(a) + 1) / 2 for values in (a, b))
    orders = np.array(list(permutations(ranks_b))) @ ranks_a
    as_far = np.abs(orders) >= abs(float(ranks_b @ ranks_a)) - 1e-9
    return rho, float(as_far.mean())


def help_probability(run_ranks: pd.DataFrame, seed_for: Callable[..., int]) -> pd.DataFrame:
    """For each task, how probably the helper that one would choose beats no help.

    The helper is chosen on resampled runs (smallest mean rank) and compared with the unaided worker on the runs that
    were not drawn: on the same runs, the best of many helpers would look better than none by luck alone.

    Args:
        run_ranks: task, mode, run, candidate, mean_rank, is_unaided.
        seed_for: a seed for the step that the arguments name.

    Returns:
        task, is_help_better_probability (share of resamples, equal ranks half; NaN with fewer than two runs that
        ranked the unaided worker, or without helpers), n_runs (that did).
    """
    augmentation = run_ranks[run_ranks["mode"] == "augmentation"]
    rows = []
    for task, part in augmentation.groupby("task", sort=True):
        is_unaided = part["is_unaided"].astype(bool)
        alone = part[is_unaided].groupby("run", sort=True)["mean_rank"].min()
        helped = part[~is_unaided].pivot(index="run", columns="candidate", values="mean_rank")
        behind = helped.sub(alone, axis=0).reindex(alone.index).to_numpy(float)
        rng = np.random.default_rng(seed_for("help_probability", task))
        rows.append((task, _chosen_beats_none(behind, rng), len(alone)))
    return pd.DataFrame(rows, columns=["task", "is_help_better_probability", "n_runs"])


def _chosen_beats_none(behind: NDArray[np.float64], rng: np.random.Generator) -> float:
    """Share of resamples in which the chosen helper's `behind` (runs, helpers) is negative on the runs left out."""
    n_runs, n_helpers = behind.shape
    if n_runs < 2 or n_helpers == 0:
        return np.nan
    is_given = np.isfinite(behind)
    values = np.where(is_given, behind, 0)
    weights = rng.multinomial(n_runs, np.full(n_runs, 1 / n_runs), size=N_RESAMPLES).astype(float)
    left_out = (weights == 0).astype(float)
    inside = _means(weights, values, is_given, np.inf).round(DECIMALS)
    chosen = np.argmin(inside, axis=1)
    outside = _means(left_out, values, is_given, np.nan)[np.arange(N_RESAMPLES), chosen].round(DECIMALS)
    # where no helper stands in the drawn runs, nobody was chosen
    known = outside[np.isfinite(outside) & np.isfinite(inside.min(axis=1))]
    return float(np.mean((known < 0) + (known == 0) / 2)) if len(known) else np.nan


def _means(
    weights: NDArray[np.float64], values: NDArray[np.float64], is_given: NDArray[np.bool_], empty: float
) -> NDArray[np.float64]:
    total = weights @ is_given.astype(float)
    return np.divide(weights @ values, total, out=np.full(total.shape, empty), where=total > 0)


def trait_association(texts: pd.DataFrame) -> pd.DataFrame:
    """Spearman's rho between a trait of assistance texts and the mean rank of what the worker made of them.

    Args:
        texts: task, run, candidate, trait, score, mean_rank; a row a text × trait.

    Returns:
        task (each, and 'all'), trait, spearman_rho (negative = texts with more of it rank better), p_value
        (descriptive: texts of one candidate are alike); NaN as in `rank_correlation`.
    """
    rows = []
    parts = [("all", texts), *texts.groupby("task", sort=True)]
    for task, part in parts:
        for trait, scores in part.groupby("trait", sort=True):
            rows.append((task, trait, *rank_correlation(scores["score"], scores["mean_rank"])))
    return pd.DataFrame(rows, columns=["task", "trait", "spearman_rho", "p_value"])
