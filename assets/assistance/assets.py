"""Dagster assets of the slice `assistance`.

Belongs here: read tables, call pure functions, hand over tables. Does not belong here: any computation (the modules
beside it, dbt).
"""

from assets.step import Made, Step, table_assets

READ = (
    *(
        "intermediate.int_tournament_pair",
        "intermediate.int_tournament_bias",
        "intermediate.int_tournament_rank",
    ),
    *("intermediate.int_tournament_run_rank", "intermediate.int_assistance_trait"),
    "intermediate.int_tournament_spread",
)
OUTPUT = "staging.stg_tournament_output"
MADE = {
    "estimate.bradley_terry": "Strengths of candidates from paired comparisons with ties.",
    "estimate.judge_alpha": "Agreement of the judges beyond chance.",
    "estimate.judge_bias": "Intervals of the judges' biases.",
    "estimate.mode_correlation": "How the rankings in automation and augmentation go together.",
    "estimate.help_probability": "Whether the helper one would choose beats no help.",
    "estimate.assistance_leak": "Assistance that holds the deliverable it was written for.",
    "estimate.helper_regret": "What it costs to let someone help other than the helper one would choose.",
    "estimate.trait_association": "How traits of assistance go with the rank of what came of it.",
}


@table_assets(
    group="assistance",
    writes=MADE,
    reads=[*READ, OUTPUT],
    # the project's own tasks stand among the rubrics
    inputs=["tasks", "rubrics"],
    kinds=["python", "numpy"],
)
def tournament(step: Step) -> Made:
    """What SQL can't say of the tournament; no verdicts give empty tables."""
    from assets.assistance import bradley_terry, doing_and_helping, judge_reliability, regret, tasks, traits

    pairs, bias, rank, run_rank, trait, spread = map(step.read, READ)
    # groups that never met have no common scale
    rank, run_rank = (frame[frame["n_groups"] == 1] for frame in (rank, run_rank))
    is_whole = trait["task"].isin(run_rank.loc[run_rank["mode"] == "augmentation", "task"])
    instrument = tasks.read_instrument(step.settings.sources)
    prompts = {name: task.prompt for name, task in instrument.tasks.items()}
    found = (
        bradley_terry.strengths(pairs),
        judge_reliability.agreement(pairs),
        judge_reliability.bias_intervals(bias, step.settings.seed_for),
        doing_and_helping.mode_correlation(rank),
        doing_and_helping.help_probability(run_rank, step.settings.seed_for),
        traits.leak_frame(step.read(OUTPUT), prompts),
        regret.helper_regret(run_rank, spread),
        doing_and_helping.trait_association(trait[trait["is_used"] & is_whole]),
    )
    return Made(dict(zip(MADE, found, strict=True)))
