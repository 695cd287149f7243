"""The door: calls in, answers out as they come, each call through the back end of its model.

Belongs here: routing, back-pressure, waiting for what another process is asking. Does not belong here: the back ends
(direct.py, batch.py) and the counting at the end (run.py).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable

from assets.llm.call import Answer, Call
from assets.llm.roles import Model, RolesError
from assets.llm.sending import batch, direct
from assets.llm.sending.session import Session, answer_of

_Lane = asyncio.Queue[Call | None]
# answers and calls that wait in memory when neither side is in a hurry
_BUFFER = 256
_LONGEST_LOOK_SECONDS = 2.0


class Door:
    """One run's door. Memory holds what is in flight, however many calls pass."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._answers: asyncio.Queue[Answer | None] = asyncio.Queue(_BUFFER)
        self._held: list[Call] = []

    async def answers(self, calls: Iterable[Call]) -> AsyncGenerator[Answer, None]:
        """An answer a call, in the order they come; calls are taken from the iterable as there is room for them."""
        serving = asyncio.create_task(self._serve(calls))
        try:
            while (answer := await self._answers.get()) is not None:
                yield answer
            await serving
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            await self._session.close()

    async def _serve(self, calls: Iterable[Call]) -> None:
        # cancelled when nobody takes answers any more: then there is no room for the end mark either
        try:
            await self._pass(calls)
            await self._wait_for_others()
        except Exception as error:
            while isinstance(error, ExceptionGroup):
                error = error.exceptions[0]
            await self._answers.put(None)
            raise error from None
        await self._answers.put(None)

    async def _pass(self, calls: Iterable[Call]) -> None:
        session = self._session
        lanes: dict[tuple[Model, str], _Lane] = {}
        async with asyncio.TaskGroup() as workers:
            for call in calls:
                if session.stopped:
                    break
                state = session.ledger.look(call.call_id)
                decision = session.decide(state)
                if decision == "settled" and state is not None:
                    await self._answers.put(answer_of(call, state))
                    continue
                if decision == "held":
                    self._held.append(call)
                    continue
                back_end: str = "batch" if decision == "resume" else call.model.back_end
                lane = lanes.get((call.model, back_end))
                if lane is None:
                    try:
                        session.provider(call.model)
                    except RolesError as error:
                        session.stopped = str(error)
                        break
                    lane = lanes[call.model, back_end] = asyncio.Queue(_BUFFER)
                    if back_end == "batch":
                        workers.create_task(batch.ask_all(session, lane, self._emit))
                    else:
                        for _ in range(call.model.max_in_flight):
                            workers.create_task(self._direct_worker(lane))
                await lane.put(call)
            for (model, back_end), lane in lanes.items():
                for _ in range(1 if back_end == "batch" else model.max_in_flight):
                    await lane.put(None)

    async def _direct_worker(self, lane: _Lane) -> None:
        while (call := await lane.get()) is not None:
            await self._emit(call, await direct.ask(self._session, call))

    async def _emit(self, call: Call, answer: Answer | None) -> None:
        if answer is None:
            self._held.append(call)
        else:
            await self._answers.put(answer)

    async def _wait_for_others(self) -> None:
        """Calls that another live process is asking: take its answers, or take over what it leaves behind."""
        session, pause = self._session, 0.05
        deadline = time.monotonic() + session.limits.patience_seconds
        while self._held and not session.stopped:
            waiting, self._held = self._held, []
            free: list[Call] = []
            for call in waiting:
                held = session.decide(session.ledger.look(call.call_id)) == "held"
                (self._held if held else free).append(call)
            if free:
                await self._pass(free)
                deadline, pause = time.monotonic() + session.limits.patience_seconds, 0.05
            elif time.monotonic() > deadline:
                break
            else:
                await asyncio.sleep(pause)
                pause = min(pause * 1.5, _LONGEST_LOOK_SECONDS)
        for call in self._held:
            reason = "another process is asking it and has not finished; run again later"
            await self._answers.put(Answer(call, "pending", reason=reason))
