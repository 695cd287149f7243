"""Dagster assets of the proofs on demand: made by jobs of their own, loaded (empty before) by every refresh.

Belongs here: read, call one pure function, write, metadata. Does not belong here: the rest of the slice (assets.py),
what is computed (proof.py and below).
"""

from collections.abc import Iterator

import dagster as dg

from assets.capability import proof
from assets.ports import Warehouse
from assets.settings import Settings

GROUP = "capability"
DEMAND = ["intermediate", "int_demand"]
RESPONSE = ["intermediate", "int_response"]
AGENTS = ["seed", "published_agents"]
RECOVERED = {
    "recovery_dimension": "How well known agents are recovered on each dimension; empty before it was run.",
    "recovery_summary": "How well known agents are recovered as a whole; empty before it was run.",
}
CALIBRATED = {
    "calibration": "How often intervals hold agents drawn from the prior; empty before it was run.",
    "calibration_rank": "Rank histograms of agents drawn from the prior; empty before it was run.",
}


@dg.asset(
    key=["model", "recovery_estimate"],
    deps=[DEMAND, AGENTS],
    group_name=GROUP,
    kinds={"python", "parquet"},
    code_version=proof.code_version(),
    pool="warehouse",
    description="On demand: known agents simulated on the battery and fitted, for each temperature and intercept.",
)
def recovery_estimate(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    demand, agents = warehouse.read("intermediate.int_demand"), warehouse.read("seed.published_agents")
    n_fits = proof.run_recovery(demand, agents, settings)
    return dg.MaterializeResult(metadata={"n_runs": settings.recovery_runs, "n_fits": n_fits})


@dg.asset(
    key=["model", "calibration_estimate"],
    deps=[DEMAND],
    group_name=GROUP,
    kinds={"python", "parquet"},
    code_version=proof.code_version(),
    pool="warehouse",
    description="On demand: agents drawn from the prior, fitted, and ranked in their posteriors.",
)
def calibration_estimate(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    n_fits = proof.run_calibration(warehouse.read("intermediate.int_demand"), settings)
    return dg.MaterializeResult(metadata={"n_fits": n_fits})


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=[
                ["model", "recovery_estimate"],
                DEMAND,
                AGENTS,
                ["intermediate", "int_capability_importance"],
                ["intermediate", "int_dimension_member"],
            ],
            group_name=GROUP,
            kinds={"python"},
            code_version=proof.code_version(),
            description=description,
        )
        for name, description in RECOVERED.items()
    ],
    pool="warehouse",
)
def recovery_tables(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """Figures of the stored run; suitability by the importance at hand."""
    tables = proof.recovery_tables(
        warehouse.read("intermediate.int_demand"),
        warehouse.read("seed.published_agents"),
        warehouse.read("intermediate.int_capability_importance"),
        warehouse.read("intermediate.int_dimension_member"),
        settings,
    )
    warehouse.replace({f"model.{name}": frame for name, frame in tables.items()})
    for name, frame in tables.items():
        yield dg.MaterializeResult(asset_key=["model", name], metadata={"dagster/row_count": len(frame)})


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=[["model", "calibration_estimate"], DEMAND],
            group_name=GROUP,
            kinds={"python", "scipy"},
            code_version=proof.code_version(),
            description=description,
        )
        for name, description in CALIBRATED.items()
    ],
    pool="warehouse",
)
def calibration_tables(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    tables = proof.calibration_tables(warehouse.read("intermediate.int_demand"), settings)
    warehouse.replace({f"model.{name}": frame for name, frame in tables.items()})
    for name, frame in tables.items():
        yield dg.MaterializeResult(asset_key=["model", name], metadata={"dagster/row_count": len(frame)})


@dg.asset(
    key=["model", "comparison_estimate"],
    deps=[DEMAND, RESPONSE],
    group_name=GROUP,
    kinds={"python", "parquet"},
    code_version=proof.comparison_version(),
    pool="warehouse",
    description="On demand: models fitted without one group of benchmarks after another, scored on that group.",
)
def comparison_estimate(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    demand, response = warehouse.read("intermediate.int_demand"), warehouse.read("intermediate.int_response")
    return dg.MaterializeResult(metadata={"n_fits": proof.run_comparison(demand, response, settings)})


@dg.asset(
    key=["model", "model_comparison"],
    deps=[["model", "comparison_estimate"], DEMAND, RESPONSE],
    group_name=GROUP,
    kinds={"python"},
    code_version=proof.comparison_version(),
    pool="warehouse",
    description="Held-out log score of each model; empty before it was run.",
)
def model_comparison(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> dg.MaterializeResult:
    demand, response = warehouse.read("intermediate.int_demand"), warehouse.read("intermediate.int_response")
    table = proof.comparison_table(demand, response, settings)
    warehouse.replace({"model.model_comparison": table})
    return dg.MaterializeResult(metadata={"dagster/row_count": len(table)})
