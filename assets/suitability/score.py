"""Suitability under policies: every scope × activity × system, a value a joint draw, then summarised.

Belongs here: scoring and pooling under the policies of dbt/seeds/policies.csv.
Does not belong here: the formula (power_mean.py), the grid of powers and sharpness (sweep.py), tables (assets.py).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from assets.suitability.draws import JointDraws, central_interval, joint_draws
from assets.suitability.importance import SCOPE, UNDEFINED, ScopeImportance, importance_by_scope, membership
from assets.suitability.policies import Policy
from assets.suitability.power_mean import PoweredAbility, power_mean_log
from assets.suitability.weights import Floats

SUMMARY = ["mean_log", "sd_log", "q025_log", "q975_log"]
KEY = [*SCOPE, "activity"]
Row = tuple[object, ...]


@dataclass(frozen=True)
class Scores:
    """The three tables of estimate.*: per system, pooled over AI systems, and the rows that have no weights."""

    suitability: pd.DataFrame
    pooled: pd.DataFrame
    undefined: pd.DataFrame


def score(
    importance: pd.DataFrame,
    members: pd.DataFrame,
    draws: pd.DataFrame,
    policies: list[Policy],
    seed_for: Callable[..., int],
    *,
    people: Collection[str] = frozenset(),
    border_log: float | None = None,
    fixed_median: bool = False,
) -> Scores:
    """Suitability of every scope × activity × system × policy.

    Each posterior draw has its own weight draw, the same for all systems; pooled = mean of log S over AI systems
    within a draw. Policies that differ in the power alone share their weight draws.

    Args:
        importance: as in `importance_by_scope`; withheld activities have rows without figures.
        members: dimension, capability.
        draws: system, dimension, chain, draw, value (log capability).
        seed_for: names -> seed.
        people: systems that are no AI systems: scored, but neither pooled nor ranked.
        border_log: where high suitability begins; None = the median of the scope's disclosed activities.
        fixed_median: the median is that of posterior means, one line for all draws (the paper's), instead of the
            median within each draw, which is as uncertain as the activities are.

    Returns:
        Long tables with central 95 % quantiles on the log scale; empty where importance or draws are empty.
        `is_best_probability`: how often the system has the highest S of all AI systems (ties shared), missing
        for people. `upper_half_probability`: how often the pooled log S is at or above the border.
    """
    per_system: list[Row] = []
    pooled: list[Row] = []
    undefined: list[Row] = []
    if len(importance) and len(draws):
        joint = joint_draws(draws)
        is_ai = np.array([system not in people for system in joint.systems])
        capabilities = sorted(importance["capability"].unique())
        to_dimensions = membership(capabilities, members, joint.dimensions)
        powers = {policy.power: PoweredAbility(joint.values, policy.power) for policy in policies}
        for scope in importance_by_scope(importance, capabilities):
            where = (scope.scope_type, scope.scope)
            undefined += [
                (*where, activity, policy.policy, UNDEFINED[policy.weighting])
                for policy in policies
                for activity in scope.undefined(policy.weighting)
            ]
            scored = _score_scope(scope, to_dimensions, joint, policies, powers, seed_for)
            for names, by_activity in scored:
                for activity, log_s in by_activity.items():
                    for name in names:
                        per_system += [
                            (*where, activity, system, name, *values)
                            for system, *values in _system_rows(joint.systems, log_s, is_ai)
                        ]
                if is_ai.any():
                    means = np.stack([log_s[is_ai].mean(axis=0) for log_s in by_activity.values()])
                    upper = upper_half_probability(means, border_log, fixed_median)
                    pooled += [
                        (*where, activity, name, *values)
                        for activity, *values in zip(by_activity, *summarise(means), upper, strict=True)
                        for name in names
                    ]
            for activity in scope.withheld:
                for policy in policies:
                    nothing = [math.nan] * (len(SUMMARY) + 1)
                    per_system += [
                        (*where, activity, system, policy.policy, *nothing) for system in joint.systems
                    ]
                    if is_ai.any():
                        pooled.append((*where, activity, policy.policy, *nothing))
    return Scores(
        pd.DataFrame(per_system, columns=[*KEY, "system", "policy", *SUMMARY, "is_best_probability"]),
        pd.DataFrame(pooled, columns=[*KEY, "policy", *SUMMARY, "upper_half_probability"]),
        pd.DataFrame(undefined, columns=[*KEY, "policy", "reason"]),
    )


def _score_scope(
    scope: ScopeImportance,
    to_dimensions: Floats,
    joint: JointDraws,
    policies: list[Policy],
    powers: dict[float, PoweredAbility],
    seed_for: Callable[..., int],
) -> Iterator[tuple[list[str], dict[str, Floats]]]:
    """Names of policies that give the same scores, and log S (systems × draws) of each activity with weights."""
    alike: dict[tuple[object, ...], list[Policy]] = defaultdict(list)
    for policy in policies:
        alike[policy.weighting, policy.sharpness, policy.weight_uncertainty].append(policy)
    for group in alike.values():
        weights = dict(
            scope.weight_draws(
                to_dimensions,
                group[0].weighting,
                group[0].sharpness,
                group[0].weight_uncertainty,
                len(joint),
                seed_for,
            )
        )
        for power in sorted({policy.power for policy in group}):
            if weights:
                names = [policy.policy for policy in group if policy.power == power]
                yield names, {name: power_mean_log(powers[power], w) for name, w in weights.items()}


def _system_rows(systems: list[str], log_s: Floats, is_ai: Floats) -> Iterator[Row]:
    best = np.full(len(systems), np.nan)
    if is_ai.any():
        best[is_ai] = best_probability(log_s[is_ai])
    yield from zip(systems, *summarise(log_s), best, strict=True)


def summarise(values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Mean, SD and central 95 % quantiles over the draws (last axis)."""
    return values.mean(axis=-1), values.std(axis=-1, ddof=1), *central_interval(values)


def best_probability(log_s: Floats) -> Floats:
    """Share of draws in which each system (row) has the highest S; systems that tie share the draw."""
    is_best = log_s == log_s.max(axis=0)
    share: Floats = (is_best / is_best.sum(axis=0)).mean(axis=1)
    return share


def upper_half_probability(pooled: Floats, border_log: float | None, fixed_median: bool = False) -> Floats:
    """Share of draws in which each activity (row) is at or above the border.

    Args:
        pooled: activities × draws, at least one activity.
        border_log: a fixed border instead of a median.
        fixed_median: the median over the activities' means instead of the median within each draw.
    """
    if border_log is not None:
        border = np.asarray(border_log)
    elif fixed_median:
        border = np.median(pooled.mean(axis=1))
    else:
        border = np.median(pooled, axis=0)
    probability: Floats = (pooled >= border).mean(axis=1)
    return probability
