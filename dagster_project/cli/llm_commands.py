"""The commands `suitability llm ...`: what calls to language models would cost, sending them, what they cost.

Belongs here: options and what is printed. Does not belong here: sending (assets/llm), the plans (plans/).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table

from dagster_project.cli.environment import read_settings
from dagster_project.cli.exit_codes import FAILED
from dagster_project.plans.registry import FORESEEN, PLANS, Foreseen, PlanError

if TYPE_CHECKING:
    from assets.llm import Answer, Call, Progress
    from assets.settings import Settings

SAME_EACH_RUN = (
    "{names}: with a fixed seed or temperature 0, every run may give the same answer, so that runs don't show how much "
    "answers vary by chance. Remove both from llm.toml."
)


@click.group()
def llm() -> None:
    """Estimate, send and inspect calls to language models.

    llm.toml says which model plays which role (SUITABILITY_LLM, default <sources>/llm.toml). Every call is kept in
    the ledger, so an answered call is never paid for twice, even if a run is interrupted. A refresh sends no calls.
    """


def _calls(settings: Settings, plan: str) -> list[Call]:
    if plan not in PLANS:
        known = ", ".join(sorted(PLANS))
        raise click.UsageError(f"There is no plan {plan!r}. Plans: {known}.")
    calls: list[Call] = _listed(PLANS[plan], settings)
    return calls


def _foreseen(settings: Settings, plan: str) -> Foreseen:
    if plan not in FORESEEN:
        return Foreseen(_calls(settings, plan), 0)
    found: Foreseen = _listed(FORESEEN[plan], settings)
    return found


def _listed(place: str, settings: Settings) -> Any:
    from assets.llm import RolesError
    from assets.sources.readers import SourceError

    module, _, function = place.partition(":")
    try:
        return getattr(import_module(module), function)(settings)
    except (RolesError, SourceError, PlanError) as error:
        raise click.UsageError(str(error)) from None


@llm.command()
@click.argument("plan")
def estimate(plan: str) -> None:
    """Show how many calls PLAN would send and their maximum cost. Sends nothing."""
    from assets.llm import estimate as estimate_calls

    settings = read_settings()
    calls, n_waiting = _foreseen(settings, plan)
    found = estimate_calls(calls, settings.ledger_path)
    cost = "unknown (no prices in llm.toml)" if found.cost is None else f"at most {found.cost:.2f}"
    click.echo(
        f"{found.n_calls} calls, {found.n_calls - found.n_to_send} settled or in flight, {found.n_to_send} to send"
    )
    click.echo(
        f"about {found.input_tokens} tokens in (characters / 4), at most {found.output_tokens} out; cost {cost}"
    )
    if names := _same_each_run(calls):
        click.echo(SAME_EACH_RUN.format(names=", ".join(names)))
    if n_waiting:
        click.echo(
            f"{n_waiting} of them depend on texts that are not written yet; they are estimated at max_tokens each"
        )


@llm.command()
@click.argument("plan")
@click.option("--budget", type=click.FloatRange(min=0), help="Maximum cost of this run.")
def run(plan: str, budget: float | None) -> None:
    """Send the calls of PLAN that have no answer yet.

    The exit code is 1 if calls failed or were not sent.
    """
    _send(plan, budget, retry=False)


@llm.command()
@click.argument("plan")
@click.option("--budget", type=click.FloatRange(min=0), help="Maximum cost of this run.")
def retry(plan: str, budget: float | None) -> None:
    """Like run; also send refused and unparsed calls again."""
    _send(plan, budget, retry=True)


def _same_each_run(calls: Iterable[Call]) -> list[str]:
    """Models that are asked the same more than once, though a fixed seed or temperature 0 makes answers the same."""
    repeats: dict[tuple[str, str, str], set[str]] = {}
    for call in calls:
        if call.model.temperature == 0 or call.model.seed is not None:
            repeats.setdefault((call.model.name, call.system, call.prompt), set()).add(call.repeat)
    return sorted({name for (name, _, _), runs in repeats.items() if len(runs) > 1})


def _send(plan: str, budget: float | None, retry: bool) -> None:
    from assets.llm import read_roles
    from assets.llm import run as run_calls
    from assets.llm.ledger import LedgerError
    from assets.llm.run import AccountingError, NoPriceError, RunStopped

    settings, console = read_settings(), Console()
    calls = _calls(settings, plan)
    if names := _same_each_run(calls):
        console.print(
            SAME_EACH_RUN.format(names=", ".join(names)), markup=False, highlight=False, soft_wrap=True
        )
    try:
        with _bar(console, len({call.call_id for call in calls})) as on_progress:
            answers = run_calls(
                calls,
                settings.ledger_path,
                plan,
                limits=read_roles(settings).limits,
                budget=budget,
                retry=retry,
                on_progress=on_progress,
            )
    except NoPriceError as error:
        raise click.UsageError(str(error)) from None
    except (RunStopped, LedgerError, AccountingError) as error:
        Console(stderr=True).print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(FAILED)
    is_done = _conclude(console, answers)
    if plan in FORESEEN:
        more = {call.call_id for call in _calls(settings, plan)} - {call.call_id for call in calls}
        if more:
            console.print(f"{len(more)} more calls can now be sent: run `suitability llm run {plan}` again")
    if not is_done:
        sys.exit(FAILED)


def _conclude(console: Console, answers: list[Answer]) -> bool:
    """Print counts by status with a reason each; whether every call is settled."""
    for status in ("answered", "unparsed", "refused", "failed", "pending"):
        found = [answer for answer in answers if answer.status == status]
        reason = f"  e.g. {found[0].reason}" if found and found[0].reason else ""
        console.print(f"{status:<9}{len(found):>8}{reason}", markup=False, highlight=False, soft_wrap=True)
    return all(answer.status not in {"failed", "pending"} for answer in answers)


@contextmanager
def _bar(console: Console, total: int) -> Iterator[Callable[[Progress], None]]:
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("cost so far {task.fields[cost]:.4f}"),
        TextColumn("{task.fields[left]}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total, cost=0.0, left="")

        def on_progress(progress: Progress) -> None:
            seconds = progress.seconds_left
            left = "" if seconds is None else f"{int(seconds) // 60}:{int(seconds) % 60:02} left"
            bar.update(task, completed=progress.n_done, cost=progress.cost, left=left)

        yield on_progress


@llm.command()
def status() -> None:
    """Show number and cost of calls by role, model and status."""
    from assets.llm.ledger import LedgerError
    from assets.llm.usage import count_calls

    settings = read_settings()
    try:
        rows = count_calls(settings.ledger_path)
    except LedgerError as error:
        Console(stderr=True).print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(FAILED)
    if not rows:
        click.echo(f"No calls have been sent: {settings.ledger_path} is empty.")
        return
    table = Table("role", "name", "model", "status", "calls", "cost")
    for role, name, model, state, n_calls, cost in rows:
        table.add_row(role, name, model, state, str(n_calls), "unknown" if cost is None else f"{cost:.4f}")
    Console().print(table)


@llm.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def export(folder: Path) -> None:
    """Write the raters' answers into FOLDER as <rater>.csv.

    The format is that of battery/ratings. One row per item, one column per capability; refused and unparsed answers
    are blank. Writes nothing while a call is pending. Never overwrites a file.
    """
    from assets.llm import LedgerError, RolesError
    from assets.sources.readers import SourceError
    from dagster_project.plans.annotation_export import write_ratings

    try:
        written = write_ratings(read_settings(), folder)
    except (RolesError, SourceError, PlanError) as error:
        raise click.UsageError(str(error)) from None
    except (LedgerError, OSError) as error:
        Console(stderr=True).print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(FAILED)
    for path, statuses in written.items():
        counts = Counter(statuses)
        click.echo(f"{path}: " + ", ".join(f"{counts[status]} {status}" for status in sorted(counts)))


@llm.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def guidance(file: Path) -> None:
    """Write the tasks and guidance for human workers to FILE.

    One line per deliverable, in the format of tournament/outputs: fill in `output`, then put the file there. Never
    overwrites a file.
    """
    lines: list[dict[str, str | None]] = _listed(
        "dagster_project.plans.tournament_plans:for_people", read_settings()
    )
    try:
        with file.open("x", encoding="utf-8") as handle:
            handle.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    except OSError as error:
        Console(stderr=True).print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(FAILED)
    click.echo(f"{file}: {len(lines)} deliverables to fill in")
