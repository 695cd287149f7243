"""Survey exports: header rows, union, privacy, templates."""

from __future__ import annotations

import csv
import stat
from pathlib import Path

import pandas as pd
import pytest

from assets.sources.errors import SourceError
from assets.sources.readers import (
    Reading,
    read_propensity_bands,
    read_ratings,
    read_results,
    read_survey,
    read_systems,
)
from assets.sources.salt import read_salt
from assets.sources.survey_schema import ALLOWED, MARKS, REQUIRED
from assets.sources.template import write_templates
from tests.support.factories import QUIZ, SURVEY_HEADER, respondent, write_survey

RESPONSE, CODEBOOK = "raw.survey_response", "raw.survey_codebook"


def answers(reading: Reading) -> pd.DataFrame:
    """One row a respondent in file order, one column a question."""
    frame = reading.frames[RESPONSE]
    return frame.pivot(index=["source_file", "row_number"], columns="question", values="answer")


@pytest.mark.parametrize("header_rows", [1, 2, 3])
def test_header_rows_are_told_by_content(header_rows: int, tmp_path: Path) -> None:
    """B1: names, question texts and ImportIds are never respondents; the texts become the codebook."""
    people = [respondent(Progress=100), respondent(Progress=40)]
    write_survey(tmp_path, respondents=people, header_rows=header_rows)
    reading = read_survey(tmp_path, "salt")
    frame = answers(reading)
    assert list(frame["Progress"]) == ["100", "40"]
    assert list(frame.index.get_level_values("row_number")) == [header_rows + 1, header_rows + 2]
    codebook = reading.frames[CODEBOOK].set_index("question")["question_text"]
    if header_rows == 1:
        assert codebook.empty
    else:
        assert codebook["Q2.11"] == "Text of Q2.11?" and "IPAddress" not in codebook


def test_import_ids_without_texts(tmp_path: Path) -> None:
    path = write_survey(tmp_path, header_rows=3)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *lines[2:]]) + "\n")
    reading = read_survey(tmp_path, "salt")
    assert len(answers(reading)) == 2 and reading.frames[CODEBOOK].empty


def test_a_first_respondent_who_broke_off_is_no_header(tmp_path: Path) -> None:
    write_survey(tmp_path, respondents=[{"Progress": 2, "Duration (in seconds)": 9}, respondent()])
    frame = answers(read_survey(tmp_path, "salt"))
    assert len(frame) == 2 and frame.iloc[0]["Q2.11"] is None


@pytest.mark.parametrize("header_rows", [1, 2, 3])
def test_a_first_respondent_without_codes_is_no_header(header_rows: int, tmp_path: Path) -> None:
    """Of an export with labels and units no cell is a code: still each line is a person."""
    person = {"Progress": "85%", "Duration (in seconds)": "12 min", "Q2.11": "Sales", "Q3.1": "none"}
    write_survey(tmp_path, respondents=[person] * 4, header_rows=header_rows)
    assert len(answers(read_survey(tmp_path, "salt"))) == 4


def test_only_one_row_holds_the_texts_of_questions(tmp_path: Path) -> None:
    labels = {"Progress": "all", "Duration (in seconds)": "long", "Q2.11": "Sales"}
    write_survey(tmp_path, respondents=[labels, respondent()], header_rows=2)
    assert len(answers(read_survey(tmp_path, "salt"))) == 2


def test_a_number_too_long_for_python_is_no_header(tmp_path: Path) -> None:
    long = dict.fromkeys(SURVEY_HEADER, "9" * 5000)
    write_survey(tmp_path, respondents=[long, respondent()])
    assert len(answers(read_survey(tmp_path, "salt"))) == 2


def test_exports_with_different_columns_are_united(tmp_path: Path) -> None:
    """B6: an optional column that only one export has gives rows there and none (not asked) elsewhere."""
    without = [name for name in SURVEY_HEADER if name not in ("prescreen", "Q2.7")]
    write_survey(tmp_path, "companies", [respondent()], header=[*reversed(without), "NewColumn"])
    write_survey(tmp_path, "online", [respondent(prescreen="1.0")])
    reading = read_survey(tmp_path, "salt")
    frame = reading.frames[RESPONSE]
    assert set(frame.loc[frame["question"] == "prescreen", "source"]) == {"online"}
    q11 = frame[frame["question"] == "Q2.11"]
    assert list(q11["source"]) == ["companies", "online"] and list(q11["answer"]) == ["1.0", "1.0"]
    assert "NewColumn" in reading.ignored_columns["survey/companies.csv"]


