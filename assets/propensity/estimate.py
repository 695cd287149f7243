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

from assets.propensity.grid import has_another_maximum, position_grid, quantiles
from assets.propensity.two_by_two import (
    boundary_slope_log,
    check_bands,
    outcome_curvatures,
    outcome_logs,
    with_open_ends,
)

Array = npt.NDArray[np.float64]
Objective = Callable[[Array], Array]

FIT = ["system", "incitation"]
BAND = ["lower", "upper"]
PRIOR_SD = 2.0
# where positions are looked for: the scale and as much again on either side; the posterior reaches four prior SDs
RANGE = 6.0
STEP = 0.02
GOLDEN_STEPS = 32
# log units within which another maximum is as good as the best one, and the standard errors it must be away
RIVAL_LOG, RIVAL_SES = 3.0, 2.0
# less information than this says nothing: the standard error would be wider than the range
LEAST_INFORMATION = 1 / RANGE**2
SLOPES = (0.2, 5.0)

POSITION_COLUMNS = [
    *("propensity", "system", "incitation", "estimate", "se", "q025", "q975", "slope"),
    *(
        "n_items",
        "n_uninformative",
        "n_trials",
        "n_passed",
        "is_saturated",
        "is_ambiguous",
        "is_slope_at_bound",
    ),
]
FITTED_COLUMNS = ["propensity", *FIT, *BAND, "n_trials", "n_passed", "fitted"]


@dataclass(frozen=True)
class Estimates:
    """`position`: a row a propensity × system × incitation; `fitted`: the same × band."""

    position: pd.DataFrame
    fitted: pd.DataFrame


