"""The plans `tournament-runs`, `-judge` and `-traits` of `suitability llm`: inputs read, calls listed.

Belongs here: what to read for them, and what must be run first. Does not belong here: what is asked
(assets/assistance) and how plans are run (cli/llm_commands.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from assets.assistance.deliverable_runs import Collected
from assets.assistance.planning import PanelError
from assets.assistance.tasks import TaskError
from assets.assistance.tournament import Supplied, Tournament, foreseen
from assets.llm import Call, LedgerError, read_roles
from assets.settings import Settings
from assets.sources.input_root import sources_folder
from assets.sources.readers import read_candidates, read_outputs, read_traits, read_verdicts
from dagster_project.plans.registry import Foreseen, PlanError

RUNS_FIRST = "run `suitability llm run tournament-runs` first, or put files into tournament/outputs"


def runs(settings: Settings) -> list[Call]:
    """What candidates and worker are to write, as far as what they need is there.

    Raises:
        PlanError: nobody to ask, or files and llm.toml don't make a tournament.
        RolesError: llm.toml can't be used.
        SourceError: an input file can't be used.
    """
    return _listed(settings, "runs")


def judge(settings: Settings) -> list[Call]:
    """Verdicts on the pairs of deliverables that are there. Raises as `runs`."""
    return _listed(settings, "judge") or _refuse(f"no two deliverables to compare: {RUNS_FIRST}")


def traits(settings: Settings) -> list[Call]:
    """Codings of the assistance that is there. Raises as `runs`."""
    return _listed(settings, "traits") or _refuse(f"no assistance to code: {RUNS_FIRST}")


def runs_foreseen(settings: Settings) -> Foreseen:
    """All of `runs`, with stand-ins for what is not written yet."""
    return _foreseen(settings, "runs")


def judge_foreseen(settings: Settings) -> Foreseen:
    """All of `judge`, with stand-ins for what is not written yet."""
    return _foreseen(settings, "judge")


def traits_foreseen(settings: Settings) -> Foreseen:
    """All of `traits`, with stand-ins for what is not written yet."""
    return _foreseen(settings, "traits")


def for_people(settings: Settings) -> list[dict[str, str | None]]:
    """What people are to write as the worker, as lines of tournament/outputs. Raises as `runs`."""
    tournament = _tournament(settings)
    with _told():
        lines = tournament.for_people()
    return lines or _refuse(
        "nothing for people to do: a [[worker]] of llm.toml does it, tournament/candidates.csv names no worker, or "
        "tournament/outputs holds all deliverables"
    )


def _foreseen(settings: Settings, step: str) -> Foreseen:
    calls = _listed(settings, step, foreseen(settings))
    now = {call.call_id for call in _listed(settings, step)}
    return Foreseen(calls, len({call.call_id for call in calls} - now))


def _listed(settings: Settings, step: str, collected: Collected | None = None) -> list[Call]:
    tournament = _tournament(settings, collected)
    with _told():
        return {
            "runs": tournament.run_calls,
            "judge": tournament.judge_calls,
            "traits": tournament.trait_calls,
        }[step]()


def _tournament(settings: Settings, collected: Collected | None = None) -> Tournament:
    with _told():
        return Tournament(
            settings, read_roles(settings), _supplied(settings), sources_folder(settings), collected
        )


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except (PanelError, TaskError, LedgerError) as error:
        raise PlanError(str(error)) from None


def _supplied(settings: Settings) -> Supplied:
    sources = sources_folder(settings)
    return Supplied(
        read_candidates(sources).frames["raw.candidate"],
        read_outputs(sources).frames["raw.tournament_output"],
        read_verdicts(sources).frames["raw.tournament_verdict"],
        read_traits(sources).frames["raw.assistance_trait"],
    )


def _refuse(reason: str) -> NoReturn:
    raise PlanError(reason)
