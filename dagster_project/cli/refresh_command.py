"""The command `suitability refresh`.

Belongs here: its options, where its output goes, the order of what it does. Does not belong here: doing it (runs/).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click
from rich.console import Console

from dagster_project.cli.environment import read_settings
from dagster_project.cli.exit_codes import BUSY, FAILED, fail

if TYPE_CHECKING:
    from assets.settings import Settings
    from dagster_project.runs.monitor import Watch
    from dagster_project.runs.refresh_plan import Refresh


@contextmanager
def _output_to(log: Path | None) -> Iterator[TextIO]:
    """The terminal as a stream of its own while everything else this process and dbt print goes to `log`."""
    if log is None:
        yield sys.stdout
        return
    log.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    terminal, errors = os.dup(1), os.dup(2)
    with os.fdopen(terminal, "w", encoding="utf-8", closefd=True) as stream, log.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            yield stream
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os.dup2(terminal, 1)
            os.dup2(errors, 2)
            os.close(errors)


@click.command()
@click.option("--verbose", is_flag=True, help="Show the output of Dagster and dbt, and error traces.")
@click.option("--dry-run", is_flag=True, help="Show what would be rebuilt and why, without doing it.")
def refresh(verbose: bool, dry_run: bool) -> None:
    """Rebuild what has changed since the last refresh.

    A refresh goes from the input files to the published marts and the report. Readers of the published file keep the
    last good publication until the new one is complete.
    """
    from dagster_project.cli import show
    from dagster_project.runs.lock import HomeError, RefreshRunningError, refresh_lock

    settings = read_settings()
    try:
        with (
            refresh_lock(settings.home),
            _output_to(None if verbose or dry_run else settings.home / "logs" / "refresh.log") as out,
        ):
            console = Console(file=out)
            try:
                succeeded = _refresh(settings, console, verbose, dry_run)
            except Exception as error:
                from dagster_project.cli.faults import known

                if verbose or known(error, settings.home):
                    raise
                # before or after the run: the project can't be loaded
                show.told(console, f"{type(error).__name__}: {error}")
                succeeded = False
    except RefreshRunningError as error:
        fail(Console(stderr=True), str(error), BUSY)
    except HomeError as error:
        raise click.UsageError(str(error)) from None
    sys.exit(0 if succeeded else FAILED)


def _refresh(settings: Settings, console: Console, verbose: bool, dry_run: bool) -> bool:
    from dagster_project.cli import show
    from dagster_project.runs.preflight import ready_warehouse
    from dagster_project.runs.refresh_plan import plan_refresh, read_graph
    from dagster_project.runs.removal import forget, hold

    os.environ |= {
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DO_NOT_TRACK": "1",
        "GX_ANALYTICS_ENABLED": "false",
    }
    show.start(console, settings)
    warehouse = ready_warehouse(settings)
    with console.status("reading the project") if console.is_terminal else nullcontext():
        graph = read_graph(settings)
        plan = plan_refresh(graph, warehouse.versions(), settings)
    show.plan(console, plan, verbose)
    if dry_run:
        return True
    warehouse.drop_unknown(graph)
    if plan.names:
        hold(settings, warehouse)
        succeeded = _run(settings, console, plan, verbose)
    else:
        succeeded = True
        _conclude(settings, console, None, True, verbose)
    if succeeded:
        forget(settings, warehouse)
    return succeeded


def _run(settings: Settings, console: Console, plan: Refresh, verbose: bool) -> bool:
    from dagster_project.cli import show
    from dagster_project.runs.instance import clear_killed_runs, open_instance
    from dagster_project.runs.monitor import Watch, run_job

    with console.status("reading the project") if console.is_terminal else nullcontext():
        from dagster_project.definitions import build_definitions

        definitions = build_definitions(settings)
    watch = Watch()
    with open_instance(settings.home) as instance:
        for run_id in clear_killed_runs(instance):
            console.print(
                f"Closed run {run_id[:8]}: its process had ended without finishing.", style="yellow"
            )
        with show.progress(console, watch, len(plan.names)):
            succeeded = run_job(
                definitions, "refresh", instance, watch, assets=plan.selection, verbose=verbose
            )
    _conclude(settings, console, watch, succeeded, verbose)
    return succeeded


def _conclude(
    settings: Settings, console: Console, watch: Watch | None, succeeded: bool, verbose: bool
) -> None:
    from dataclasses import replace

    from dagster_project.cli import show
    from dagster_project.cli.failing_rows import failing_rows, with_remedy
    from dagster_project.cli.left_out import left_out
    from dagster_project.publication.read_published import (
        NothingPublishedError,
        UnreadablePublicationError,
        read_publication,
    )
    from dagster_project.resources import DuckDBWarehouse

    try:
        publication = read_publication(settings.published_path)
    except NothingPublishedError:
        publication = None
    except UnreadablePublicationError as error:
        show.told(console, str(error))
        publication = None
    if succeeded and publication:
        show.publication(console, settings, publication)
    warehouse = DuckDBWarehouse(settings.warehouse_path, settings.lock_wait_seconds)
    show.left_out(console, left_out(settings, warehouse.versions()))
    show.checks(
        console,
        [
            replace(
                check,
                description="\n    ".join([check.description, *failing_rows(settings, check.check_name)]),
            )
            for check in warehouse.failed_checks()
        ],
    )
    if watch is None:
        return
    watch.failures = [
        replace(failure, message=with_remedy(settings, failure.message)) for failure in watch.failures
    ]
    show.stages(console, watch)
    if not succeeded:
        show.failures(console, watch, verbose)
        show.last_good(console, settings, publication)
