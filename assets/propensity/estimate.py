"""Positions of systems on propensity scales: maximum likelihood, standard error and posterior interval of each fit.

Belongs here: everything between outcomes on items with bands and a position with its uncertainty. Does not belong here:
the response curve (two_by_two.py), and which responses count (dbt).

A fit is one system under one incitation; all fits of a propensity see the same bands, so outcomes collapse to counts
of passes and failures a band, and the log likelihood of all fits on a grid is two matrix products. The paper starts an
optimiser at the maximum of the empirical success curve; the likelihood has several humps, and the whole grid, which
costs no more here, starts at the highest one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.propensity.two_by_two import check_bands, outcome_logs, with_open_ends

Array = npt.NDArray[np.float64]
Objective = Callable[[Array], Array]

FIT = ["system", "incitation"]
BAND = ["lower", "upper"]
PRIOR_SD = 2.0
# where positions are looked for: the scale and as much again on either side; the posterior reaches four prior SDs
RANGE = 6.0
STEP = 0.02
GOLDEN_STEPS = 32
CURVATURE_STEP = 1e-3
SLOPES = (0.2, 5.0)

POSITION_COLUMNS = [
    *("propensity", "system", "incitation", "estimate", "se", "q025", "q975", "slope"),
    *("n_items", "n_uninformative", "n_passed", "is_saturated"),
]
FITTED_COLUMNS = ["propensity", *FIT, *BAND, "n_items", "n_passed", "fitted"]


@dataclass(frozen=True)
class Estimates:
    """`position`: a row a propensity × system × incitation; `fitted`: the same × band."""

    position: pd.DataFrame
    fitted: pd.DataFrame


@dataclass(frozen=True)
class Outcomes:
    """Counts of one propensity: `fits` n rows, `bands` k rows as printed, `passed` and `failed` n × k.

    `lower`, `upper` are the k bounds with open ends at infinity.
    """

    fits: pd.DataFrame
    bands: pd.DataFrame
    lower: Array
    upper: Array
    passed: Array
    failed: Array

    @property
    def is_informative(self) -> npt.NDArray[np.bool_]:
        """k: whether a band is bounded at all; one open at both ends holds for every position."""
        return np.isfinite(self.lower) | np.isfinite(self.upper)

    def informative(self) -> Outcomes:
        """The same fits on bounded bands alone."""
        kept = self.is_informative
        return Outcomes(
            self.fits,
            self.bands.loc[kept],
            self.lower[kept],
            self.upper[kept],
            self.passed[:, kept],
            self.failed[:, kept],
        )


def estimate(
    responses: pd.DataFrame, *, open_ends: bool = True, lapse: float = 1e-6, free_slope: bool = False
) -> Estimates:
    """Positions of every system on every propensity under every incitation, and the success they give a band.

    Args:
        responses: propensity, system, incitation, item, lower, upper, is_correct (0 or 1), a row a response.
        open_ends: a bound at -3 or 3 means no bound.
        lapse: probability of failure that every item keeps.
        free_slope: one slope a propensity is fitted too, by profile likelihood; standard errors and intervals
            take it for known. Otherwise it is 1.

    Returns:
        position: estimate NULL where no item says anything, else the maximum of the likelihood within -6..6, or of the
            posterior where the outcomes are all alike or that maximum lies at the border (is_saturated);
            se from the observed information, NULL where there is no curvature; q025 and q975 quantiles of the posterior
            under a normal prior (0, 2^2); counts. fitted: items, passes and the model's probability a band.

    Raises:
        BandError: a band is empty, NaN or off the scale.
    """
    positions, fitted = [], []
    for propensity, group in responses.groupby("propensity", sort=True):
        outcomes = count_outcomes(group, open_ends=open_ends)
        position, curve = _estimate_propensity(outcomes, lapse, free_slope)
        positions.append(position.assign(propensity=propensity))
        fitted.append(curve.assign(propensity=propensity))
    if not positions:
        return Estimates(pd.DataFrame(columns=POSITION_COLUMNS), pd.DataFrame(columns=FITTED_COLUMNS))
    return Estimates(
        pd.concat(positions, ignore_index=True)[POSITION_COLUMNS],
        pd.concat(fitted, ignore_index=True)[FITTED_COLUMNS],
    )


def count_outcomes(responses: pd.DataFrame, *, open_ends: bool = True) -> Outcomes:
    """The responses of one propensity as counts; columns as `estimate`.

    Raises:
        BandError: as `estimate`.
    """
    check_bands(responses["lower"], responses["upper"], responses["item"].tolist())
    of_fit = responses.groupby(FIT, sort=True)
    of_band = responses.astype(dict.fromkeys(BAND, float)).groupby(BAND, sort=True)
    # in the order of ngroup
    fits, bands = of_fit.size().reset_index()[FIT], of_band.size().reset_index()[BAND]
    counts = np.zeros((2, len(fits), len(bands)))
    is_correct = responses["is_correct"].to_numpy(dtype=int)
    np.add.at(counts, (is_correct, of_fit.ngroup().to_numpy(), of_band.ngroup().to_numpy()), 1)
    low, high = bands["lower"].to_numpy(), bands["upper"].to_numpy()
    if open_ends:
        low, high = with_open_ends(low, high)
    return Outcomes(fits, bands, low, high, passed=counts[1], failed=counts[0])


def likelihood_log(outcomes: Outcomes, theta: Array, slope: float, lapse: float) -> Array:
    """Log likelihood of n fits at a grid of g positions: n × g."""
    succeeds, fails = outcome_logs(
        theta[None, :], outcomes.lower[:, None], outcomes.upper[:, None], slope, lapse
    )
    return outcomes.passed @ succeeds + outcomes.failed @ fails


def position_grid(outcomes: Outcomes) -> Array:
    """Ascending positions from -8 to 8, with each band's bounds and middle: a band below the step is seen too."""
    reach = 4 * PRIOR_SD
    even = np.linspace(-reach, reach, round(2 * reach / STEP) + 1)
    ends = np.concatenate([outcomes.lower, outcomes.upper, (outcomes.lower + outcomes.upper) / 2])
    return np.unique(np.concatenate([even, ends[np.isfinite(ends)]]))


