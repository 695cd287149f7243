"""What the command line prints: progress, the publication, failed checks and failures.

Belongs here: rich tables and panels. Does not belong here: reading or running anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.panel import Panel
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

if TYPE_CHECKING:
    from assets.settings import Settings
    from assets.versions import FailedCheck
    from dagster_project.cli.left_out import LeftOut
    from dagster_project.publication.read_published import Publication
    from dagster_project.runs.monitor import Watch
    from dagster_project.runs.refresh_plan import Refresh

MAX_WARNINGS = 10
MAX_LEFT_OUT = 6
MAX_REASONS = 8


def told(console: Console, text: str, style: str = "red") -> None:
    """A message, printed literally: it may contain what looks like markup."""
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def start(console: Console, settings: Settings) -> None:
    """What is about to be refreshed."""
    sources = settings.sources or "the embedded demo (SYNTHETIC)"
    console.print(f"Refreshing {settings.home}\nfrom {sources}", highlight=False, soft_wrap=True)


def plan(console: Console, refresh: Refresh, verbose: bool) -> None:
    """What will be rebuilt and why; every asset with its reason if `verbose`."""
    if not refresh.names:
        console.print(f"Nothing has changed: all {refresh.n_assets} assets are up to date.", highlight=False)
        return
    console.print(f"{len(refresh.names)} of {refresh.n_assets} assets to rebuild or check:", highlight=False)
    reasons = refresh.reasons
    for reason, count in reasons[:MAX_REASONS]:
        told(console, f"  {reason} ({_assets(count)})", style="")
    if len(reasons) > MAX_REASONS:
        console.print(f"  and for {len(reasons) - MAX_REASONS} more reasons", highlight=False)
    if refresh.follows:
        console.print(
            f"  {_assets(len(refresh.follows))} {'depends' if len(refresh.follows) == 1 else 'depend'} on these",
            highlight=False,
        )
    if verbose:
        for name, reason in sorted({**refresh.stale, **refresh.follows}.items()):
            told(console, f"    {name.replace('.', '/')}: {reason}", style="")


def _assets(n: int) -> str:
    return f"{n:,} asset{'' if n == 1 else 's'}"


@contextmanager
def progress(console: Console, watch: Watch, total: int) -> Iterator[None]:
    """A bar over the assets of a run; one line per asset where the output is no terminal."""
    if not console.is_terminal:
        watch.on_progress = lambda step: console.print(f"  {step} ...", markup=False, highlight=False)
        watch.on_asset = lambda key, seconds: console.print(
            f"  {key:<55}{seconds:7.1f} s", markup=False, highlight=False
        )
        yield
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<45}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=total)
        watch.on_progress = lambda step: bar.update(task, description=step)
        watch.on_asset = lambda key, seconds: bar.update(task, advance=1, description=key)
        yield


def publication(console: Console, settings: Settings, published: Publication) -> None:
    """What the published file contains and where it is."""
    about = published.refresh
    if about["is_synthetic"]:
        text = (
            "SYNTHETIC INPUTS. Every figure below comes from generated data: it shows that the warehouse works "
            "and says nothing about any real AI system. Set SUITABILITY_SOURCES to a folder of real files."
        )
        console.print(Panel(text, style="bold yellow", expand=False))
    console.print(
        f"refresh {about['refresh_id']}, finished {published.finished_at:%Y-%m-%d %H:%M:%S} UTC, "
        f"from {about['sources']}",
        highlight=False,
        soft_wrap=True,
    )
    table = Table("mart", title="Published marts", title_justify="left")
    table.add_column("rows", justify="right")
    for mart, count in published.rows.items():
        table.add_row(escape(mart), f"{count:,}")
    console.print(table)
    for name, state, reason in published.slices:
        if state == "skipped":
            console.print(f"slice {name} was skipped: {reason}", style="yellow", markup=False, soft_wrap=True)
    best = Table(
        "AI system",
        "activity",
        title="Five highest estimates of suitability (log scale)",
        title_justify="left",
    )
    for heading in ("mean", "95 % interval"):
        best.add_column(heading, justify="right")
    for pair in published.best:
        best.add_row(
            escape(pair.system),
            escape(pair.activity),
            f"{pair.mean_log:.3f}",
            f"{pair.q025_log:.3f} to {pair.q975_log:.3f}",
        )
    if published.best:
        console.print(best)
    else:
        console.print("No suitability was computed.", style="yellow")
    report = settings.published / "report" / "index.html"
    console.print(f"database  {settings.published_path}", highlight=False, soft_wrap=True)
    if report.exists():
        console.print(f"report    {report}", highlight=False, soft_wrap=True)


def stages(console: Console, watch: Watch) -> None:
    """Time per stage, and how many assets were rebuilt and kept."""
    console.print(f"{watch.n_made} assets rebuilt, {watch.n_kept} checked and kept", highlight=False)
    table = Table("stage", title="Time", title_justify="left")
    table.add_column("seconds", justify="right")
    for stage, seconds in watch.seconds.items():
        table.add_row(stage, f"{seconds:.1f}")
    table.add_section()
    table.add_row("all", f"{sum(watch.seconds.values()):.1f}")
    console.print(table)


def checks(console: Console, failed: Sequence[FailedCheck]) -> None:
    """The checks that failed when last run: warnings in a line each, blocking ones by name."""
    warnings = [check for check in failed if not check.is_blocking]
    for check in warnings[:MAX_WARNINGS]:
        name = f"{check.name.replace('.', '/')}: {check.check_name}"
        console.print(f"warning  {name}  {check.description}", style="yellow", markup=False, soft_wrap=True)
    if len(warnings) > MAX_WARNINGS:
        console.print(
            f"... and {len(warnings) - MAX_WARNINGS} more warnings: `suitability dev` shows all",
            style="yellow",
        )
    for check in failed:
        if check.is_blocking:
            name = f"{check.name.replace('.', '/')}: {check.check_name}"
            console.print(f"\nCHECK FAILED {name}", style="bold red", markup=False)
            if check.description:
                console.print(check.description, markup=False, highlight=False, soft_wrap=True)


def left_out(console: Console, left: LeftOut) -> None:
    """Files and columns that were not read; files with few such columns first, since they may be misspelt."""
    by_number = sorted(left.columns.items(), key=lambda item: (len(item[1]), item[0]))
    lines = [f"not read  {file}" for file in left.files]
    lines += [f"not read  {file}: column {first(columns)}" for file, columns in by_number]
    for line in lines[:MAX_LEFT_OUT]:
        console.print(line, style="yellow", markup=False, highlight=False, soft_wrap=True)
    if len(lines) > MAX_LEFT_OUT:
        console.print(
            f"... and {len(lines) - MAX_LEFT_OUT} more: `suitability dev` shows all", style="yellow"
        )


def first(names: Sequence[str], n: int = 3) -> str:
    """The first names of a list, and how many more there are."""
    more = f" and {len(names) - n} more" if len(names) > n else ""
    return ", ".join(names[:n]) + more


def failures(console: Console, watch: Watch, verbose: bool) -> None:
    """Each failed step with its first cause."""
    for failure in watch.failures:
        console.print(f"\nFAILED {failure.step}", style="bold red", markup=False)
        console.print(
            failure.trace if verbose else failure.message, markup=False, highlight=False, soft_wrap=True
        )


def last_good(console: Console, settings: Settings, published: Publication | None) -> None:
    """Where the last good publication is after a failure, and where the whole output is."""
    if published:
        what = f"refresh {published.refresh['refresh_id']} of {published.finished_at:%Y-%m-%d %H:%M:%S} UTC"
        console.print(
            f"\nThe last good publication is unchanged: {what}\n  {settings.published_path}", soft_wrap=True
        )
    elif not settings.published_path.exists():
        console.print("\nNothing has been published yet.")
    console.print(
        f"Full output of the run: {settings.home / 'logs' / 'refresh.log'}", highlight=False, soft_wrap=True
    )


def rows(console: Console, names: Sequence[str], values: Sequence[Sequence[Any]]) -> None:
    """A query's answer as a table."""
    table = Table(*map(escape, names))
    for row in values:
        cells = ("NULL" if v is None else f"{v:.6g}" if isinstance(v, float) else str(v) for v in row)
        table.add_row(*map(escape, cells))
    if not console.is_terminal:
        # in a pipe or a file nothing is cut or wrapped
        console.width = max(
            console.width, Measurement.get(console, console.options.update(max_width=10**6), table).maximum
        )
    console.print(table)
    console.print(f"{len(values)} row{'' if len(values) == 1 else 's'}", style="dim")
