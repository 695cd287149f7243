"""The command `suitability`: refresh, status, sql, template, wipe, doctor, dev, docs; others in modules of their own.

Belongs here: options, exit codes and what is printed. Does not belong here: doing it (watch.py, published.py,
doctor.py ...). Heavy imports stand inside the commands, so that --help answers at once.
"""

from __future__ import annotations

import csv
import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click
from rich.console import Console

from dagster_project.llm_cli import llm
from dagster_project.proof_cli import calibration, comparison, recovery
from dagster_project.shortform import shortform

if TYPE_CHECKING:
    from assets.settings import Settings
    from dagster_project.plan import Refresh
    from dagster_project.watch import Watch

FAILED, NOTHING_PUBLISHED, BUSY = 1, 3, 4
EXIT_CODES = """
\b
Exit codes:
  0  done
  1  it failed: a step or a check of the refresh, a query, something doctor misses
  2  usage: a wrong option or setting
  3  nothing has been published yet
  4  another process is refreshing this home, or has its working file open
"""
EPILOG = """
\b
Settings come from the environment:
  SUITABILITY_SOURCES   folder of input files; unset: the embedded, synthetic demo
  SUITABILITY_HOME      where everything made goes; default .suitability/ in the project
  SUITABILITY_...       every other setting: see assets/settings.py
"""


