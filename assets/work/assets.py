"""Dagster assets of the slice `work`.

Belongs here: read a table, call one pure function, write tables.
Does not belong here: any computation (reliability.py, dbt).
"""

from collections.abc import Iterator

import dagster as dg

from assets.ports import Warehouse
from assets.settings import Settings
from assets.work import reliability

MADE = {
    "importance_reliability": "How well random halves of a sample agree on each capability and activity.",
    "importance_bootstrap": "Spread of the mean agreement of company and online respondents over resamples.",
}


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            ["model", name],
            deps=[["intermediate", "int_importance_answer"]],
            group_name="work",
            kinds={"python", "numpy"},
            code_version="1",
            description=description,
        )
        for name, description in MADE.items()
    ],
    pool="warehouse",
)
def importance_reliability(
    warehouse: dg.ResourceParam[Warehouse], settings: dg.ResourceParam[Settings]
) -> Iterator[dg.MaterializeResult]:
    """Split and resample the survey's respondents; one sample alone gives empty tables."""
    answers = warehouse.read("intermediate.int_importance_answer")
    tables = dict(zip(MADE, reliability.importance_reliability(answers, settings.seed_for), strict=True))
    warehouse.replace({f"model.{name}": frame for name, frame in tables.items()})
    n_respondents = answers.groupby("recruitment")["respondent"].nunique()
    for name, frame in tables.items():
        yield dg.MaterializeResult(
            asset_key=["model", name],
            metadata={
                "n_rows": len(frame),
                "online_source": settings.online_source,
                **{f"n_{sample}": int(n_respondents.get(sample, 0)) for sample in reliability.RECRUITMENTS},
            },
        )
