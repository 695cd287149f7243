"""The back end `batch`: calls as files of the Batch API, results matched by id, a killed run's batch found again.

Belongs here: filling, creating, polling and reading batches. Does not belong here: which calls (door.py), what errors
mean (provider.py).

A batch carries a token in its metadata that stands in the ledger before the batch is created. So a run that finds a
dead run's pending attempts finds their batch too, even when the kill fell between creating it and noting its id.
Where a server can't list its batches, such a batch counts as never created.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from assets.llm.call import Answer, Call
from assets.llm.ledger import State
from assets.llm.sending.provider import Provider, Trouble, error_text
from assets.llm.sending.session import OVER_BUDGET, Session, answer_of

if TYPE_CHECKING:
    from openai.types import Batch

Emit = Callable[[Call, Answer | None], Awaitable[None]]
ENDPOINT: Literal["/v1/chat/completions"] = "/v1/chat/completions"
TOKEN = "suitability_batch"
_ENDED = {"completed", "failed", "expired", "cancelled"}
# of one request about a file or a batch
_TIMEOUT_SECONDS = 600.0


@dataclass
class _Chunk:
    """Calls of one batch-to-be, with the state each was seen in."""

    calls: list[tuple[Call, State | None]] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    n_bytes: int = 0

    def add(self, call: Call, state: State | None, line: bytes) -> None:
        self.calls.append((call, state))
        self.lines.append(line)
        self.n_bytes += len(line)


@dataclass(frozen=True)
class _Sent:
    """A batch and its calls: call id -> call and attempt. `run` is the run that sent it."""

    token: str
    members: dict[str, tuple[Call, int]]
    run: str


async def ask_all(session: Session, lane: asyncio.Queue[Call | None], emit: Emit) -> None:
    """Answer the calls of `lane` (one model's, None at the end); `emit(call, None)` = another process has it."""
    limits, budget = session.limits, session.budget
    resumed: dict[str, list[Call]] = {}
    chunk = _Chunk()
    async with asyncio.TaskGroup() as batches:

        def send() -> None:
            nonlocal chunk
            if chunk.calls:
                batches.create_task(_send(session, chunk, emit))
            chunk = _Chunk()

        while (call := await lane.get()) is not None:
            state = session.ledger.look(call.call_id)
            decision = session.decide(state)
            if decision == "resume" and state is not None and state.batch is not None:
                resumed.setdefault(state.batch, []).append(call)
                continue
            if decision != "send":
                await emit(call, answer_of(call, state) if decision == "settled" and state else None)
                continue
            line = _line(call)
            is_full = len(chunk.calls) >= limits.batch_calls
            if is_full or chunk.n_bytes + len(line) > limits.batch_megabytes * 1e6:
                send()
            cost = call.highest_cost()
            if not budget.has_room(cost):
                # what is sent may cost less than it reserves, and leave room
                send()
            if not await budget.reserve(cost):
                await emit(call, Answer(call, "pending", reason=OVER_BUDGET))
                continue
            chunk.add(call, state, line)
        send()
        for token, calls in resumed.items():
            batches.create_task(_resume(session, token, calls, emit))


def _line(call: Call) -> bytes:
    request = {"custom_id": call.call_id, "method": "POST", "url": ENDPOINT, "body": call.request()}
    return json.dumps(request, ensure_ascii=True).encode() + b"\n"


async def _send(session: Session, chunk: _Chunk, emit: Emit) -> None:
    provider = session.provider(chunk.calls[0][0].model)
    sent = _Sent(secrets.token_hex(16), {}, session.ledger.run)
    taken: list[Call] = []
    with session.ledger.writing():
        for call, state in chunk.calls:
            attempt = None if session.stopped else session.claim(call, state, "batch", sent.token)
            if attempt is None:
                taken.append(call)
            else:
                sent.members[call.call_id] = (call, attempt)
    for call in taken:
        session.budget.release(call.highest_cost(), 0.0)
        stop = Answer(call, "pending", reason=f"not sent: {session.stopped}") if session.stopped else None
        await emit(call, stop)
    lines = [
        line for (call, _), line in zip(chunk.calls, chunk.lines, strict=True) if call.call_id in sent.members
    ]
    chunk.lines.clear()
    costs = {call.call_id: call.highest_cost() for call, _ in sent.members.values()}
    spent: dict[str, float | None] = dict.fromkeys(costs, 0.0)

    async def note(call: Call, answer: Answer | None) -> None:
        if answer is not None and answer.status != "failed":
            spent[call.call_id] = answer.cost
        await emit(call, answer)

    try:
        if sent.members:
            await _run(session, provider, sent, b"".join(lines), note)
    finally:
        for call_id, cost in costs.items():
            session.budget.release(cost, spent[call_id])


async def _run(session: Session, provider: Provider, sent: _Sent, content: bytes, emit: Emit) -> None:
    try:
        batch_id = await _create(provider, sent.token, content)
    except Trouble as trouble:
        if trouble.kind == "stop":
            session.stopped = trouble.reason
        if trouble.kind == "retry":
            # a batch may have come of it, so nothing is decided; the next run looks for it by its token
            await _leave(sent, f"unknown whether the batch was created: {trouble}", emit)
        else:
            await _settle_rest(session, sent, f"the batch was not created: {trouble}", emit)
        return
    session.ledger.record_batch(sent.token, batch_id)
    await _collect(session, provider, sent, batch_id, emit)


async def _create(provider: Provider, token: str, content: bytes) -> str:
    """The id of the batch made of `content`; kind `retry` of the Trouble raised = it may exist all the same."""
    client = provider.client
    try:
        uploaded = await provider.steadily(
            lambda: client.files.create(file=(f"{token}.jsonl", content), purpose="batch"), _TIMEOUT_SECONDS
        )
    except Trouble as trouble:
        raise Trouble(
            "stop" if trouble.kind == "stop" else "final", f"its file was not taken: {trouble}"
        ) from None
    tries = 0
    while True:
        try:
            made = await provider.request(
                lambda: client.batches.create(
                    input_file_id=uploaded.id,
                    endpoint=ENDPOINT,
                    completion_window="24h",
                    metadata={TOKEN: token},
                ),
                _TIMEOUT_SECONDS,
            )
            return made.id
        except Trouble as trouble:
            tries += 1
            if trouble.kind not in {"retry", "rate"} or tries >= provider.limits.max_tries:
                raise
            await asyncio.sleep(provider.wait_before(tries, trouble))
            if found := await _find(provider, token):
                return found


async def _find(provider: Provider, token: str) -> str | None:
    """The id of the batch that carries `token`; None where there is none, or where the server lists none."""

    async def search() -> str | None:
        async for batch in provider.client.batches.list(limit=100):
            if (batch.metadata or {}).get(TOKEN) == token:
                return batch.id
        return None

    try:
        return await provider.steadily(search, _TIMEOUT_SECONDS)
    except Trouble as trouble:
        if trouble.kind == "final":
            return None
        raise


async def _resume(session: Session, token: str, calls: list[Call], emit: Emit) -> None:
    """Take the results of a dead run's batch; where no batch came of it, its calls are free to be sent."""
    provider = session.provider(calls[0].model)
    sent = _Sent(token, {}, "")
    for call in calls:
        state = session.ledger.look(call.call_id)
        if state is not None and session.decide(state) == "resume":
            sent.members[call.call_id] = (call, state.attempt)
            sent = _Sent(token, sent.members, state.run)
        else:
            await emit(call, None)
    try:
        batch_id = session.ledger.batch_id(token) or await _find(provider, token)
    except Trouble as trouble:
        if trouble.kind == "stop":
            session.stopped = trouble.reason
        await _leave(sent, f"unknown what became of its batch: {trouble}", emit)
        return
    if batch_id is None:
        for call, attempt in sent.members.values():
            session.settle(call, attempt, Trouble("final", "its batch was never created"), sent.run)
            await emit(call, None)
        return
    session.ledger.record_batch(token, batch_id)
    await _collect(session, provider, sent, batch_id, emit)


async def _collect(session: Session, provider: Provider, sent: _Sent, batch_id: str, emit: Emit) -> None:
    try:
        batch = await _wait(session, provider, batch_id)
        if batch is None:
            await _leave(sent, f"batch {batch_id} is not ready; run again to collect it", emit)
            return
        for file_id in (batch.output_file_id, batch.error_file_id):
            if file_id:
                content = await _read(provider, file_id)
                for call_id, reply in _replies(provider, content):
                    if call_id in sent.members:
                        call, attempt = sent.members.pop(call_id)
                        await emit(call, session.settle(call, attempt, reply, sent.run))
    except Trouble as trouble:
        if trouble.kind == "stop":
            session.stopped = trouble.reason
        await _leave(sent, f"batch {batch_id} could not be read: {trouble}; run again to collect it", emit)
        return
    told = "; ".join(error.message or "" for error in (batch.errors and batch.errors.data) or [])
    reason = f"batch {batch_id} ended as {batch.status} and has no line for it" + (
        f": {told}" if told else ""
    )
    await _settle_rest(session, sent, provider.redact(reason), emit)


async def _wait(session: Session, provider: Provider, batch_id: str) -> Batch | None:
    """The batch once it has ended; None when that takes longer than the limit, or the run is stopped."""
    deadline = time.monotonic() + session.limits.batch_wait_seconds
    while True:
        batch = await provider.steadily(lambda: provider.client.batches.retrieve(batch_id), _TIMEOUT_SECONDS)
        if batch.status in _ENDED:
            return batch
        if session.stopped or time.monotonic() > deadline:
            return None
        await asyncio.sleep(session.limits.batch_poll_seconds)


async def _read(provider: Provider, file_id: str) -> bytes:
    async def download() -> bytes:
        return (await provider.client.files.content(file_id)).content

    return await provider.steadily(download, _TIMEOUT_SECONDS)


def _replies(provider: Provider, content: bytes) -> Iterator[tuple[str, dict[str, Any] | Trouble]]:
    """Call id and reply of each readable line; a call whose line can't be read ends as one without a line."""
    for text in content.split(b"\n"):
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if not isinstance(line, dict) or not isinstance(call_id := line.get("custom_id"), str):
            continue
        found = line.get("response")
        response: dict[str, Any] = found if isinstance(found, dict) else {}
        body, status = response.get("body"), response.get("status_code")
        error = line.get("error") or (body.get("error") if isinstance(body, dict) else None)
        if status == 200 and isinstance(body, dict) and not error:
            yield call_id, body
        else:
            yield (
                call_id,
                provider.trouble(
                    status if isinstance(status, int) else 500, error_text(error) or str(body), error
                ),
            )


async def _settle_rest(session: Session, sent: _Sent, reason: str, emit: Emit) -> None:
    for call, attempt in sent.members.values():
        await emit(call, session.settle(call, attempt, Trouble("final", reason), sent.run))


async def _leave(sent: _Sent, reason: str, emit: Emit) -> None:
    for call, attempt in sent.members.values():
        await emit(call, Answer(call, "pending", reason=reason, attempt=attempt, run=sent.run))
