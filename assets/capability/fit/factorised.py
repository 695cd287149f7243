"""The factorised engine: one small importance-sampling fit a system, then the exact joint posterior through alpha.

Given the shared intercept the systems are independent, and all that the likelihood sees of a system is ease =
c + alpha. So each system is fitted alone, with alpha integrated out under its prior, and the fits are combined:
p(alpha | all) is proportional to p(alpha) times the product over systems of p(alpha | one system) / p(alpha). Each
factor is a mixture of normals in closed form, because alpha given a system's ease is conjugate normal.

Belongs here: that density and that combination. Does not belong here: how a
density is sampled (importance_sampling.py), the NUTS reference (nuts.py), files, Dagster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assets.capability.fit.importance_sampling import importance_sample
from assets.capability.fit.layout import Array, design_matrix
from assets.capability.fit.model import ModelOptions

# passes of items demanding a dimension that keep it from being one of several that may have been too low
FEW_PASSES = 10
# one log serves this many items: products of so many probabilities of ordinary items stay finite doubles
BLOCK_ITEMS, BLOCK_DRAWS = 256, 500
# rounds of rejection; at the bins' width most draws are taken in the first
MAX_ROUNDS = 10_000


@dataclass(frozen=True)
class SystemFit:
    """Weighted draws of one system's ease, alpha integrated out under its prior, and how good they are."""

    engine: str  # 'factorised', or 'nuts' where importance sampling did not do
    ease: Array  # (S, K)
    weight: Array  # (S,) sums to 1
    khat: float | None = None  # Pareto k of the weights; None for nuts
    rhat: float | None = None  # largest R-hat; None for factorised
    n_divergent: int | None = None
    efficiency: float = 1.0  # effective share of the draws themselves, below 1 where they are autocorrelated
    ebfmi: float | None = None  # smallest over chains; None for factorised
    # the prior of alpha that it was fitted under, N(mean, sd²); sd None: the model's own
    alpha_mean: float = 0.0
    alpha_sd: float | None = None

    @property
    def ess(self) -> float:
        """Kish's effective number of draws."""
        return self.efficiency / float(np.square(self.weight).sum())

    def alpha_given_ease(self, options: ModelOptions) -> tuple[Array, float]:
        """Mean (S,) and variance of the conjugate normal of alpha given each draw of ease."""
        precision = 1.0 / (self.alpha_sd or options.intercept_sd) ** 2
        variance = 1.0 / (precision + self.ease.shape[1] / options.sd**2)
        seen = (self.ease - options.mean).sum(axis=1) / options.sd**2
        return variance * (self.alpha_mean * precision + seen), variance

    def log_likelihood_of_alpha(self, alpha: Array, options: ModelOptions) -> Array:
        """log p(responses | alpha) at (G,) intercepts, up to a constant: posterior of alpha alone over its prior."""
        mean, variance = self.alpha_given_ease(options)
        with np.errstate(divide="ignore"):
            log_kernel = np.log(self.weight)[:, None] - 0.5 * (alpha - mean[:, None]) ** 2 / variance
        largest = log_kernel.max(axis=0)
        posterior = largest + np.log(np.exp(log_kernel - largest).sum(axis=0))
        prior = -0.5 * ((alpha - self.alpha_mean) / (self.alpha_sd or options.intercept_sd)) ** 2
        return np.asarray(posterior - prior)

    def ess_given_alpha(self, alpha: Array, options: ModelOptions) -> Array:
        """Effective draws of ease at each of (G,) intercepts."""
        mean, variance = self.alpha_given_ease(options)
        with np.errstate(divide="ignore"):
            log_weight = np.log(self.weight)[:, None] - 0.5 * (alpha - mean[:, None]) ** 2 / variance
        weight = np.exp(log_weight - log_weight.max(axis=0))
        return self.efficiency * weight.sum(axis=0) ** 2 / np.square(weight).sum(axis=0)


