"""Traits of assistance texts as language models code them, and the check for deliverables inside them.

Belongs here: assistance text × judge -> call, answers -> raw.assistance_llm_trait, the overlap of assistance and
deliverable. Does not belong here: the association of traits with rank (dbt).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from assets.assistance.deliverable_runs import Collected
from assets.assistance.judging import TAGS
from assets.assistance.planning import Entry, Panel, PanelError
from assets.assistance.tasks import Instrument
from assets.llm import Answer, Call, Model, framed

MIN_CODERS = 2
SHINGLE = 8
# shares above this are no coincidence: the worker's text stood in the assistance
MAX_CONTAINED = 0.25
TRAITS = ("specificity", "structure", "against_task", "leaks_deliverable")
COLUMNS = [*Entry._fields, "judge", *TRAITS, "status", "call_id", "call_number"]


class Traits(BaseModel):
    """Four traits of a text of guidance, 0 to 10, and the reason for the codes."""

    model_config = ConfigDict(extra="forbid")

    reason: str
    specificity: int = Field(ge=0, le=10)
    structure: int = Field(ge=0, le=10)
    against_task: int = Field(ge=0, le=10)
    leaks_deliverable: int = Field(ge=0, le=10)


class Coding(NamedTuple):
    """One assistance text before one judge."""

    entry: Entry
    judge: str
    assistance: str


def codings(assistance: Mapping[Entry, str], panel: Panel, least: int = MIN_CODERS) -> list[Coding]:
    """Each text before every judge that may judge its author; no judge codes its own family.

    Raises:
        PanelError: fewer than `least` judges may code a candidate's text: one alone would show no disagreement.
    """
    found: list[Coding] = []
    for entry, text in assistance.items():
        judges = [name for name in panel.judges if panel.may_judge(name, [entry.candidate], entry.mode)]
        if len(judges) < least:
            raise PanelError(
                f"{len(judges)} of the judges may code the assistance of {entry.candidate}; at least {least} are "
                "needed: name another [[judge]] of another family in llm.toml"
            )
        found += [Coding(entry, judge, text) for judge in judges]
    return found


def coding_call(coding: Coding, instrument: Instrument, judges: Mapping[str, Model]) -> Call:
    """The call for one coding; the author's name stands nowhere in it."""
    task = instrument.tasks[coding.entry.task]
    prompt = framed({"task": task.prompt, "guidance": coding.assistance}, TAGS)
    return Call(judges[coding.judge], prompt, instrument.code_traits, Traits, repeat=coding.entry.run)


def coded(
    planned: Sequence[Coding], instrument: Instrument, judges: Mapping[str, Model], collected: Collected
) -> pd.DataFrame:
    """raw.assistance_llm_trait: a row a coding; codes are NULL unless `status` is answered."""
    rows = sorted(planned)
    answers = collected([coding_call(coding, instrument, judges) for coding in rows])
    found = [
        {
            **row.entry._asdict(), "judge": row.judge, **_codes(answer),
            "status": answer.status, "call_id": answer.call_id,
        }
        for row, answer in zip(rows, answers, strict=True)
    ]  # fmt: skip
    frame = pd.DataFrame(found, columns=COLUMNS, dtype=object)
    return frame.assign(call_number=range(1, len(frame) + 1))


def _codes(answer: Answer) -> dict[str, str]:
    if answer.value is None:
        return {}
    return {name: str(code) for name, code in answer.value.model_dump(include=set(TRAITS)).items()}


def contained_share(deliverable: str, assistance: str, prompt: str = "") -> float | None:
    """Share of the deliverable's runs of eight words that stand in the assistance too, those of the prompt left out.

    None where the deliverable has none of its own: nothing can be told.
    """
    own = _shingles(deliverable) - _shingles(prompt)
    return len(own & _shingles(assistance)) / len(own) if own else None


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    return set(zip(*(words[i:] for i in range(SHINGLE)), strict=False))


def leak_frame(outputs: pd.DataFrame, prompts: Mapping[str, str]) -> pd.DataFrame:
    """task, run, candidate, contained_share of each accepted row of stg_tournament_output that leaks, in that order."""
    found = leaks(assisted(outputs[outputs["state"] == "accepted"]), prompts)
    kept = [(entry.task, entry.run, entry.candidate, share) for entry, share in sorted(found)]
    return pd.DataFrame(kept, columns=["task", "run", "candidate", "contained_share"])


def assisted(outputs: pd.DataFrame) -> list[tuple[Entry, str, str]]:
    """(entry, assistance, deliverable) of the rows that have both texts."""
    rows = outputs.dropna(subset=["assistance", "output"])
    columns = [rows[name] for name in (*Entry._fields, "assistance", "output")]
    return [(Entry(*row[:4]), row[4], row[5]) for row in zip(*columns, strict=True)]


def leaks(outputs: Iterable[tuple[Entry, str, str]], prompts: Mapping[str, str]) -> list[tuple[Entry, float]]:
    """Entries (entry, assistance, deliverable) whose assistance holds more than a quarter of the deliverable."""
    found = []
    for entry, assistance, deliverable in outputs:
        share = contained_share(deliverable, assistance, prompts.get(entry.task, ""))
        if share is not None and share > MAX_CONTAINED:
            found.append((entry, share))
    return found
