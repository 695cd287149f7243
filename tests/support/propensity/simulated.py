"""Responses of systems whose positions are known, drawn from the textbook product of sigmoids.

Belongs here: drawing. Does not belong here: anything of the package: a model must not be tested by itself.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

INCITATIONS = ("-3", "-2", "-1", "0", "1", "2", "3", "none")
PROPENSITIES = ("extraversion", "red_blue", "risk", "ultracrepidarianism")


def probability(theta: np.ndarray, lower: np.ndarray, upper: np.ndarray, slope: float = 1.0) -> np.ndarray:
    """P by the paper's equation 5, a bound at -3 or 3 open; plain, so for widths of 1 and more only."""

    def sigmoid(x: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-x))

    r = (upper - lower) / 2
    steep = slope + np.exp(1 / r) - 1
    both = sigmoid(steep * (theta - lower)) * sigmoid(steep * (upper - theta)) / sigmoid(steep * r) ** 2
    p = np.where(upper >= 3, sigmoid(slope * (theta - lower)), both)
    p = np.where(lower <= -3, sigmoid(slope * (upper - theta)), p)
    return np.where((lower <= -3) & (upper >= 3), 1.0, p)


def bands(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """n items with whole-numbered bands from -3 to 3, lower < upper."""
    ends = np.array([(l_, u) for l_ in range(-3, 4) for u in range(l_ + 1, 4)])
    drawn = ends[rng.integers(0, len(ends), n)]
    return pd.DataFrame({"item": [f"i{k:03}" for k in range(n)], "lower": drawn[:, 0], "upper": drawn[:, 1]})


def respond(
    rng: np.random.Generator, fits: pd.DataFrame, items: pd.DataFrame, slope: float = 1.0
) -> pd.DataFrame:
    """A row a fit × item: the columns of `fits` (with its true `theta`) and `items`, and is_correct."""
    crossed = fits.merge(items, how="cross")
    p = probability(
        crossed["theta"].to_numpy(float),
        crossed["lower"].to_numpy(float),
        crossed["upper"].to_numpy(float),
        slope,
    )
    return crossed.assign(is_correct=(rng.random(len(crossed)) < p).astype(int))


def world(
    rng: np.random.Generator, n_systems: int = 12, n_items: int = 250, noise: float = 0.3
) -> pd.DataFrame:
    """Systems that follow each incitation more or less, per propensity; unprompted ones lean as they like."""
    parts = []
    for propensity in PROPENSITIES:
        rows = []
        for system in range(n_systems):
            bias, gain = rng.normal(0, 0.5), rng.uniform(0.4, 1.0)
            for incitation in INCITATIONS:
                level = 0.0 if incitation == "none" else float(incitation)
                theta = bias + gain * level + rng.normal(0, noise)
                rows.append((f"s{system:02}", incitation, theta))
        fits = pd.DataFrame(rows, columns=["system", "incitation", "theta"])
        parts.append(respond(rng, fits, bands(rng, n_items)).assign(propensity=propensity))
    return pd.concat(parts, ignore_index=True)
