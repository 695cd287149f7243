"""The command `suitability shortform`: writes a form for people, or reads a filled-in one.

Belongs here: its options and messages. Does not belong here: which items (assets/capability/shortform.py), the
files and the scoring (assets/sources/forms.py, people.py).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dagster_project.cli.exit_codes import BUSY

if TYPE_CHECKING:
    import pandas as pd

    from assets.capability.shortform import ShortForm
    from assets.settings import Settings


class _Busy(click.ClickException):
    exit_code = BUSY


@click.command()
@click.option(
    "--n", "n_items", default=60, show_default=True, type=click.IntRange(min=1), help="Number of items."
)
@click.option(
    "--cap",
    type=click.IntRange(min=1),
    help="Maximum items of one benchmark; default: twice an even share.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("shortform"),
    show_default=True,
    help="Folder for the form.",
)
@click.option(
    "--read",
    "filled",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read this filled-in form instead of writing one.",
)
@click.option(
    "--key",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Answer key of the form; default: key.csv next to it.",
)
@click.option("--system", "participant", help="Who filled it in, if it has no column 'participant'.")
@click.option("--replace", is_flag=True, help="Overwrite the form, or earlier results of the same people.")
@click.pass_obj
def shortform(
    read_settings: Callable[[], Settings],
    n_items: int,
    cap: int | None,
    out: Path,
    filled: Path | None,
    key: Path | None,
    participant: str | None,
    replace: bool,
) -> None:
    """Write a short form for people, or read a filled-in one.

    The form has the most informative items. Writing a form needs a finished refresh. Reading one writes
    battery/results/<person>.csv and systems.csv in SUITABILITY_SOURCES; the next refresh measures people on the
    same scale as the AI systems. Unanswered items count as missing, not as wrong.

    \b
    suitability shortform --n 60 --out shortform
    suitability shortform --read shortform/form.csv --system "Person 7"
    """
    if filled is None and (key or participant):
        raise click.UsageError("--key and --system can only be used with --read.")
    if filled is None:
        _make(read_settings(), n_items, cap, out, replace=replace)
    else:
        _read(read_settings(), filled, key or filled.with_name("key.csv"), participant, replace=replace)


def _make(settings: Settings, n_items: int, cap: int | None, out: Path, *, replace: bool) -> None:
    from threadpoolctl import threadpool_limits

    from assets.capability.fit.model import ModelOptions
    from assets.capability.shortform import choose_items
    from assets.sources.forms import write_form
    from assets.sources.readers import SourceError
    from assets.sources.readers.items import read_items

    demand, alpha = _battery(settings)
    if alpha is None:
        click.echo("No system has been fitted yet: the intercept is set to 0, the mean of its prior.")
    try:
        # one thread: the same bytes on any number of cores
        with threadpool_limits(limits=1):
            form = choose_items(
                demand, ModelOptions.of(settings), alpha or 0.0, n_items, settings.seed_for("shortform"), cap
            )
        texts = read_items(settings.sources or settings.home / "demo")
        paths = write_form(out, form.items, texts, replace=replace)
    except (ValueError, OSError, SourceError) as error:
        raise click.ClickException(str(error)) from None
    _tell(form, texts)
    for path in paths:
        click.echo(path)


def _battery(settings: Settings) -> tuple[pd.DataFrame, float | None]:
    """Demands of the last refresh, and its intercept: the posterior mean, None where nothing was fitted."""
    import duckdb

    from dagster_project.resources import DuckDBWarehouse
    from dagster_project.runs.lock import HomeError, RefreshRunningError, refresh_lock

    missing = f"{settings.home} has no battery yet: run `suitability refresh` first."
    if not settings.warehouse_path.exists():
        raise click.ClickException(missing)
    warehouse = DuckDBWarehouse(settings.warehouse_path, settings.lock_wait_seconds)
    try:
        with refresh_lock(settings.home):
            demand = warehouse.read("intermediate.int_demand")
            intercept = warehouse.read("estimate.intercept_draw")["value"]
    except duckdb.CatalogException:
        raise click.ClickException(missing) from None
    except RefreshRunningError as error:
        raise _Busy(str(error)) from None
    except HomeError as error:
        raise click.UsageError(str(error)) from None
    return demand, float(intercept.mean()) if len(intercept) else None


def _tell(form: ShortForm, texts: pd.DataFrame) -> None:
    n_benchmarks = form.items["benchmark"].nunique()
    click.echo(
        f"{len(form.items)} items of {n_benchmarks} benchmarks. Expected for a person drawn from the prior:"
    )
    for row in form.dimensions.itertuples():
        click.echo(
            f"  {row.dimension:<6} {row.n_form_items:>3} items, contraction {row.expected_contraction:.2f}"
        )
    for remark in form.remarks():
        click.echo(remark)
    known = form.items.merge(texts, on=["benchmark", "item"], how="left")
    for column, what in (("text", "text"), ("answer", "expected answer")):
        n_blank = int(known[column].isna().sum())
        if n_blank:
            click.echo(
                f"{n_blank} items have no {what} in battery/items/<benchmark>.jsonl; it is left blank in the form."
            )


def _read(settings: Settings, filled: Path, key: Path, participant: str | None, *, replace: bool) -> None:
    from assets.sources.forms import read_form
    from assets.sources.people import write_people
    from assets.sources.readers import SourceError

    if settings.sources is None or settings.sources == settings.home / "demo":
        raise click.UsageError(
            "The embedded demo's folder is generated and may be overwritten, so results of people can't be kept there. "
            "Run `suitability template my-data`, fill in its files, and set SUITABILITY_SOURCES=my-data."
        )
    try:
        scored = read_form(filled, key, participant)
        paths = write_people(settings.sources, scored, replace=replace)
    except (OSError, SourceError) as error:
        raise click.ClickException(str(error)) from None
    for person, own in scored.groupby("participant"):
        n = own["status"].value_counts()
        click.echo(
            f"{person}: {n.get('scored', 0)} scored, {n.get('unscored', 0)} unscored (no key, no score), "
            f"{n.get('unanswered', 0)} unanswered (missing), {int(own['is_overruled'].sum())} scored by hand "
            "against the key"
            + ("" if (own["status"] != "unanswered").any() else "; no answers, so nothing was written")
        )
    for path in paths:
        click.echo(path)
    click.echo("The next `suitability refresh` reads them as results of kind human.")
