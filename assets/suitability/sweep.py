"""The sweep: suitability over a grid of powers and sharpness, to see what depends on the policy.

Belongs here: scoring of the grid, for fitted draws and for draws from the published means.
Does not belong here: rankings, ties and separations, which dbt counts (marts ranking_robustness, policy_sensitivity).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pandas as pd

from assets.suitability.draws import JointDraws, central_interval, log_mean_exp
from assets.suitability.importance import SCOPE, importance_by_scope, membership
from assets.suitability.policies import WeightUncertainty
from assets.suitability.power_mean import PoweredAbility, power_mean_log
from assets.suitability.weights import Floats

# the grid of paper Tables C7 and C8
POWERS = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
SHARPNESS = (1.0, 2.0, 4.0, 8.0)
CERTAIN, SAMPLED = WeightUncertainty("none"), WeightUncertainty("dirichlet")
# where a survey's halves are compared, not where work is done
NOT_SWEPT = {"source"}
COLUMNS = [
    *("weighting", "sharpness", "weight_uncertainty", *SCOPE, "activity", "power"),
    *("system", "mean_s_log", "mean_log", "q025_log", "q975_log", "is_ranked"),
]


@dataclass(frozen=True)
class Cell:
    """One setting of the sweep."""

    weighting: str
    sharpness: float
    weight_uncertainty: WeightUncertainty
    power: float

    @property
    def weights(self) -> tuple[str, float, str]:
        return self.weighting, self.sharpness, self.weight_uncertainty.name


def grid(weightings: Iterable[str], uncertainties: Iterable[WeightUncertainty]) -> list[Cell]:
    """All powers × sharpness under these weightings and uncertainties."""
    return [
        Cell(weighting, sharpness, uncertainty, power)
        for weighting in weightings
        for uncertainty in uncertainties
        for sharpness in SHARPNESS
        for power in POWERS
    ]


def sweep(
    importance: pd.DataFrame,
    members: pd.DataFrame,
    joint: JointDraws,
    cells: list[Cell],
    seed_for: Callable[..., int],
    *,
    people: Collection[str] = frozenset(),
    hidden: Collection[tuple[str, str, str]] = frozenset(),
) -> pd.DataFrame:
    """Suitability of every scope × activity × system in every cell; no rows where weights are undefined.

    Weights are drawn once for all powers, and exponentials of abilities taken once for all weights.

    Args:
        importance, members, seed_for: as in `score.score`; scopes of NOT_SWEPT are left out.
        people: systems that are no AI systems: scored, but not `is_ranked`.
        hidden: as in `score.score`.

    Returns:
        COLUMNS. `mean_s_log` is the log of the posterior mean of S on the ratio scale, which itself could
        overflow; the rest summarises log S.
    """
    used = importance[~importance["scope_type"].isin(NOT_SWEPT)]
    capabilities = sorted(used["capability"].unique())
    to_dimensions = membership(capabilities, members, joint.dimensions)
    powers = {cell.power: PoweredAbility(joint.values, cell.power) for cell in cells}
    keys: list[tuple[object, ...]] = []
    values: list[Floats] = []
    ordered = sorted(cells, key=lambda cell: (cell.weights, cell.power))
    for scope in importance_by_scope(used, capabilities, hidden) if len(used) else []:
        for (weighting, sharpness, _), alike in groupby(ordered, key=lambda cell: cell.weights):
            same_weights = list(alike)
            drawn = scope.weight_draws(
                to_dimensions,
                weighting,
                sharpness,
                same_weights[0].weight_uncertainty,
                len(joint),
                seed_for,
            )
            for activity, weights in drawn:
                for cell in same_weights:
                    log_s = power_mean_log(powers[cell.power], weights)
                    summary = (log_mean_exp(log_s), log_s.mean(axis=-1), *central_interval(log_s))
                    keys.append((*cell.weights, scope.scope_type, scope.scope, activity, cell.power))
                    values.append(np.stack(summary, axis=1))
    n_systems = len(joint.systems)
    table = pd.DataFrame(keys, columns=COLUMNS[:7])
    table = table.loc[table.index.repeat(n_systems)].reset_index(drop=True)
    table["system"] = np.tile(np.array(joint.systems, dtype=object), len(keys))
    table[COLUMNS[8:12]] = np.concatenate(values) if values else np.empty((0, 4))
    table["is_ranked"] = ~table["system"].isin(list(people))
    return table
