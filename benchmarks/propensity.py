"""Speed of the propensity fits, and how much faster they are than an optimiser for each fit.

    nice python -m benchmarks.propensity

Belongs here: timings. Does not belong here: tests of what is computed (tests/propensity).
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from threadpoolctl import threadpool_limits

from assets.propensity.estimate import count_outcomes, estimate, positions_to_try
from assets.propensity.two_by_two import outcome_logs, with_open_ends

N_SYSTEMS, N_ITEMS = 12, 250
INCITATIONS = (*map(str, range(-3, 4)), "none")
PROPENSITIES = ("extraversion", "red_blue", "risk", "ultracrepidarianism")
# the loop is measured on this many fits, and scaled
LOOP_FITS = 48


def world() -> pd.DataFrame:
    """12 systems × 8 incitations × 4 propensities × 250 items with bands of whole and half levels."""
    rng = np.random.default_rng(0)
    parts = []
    for propensity in PROPENSITIES:
        bounds = np.sort(rng.choice(np.arange(-3, 3.5, 0.5), (N_ITEMS, 2)), axis=1)
        bounds[bounds[:, 0] == bounds[:, 1]] = (-1, 1)
        low, high = with_open_ends(bounds[:, 0], bounds[:, 1])
        for system in range(N_SYSTEMS):
            for incitation in INCITATIONS:
                theta = rng.normal(0, 1.5)
                chance = np.exp(outcome_logs(theta, low, high, 1.0, 1e-6)[0])
                parts.append(
                    pd.DataFrame(
                        {
                            "propensity": propensity,
                            "system": f"s{system:02}",
                            "incitation": incitation,
                            "item": range(N_ITEMS),
                            "lower": bounds[:, 0],
                            "upper": bounds[:, 1],
                            "is_correct": (rng.random(N_ITEMS) < chance).astype(int),
                        }
                    )
                )
    return pd.concat(parts, ignore_index=True)


def loop(responses: pd.DataFrame) -> int:
    """Fit by fit: an optimiser from the best of a coarse grid, and a posterior over the fine one; fits done."""
    grid = positions_to_try(
        count_outcomes(responses[responses["propensity"] == PROPENSITIES[0]]).informative()
    )
    n = 0
    for _, rows in responses.groupby(["propensity", "system", "incitation"]):
        if n == LOOP_FITS:
            break
        low, high = with_open_ends(rows["lower"], rows["upper"])
        y = rows["is_correct"].to_numpy()

        def loss(theta: float, low=low, high=high, y=y) -> float:
            succeeds, fails = outcome_logs(theta, low, high, 1.0, 1e-6)
            return -float((y * succeeds + (1 - y) * fails).sum())

        start = min(np.arange(-6, 6.1, 0.5), key=loss)
        minimize_scalar(loss, bounds=(start - 0.5, start + 0.5), method="bounded")
        log_posterior = np.array([-loss(theta) - theta**2 / 8 for theta in grid])
        density = np.exp(log_posterior - log_posterior.max())
        np.interp((0.025, 0.975), density.cumsum() / density.sum(), grid)
        n += 1
    return n


def main() -> None:
    responses = world()
    with threadpool_limits(1):
        start, start_cpu = time.perf_counter(), time.process_time()
        n_fits = len(estimate(responses).position)
        wall, cpu = time.perf_counter() - start, time.process_time() - start_cpu
        start_cpu = time.process_time()
        n_looped = loop(responses)
        looped = time.process_time() - start_cpu
    print(
        f"{n_fits} fits with posteriors over {N_ITEMS} items: wall {wall:.2f} s, CPU {cpu:.2f} s on one core"
    )
    ratio = (looped / n_looped) / (cpu / n_fits)
    print(
        f"loop: {looped / n_looped * 1e3:.0f} ms a fit, together: {cpu / n_fits * 1e3:.2f} ms: x{ratio:.0f}"
    )


if __name__ == "__main__":
    main()
