"""What a fit gives, and whether it may be used: joint draws, convergence figures, the shape of each posterior.

Belongs here: figures that are the same question for both engines. Does not belong here: sampling (nuts.py,
factorised.py), files (fit_store.py), Dagster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from assets.capability.fit.layout import Array
from assets.settings import Settings

# below it a chain's energy moves too little a step to reach the tails (Betancourt 2016, arXiv:1604.00695)
MIN_EBFMI = 0.3


@dataclass(frozen=True)
class Quality:
    """How good one fit is; None where the engine has no such figure, NaN where it could not be told (and fails)."""

    fit: str
    engine: str
    n_draws: int
    ess_bulk_min: float
    khat_max: float | None = None
    n_chains: int | None = None
    n_divergent: int | None = None
    rhat_max: float | None = None
    ess_tail_min: float | None = None
    ebfmi_min: float | None = None


@dataclass(frozen=True)
class Posterior:
    """Joint draws: every chain and draw holds one intercept and one capability of each system and dimension.

    The factorised engine draws independently: one chain, and `fits` with the quality of each system's own fit.
    """

    engine: str
    systems: tuple[str, ...]  # (N,)
    dimensions: tuple[str, ...]  # (K,)
    capability: Array  # (chains, draws, N, K) log capability c
    intercept: Array  # (chains, draws) alpha
    n_divergent: int
    fits: tuple[Quality, ...] = ()  # (N,) as systems
    ebfmi: float | None = None  # smallest over chains; None for the factorised engine

    @property
    def is_empty(self) -> bool:
        return self.capability.size == 0


@dataclass(frozen=True)
class Thresholds:
    """When a fit counts as converged."""

    max_rhat: float
    min_ess: float
    max_khat: float = 0.7

    @classmethod
    def of(cls, settings: Settings) -> Thresholds:
        return cls(settings.max_rhat, settings.min_ess, settings.max_khat)


def capability_diagnostics(posterior: Posterior) -> pd.DataFrame:
    """Convergence of each capability: system, dimension, rhat (rank-normalised, split), ess_bulk, ess_tail.

    The factorised engine weighs whole draws of a system: its effective draws are those of each dimension.
    """
    labels = [(system, dimension) for system in posterior.systems for dimension in posterior.dimensions]
    frame = pd.DataFrame(labels, columns=["system", "dimension"], dtype=object)
    if posterior.fits:
        own = {q.fit: q for q in posterior.fits}
        return frame.assign(
            rhat=np.array([own[system].rhat_max for system in frame["system"]], dtype=object),
            ess_bulk=[own[system].ess_bulk_min for system in frame["system"]],
            ess_tail=None,
        )
    figures = _convergence_figures(posterior.capability.reshape(*posterior.intercept.shape, len(labels)))
    return frame.assign(**{name: figures[name] for name in ("rhat", "ess_bulk", "ess_tail")})


def fit_diagnostics(posterior: Posterior, thresholds: Thresholds) -> tuple[pd.DataFrame, list[str]]:
    """Rows of estimate.fit_diagnostic (none for an empty posterior), and what keeps the fit from being converged.

    The first row, 'all systems', is the joint posterior; the factorised engine adds one for each system's own fit.
    """
    columns = ["fit", "engine", "khat_max", "n_chains", "n_draws", "n_divergent", "rhat_max", "ess_bulk_min"]
    columns += ["ess_tail_min", "ebfmi_min", "alpha_mean", "alpha_sd", "is_converged"]
    if posterior.is_empty:
        return pd.DataFrame(columns=columns), []
    qualities = [_joint_quality(posterior), *posterior.fits]
    faults = {quality.fit: convergence_faults(quality, thresholds) for quality in qualities}
    intercept = {"alpha_mean": posterior.intercept.mean(), "alpha_sd": posterior.intercept.std(ddof=1)}
    rows = [vars(quality) | intercept | {"is_converged": not faults[quality.fit]} for quality in qualities]
    told = [f"{name}: {fault}" for name, found in faults.items() for fault in found]
    return pd.DataFrame(rows, columns=columns), told


def _joint_quality(posterior: Posterior) -> Quality:
    chains, draws = posterior.intercept.shape
    if posterior.fits:
        # max and min of numpy hand NaN through, and NaN must fail
        khats: list[float] = [q.khat_max for q in posterior.fits if q.khat_max is not None]
        return Quality(
            "all systems",
            posterior.engine,
            chains * draws,
            ess_bulk_min=float(np.min([q.ess_bulk_min for q in posterior.fits])),
            khat_max=float(np.max(khats)) if khats else None,
        )
    everything = np.concatenate(
        [posterior.intercept[:, :, None], posterior.capability.reshape(chains, draws, -1)], axis=2
    )
    return nuts_quality("all systems", everything, posterior.n_divergent, posterior.ebfmi)


def nuts_quality(fit: str, draws: Array, n_divergent: int, ebfmi: float | None) -> Quality:
    """Quality of (chains, draws, parameters) drawn by NUTS."""
    figures = _convergence_figures(draws)
    return Quality(
        fit,
        "nuts",
        draws.shape[0] * draws.shape[1],
        n_chains=draws.shape[0],
        n_divergent=n_divergent,
        rhat_max=float(figures["rhat"].max()),
        ess_bulk_min=float(figures["ess_bulk"].min()),
        ess_tail_min=float(figures["ess_tail"].min()),
        ebfmi_min=ebfmi,
    )


def convergence_faults(quality: Quality, thresholds: Thresholds) -> list[str]:
    """Each figure that fails, with what to do; a NaN fails, a figure the engine does not have is not asked for."""
    faults = []
    if quality.khat_max is not None and not quality.khat_max <= thresholds.max_khat:
        faults.append(
            f"largest Pareto k is {quality.khat_max:.3g}, allowed is {thresholds.max_khat:g}: "
            "use SUITABILITY_ENGINE=nuts"
        )
    if quality.rhat_max is not None and not quality.rhat_max <= thresholds.max_rhat:
        faults.append(
            f"largest R-hat is {quality.rhat_max:.4g}, allowed is {thresholds.max_rhat:g}: "
            "raise SUITABILITY_TUNE and SUITABILITY_DRAWS"
        )
    remedy = "raise SUITABILITY_DRAWS" if quality.engine == "nuts" else "use SUITABILITY_ENGINE=nuts"
    for part, ess in (("bulk", quality.ess_bulk_min), ("tail", quality.ess_tail_min)):
        if ess is not None and not ess >= thresholds.min_ess:
            faults.append(f"smallest {part} ESS is {ess:.4g}, needed is {thresholds.min_ess:g}: {remedy}")
    if quality.ebfmi_min is not None and not quality.ebfmi_min >= MIN_EBFMI:
        faults.append(
            f"smallest E-BFMI is {quality.ebfmi_min:.3g}, needed is {MIN_EBFMI:g}: raise SUITABILITY_TUNE"
        )
    if quality.n_divergent:
        faults.append(
            f"{quality.n_divergent} divergent draws, allowed are none: raise SUITABILITY_TARGET_ACCEPT"
        )
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