class _Door(click.Group):
    """All commands: a fault that any of them may meet ends in one sentence and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            from dagster_project.faults import known

            if found := known(error, _settings().home):
                _fail(Console(stderr=True), *found)
            raise


@click.group(
    cls=_Door,
    help=f"A data warehouse that says which AI system fits which work.\n{EXIT_CODES}{EPILOG}",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="suitability")
@click.pass_context
def main(context: click.Context) -> None:
    context.obj = _settings  # commands in modules of their own read the settings through it


def _settings() -> Settings:
    """The settings of the environment; a wrong one is a usage error that names its variable."""
    from pydantic import ValidationError

    from assets.settings import Settings

    try:
        settings = Settings()
    except ValidationError as error:
        # a fault of several settings together has no place of its own, and names them itself
        told = [(e["loc"], e["msg"].removeprefix("Value error, "), e["input"]) for e in error.errors()]
        lines = [
            f"SUITABILITY_{'_'.join(map(str, place)).upper()}: {what}, not {value!r}" if place else what
            for place, what, value in told
        ]
        raise click.UsageError("\n".join(lines)) from None
    if settings.sources is not None and not settings.sources.is_dir():
        raise click.UsageError(
            f"SUITABILITY_SOURCES names {settings.sources}, which is no folder. Correct it, or unset it for the demo."
        )
    return settings


def _fail(console: Console, text: str, code: int) -> NoReturn:
    from dagster_project import show

    show.told(console, text)
    sys.exit(code)


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


@main.command()
@click.option("--verbose", is_flag=True, help="Show Dagster's and dbt's own output, and traces of errors.")
@click.option("--dry-run", is_flag=True, help="Say what would be made again and why; make nothing.")
def refresh(verbose: bool, dry_run: bool) -> None:
    """Make what has changed since the last refresh, from the input files to the published marts and the report.

    Readers of the published file keep the last good publication until the new one is whole.
    """
    from dagster_project import show
    from dagster_project.lock import HomeError, RefreshRunningError, refresh_lock

    settings = _settings()
    try:
        with (
            refresh_lock(settings.home),
            _output_to(None if verbose or dry_run else settings.home / "logs" / "refresh.log") as out,
        ):
            console = Console(file=out)
            try:
                succeeded = _refresh(settings, console, verbose, dry_run)
            except Exception as error:
                from dagster_project.faults import known

                if verbose or known(error, settings.home):
                    raise
                # before or after the run: the project can't be loaded
                show.told(console, f"{type(error).__name__}: {error}")
                succeeded = False
    except RefreshRunningError as error:
        _fail(Console(stderr=True), str(error), BUSY)
    except HomeError as error:
        raise click.UsageError(str(error)) from None
    sys.exit(0 if succeeded else FAILED)


def _refresh(settings: Settings, console: Console, verbose: bool, dry_run: bool) -> bool:
    from dagster_project import show
    from dagster_project.compact import forget, hold
    from dagster_project.plan import plan_refresh, read_graph
    from dagster_project.ready import ready_warehouse

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
    from dagster_project import show
    from dagster_project.instance import clear_killed_runs, open_instance
    from dagster_project.watch import Watch, run_job

    with console.status("reading the project") if console.is_terminal else nullcontext():
        from dagster_project.definitions import build_definitions

        definitions = build_definitions(settings)
    watch = Watch()
    with open_instance(settings.home) as instance:
        for run_id in clear_killed_runs(instance):
            console.print(f"closed run {run_id[:8]}, whose process had died", style="yellow")
        with show.progress(console, watch, len(plan.names)):
            succeeded = run_job(definitions, "refresh", instance, watch, assets=plan.names, verbose=verbose)
    _conclude(settings, console, watch, succeeded, verbose)
    return succeeded


def _conclude(
    settings: Settings, console: Console, watch: Watch | None, succeeded: bool, verbose: bool
) -> None:
    from dataclasses import replace

    from dagster_project import show
    from dagster_project.failing_rows import failing_rows, with_remedy
    from dagster_project.left_out import left_out
    from dagster_project.published import (
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


@main.command()
def status() -> None:
    """Show what is published, what the next refresh would make again, and whether a refresh is running."""
    from dagster_project import show
    from dagster_project.lock import holder
    from dagster_project.plan import plan_refresh, read_graph
    from dagster_project.published import NothingPublishedError, read_publication
    from dagster_project.resources import DuckDBWarehouse

    settings, console = _settings(), Console()
    pid = holder(settings.home)
    console.print(f"a refresh is running (pid {pid})" if pid else "no refresh is running")
    try:
        publication = read_publication(settings.published_path)
    except NothingPublishedError as error:
        _fail(console, str(error), NOTHING_PUBLISHED)
    show.publication(console, settings, publication)
    if not pid:
        warehouse = DuckDBWarehouse(settings.warehouse_path, settings.lock_wait_seconds)
        show.plan(console, plan_refresh(read_graph(settings), warehouse.versions(), settings), False)


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("query", type=click.UNPROCESSED)
@click.option(
    "--format", "kind", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True
)
def sql(query: str, kind: str) -> None:
    """Run one SQL QUERY on the published marts, read-only.

    \b
    suitability sql "select * from marts.system_profile order by mean_log desc"
    """
    import duckdb

    from dagster_project import published, show

    settings, errors = _settings(), Console(stderr=True)
    try:
        names, rows = published.query(settings.published_path, query)
    except published.NothingPublishedError as error:
        _fail(errors, str(error), NOTHING_PUBLISHED)
    except duckdb.Error as error:
        _fail(errors, str(error), FAILED)
    if kind == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([names, *rows])
    elif kind == "json":
        if len(set(names)) < len(names):
            _fail(
                errors,
                f"JSON can't hold two columns of one name; name them apart: {', '.join(names)}",
                FAILED,
            )
        # JSON knows neither NaN nor infinity
        told = [[None if isinstance(v, float) and not math.isfinite(v) else v for v in row] for row in rows]
        records: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for row in told]
        click.echo(json.dumps(records, default=str, indent=2, ensure_ascii=False))
    else:
        show.rows(Console(), names, rows)


@main.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path("sources"))
def template(folder: Path) -> None:
    """Write empty input files with the right headers into FOLDER (default: sources/)."""
    from assets.sources.template import write_templates

    try:
        paths = write_templates(folder)
    except OSError as error:
        _fail(Console(stderr=True), str(error), FAILED)
    for path in paths:
        click.echo(path)


@main.command()
@click.argument("system")
def wipe(system: str) -> None:
    """Remove the stored fit of one AI SYSTEM and its partition.

    What is published stays until the next refresh, which fits the system again if results still name it.
    """
    from assets.capability import store
    from dagster_project.instance import open_instance
    from dagster_project.lock import HomeError, RefreshRunningError, refresh_lock

    settings, errors = _settings(), Console(stderr=True)
    try:
        with refresh_lock(settings.home), open_instance(settings.home) as instance:
            known = sorted(instance.get_dynamic_partitions("ai_system"))
            is_wiped = store.wipe_system(settings.home, system)
            if system in known:
                instance.delete_dynamic_partition("ai_system", system)
    except RefreshRunningError as error:
        _fail(errors, str(error), BUSY)
    except HomeError as error:
        raise click.UsageError(str(error)) from None
    if not is_wiped and system not in known:
        _fail(errors, f"No fit of {system!r} is stored. Fitted are: {', '.join(known) or 'none'}.", FAILED)
    click.echo(f"The fit of {system!r} is gone; the next refresh fits it again if results still name it.")


@main.command()
def doctor() -> None:
    """Check what is installed, which sources are found, and what is missing."""
    from dagster_project.doctor import examine, report

    if not report(Console(), examine(_settings())):
        sys.exit(FAILED)


@main.command()
@click.option("--port", default=3000, show_default=True, help="Port on 127.0.0.1.")
def dev(port: int) -> None:
    """Open Dagster's UI with the schedule and the sensor on this machine."""
    from dagster_project.instance import prepare_dagster_home

    settings = _settings()
    prepare_dagster_home(settings.home)
    dagster = str(Path(sys.executable).with_name("dagster"))
    module = ["-m", "dagster_project.definitions"]
    os.execv(dagster, [dagster, "dev", "-h", "127.0.0.1", "-p", str(port), *module])


@main.command()
def docs() -> None:
    """Write dbt's documentation of every table into <home>/docs and print its path."""
    from dagster_project.dbt_project import DbtProjectError, run_dbt
    from dagster_project.lock import HomeError, RefreshRunningError, refresh_lock

    settings = _settings()
    folder = settings.home / "docs"
    # without a warehouse there is no catalogue of column types, but the documentation is there
    catalog = [] if settings.warehouse_path.exists() else ["--empty-catalog"]
    try:
        with refresh_lock(settings.home):
            variables = json.dumps(settings.dbt_vars())
            run_dbt(
                settings,
                "docs",
                "generate",
                "--static",
                "--target-path",
                str(folder),
                "--vars",
                variables,
                *catalog,
            )
    except RefreshRunningError as error:
        _fail(Console(stderr=True), str(error), BUSY)
    except HomeError as error:
        raise click.UsageError(str(error)) from None
    except DbtProjectError as error:
        _fail(Console(stderr=True), str(error), FAILED)
    click.echo(folder / "static_index.html")


for command in (recovery, calibration, comparison, shortform, llm):
    main.add_command(command)

if __name__ == "__main__":
    main()
