"""Dagster assets of the slice `capability`: tables to Parquet, Parquet to draws, draws to tables.

Belongs here: read, call one pure function, write, metadata; the check that blocks what is downstream.
Does not belong here: the model (model.py), sampling and convergence (fit.py), file layout (store.py).
"""

from collections.abc import Iterator

import dagster as dg

from assets.capability import checks, fit, store
from assets.capability.layout import pool_responses
from assets.capability.refresh import draw_jointly, fit_stale_systems
from assets.parts import part_files
from assets.ports import Warehouse
from assets.settings import Settings

GROUP = "capability"
AI_SYSTEMS = dg.DynamicPartitionsDefinition(name="ai_system")
CHECKED = ["model", "fit_diagnostic"]
LOADED = {
    "capability_draw": "Posterior draws of each system's log capability on each dimension.",
    "intercept_draw": "Posterior draws of the intercept that all systems share.",
    "fit_diagnostic": "Whether the fit converged, and by which figures. Written even where it did not.",
    "capability_diagnostic": "R-hat and effective draws of each system's capability on each dimension.",
    "system_geometry": "Shape of each system's posterior: effective dimensions, correlation, condition number.",
}

CHECKS = {
    "item_prediction": "Probability of success on each item, from the posterior that has not seen the item's fold.",
    "characteristic_curve": "Success at each demand level, observed and as the posterior would make it again.",
    "item_influence": "The items whose opposite answer would move a system's profile most.",
}


@dg.asset(
    key=["model", "capability_input"],
    deps=[["intermediate", "int_demand"], ["intermediate", "int_response"]],
    group_name=GROUP,
    kinds={"python", "parquet"},
    code_version="2",
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
    partitions_def=AI_SYSTEMS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    group_name=GROUP,
    kinds={"python", "parquet"},
    code_version=store.code_version(),
    description="Each system's own posterior, the shared intercept integrated out. Only what changed is fitted again.",
)
def system_posterior(
    context: dg.AssetExecutionContext, settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    """Fit the partitions asked for, or every system of the input where the run names none."""
    responses = store.read_responses(settings.home / store.INPUT)
    if context.has_partition_key or context.has_partition_key_range:
        systems = [key for key in context.partition_keys if key in responses.systems]
    else:
        systems = list(responses.systems)
    # engine nuts fits all systems jointly, in joint_posterior
    is_own = settings.engine == "factorised"
    fitted = fit_stale_systems(responses, systems, settings, context.log.info) if is_own else []
    if not context.has_partition_key and not context.has_partition_key_range:
        follow_systems(context, responses.systems, settings)
    return dg.MaterializeResult(metadata={"fitted": fitted, "unchanged": len(systems) - len(fitted)})


@dg.asset(
    key=["model", "joint_posterior"],
    deps=[["model", "system_posterior"]],
    group_name=GROUP,
    kinds={"python", "pymc", "parquet"},
    code_version=store.code_version(),
    description="Joint draws of all systems and their shared intercept, from the systems' own fits or by NUTS.",
)
def joint_posterior(
    context: dg.AssetExecutionContext, settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    responses = store.read_responses(settings.home / store.INPUT)
    return dg.MaterializeResult(metadata=draw_jointly(responses, settings, context.log.info))


def follow_systems(context: dg.AssetExecutionContext, systems: tuple[str, ...], settings: Settings) -> None:
    """Make the partitions those of the input: record each as materialised, drop systems that are gone."""
    known = context.instance.get_dynamic_partitions("ai_system")
    for gone in sorted(set(known) - set(systems)):
        context.instance.delete_dynamic_partition("ai_system", gone)
    store.remove_systems(settings.home, systems)
    if systems:
        context.instance.add_dynamic_partitions("ai_system", list(systems))
    for system in systems:
        context.log_event(dg.AssetMaterialization(context.asset_key, partition=system))


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=[["model", "joint_posterior"]],
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
    """Load the draws; of a fit that did not converge, only what tells why."""
    posterior = store.read_posterior(settings.home / store.DRAWS)
    diagnostic, faults = fit.fit_diagnostics(posterior, fit.Thresholds.of(settings))
    tables = {"fit_diagnostic": diagnostic}
    if not faults:
        tables["intercept_draw"] = store.intercept_frame(posterior)
        tables["capability_diagnostic"] = fit.capability_diagnostics(posterior)
        tables["system_geometry"] = fit.system_geometry(posterior)
        warehouse.load("model.capability_draw", [settings.home / store.DRAWS])
        yield dg.MaterializeResult(asset_key=["model", "capability_draw"])
    warehouse.replace({f"model.{name}": frame for name, frame in tables.items()})
    for name, frame in tables.items():
        yield dg.MaterializeResult(asset_key=["model", name], metadata={"dagster/row_count": len(frame)})
    yield dg.AssetCheckResult(
        check_name="is_converged",
        asset_key=CHECKED,
        passed=not faults,
        description="; ".join(faults) or ("nothing to fit" if posterior.is_empty else "converged"),
    )


@dg.asset(
    key=["model", "prediction_input"],
    # capability_input refuses answers to unknown items and items without a demand
    deps=[["intermediate", "int_demand"], ["intermediate", "int_response"], ["model", "capability_input"]],
    group_name=GROUP,
    kinds={"python", "parquet"},
    code_version="1",
    pool="warehouse",
    description="Demands and scores item by item: what the checks of the posterior read.",
)
def prediction_input(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    demand, response = warehouse.read("intermediate.int_demand"), warehouse.read("intermediate.int_response")
    return dg.MaterializeResult(metadata={"n_items": checks.write_items(settings.home, demand, response)})


@dg.asset(
    key=["model", "posterior_check"],
    # of draws that did not converge there is no capability_draw, and nothing to check
    deps=[["model", "prediction_input"], ["model", "capability_draw"]],
    group_name=GROUP,
    kinds={"python", "parquet"},
    code_version=checks.code_version(),
    description="Held-out predictions, posterior predictive curves and influential items. Only what changed is made.",
)
def posterior_check(
    context: dg.AssetExecutionContext, settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    return dg.MaterializeResult(metadata={"checked": checks.check_stale_systems(settings, context.log.info)})


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=[["model", "posterior_check"]],
            group_name=GROUP,
            kinds={"python"},
            code_version="1",
            description=description,
        )
        for name, description in CHECKS.items()
    ],
    pool="warehouse",
)
def posterior_check_tables(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """Load the checks of all systems, a part a system."""
    for name in CHECKS:
        files = part_files(checks.folder(settings.home, name))
        warehouse.load(f"model.{name}", files)
        yield dg.MaterializeResult(asset_key=["model", name], metadata={"n_parts": len(files)})
