"""What of the fits must be made again: per system by the hash of all that decides it, and the joint draws from them.

Belongs here: deciding by fingerprint, and running the engine that the settings name. Does not belong here: Dagster,
the engines themselves (engine.py), file layout (fit_store.py).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict

from rich.progress import track
from threadpoolctl import threadpool_limits

from assets.capability.fit import fit_store, nuts
from assets.capability.fit.engine import fit_system, join, responses_of, system_quality
from assets.capability.fit.factorised import SystemFit
from assets.capability.fit.fit_quality import Posterior, Thresholds, convergence_faults, fit_diagnostics
from assets.capability.fit.layout import PooledResponses
from assets.capability.fit.model import ModelOptions
from assets.settings import Settings

Log = Callable[[str], object]


def fit_stale_systems(
    responses: PooledResponses, systems: Sequence[str], settings: Settings, log: Log
) -> list[str]:
    """Fit those of `systems` whose stored fit came from other responses, demands, priors, settings or code."""
    model, thresholds = ModelOptions.of(settings), Thresholds.of(settings)
    stale = []
    for system in systems:
        path, own = fit_store.system_path(settings.home, system), responses_of(responses, system)
        wanted = _fingerprints(own, settings)
        is_known = fit_store.stored_fingerprint(path) in wanted.values()
        if not is_known or not _is_what_fitting_gives(
            *fit_store.read_system(path, system, responses.dimensions), system, wanted, thresholds
        ):
            stale.append((system, own, wanted))
    log(f"{len(systems) - len(stale)} systems unchanged, {len(stale)} to fit")
    for system, own, wanted in track(stale, "fitting systems", disable=not sys.stderr.isatty()):
        started = time.monotonic()
        # one thread: the same bytes on any number of cores
        with threadpool_limits(limits=1):
            fit = fit_alone(own, model, thresholds, settings)
        path = fit_store.system_path(settings.home, system)
        fit_store.write_system(path, fit, responses.dimensions, wanted[fit.engine])
        log(f"{system}: {fit.engine}, {fit.ess:.0f} effective draws, {time.monotonic() - started:.1f} s")
    return [system for system, *_ in stale]


def draw_jointly(responses: PooledResponses, settings: Settings, log: Log) -> dict[str, str | float]:
    """Write joint draws, unless the stored ones came from the same fits and settings and had converged.

    Raises:
        FileNotFoundError: a system of the input has no fit of its own.
    """
    model, path = ModelOptions.of(settings), settings.home / fit_store.DRAWS
    sampler, thresholds = sampler_of(settings, "joint_posterior"), Thresholds.of(settings)
    by_nuts = asdict(sampler)
    fits: dict[str, SystemFit] = {}
    if settings.engine == "nuts":
        wanted = {"nuts": fit_store.fingerprint(responses, model, "nuts", by_nuts)}
    else:
        fits, fingerprints = _stored_fits(responses, settings)
        joined = {"seed": sampler.seed, "n_draws": sampler.chains * sampler.draws, "fits": fingerprints}
        joined |= _when_to_fall_back(thresholds)
        wanted = {
            "factorised": fit_store.fingerprint(responses, model, "factorised", joined),
            # fits made again around the joint intercept may have fallen back
            "nuts": fit_store.fingerprint(responses, model, "factorised", joined | by_nuts),
        }
    if (found := fit_store.stored_fingerprint(path)) in wanted.values():
        return {"draws": "unchanged", "fingerprint": str(found)}
    started = time.monotonic()
    if settings.engine == "nuts":
        log(
            f"sampling {len(responses.systems)} systems, {sampler.chains} chains of {sampler.tune} + {sampler.draws}"
        )
        posterior = nuts.sample_posterior(responses, model, sampler, show_progress=sys.stderr.isatty())
    else:
        posterior = join_fits(fits, responses, model, thresholds, settings)
    _, faults = fit_diagnostics(posterior, thresholds)
    engines = {posterior.engine, *(quality.engine for quality in posterior.fits)}
    fingerprint = wanted["nuts" if "nuts" in engines else "factorised"]
    fit_store.write_posterior(path, posterior, fingerprint, is_converged=not faults)
    return {
        "draws": "made",
        "fingerprint": fingerprint,
        "seconds": time.monotonic() - started,
        "faults": "; ".join(faults),
    }


def _fingerprints(own: PooledResponses, settings: Settings) -> dict[str, str]:
    """Engine that a system's fit may end with -> fingerprint of all that decides its bytes then."""
    model, sampler = ModelOptions.of(settings), sampler_of(settings, own.systems[0])
    by_nuts = asdict(sampler) | _when_to_fall_back(Thresholds.of(settings))
    return {
        "factorised": fit_store.fingerprint(own, model, "factorised", {"seed": sampler.seed}),
        "nuts": fit_store.fingerprint(own, model, "nuts", by_nuts),
    }


def _when_to_fall_back(thresholds: Thresholds) -> dict[str, object]:
    return {"max_khat": thresholds.max_khat, "min_ess": thresholds.min_ess}


def _is_what_fitting_gives(
    fit: SystemFit, found: str, system: str, wanted: dict[str, str], thresholds: Thresholds
) -> bool:
    """Fitting again would give the same bytes: nor would importance sampling fall back that did not before."""
    falls_back = fit.engine == "factorised" and convergence_faults(
        system_quality(system, fit, fit.ess), thresholds
    )
    return found == wanted[fit.engine] and not falls_back


def _stored_fits(
    responses: PooledResponses, settings: Settings
) -> tuple[dict[str, SystemFit], dict[str, str]]:
    """Each system's own fit, and its fingerprint."""
    fits: dict[str, SystemFit] = {}
    fingerprints: dict[str, str] = {}
    for system in responses.systems:
        path = fit_store.system_path(settings.home, system)
        fit, found = fit_store.read_system(path, system, responses.dimensions)
        wanted = _fingerprints(responses_of(responses, system), settings)
        if not _is_what_fitting_gives(fit, found, system, wanted, Thresholds.of(settings)):
            raise ValueError(
                f"the fit of {system!r} came from other inputs: materialise its partition of estimate/system_posterior."
            )
        fits[system], fingerprints[system] = fit, found
    return fits, fingerprints


def join_fits(
    fits: dict[str, SystemFit],
    responses: PooledResponses,
    model: ModelOptions,
    thresholds: Thresholds,
    settings: Settings,
) -> Posterior:
    """Joint draws around the fits of all systems of `responses`; a fit that no longer holds is made again."""

    def refit(own: PooledResponses, prior: ModelOptions) -> SystemFit:
        return fit_alone(own, prior, thresholds, settings)

    def seed_of(name: str) -> int:
        return settings.seed_for("joint_posterior", name)

    n_draws = settings.chains * settings.draws
    with threadpool_limits(limits=1):
        return join(fits, responses, model, n_draws, seed_of, refit=refit, min_ess=thresholds.min_ess)


def fit_alone(
    own: PooledResponses, model: ModelOptions, thresholds: Thresholds, settings: Settings
) -> SystemFit:
    """The fit of one system, with the seed that is its own."""
    return fit_system(own, model, thresholds, sampler_of(settings, own.systems[0]))


def sampler_of(settings: Settings, name: str) -> nuts.SamplerOptions:
    """Options of the sampler, with the seed of a system or of the joint posterior."""
    return nuts.SamplerOptions.of(settings, "posterior", name)
