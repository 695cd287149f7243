"""How far the survey's importance matrices can be trusted: split halves within a sample, resamples of both.

Belongs here: random splits and resamples of respondents, and the correlations of the matrices they give.
Does not belong here: the matrices of the whole samples, their agreement, and the summary (SQL,
dbt/models/intermediate/work).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

RECRUITMENTS = ("company", "online")
# multiples of BATCH; the paper names no number. These keep reliabilities steady to .002, half-widths to .004
N_SPLITS = 4000
N_RESAMPLES = 4000
# draws made at a time: their matrices fit the processor's cache, their weights the memory
BATCH = 500
# beyond this |r| is perfect agreement up to rounding, and Fisher's z has no end
PERFECT = 1 - 1e-12


@dataclass(frozen=True)
class Sample:
    """One recruitment: selected (n, activities), 1 or 0, and points (n, activities × capabilities)."""

    selected: Floats
    points: Floats

    def matrices(self, weights: Floats) -> tuple[Floats, Booleans]:
        """Mean points under respondents' weights (draws, n), and which activities have raters.

        Returns:
            (draws, activities, capabilities), 0 without raters; and (draws, activities).
        """
        n_raters = weights @ self.selected
        totals = (weights @ self.points).reshape(*n_raters.shape, -1)
        return totals / np.maximum(n_raters, 1)[:, :, None], n_raters > 0


def importance_reliability(
    answers: pd.DataFrame, seed_for: Callable[..., int]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split-half reliability of each unit, and the bootstrap spread of the mean agreement (paper: Table B4).

    A unit is a capability (its vector of mean points over activities) or an activity (over capabilities). Rows of
    activities that nobody in a half or resample selected are left out of that half's or resample's comparison.

    Args:
        answers: respondent, recruitment (company or online), activity, capability, points; a row for each
            capability of each activity that a respondent selected; any order, any respondent ids.
        seed_for: a seed for the step that the arguments name.

    Returns:
        unit_type, unit, recruitment, reliability (Fisher-z mean over random splits into halves, Spearman-Brown, at
        least 0; NaN where no split gives |r| < 1), n_splits (those that do); and
        unit_type, pearson_sd (standard deviation of the Fisher-z mean over units; NaN where a sample has one
        respondent), n_resamples (those with a mean). No rows unless both samples have respondents.
    """
    samples, units = _samples(answers)
    reliability: list[pd.DataFrame] = []
    bootstrap: list[dict[str, object]] = []
    if len(samples) == len(RECRUITMENTS):
        with threadpool_limits(limits=1):
            for recruitment, sample in samples.items():
                rng = np.random.default_rng(seed_for("importance_split_half", recruitment))
                for unit_type, r in _split_halves(sample, rng).items():
                    values, n_splits = _split_half_reliability(r)
                    frame = pd.DataFrame(
                        {"unit": units[unit_type], "reliability": values, "n_splits": n_splits}
                    )
                    reliability.append(frame.assign(unit_type=unit_type, recruitment=recruitment))
            rng = np.random.default_rng(seed_for("importance_bootstrap"))
            for unit_type, means in _resampled_means(samples["company"], samples["online"], rng).items():
                sd = float(np.std(means, ddof=1)) if len(means) > 1 else np.nan
                bootstrap.append({"unit_type": unit_type, "pearson_sd": sd, "n_resamples": len(means)})
    columns = ["unit_type", "unit", "recruitment", "reliability", "n_splits"]
    return (
        pd.concat(reliability, ignore_index=True)[columns] if reliability else pd.DataFrame(columns=columns),
        pd.DataFrame(bootstrap, columns=["unit_type", "pearson_sd", "n_resamples"]),
    )


def _samples(answers: pd.DataFrame) -> tuple[dict[str, Sample], dict[str, list[str]]]:
    """The samples that have respondents, and the units of each type in the order of their axes."""
    activities, capabilities = (sorted(answers[column].unique()) for column in ("activity", "capability"))
    wide = answers.pivot(
        index=["recruitment", "respondent"], columns=["activity", "capability"], values="points"
    ).reindex(columns=pd.MultiIndex.from_product([activities, capabilities]))
    samples = {}
    for recruitment in RECRUITMENTS:
        points = wide[wide.index.get_level_values("recruitment") == recruitment].to_numpy(float)
        if len(points):
            # ids are hashes that differ between homes: ordered by what they said, draws meet the same respondents
            points = points[np.lexsort(np.nan_to_num(points, nan=-1.0).T)]
            by_activity = points.reshape(len(points), len(activities), len(capabilities))
            selected = (~np.isnan(by_activity).all(axis=2)).astype(float)
            samples[recruitment] = Sample(selected, np.nan_to_num(points))
    return samples, {"activity": activities, "capability": capabilities}


