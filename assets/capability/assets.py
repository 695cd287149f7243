"""Dagster assets of the slice `capability`: tables to Parquet, Parquet to draws, draws to tables.

Belongs here: read, call one pure function, hand over, metadata; the check that blocks what is downstream.
Does not belong here: the model (model.py), sampling and convergence (fit_quality.py), file layout (fit_store.py).
"""

import dagster as dg
import pandas as pd

from assets.capability.check import posterior_checks
from assets.capability.fit import exclusion, fit_quality, fit_store
from assets.capability.fit.layout import pool_responses
from assets.capability.fit.stale_fits import draw_jointly, fit_stale_systems
from assets.common.warehouse import Files, Rows
from assets.parts import part_files
from assets.step import Made, Step, table_assets

GROUP = "capability"
AI_SYSTEMS = dg.DynamicPartitionsDefinition(name="ai_system")
DEMAND = "intermediate.int_demand"
RESPONSE = "intermediate.int_response"
EXCLUDED_DEMAND = "intermediate.int_excluded_demand"
EXCLUDED_RESPONSE = "intermediate.int_excluded_response"
INPUT = "estimate.capability_input"
FITS = "estimate.system_posterior"
JOINT = "estimate.joint_posterior"
ITEMS = "estimate.prediction_input"
CHECKED_ITEMS = "estimate.posterior_check"
DRAWS = "estimate.capability_draw"
DIAGNOSTIC = "estimate.fit_diagnostic"
LOADED = {
    DRAWS: "Posterior draws of each system's log capability on each dimension.",
    "estimate.intercept_draw": "Posterior draws of the intercept that all systems share.",
    DIAGNOSTIC: "Whether the fit converged, and by which figures. Written even where it did not.",
    "estimate.capability_diagnostic": "R-hat and effective draws of each system's capability on each dimension.",
    "estimate.system_geometry": "Shape of each system's posterior: effective dimensions, correlation, condition.",
}
CHECKS = {
    "estimate.item_prediction": "Probability of success on each item, from the posterior that has not seen the item's "
    "fold.",
    "estimate.characteristic_curve": "Success at each demand level, observed and as the posterior would make it again.",
    "estimate.item_influence": "The items whose opposite answer would move a system's profile most.",
}
IS_CONVERGED = dg.AssetCheckSpec(
    "is_converged",
    asset=DIAGNOSTIC.split("."),
    blocking=True,
    description="R-hat, effective draws and divergences are within the settings; if not, nothing downstream "
    "is built and the last good draws, marts and publication stay.",
)


@table_assets(
    group=GROUP,
    writes={INPUT: "Scored responses as counts per system and demand pattern: all that the fit reads."},
    reads=[DEMAND, RESPONSE],
    kinds=["python", "parquet"],
)
def capability_input(step: Step) -> Made:
    """Pool responses to counts; responses without a score were never part of them."""
    response = step.read(RESPONSE)
    responses = pool_responses(step.read(DEMAND), response)
    fit_store.write_responses(step.home / fit_store.INPUT, responses)
    told = {
        "n_systems": len(responses.systems),
        "n_dimensions": len(responses.dimensions),
        "n_responses": len(response),
        "n_responses_without_score": int(response["score"].isna().sum()),
        "n_demand_patterns": len(responses.demand),
    }
    return Made(files={INPUT: step.home / fit_store.INPUT}, metadata={"": told})


