"""The back end `direct`: one request a call, tried again while trouble may pass.

Belongs here: the life of one call. Does not belong here: which calls (door.py), what errors mean (provider.py).
"""

from __future__ import annotations

import asyncio
import time

from assets.llm.call import Answer, Call
from assets.llm.sending.provider import Provider, ProviderDown, Trouble
from assets.llm.sending.session import OVER_BUDGET, Session, answer_of


async def ask(session: Session, call: Call) -> Answer | None:
    """The answer to `call`, paid for at most once by all processes; None while another process is asking it."""
    provider, started = session.provider(call.model), time.monotonic()
    last: Answer | None = None
    failures = tries = 0
    while True:
        state = session.ledger.look(call.call_id)
        decision = session.decide(state, last.attempt if last else None)
        if decision == "settled" and state is not None:
            return answer_of(call, state)
        if decision != "send":
            return None
        try:
            async with provider.turn() as is_probe:
                if session.stopped:
                    return last or Answer(call, "pending", reason=f"not sent: {session.stopped}")
                reserved = call.highest_cost()
                if not await session.budget.reserve(reserved):
                    return last or Answer(call, "pending", reason=OVER_BUDGET)
                spent: float | None = 0.0
                try:
                    attempt = session.claim(call, state, "direct")
                    if attempt is None:
                        continue
                    reply = await _send(provider, call)
                    provider.heard(reply if isinstance(reply, Trouble) else None, is_probe)
                    last = session.settle(call, attempt, reply)
                    # errors are not billed, except that nobody knows of a request that was cut off
                    spent = 0.0 if isinstance(reply, Trouble) and reply.kind != "retry" else last.cost
                finally:
                    session.budget.release(reserved, spent)
        except ProviderDown as down:
            return last or Answer(call, "pending", reason=f"not sent: {down}")
        if not isinstance(reply, Trouble):
            return last
        if reply.kind == "stop":
            session.stopped = reply.reason
        if reply.kind not in {"retry", "rate"}:
            return last
        tries += 1
        failures += reply.kind == "retry"
        wait = provider.wait_before(tries, reply)
        is_late = time.monotonic() + wait - started > session.limits.patience_seconds
        if failures >= session.limits.max_tries or is_late:
            return last
        await asyncio.sleep(wait)


async def _send(provider: Provider, call: Call) -> dict[str, object] | Trouble:
    try:
        return await provider.complete(call.request(), call.model.timeout_seconds)
    except Trouble as trouble:
        return trouble
