"""Capability draws as one array: from the long table of the fit, thinned, or simulated from published means.

Belongs here: draws of log capability and their summaries.
Does not belong here: weights (weights.py) and what draws are mapped to (power_mean.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from assets.suitability.weights import Floats


@dataclass(frozen=True)
class JointDraws:
    """Draws of log capability: `values` is dimensions × systems × draws, names sorted.

    Draws come last everywhere in this slice: what is done a draw at a time is done to whole contiguous vectors.
    """

    systems: list[str]
    dimensions: list[str]
    values: Floats

    def __len__(self) -> int:
        return self.values.shape[2]

    def of(self, systems: Sequence[str]) -> JointDraws:
        """The same draws of some of the systems."""
        at = [self.systems.index(system) for system in systems]
        return JointDraws(list(systems), self.dimensions, np.ascontiguousarray(self.values[:, at]))

    def thinned(self, at_most: int) -> JointDraws:
        """At most that many draws, evenly spaced over all of them."""
        if len(self) <= at_most:
            return self
        kept = np.arange(at_most) * len(self) // at_most
        return JointDraws(self.systems, self.dimensions, np.ascontiguousarray(self.values[:, :, kept]))


def joint_draws(draws: pd.DataFrame) -> JointDraws:
    """Draws in long form (system, dimension, chain, draw, value) as one array; rows may come in any order.

    Raises:
        ValueError: a system × dimension lacks or repeats a draw, or a value is not finite.
    """
    draw = draws.groupby(["chain", "draw"]).ngroup().to_numpy()
    system, systems = pd.factorize(draws["system"], sort=True)
    dimension, dimensions = pd.factorize(draws["dimension"], sort=True)
    values = np.full((len(dimensions), len(systems), draw.max(initial=-1) + 1), np.nan)
    values[dimension, system, draw] = draws["value"].to_numpy(dtype=float)
    bad = np.argwhere(~np.isfinite(values).all(axis=2))
    if len(bad) or len(draws) != values.size:
        named = [f"{systems[s]} × {dimensions[d]}" for d, s in bad[:5]]
        raise ValueError(
            f"estimate.capability_draw: {len(draws)} rows where {values.shape[2]} draws × {len(systems)} systems × "
            f"{len(dimensions)} dimensions need {values.size}, or values that are missing or not finite "
            f"({named or 'repeated keys'}); fit all systems again"
        )
    return JointDraws(list(systems), list(dimensions), values)


def normal_draws(published: pd.DataFrame, n_draws: int, seed: int) -> JointDraws:
    """Independent normal draws around published means, as a Latin hypercube.

    Each margin is cut into `n_draws` equally likely slices with one draw in each: the same distribution as
    plain draws, with a Monte Carlo error of posterior means that is some fifty times smaller.

    Args:
        published: system, dimension, mean, sd (paper Table C6), each pair once.

    Raises:
        ValueError: a system lacks a dimension that another has.
    """
    from scipy.special import ndtri
    from scipy.stats import qmc

    means, sds = (
        published.pivot(index="dimension", columns="system", values=column).sort_index().sort_index(axis=1)
        for column in ("mean", "sd")
    )
    if means.isna().any(axis=None) or sds.isna().any(axis=None):
        raise ValueError("published capabilities: every system needs a mean and an SD on every dimension")
    uniform = qmc.LatinHypercube(means.size, rng=np.random.default_rng(seed)).random(n_draws)
    noise = ndtri(uniform.T).reshape(*means.shape, n_draws)
    values = means.to_numpy(dtype=float)[:, :, None] + sds.to_numpy(dtype=float)[:, :, None] * noise
    return JointDraws(list(means.columns), list(means.index), values)


def central_interval(values: Floats) -> tuple[Floats, Floats]:
    """2.5 % and 97.5 % quantiles over the last axis, linear between order statistics.

    They are numpy's quantiles. Whole rows are sorted: numpy does that with vector instructions, several times as fast
    as it puts four order statistics in their places.
    """
    ends = [share * (values.shape[-1] - 1) for share in (0.025, 0.975)]
    ordered = np.sort(values, axis=-1)
    low, high = (
        ordered[..., math.floor(end)]
        + (end - math.floor(end)) * (ordered[..., math.ceil(end)] - ordered[..., math.floor(end)])
        for end in ends
    )
    return low, high


def log_mean_exp(values: Floats) -> Floats:
    """Log of the mean of e^values over the last axis; no size of values overflows."""
    peak = values.max(axis=-1)
    scaled = values - peak[..., None]
    mean: Floats = np.log(np.exp(scaled, out=scaled).mean(axis=-1)) + peak
    return mean
