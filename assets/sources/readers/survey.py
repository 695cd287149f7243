"""survey/*.csv, Qualtrics exports -> raw.survey_response and raw.survey_codebook.

Belongs here: header rows told from respondents, the allow-list applied, respondents made anonymous. Does not
belong here: which columns are allowed (survey_schema.py), quality control and scoring (dbt).
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assets.common.names import clean_name
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.inputs import BY_NAME
from assets.sources.readers.folder import Parsed, Reading, provenance, read_folder
from assets.sources.readers.interviews import LOCATION as INTERVIEWS
from assets.sources.readers.privacy import coded, labels
from assets.sources.readers.repeats import Repeat, Row, repeated_rows
from assets.sources.readers.text import Table, require_columns, with_known_columns
from assets.sources.survey_schema import (
    ALLOWED,
    COMPANY,
    MARK_WORDS,
    MARKS,
    QUIZ,
    REQUIRED,
    RESPONSE_ID,
    SOURCE,
)

LOCATION = BY_NAME["survey"].location
MAX_EXTRA_HEADER_ROWS = 2
# both are columns that every export must have
MEASURED = ("Progress", "Duration (in seconds)")
# required, and answered by a choice
CODED = ("Q2.11", "Q3.1", *QUIZ)
# so many texts without one code among them are no slips of single people
FEWEST_TEXTS = 5
TAKEN = (*ALLOWED, SOURCE, COMPANY, RESPONSE_ID)
_CODE = re.compile(r"\s*-?\d[\d.,;\s]*(?:[eE][+-]?\d+)?\s*")
_NUMBER = re.compile(r"\s*[-+]?\d")


def read_survey(sources: Path, salt: str) -> Reading:
    """raw.survey_response, a row a respondent × allowed column of the file, and raw.survey_codebook.

    A column that a file lacks gives no rows (not asked); a blank cell a row with answer NULL (not answered).

    Args:
        sources: the inputs' folder.
        salt: secret text that makes `respondent` useless for looking people up.

    Raises:
        SourceError: as `read_folder`, and missing or doubled columns, a company that is no label, a response in
            two rows, or, without an id, two rows of (nearly) the same answers.
    """
    seen: dict[str, tuple[str, int]] = {}
    rows: list[Row] = []
    tables = ["raw.survey_response", "raw.survey_codebook"]
    reading = read_folder(sources, LOCATION, tables, partial(_parse, salt=salt, seen=seen, rows=rows))
    if faults := [_repeated(repeat) for repeat in repeated_rows(rows)]:
        raise SourceError(faults)
    ignored = [file for file in reading.ignored_files if file != INTERVIEWS]
    return replace(reading, ignored_files=ignored)


def _parse(
    export: Table, stem: str, *, salt: str, seen: dict[str, tuple[str, int]], rows: list[Row]
) -> Parsed:
    export = with_known_columns(export, TAKEN)
    require_columns(export, REQUIRED, is_private=True)
    table, texts = _split_header_rows(export)
    _refuse_choice_texts(table)
    people = _respondents(table, salt, seen)
    rows += _rows(table)
    questions = [name for name in table.header if name in ALLOWED]
    columns = [table.header.index(name) for name in questions]
    n, k = len(table.rows), len(columns)
    sources = [name or stem for name in table.key(SOURCE)]
    responses = {name: np.repeat(values, k) for name, values in provenance(table).items()}
    responses |= {
        "source": np.repeat(np.array(sources, dtype=object), k),
        "company": np.repeat(labels(table, [COMPANY])[COMPANY], k),
        "respondent": np.repeat(people, k),
        "question": np.tile(np.array(questions, dtype=object), n),
        "answer": _answers(table, questions, columns),
    }
    named = [
        (name, text) for name, text in zip(export.header, texts, strict=False) if name in ALLOWED and text
    ]
    codebook = {
        "source_file": np.full(len(named), table.file, dtype=object),
        "question": np.array([name for name, _ in named], dtype=object),
        "question_text": np.array([text for _, text in named], dtype=object),
    }
    ignored = [name or "(no name)" for name in table.header if name not in TAKEN]
    return Parsed({"raw.survey_response": responses, "raw.survey_codebook": codebook}, ignored)


def _answers(table: Table, questions: list[str], columns: list[int]) -> npt.NDArray[np.object_]:
    """The allowed cells row by row: codes, and of the survey tool's own marks the words it is known to write."""
    given = table.cells[:, columns]
    answers = coded(given.ravel()).reshape(given.shape)
    for k, question in enumerate(questions):
        if question in MARKS:
            is_word = [bool(cell) and clean_name(cell).casefold() in MARK_WORDS for cell in given[:, k]]
            answers[is_word, k] = given[is_word, k]
    return answers.ravel()


