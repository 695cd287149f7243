"""The power mean: S = (sum w theta^p)^(1/p) with theta = e^c (paper Eq. 6), all in logs.

Belongs here: that formula, for any power. Does not belong here: weights (weights.py), who is scored (score.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assets.suitability.weights import Floats, Weights

# below this share of what float64 can hold, a sum is taken in logs instead
FAINT = 1e-200
# |p c| under which e^(pc) - 1 is summed instead of e^(pc), which would lose its digits to 1 + small
SMALL = 0.5
# |p| that differs from 0 by nothing that float64 holds (by p/2 · var(c)), while p c itself may lose its digits
TINY = 1e-20


@dataclass(frozen=True)
class PoweredAbility:
    """Log abilities c (`log_ability`: dimensions × systems × draws) and what is needed of them at one power.

    Exponentials are taken once, however many activities, scopes and weights they are then averaged with. How they are
    taken is decided by system, so that none's figures depend on who stands beside it.
    """

    log_ability: Floats
    power: float

    @cached_property
    def scaled(self) -> Floats:
        scaled: Floats = self.power * self.log_ability
        return scaled

    @property
    def is_geometric(self) -> bool:
        return abs(self.power) < TINY

    @cached_property
    def is_small(self) -> NDArray[np.bool_]:
        """Of each system, whether all its p c are."""
        small: NDArray[np.bool_] = np.abs(self.scaled).max(axis=(0, 2), initial=0) < SMALL
        return small

    @cached_property
    def peak(self) -> Floats:
        """Largest p c over dimensions, systems × draws; taken out before the exponential."""
        peak: Floats = self.scaled.max(axis=0)
        return peak

    @cached_property
    def terms(self) -> Floats:
        """What is averaged with the weights at a power that is neither infinite nor faint."""
        if self.is_geometric:
            return self.log_ability
        terms = self.scaled - self.peak
        np.exp(terms, out=terms)
        terms[:, self.is_small] = np.expm1(self.scaled[:, self.is_small])
        return terms


def power_mean_log(ability: PoweredAbility, weights: Weights) -> Floats:
    """log S of one activity for each system and draw; no power and no ability overflows.

    Args:
        ability: of all systems, at the policy's power; 0 = geometric mean, inf / -inf = the largest / smallest
            ability that has a weight.
        weights: of the activity, over the same dimensions; of each draw they sum to 1.

    Returns:
        systems × draws.
    """
    power = ability.power
    if math.isinf(power):
        sign = math.copysign(1, power)
        has_none = np.isneginf(weights.log)[:, None, :]
        extreme: Floats = sign * np.where(has_none, -np.inf, sign * ability.log_ability).max(axis=0)
        return extreme
    # Plain einsum: one pass, always in the same order, and no matrix library whose threads change the last bits.
    total: Floats = np.einsum("ksd,kd->sd", ability.terms, weights.value)
    if ability.is_geometric:
        return total
    small = ability.is_small
    small_logs = np.log1p(total[small])
    # The peak may belong to a dimension with (next to) no weight; where that leaves too little, sum in logs.
    faint = ~small & (total.min(axis=1, initial=1) < FAINT)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_s: Floats = np.log(total, out=total)
    log_s += ability.peak
    log_s[small] = small_logs
    if faint.any():
        log_s[faint] = np.logaddexp.reduce(weights.log[:, None, :] + ability.scaled[:, faint], axis=0)
    log_s /= power
    return log_s