@dataclass(frozen=True)
class Outcomes:
    """Counts of one propensity: `fits` n rows, `bands` k rows as printed, `passed` and `failed` trials n × k.

    `fits` has n_items and n_uninformative, which count items however often they were tried. `lower`, `upper` are the k
    bounds with open ends at infinity.
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
        responses: propensity, system, incitation, item, lower, upper, is_correct (0 or 1), a row a response. Each
            trial of an item counts.
        open_ends: a bound at -3 or 3 means no bound.
        lapse: probability of failure that every item keeps.
        free_slope: one slope a propensity is fitted too, by profile likelihood; standard errors and intervals
            take it for known. Otherwise it is 1.

    Returns:
        position: estimate NULL where no item says anything, else the maximum of the likelihood within -6..6, or of the
            posterior where the outcomes are all alike or that maximum lies at the border (is_saturated);
            se from the observed information, NULL where that says nothing; q025 and q975 quantiles of the posterior
            under a normal prior (0, 2^2); counts of items, and of trials; is_ambiguous where another maximum is less
            than 3 log units lower and more than 2 se away; is_slope_at_bound. fitted: trials, passes and the
            model's probability a band.

    Raises:
        BandError: a band is too narrow, empty, NaN or off the scale.
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
    bands = of_band.size().reset_index()[BAND]
    counts = np.zeros((2, of_fit.ngroups, len(bands)))
    is_correct = responses["is_correct"].to_numpy(dtype=int)
    np.add.at(counts, (is_correct, of_fit.ngroup().to_numpy(), of_band.ngroup().to_numpy()), 1)
    low, high = bands["lower"].to_numpy(), bands["upper"].to_numpy()
    if open_ends:
        low, high = with_open_ends(low, high)
    is_open = (np.isinf(low) & np.isinf(high))[of_band.ngroup().to_numpy()]
    of_items = responses.assign(is_open=is_open).drop_duplicates([*FIT, "item"]).groupby(FIT, sort=True)
    fits = of_items["is_open"].agg(n_items="size", n_uninformative="sum").astype(int).reset_index()
    return Outcomes(fits, bands, low, high, passed=counts[1], failed=counts[0])


def likelihood_log(outcomes: Outcomes, theta: Array, slope: float, lapse: float) -> Array:
    """Log likelihood of n fits at a grid of g positions: n × g."""
    succeeds, fails = outcome_logs(
        theta[None, :], outcomes.lower[:, None], outcomes.upper[:, None], slope, lapse
    )
    return outcomes.passed @ succeeds + outcomes.failed @ fails


def positions_to_try(outcomes: Outcomes, slope: float = 1.0) -> Array:
    """Ascending positions from -8 to 8 on which the curves of bounded bands can be summed up."""
    is_two_sided = np.isfinite(outcomes.lower) & np.isfinite(outcomes.upper)
    radius = np.where(is_two_sided, (outcomes.upper - outcomes.lower) / 2, 1.0)
    steep = np.where(is_two_sided, np.exp(boundary_slope_log(radius, slope)), slope)
    return position_grid(outcomes.lower, outcomes.upper, 1 / steep, reach=4 * PRIOR_SD, step=STEP)


def _estimate_propensity(
    outcomes: Outcomes, lapse: float, free_slope: bool
) -> tuple[pd.DataFrame, pd.DataFrame]:
    known = outcomes.informative()
    slope = _best_slope(known, lapse) if free_slope else 1.0
    grid = positions_to_try(known, slope)
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
    information = _information(known, best, slope, lapse)
    has_se = (n_known > 0) & ~is_saturated & (information > LEAST_INFORMATION)
    se = np.where(has_se, 1 / np.sqrt(np.where(has_se, information, 1.0)), np.nan)
    q025, q975 = quantiles(log_likelihood + log_prior, grid, (0.025, 0.975))
    curve = log_likelihood + weight[:, None] * log_prior
    is_ambiguous = has_another_maximum(curve, grid, best, RIVAL_SES * np.nan_to_num(se), RIVAL_LOG)

    position = outcomes.fits.assign(
        estimate=np.where(n_known > 0, best, np.nan),
        se=se,
        q025=q025,
        q975=q975,
        slope=slope,
        n_trials=(outcomes.passed + outcomes.failed).sum(axis=1).astype(int),
        n_passed=outcomes.passed.sum(axis=1).astype(int),
        is_saturated=is_saturated,
        is_ambiguous=is_ambiguous,
        is_slope_at_bound=bool(np.abs(np.log(slope / np.array(SLOPES))).min() < 0.01),
    )
    return position, _fitted(outcomes, best, n_known > 0, slope, lapse)


def _information(outcomes: Outcomes, theta: Array, slope: float, lapse: float) -> Array:
    """Observed information of n fits at their positions."""
    passing, failing = outcome_curvatures(
        theta[:, None], outcomes.lower[None, :], outcomes.upper[None, :], slope, lapse
    )
    information: Array = -(outcomes.passed * passing + outcomes.failed * failing).sum(axis=1)
    return information


def _fitted(
    outcomes: Outcomes, theta: Array, is_known: npt.NDArray[np.bool_], slope: float, lapse: float
) -> pd.DataFrame:
    """A row a fit × band that it answered; `fitted` NULL where the fit has no position and the band is bounded."""
    logs = outcome_logs(theta[:, None], outcomes.lower[None, :], outcomes.upper[None, :], slope, lapse)[0]
    probability = np.where(is_known[:, None] | ~outcomes.is_informative[None, :], np.exp(logs), np.nan)
    n_trials = outcomes.passed + outcomes.failed
    fit, band = np.nonzero(n_trials)
    return pd.concat(
        [
            outcomes.fits.iloc[fit][FIT].reset_index(drop=True),
            outcomes.bands.iloc[band].reset_index(drop=True),
            pd.DataFrame(
                {
                    "n_trials": n_trials[fit, band].astype(int),
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


def _best_slope(outcomes: Outcomes, lapse: float) -> float:
    """The slope whose best positions explain all fits of the propensity best; 1 where every fit is all or nothing."""
    from scipy.optimize import minimize_scalar  # heavy, and only of use here

    has_both = (outcomes.passed.sum(axis=1) > 0) & (outcomes.failed.sum(axis=1) > 0)
    if not has_both.any():
        return 1.0
    grid = positions_to_try(outcomes)
    inner = grid[np.abs(grid) <= RANGE]

    def loss(slope_log: float) -> float:
        return -float(likelihood_log(outcomes, inner, float(np.exp(slope_log)), lapse).max(axis=1).sum())

    found = minimize_scalar(
        loss,
        bounds=(float(np.log(SLOPES[0])), float(np.log(SLOPES[1]))),
        method="bounded",
        options={"xatol": 1e-3},
    )
    return float(np.exp(found.x))