def _refuse_choice_texts(table: Table) -> None:
    """Refuse an export whose choices are texts: nobody in it would have a domain, pass the quiz or choose an activity.

    Raises:
        SourceError: a required column of codes holds several answers, and not one code.
    """
    faults = []
    for column in CODED:
        given = [
            (row, cell)
            for row, cell in zip(table.row_numbers, table.column(column), strict=True)
            if cell is not None
        ]
        if len(given) >= FEWEST_TEXTS and not any(_CODE.fullmatch(cell) for _, cell in given):
            what = f"{len(given)} answers and none is a code: the export holds choice texts, not numbers"
            do = "Export again with 'Use numeric values'"
            faults.append(table.fault(what, row=given[0][0], column=column, do=do))
    if faults:
        raise SourceError(faults)


def _split_header_rows(export: Table) -> tuple[Table, list[str]]:
    """The respondents, and the question texts from the header rows that Qualtrics puts under the names.

    A row is a header row when it is the ImportId row, or the only one whose coded columns hold text and not one code,
    and no number stands in front of its progress and duration: people's '85%' and '12 min' are no texts of questions.
    """
    measured = [export.header.index(name) for name in MEASURED]
    coded = [i for i, name in enumerate(export.header) if name in ALLOWED]
    texts: list[str] = []
    n_extra = 0
    for row in export.rows[:MAX_EXTRA_HEADER_ROWS]:
        cells = [row[i] for i in coded if row[i].strip()]
        if not _is_import_ids(cells):
            is_answered = any(_CODE.fullmatch(cell) for cell in cells)
            is_measured = any(_NUMBER.match(row[i]) for i in measured)
            if texts or not cells or is_answered or is_measured:
                break
            texts = row
        n_extra += 1
    if n_extra == len(export.rows):
        do = "Export the responses too, or remove the file"
        fault = export.fault("header rows but no respondents", row=export.row_numbers[-1] + 1, do=do)
        raise SourceError([fault])
    people = replace(export, rows=export.rows[n_extra:], row_numbers=export.row_numbers[n_extra:])
    return people, [clean_name(text) for text in texts]


def _is_import_ids(cells: list[str]) -> bool:
    try:
        return bool(cells) and all("ImportId" in json.loads(cell) for cell in cells)
    except (ValueError, TypeError, RecursionError):
        return False


def _rows(table: Table) -> list[Row]:
    """The answers of each row, to find those that are there twice."""
    asked = [(i, name) for i, name in enumerate(table.header) if name in ALLOWED and name not in MARKS]
    return [
        Row(
            table.file,
            line,
            response is not None,
            frozenset((name, cells[i].strip()) for i, name in asked if cells[i] is not None),
        )
        for line, response, cells in zip(table.row_numbers, table.key(RESPONSE_ID), table.cells, strict=True)
    ]


def _repeated(repeat: Repeat) -> SourceFileError:
    where = f"row {repeat.of.line}"
    if repeat.of.file != repeat.row.file:
        where = f"{repeat.of.file}, {where}"
    but = f"all but {repeat.n_unequal} of" if repeat.n_unequal else "all"
    return SourceFileError(
        f"{but} {repeat.n_cells} answers and times are those of {where}, and no {RESPONSE_ID} tells them apart",
        file=repeat.row.file,
        row=repeat.row.line,
        do="Delete one of them, so that nobody counts twice (of two exports of the same survey: remove the earlier); "
        f"for two people fill in {RESPONSE_ID}",
    )


def _respondents(table: Table, salt: str, seen: dict[str, tuple[str, int]]) -> npt.NDArray[np.object_]:
    """A salted hash for each row: of the response id where given, else of file and row."""
    hashes: list[str] = []
    faults: list[SourceFileError] = []
    for line, response in zip(table.row_numbers, table.key(RESPONSE_ID), strict=True):
        identity = f"response {response}" if response else f"row {table.file} {line}"
        respondent = hashlib.sha256(f"{salt}\0{identity}".encode()).hexdigest()[:16]
        file, row = seen.setdefault(respondent, (table.file, line))
        if (file, row) != (table.file, line):
            where = f"row {row}" if file == table.file else f"{file}, row {row}"
            do = (
                "Keep one of them, so that nobody counts twice (of two exports of the same survey: the later)"
            )
            faults.append(table.fault(f"the response of {where} again", row=line, column=RESPONSE_ID, do=do))
        hashes.append(respondent)
    if faults:
        raise SourceError(faults)
    return np.array(hashes, dtype=object)
