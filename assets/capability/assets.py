"""Dagster assets of the slice `capability`: tables to Parquet, Parquet to draws, draws to tables.

Belongs here: read, call one pure function, write, metadata; the check that blocks what is downstream.
Does not belong here: the model (model.py), sampling and convergence (fit.py), file layout (store.py).
"""

import sys
import time
from collections.abc import Iterator

import dagster as dg

from assets.capability import fit, store
from assets.capability.layout import pool_responses
from assets.capability.model import ModelOptions
from assets.ports import Warehouse
from assets.settings import Settings

GROUP = "capability"
CHECKED = ["model", "fit_diagnostic"]
LOADED = {
    "capability_draw": "Posterior draws of each system's log capability on each dimension.",
    "intercept_draw": "Posterior draws of the intercept that all systems share.",
    "fit_diagnostic": "Whether the fit converged, and by which figures. Written even where it did not.",
    "capability_diagnostic": "R-hat and effective draws of each system's capability on each dimension.",
    "system_geometry": "Shape of each system's posterior: effective dimensions, correlation, condition number.",
}


@dg.asset(
    key=["model", "capability_input"],
    deps=[["intermediate", "int_demand"], ["intermediate", "int_response"]],
    group_name=GROUP,
    kinds={"python", "parquet"},
    code_version="1",
    pool="warehouse",
    description="Scored responses as counts per system and demand pattern: all that the fit reads.",
)
def capability_input(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    """Pool responses to counts; responses without a score were never part of them."""
    demand, response = warehouse.read("intermediate.int_demand"), warehouse.read("intermediate.int_response")
    responses = pool_responses(demand, response)
    store.write_responses(settings.home / store.INPUT, responses)
    return dg.MaterializeResult(
        metadata={
            "n_systems": len(responses.systems),
            "n_dimensions": len(responses.dimensions),
            "n_responses": len(response),
            "n_responses_without_score": int(response["score"].isna().sum()),
            "n_demand_patterns": len(responses.demand),
        }
    )


@dg.asset(
    key=["model", "system_posterior"],
    deps=[["model", "capability_input"]],
    group_name=GROUP,
    kinds={"python", "pymc", "parquet"},
    code_version=store.code_version(),
    description="Joint posterior draws of all systems. Opens no warehouse; not fitted again where nothing changed.",
)
def system_posterior(
    context: dg.AssetExecutionContext, settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    """Fit, unless the stored draws came from the same input, settings and code, and had converged."""
    responses = store.read_responses(settings.home / store.INPUT)
    model, sampler = ModelOptions.of(settings), fit.SamplerOptions.of(settings, "model", "system_posterior")
    fingerprint, path = store.fingerprint(responses, model, sampler, "nuts"), settings.home / store.DRAWS
    size = f"{len(responses.systems)} systems, {len(responses.demand)} demand patterns"
    if store.is_current(path, fingerprint):
        context.log.info(f"{size}: unchanged, not refitted")
        return dg.MaterializeResult(metadata={"fit": "unchanged, not refitted", "fingerprint": fingerprint})
    context.log.info(f"{size}: sampling {sampler.chains} chains of {sampler.tune} + {sampler.draws} draws")
    started = time.monotonic()
    posterior = fit.sample_posterior(responses, model, sampler, show_progress=sys.stderr.isatty())
    _, faults = fit.fit_diagnostics(posterior, fit.Thresholds.of(settings))
    store.write_posterior(path, posterior, fingerprint, is_converged=not faults)
    seconds = time.monotonic() - started
    context.log.info(f"{size}: sampled in {seconds:.0f} s{'; ' if faults else ''}{'; '.join(faults)}")
    return dg.MaterializeResult(
        metadata={
            "fit": "fitted",
            "fingerprint": fingerprint,
            "seconds": seconds,
            "faults": "; ".join(faults),
        }
    )


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=[["model", "system_posterior"]],
            group_name=GROUP,
            kinds={"python"},
            code_version="1",
            description=description,
            skippable=["model", name] != CHECKED,
        )
        for name, description in LOADED.items()
    ],
    check_specs=[
        dg.AssetCheckSpec(
            "is_converged",
            asset=CHECKED,
            blocking=True,
            description="R-hat, effective draws and divergences are within the settings; if not, nothing downstream "
            "is built and the last good draws, marts and publication stay.",
        )
    ],
    pool="warehouse",
)
def capability_posterior(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    """Load the draws in one transaction; of a fit that did not converge, only what tells why."""
    posterior = store.read_posterior(settings.home / store.DRAWS)
    diagnostic, faults = fit.fit_diagnostics(posterior, fit.Thresholds.of(settings))
    tables = {"fit_diagnostic": diagnostic}
    if not faults:
        tables["capability_draw"] = store.capability_frame(posterior)
        tables["intercept_draw"] = store.intercept_frame(posterior)
        tables["capability_diagnostic"] = fit.capability_diagnostics(posterior)
        tables["system_geometry"] = fit.system_geometry(posterior)
    warehouse.replace({f"model.{name}": frame for name, frame in tables.items()})
    for name, frame in tables.items():
        yield dg.MaterializeResult(asset_key=["model", name], metadata={"dagster/row_count": len(frame)})
    yield dg.AssetCheckResult(
        check_name="is_converged",
        asset_key=CHECKED,
        passed=not faults,
        description="; ".join(faults) or ("nothing to fit" if posterior.is_empty else "converged"),
    )
