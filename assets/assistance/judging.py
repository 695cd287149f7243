"""Verdicts of language models on pairs of deliverables: which calls they take, and what the answers say.

Belongs here: comparison -> call, the schema of a verdict, answers -> raw.tournament_llm_verdict.
Does not belong here: who judges whom (planning.py), the words of the instruction (rubrics/), ranks (dbt).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, create_model

from assets.assistance.deliverable_runs import Collected
from assets.assistance.planning import Comparison, Entry
from assets.assistance.tasks import Instrument
from assets.common.judge_scores import HIGHEST, LOWEST, score_pair
from assets.llm import Answer, Call, Model, framed

COLUMNS = [
    *Comparison._fields, "choice", "scores_first", "scores_second", "mean_score_first", "mean_score_second",
    "rationale", "fault_column", "fault_value", "fault", "status", "call_id", "call_number",
]  # fmt: skip
# a deliverable of the worker may repeat the tags that it was given guidance in
TAGS = ("task", "first", "second", "guidance")
_STRICT = ConfigDict(extra="forbid")


@cache
def verdict_schema(dimensions: tuple[str, ...]) -> type[BaseModel]:
    """A verdict: scores 1-10 on `dimensions` for both seats, then a rationale, and the choice that follows."""
    score = (int, Field(ge=LOWEST, le=HIGHEST))
    fields: dict[str, Any] = dict.fromkeys(dimensions, score)
    scores = create_model("Scores", __config__=_STRICT, **fields)
    parts: dict[str, Any] = {
        "scores_first": (scores, ...),
        "scores_second": (scores, ...),
        "rationale": (str, ...),
        "choice": (Literal["first", "second", "tie"], ...),
    }
    verdict: type[BaseModel] = create_model("Verdict", __config__=_STRICT, **parts)
    return verdict


def judge_call(comparison: Comparison, first: str, second: str, instrument: Instrument, judge: Model) -> Call:
    """The call for one verdict. No name stands in it; the dimensions come first, so that a provider can cache them."""
    task = instrument.tasks[comparison.task]
    dimensions = instrument.dimensions(task)
    listed = "\n".join(f"- {name}: {text}" for name, text in dimensions.items())
    return Call(
        judge,
        framed({"task": task.prompt, "first": first, "second": second}, TAGS),
        f"Dimensions:\n{listed}\n\n{instrument.judge}",
        verdict_schema(tuple(dimensions)),
        repeat=comparison.run,
    )


def verdicts(
    planned: Sequence[Comparison],
    texts: Mapping[Entry, str],
    instrument: Instrument,
    judges: Mapping[str, Model],
    collected: Collected,
) -> pd.DataFrame:
    """raw.tournament_llm_verdict: a row a planned verdict on two deliverables that are there.

    Choice, scores and rationale are NULL unless `status` is answered: a verdict is never invented.
    """
    rows = sorted(planned)
    calls = [call_for(comparison, texts, instrument, judges) for comparison in rows]
    answers = collected(calls)
    found = [
        {**row._asdict(), **_verdict(answer), "status": answer.status, "call_id": answer.call_id}
        for row, answer in zip(rows, answers, strict=True)
    ]
    frame = pd.DataFrame(found, columns=COLUMNS, dtype=object)
    return frame.assign(call_number=range(1, len(frame) + 1))


def call_for(
    comparison: Comparison, texts: Mapping[Entry, str], instrument: Instrument, judges: Mapping[str, Model]
) -> Call:
    """The call of a comparison of two deliverables in `texts`."""
    first, second = (texts[entry] for entry in pair_of(comparison))
    return judge_call(comparison, first, second, instrument, judges[comparison.judge])


def pair_of(comparison: Comparison) -> tuple[Entry, Entry]:
    """The two entries that are compared, by seat."""
    task, mode, run, _, first, second = comparison
    return Entry(task, mode, run, first), Entry(task, mode, run, second)


def _verdict(answer: Answer) -> dict[str, object]:
    if answer.value is None:
        return {}
    value = answer.value.model_dump()
    means = score_pair(value["scores_first"], value["scores_second"])
    return {
        "choice": value["choice"],
        "scores_first": json.dumps(value["scores_first"]),
        "scores_second": json.dumps(value["scores_second"]),
        "mean_score_first": means.mean_first,
        "mean_score_second": means.mean_second,
        "rationale": value["rationale"],
    }
