"""The commands `suitability recovery`, `calibration` and `comparison`: what simulations and held-out benchmarks show.

Belongs here: their options and what is printed. Does not belong here: running them (validation_run.py).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click
from rich.console import Console

from dagster_project.cli.exit_codes import BUSY, FAILED

if TYPE_CHECKING:
    from assets.settings import Settings


@click.command()
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(min=1), help="Simulated runs.")
@click.pass_obj
def recovery(read_settings: Callable[[], Settings], seeds: int) -> None:
    """Simulate known agents on the battery, recover them, and print how well.

    Minutes; a refresh must have run, and the next one publishes the figures. Columns: temperature, intercept,
    correlation of shape and of level, share of a true difference of level that is recovered, effective dimensions,
    correlation within agents, worst contraction, Spearman and pairwise accuracy of suitability.
    """
    _prove("recovery", read_settings().model_copy(update={"recovery_runs": seeds}))


@click.command()
@click.option("--fits", default=200, show_default=True, type=click.IntRange(min=20), help="Simulated fits.")
@click.pass_obj
def calibration(read_settings: Callable[[], Settings], fits: int) -> None:
    """Draw agents from the prior, fit them, and print how often intervals hold the truth.

    Minutes; a refresh must have run. The next refresh publishes the figures.
    """
    _prove("calibration", read_settings().model_copy(update={"calibration_fits": fits}))


@click.command()
@click.pass_obj
def comparison(read_settings: Callable[[], Settings]) -> None:
    """Score models on benchmarks they have not seen, and print which predicts best.

    About a minute; a refresh must have run, and the next one publishes the figures. Columns: log score (nearer to 0 is
    better), its gain over the base model, and the standard error of that over benchmarks.
    """
    _prove("comparison", read_settings())


def _prove(job: str, settings: Settings) -> None:
    from dagster_project.cli import show
    from dagster_project.runs.lock import HomeError, RefreshRunningError
    from dagster_project.runs.validation_run import NoBatteryError, run_simulation

    console, errors = Console(), Console(stderr=True)
    try:
        watch, names, rows = run_simulation(settings, job)
    except RefreshRunningError as error:
        show.told(errors, str(error))
        sys.exit(BUSY)
    except (HomeError, NoBatteryError) as error:
        show.told(errors, str(error))
        sys.exit(FAILED)
    if watch.failures or not names:
        show.failures(errors, watch, False)
        sys.exit(FAILED)
    show.rows(console, names, rows)
    console.print("The next `suitability refresh` publishes these figures.")


# a query may start with an SQL comment, which looks like an option
