"""The paper's suitability tables, from its Table C6 and the importance at hand, never from fitted systems.

Belongs here: what is computed from published capability means alone.
Does not belong here: the printed figures and the comparison with them (dbt).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from assets.suitability.draws import JointDraws, joint_draws, normal_draws
from assets.suitability.importance import SCOPE, importance_by_scope, membership
from assets.suitability.sweep import CERTAIN, SAMPLED, Cell, Sweep, grid
from assets.suitability.weights import mean_weights


def published_suitability(
    importance: pd.DataFrame, members: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """Mean pooled log S (p = 0, s = 1, weighting 'relative') from published capability means, as in Table C9.

    At p = 0 the mean over draws of log S is the weighted mean of capability means: no draws are needed.

    Args:
        importance: as in `score.score`; used are scopes 'all' and 'domain', and the capabilities in `members`.
        members: dimension, capability (Table A3).
        published: system, dimension, mean (Table C6).

    Returns:
        scope_type, scope, activity, mean_log; no row where weights are undefined.
    """
    used = covered(importance, members, ["all", "domain"])
    rows: list[tuple[object, ...]] = []
    if len(used):
        joint = joint_draws(published.rename(columns={"mean": "value"}).assign(chain=0, draw=0))
        capabilities = sorted(used["capability"].unique())
        pooled = membership(capabilities, members, joint.dimensions) @ joint.values.mean(axis=(1, 2))
        for scope in importance_by_scope(used, capabilities):
            weights = mean_weights(scope.points, "relative", sharpness=1)
            rows += [
                (scope.scope_type, scope.scope, activity, float(row @ pooled))
                for activity, row in zip(scope.activities, weights, strict=True)
                if row.any()
            ]
    return pd.DataFrame(rows, columns=[*SCOPE, "activity", "mean_log"])


def published_sweep(
    importance: pd.DataFrame,
    members: pd.DataFrame,
    published: pd.DataFrame,
    n_draws: int,
    seed_for: Callable[..., int],
) -> tuple[Sweep, JointDraws]:
    """The sweep of Tables C7 and C8: scope all, raw weights, normal draws from Table C6's means and SDs.

    Rankings need certain weights only; sampled ones are added where intervals are compared (p = 0, s = 1).

    Args:
        importance, members: as in `published_suitability`, of which scope 'all' is used.
        published: system, dimension, mean, sd.

    Returns:
        The sweep, and the draws that it is to be made of.
    """
    joint = normal_draws(published, n_draws, seed_for("published_capability"))
    cells = [*grid(["raw"], [CERTAIN]), Cell("raw", 1.0, SAMPLED, 0.0)]
    used = covered(importance, members, ["all"])
    return Sweep(used, members, joint.dimensions, cells, seed_for), joint


def covered(importance: pd.DataFrame, members: pd.DataFrame, scope_types: list[str]) -> pd.DataFrame:
    """Importance in these scopes of the capabilities that the published dimensions consist of."""
    is_used = np.asarray(importance["scope_type"].isin(scope_types)) & np.asarray(
        importance["capability"].isin(members["capability"])
    )
    return importance[is_used]
