"""What of the fits must be made again: per system by the hash of all that decides it, and the joint draws from them.

Belongs here: deciding by fingerprint, and running the engine that the settings name. Does not belong here: Dagster,
the engines themselves (engine.py), file layout (store.py).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

from rich.progress import track
from threadpoolctl import threadpool_limits

from assets.capability import nuts, store
from assets.capability.engine import fit_system, join, responses_of
from assets.capability.factorised import SystemFit
from assets.capability.fit import Posterior, Thresholds, fit_diagnostics
from assets.capability.layout import PooledResponses
from assets.capability.model import ModelOptions
from assets.settings import Settings

Log = Callable[[str], object]


def fit_stale_systems(
    responses: PooledResponses, systems: Sequence[str], settings: Settings, log: Log
) -> list[str]:
    """Fit those of `systems` whose stored fit came from other responses, demands, priors, settings or code."""
    model, thresholds = ModelOptions.of(settings), Thresholds.of(settings)
    stale = []
    for system in systems:
        own, sampler = responses_of(responses, system), _sampler(settings, system)
        wanted = store.fingerprint(own, model, sampler, "factorised", thresholds)
        if not store.is_current(store.system_path(settings.home, system), wanted):
            stale.append((system, own, sampler, wanted))
    log(f"{len(systems) - len(stale)} systems unchanged, {len(stale)} to fit")
    for system, own, sampler, wanted in track(stale, "fitting systems", disable=not sys.stderr.isatty()):
        started = time.monotonic()
        # one thread: the same bytes on any number of cores
        with threadpool_limits(limits=1):
            fit = fit_system(own, model, thresholds, sampler)
        store.write_system(store.system_path(settings.home, system), fit, responses.dimensions, wanted)
        log(f"{system}: {fit.engine}, {fit.ess:.0f} effective draws, {time.monotonic() - started:.1f} s")
    return [system for system, *_ in stale]


def draw_jointly(responses: PooledResponses, settings: Settings, log: Log) -> dict[str, str | float]:
    """Write joint draws, unless the stored ones came from the same fits and settings and had converged.

    Raises:
        FileNotFoundError: a system of the input has no fit of its own.
    """
    model, path = ModelOptions.of(settings), settings.home / store.DRAWS
    sampler = _sampler(settings, "joint_posterior")
    thresholds = Thresholds.of(settings)
    fallback = thresholds if settings.engine == "factorised" else None
    wanted = store.fingerprint(responses, model, sampler, settings.engine, fallback)
    if store.is_current(path, wanted):
        return {"draws": "unchanged", "fingerprint": wanted}
    started = time.monotonic()
    if settings.engine == "nuts":
        log(
            f"sampling {len(responses.systems)} systems, {sampler.chains} chains of {sampler.tune} + {sampler.draws}"
        )
        posterior = nuts.sample_posterior(responses, model, sampler, show_progress=sys.stderr.isatty())
    else:
        posterior = _join(responses, model, thresholds, settings)
    _, faults = fit_diagnostics(posterior, thresholds)
    store.write_posterior(path, posterior, wanted, is_converged=not faults)
    return {
        "draws": "made",
        "fingerprint": wanted,
        "seconds": time.monotonic() - started,
        "faults": "; ".join(faults),
    }


def _join(
    responses: PooledResponses, model: ModelOptions, thresholds: Thresholds, settings: Settings
) -> Posterior:
    fits: dict[str, SystemFit] = {}
    for system in responses.systems:
        path = store.system_path(settings.home, system)
        fits[system], found = store.read_system(path, system, responses.dimensions)
        own, sampler = responses_of(responses, system), _sampler(settings, system)
        wanted = store.fingerprint(own, model, sampler, "factorised", thresholds)
        if found != wanted:
            raise ValueError(
                f"the fit of {system!r} came from other inputs: materialise its partition of model/system_posterior."
            )

    def refit(own: PooledResponses, prior: ModelOptions) -> SystemFit:
        return fit_system(own, prior, thresholds, _sampler(settings, own.systems[0]))

    def seed_of(name: str) -> int:
        return settings.seed_for("joint_posterior", name)

    n_draws = settings.chains * settings.draws
    with threadpool_limits(limits=1):
        return join(fits, responses, model, n_draws, seed_of, refit=refit, min_ess=thresholds.min_ess)


def _sampler(settings: Settings, name: str) -> nuts.SamplerOptions:
    return nuts.SamplerOptions.of(settings, "posterior", name)