def _estimate_propensity(
    outcomes: Outcomes, lapse: float, free_slope: bool
) -> tuple[pd.DataFrame, pd.DataFrame]:
    known = outcomes.informative()
    grid = position_grid(known)
    slope = _best_slope(known, grid, lapse) if free_slope else 1.0
    log_likelihood = likelihood_log(known, grid, slope, lapse)
    log_prior = -0.5 * (grid / PRIOR_SD) ** 2

    inner = np.flatnonzero(np.abs(grid) <= RANGE)
    top = inner[log_likelihood[:, inner].argmax(axis=1)]
    n_passed, n_failed = known.passed.sum(axis=1), known.failed.sum(axis=1)
    n_known = n_passed + n_failed
    is_saturated = (n_passed == 0) | (n_failed == 0) | np.isin(top, inner[[0, -1]])
    # a saturated likelihood has no maximum of its own; the prior gives it one
    mode = (log_likelihood + log_prior).argmax(axis=1)
    top = np.where(is_saturated, mode, top)
    weight = np.where(is_saturated, 1.0, 0.0)

    def objective(theta: Array) -> Array:
        return _at(known, theta, slope, lapse) - weight * 0.5 * (theta / PRIOR_SD) ** 2

    last = len(grid) - 1
    best = _golden(objective, grid[np.maximum(top - 1, 0)], grid[np.minimum(top + 1, last)])
    # the refined point is between the neighbours, but on a step the grid's own may be higher
    best = np.where(objective(best) >= objective(grid[top]), best, grid[top])
    h = CURVATURE_STEP
    information = -(objective(best + h) - 2 * objective(best) + objective(best - h)) / h**2
    has_se = (n_known > 0) & ~is_saturated & (information > 0)
    q025, q975 = _quantiles(log_likelihood + log_prior, grid, (0.025, 0.975))

    n_items = (outcomes.passed + outcomes.failed).sum(axis=1)
    position = outcomes.fits.assign(
        estimate=np.where(n_known > 0, best, np.nan),
        se=np.where(has_se, 1 / np.sqrt(np.where(has_se, information, 1.0)), np.nan),
        q025=q025,
        q975=q975,
        slope=slope,
        n_items=n_items.astype(int),
        n_uninformative=(n_items - n_known).astype(int),
        n_passed=outcomes.passed.sum(axis=1).astype(int),
        is_saturated=is_saturated,
    )
    return position, _fitted(outcomes, best, n_known > 0, slope, lapse)