def _split_halves(sample: Sample, rng: np.random.Generator) -> dict[str, Floats]:
    """Unit type -> r between the halves (splits, units); one respondent can't be split: no splits."""
    n = len(sample.selected)
    found: list[dict[str, Floats]] = []
    for _ in range(0, N_SPLITS if n > 1 else 0, BATCH):
        half = rng.permuted(np.tile(np.arange(n) < n // 2, (BATCH, 1)), axis=1).astype(float)
        found.append(_unit_correlations(*sample.matrices(half), *sample.matrices(1 - half)))
    return _stacked(found, sample)


def _split_half_reliability(r: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Spearman-Brown of the Fisher-z mean over splits of r (splits, units), at least 0, and the splits in the mean."""
    z = _fisher(r)
    halves = np.maximum(np.tanh(_mean_defined(z, axis=0)), 0)
    return 2 * halves / (1 + halves), np.isfinite(z).sum(axis=0)


def _resampled_means(company: Sample, online: Sample, rng: np.random.Generator) -> dict[str, Floats]:
    """Unit type -> Fisher-z means over units of the agreement between resamples; none if a sample is one respondent."""
    sizes = len(company.selected), len(online.selected)
    found: list[dict[str, Floats]] = []
    for _ in range(0, N_RESAMPLES if min(sizes) > 1 else 0, BATCH):
        weights = [rng.multinomial(n, np.full(n, 1 / n), size=BATCH).astype(float) for n in sizes]
        found.append(_unit_correlations(*company.matrices(weights[0]), *online.matrices(weights[1])))
    means = {
        unit_type: np.tanh(_mean_defined(_fisher(r), axis=1))
        for unit_type, r in _stacked(found, company).items()
    }
    return {unit_type: values[np.isfinite(values)] for unit_type, values in means.items()}


def _stacked(found: list[dict[str, Floats]], sample: Sample) -> dict[str, Floats]:
    """The batches of each unit type under one another."""
    n_activities = sample.selected.shape[1]
    shapes = {"activity": n_activities, "capability": sample.points.shape[1] // n_activities}
    return {t: np.concatenate([np.empty((0, n)), *(batch[t] for batch in found)]) for t, n in shapes.items()}


def _unit_correlations(
    first: Floats, in_first: Booleans, second: Floats, in_second: Booleans
) -> dict[str, Floats]:
    """Unit type -> r (draws, units) of two matrices (draws, activities, capabilities) over the rows that both have."""
    in_both = (in_first & in_second)[:, :, None] & np.ones(first.shape, dtype=bool)
    return {
        "activity": _correlation(first, second, in_both, axis=2),
        "capability": _correlation(first, second, in_both, axis=1),
    }


def _correlation(x: Floats, y: Floats, counted: Booleans, axis: int) -> Floats:
    """Pearson's r along `axis` over the counted cells; NaN where either doesn't vary."""
    x, y = (_deviations(values, counted, axis) for values in (x, y))
    lengths = np.sqrt(np.square(x).sum(axis) * np.square(y).sum(axis))
    return np.divide((x * y).sum(axis), lengths, out=np.full(lengths.shape, np.nan), where=lengths > 0)


def _deviations(values: Floats, counted: Booleans, axis: int) -> Floats:
    """Counted cells minus their mean, all others 0; exactly 0 where what differs is rounding."""
    means = np.sum(values, axis, where=counted, keepdims=True) / np.maximum(
        counted.sum(axis, keepdims=True), 1
    )
    deviations = np.where(counted, values - means, 0.0)
    varies = np.abs(deviations).max(axis, keepdims=True) > 1e-9
    return np.where(varies, deviations, 0.0)


def _fisher(r: Floats) -> Floats:
    """Fisher's z; NaN where r is undefined or perfect."""
    return np.arctanh(np.where(np.abs(r) < PERFECT, r, np.nan))


def _mean_defined(values: Floats, axis: int) -> Floats:
    """Mean over the finite values; NaN where there are none."""
    n = np.isfinite(values).sum(axis)
    return np.divide(np.nansum(values, axis), n, out=np.full(n.shape, np.nan), where=n > 0)
