"""The sweep: suitability over a grid of powers and sharpness, to see what depends on the policy.

Belongs here: scoring of the grid, for fitted draws and for draws from the published means, kept system by system.
Does not belong here: rankings, ties and separations, which dbt counts (marts ranking_robustness, policy_sensitivity).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pandas as pd

from assets.parts import KeptParts, code_version, fingerprint_of
from assets.suitability.draws import JointDraws, central_interval, log_mean_exp
from assets.suitability.importance import SCOPE, ScopeImportance, importance_by_scope, membership
from assets.suitability.policies import WeightUncertainty
from assets.suitability.power_mean import PoweredAbility, power_mean_log
from assets.suitability.weights import Floats, Weights

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


# memory is in proportion; fewer would draw the same weights more often
SYSTEMS_AT_ONCE = 100
# draws, over systems, that each call of numpy takes: fewer cost more calls
DRAWS_AT_ONCE = 50_000
_SOURCES = ("sweep.py", "draws.py", "importance.py", "power_mean.py", "weights.py", "policies.py")
_CODE = code_version(__file__, _SOURCES, ["numpy"])


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


class Sweep:
    """What is swept, of whichever systems; no system's figures depend on which others are swept with it.

    Args:
        importance, members, seed_for: as in `score.score`; scopes of NOT_SWEPT are left out.
        dimensions: those that systems have draws of.
        people: systems that are no AI systems: scored, but not `is_ranked`.
    """

    def __init__(
        self,
        importance: pd.DataFrame,
        members: pd.DataFrame,
        dimensions: list[str],
        cells: list[Cell],
        seed_for: Callable[..., int],
        *,
        people: Collection[str] = frozenset(),
    ) -> None:
        used = importance[~importance["scope_type"].isin(NOT_SWEPT)]
        capabilities = sorted(used["capability"].unique())
        self._to_dimensions = membership(capabilities, members, dimensions)
        self._scopes = importance_by_scope(used, capabilities) if len(used) else []
        self._cells = sorted(cells, key=lambda cell: (cell.weights, cell.power))
        self._seed_for, self._people = seed_for, people

    def fingerprints(self, joint: JointDraws) -> dict[str, str]:
        """System -> hash of all that decides its rows."""
        cells = [(*cell.weights, cell.weight_uncertainty.kappa, cell.power) for cell in self._cells]
        scopes = [(scope.scope_type, scope.scope, scope.activities, scope.withheld) for scope in self._scopes]
        arrays = [array for scope in self._scopes for array in (scope.points, scope.n_raters)]
        said = [_CODE, self._seed_for("suitability"), joint.dimensions, cells, scopes]
        shared = fingerprint_of(said, self._to_dimensions, *arrays)
        return {
            system: fingerprint_of(shared, system, system in self._people, joint.values[:, n])
            for n, system in enumerate(joint.systems)
        }

    def tables(self, joint: JointDraws) -> Iterator[tuple[str, pd.DataFrame]]:
        """Each system with its suitability in every scope × activity × cell; no rows where weights are undefined, and
        rows without figures where importance is withheld.

        Exponentials of abilities are taken once for all weights of a scope, and weights drawn once for all powers and
        SYSTEMS_AT_ONCE.

        Returns:
            COLUMNS. `mean_s_log` is the log of the posterior mean of S on the ratio scale, which itself could
            overflow; the rest summarises log S.
        """
        for start in range(0, len(joint.systems), SYSTEMS_AT_ONCE):
            several = joint.of(joint.systems[start : start + SYSTEMS_AT_ONCE])
            keys, summaries = self._summaries(several)
            for n, system in enumerate(several.systems):
                table = keys.assign(system=system)
                table[COLUMNS[8:12]] = summaries[:, n]
                yield system, table.assign(is_ranked=system not in self._people)

    def _summaries(self, joint: JointDraws) -> tuple[pd.DataFrame, Floats]:
        """COLUMNS[:7], and of each such row systems × four figures."""
        keys: list[tuple[object, ...]] = []
        values: list[Floats] = []
        for scope in self._scopes:
            rows = list(self._rows(scope, len(joint)))
            keys += [
                (*cell.weights, scope.scope_type, scope.scope, activity, cell.power)
                for cell, activity, _ in rows
            ]
            values.append(_summarised([(cell.power, weights) for cell, _, weights in rows], joint))
        table = pd.DataFrame(keys, columns=COLUMNS[:7]).astype({"sharpness": float, "power": float})
        return table, np.concatenate(values) if values else np.empty((0, len(joint.systems), 4))

    def _rows(self, scope: ScopeImportance, n_draws: int) -> Iterator[tuple[Cell, str, Weights | None]]:
        """Each cell × activity with the draws of its weights; cells of other powers share them; None = withheld."""
        for (weighting, sharpness, _), alike in groupby(self._cells, key=lambda cell: cell.weights):
            cells = list(alike)
            uncertainty = cells[0].weight_uncertainty
            drawn = scope.weight_draws(
                self._to_dimensions, weighting, sharpness, uncertainty, n_draws, self._seed_for
            )
            for activity, weights in drawn:
                yield from ((cell, activity, weights) for cell in cells)
        yield from ((cell, activity, None) for cell in self._cells for activity in scope.withheld)


def _summarised(rows: list[tuple[float, Weights | None]], joint: JointDraws) -> Floats:
    """Rows × systems × four figures of log S, for rows of a power and weights; without weights they are missing."""
    found = np.full((len(rows), len(joint.systems), 4), np.nan)
    at_once = max(1, DRAWS_AT_ONCE // max(1, len(joint)))
    by_power = sorted({power for power, _ in rows})
    for start in range(0, len(joint.systems), at_once):
        several = slice(start, start + at_once)
        log_ability = np.ascontiguousarray(joint.values[:, several])
        for power in by_power:
            ability = PoweredAbility(log_ability, power)
            for i, (own, weights) in enumerate(rows):
                if own != power or weights is None:
                    continue
                log_s = power_mean_log(ability, weights)
                summary = (log_mean_exp(log_s), log_s.mean(axis=-1), *central_interval(log_s))
                found[i, several] = np.stack(summary, axis=1)
    return found


def keep_swept(parts: KeptParts, basis: str, sweep: Sweep, joint: JointDraws) -> list[str]:
    """Sweep those systems whose kept part came from other draws, importance, settings or code; return which."""
    wanted = sweep.fingerprints(joint)
    stale = [name for name in joint.systems if not parts.holds(f"{basis} {name}", wanted[name])]
    for name, table in sweep.tables(joint.of(stale)):
        parts.keep(f"{basis} {name}", wanted[name], table.assign(basis=basis))
    return stale