def _fitted(
    outcomes: Outcomes, theta: Array, is_known: npt.NDArray[np.bool_], slope: float, lapse: float
) -> pd.DataFrame:
    """A row a fit × band that it answered; `fitted` NULL where the fit has no position and the band is bounded."""
    logs = outcome_logs(theta[:, None], outcomes.lower[None, :], outcomes.upper[None, :], slope, lapse)[0]
    probability = np.where(is_known[:, None] | ~outcomes.is_informative[None, :], np.exp(logs), np.nan)
    n_items = outcomes.passed + outcomes.failed
    fit, band = np.nonzero(n_items)
    return pd.concat(
        [
            outcomes.fits.iloc[fit].reset_index(drop=True),
            outcomes.bands.iloc[band].reset_index(drop=True),
            pd.DataFrame(
                {
                    "n_items": n_items[fit, band].astype(int),
                    "n_passed": outcomes.passed[fit, band].astype(int),
                    "fitted": probability[fit, band],
                }
            ),
        ],
        axis=1,
    )


def _at(outcomes: Outcomes, theta: Array, slope: float, lapse: float) -> Array:
    """Log likelihood of each of n fits at its own position."""
    succeeds, fails = outcome_logs(
        theta[:, None], outcomes.lower[None, :], outcomes.upper[None, :], slope, lapse
    )
    total: Array = (outcomes.passed * succeeds + outcomes.failed * fails).sum(axis=1)
    return total


def _golden(objective: Objective, left: Array, right: Array) -> Array:
    """The n maxima of `objective` between `left` and `right`, by golden sections."""
    ratio = (np.sqrt(5) - 1) / 2
    a, b = left.copy(), right.copy()
    for _ in range(GOLDEN_STEPS):
        c, d = b - ratio * (b - a), a + ratio * (b - a)
        is_left = objective(c) > objective(d)
        a, b = np.where(is_left, a, c), np.where(is_left, d, b)
    return (a + b) / 2


def _quantiles(log_density: Array, grid: Array, levels: tuple[float, ...]) -> list[Array]:
    """Quantiles of n densities given on a grid (n × g), linear between its points: n values a level."""
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    mass = (density[:, 1:] + density[:, :-1]) / 2 * np.diff(grid)
    below = np.concatenate([np.zeros((len(density), 1)), mass.cumsum(axis=1)], axis=1)
    below /= below[:, -1:]
    return [np.array([np.interp(level, row, grid) for row in below]) for level in levels]


def _best_slope(outcomes: Outcomes, grid: Array, lapse: float) -> float:
    """The slope whose best positions explain all fits of the propensity best."""
    from scipy.optimize import minimize_scalar  # heavy, and only of use here

    inner = grid[np.abs(grid) <= RANGE]
    if not len(outcomes.bands):
        return 1.0

    def loss(slope_log: float) -> float:
        return -float(likelihood_log(outcomes, inner, float(np.exp(slope_log)), lapse).max(axis=1).sum())

    found = minimize_scalar(
        loss,
        bounds=(float(np.log(SLOPES[0])), float(np.log(SLOPES[1]))),
        method="bounded",
        options={"xatol": 1e-3},
    )
    return float(np.exp(found.x))
