"""The command `suitability`: status, sql, template, wipe, doctor, dev, docs; the others are in modules of their own.

Belongs here: options, exit codes and what is printed. Does not belong here: doing it (monitor.py, read_published.py,
doctor.py ...). Heavy imports are inside the commands, so that --help is fast.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from dagster_project.cli.environment import read_settings
from dagster_project.cli.exit_codes import BUSY, EXIT_CODES, FAILED, NOTHING_PUBLISHED, fail
from dagster_project.cli.llm_commands import llm
from dagster_project.cli.refresh_command import refresh
from dagster_project.cli.settings_command import settings
from dagster_project.cli.shortform_commands import shortform
from dagster_project.cli.sql_command import sql
from dagster_project.cli.validation_commands import calibration, comparison, recovery

EPILOG = """
\b
Settings come from the environment:
  SUITABILITY_SOURCES   folder of input files; if not set: the synthetic demo
  SUITABILITY_HOME      folder for all output; default: .suitability/
  SUITABILITY_...       other settings: `suitability settings` lists them
"""


class _Commands(click.Group):
    """All commands: a fault that any of them may meet ends in one sentence and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            from dagster_project.cli.faults import known

            if found := known(error, read_settings().home):
                fail(Console(stderr=True), *found)
            raise


@click.group(
    cls=_Commands,
    help=f"A data warehouse that says which AI system fits which work.\n{EXIT_CODES}{EPILOG}",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.version_option(package_name="suitability")
@click.pass_context
def main(context: click.Context) -> None:
    context.obj = read_settings  # commands in modules of their own read the settings through it


@main.command()
def status() -> None:
    """Show what is published and what a refresh would rebuild.

    Also shows whether a refresh is running.
    """
    from dagster_project.cli import show
    from dagster_project.publication.read_published import NothingPublishedError, read_publication
    from dagster_project.resources import DuckDBWarehouse
    from dagster_project.runs.lock import holder
    from dagster_project.runs.refresh_plan import plan_refresh, read_graph

    settings, console = read_settings(), Console()
    pid = holder(settings.home)
    console.print(f"a refresh is running (pid {pid})" if pid else "no refresh is running")
    try:
        publication = read_publication(settings.published_path)
    except NothingPublishedError as error:
        fail(console, str(error), NOTHING_PUBLISHED)
    show.publication(console, settings, publication)
    if not pid:
        warehouse = DuckDBWarehouse(settings.warehouse_path, settings.lock_wait_seconds)
        show.plan(console, plan_refresh(read_graph(settings), warehouse.versions(), settings), False)


@main.command(name="open")
def open_report() -> None:
    """Open the published report in the browser and print its path."""
    import webbrowser

    page = read_settings().published / "report" / "index.html"
    if not page.is_file():
        fail(
            Console(stderr=True),
            f"There is no report yet: {page} does not exist. Run `suitability refresh` first.",
            NOTHING_PUBLISHED,
        )
    click.echo(page)
    webbrowser.open(page.as_uri())


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL.

    Load it with, for example: eval "$(suitability completion bash)"
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(main, {}, "suitability", "_SUITABILITY_COMPLETE").source())


@main.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path("sources"))
def template(folder: Path) -> None:
    """Write empty input files with the right headers into FOLDER.

    FOLDER is sources/ by default.
    """
    from assets.sources.template import write_templates

    try:
        paths = write_templates(folder)
    except OSError as error:
        fail(Console(stderr=True), str(error), FAILED)
    for path in paths:
        click.echo(path)


@main.command()
@click.argument("system")
def wipe(system: str) -> None:
    """Remove the stored fit of one AI SYSTEM.

    Published figures don't change until the next refresh, which fits the system again if there are results of it.
    """
    from assets.capability.fit import fit_store
    from dagster_project.runs.instance import open_instance
    from dagster_project.runs.lock import HomeError, RefreshRunningError, refresh_lock

    settings, errors = read_settings(), Console(stderr=True)
    try:
        with refresh_lock(settings.home), open_instance(settings.home) as instance:
            known = sorted(instance.get_dynamic_partitions("ai_system"))
            is_wiped = fit_store.wipe_system(settings.home, system)
            if system in known:
                instance.delete_dynamic_partition("ai_system", system)
    except RefreshRunningError as error:
        fail(errors, str(error), BUSY)
    except HomeError as error:
        raise click.UsageError(str(error)) from None
    if not is_wiped and system not in known:
        fail(
            errors,
            f"There is no stored fit of {system!r}. Stored fits: {', '.join(known) or 'none'}.",
            FAILED,
        )
    click.echo(f"Removed the fit of {system!r}. The next refresh fits it again if there are results of it.")


@main.command()
def doctor() -> None:
    """Check the installation, the home and the input files."""
    from dagster_project.cli.doctor import examine, report

    if not report(Console(), examine(read_settings())):
        sys.exit(FAILED)


@main.command()
@click.option("--port", default=3000, show_default=True, help="Port on 127.0.0.1.")
def dev(port: int) -> None:
    """Start Dagster's UI on this machine, with schedule and sensor."""
    from dagster_project.runs.instance import prepare_dagster_home

    settings = read_settings()
    prepare_dagster_home(settings.home)
    dagster = str(Path(sys.executable).with_name("dagster"))
    module = ["-m", "dagster_project.definitions"]
    os.execv(dagster, [dagster, "dev", "-h", "127.0.0.1", "-p", str(port), *module])


@main.command()
def docs() -> None:
    """Write dbt's documentation of every table into <home>/docs.

    Prints the path of its first page.
    """
    from dagster_project.dbt_build.dbt_project import DbtProjectError, run_dbt
    from dagster_project.runs.lock import HomeError, RefreshRunningError, refresh_lock

    settings = read_settings()
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
        fail(Console(stderr=True), str(error), BUSY)
    except HomeError as error:
        raise click.UsageError(str(error)) from None
    except DbtProjectError as error:
        fail(Console(stderr=True), str(error), FAILED)
    click.echo(folder / "static_index.html")


for command in (refresh, sql, settings, recovery, calibration, comparison, shortform, llm):
    main.add_command(command)
