"""Catalogues that answer a small battery with known slopes, discriminations and capabilities.

Belongs here: the simulation, item by item from the margins as the paper writes them. Does not belong here: assertions.
"""

from __future__ import annotations

import numpy as np

from assets.capability.fit.layout import Array, PooledResponses, pool_counts

DIMENSIONS = ("CR", "EM", "L", "OP", "SM")


def anchored(values: list[float]) -> Array:
    """With a geometric mean of 1."""
    return np.asarray(values) / np.exp(np.log(values).mean())


def demands(rng: np.random.Generator, n_items: int, n_patterns: int, n_dimensions: int) -> Array:
    """(J, K) whole levels, about half of them 0."""
    shape = (n_patterns, n_dimensions)
    patterns = rng.integers(0, 6, shape) * (rng.random(shape) < 0.5)
    return patterns[rng.integers(0, n_patterns, n_items)].astype(float)


def success(c: Array, alpha: float, demand: Array, slope: Array, discrimination: Array) -> Array:
    """(N, J) at tau = 1: margins delta (c - lambda D), log mean of e^-m over what is demanded."""
    active = demand > 0
    margin = discrimination * (c[:, None, :] - slope * demand)
    mean = np.where(active, np.exp(-margin), 0).sum(axis=2) / np.maximum(active.sum(axis=1), 1)
    return np.asarray(1 / (1 + np.exp(-alpha) * np.where(active.any(axis=1), mean, 1.0)))


def catalogue(
    seed: int, slope: Array, discrimination: Array, n_systems: int = 24, n_items: int = 600
) -> tuple[Array, PooledResponses]:
    """(N, K) true capabilities and the answers of all systems to all items."""
    rng = np.random.default_rng(seed)
    demand = demands(rng, n_items, 200, len(slope))
    c = rng.normal(3, 0.8, (n_systems, len(slope)))
    passed = rng.random((n_systems, n_items)) < success(c, 0.3, demand, slope, discrimination)
    names = np.array([f"s{n:02d}" for n in range(n_systems)], dtype=object)
    responses = pool_counts(
        np.repeat(names, n_items),
        np.tile(demand, (n_systems, 1)),
        passed.ravel(),
        np.ones(passed.size),
        DIMENSIONS[: len(slope)],
    )
    return c, responses