def test_source_and_company_columns(tmp_path: Path) -> None:
    header = [*SURVEY_HEADER, "source", "company"]
    people = [respondent(source="panel", company="Acme "), respondent()]
    write_survey(tmp_path, "spring", people, header=header)
    frame = read_survey(tmp_path, "salt").frames[RESPONSE].drop_duplicates("respondent")
    assert list(frame["source"]) == ["panel", "spring"]
    assert list(frame["company"]) == ["Acme", None]


def test_bom_blanks_and_nbsp_in_the_header(tmp_path: Path) -> None:
    """B3 on a survey: the byte-order mark must not hide the first column."""
    header = ["Progress", *(name for name in SURVEY_HEADER if name != "Progress")]
    path = write_survey(tmp_path, header=header, encoding="utf-8-sig")
    path.write_text(path.read_text("utf-8").replace("Q2.11,", "Q2.11\u00a0 ,", 1), "utf-8")
    assert list(answers(read_survey(tmp_path, "salt"))["Q2.11"]) == ["1.0", "1.0"]


PLANTED = {
    "IPAddress": "203.0.113.77",
    "RecipientEmail": "ann.planted@example.org",
    "RecipientFirstName": "Plantedann",
    "RecipientLastName": "Plantedberg",
    "ExternalReference": "planted-ext-1",
    "LocationLatitude": "52.2053999",
    "LocationLongitude": "0.1218999",
    "ResponseId": "R_planted1",
    "PID": "planted-pid",
    "PROLIFIC_PID": "planted-prolific",
    "UserLanguage": "planted-lang",
    "DistributionChannel": "planted-channel",
    "StartDate": "2026-01-01 planted",
    "Q2.0_Browser": "plantedfox",
    "Q2.1": "planted free text",
    "Q2.10_1_1": "planted job title",
    "Q3.1_19_TEXT": "planted other task",
    "Q3.2_19_TEXT": "planted text",
    "Q3.3_20_TEXT": "planted text",
    "1_Q5.1": "planted text",
    "19_Q5.4_1": "planted points",
    "Q6.4": "planted comment",
}


@pytest.mark.parametrize("header_rows", [1, 3])
def test_nothing_personal_leaves_the_reader(header_rows: int, tmp_path: Path) -> None:
    """B5: planted in every column that isn't allowed, none reaches a frame or the listing."""
    header = [*PLANTED, *(name for name in SURVEY_HEADER if name not in PLANTED)]
    write_survey(tmp_path, respondents=[respondent(**PLANTED)], header=header, header_rows=header_rows)
    reading = read_survey(tmp_path, "salt")
    frames = list(reading.frames.values())
    text = "\n".join(frame.to_csv() for frame in frames) + repr(reading.ignored_columns)
    assert [value for value in PLANTED.values() if value in text] == []
    questions = set(frames[0]["question"]) | set(frames[1]["question"])
    assert questions <= set(ALLOWED) and not questions & (set(PLANTED) - set(MARKS))


def test_allow_list_is_the_questionnaire_and_nothing_else() -> None:
    """Counts of the questionnaire: 21 ranks, 21 hours, 18 × (1 + 18) capability columns, 6 quiz."""
    assert len(ALLOWED) == len(set(ALLOWED)) == 3 + len(MARKS) + 7 + 1 + 21 + 21 + 6 + 18 * 19 + 1
    assert set(REQUIRED) < set(ALLOWED)
    assert not any("TEXT" in name or "Q5.1" in name for name in ALLOWED)


def test_respondent_is_a_salted_hash_that_lasts(tmp_path: Path) -> None:
    path = write_survey(tmp_path, respondents=[respondent(ResponseId="R_1"), respondent(ResponseId="R_2")])

    def ids(salt: str) -> list[str]:
        return list(read_survey(tmp_path, salt).frames[RESPONSE]["respondent"].unique())

    first = ids("salt")
    assert len(first) == 2 and all(len(one) == 16 for one in first)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[2], lines[1]]) + "\n")
    assert ids("salt") == first[::-1]  # bound to the response, not to where it stands
    assert not set(ids("pepper")) & set(first)


