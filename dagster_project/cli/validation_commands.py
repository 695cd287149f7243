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
@click.option(
    "--seeds", default=3, show_default=True, type=click.IntRange(min=1), help="Number of simulated runs."
)
@click.pass_obj
def recovery(read_settings: Callable[[], Settings], seeds: int) -> None:
    """Simulate known levels and print how well they are recovered.

    Takes minutes and needs a finished refresh; the next refresh publishes the figures. Columns: temperature, intercept,
    correlation of shape and of level, recovered share of a true difference of level, effective dimensions,
    correlation within agents, worst contraction, Spearman and pairwise accuracy of suitability.
    """
    _prove("recovery", read_settings().model_copy(update={"recovery_runs": seeds}))


@click.command()
@click.option(
    "--fits", default=200, show_default=True, type=click.IntRange(min=20), help="Number of simulated fits."
)
@click.pass_obj
def calibration(read_settings: Callable[[], Settings], fits: int) -> None:
    """Print how often intervals contain the true level.

    Fits simulated agents drawn from the prior. Takes minutes and needs a finished refresh; the next refresh publishes
    the figures.
    """
    _prove("calibration", read_settings().model_copy(update={"calibration_fits": fits}))


@click.command()
@click.pass_obj
def comparison(read_settings: Callable[[], Settings]) -> None:
    """Compare statistical models on held-out benchmarks.

    Prints which predicts best. Takes about a minute and needs a finished refresh; the next refresh publishes the
    figures. Columns: log score (nearer to 0 is better), its gain over the base model, and the standard error of
    that over benchmarks.
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
