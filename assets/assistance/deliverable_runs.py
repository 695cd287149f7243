"""The deliverables and assistance that models are to write: which calls that takes, and what the answers say.

Belongs here: entry -> call, and answers -> texts with a status. Does not belong here: who takes part (planning.py),
judging (judging.py), the words of prompts (rubrics/).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from assets.assistance.planning import Entry, PanelError
from assets.assistance.tasks import Instrument
from assets.llm import Answer, Call, Model, framed, that_are_alike

Collected = Callable[[Sequence[Call]], Sequence[Answer]]


@dataclass(frozen=True)
class Output:
    """What an entry handed in. `text` None = not yet, or never; `status` and `call_id` are those of its last call.

    `assistance` is None in automation and for the unaided worker. An entry from a file has status 'file'.
    """

    entry: Entry
    text: str | None
    assistance: str | None
    status: str
    call_id: str


@dataclass(frozen=True)
class Writers:
    """The models that write: candidates by name, and the worker (None = people write, into tournament/outputs)."""

    candidates: Mapping[str, Model]
    worker: Model | None

    def refuse_same(self) -> None:
        """Nothing, if no two candidates would share their answers.

        Raises:
            PanelError: two candidates are one model with one set of settings.
        """
        if told := that_are_alike(self.candidates.values()):
            raise PanelError(f"the candidates {told}. Give one of them another model, temperature or seed")


def opening_call(entry: Entry, instrument: Instrument, writers: Writers) -> Call | None:
    """The first call that an entry takes: the deliverable, or the assistance for it. None = no model writes it."""
    prompt = instrument.tasks[entry.task].prompt
    if entry.mode == "augmentation" and writers.worker and entry.candidate == writers.worker.name:
        return Call(writers.worker, prompt, repeat=entry.run)
    model = writers.candidates.get(entry.candidate)
    if model is None:
        return None
    system = "" if entry.mode == "automation" else instrument.assist
    return Call(model, prompt, system, repeat=entry.run)


def is_aided(entry: Entry, worker: str) -> bool:
    """Whether the entry is written by the worker with assistance."""
    return entry.mode == "augmentation" and entry.candidate != worker


def aided_call(entry: Entry, assistance: str, instrument: Instrument, worker: Model) -> Call:
    """The worker's call with the assistance: the unaided worker's prompt, and the guidance below it."""
    prompt = instrument.tasks[entry.task].prompt
    guided = f"{prompt}\n\n{instrument.guidance}\n{framed({'guidance': assistance})}"
    return Call(worker, guided, repeat=entry.run)


def read_outputs(
    entries: Iterable[Entry], instrument: Instrument, writers: Writers, worker: str, collected: Collected
) -> list[Output]:
    """What models have written of `entries`, in their order; entries that no model writes are left out.

    An aided entry whose assistance is not answered has that call's status; one without a worker model is pending.
    """
    planned = [(entry, opening_call(entry, instrument, writers)) for entry in entries]
    opened = [(entry, call) for entry, call in planned if call]
    openings = dict(zip((e for e, _ in opened), collected([call for _, call in opened]), strict=True))
    closing = {
        entry: aided_call(entry, answer.text, instrument, writers.worker)
        for entry, answer in openings.items()
        if writers.worker and is_aided(entry, worker) and answer.status == "answered"
    }
    closings = dict(zip(closing, collected(list(closing.values())), strict=True))
    return [_output(entry, answer, closings.get(entry), worker) for entry, answer in openings.items()]


def _output(entry: Entry, opening: Answer, closing: Answer | None, worker: str) -> Output:
    if not is_aided(entry, worker):
        return Output(entry, _text(opening), None, opening.status, opening.call_id)
    assistance = _text(opening)
    if closing:
        return Output(entry, _text(closing), assistance, closing.status, closing.call_id)
    status = "pending" if opening.status == "answered" else opening.status
    return Output(entry, None, assistance, status, opening.call_id)


def _text(answer: Answer) -> str | None:
    return answer.text if answer.status == "answered" else None


def run_calls(
    entries: Sequence[Entry], instrument: Instrument, writers: Writers, worker: str, collected: Collected
) -> list[Call]:
    """All calls that can be made now: deliverables and assistance, and the worker's with assistance that is there."""
    openings = {entry: opening_call(entry, instrument, writers) for entry in entries}
    calls = [call for call in openings.values() if call]
    aided = [entry for entry in entries if writers.worker and is_aided(entry, worker) and openings[entry]]
    answers = collected([call for entry in aided if (call := openings[entry])])
    for entry, answer in zip(aided, answers, strict=True):
        if writers.worker and answer.status == "answered":
            calls.append(aided_call(entry, answer.text, instrument, writers.worker))
    return calls
