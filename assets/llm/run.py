"""Paid work as pin, ledger, collect, check: what it would cost, doing it, taking the answers, and counting them.

Belongs here: the functions a slice calls. Does not belong here: how calls are sent (sending/door.py and below).

    calls = [Call(model, prompt, system=rubric, schema=Level) for model in roles.of("rater") for prompt in prompts]
    estimate(calls, settings.ledger_path)            # what sending them would cost
    run(calls, settings.ledger_path, "annotate")     # sends what the ledger has no answer to
    collect(calls, settings.ledger_path)             # what the ledger has; sends nothing
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from assets.llm.call import OUTCOMES, Answer, Call
from assets.llm.ledger import Ledger
from assets.llm.roles import Limits
from assets.llm.sending.door import Door
from assets.llm.sending.session import Session, answer_of


class AccountingError(RuntimeError):
    """Calls and outcomes don't add up; the message names the difference."""


class RunStopped(RuntimeError):
    """Nothing more could be sent (key, quota). What was answered is in the ledger; run again once it is mended."""


class NoPriceError(ValueError):
    """A budget is set, and a model has no prices to count against it."""


@dataclass(frozen=True)
class Estimate:
    """What `run` would do. Tokens and cost are for the calls to send; output and cost are the highest possible.

    Input tokens are characters / 4: an estimate. `cost` is None where a model has no prices.
    """

    n_calls: int
    n_to_send: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass
class Progress:
    """How far a run is. `n_sent`: answers that this run paid for; `cost`: theirs, as far as known."""

    n_calls: int | None
    n_done: int = 0
    n_sent: int = 0
    cost: float = 0.0
    by_status: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds_left(self) -> float | None:
        """By the pace so far; None before there is one."""
        if self.n_calls is None or not self.n_sent:
            return None
        return (time.monotonic() - self.started) / self.n_sent * (self.n_calls - self.n_done)


def estimate(calls: Iterable[Call], ledger_path: Path, retry: bool = False) -> Estimate:
    """What `run` (with `retry`: of unparsed and refused calls too) would send and cost at most."""
    unique = {call.call_id: call for call in calls}
    with Ledger(ledger_path) as ledger:
        session = Session(ledger, Limits(), retry=retry)
        open_calls = [
            call for call_id, call in unique.items() if session.decide(ledger.look(call_id)) == "send"
        ]
    costs = [call.highest_cost() for call in open_calls]
    known = [cost for cost in costs if cost is not None]
    return Estimate(
        n_calls=len(unique),
        n_to_send=len(open_calls),
        input_tokens=sum(call.estimated_input_tokens() for call in open_calls),
        output_tokens=sum(call.model.max_tokens for call in open_calls),
        cost=sum(known) if len(known) == len(costs) else None,
    )


def collect(calls: Sequence[Call], ledger_path: Path) -> list[Answer]:
    """What the ledger knows of `calls`, in their order; pending where there is no outcome. Sends nothing."""
    if not ledger_path.exists():
        return [Answer(call, "pending", reason="never sent") for call in calls]
    answers: dict[str, Answer] = {}
    with Ledger(ledger_path) as ledger:
        for call in calls:
            if call.call_id not in answers:
                state = ledger.look(call.call_id)
                answers[call.call_id] = (
                    answer_of(call, state) if state else Answer(call, "pending", reason="never sent")
                )
    return [answers[call.call_id] for call in calls]


def run(
    calls: Sequence[Call],
    ledger_path: Path,
    plan: str,
    *,
    limits: Limits | None = None,
    budget: float | None = None,
    retry: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> list[Answer]:
    """Send what has no answer yet, and return an answer a call, in the order of `calls`.

    One call that stands twice is sent once. See `stream` for arguments and errors.
    """
    unique = {call.call_id: call for call in calls}
    progress = Progress(len(unique))

    async def gather() -> dict[str, Answer]:
        found = {}
        stream_of = stream(
            unique.values(), ledger_path, plan, limits=limits, budget=budget, retry=retry, progress=progress
        )
        async with aclosing(stream_of) as answers:
            async for answer in answers:
                found[answer.call_id] = answer
                if on_progress:
                    on_progress(progress)
        return found

    found = asyncio.run(gather())
    return [found[call.call_id] for call in calls]


async def stream(
    calls: Iterable[Call],
    ledger_path: Path,
    plan: str,
    *,
    limits: Limits | None = None,
    budget: float | None = None,
    retry: bool = False,
    progress: Progress | None = None,
) -> AsyncGenerator[Answer, None]:
    """Answers as they come, for more calls than should stand in memory; the counts are checked at the end.

    Args:
        plan: what the calls are for; the ledger and `marts.llm_usage` carry it.
        limits: those of `llm.toml`.
        budget: what this run may spend at most; calls that might exceed it end as pending.
        retry: also send calls again that an earlier run left unparsed or refused.
        progress: kept up to date.

    Raises:
        NoPriceError: a budget without prices.
        RunStopped: a key is not in the environment or was refused, or a quota is used up.
        AccountingError: sent calls and their outcomes don't add up.
        LedgerError: the ledger can't be used.
    """
    progress = progress or Progress(None)
    n_taken = 0

    def taken() -> Iterable[Call]:
        nonlocal n_taken
        for call in calls:
            if budget is not None and call.highest_cost() is None:
                raise NoPriceError(
                    f"{call.model.role} {call.model.name} has no prices, so a budget can't be kept: "
                    "give input_price and output_price (0 for a server of your own)"
                )
            n_taken += 1
            yield call

    with Ledger(ledger_path, plan) as ledger:
        session = Session(ledger, limits or Limits(), budget, retry)
        async with aclosing(Door(session).answers(taken())) as answers:
            async for answer in answers:
                progress.n_done += 1
                progress.by_status[answer.status] += 1
                if answer.run == ledger.run:
                    progress.n_sent += 1
                    progress.cost += answer.cost or 0.0
                yield answer
        if session.stopped:
            raise RunStopped(session.stopped)
        _check(n_taken, progress, session)


def _check(n_taken: int, progress: Progress, session: Session) -> None:
    """Sent = answered + unparsed + refused + failed, by the run's count and the ledger's; an answer a call."""
    recorded = session.ledger.ends_of_run()
    counted = {status: n for status, n in session.sent.items() if n}
    if recorded != counted:
        raise AccountingError(
            f"this run counted {counted} among the calls it sent, the ledger holds {recorded}"
        )
    if n_taken != progress.n_done:
        raise AccountingError(f"{n_taken} calls went in and {progress.n_done} answers came out")
    if unknown := set(progress.by_status) - {*OUTCOMES, "pending"}:
        raise AccountingError(f"answers of unknown status: {sorted(unknown)}")
