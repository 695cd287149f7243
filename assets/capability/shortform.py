"""A short form of the battery for people: the n items that tell most about every dimension at once.

D-optimal design: each item adds its Fisher information p(1-p)·w·wᵀ about the K log capabilities, where w is the
gradient of its log-odds (paper section 3.1.3, equations 1-3, at a known intercept). The form maximises the expected
log determinant of prior precision plus information over people drawn from the prior. That gain is monotone and
submodular, so a greedy choice reaches at least 1 - 1/e of the best (Nemhauser, Wolsey and Fisher 1978), and 1/2 under
caps.

Belongs here: the choice and what it is expected to tell. Does not belong here: files, answers, scoring, Dagster.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.capability.fit.layout import Array, item_logit
from assets.capability.fit.model import ModelOptions

KEY = ["benchmark", "item"]
N_PEOPLE = 64
# gains this close are one gain, whatever rounding made of them
TIE = 1e-12


@dataclass(frozen=True)
class ShortForm:
    """The chosen items, most telling first, and what the whole form is expected to tell.

    `items`: position (from 1), benchmark, item, dimensions (those it demands, joined by blanks), expected_information
    (nats by which it is expected to narrow the posterior, given the items before it).
    `dimensions`: dimension, n_battery_items and n_form_items that demand it, expected_contraction (1 - posterior
    over prior variance, averaged over people).
    """

    items: pd.DataFrame
    dimensions: pd.DataFrame
    n_asked: int
    n_telling: int  # items of the battery that tell anything: those that demand something
    cap: int  # most items of one benchmark

    def remarks(self) -> list[str]:
        """What a user should know of this form, in plain words; none where all is as asked."""
        told = []
        if len(self.items) < self.n_asked:
            why = (
                f"the battery has no more items that demand anything ({self.n_telling})"
                if len(self.items) == self.n_telling
                else f"at most {self.cap} items of one benchmark are taken: raise the cap for more"
            )
            told.append(f"{len(self.items)} items, not the {self.n_asked} asked for: {why}.")
        for row in self.dimensions.itertuples():
            if not row.n_battery_items:
                told.append(f"{row.dimension}: no item of the battery demands it; a form can't measure it.")
            elif not row.n_form_items:
                told.append(f"{row.dimension}: no item of this form demands it; a longer form would.")
        return told


def choose_items(
    demand: pd.DataFrame,
    options: ModelOptions,
    alpha: float,
    n_items: int,
    seed: int,
    cap: int | None = None,
    n_people: int = N_PEOPLE,
) -> ShortForm:
    """The short form of `n_items` items, or of all that tell anything where there are fewer.

    Args:
        demand: benchmark, item, dimension, demand (`int_demand`).
        alpha: the intercept, known from the latest fit.
        seed: of the people drawn from the prior.
        cap: most items of one benchmark; None = twice an even share, rounded up.
        n_people: draws that the expectation is taken over.

    Raises:
        ValueError: there is no item, or `n_items` or `cap` is below 1.
    """
    if n_items < 1 or (cap is not None and cap < 1):
        raise ValueError(f"a form of {n_items} items, at most {cap} of a benchmark: both must be at least 1")
    wide = demand.pivot(index=KEY, columns="dimension", values="demand").sort_index().sort_index(axis=1)
    if wide.empty:
        raise ValueError("the battery has no items with demands: refresh with ratings first")
    levels = wide.to_numpy(dtype=float)
    rows, row_of = np.unique(levels, axis=0, return_inverse=True)
    benchmark_of, benchmarks = pd.factorize(wide.index.get_level_values("benchmark"))
    cap = ceil(2 * n_items / len(benchmarks)) if cap is None else cap
    people = options.mean + options.sd * np.random.default_rng(seed).standard_normal(
        (n_people, levels.shape[1])
    )
    chosen, gains, covariance = _greedy(
        information_roots(people, alpha, rows, options), options.sd, row_of, benchmark_of, n_items, cap
    )
    names, active = wide.columns.to_numpy(dtype=object), levels > 0
    items = wide.index[chosen].to_frame(index=False)
    items.insert(0, "position", np.arange(1, len(chosen) + 1))
    items["dimensions"] = np.array([" ".join(names[own]) for own in active[chosen]], dtype=object)
    items["expected_information"] = gains
    variance = np.diagonal(covariance, axis1=1, axis2=2).mean(axis=0)
    told = pd.DataFrame(
        {
            "dimension": names,
            "n_battery_items": active.sum(axis=0),
            "n_form_items": active[chosen].sum(axis=0),
            "expected_contraction": 1 - variance / options.sd**2,
        }
    )
    return ShortForm(items, told, n_items, int(active.any(axis=1).sum()), cap)


def information_roots(people: Array, alpha: float, demand: Array, options: ModelOptions) -> Array:
    """(D, J, K) vectors v with v·vᵀ the Fisher information of item j about the log capabilities of person d.

    Args:
        people: (D, K) log capabilities.
        demand: (J, K) demands; an item without any gives zeros.
    """
    active = demand > 0
    roots = np.empty((len(people), *demand.shape))
    for root, c in zip(roots, people, strict=True):
        logit = item_logit(c, alpha, demand, options.tau, options.lam)
        margin = np.where(active, c - options.lam * demand, np.inf)
        weakest = margin.min(axis=1, keepdims=True)
        away = np.subtract(margin, weakest, out=np.zeros_like(margin), where=active)
        weight = np.where(active, np.exp(-options.tau * away), 0.0)
        weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
        # sqrt(p(1-p)), without an overflow
        spread = np.exp(-np.abs(logit) / 2) / (1 + np.exp(-np.abs(logit)))
        root[:] = spread[:, None] * weight
    return roots


def _greedy(
    roots: Array,
    prior_sd: float,
    row_of: npt.NDArray[np.int64],
    benchmark_of: npt.NDArray[np.int64],
    n_items: int,
    cap: int,
) -> tuple[list[int], list[float], Array]:
    """Items in the order of choice, the gain of each in nats, and the (D, K, K) covariances they leave.

    The determinant grows by the factor 1 + vᵀ·M⁻¹·v; that quadratic form is kept for all rows and brought up to date
    by the one vector that a choice changes M⁻¹ by. Of equal gains the first item in order of (benchmark, item) counts.
    """
    n_people, _, k = roots.shape
    covariance = np.tile(prior_sd**2 * np.eye(k), (n_people, 1, 1))
    quadratic = prior_sd**2 * np.einsum("djk,djk->dj", roots, roots)
    is_free = np.ones(len(row_of), dtype=bool)
    n_taken = np.zeros(benchmark_of.max() + 1, dtype=np.int64)
    chosen: list[int] = []
    gains: list[float] = []
    while len(chosen) < n_items:
        gain = 0.5 * np.log1p(quadratic).mean(axis=0)
        of_item = np.where(is_free, gain[row_of], 0.0)
        best = of_item.max()
        if best <= 0:
            break
        item = int(np.argmax(of_item >= best * (1 - TIE)))
        v = roots[:, row_of[item]]
        moved = np.einsum("dkl,dl->dk", covariance, v)
        scale = 1 + np.einsum("dk,dk->d", v, moved)
        covariance -= moved[:, :, None] * moved[:, None, :] / scale[:, None, None]
        quadratic -= np.square(roots @ moved[:, :, None])[:, :, 0] / scale[:, None]
        np.maximum(quadratic, 0.0, out=quadratic)
        chosen.append(item)
        gains.append(float(of_item[item]))
        is_free[item] = False
        n_taken[benchmark_of[item]] += 1
        if n_taken[benchmark_of[item]] >= cap:
            is_free &= benchmark_of != benchmark_of[item]
    return chosen, gains, covariance
