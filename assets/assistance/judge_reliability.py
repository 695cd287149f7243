"""How far judges can be trusted: their agreement, and intervals of their biases.

Belongs here: Krippendorff's alpha over scopes, resampling of round robins. Does not belong here:
counts and shares (dbt).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import krippendorff
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student

from assets.common.shares import wilson

OUTCOMES = ["n_a", "n_b", "n_tie"]
N_RESAMPLES = 2000
# percentiles of fewer resampled round robins are far too narrow
MIN_ROUND_ROBINS = 10


def agreement(pairs: pd.DataFrame) -> pd.DataFrame:
    """Krippendorff's nominal alpha of the judges' choices, overall, by mode, by task and by task and mode.

    Args:
        pairs: task, mode, n_a, n_b, n_tie; a row two deliverables, with how many judges chose which.

    Returns:
        scope_type (all, mode, task), scope, mode ('all' or the mode), krippendorff_alpha (NaN where no two judges
        judged the same two, or all choices are alike).
    """
    columns = ["scope_type", "scope", "mode", "krippendorff_alpha"]
    rows = [
        (scope_type, scope, mode, nominal_alpha(part[OUTCOMES].to_numpy(np.int64)))
        for scope_type, scope, mode, part in _scopes(pairs)
    ]
    return pd.DataFrame(rows, columns=columns)


def nominal_alpha(value_counts: NDArray[np.int64]) -> float:
    """Alpha of units (n, values): how many judges gave a unit each value. Units with one judge don't count."""
    pairable = value_counts[value_counts.sum(1) > 1]
    if (pairable.sum(0) > 0).sum() < 2:
        return np.nan
    return float(krippendorff.alpha(value_counts=pairable, level_of_measurement="nominal"))


def bias_intervals(counts: pd.DataFrame, seed_for: Callable[..., int]) -> pd.DataFrame:
    """95 % intervals of each judge's share for each bias.

    Percentiles over resampled round robins (task × mode × run), as verdicts on the same deliverables hang together.
    Below ten of them, Student's t on the ratio's linearised variance, widened to Wilson's interval where that is wider.
    Wilson's interval alone where round robins can't tell: only one, or the same share in each.

    Args:
        counts: judge, bias, task, mode, run, n_hits, n.
        seed_for: a seed for the step that the arguments name.

    Returns:
        judge, bias, q025, q975, interval ('bootstrap', 'student' or 'wilson').
    """
    rows = []
    for (judge, bias), part in counts.groupby(["judge", "bias"], sort=True):
        hits, n = part["n_hits"].to_numpy(float), part["n"].to_numpy(float)
        plain = wilson(hits.sum(), n.sum())
        if len(n) < 2 or np.ptp(hits / n) < 1e-12:
            rows.append((judge, bias, *plain, "wilson"))
        elif len(n) < MIN_ROUND_ROBINS:
            low, high = _clustered(hits, n)
            rows.append((judge, bias, min(low, plain[0]), max(high, plain[1]), "student"))
        else:
            rng = np.random.default_rng(seed_for("judge_bias", judge, bias))
            low, high = np.quantile(_resampled_shares(hits, n, rng), [0.025, 0.975])
            rows.append((judge, bias, low, high, "bootstrap"))
    return pd.DataFrame(rows, columns=["judge", "bias", "q025", "q975", "interval"])


def _clustered(hits: NDArray[np.float64], n: NDArray[np.float64]) -> tuple[float, float]:
    """Student's 95 % interval of sum(hits) / sum(n), within 0 to 1, over round robins as units (Cochran 1977, 6.4)."""
    n_robins = len(n)
    share = hits.sum() / n.sum()
    variance = n_robins / (n_robins - 1) * ((hits - share * n) ** 2).sum() / n.sum() ** 2
    half = float(student.ppf(0.975, n_robins - 1) * np.sqrt(variance))
    return max(0.0, float(share - half)), min(1.0, float(share + half))


def _resampled_shares(
    hits: NDArray[np.float64], n: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    # round robins with the same counts are drawn together: few draws, however many runs there are
    kinds, sizes = np.unique(np.column_stack([hits, n]), axis=0, return_counts=True)
    drawn = rng.multinomial(len(n), sizes / len(n), size=N_RESAMPLES) @ kinds
    return drawn[:, 0] / drawn[:, 1]


def _scopes(pairs: pd.DataFrame) -> Iterator[tuple[str, str, str, pd.DataFrame]]:
    if pairs.empty:
        return
    yield "all", "all", "all", pairs
    for mode, part in pairs.groupby("mode", sort=True):
        yield "mode", str(mode), str(mode), part
    for task, part in pairs.groupby("task", sort=True):
        yield "task", str(task), "all", part
    for key, part in pairs.groupby(["task", "mode"], sort=True):
        task_name, mode_name = map(str, key)
        yield "task", task_name, mode_name, part
