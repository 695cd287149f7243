"""Interview files and company names: what the readers tidy, refuse and withhold."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from assets.sources.readers import SourceError, read_interviews, read_survey
from assets.sources.template import write_templates
from tests.support.factories import (
    CAPABILITIES,
    INTERVIEW_HEADER,
    SURVEY_HEADER,
    respondent,
    write_csv,
    write_interview,
    write_survey,
)

FILE = "survey/interviews/one.csv"


def faults(sources: Path) -> list[tuple[str, int | None, str | None]]:
    with pytest.raises(SourceError) as caught:
        read_interviews(sources)
    return [(fault.file, fault.row, fault.column) for fault in caught.value.faults]


def test_columns_come_in_any_order_and_case_and_names_are_tidied(tmp_path: Path) -> None:
    header = [" POINTS", "Duty", "Interviewee", "\u00a0Capability", "Role ", "company"]
    row = ["60", "Write\u00a0 reports", "Jane", "theory of mind", "Analyst", "Zoe\u0308  &  Co"]
    blank = [""] * 6
    write_csv(tmp_path / FILE, header, [blank, row, blank], encoding="utf-8-sig")
    reading = read_interviews(tmp_path)
    frame = reading.frames["raw.interview"]
    assert frame.drop(columns=["source_sha256"]).to_dict("records") == [
        {
            "source_file": FILE,
            "row_number": 3,
            "company": "Zo\u00eb & Co",
            "role": "Analyst",
            "duty": "Write reports",
            "capability_name": "theory of mind",
            "points": "60",
        }
    ]
    assert reading.ignored_columns == {FILE: ["Interviewee"]} and reading.n_blank_rows == 2


def test_every_capability_is_known_by_name_and_acronym(tmp_path: Path) -> None:
    names = [*CAPABILITIES, *(name.upper() for name in CAPABILITIES), "em", "ProcM", " tom "]
    write_interview(tmp_path, rows=[("A", "B", None, name, 1) for name in names])
    found = read_interviews(tmp_path).frames["raw.interview"]
    assert list(found["capability_name"]) == [name.strip() for name in names]
    assert found["duty"].isna().all()


def test_what_is_no_code_is_withheld(tmp_path: Path) -> None:
    rows = [("A", "B", None, "Jane Doe", 10), ("A", "B", None, "L", "see jane@example.invalid")]
    write_interview(tmp_path, rows=rows)
    found = read_interviews(tmp_path).frames["raw.interview"]
    assert list(found["capability_name"]) == ["(withheld: not a capability)", "L"]
    assert list(found["points"]) == ["10", "(withheld: not a code)"]


@pytest.mark.parametrize("column", [0, 1, 2])
@pytest.mark.parametrize(
    "typed",
    [
        "ask jane@example.invalid",
        "jane@localhost",
        "call 0171 5550123",
        "01715550",
        "+44 171 5550",
        "(555) 010-9999",
        "She said that " + "the work is hard and " * 4,
    ],
)
def test_a_label_that_is_none_is_refused_and_not_repeated(typed: str, column: int, tmp_path: Path) -> None:
    cells = ["Acme", "Analyst", "Reports", "L", "100"]
    write_interview(tmp_path, rows=[cells, [*cells[:column], typed, *cells[column + 1 :]]])
    assert faults(tmp_path) == [(FILE, 3, INTERVIEW_HEADER[column])]
    with pytest.raises(SourceError) as caught:
        read_interviews(tmp_path)
    assert typed not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["Plan 2024-2025", "ISO 9001:2015", "Team 12, floor 3", "x" * 80, "24/7 desk"]
)
def test_numbers_in_labels_are_no_telephones(name: str, tmp_path: Path) -> None:
    write_interview(tmp_path, rows=[("Acme", name, name, "L", 1)])
    assert read_interviews(tmp_path).frames["raw.interview"].iloc[0]["role"] == name


def test_whose_work_it_is_must_be_said(tmp_path: Path) -> None:
    write_interview(
        tmp_path, rows=[(None, "B", None, "L", 1), ("A", " ", "c", "L", 1), ("A: B", "C", "", "L", 1)]
    )
    assert faults(tmp_path) == [(FILE, 2, "company"), (FILE, 3, "role"), (FILE, 4, "company")]


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    write_csv(tmp_path / FILE, ["company", "role", "duty", "capability", "point"], [("A", "B", "", "L", "1")])
    assert faults(tmp_path) == [(FILE, 1, "points")]


def test_company_names_in_a_survey_are_labels_too(tmp_path: Path) -> None:
    header = [*SURVEY_HEADER, "company"]
    people = [respondent(company=" Zoe\u0308\u00a0 & Co "), respondent(company="")]
    write_survey(tmp_path, respondents=people, header=header)
    found = read_survey(tmp_path, "salt").frames["raw.survey_response"]
    assert set(found["company"].dropna()) == {"Zo\u00eb & Co"} and found["company"].isna().any()
    write_survey(tmp_path, respondents=[*people, respondent(company="jane@example.invalid")], header=header)
    with pytest.raises(SourceError) as caught:
        read_survey(tmp_path, "salt")
    (fault,) = caught.value.faults
    assert (fault.file, fault.row, fault.column) == ("survey/online.csv", 4, "company")
    assert "jane" not in str(caught.value)


def test_the_template_is_read_back_once_filled(tmp_path: Path) -> None:
    (path,) = [path for path in write_templates(tmp_path) if path.parent.name == "interviews"]
    with path.open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == list(INTERVIEW_HEADER)
    with path.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow(["Acme", "Analyst", "Reports", "Language", "40"])
    row = read_interviews(tmp_path).frames["raw.interview"].iloc[0]
    assert row[["company", "role", "duty", "capability_name", "points"]].tolist() == [
        *("Acme", "Analyst", "Reports", "Language", "40")
    ]
