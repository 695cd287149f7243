"""The two engines behind one interface: fit a system, join the fits; or sample all systems at once.

Belongs here: which engine, and the fallback of one to the other. Does not belong here: either engine's numerics
(factorised.py, nuts.py), files (fit_store.py), Dagster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from assets.capability.fit import factorised, nuts
from assets.capability.fit.factorised import JointPosterior, SystemFit
from assets.capability.fit.fit_quality import Posterior, Quality, Thresholds, convergence_faults, nuts_quality
from assets.capability.fit.layout import PooledResponses
from assets.capability.fit.model import ModelOptions

# NUTS draws kept of a system that fell back: enough for the combination, few enough to store
FALLBACK_DRAWS = 6000
# rounds in which systems with few draws near the joint intercept are fitted again around it; it moves as they are
MAX_REFITS = 8

Refit = Callable[[PooledResponses, ModelOptions], SystemFit]


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
    quality = nuts_quality(own.systems[0], ease, posterior.n_divergent, posterior.ebfmi)
    draws = ease.reshape(-1, ease.shape[2])
    draws = draws[:: max(1, len(draws) // FALLBACK_DRAWS)]
    return SystemFit(
        "nuts",
        draws,
        np.full(len(draws), 1 / len(draws)),
        rhat=quality.rhat_max,
        n_divergent=posterior.n_divergent,
        # the fewer of bulk and tail, so that either can fail; np.min hands NaN through
        efficiency=float(np.min([len(draws), quality.ess_bulk_min, quality.ess_tail_min]) / len(draws)),
        ebfmi=quality.ebfmi_min,
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
        ebfmi_min=fit.ebfmi,
    )


def join(
    fits: Mapping[str, SystemFit],
    responses: PooledResponses,
    model: ModelOptions,
    n_draws: int,
    seed_of: Callable[[str], int],
    *,
    refit: Refit | None = None,
    min_ess: float = 400,
) -> Posterior:
    """The joint posterior of all systems from their own fits; exact up to Monte-Carlo error.

    Args:
        fits: one a system of `responses`.
        n_draws: joint draws.
        seed_of: a seed for each name.
        refit: how a system is fitted around an intercept; by default importance sampling without a fallback.
        min_ess: effective draws below which it is.
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
    if refit is None:

        def refit(own: PooledResponses, prior: ModelOptions) -> SystemFit:
            counts = own.passed[:, 0], own.attempted[:, 0]
            return factorised.fit_system(own.demand, *counts, prior, seed_of(own.systems[0]))

    fits, joint = _around_the_intercept(fits, responses, model, refit, min_ess)
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


def _around_the_intercept(
    fits: Mapping[str, SystemFit],
    responses: PooledResponses,
    model: ModelOptions,
    refit: Refit,
    min_ess: float,
) -> tuple[dict[str, SystemFit], JointPosterior]:
    """The fits, with those that hold too few draws where the joint intercept lies made again under a prior near it.

    A system without passes, without failures or with few items leaves alpha wide open by itself, so hardly any draw
    of its own fit is near the alpha that the others know. `combine` divides by the prior that a fit was made under,
    so what the others say of alpha, as a normal, may stand in for it: any prior that covers the joint intercept gives
    the same posterior.
    """
    fits = dict(fits)
    idle = ~(responses.demand > 0).any(axis=1)
    counts = float(responses.passed[idle].sum()), float(responses.attempted[idle].sum())
    joint = factorised.combine(fits, counts, model)
    base = factorised.intercept_without_systems(counts, model)
    said = {name: factorised.said_of_alpha(fit, model) for name, fit in fits.items()}
    for _ in range(MAX_REFITS):
        thin = [name for name in fits if joint.ess[name] < min_ess]
        if not thin:
            break
        for name in thin:
            by_others = base + np.sum([said[other] for other in fits if other != name], axis=0)
            centre, sd = by_others[1] / by_others[0], by_others[0] ** -0.5
            prior = replace(model, mean=model.mean + centre, intercept_sd=sd)
            fit = refit(responses_of(responses, name), prior)
            fits[name] = replace(fit, alpha_mean=float(centre), alpha_sd=float(sd))
            said[name] = factorised.said_of_alpha(fits[name], model)
        joint = factorised.combine(fits, counts, model)
    return fits, joint