class _Items:
    """Log-likelihood of one system's responses as a function of its ease; alpha enters through the prior only."""

    def __init__(self, demand: Array, passed: Array, attempted: Array, options: ModelOptions) -> None:
        used = (attempted > 0) & (demand > 0).any(axis=1)
        self.tau, self.limit = options.tau, options.max_ease
        self.demand, self.passed, self.attempted = demand[used], passed[used], attempted[used]
        self.matrix = design_matrix(self.demand, options.tau, options.lam)
        if options.tau == 0:
            share = (self.demand > 0) / (self.demand > 0).sum(axis=1, keepdims=True)
            self.matrix = np.column_stack([share, options.lam * (share * self.demand).sum(axis=1)])
        single = (self.attempted <= 1) & ((self.passed == 0) | (self.passed == self.attempted))
        self.failed_single = single & (self.passed == 0)
        self.passed_single = single & (self.passed > 0)
        self.counted = ~single
        # the sum of K terms is divided by their number: no odds exceed those of the hardest demand alone
        steepest = self.limit + options.lam * demand.max(initial=0.0)
        self.group = max(1, int(700 / steepest))

    def value_and_gradient(self, ease: Array) -> tuple[float, Array]:
        """At one (K,) ease."""
        weight = self._terms(ease)
        total = self.matrix @ weight
        odds = self._odds(total)
        failed = self.attempted - self.passed
        value = float(failed @ np.log(odds) - self.attempted @ np.log1p(odds))
        if self.tau == 0:
            return value, -(self.matrix[:, :-1].T @ (failed - self.attempted * odds / (1 + odds)))
        by_total = (failed - self.attempted * odds / (1 + odds)) / total / self.tau
        return value, -self.tau * weight * (self.matrix.T @ by_total)

    def log_likelihood(self, ease: Array) -> Array:
        """At (S, K) eases: (S,). Blocks keep memory flat in items and draws."""
        value = np.zeros(len(ease))
        for start in range(0, len(ease), BLOCK_DRAWS):
            block = slice(start, start + BLOCK_DRAWS)
            weight = self._terms(ease[block]).T
            for rows, is_failed in ((self.failed_single, True), (self.passed_single, False)):
                value[block] += self._singles(self.matrix[rows], weight, is_failed)
            value[block] += self._counts(weight)
        return value

    def _terms(self, ease: Array) -> Array:
        """(..., K) ease to what the matrix multiplies; at tau = 0 one more, a 1 for the mean demand."""
        bounded = np.clip(ease, -self.limit, self.limit)
        if self.tau == 0:
            return np.concatenate([-bounded, np.ones((*ease.shape[:-1], 1))], axis=-1)
        return np.exp(-self.tau * bounded)

    def _odds(self, total: Array) -> Array:
        """Failure odds; at tau = 0 `total` is the mean of the demanded dimensions' margins, negated."""
        if self.tau == 0:
            return np.exp(total)
        return total if self.tau == 1 else total ** (1 / self.tau)

    def _singles(self, matrix: Array, weight: Array, is_failed: bool) -> Array:
        # log of products of probabilities: logarithms are what the likelihood costs most
        value = np.zeros(weight.shape[1])
        for start in range(0, len(matrix), BLOCK_ITEMS):
            odds = self._odds(matrix[start : start + BLOCK_ITEMS] @ weight)
            factor = odds / (1 + odds) if is_failed else 1 + odds
            whole = len(factor) // self.group * self.group
            grouped = np.multiply.reduce(factor[:whole].reshape(-1, self.group, factor.shape[1]), axis=1)
            logs = np.log(grouped).sum(axis=0) + np.log(factor[whole:]).sum(axis=0)
            value += logs if is_failed else -logs
        return value

    def _counts(self, weight: Array) -> Array:
        value = np.zeros(weight.shape[1])
        rows = np.flatnonzero(self.counted)
        for start in range(0, len(rows), BLOCK_ITEMS):
            block = rows[start : start + BLOCK_ITEMS]
            odds = self._odds(self.matrix[block] @ weight)
            value += (self.attempted[block] - self.passed[block]) @ np.log(odds)
            value -= self.attempted[block] @ np.log1p(odds)
        return value


