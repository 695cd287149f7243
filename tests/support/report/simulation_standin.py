"""Stand-ins for the marts of recovery and calibration, with plausible numbers.

Belongs here: those marts by the contract's names and columns. Does not belong here: the
other marts (published_standin.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

SIMULATIONS = {
    "recovery_dimension": "run tau intercept dimension n_runs r contraction mae",
    "recovery_summary": "run tau intercept n_runs n_agents n_items shape_r level_r level_slope effective_dimensions "
    "mean_abs_correlation worst_contraction suitability_rho suitability_pairwise_accuracy khat_max ess_min",
    "calibration": "dimension level coverage_share expected_low expected_high n_fits uniformity_p",
    "calibration_rank": "dimension bin n_fits expected_low expected_high",
}
TAUS, INTERCEPTS = (0.0, 0.5, 1.0), ("free", "shared", "fixed")
BANDS = {0.5: (0.43, 0.57), 0.8: (0.745, 0.855), 0.95: (0.915, 0.98)}


def simulation_frames(dimensions: list[str], n_runs: int, seed: int) -> dict[str, pd.DataFrame]:
    """Mart name -> rows; none where `n_runs` is 0. IIC's 95 % intervals hold too little, its p is small."""
    rng = np.random.default_rng(seed + 2)
    by_dimension: list[tuple[Any, ...]] = []
    whole: list[tuple[Any, ...]] = []
    for run in range(1, n_runs + 1):
        for tau in TAUS:
            for intercept in INTERCEPTS:
                by_dimension += [
                    (run, tau, intercept, d, n_runs, *rng.uniform((0.6, 0.3, 0.1), (0.99, 0.9, 0.5)))
                    for d in dimensions
                ]
                suitability = (None, None) if intercept == "fixed" else rng.uniform(0.5, 0.99, 2)
                figures = rng.uniform((0.8, 0.1, 0.1, 2, 0.1, 0.6), (0.99, 0.99, 1, 7, 0.5, 0.9))
                whole.append((run, tau, intercept, n_runs, 20, 980, *figures, *suitability, 0.4, 900.0))
    covered: list[tuple[Any, ...]] = []
    ranked: list[tuple[Any, ...]] = []
    for d in [*dimensions, "intercept"] if n_runs else []:
        for level, (low, high) in BANDS.items():
            share = 0.85 if (d, level) == ("IIC", 0.95) else rng.uniform(low, high)
            covered.append((d, level, share, low, high, 200, 0.004 if d == "IIC" else 0.6))
        counts = rng.multinomial(200, np.full(20, 0.05))
        ranked += [(d, b + 1, int(n), 4, 16) for b, n in enumerate(counts)]
    rows = (by_dimension, whole, covered, ranked)
    return {
        mart: pd.DataFrame(found, columns=columns.split())
        for (mart, columns), found in zip(SIMULATIONS.items(), rows, strict=True)
    }
