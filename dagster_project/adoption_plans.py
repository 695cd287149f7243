"""The plans `adoption-...` of `suitability llm`: what the last refresh left read, calls listed.

Belongs here: what to read for them, and that a refresh comes first. Does not belong here: what is asked and in which
order (assets/adoption) and how plans are run (llm_cli.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import duckdb

from assets.adoption.embedders import EmbedderError
from assets.adoption.inputs import Inputs, read_inputs
from assets.adoption.matching import matcher_of
from assets.adoption.plan import confirmation_plan, relevance_plan, summary_plan
from assets.adoption.steps import AdoptionError
from assets.llm import Answer, Call, LedgerError, collect, read_roles
from assets.settings import Settings
from dagster_project.llm_cli import PlanError
from dagster_project.lock import RefreshRunningError, refresh_lock
from dagster_project.resources import DuckDBWarehouse, WarehouseBusyError


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except (AdoptionError, EmbedderError, LedgerError) as error:
        raise PlanError(str(error)) from None


def relevance(settings: Settings) -> list[Call]:
    """Every unique English chat of the last refresh, by the one [[relevance]].

    Raises:
        PlanError: no refresh was made or one is running; not exactly one model; no chats.
        RolesError: llm.toml can't be used.
    """
    with _told():
        return relevance_plan(_inputs(settings), read_roles(settings))


def summary(settings: Settings) -> list[Call]:
    """Every relevant chat, by the one [[summary]]. Raises as `relevance`, and while relevance is open."""
    with _told():
        return summary_plan(_inputs(settings), read_roles(settings), _collected(settings))


def confirm(settings: Settings) -> list[Call]:
    """Every request and its nearest tasks, by the one [[confirmation]]; requests that are new are matched first.

    Raises as `summary`, while summaries are open, and where the embedder can't be used.
    """
    with _told():
        inputs = _inputs(settings)
        matcher = matcher_of(inputs.tasks, settings)
        return confirmation_plan(inputs, read_roles(settings), matcher, _collected(settings))


def _collected(settings: Settings) -> partial[list[Answer]]:
    return partial(collect, ledger_path=settings.ledger_path)


def _inputs(settings: Settings) -> Inputs:
    """Of one refresh: none may write meanwhile."""
    if not settings.warehouse_path.exists():
        raise PlanError(f"{settings.home} holds no chats yet. Run `suitability refresh` first")
    try:
        with refresh_lock(settings.home):
            chats, texts, tasks = read_inputs(
                DuckDBWarehouse(settings.warehouse_path, settings.lock_wait_seconds)
            )
            read = texts()
    except duckdb.CatalogException:
        raise PlanError(
            f"{settings.warehouse_path} holds no chats yet. Run `suitability refresh` first"
        ) from None
    except (RefreshRunningError, WarehouseBusyError) as error:
        raise PlanError(str(error)) from None
    return Inputs(chats, lambda: read, tasks)