def fit_system(demand: Array, passed: Array, attempted: Array, options: ModelOptions, seed: int) -> SystemFit:
    """Fit one system alone by importance sampling.

    Args:
        demand: (J, K) demand rows; rows without any demand say nothing about ease and are left to `combine`.
        passed: (J,) sum of scores at each row.
        attempted: (J,) scored responses at each row.
    """
    items = _Items(demand, passed, attempted, options)
    k = demand.shape[1]
    spread, alpha_spread = options.sd**2, options.intercept_sd**2
    # precision of ease with alpha integrated out: (sd² I + intercept_sd² 11')^-1
    precision = np.eye(k) / spread - np.ones((k, k)) / spread**2 / (1 / alpha_spread + k / spread)

    def negative(ease: Array) -> tuple[float, Array]:
        value, gradient = items.value_and_gradient(ease)
        away = ease - options.mean
        return -(value - 0.5 * away @ precision @ away), -(gradient - precision @ away)

    def log_density(ease: Array) -> Array:
        away = ease - options.mean
        return items.log_likelihood(ease) - 0.5 * np.einsum("sk,kl,sl->s", away, precision, away)

    rng = np.random.default_rng(seed)
    starts = [np.full(k, options.mean), *_starts_of_other_modes(items, options, rng)]
    ease, weight, khat = importance_sample(
        log_density, negative, starts, 1 / (spread + k * alpha_spread), rng
    )
    return SystemFit("factorised", ease, weight, khat)


def _starts_of_other_modes(items: _Items, options: ModelOptions, rng: np.random.Generator) -> list[Array]:
    """Where a search for modes should start as well: none where enough passes hold every dimension up.

    Failures alone don't tell which of the dimensions that an item demands was too low: each may be a mode.
    """
    is_open = (items.passed @ (items.demand > 0) < FEW_PASSES) & (items.demand > 0).any(axis=0)
    if is_open.sum() < 2 or not (items.attempted > items.passed).any():
        return []
    low = options.mean - 5 * options.sd * np.diag(is_open)[is_open]
    mixed = options.mean - 5 * options.sd * (is_open & (rng.random((len(is_open), len(is_open))) < 0.5))
    return [*low, *mixed]


@dataclass(frozen=True)
class JointPosterior:
    """The shared intercept's posterior on a grid, and how much each system's fit still says under it."""

    alpha: Array  # (G,) grid
    mass: Array  # (G,) sums to 1
    ess: dict[str, float]  # system -> effective draws, averaged over alpha

    @property
    def mean(self) -> float:
        return float(self.mass @ self.alpha)

    @property
    def sd(self) -> float:
        return float(np.sqrt(self.mass @ (self.alpha - self.mean) ** 2))


def combine(
    fits: Mapping[str, SystemFit], idle: tuple[float, float], options: ModelOptions
) -> JointPosterior:
    """p(alpha | all systems) from the systems' own fits.

    Args:
        fits: one fit a system.
        idle: (passed, attempted) summed over responses to items that demand nothing: their log-odds are alpha.
    """
    passed, attempted = idle

    def log_density(alpha: Array) -> Array:
        value = -0.5 * (alpha / options.intercept_sd) ** 2
        value += passed * alpha - attempted * np.logaddexp(0, alpha)
        for fit in fits.values():
            value += fit.log_likelihood_of_alpha(alpha, options)
        return np.asarray(value)

    # from all that any system allows, narrowed to where the mass is
    reach = [_mean_and_sd(fit.weight, *fit.alpha_given_ease(options)) for fit in fits.values()]
    low, high = min(m - 8 * s for m, s in reach), max(m + 8 * s for m, s in reach)
    for points in (201, 201, 161):
        grid = np.linspace(low, high, points)
        mass = _normalised(log_density(grid))
        mean, sd = float(mass @ grid), float(np.sqrt(mass @ (grid - mass @ grid) ** 2))
        half = 6 * max(sd, (high - low) / points)
        low, high = mean - half, mean + half
    ess = {name: float(mass @ fit.ess_given_alpha(grid, options)) for name, fit in fits.items()}
    return JointPosterior(grid, mass, ess)


def intercept_without_systems(idle: tuple[float, float], options: ModelOptions) -> Array:
    """Prior of alpha and items that demand nothing, as a normal: (precision, precision x mean)."""
    grid = options.intercept_sd * np.linspace(-8, 8, 2001)
    passed, attempted = idle
    value = -0.5 * (grid / options.intercept_sd) ** 2 + passed * grid - attempted * np.logaddexp(0, grid)
    mean, sd = _mean_and_sd(_normalised(value), grid, (grid[1] - grid[0]) ** 2 / 12)
    return np.array([1, mean]) / sd**2


