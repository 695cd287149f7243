"""The posterior with the items that the battery excludes: does leaving them out matter?

Belongs here: which systems that needs fitting, and the figures compared. Does not belong here: the fit itself
(engine.py), which items are excluded (dbt).
"""

from __future__ import annotations

import pandas as pd
from threadpoolctl import threadpool_limits

from assets.capability.fit import fit_store, nuts
from assets.capability.fit.engine import responses_of
from assets.capability.fit.factorised import SystemFit
from assets.capability.fit.fit_quality import Posterior, Thresholds, fit_diagnostics
from assets.capability.fit.layout import PooledResponses
from assets.capability.fit.model import ModelOptions
from assets.capability.fit.stale_fits import fit_alone, join_fits, sampler_of
from assets.settings import Settings

COLUMNS = ["system", "dimension", "mean_log", "sd_log", "is_converged"]


def fit_with(responses: PooledResponses, changed: frozenset[str], settings: Settings) -> pd.DataFrame:
    """Table estimate.exclusion_fit: the posterior of all `responses`, those to excluded items among them.

    Only systems in `changed`, which answered excluded items, are fitted; the others' own fits are as they are stored,
    and move by the intercept that all share.

    Raises:
        FileNotFoundError: an unchanged system has no stored fit.
    """
    model, thresholds = ModelOptions.of(settings), Thresholds.of(settings)
    with threadpool_limits(limits=1):
        posterior = _posterior(responses, changed, settings, model, thresholds)
    is_converged = not fit_diagnostics(posterior, thresholds)[1]
    draws = posterior.capability.reshape(-1, len(posterior.systems), len(posterior.dimensions))
    mean, sd = draws.mean(axis=0), draws.std(axis=0, ddof=1)
    rows = [
        (system, dimension, float(mean[n, k]), float(sd[n, k]), is_converged)
        for n, system in enumerate(posterior.systems)
        for k, dimension in enumerate(posterior.dimensions)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _posterior(
    responses: PooledResponses,
    changed: frozenset[str],
    settings: Settings,
    model: ModelOptions,
    thresholds: Thresholds,
) -> Posterior:
    if settings.engine == "nuts":
        return nuts.sample_posterior(responses, model, sampler_of(settings, "joint_posterior"))

    def stored(system: str) -> SystemFit:
        path = fit_store.system_path(settings.home, system)
        return fit_store.read_system(path, system, responses.dimensions)[0]

    fits = {
        system: fit_alone(responses_of(responses, system), model, thresholds, settings)
        if system in changed
        else stored(system)
        for system in responses.systems
    }
    # the seeds of the fit without them: what differs is the items
    return join_fits(fits, responses, model, thresholds, settings)
