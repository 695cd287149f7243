"""The NUTS engine: all systems sampled jointly in PyMC by nutpie. The reference that the fast engine is held against.

Belongs here: the sampler call. Does not belong here: the model (model.py), convergence (fit_quality.py), files
(fit_store.py).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assets.capability.fit.fit_quality import Posterior
from assets.capability.fit.layout import Array, PooledResponses
from assets.capability.fit.model import ModelOptions, capability_model, posterior_mode
from assets.common.scratch_dir import scratch_dir
from assets.settings import Settings

if TYPE_CHECKING:
    import pymc as pm

# acceptance to adapt to when a run before it diverged
STRICTER = (0.95, 0.99)


@dataclass(frozen=True)
class SamplerOptions:
    """How long to sample, and from which seed."""

    chains: int
    tune: int
    draws: int
    target_accept: float
    seed: int

    @classmethod
    def of(cls, settings: Settings, *key: object) -> SamplerOptions:
        return cls(
            settings.chains, settings.tune, settings.draws, settings.target_accept, settings.seed_for(*key)
        )


def sample_posterior(
    responses: PooledResponses, model: ModelOptions, sampler: SamplerOptions, *, show_progress: bool = False
) -> Posterior:
    """Sample the joint posterior with nutpie. No systems or no dimensions: no draws.

    Where trajectories diverge, the posterior is sampled again with smaller steps: draws beside divergences are biased
    away from narrow places. What still diverges at the last of STRICTER is returned with its count.

    The same input, options and seed give the same bytes, whatever the number of cores: each chain has a seed of its
    own and the linear algebra runs on one thread.
    """
    shape = (len(responses.systems), len(responses.dimensions))
    if responses.is_empty:
        empty = np.empty((sampler.chains, 0, *shape))
        return Posterior("nuts", responses.systems, responses.dimensions, empty, empty.sum(axis=(2, 3)), 0)
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        alpha, ease = posterior_mode(responses, model)
    start = {"alpha": np.asarray(alpha), "ease": ease}
    stricter = [accept for accept in STRICTER if accept > sampler.target_accept]
    for accept in (sampler.target_accept, *stricter):
        trace = sample_model(
            capability_model(responses, model),
            start,
            ["alpha", "c"],
            replace(sampler, target_accept=accept),
            show_progress=show_progress,
        )
        n_divergent = int(trace.sample_stats["diverging"].sum())
        if not n_divergent:
            break
    capability = trace.posterior["c"].transpose("chain", "draw", "system", "dimension").to_numpy()
    intercept = trace.posterior["alpha"].transpose("chain", "draw").to_numpy()
    return Posterior(
        "nuts",
        responses.systems,
        responses.dimensions,
        capability,
        intercept,
        n_divergent,
        ebfmi=smallest_ebfmi(trace),
    )


def smallest_ebfmi(trace: Any) -> float:
    """Smallest energy Bayesian fraction of missing information over chains; NaN where an energy never moved."""
    import arviz as az

    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.min(az.bfmi(trace)))


def sample_model(
    model: pm.Model,
    start: Mapping[str, Array],
    names: list[str],
    sampler: SamplerOptions,
    *,
    is_correlated: bool = False,
    show_progress: bool = False,
) -> Any:
    """ArviZ data with draws of `names`, by nutpie on one thread; chains start near `start` (free variables by name).

    Args:
        is_correlated: parameters lean on each other; the mass matrix is then adapted to their leading directions too.
    """
    import nutpie
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        # PyTensor writes each function that it generates to a file
        with scratch_dir():
            compiled = nutpie.compile_pymc_model(
                model, initial_points=dict(start), jitter_rvs=set(model.free_RVs), var_names=names
            )
        return nutpie.sample(
            compiled,
            draws=sampler.draws,
            tune=sampler.tune,
            chains=sampler.chains,
            cores=min(sampler.chains, os.cpu_count() or 1),
            seed=sampler.seed,
            target_accept=sampler.target_accept,
            low_rank_modified_mass_matrix=is_correlated,
            save_warmup=False,
            progress_bar=show_progress,
        )
