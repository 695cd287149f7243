"""The plans `adoption-...` of `suitability llm`: what the last refresh left read, calls listed.

Belongs here: what to read for them, and that a refresh comes first. Does not belong here: what is asked and in which
order (assets/adoption) and how plans are run (cli/llm_commands.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from assets.adoption.funnel.adoption_inputs import read_inputs
from assets.adoption.funnel.asking import Collected
from assets.adoption.funnel.calls import confirmation_plan, relevance_plan, summary_plan
from assets.adoption.funnel.steps import AdoptionError
from assets.llm import Call, LedgerError, collect, read_roles
from assets.settings import Settings
from dagster_project.plans.last_refresh import last_refresh
from dagster_project.plans.registry import PlanError
from dagster_project.resources import DuckDBWarehouse


@contextmanager
def _warehouse(settings: Settings) -> Iterator[DuckDBWarehouse]:
    """What one refresh left. Errors of whoever reads it are the plan's."""
    try:
        with last_refresh(settings, "chats") as warehouse:
            yield warehouse
    except (AdoptionError, LedgerError) as error:
        raise PlanError(str(error)) from None


def relevance(settings: Settings) -> list[Call]:
    """Every unique English chat of the last refresh, by the one [[relevance]].

    Raises:
        PlanError: no refresh was made or one is running; not exactly one model; no chats.
        RolesError: llm.toml can't be used.
    """
    with _warehouse(settings) as warehouse:
        return relevance_plan(read_inputs(warehouse), read_roles(settings))


def summary(settings: Settings) -> list[Call]:
    """Every relevant chat, by the one [[summary]]. Raises as `relevance`, and while relevance is open."""
    with _warehouse(settings) as warehouse:
        return summary_plan(read_inputs(warehouse), read_roles(settings), _collected(settings))


def confirm(settings: Settings) -> list[Call]:
    """Every request and its nearest tasks, by the one [[confirmation]].

    Raises as `summary`, while summaries are open, and where they are newer than the last refresh.
    """
    with _warehouse(settings) as warehouse:
        nearest = warehouse.read("estimate.request_match")
        return confirmation_plan(read_inputs(warehouse), nearest, read_roles(settings), _collected(settings))


def _collected(settings: Settings) -> Collected:
    return partial(collect, ledger_path=settings.ledger_path)
