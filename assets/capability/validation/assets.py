"""Dagster assets of the proofs on demand: made by jobs of their own, loaded (empty before) by every refresh.

Belongs here: read, call one pure function, hand over, metadata. Does not belong here: the rest of the slice
(assets.py), what is computed (validation_files.py and below).
"""

from assets.capability.validation import validation_files
from assets.step import Made, Step, table_assets

GROUP = "capability"
DEMAND = "intermediate.int_demand"
RESPONSE = "intermediate.int_response"
AGENTS = "seed.published_agents"
IMPORTANCE = "intermediate.int_disclosed_capability_importance"
MEMBERS = "intermediate.int_dimension_member"
RECOVERY = "estimate.recovery_estimate"
CALIBRATION = "estimate.calibration_estimate"
COMPARISON = "estimate.comparison_estimate"
RECOVERED = {
    "estimate.recovery_dimension": "How well known agents are recovered on each dimension; empty before it was run.",
    "estimate.recovery_summary": "How well known agents are recovered as a whole; empty before it was run.",
}
CALIBRATED = {
    "estimate.calibration": "How often intervals hold agents drawn from the prior; empty before it was run.",
    "estimate.calibration_rank": "Rank histograms of agents drawn from the prior; empty before it was run.",
}
COMPARED = "estimate.model_comparison"


@table_assets(
    group=GROUP,
    writes={
        RECOVERY: "On demand: known agents simulated on the battery and fitted, for each temperature and intercept."
    },
    reads=[DEMAND, AGENTS],
    kinds=["python", "parquet"],
    is_always_made=True,
)
def recovery_estimate(step: Step) -> Made:
    """Simulate and fit."""
    n_fits = validation_files.run_recovery(step.read(DEMAND), step.read(AGENTS), step.settings)
    told = {"n_runs": step.settings.recovery_runs, "n_fits": n_fits}
    return Made(files={RECOVERY: step.home / validation_files.ESTIMATES}, metadata={"": told})


@table_assets(
    group=GROUP,
    writes={CALIBRATION: "On demand: agents drawn from the prior, fitted, and ranked in their posteriors."},
    reads=[DEMAND],
    kinds=["python", "parquet"],
    is_always_made=True,
)
def calibration_estimate(step: Step) -> Made:
    """Simulate, fit and rank."""
    n_fits = validation_files.run_calibration(step.read(DEMAND), step.settings)
    return Made(files={CALIBRATION: step.home / validation_files.RANKS}, metadata={"": {"n_fits": n_fits}})


@table_assets(
    group=GROUP, writes=RECOVERED, reads=[RECOVERY, DEMAND, AGENTS, IMPORTANCE, MEMBERS], kinds=["python"]
)
def recovery_tables(step: Step) -> Made:
    """Figures of the stored run; suitability by the importance at hand."""
    found = validation_files.recovery_tables(
        step.read(DEMAND), step.read(AGENTS), step.read(IMPORTANCE), step.read(MEMBERS), step.settings
    )
    return Made({f"estimate.{name}": frame for name, frame in found.items()})


@table_assets(group=GROUP, writes=CALIBRATED, reads=[CALIBRATION, DEMAND], kinds=["python", "scipy"])
def calibration_tables(step: Step) -> Made:
    """Figures of the stored run."""
    found = validation_files.calibration_tables(step.read(DEMAND), step.settings)
    return Made({f"estimate.{name}": frame for name, frame in found.items()})


@table_assets(
    group=GROUP,
    writes={
        COMPARISON: "On demand: models fitted without one group of benchmarks after another, scored on that group."
    },
    reads=[DEMAND, RESPONSE],
    kinds=["python", "parquet"],
    is_always_made=True,
)
def comparison_estimate(step: Step) -> Made:
    """Fit and score."""
    n_fits = validation_files.run_comparison(step.read(DEMAND), step.read(RESPONSE), step.settings)
    return Made(files={COMPARISON: step.home / validation_files.COMPARED}, metadata={"": {"n_fits": n_fits}})


@table_assets(
    group=GROUP,
    writes={COMPARED: "Held-out log score of each model; empty before it was run."},
    reads=[COMPARISON, DEMAND, RESPONSE],
    kinds=["python"],
)
def model_comparison(step: Step) -> Made:
    """Scores of the stored run."""
    return Made(
        {COMPARED: validation_files.comparison_table(step.read(DEMAND), step.read(RESPONSE), step.settings)}
    )
