"""Posterior draws of capability: sampling with NUTS, and whether they may be used.

Belongs here: the sampler call, convergence figures and the shape of each system's posterior.
Does not belong here: the model (model.py), files (store.py), Dagster.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import pandas as pd

from assets.capability.layout import Array, PooledResponses
from assets.capability.model import ModelOptions, capability_model, posterior_mode
from assets.settings import Settings


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


@dataclass(frozen=True)
class Posterior:
    """Joint draws: every chain and draw holds one intercept and one capability of each system and dimension."""

    engine: str
    systems: tuple[str, ...]  # (N,)
    dimensions: tuple[str, ...]  # (K,)
    capability: Array  # (chains, draws, N, K) log capability c
    intercept: Array  # (chains, draws) alpha
    n_divergent: int

    @property
    def is_empty(self) -> bool:
        return self.capability.size == 0


@dataclass(frozen=True)
class Thresholds:
    """When a fit counts as converged."""

    max_rhat: float
    min_ess: float

    @classmethod
    def of(cls, settings: Settings) -> Thresholds:
        return cls(settings.max_rhat, settings.min_ess)


def sample_posterior(
    responses: PooledResponses, model: ModelOptions, sampler: SamplerOptions, *, show_progress: bool = False
) -> Posterior:
    """Sample the joint posterior with nutpie. No systems or no dimensions: no draws.

    The same input, options and seed give the same bytes, whatever the number of cores: each chain has a seed of its
    own and the linear algebra runs on one thread.
    """
    shape = (len(responses.systems), len(responses.dimensions))
    if responses.is_empty:
        empty = np.empty((sampler.chains, 0, *shape))
        return Posterior("nuts", responses.systems, responses.dimensions, empty, empty.sum(axis=(2, 3)), 0)
    import nutpie
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        alpha, ease = posterior_mode(responses, model)
        pymc_model = capability_model(responses, model)
        compiled = nutpie.compile_pymc_model(
            pymc_model,
            initial_points={"alpha": alpha, "ease": ease},
            jitter_rvs=set(pymc_model.free_RVs),
            var_names=["alpha", "c"],
        )
        trace = nutpie.sample(
            compiled,
            draws=sampler.draws,
            tune=sampler.tune,
            chains=sampler.chains,
            cores=min(sampler.chains, os.cpu_count() or 1),
            seed=sampler.seed,
            target_accept=sampler.target_accept,
            save_warmup=False,
            progress_bar=show_progress,
        )
    capability = trace.posterior["c"].transpose("chain", "draw", "system", "dimension").to_numpy()
    intercept = trace.posterior["alpha"].transpose("chain", "draw").to_numpy()
    n_divergent = int(trace.sample_stats["diverging"].sum())
    return Posterior("nuts", responses.systems, responses.dimensions, capability, intercept, n_divergent)


def capability_diagnostics(posterior: Posterior) -> pd.DataFrame:
    """Convergence of each capability: system, dimension, rhat (rank-normalised, split), ess_bulk, ess_tail."""
    labels = [(system, dimension) for system in posterior.systems for dimension in posterior.dimensions]
    frame = pd.DataFrame(labels, columns=["system", "dimension"], dtype=object)
    figures = _convergence_figures(posterior.capability.reshape(*posterior.intercept.shape, len(labels)))
    return frame.assign(**{name: figures[name] for name in ("rhat", "ess_bulk", "ess_tail")})


def fit_diagnostics(posterior: Posterior, thresholds: Thresholds) -> tuple[pd.DataFrame, list[str]]:
    """The row of model.fit_diagnostic (none for an empty posterior), and what keeps the fit from being converged."""
    columns = ["fit", "engine", "khat_max", "n_chains", "n_draws", "n_divergent", "rhat_max", "ess_bulk_min"]
    columns += ["ess_tail_min", "alpha_mean", "alpha_sd", "is_converged"]
    if posterior.is_empty:
        return pd.DataFrame(columns=columns), []
    chains, draws = posterior.intercept.shape
    everything = np.concatenate(
        [posterior.intercept[:, :, None], posterior.capability.reshape(chains, draws, -1)], axis=2
    )
    figures = _convergence_figures(everything)
    # max and min of numpy hand NaN through, and NaN must fail
    rhat_max, ess_min = float(figures["rhat"].max()), float(figures["ess_bulk"].min())
    faults = convergence_faults(rhat_max, ess_min, posterior.n_divergent, thresholds)
    row = {
        "fit": "all systems",
        "engine": posterior.engine,
        "khat_max": None,
        "n_chains": chains,
        "n_draws": chains * draws,
        "n_divergent": posterior.n_divergent,
        "rhat_max": rhat_max,
        "ess_bulk_min": ess_min,
        "ess_tail_min": float(figures["ess_tail"].min()),
        "alpha_mean": float(posterior.intercept.mean()),
        "alpha_sd": float(posterior.intercept.std(ddof=1)),
        "is_converged": not faults,
    }
    return pd.DataFrame([row], columns=columns), faults


def convergence_faults(
    rhat_max: float, ess_min: float, n_divergent: int, thresholds: Thresholds
) -> list[str]:
    """Each figure that fails, with what to do; a NaN fails."""
    faults = []
    if not rhat_max <= thresholds.max_rhat:
        faults.append(
            f"largest R-hat is {rhat_max:.4g}, allowed is {thresholds.max_rhat:g}: "
            "raise SUITABILITY_TUNE and SUITABILITY_DRAWS"
        )
    if not ess_min >= thresholds.min_ess:
        faults.append(
            f"smallest bulk ESS is {ess_min:.4g}, needed is {thresholds.min_ess:g}: raise SUITABILITY_DRAWS"
        )
    if n_divergent:
        faults.append(f"{n_divergent} divergent draws, allowed are none: raise SUITABILITY_TARGET_ACCEPT")
    return faults


def system_geometry(posterior: Posterior) -> pd.DataFrame:
    """Shape of each system's posterior correlation matrix (paper section C.1; Tables C4, C5).

    Returns:
        system, effective_dimensions ((sum of eigenvalues)² / sum of squares), mean_abs_correlation (off the
        diagonal; NULL with one dimension), condition_number (largest / smallest eigenvalue).
    """
    rows = []
    for n, system in enumerate(posterior.systems if not posterior.is_empty else ()):
        draws = posterior.capability[:, :, n, :].reshape(-1, len(posterior.dimensions))
        correlation = np.atleast_2d(np.corrcoef(draws, rowvar=False))
        spectrum = np.linalg.eigvalsh(correlation)
        off_diagonal = np.abs(correlation[np.triu_indices(len(correlation), 1)])
        rows.append(
            {
                "system": system,
                "effective_dimensions": spectrum.sum() ** 2 / (spectrum**2).sum(),
                "mean_abs_correlation": off_diagonal.mean() if off_diagonal.size else None,
                "condition_number": spectrum[-1] / spectrum[0],
            }
        )
    columns = ["system", "effective_dimensions", "mean_abs_correlation", "condition_number"]
    return pd.DataFrame(rows, columns=columns)


def _convergence_figures(draws: Array) -> dict[str, Array]:
    """rhat, ess_bulk, ess_tail of (chains, draws, parameters), each (parameters,); NaN where a chain never moved."""
    if draws.shape[2] == 0 or draws.shape[1] == 0:
        return {name: np.empty(0) for name in ("rhat", "ess_bulk", "ess_tail")}
    import arviz as az

    data = az.convert_to_dataset({"x": draws})
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "rhat": az.rhat(data, method="rank")["x"].to_numpy(),
            "ess_bulk": az.ess(data, method="bulk")["x"].to_numpy(),
            "ess_tail": az.ess(data, method="tail")["x"].to_numpy(),
        }