def said_of_alpha(fit: SystemFit, options: ModelOptions) -> Array:
    """A system's likelihood of alpha as a normal: (precision, precision x mean); its posterior over its prior."""
    mean, sd = _mean_and_sd(fit.weight, *fit.alpha_given_ease(options))
    prior = (fit.alpha_sd or options.intercept_sd) ** -2
    # a posterior as wide as its prior says nothing
    return np.array([max(1 / sd**2 - prior, 0.0), mean / sd**2 - fit.alpha_mean * prior])


def _mean_and_sd(weight: Array, mean: Array, variance: float) -> tuple[float, float]:
    centre = float(weight @ mean)
    return centre, float(np.sqrt(variance + weight @ (mean - centre) ** 2))


def _normalised(log_density: Array) -> Array:
    mass = np.exp(log_density - log_density.max())
    return np.asarray(mass / mass.sum())


def joint_draws(
    fits: Mapping[str, SystemFit],
    joint: JointPosterior,
    options: ModelOptions,
    n_draws: int,
    seed_of: Callable[[str], int],
) -> tuple[Array, dict[str, Array]]:
    """Equally weighted joint draws: alpha (S,) and, for each system, log capabilities c (S, K).

    Each system draws with a seed of its own, so that one more system changes the others through alpha alone.
    """
    rng = np.random.default_rng(seed_of("intercept"))
    step = np.concatenate([[0.0], np.cumsum((joint.mass[1:] + joint.mass[:-1]) / 2)])
    alpha = np.interp((np.arange(n_draws) + rng.random(n_draws)) / n_draws, step / step[-1], joint.alpha)
    rng.shuffle(alpha)
    capability = {}
    for name, fit in fits.items():
        own = np.random.default_rng(seed_of(name))
        mean, variance = fit.alpha_given_ease(options)
        # only draws of some weight cost time: those left out hold less than one in a million together
        kept = np.flatnonzero(fit.weight > 1e-6 / len(fit.weight))
        try:
            chosen = _draws_given_alpha(np.log(fit.weight[kept]), mean[kept], variance, alpha, own)
        except ValueError as fault:
            raise ValueError(
                f"{name!r} can't be joined with the other systems: {fault}. "
                "Forget its fit (`suitability wipe`) and refresh; if it comes back, use SUITABILITY_ENGINE=nuts."
            ) from fault
        capability[name] = fit.ease[kept[chosen]] - alpha[:, None]
    return alpha, capability


def _draws_given_alpha(
    log_weight: Array, mean: Array, variance: float, alpha: Array, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """(S,) which draw goes with each alpha: with probability in proportion to weight times kernel, exactly.

    Alphas of one narrow bin share the probabilities at its centre; what those miss is made up by rejection.

    Raises:
        ValueError: nothing can be chosen: weights, means or alphas are not finite, or miss each other.
    """
    if not (len(mean) and all(np.isfinite(given).all() for given in (log_weight, mean, alpha))):
        raise ValueError("the weighted draws of a fit or the joint intercept are not finite")
    width = np.sqrt(variance) / 50
    bins = np.floor(alpha / width)
    order = np.argsort(bins, kind="stable")
    chosen = np.empty(len(alpha), dtype=np.int64)
    for waiting in np.split(order, np.flatnonzero(np.diff(bins[order])) + 1):
        centre = (bins[waiting[0]] + 0.5) * width
        log_given = log_weight - 0.5 * (centre - mean) ** 2 / variance
        cumulative = np.cumsum(np.exp(log_given - log_given.max()))
        for _ in range(MAX_ROUNDS):
            if not len(waiting):
                break
            uniform = rng.random(len(waiting)) * cumulative[-1]
            found = np.minimum(np.searchsorted(cumulative, uniform, side="right"), len(mean) - 1)
            offset, twice = alpha[waiting] - centre, alpha[waiting] + centre
            # kernel at alpha over kernel at the centre: its logarithm is linear in the mean
            log_ratio = offset * (2 * mean[found] - twice) / (2 * variance)
            largest = np.maximum(offset * (2 * mean.min() - twice), offset * (2 * mean.max() - twice))
            is_taken = rng.random(len(waiting)) < np.exp(log_ratio - largest / (2 * variance))
            chosen[waiting[is_taken]] = found[is_taken]
            waiting = waiting[~is_taken]
        else:
            raise ValueError(f"no draw goes with an intercept of {centre:.4g} after {MAX_ROUNDS} rounds")
    return chosen
