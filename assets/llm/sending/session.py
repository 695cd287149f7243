"""What the calls of one run share: the ledger, the budget, the providers, the counts.

Belongs here: whether a call is to be sent, what its outcome is recorded as. Does not belong here: sending (direct.py,
batch.py) and the order of things (door.py).
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any, Literal

from assets.llm.call import Answer, Call
from assets.llm.ledger import Ledger, Outcome, State
from assets.llm.roles import Limits, Model
from assets.llm.sending.parse import read_choice
from assets.llm.sending.provider import Provider, Trouble

_REASON_CHARACTERS = 500
# no reply has so many; SQLite can't hold any whole number, and sums of them must fit too
_MOST_TOKENS = 10**9
OVER_BUDGET = "not sent: it might exceed the budget"
Decision = Literal["settled", "held", "resume", "send"]


class Budget:
    """A cap on what one run may spend; what is in flight counts with the highest it may cost."""

    def __init__(self, cap: float | None) -> None:
        self.cap = cap
        self.spent = 0.0
        self._reserved = 0.0
        self._in_flight = 0
        self._is_exhausted = False
        self._released = asyncio.Event()

    def has_room(self, amount: float | None) -> bool:
        """Whether one more call fits beside what is spent and reserved."""
        return self.cap is None or self.spent + self._reserved + (amount or 0.0) <= self.cap * (1 + 1e-12)

    async def reserve(self, amount: float | None) -> bool:
        """Room for one more call; waits for calls in flight to cost less than reserved. False ends the spending."""
        while not self.has_room(amount):
            if self._is_exhausted or not self._in_flight:
                self._is_exhausted = True
                return False
            await self._released.wait()
        if self._is_exhausted:
            return False
        self._reserved += amount or 0.0
        self._in_flight += 1
        return True

    def release(self, amount: float | None, spent: float | None) -> None:
        """Give a reservation back for what was spent; unknown (a time-out may have been billed) counts in full."""
        amount = amount or 0.0
        self._in_flight -= 1
        self._reserved = self._reserved - amount if self._in_flight else 0.0
        self.spent += amount if spent is None else spent
        released, self._released = self._released, asyncio.Event()
        released.set()


class Session:
    """One run."""

    def __init__(
        self, ledger: Ledger, limits: Limits, budget: float | None = None, retry: bool = False
    ) -> None:
        self.ledger = ledger
        self.limits = limits
        self.budget = Budget(budget)
        self.retry = retry
        self.stopped = ""
        self.sent: Counter[str] = Counter()
        self._providers: dict[tuple[str, str | None], Provider] = {}

    def provider(self, model: Model) -> Provider:
        """The provider of `model`; models of one server and key share its limits.

        Raises:
            RolesError: its key is not in the environment.
        """
        key = (model.base_url, model.api_key_env)
        if key not in self._providers:
            self._providers[key] = Provider(model, self.limits)
        return self._providers[key]

    async def close(self) -> None:
        for provider in self._providers.values():
            await provider.client.close()

    def decide(self, state: State | None, own_attempt: int | None = None) -> Decision:
        """What to do with a call whose last attempt is `state`.

        A run sends what was never sent, what a dead process left pending, and what failed in another run. Answered
        calls are never sent again; unparsed and refused ones when `retry` asks for it, once a run.

        Args:
            own_attempt: the failed attempt after which this run tries again.
        """
        if state is None:
            return "send"
        if state.status == "pending":
            return "held" if state.is_held else "resume" if state.batch else "send"
        if state.status == "answered" or (state.run == self.ledger.run and state.attempt != own_attempt):
            return "settled"
        return "send" if state.status == "failed" or self.retry else "settled"

    def claim(self, call: Call, seen: State | None, back_end: str, batch: str | None = None) -> int | None:
        """`Ledger.claim`, counted."""
        # another run's attempts may lie between this one's
        before = self.ledger.end_in_run(call.call_id) if seen is not None else None
        attempt = self.ledger.claim(call, seen, back_end, batch)
        if attempt is not None:
            if before is not None:
                self.sent[before] -= 1
            self.sent["pending"] += 1
        return attempt

    def settle(
        self, call: Call, attempt: int, reply: dict[str, Any] | Trouble, run: str | None = None
    ) -> Answer:
        """Read a reply, record it, and return it as an answer.

        Args:
            run: the run that made the attempt, where it was not this one (a dead one's batch is read).
        """
        run = run or self.ledger.run
        outcome = self._outcome(call, reply)
        is_first = self.ledger.settle(call.call_id, attempt, outcome)
        if not is_first and (state := self.ledger.look(call.call_id)):
            return answer_of(call, state)
        if run == self.ledger.run:
            self.sent["pending"] -= 1
            self.sent[outcome.status] += 1
        return _answer(call, outcome, attempt, run)

    def _outcome(self, call: Call, reply: dict[str, Any] | Trouble) -> Outcome:
        if isinstance(reply, Trouble):
            return Outcome("refused" if reply.kind == "refused" else "failed", error=reply.reason)
        choices = reply.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        raw = self.provider(call.model).without_key(json.dumps(choice, ensure_ascii=True))
        reading = read_choice(json.loads(raw), call.schema)
        usage = reply.get("usage")
        given, made = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        return Outcome(
            reading.status,
            raw,
            _storable(reading.reason) or None,
            given,
            made,
            call.model.cost(given, made),
            self._answered_model(call, reply),
        )

    def _answered_model(self, call: Call, reply: dict[str, Any]) -> str | None:
        """Whom the reply names as its model: behind one name a server may change it."""
        name = reply.get("model")
        if not isinstance(name, str) or not name.strip():
            return None
        return _storable(self.provider(call.model).without_key(name).strip())


def _storable(reason: str) -> str:
    """Cut, and without the half characters that a model may answer with."""
    return reason[:_REASON_CHARACTERS].encode("utf-8", "replace").decode()


def _count(usage: object, name: str) -> int | None:
    """A number of tokens; None where the server gives none, or one that can't be true."""
    value = usage.get(name) if isinstance(usage, dict) else None
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _MOST_TOKENS else None


def _answer(call: Call, outcome: Outcome, attempt: int, run: str) -> Answer:
    reading = read_choice(json.loads(outcome.answer), call.schema) if outcome.answer else None
    return Answer(
        call=call,
        status=reading.status if reading else outcome.status,
        value=reading.value if reading else None,
        text=reading.text if reading else "",
        reason=outcome.error or (reading.reason if reading else ""),
        input_tokens=outcome.input_tokens,
        output_tokens=outcome.output_tokens,
        cost=outcome.cost,
        attempt=attempt,
        run=run,
    )


def answer_of(call: Call, state: State) -> Answer:
    """What the ledger knows of a call that was sent."""
    if state.status == "pending":
        reason = "in flight" if state.is_held else "the process that sent it has ended"
        return Answer(call, "pending", reason=reason, attempt=state.attempt, run=state.run)
    outcome = Outcome(
        state.status, state.answer, state.error, state.input_tokens, state.output_tokens, state.cost
    )
    return _answer(call, outcome, state.attempt, state.run)
