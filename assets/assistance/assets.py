"""Dagster assets of the slice `assistance`.

Belongs here: read tables, call pure functions, write tables. Does not belong here: any computation (the modules beside
it, dbt).
"""

from collections.abc import Iterator

import dagster as dg

from assets.ports import Warehouse
from assets.settings import Settings

READ = (
    *("int_tournament_pair", "int_tournament_bias", "int_tournament_rank", "int_tournament_run_rank"),
    "int_assistance_trait",
)
OUTPUT = "stg_tournament_output"
MADE = {
    "bradley_terry": "Strengths of candidates from paired comparisons with ties.",
    "judge_alpha": "Agreement of the judges beyond chance.",
    "judge_bias": "Intervals of the judges' biases.",
    "mode_correlation": "How the rankings in automation and augmentation go together.",
    "help_probability": "Whether the helper one would choose beats no help.",
    "assistance_leak": "Assistance that holds the deliverable it was written for.",
    "helper_regret": "What it costs to let someone help other than the helper one would choose.",
    "trait_association": "How traits of assistance go with the rank of what came of it.",
}


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=[*(["intermediate", table] for table in READ), ["staging", OUTPUT], ["file", "tasks"]],
            group_name="assistance",
            kinds={"python", "numpy"},
            code_version="1",
            description=description,
        )
        for name, description in MADE.items()
    ],
    pool="warehouse",
)
def tournament(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """What SQL can't say of the tournament; no verdicts give empty tables."""
    from assets.assistance import bradley_terry, regret, reliability, roles, tasks, traits

    pairs, bias, rank, run_rank, trait = (warehouse.read(f"intermediate.{table}") for table in READ)
    prompts = {name: task.prompt for name, task in tasks.read_instrument(settings.sources).tasks.items()}
    tables = {
        "bradley_terry": bradley_terry.strengths(pairs),
        "judge_alpha": reliability.agreement(pairs),
        "judge_bias": reliability.bias_intervals(bias, settings.seed_for),
        "mode_correlation": roles.mode_correlation(rank),
        "help_probability": roles.help_probability(run_rank, settings.seed_for),
        "assistance_leak": traits.leak_frame(warehouse.read(f"staging.{OUTPUT}"), prompts),
        "helper_regret": regret.helper_regret(run_rank),
        "trait_association": roles.trait_association(trait[trait["is_used"]]),
    }
    warehouse.replace({f"model.{name}": frame for name, frame in tables.items()})
    for name in MADE:
        yield dg.MaterializeResult(asset_key=["model", name], metadata={"n_rows": len(tables[name])})