def test_respondents_without_response_ids_stay_apart(tmp_path: Path) -> None:
    write_survey(tmp_path, "a")
    write_survey(tmp_path, "b", [respondent(Progress=90)] * 2)
    assert read_survey(tmp_path, "salt").frames[RESPONSE]["respondent"].nunique() == 4


def test_salt_is_made_once_and_private(tmp_path: Path) -> None:
    salt = read_salt(tmp_path / "home")
    assert len(bytes.fromhex(salt)) == 32 and read_salt(tmp_path / "home") == salt
    assert read_salt(tmp_path / "other") != salt
    assert stat.S_IMODE((tmp_path / "home" / ".salt").stat().st_mode) == 0o600
    (tmp_path / "home" / ".salt").write_text("")
    with pytest.raises(ValueError, match="remove it"):
        read_salt(tmp_path / "home")


def test_templates_are_read_back_once_filled(tmp_path: Path) -> None:
    """B2: one schema makes the template and reads it: fill one row of each file, and every cell arrives."""
    paths = write_templates(tmp_path)
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file))
        with path.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file).writerow([str(i + 1) for i in range(len(header))])
    ratings = read_ratings(tmp_path).frames["raw.rating"]
    assert sorted(ratings["level"], key=int) == [str(i) for i in range(3, 21)]
    assert read_results(tmp_path).frames["raw.result"].iloc[0]["score"] == "3"
    assert read_systems(tmp_path).frames["raw.ai_system"].iloc[0]["released_on"] == "8"
    assert read_propensity_bands(tmp_path).frames["raw.propensity_band"].iloc[0]["upper_bound"] == "5"
    reading = read_survey(tmp_path, "salt")
    assert list(reading.frames[RESPONSE]["question"]) == list(ALLOWED)
    assert list(reading.frames[RESPONSE]["answer"]) == [str(i + 4) for i in range(len(ALLOWED))]
    assert len(reading.frames[CODEBOOK]) == len(ALLOWED) and not reading.ignored_columns


def test_templates_overwrite_nothing(tmp_path: Path) -> None:
    first = write_templates(tmp_path)[0]
    first.write_text("mine")
    with pytest.raises(FileExistsError, match="not overwritten"):
        write_templates(tmp_path)
    assert first.read_text() == "mine"


def test_marks_of_the_survey_tool_are_read_and_nothing_else_of_their_columns(tmp_path: Path) -> None:
    given = ["0", "1", "Survey Preview", " SPAM", "Jane Doe", ""]
    header = [*SURVEY_HEADER, "status", "DistributionChannel"]
    people = [respondent(status=cell, DistributionChannel="preview") for cell in given]
    write_survey(tmp_path, respondents=people, header=header)
    reading = read_survey(tmp_path, "salt")
    frame = answers(reading)
    assert list(frame["Status"]) == ["0", "1", "Survey Preview", " SPAM", "(withheld: not a code)", None]
    assert set(frame["DistributionChannel"]) == {"preview"}
    assert "status" not in reading.ignored_columns["survey/online.csv"]


def test_an_export_of_choice_texts_is_refused_by_name(tmp_path: Path) -> None:
    """Five people, texts in place of codes: each column is named, with what to do. Four may be slips."""
    texts = {"Q2.11": "Sales", "Q3.1": "Researching,Coding"} | dict.fromkeys(QUIZ, "The first one")
    people = [respondent(ResponseId=f"R_{i}", **texts) for i in range(5)]
    write_survey(tmp_path, respondents=people, header_rows=3)
    with pytest.raises(SourceError) as refusal:
        read_survey(tmp_path, "salt")
    assert len(refusal.value.faults) == 8
    assert str(refusal.value.faults[0]) == (
        "survey/online.csv, row 4, column 'Q2.11': 5 answers and none is a code: the export holds choice texts, not "
        "numbers. Export again with 'Use numeric values'."
    )
    write_survey(tmp_path, respondents=people[:4], header_rows=3)
    assert len(answers(read_survey(tmp_path, "salt"))) == 4
    write_survey(tmp_path, respondents=[*people, respondent()], header_rows=3)
    assert len(answers(read_survey(tmp_path, "salt"))) == 6
