"""The two engines behind one interface: fit a system, join the fits; or sample all systems at once.

Belongs here: which engine, and the fallback of one to the other. Does not belong here: either engine's numerics
(factorised.py, nuts.py), files (store.py), Dagster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from assets.capability import factorised, nuts
from assets.capability.factorised import SystemFit
from assets.capability.fit import Posterior, Quality, Thresholds, convergence_faults, nuts_quality
from assets.capability.layout import PooledResponses
from assets.capability.model import ModelOptions

# NUTS draws kept of a system that fell back: enough for the combination, few enough to store
FALLBACK_DRAWS = 6000


def responses_of(responses: PooledResponses, system: str) -> PooledResponses:
    """The part of one system: the demand patterns it answered. Nothing else decides its fit."""
    n = responses.systems.index(system)
    used = responses.attempted[:, n] > 0
    return replace(
        responses,
        systems=(system,),
        demand=responses.demand[used],
        passed=responses.passed[used, n : n + 1],
        attempted=responses.attempted[used, n : n + 1],
    )


def fit_system(
    own: PooledResponses, model: ModelOptions, thresholds: Thresholds, sampler: nuts.SamplerOptions
) -> SystemFit:
    """Fit one system alone by importance sampling; by NUTS where the weights can't be trusted."""
    fit = factorised.fit_system(own.demand, own.passed[:, 0], own.attempted[:, 0], model, sampler.seed)
    if not convergence_faults(system_quality(own.systems[0], fit, fit.ess), thresholds):
        return fit
    demanding = (own.demand > 0).any(axis=1)
    posterior = nuts.sample_posterior(
        replace(
            own,
            demand=own.demand[demanding],
            passed=own.passed[demanding],
            attempted=own.attempted[demanding],
        ),
        model,
        sampler,
    )
    ease = posterior.capability[:, :, 0, :] + posterior.intercept[:, :, None]
    quality = nuts_quality(own.systems[0], ease, posterior.n_divergent)
    draws = ease.reshape(-1, ease.shape[2])
    draws = draws[:: max(1, len(draws) // FALLBACK_DRAWS)]
    return SystemFit(
        "nuts",
        draws,
        np.full(len(draws), 1 / len(draws)),
        rhat=quality.rhat_max,
        n_divergent=posterior.n_divergent,
        efficiency=min(1.0, (quality.ess_bulk_min or 0.0) / len(draws)),
    )


def system_quality(system: str, fit: SystemFit, ess: float) -> Quality:
    """Quality of a system's fit; `ess` under the joint posterior where that is known."""
    return Quality(
        system,
        fit.engine,
        len(fit.ease),
        khat_max=fit.khat,
        n_divergent=fit.n_divergent,
        rhat_max=fit.rhat,
        ess_bulk_min=ess,
    )


def join(
    fits: Mapping[str, SystemFit],
    responses: PooledResponses,
    model: ModelOptions,
    n_draws: int,
    seed_of: Callable[[str], int],
) -> Posterior:
    """The joint posterior of all systems from their own fits; exact up to Monte-Carlo error.

    Args:
        fits: one a system of `responses`.
        n_draws: joint draws.
        seed_of: a seed for each name.
    """
    systems, dimensions = responses.systems, responses.dimensions
    if responses.is_empty:
        return Posterior(
            "factorised",
            systems,
            dimensions,
            np.empty((1, 0, len(systems), len(dimensions))),
            np.empty((1, 0)),
            0,
        )
    idle = ~(responses.demand > 0).any(axis=1)
    joint = factorised.combine(
        fits, (float(responses.passed[idle].sum()), float(responses.attempted[idle].sum())), model
    )
    alpha, capability = factorised.joint_draws(fits, joint, model, n_draws, seed_of)
    return Posterior(
        "factorised",
        systems,
        dimensions,
        np.stack([capability[system] for system in systems], axis=1)[None],
        alpha[None],
        sum(fit.n_divergent or 0 for fit in fits.values()),
        tuple(system_quality(system, fits[system], joint.ess[system]) for system in systems),
    )
