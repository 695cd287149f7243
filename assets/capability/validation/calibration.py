"""Simulation-based calibration: agents drawn from the prior, fitted by the engine in use, ranked in their posteriors.

If the engine is right, an agent's true capability is a draw from its posterior like any other: its rank among the
posterior draws is uniform and a 95 % interval holds it 95 % of the time, for whatever the prior gives.

Each fit draws an intercept, two systems and a set of items of its own, joins the two systems through the intercept,
and ranks the first system and the intercept only: ranks of systems that share an intercept depend on each other, and
a test of uniformity needs ranks that don't.

Belongs here: that simulation and its figures. Does not belong here: the engine (engine.py), files, Dagster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.capability.fit import engine
from assets.capability.fit.factorised import SystemFit
from assets.capability.fit.fit_quality import Thresholds
from assets.capability.fit.layout import Array, PooledResponses, pool_counts
from assets.capability.fit.model import ModelOptions
from assets.capability.fit.nuts import SamplerOptions
from assets.capability.validation.recovery import Battery, success

N_ITEMS, N_DRAWS, N_BINS = 500, 1000, 20
BAND = 0.95
LEVELS = (0.50, 0.80, 0.95)
INTERCEPT = "intercept"
SYSTEMS = ("first", "second")


def rank_share(draws: Array, truth: Array, rng: np.random.Generator) -> Array:
    """Share of the posterior below the truth, in (0, 1): (K,) from (S, K) draws. Jittered within its rank."""
    rank = (draws < truth).sum(axis=0)
    return np.asarray((rank + rng.random(len(truth))) / (len(draws) + 1))


def calibrate(
    battery: Battery,
    options: ModelOptions,
    thresholds: Thresholds,
    sampler: SamplerOptions,
    n_fits: int,
    seed_for: Callable[..., int],
    n_items: int = N_ITEMS,
) -> Iterator[pd.DataFrame]:
    """Ranks of one fit after the other: fit, dimension ('intercept' for alpha), rank_share, engine."""
    item_row = np.repeat(np.arange(len(battery.demand)), battery.n_items.astype(int))
    for fit in range(1, n_fits + 1):
        rng = np.random.default_rng(seed_for("calibration", fit))
        alpha = options.intercept_sd * rng.standard_normal()
        c = options.mean + options.sd * rng.standard_normal((2, len(battery.dimensions)))
        drawn = rng.choice(item_row, min(n_items, len(item_row)), replace=False)
        items = replace(battery, demand=battery.demand[drawn], n_items=np.ones(len(drawn)))
        passed = rng.binomial(1, success(c, alpha, items, options))
        responses = pool_counts(
            np.repeat(np.array(SYSTEMS, dtype=object), len(drawn)),
            np.tile(items.demand, (2, 1)),
            passed.ravel(),
            np.ones(passed.size),
            battery.dimensions,
        )

        def own_seed(name: str, _fit: int = fit) -> int:
            return seed_for("calibration", _fit, name)

        def fit_one(
            own: PooledResponses, prior: ModelOptions, _seed: Callable[[str], int] = own_seed
        ) -> SystemFit:
            return engine.fit_system(own, prior, thresholds, replace(sampler, seed=_seed(own.systems[0])))

        fits = {name: fit_one(engine.responses_of(responses, name), options) for name in SYSTEMS}
        posterior = engine.join(
            fits, responses, options, N_DRAWS, own_seed, refit=fit_one, min_ess=thresholds.min_ess
        )
        draws = np.column_stack([posterior.capability[0, :, 0], posterior.intercept[0]])
        yield pd.DataFrame(
            {
                "fit": fit,
                "dimension": [*battery.dimensions, INTERCEPT],
                "rank_share": rank_share(draws, np.append(c[0], alpha), rng),
                "engine": posterior.fits[0].engine,
            }
        )


def calibration(ranks: pd.DataFrame) -> pd.DataFrame:
    """Table estimate.calibration: dimension, level, coverage_share, expected_low, expected_high, n_fits, uniformity_p.

    coverage_share: share of fits whose central interval of that level holds the truth; expected_low to expected_high:
    where it lies in 95 of 100 analyses of an exact engine, each cell by itself. uniformity_p: chi-square over
    equal bins of the rank, p-values adjusted by Holm over the dimensions, so that .05 means one false alarm in twenty
    analyses, not in twenty dimensions.
    """
    from scipy.stats import chisquare

    columns = [
        "dimension",
        "level",
        "coverage_share",
        "expected_low",
        "expected_high",
        "n_fits",
        "uniformity_p",
    ]
    if ranks.empty:
        return pd.DataFrame(columns=columns)
    shares = {str(name): own.to_numpy() for name, own in ranks.groupby("dimension")["rank_share"]}
    p = {name: float(chisquare(histogram(own)).pvalue) for name, own in shares.items()}
    adjusted = holm(p)
    rows = [
        {
            "dimension": name,
            "level": level,
            "coverage_share": float((np.abs(own - 0.5) <= level / 2).mean()),
            "expected_low": expected_band(len(own), level)[0] / len(own),
            "expected_high": expected_band(len(own), level)[1] / len(own),
            "n_fits": len(own),
            "uniformity_p": adjusted[name],
        }
        for name, own in shares.items()
        for level in LEVELS
    ]
    return pd.DataFrame(rows, columns=columns)


def calibration_rank(ranks: pd.DataFrame) -> pd.DataFrame:
    """Table estimate.calibration_rank: dimension, bin (1 = lowest ranks), n_fits, expected_low, expected_high.

    The band holds the count of one bin in 95 of 100 analyses of an exact engine.
    """
    rows = []
    for name, own in ranks.groupby("dimension")["rank_share"]:
        low, high = expected_band(len(own), 1 / N_BINS)
        for n, count in enumerate(histogram(own.to_numpy())):
            rows.append((name, n + 1, int(count), low, high))
    return pd.DataFrame(rows, columns=["dimension", "bin", "n_fits", "expected_low", "expected_high"])


def expected_band(n: int, share: float) -> tuple[int, int]:
    """Central 95 % of a binomial count of `n` at `share`."""
    from scipy.stats import binom

    low, high = binom.interval(BAND, n, share)
    return int(low), int(high)


def histogram(shares: Array) -> npt.NDArray[np.int64]:
    """Counts of (0, 1) in `N_BINS` equal bins."""
    bins = np.minimum((shares * N_BINS).astype(np.int64), N_BINS - 1)
    return np.bincount(bins, minlength=N_BINS).astype(np.int64)


def holm(p: dict[str, float]) -> dict[str, float]:
    """p-values adjusted for their number (Holm 1979, A simple sequentially rejective multiple test procedure)."""
    adjusted, largest = {}, 0.0
    for rank, name in enumerate(sorted(p, key=lambda key: p[key])):
        largest = max(largest, min(1.0, (len(p) - rank) * p[name]))
        adjusted[name] = largest
    return adjusted
