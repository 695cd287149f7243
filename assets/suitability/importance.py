"""Elicited importance as arrays, a scope at a time, and what it gives weights to.

Belongs here: the step from the long importance table to matrices, and from capabilities to dimensions.
Does not belong here: importance itself (slice work), weights (weights.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.suitability.policies import WeightUncertainty
from assets.suitability.weights import Floats, Weights, draw_weights, mean_weights

SCOPE = ["scope_type", "scope"]
INTERVIEW_SCOPES = ("role", "duty")
UNDEFINED = {
    "raw": "its respondents gave no points to any retained capability",
    "relative": "no capability is more important here than in the scope's activity that needs it least",
}


@dataclass(frozen=True)
class ScopeImportance:
    """Elicited importance of one scope: `points` is activities × capabilities, `n_raters` per activity.

    `withheld` are activities with raters whose points are not disclosed: they have rows without figures.
    """

    scope_type: str
    scope: str
    activities: list[str]
    points: Floats
    n_raters: Floats
    withheld: list[str]

    def weight_draws(
        self,
        to_dimensions: Floats,
        weighting: str,
        sharpness: float,
        uncertainty: WeightUncertainty,
        n_draws: int,
        seed_for: Callable[..., int],
    ) -> Iterator[tuple[str, Weights]]:
        """Each activity that has weights, with its draws of them (dimensions × draws).

        Draws are seeded by scope, activity, weighting, sharpness and uncertainty. So all powers share them, and
        no row depends on which other rows exist.

        Args:
            to_dimensions: capabilities × dimensions, as `membership` gives it.
            seed_for: names -> seed.
        """
        centre = mean_weights(self.points, weighting, sharpness) @ to_dimensions
        for activity, row, n_raters in zip(self.activities, centre, self.n_raters, strict=True):
            if row.any():
                names = (self.scope_type, self.scope, activity, weighting, float(sharpness), uncertainty.name)
                rng = np.random.default_rng(seed_for("suitability", *names))
                yield activity, draw_weights(rng, row, uncertainty.concentration(n_raters), n_draws)

    def undefined(self, weighting: str) -> list[str]:
        """Activities that have no weights under this weighting (the sharpness doesn't matter)."""
        weights = mean_weights(self.points, weighting, 1)
        return [activity for activity, row in zip(self.activities, weights, strict=True) if not row.any()]


def importance_by_scope(importance: pd.DataFrame, capabilities: list[str]) -> list[ScopeImportance]:
    """One matrix a scope, columns in the order of `capabilities`; activities without raters are absent.

    Args:
        importance: int_disclosed_capability_importance: scope_type, scope, activity, capability, points, n_raters.
            An activity without any points is withheld.

    Raises:
        ValueError: points are missing for some capabilities of an activity (named).
    """
    present = importance[importance["n_raters"].astype("Int64").fillna(0) > 0]
    matrix = present.pivot(index=[*SCOPE, "activity"], columns="capability", values="points")
    matrix = matrix.reindex(columns=capabilities).astype(float).sort_index()
    blank = matrix.isna().to_numpy()
    is_withheld: npt.NDArray[np.bool_] = np.all(blank, axis=1)
    blank[is_withheld] = False
    if blank.any():
        row, column = np.argwhere(blank)[0]
        raise ValueError(
            f"int_disclosed_capability_importance: no points at {matrix.index[row]} for {capabilities[column]} (one of "
            f"{blank.sum()} such cells); a respondent's blank is 0 and every retained capability needs a row"
        )
    raters = present.groupby([*SCOPE, "activity"])["n_raters"].max().astype(float)
    found = []
    for (scope_type, scope), rows in matrix.assign(is_withheld=is_withheld).groupby(level=SCOPE):
        shown = rows.index[~rows["is_withheld"]]
        found.append(
            ScopeImportance(
                scope_type=str(scope_type),
                scope=str(scope),
                activities=list(shown.get_level_values("activity")),
                points=rows.loc[shown, capabilities].to_numpy(dtype=float),
                n_raters=np.asarray(raters.loc[shown], dtype=np.float64),
                withheld=list(rows.index[rows["is_withheld"]].get_level_values("activity")),
            )
        )
    return found


def informed(importance: pd.DataFrame, interview_concentration: int) -> pd.DataFrame:
    """The importance with each interview counted as that many respondents.

    An interviewee who knows a role states its weights deliberately, point by point: taken as one respondent's choice,
    the Dirichlet distribution of the weights would be so wide that all systems overlap whatever was said.
    """
    is_interview = importance["scope_type"].isin(INTERVIEW_SCOPES)
    n_raters = importance["n_raters"].astype("Int64")
    return importance.assign(n_raters=n_raters.mask(is_interview, n_raters * interview_concentration))


def membership(capabilities: list[str], members: pd.DataFrame, dimensions: list[str]) -> Floats:
    """Capabilities × dimensions, 1 where the capability is a constituent of the dimension.

    Every constituent keeps its own weight and gets its dimension's ability. So inside a dimension weights may
    be summed: the power mean over constituents, and their Dirichlet draw, are those of the summed weights.

    Raises:
        ValueError: a capability has no dimension among `dimensions` (all such are named).
    """
    dimension_of = dict(zip(members["capability"], members["dimension"], strict=True))
    homeless = [c for c in capabilities if dimension_of.get(c) not in dimensions]
    if homeless:
        raise ValueError(
            f"capabilities {homeless} have importance but no fitted dimension covers them; "
            "int_dimension_member and estimate.capability_draw must cover every retained capability"
        )
    return np.array([[float(dimension_of[c] == d) for d in dimensions] for c in capabilities])
