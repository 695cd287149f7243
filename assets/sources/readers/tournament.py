"""tournament/: candidates, deliverables, verdicts and codings of assistance, one row a line.

Belongs here: the fields of those files, and whether a line by itself is a deliverable or a verdict: staging and the
slice's plans both take its word for it. Does not belong here: which of them count beside others (dbt), or who is to be
asked (the plans).
"""

from __future__ import annotations

import json
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

from assets.common.judge_scores import score_pair
from assets.sources.inputs import BY_NAME
from assets.sources.readers.folder import Parsed, Reading, provenance, read_folder
from assets.sources.readers.json_lines import MAX_VALUE, FieldFault, Names, read_json_lines, text
from assets.sources.readers.text import Table, require_columns, require_unique, with_known_columns

CANDIDATES = BY_NAME["candidates"].location
OUTPUTS = BY_NAME["outputs"].location
VERDICTS = BY_NAME["judgements"].location
TRAITS = BY_NAME["traits"].location
CANDIDATE_COLUMNS = ("candidate", "family", "role", "gradient")
CELL = ("task", "mode", "run")
OUTPUT_FIELDS = (*CELL, "candidate", "assistance", "output")
VERDICT_KEYS = (*CELL, "judge", "first", "second")
SCORES = ("scores_first", "scores_second")
VERDICT_FIELDS = (
    *VERDICT_KEYS,
    "choice",
    "preference",
    *SCORES,
    "mean_score_first",
    "mean_score_second",
    "rationale",
)
FIRST, TIE, SECOND = "first", "tie", "second"
MODES = ("automation", "augmentation")
# of a graded preference
MIDDLE = 1.5
TRAITS_CODED = ("specificity", "structure", "against_task", "leaks_deliverable")
TRAIT_FIELDS = (*CELL, "candidate", "judge", *TRAITS_CODED)


def read_candidates(sources: Path) -> Reading:
    """raw.candidate: one row a line; a blank family is unknown; `gradient` may be absent.

    Raises:
        SourceError: as `read_folder`, and missing or doubled columns, a blank or duplicated candidate.
    """
    return read_folder(sources, CANDIDATES, ["raw.candidate"], _candidates)


def read_outputs(sources: Path) -> Reading:
    """raw.tournament_output: one row per line; a mode that is none is a fault.

    Raises:
        SourceError: as `json_lines.read_json_lines`.
    """
    keys = (*CELL, "candidate")
    plain = partial(_plain, Names(), keys, ("assistance", "output"))
    return read_json_lines(
        sources, OUTPUTS, "raw.tournament_output", OUTPUT_FIELDS, lambda r: _in_a_mode(plain(r))
    )


def read_verdicts(sources: Path) -> Reading:
    """raw.tournament_verdict: one row per line, scores as JSON text and as a mean for each seat.

    A line may grade its verdict by `preference`, 1 to 2; without a choice, the choice is the side it lies on. A line
    without a fault is a verdict: its mode and choice are known words, in small letters.

    Raises:
        SourceError: as `json_lines.read_json_lines`.
    """
    parse = partial(_verdict, Names())
    return read_json_lines(sources, VERDICTS, "raw.tournament_verdict", VERDICT_FIELDS, parse)


def read_traits(sources: Path) -> Reading:
    """raw.assistance_trait: one row a line.

    Raises:
        SourceError: as `json_lines.read_json_lines`.
    """
    parse = partial(_plain, Names(), (*CELL, "candidate", "judge"), TRAITS_CODED)
    return read_json_lines(sources, TRAITS, "raw.assistance_trait", TRAIT_FIELDS, parse)


def _keys(names: Names, keys: tuple[str, ...], record: dict[str, Any]) -> dict[str, object]:
    """Clean names of the key fields; the mode, a word of ours, in small letters."""
    mode = names(record, "mode")
    row: dict[str, object] = {field: names(record, field) for field in keys}
    return row | {"mode": mode and mode.lower()}


def _preference(record: dict[str, Any]) -> float | None:
    """A graded verdict, from 1 (the first, without doubt) to 2 (the second); None where there is none."""
    given = text(record, "preference")
    if given is None:
        return None
    try:
        value = float(given)
    except ValueError:
        value = nan
    if not 1 <= value <= 2:
        raise FieldFault("preference", given, "no number from 1 (the first) to 2 (the second)")
    return value


def _choice_of(preference: float | None) -> str | None:
    if preference is None:
        return None
    return TIE if preference == MIDDLE else FIRST if preference < MIDDLE else SECOND


def _candidates(table: Table, _stem: str) -> Parsed:
    table = with_known_columns(table, CANDIDATE_COLUMNS)
    require_columns(table, CANDIDATE_COLUMNS[:-1])
    require_unique(table, CANDIDATE_COLUMNS[:1])
    columns = provenance(table) | {name: table.key(name) for name in CANDIDATE_COLUMNS}
    ignored = [name or "(no name)" for name in table.header if name not in CANDIDATE_COLUMNS]
    return Parsed({"raw.candidate": columns}, ignored)


def _plain(
    names: Names, keys: tuple[str, ...], fields: tuple[str, ...], record: dict[str, Any]
) -> dict[str, object]:
    return _keys(names, keys, record) | {field: text(record, field) for field in fields}


def _in_a_mode(row: dict[str, object]) -> dict[str, object]:
    """The row, with a fault if it has none yet and its mode is none."""
    mode = row["mode"]
    if row.get("fault") or mode in MODES:
        return row
    return row | _fault("mode", mode, "neither automation nor augmentation")


def _with_a_choice(row: dict[str, object]) -> dict[str, object]:
    """The row, with a fault if it has none yet and decides nothing."""
    choice = row.get("choice")
    if row.get("fault") or choice in (FIRST, TIE, SECOND):
        return row
    return row | _fault("choice", choice, "neither first, second nor tie")


def _fault(column: str, value: object, why: str) -> dict[str, object]:
    text = None if value is None else str(value)[:MAX_VALUE]
    return {"fault_column": column, "fault_value": text, "fault": "blank" if text is None else why}


def _verdict(names: Names, record: dict[str, Any]) -> dict[str, object]:
    return _with_a_choice(_in_a_mode(_scored(names, record)))


def _scored(names: Names, record: dict[str, Any]) -> dict[str, object]:
    row = _keys(names, VERDICT_KEYS, record)
    try:
        preference = _preference(record)
        choice = names(record, "choice")
        choice = choice.lower() if choice else _choice_of(preference)
        if preference is not None and choice in (FIRST, TIE, SECOND):
            # a graded tie may lean a little, a choice may not go against its grade
            against = {FIRST: preference > MIDDLE, SECOND: preference < MIDDLE}.get(choice, False)
            if against:
                raise FieldFault("preference", str(preference), f"contradicts the choice '{choice}'")
        row |= {"choice": choice, "preference": preference, "rationale": text(record, "rationale")}
    except FieldFault as fault:
        return row | _fault(fault.column, fault.value, fault.why)
    given = [record.get(name) for name in SCORES]
    dumped = [None if scores is None else json.dumps(scores, ensure_ascii=False) for scores in given]
    row |= dict(zip(SCORES, dumped, strict=True))
    scores = score_pair(*given)
    row |= {"mean_score_first": scores.mean_first, "mean_score_second": scores.mean_second}
    if scores.fault_column is not None:
        value = dumped[SCORES.index(scores.fault_column)]
        row |= {
            "fault_column": scores.fault_column,
            "fault_value": value and value[:MAX_VALUE],
            "fault": scores.fault,
        }
    return row
