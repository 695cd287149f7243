"""From capability draws and weights to suitability: S = (sum w theta^p)^(1/p) with theta = e^c (paper Eq. 6).

Belongs here: the power mean, draws and importance as arrays, the scoring under policies.
Does not belong here: weights (weights.py), and anything that reads or writes tables (assets.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from assets.suitability.policies import Policy
from assets.suitability.weights import Floats, log_dirichlet, mean_weights

SCOPE = ["scope_type", "scope"]
SUMMARY = ["mean_log", "sd_log", "q025_log", "q975_log"]
REASON = {
    "raw": "its respondents gave no points to any retained capability",
    "relative": "no capability is more important here than in the scope's activity that needs it least",
}


def power_mean_log(log_ability: Floats, log_weights: Floats, power: float) -> Floats:
    """log S for each draw, activity and system; all in logs, so no power and no ability overflows.

    Args:
        log_ability: draws × systems × dimensions, c.
        log_weights: draws (or 1) × activities × dimensions; -inf = no weight; the weights of a row sum to 1.
        power: p; 0 = geometric mean, inf / -inf = the largest / smallest ability that has a weight.

    Returns:
        draws × activities × systems.
    """
    if np.isinf(power):
        signed = np.where(
            np.isneginf(log_weights)[:, :, None, :], -np.inf, np.sign(power) * log_ability[:, None]
        )
        return np.sign(power) * signed.max(axis=-1)
    weights = np.exp(log_weights)
    if power == 0:
        return weights @ log_ability.swapaxes(1, 2)
    scaled = power * log_ability
    if np.abs(scaled).max(initial=0) < 0.5:
        # Near p = 0 the plain form loses digits to 1 + small; this one does not.
        return np.log1p(weights @ np.expm1(scaled).swapaxes(1, 2)) / power
    peak = scaled.max(axis=-1, keepdims=True)
    total = weights @ np.exp(scaled - peak).swapaxes(1, 2)
    # The peak may belong to a dimension with (next to) no weight; where that leaves too little, sum in logs.
    faint = np.unique(np.nonzero(total < 1e-200)[1])
    with np.errstate(divide="ignore"):
        result = np.log(total) + peak.swapaxes(1, 2)
    for activity in faint:
        terms = log_weights[:, activity, None, :] + scaled
        result[:, activity] = np.logaddexp.reduce(terms, axis=-1)
    return result / power


@dataclass(frozen=True)
class JointDraws:
    """Posterior draws of log capability: `values` is draws × systems × dimensions, names sorted."""

    systems: list[str]
    dimensions: list[str]
    values: Floats


def joint_draws(draws: pd.DataFrame) -> JointDraws:
    """Draws in long form (system, dimension, chain, draw, value) as one array; rows may come in any order.

    Raises:
        ValueError: a system × dimension lacks or repeats a draw, or a value is not finite.
    """
    draw = draws.groupby(["chain", "draw"]).ngroup().to_numpy()
    system, systems = pd.factorize(draws["system"], sort=True)
    dimension, dimensions = pd.factorize(draws["dimension"], sort=True)
    values = np.full((draw.max(initial=-1) + 1, len(systems), len(dimensions)), np.nan)
    values[draw, system, dimension] = draws["value"].to_numpy(dtype=float)
    bad = np.argwhere(~np.isfinite(values).all(axis=0))
    if len(bad) or len(draws) != values.size:
        named = [f"{systems[s]} × {dimensions[d]}" for s, d in bad[:5]]
        raise ValueError(
            f"model.capability_draw: {len(draws)} rows where {len(values)} draws × {len(systems)} systems × "
            f"{len(dimensions)} dimensions need {values.size}, or values that are missing or not finite "
            f"({named or 'repeated keys'}); fit all systems again"
        )
    return JointDraws(list(systems), list(dimensions), values)


@dataclass(frozen=True)
class ScopeImportance:
    """Elicited importance of one scope: `points` is activities × capabilities, `n_raters` per activity."""

    scope_type: str
    scope: str
    activities: list[str]
    points: Floats
    n_raters: Floats


def importance_by_scope(importance: pd.DataFrame, capabilities: list[str]) -> list[ScopeImportance]:
    """One matrix a scope, columns in the order of `capabilities`; activities without raters are absent.

    Args:
        importance: scope_type, scope, activity, capability, points, n_raters.

    Raises:
        ValueError: points are missing for a present activity (named).
    """
    present = importance[importance["n_raters"].astype("Int64").fillna(0) > 0]
    matrix = present.pivot(index=[*SCOPE, "activity"], columns="capability", values="points")
    matrix = matrix.reindex(columns=capabilities).astype(float).sort_index()
    blank = matrix.isna().to_numpy()
    if blank.any():
        row, column = np.argwhere(blank)[0]
        raise ValueError(
            f"int_capability_importance: no points at {matrix.index[row]} for {capabilities[column]} (one of "
            f"{blank.sum()} such cells); a respondent's blank is 0 and every retained capability needs a row"
        )
    raters = present.groupby([*SCOPE, "activity"])["n_raters"].max().astype(float)
    return [
        ScopeImportance(
            scope_type=str(scope_type),
            scope=str(scope),
            activities=list(rows.index.get_level_values("activity")),
            points=rows.to_numpy(dtype=float),
            n_raters=np.asarray(raters.loc[rows.index], dtype=np.float64),
        )
        for (scope_type, scope), rows in matrix.groupby(level=SCOPE)
    ]


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
            "int_dimension_member and model.capability_draw must cover every retained capability"
        )
    return np.array([[float(dimension_of[c] == d) for d in dimensions] for c in capabilities])


@dataclass(frozen=True)
class Scores:
    """The three tables of model.*: per system, pooled over systems, and the rows that have no weights."""

    suitability: pd.DataFrame
    pooled: pd.DataFrame
    undefined: pd.DataFrame


def score(
    importance: pd.DataFrame,
    members: pd.DataFrame,
    draws: pd.DataFrame,
    policies: list[Policy],
    seed_for: Callable[..., int],
) -> Scores:
    """Suitability of every scope × activity × system × policy, one value a posterior draw, then summarised.

    Each posterior draw has its own weight draw, the same for all systems; pooled = mean of log S over systems
    within a draw. Weight draws are seeded by (scope_type, scope, activity, policy), so that no row depends on
    which other rows exist.

    Args:
        importance: scope_type, scope, activity, capability, points, n_raters.
        members: dimension, capability.
        draws: system, dimension, chain, draw, value (log capability).
        seed_for: names -> seed.

    Returns:
        Long tables with central 95 % quantiles on the log scale; empty where importance or draws are empty.
    """
    blocks: dict[str, list[pd.DataFrame]] = {"suitability": [], "pooled": [], "undefined": []}
    if len(importance) and len(draws):
        joint = joint_draws(draws)
        capabilities = sorted(importance["capability"].unique())
        to_dimensions = membership(capabilities, members, joint.dimensions)
        for scope in importance_by_scope(importance, capabilities):
            for policy in policies:
                for name, block in _score_scope(scope, to_dimensions, joint, policy, seed_for).items():
                    blocks[name].append(
                        block.assign(scope_type=scope.scope_type, scope=scope.scope, policy=policy.policy)
                    )
    keys = [*SCOPE, "activity"]
    columns = {
        "suitability": [*keys, "system", "policy", *SUMMARY],
        "pooled": [*keys, "policy", *SUMMARY],
        "undefined": [*keys, "policy", "reason"],
    }
    return Scores(**{name: _stack(blocks[name], columns[name]) for name in columns})


def _score_scope(
    scope: ScopeImportance,
    to_dimensions: Floats,
    joint: JointDraws,
    policy: Policy,
    seed_for: Callable[..., int],
) -> dict[str, pd.DataFrame]:
    weights = mean_weights(scope.points, policy.weighting, policy.sharpness)
    rows = np.flatnonzero(weights.any(axis=1))
    activities = [scope.activities[row] for row in rows]
    undefined = pd.DataFrame({"activity": [a for a in scope.activities if a not in activities]})
    blocks = {"undefined": undefined.assign(reason=REASON[policy.weighting])}
    if len(rows):
        seeds = [
            seed_for("suitability", scope.scope_type, scope.scope, activity, policy.policy)
            for activity in activities
        ]
        log_weights = weight_draws(
            weights[rows] @ to_dimensions,
            scope.n_raters[rows],
            policy.weight_uncertainty,
            len(joint.values),
            seeds,
        )
        log_s = power_mean_log(joint.values, log_weights, policy.power)
        per_system = pd.MultiIndex.from_product([activities, joint.systems], names=["activity", "system"])
        blocks["suitability"] = summarise(log_s.reshape(len(log_s), -1), per_system)
        blocks["pooled"] = summarise(log_s.mean(axis=2), pd.Index(activities, name="activity"))
    return blocks


def weight_draws(
    centre: Floats, n_raters: Floats, uncertainty: str, n_draws: int, seeds: list[int]
) -> Floats:
    """Log weights, draws × activities × dimensions; one draw that serves all where the weights are certain.

    Args:
        centre: activities × dimensions, rows sum to 1.
        n_raters: concentration n_t of each activity.
        uncertainty: 'none' or 'dirichlet' (Dirichlet(n_t w_t), paper §4.4.1).
        seeds: one an activity.
    """
    if uncertainty == "none":
        with np.errstate(divide="ignore"):
            return np.log(centre)[None]
    if uncertainty == "dirichlet":
        rows = [
            log_dirichlet(np.random.default_rng(seed), row, n, n_draws)
            for row, n, seed in zip(centre, n_raters, seeds, strict=True)
        ]
        return np.stack(rows, axis=1)
    raise ValueError(f"weight_uncertainty '{uncertainty}' is unknown; known are 'none' and 'dirichlet'")


def summarise(log_s: Floats, index: pd.Index) -> pd.DataFrame:
    """Mean, SD and central 95 % quantiles over the draws (rows of `log_s`), one row a column of `log_s`."""
    low, high = np.quantile(log_s, [0.025, 0.975], axis=0)
    values = {
        "mean_log": log_s.mean(axis=0),
        "sd_log": log_s.std(axis=0, ddof=1),
        "q025_log": low,
        "q975_log": high,
    }
    return pd.DataFrame(values, index=index).reset_index()


def _stack(blocks: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    filled = [block for block in blocks if len(block)]
    return pd.concat(filled, ignore_index=True)[columns] if filled else pd.DataFrame(columns=columns)


def published_suitability(
    importance: pd.DataFrame, members: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """Mean pooled log S (p = 0, s = 1, weighting 'relative') from published capability means, as in Table C9.

    At p = 0 the mean over draws of log S is the weighted mean of capability means: no draws are needed.

    Args:
        importance: as in `score`; used are scopes 'all' and 'domain', and the capabilities in `members`.
        members: dimension, capability (Table A3).
        published: system, dimension, mean (Table C6).

    Returns:
        row_name (activity), column_name (domain or 'All'), computed; no row where weights are undefined.
    """
    columns = ["row_name", "column_name", "computed"]
    used = importance[
        importance["scope_type"].isin(["all", "domain"])
        & importance["capability"].isin(members["capability"])
    ]
    if used.empty:
        return pd.DataFrame(columns=columns)
    joint = joint_draws(published.rename(columns={"mean": "value"}).assign(chain=0, draw=0))
    capabilities = sorted(used["capability"].unique())
    to_dimensions = membership(capabilities, members, joint.dimensions)
    blocks = []
    for scope in importance_by_scope(used, capabilities):
        weights = mean_weights(scope.points, "relative", sharpness=1)
        rows = np.flatnonzero(weights.any(axis=1))
        log_weights = weight_draws(weights[rows] @ to_dimensions, scope.n_raters[rows], "none", 1, [])
        computed = power_mean_log(joint.values, log_weights, power=0).mean(axis=2)[0]
        blocks.append(
            pd.DataFrame(
                {
                    "row_name": [scope.activities[row] for row in rows],
                    "column_name": "All" if scope.scope_type == "all" else scope.scope,
                    "computed": computed,
                }
            )
        )
    return _stack(blocks, columns)
