"""Dagster assets of the slice `work`.

Belongs here: read a table, call one pure function, hand over tables.
Does not belong here: any computation (reliability.py, dbt).
"""

from assets.step import Made, Step, table_assets
from assets.work import reliability


@table_assets(
    group="work",
    kinds=["python", "numpy"],
    reads=["intermediate.int_importance_answer"],
    writes={
        "estimate.importance_reliability": "How well random halves of a sample agree on each capability and activity.",
        "estimate.importance_bootstrap": "Spread of the mean agreement of company and online respondents, resampled.",
    },
)
def importance_reliability(step: Step) -> Made:
    """Split and resample the survey's respondents; one sample alone gives empty tables."""
    answers = step.read("intermediate.int_importance_answer")
    halves, spread = reliability.importance_reliability(answers, step.settings.seed_for)
    n_respondents = answers.groupby("recruitment")["respondent"].nunique()
    return Made(
        {"estimate.importance_reliability": halves, "estimate.importance_bootstrap": spread},
        metadata={
            "": {
                "online_source": step.settings.online_source,
                "n_respondents": {str(name): int(n) for name, n in n_respondents.items()},
            }
        },
    )
