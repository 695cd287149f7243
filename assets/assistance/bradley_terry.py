"""Strengths from paired comparisons with ties: Davidson's Bradley-Terry model, with intervals over runs.

Belongs here: the model, its fit, its posterior and its jackknife, on counts. Does not belong here: counting and mean
ranks (dbt).

Davidson (1970): with log strengths a and b and tie parameter t, a wins, b wins or neither does in the proportions
exp((a - b) / 2) : exp((b - a) / 2) : exp(t). Each log strength and t has a normal prior with mean 0 and SD `PRIOR_SD`:
who wins or loses everything stays finite, and strengths add up to 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.stats import norm
from scipy.stats import t as student
from threadpoolctl import threadpool_limits

Floats = NDArray[np.float64]

PRIOR_SD = 3.0
# with two runs, Student's t would give intervals that tell nothing
MIN_RUNS = 3
OUTCOMES = ("n_a", "n_b", "n_tie")
MAX_STEPS = 100
TOLERANCE = 1e-10
COLUMNS = [
    *("task", "mode", "candidate", "log_strength", "low", "high"),
    *("n_comparisons", "comparison_group", "reason"),
]


class DisconnectedError(ValueError):
    """No chain of comparisons connects all candidates, so their strengths have no common scale."""


@dataclass(frozen=True)
class Pairs:
    """Who met whom: `names` of k candidates; `first` and `second`: p places in names."""

    names: list[str]
    first: NDArray[np.intp]
    second: NDArray[np.intp]

    def groups(self) -> NDArray[np.int32]:
        """For each candidate the number of its group: those that a chain of comparisons connects."""
        k, met = len(self.names), np.ones(len(self.first))
        graph = coo_matrix((met, (self.first, self.second)), shape=(k, k))
        return np.asarray(connected_components(graph, directed=False)[1])


def fit(pairs: Pairs, counts: Floats) -> Floats:
    """Log strengths (..., k) at the posterior mode, for `counts` (..., p, 3) of a, b and ties; raises as `_mode`."""
    return _mode(pairs, counts)[0]


def posterior_sd(pairs: Pairs, counts: Floats) -> Floats:
    """SD (k) of each log strength less their mean, by the curvature at the mode (Laplace), for `counts` (p, 3)."""
    _, curvature = _mode(pairs, counts)
    k = len(pairs.names)
    less_mean = np.eye(k) - 1 / k
    covariance = less_mean @ np.linalg.inv(curvature)[:k, :k] @ less_mean
    return np.asarray(np.sqrt(np.diagonal(covariance)))


def _mode(pairs: Pairs, counts: Floats) -> tuple[Floats, Floats]:
    """Log strengths (..., k) at the posterior mode, and the curvature there (..., k + 1, k + 1; last the ties).

    Raises:
        DisconnectedError: the pairs fall apart into groups.
        RuntimeError: Newton's steps did not come to rest.
    """
    if pairs.groups().max(initial=0) > 0:
        raise DisconnectedError("the candidates fall into groups that never met; compare within a group")
    shape = counts.shape[:-2]
    counts = counts.reshape(-1, *counts.shape[-2:])
    n = counts.sum(-1)
    k, p = len(pairs.names), len(pairs.first)
    difference = np.zeros((p, k))
    difference[np.arange(p), pairs.first] += 1
    difference[np.arange(p), pairs.second] -= 1
    values = np.zeros((len(counts), k + 1))
    for _ in range(MAX_STEPS):
        half = values[:, :k] @ difference.T / 2
        logits = np.stack([half, -half, np.broadcast_to(values[:, k:], half.shape)], axis=-1)
        logits -= logits.max(-1, keepdims=True)
        share = np.exp(logits)
        share /= share.sum(-1, keepdims=True)
        lead, tie = (share[..., 0] - share[..., 1]) / 2, share[..., 2]
        gradient = -values / PRIOR_SD**2
        gradient[:, :k] += ((counts[..., 0] - counts[..., 1]) / 2 - n * lead) @ difference
        gradient[:, k] += (counts[..., 2] - n * tie).sum(-1)
        curvature = np.zeros((len(counts), k + 1, k + 1))
        weight = n * ((1 - tie) / 4 - lead**2)
        curvature[:, :k, :k] = (difference.T[None] * weight[:, None, :]) @ difference
        cross = -(n * lead * tie) @ difference
        curvature[:, :k, k] = curvature[:, k, :k] = cross
        curvature[:, k, k] = (n * tie * (1 - tie)).sum(-1)
        curvature += np.eye(k + 1) / PRIOR_SD**2
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        # far from the mode a whole step may overshoot
        longest = np.abs(step).max(-1, keepdims=True)
        values += step * np.minimum(1, 1 / np.maximum(longest, 1e-300))
        if longest.max(initial=0) < TOLERANCE:
            return values[:, :k].reshape(*shape, k), curvature.reshape(*shape, k + 1, k + 1)
    raise RuntimeError(f"the Bradley-Terry fit did not come to rest in {MAX_STEPS} steps")


def strengths(counts: pd.DataFrame) -> pd.DataFrame:
    """Log strengths in each mode, over all tasks ('all') and in each task, with intervals over runs.

    Intervals are Student's t (runs - 1 degrees of freedom) on the jackknife's standard error: percentiles of resampled
    runs, at five of them, cover a strength five times in six. They are no narrower than those of the posterior: where
    all runs agree, the jackknife would say that nothing is uncertain.

    Args:
        counts: task, mode, run, candidate_a, candidate_b, n_a, n_b, n_tie; a row a pair that met in a run.

    Returns:
        task, mode, candidate, log_strength (natural log, sum 0), low and high (95 % interval; NaN below
        three runs), n_comparisons, comparison_group, reason (why there is no strength; None = there is one).
    """
    frames = []
    with threadpool_limits(limits=1):
        for mode, of_mode in counts.groupby("mode", sort=True):
            scopes = [("all", of_mode), *of_mode.groupby("task", sort=True)]
            for task, rows in scopes:
                frames.append(_scope(rows).assign(task=task, mode=mode))
    return pd.concat(frames, ignore_index=True)[COLUMNS] if frames else pd.DataFrame(columns=COLUMNS)


def _scope(rows: pd.DataFrame) -> pd.DataFrame:
    pairs, by_run = _counts_by_run(rows)
    met = by_run.sum((0, 2))
    k = len(pairs.names)
    n_comparisons = np.bincount(pairs.first, met, k) + np.bincount(pairs.second, met, k)
    groups = pairs.groups()
    frame = pd.DataFrame(
        {
            "candidate": pairs.names,
            "n_comparisons": n_comparisons.astype(np.int64),
            "comparison_group": groups.astype(np.int64) + 1,
        }
    )
    nothing = np.full(k, np.nan)
    if groups.max(initial=0) > 0:
        reason = "candidates fall into groups that never met"
        return frame.assign(log_strength=nothing, low=nothing, high=nothing, reason=reason)
    estimate = fit(pairs, by_run.sum(0))
    low, high = nothing, nothing
    n_runs = len(by_run)
    if n_runs >= MIN_RUNS:
        without_each = fit(pairs, by_run.sum(0) - by_run)
        se = np.sqrt(n_runs - 1) * without_each.std(axis=0)
        over_runs = student.ppf(0.975, n_runs - 1) * se
        half = np.maximum(over_runs, norm.ppf(0.975) * posterior_sd(pairs, by_run.sum(0)))
        low, high = estimate - half, estimate + half
    return frame.assign(log_strength=estimate, low=low, high=high, reason=None)


def _counts_by_run(rows: pd.DataFrame) -> tuple[Pairs, Floats]:
    """The pairs, and counts (runs, pairs, outcomes), each axis sorted by name."""
    by_key = rows.groupby(["candidate_a", "candidate_b", "run"], sort=True)[list(OUTCOMES)].sum()
    wide = by_key.astype(float).unstack("run", fill_value=0.0)
    runs = wide.columns.get_level_values("run").unique()
    values = np.stack([wide[name][runs].to_numpy().T for name in OUTCOMES], axis=-1)
    first, second = (wide.index.get_level_values(name) for name in ("candidate_a", "candidate_b"))
    names = sorted(set(first) | set(second))
    place = {name: i for i, name in enumerate(names)}
    return Pairs(
        names, np.array([place[n] for n in first], np.intp), np.array([place[n] for n in second], np.intp)
    ), values