@table_assets(
    group=GROUP,
    writes={
        FITS: "Each system's own posterior, the shared intercept integrated out. Only what changed is fitted again."
    },
    reads=[INPUT],
    kinds=["python", "parquet"],
    partitions_def=AI_SYSTEMS,
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def system_posterior(step: Step) -> Made:
    """Fit the partitions asked for, or every system of the input where the run names none."""
    context, settings = step.context, step.settings
    responses = fit_store.read_responses(step.home / fit_store.INPUT)
    names_systems = context.has_partition_key or context.has_partition_key_range
    if names_systems:
        systems = [key for key in context.partition_keys if key in responses.systems]
    else:
        systems = list(responses.systems)
    # engine nuts fits all systems jointly, in joint_posterior
    is_own = settings.engine == "factorised"
    fitted = fit_stale_systems(responses, systems, settings, step.log) if is_own else []
    if not names_systems:
        follow_systems(step, responses.systems)
    folder = step.home / fit_store.SYSTEMS
    folder.mkdir(parents=True, exist_ok=True)
    return Made(
        files={FITS: folder}, metadata={"": {"fitted": fitted, "unchanged": len(systems) - len(fitted)}}
    )


@table_assets(
    group=GROUP,
    writes={
        JOINT: "Joint draws of all systems and their shared intercept, from the systems' own fits or by NUTS."
    },
    reads=[INPUT, FITS],
    kinds=["python", "pymc", "parquet"],
)
def joint_posterior(step: Step) -> Made:
    """Draw jointly, unless the stored draws are of the same fits."""
    responses = fit_store.read_responses(step.home / fit_store.INPUT)
    told = draw_jointly(responses, step.settings, step.log)
    return Made(files={JOINT: step.home / fit_store.DRAWS}, metadata={"": told})


def follow_systems(step: Step, systems: tuple[str, ...]) -> None:
    """Make the partitions those of the input: record each as materialised, drop systems that are gone."""
    context = step.context
    known = context.instance.get_dynamic_partitions("ai_system")
    for gone in sorted(set(known) - set(systems)):
        context.instance.delete_dynamic_partition("ai_system", gone)
    fit_store.remove_systems(step.home, systems)
    if systems:
        context.instance.add_dynamic_partitions("ai_system", list(systems))
    for system in systems:
        context.log_event(dg.AssetMaterialization(context.asset_key, partition=system))


@table_assets(
    group=GROUP,
    writes=LOADED,
    reads=[JOINT],
    kinds=["python"],
    checks=[IS_CONVERGED],
    skippable=[table for table in LOADED if table != DIAGNOSTIC],
)
def capability_posterior(step: Step) -> Made:
    """Load the draws; of a fit that did not converge, only what tells why."""
    posterior = fit_store.read_posterior(step.home / fit_store.DRAWS)
    diagnostic, faults = fit_quality.fit_diagnostics(posterior, fit_quality.Thresholds.of(step.settings))
    tables: dict[str, Rows] = {DIAGNOSTIC: diagnostic}
    if not faults:
        tables |= {
            DRAWS: Files([step.home / fit_store.DRAWS]),
            "estimate.intercept_draw": fit_store.intercept_frame(posterior),
            "estimate.capability_diagnostic": fit_quality.capability_diagnostics(posterior),
            "estimate.system_geometry": fit_quality.system_geometry(posterior),
        }
    told = "; ".join(faults) or ("nothing to fit" if posterior.is_empty else "converged")
    check = dg.AssetCheckResult(
        check_name=IS_CONVERGED.name,
        asset_key=IS_CONVERGED.asset_key,
        passed=not faults,
        description=told,
    )
    return Made(tables, checks=[check])


@table_assets(
    group=GROUP,
    writes={
        "estimate.exclusion_fit": "Profiles with the items that battery/items excludes; empty where none was answered."
    },
    reads=[DEMAND, RESPONSE, EXCLUDED_DEMAND, EXCLUDED_RESPONSE, FITS, JOINT],
    kinds=["python", "pymc"],
)
def exclusion_fit(step: Step) -> Made:
    """Fit again the systems that answered excluded items."""
    excluded = step.read(EXCLUDED_RESPONSE)
    frame = pd.DataFrame(columns=exclusion.COLUMNS)
    if len(excluded):
        demand = pd.concat([step.read(DEMAND), step.read(EXCLUDED_DEMAND)], ignore_index=True)
        response = pd.concat([step.read(RESPONSE), excluded], ignore_index=True)
        changed = frozenset(excluded["system"])
        frame = exclusion.fit_with(pool_responses(demand, response), changed, step.settings)
    told = {"n_excluded_responses": len(excluded), "fitted": sorted(set(excluded["system"]))}
    return Made({"estimate.exclusion_fit": frame}, metadata={"": told})


@table_assets(
    group=GROUP,
    writes={ITEMS: "Demands and scores item by item: what the checks of the posterior read."},
    # capability_input is not read: it refuses answers to unknown items and items without a demand
    reads=[DEMAND, RESPONSE, INPUT],
    kinds=["python", "parquet"],
)
def prediction_input(step: Step) -> Made:
    """Write the items."""
    n_items = posterior_checks.write_items(step.home, step.read(DEMAND), step.read(RESPONSE))
    return Made(files={ITEMS: step.home / posterior_checks.ITEMS}, metadata={"": {"n_items": n_items}})


@table_assets(
    group=GROUP,
    writes={
        CHECKED_ITEMS: "Held-out predictions, posterior predictive curves and influential items. Only what changed is "
        "made."
    },
    # capability_draw is not read: of draws that did not converge there is none, and nothing to check
    reads=[ITEMS, JOINT, DRAWS],
    kinds=["python", "parquet"],
)
def posterior_check(step: Step) -> Made:
    """Check those systems whose draws or items changed."""
    checked = posterior_checks.check_stale_systems(step.settings, step.log)
    folder = step.home / posterior_checks.CHECKS
    folder.mkdir(parents=True, exist_ok=True)
    return Made(files={CHECKED_ITEMS: folder}, metadata={"": {"checked": checked}})


@table_assets(group=GROUP, writes=CHECKS, reads=[CHECKED_ITEMS, JOINT], kinds=["python"])
def posterior_check_tables(step: Step) -> Made:
    """Load the checks of all systems, a part a system."""
    folders = {
        f"estimate.{table}": posterior_checks.folder(step.home, table) for table in posterior_checks.TABLES
    }
    return Made({table: Files(part_files(folder)) for table, folder in folders.items()})
