"""Running a job of proof (recovery, calibration, comparison) and reading what it found.

Belongs here: the run under the refresh lock. Does not belong here: printing (cli.py), what is simulated (assets/).
"""

from __future__ import annotations

import warnings
from typing import Any

from assets.settings import Settings
from dagster_project.resources import DuckDBWarehouse
from dagster_project.runs.instance import clear_killed_runs, open_instance
from dagster_project.runs.lock import refresh_lock
from dagster_project.runs.monitor import Watch, run_job

_RECOVERY = (
    "select tau, intercept as alpha, round(avg(shape_r), 2) as shape, round(avg(level_r), 2) as level, "
    "round(avg(level_slope), 2) as slope, round(avg(effective_dimensions), 2) as dims, "
    'round(avg(mean_abs_correlation), 2) as "|r|", round(avg(worst_contraction), 2) as contr, '
    "round(avg(suitability_rho), 2) as rho, round(avg(suitability_pairwise_accuracy), 2) as pairs "
    "from estimate.recovery_summary group by tau, intercept order by tau, intercept"
)
_CALIBRATION = (
    "select dimension, n_fits, "
    + ", ".join(
        f'max(case when level = {level} then coverage_share end) as "{100 * level:g} %"'
        for level in (0.5, 0.8, 0.95)
    )
    + ", round(max(uniformity_p), 3) as uniformity_p from estimate.calibration group by dimension, n_fits order by 1"
)
_COMPARISON = (
    "select model, n_items as items, n_responses as responses, round(log_score, 4) as log_score, "
    "round(difference, 4) as gain, round(difference_se, 4) as se "
    "from estimate.model_comparison order by log_score desc, model"
)
# what is shown of each job
QUERIES = {"recovery": _RECOVERY, "calibration": _CALIBRATION, "comparison": _COMPARISON}


class NoBatteryError(RuntimeError):
    """No refresh has filled the working warehouse yet."""


def run_simulation(settings: Settings, job: str) -> tuple[Watch, list[str], list[tuple[Any, ...]]]:
    """What was watched, and column names and rows of the job's query; both empty where the job failed.

    Raises:
        NoBatteryError: there is no warehouse to simulate on.
        RefreshRunningError, HomeError: as `lock.refresh_lock`.
    """
    from dagster import BetaWarning

    # the terminal is the progress bar's; a refresh sends such notes to its log
    warnings.simplefilter("ignore", BetaWarning)
    if not settings.warehouse_path.exists():
        raise NoBatteryError(f"{settings.home} has no battery yet: run `suitability refresh` first.")
    watch = Watch()
    with refresh_lock(settings.home):
        from dagster_project.definitions import build_definitions

        definitions = build_definitions(settings)
        with open_instance(settings.home) as instance:
            clear_killed_runs(instance)
            succeeded = run_job(definitions, job, instance, watch)
        if not succeeded:
            return watch, [], []
        with DuckDBWarehouse(settings.warehouse_path).connect() as connection:
            found = connection.sql(QUERIES[job])
            return watch, found.columns, found.fetchall()
