"""Speed and memory of the suitability sweep, and how much faster it is than the obvious loop.

    nice python -m benchmarks.suitability

Belongs here: timings. Does not belong here: tests of what is computed (tests/suitability).
"""

from __future__ import annotations

import resource
import time

import numpy as np
import pandas as pd

from assets.settings import PROJECT, Settings
from assets.suitability.draws import JointDraws, normal_draws
from assets.suitability.importance import importance_by_scope, membership
from assets.suitability.sweep import SAMPLED, Sweep, grid

N_SCOPES, N_ACTIVITIES, N_DRAWS = 7, 18, 8000
# the loop is measured on this many of them, and scaled
LOOP_ACTIVITIES, LOOP_DRAWS, LOOP_POWERS = 2, 400, (0.0, 2.0)


def world() -> tuple[pd.DataFrame, pd.DataFrame, JointDraws]:
    """Importance of 7 scopes × 18 activities × 16 capabilities, their dimensions, and draws of six systems."""
    dimensions = pd.read_csv(PROJECT / "dbt/seeds/seed_dimension.csv")
    members = dimensions.assign(capability=dimensions["dimension_key"].str.split("|")).explode("capability")
    index = pd.MultiIndex.from_product(
        [
            ["domain"],
            [f"scope {k}" for k in range(N_SCOPES)],
            [f"activity {k:02}" for k in range(N_ACTIVITIES)],
            sorted(members["capability"]),
        ],
        names=["scope_type", "scope", "activity", "capability"],
    )
    points = np.random.default_rng(0).gamma(0.5, 12, len(index))
    importance = pd.DataFrame({"points": points, "n_raters": 40}, index=index).reset_index()
    published = pd.read_csv(PROJECT / "dbt/seeds/published_capability.csv")
    return importance, members, normal_draws(published, N_DRAWS, seed=1)


def loop(importance: pd.DataFrame, members: pd.DataFrame, joint: JointDraws) -> int:
    """Task by task, agent by agent, draw by draw, each with its own Dirichlet draw over all capabilities.

    Returns how many values of S it computed.
    """
    rng = np.random.default_rng(0)
    capabilities = sorted(importance["capability"].unique())
    to_dimensions = membership(capabilities, members, joint.dimensions)
    scope = importance_by_scope(importance, capabilities)[0]
    n_scores = 0
    for power in LOOP_POWERS:
        for points, n_raters in list(zip(scope.points, scope.n_raters, strict=True))[:LOOP_ACTIVITIES]:
            weights = points / points.sum()
            for system in range(len(joint.systems)):
                scores = []
                for draw in range(LOOP_DRAWS):
                    theta = np.exp(to_dimensions @ joint.values[:, system, draw])
                    w = rng.dirichlet(np.maximum(n_raters * weights, 1e-9))
                    if power == 0:
                        scores.append(np.exp(np.sum(w * np.log(theta))))
                    else:
                        scores.append(np.sum(w * theta**power) ** (1 / power))
                n_scores += len(scores)
                np.quantile(np.log(scores), [0.025, 0.975])
    return n_scores


def main() -> None:
    importance, members, joint = world()
    cells = grid(["raw"], [SAMPLED])
    start, start_cpu = time.perf_counter(), time.process_time()
    made = Sweep(importance, members, joint.dimensions, cells, Settings().seed_for)
    table = pd.concat([own for _, own in made.tables(joint)])
    wall, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    n_scores = len(table) * N_DRAWS
    print(
        f"sweep: {len(cells)} policies x {N_SCOPES} scopes x {N_ACTIVITIES} activities x 6 systems x {N_DRAWS}"
    )
    print(f"wall {wall:.1f} s, CPU {cpu:.1f} s, peak memory {peak:.2f} GiB")
    start_cpu = time.process_time()
    n_looped = loop(importance, members, joint)
    looped = time.process_time() - start_cpu
    ratio = (looped / n_looped) / (cpu / n_scores)
    print(
        f"loop: {looped / n_looped * 1e6:.1f} us of CPU a score, sweep: {cpu / n_scores * 1e6:.3f}: x{ratio:.0f}"
    )


if __name__ == "__main__":
    main()
