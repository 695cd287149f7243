"""Columns that may be absent: read whatever their case, refused where two are the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from assets.sources.forms import read_form
from assets.sources.people import write_people
from assets.sources.readers import (
    Reading,
    SourceError,
    read_candidates,
    read_chats,
    read_interviews,
    read_items,
    read_propensity_items,
    read_results,
    read_survey,
    read_systems,
    read_verdicts,
)
from tests.support.factories import (
    INTERVIEW_HEADER,
    PROPENSITY_ITEM_HEADER,
    RESULTS_HEADER,
    SURVEY_HEADER,
    respondent,
    write_csv,
    write_json_lines,
    write_survey,
)


def survey(sources: Path) -> Reading:
    return read_survey(sources, "salt")


def test_company_source_and_response_id_of_a_survey_count_in_any_case(tmp_path: Path) -> None:
    """A company that goes unread is a company that nobody protects."""
    header = [*(name for name in SURVEY_HEADER if name != "ResponseId"), "Source", " COMPANY", "ResponseID"]
    person = respondent(Source="panel", ResponseID="R_1") | {" COMPANY": "Acme"}
    write_survey(tmp_path, respondents=[person], header=header)
    frame = survey(tmp_path).frames["raw.survey_response"]
    assert set(frame["company"]) == {"Acme"} and set(frame["source"]) == {"panel"}
    write_survey(tmp_path, respondents=[person, person | {"Progress": 90}], header=header)
    with pytest.raises(SourceError, match=r"row 3, column 'ResponseId': the response of row 2 again"):
        survey(tmp_path)


def test_questions_of_a_survey_that_may_be_absent_count_in_any_case(tmp_path: Path) -> None:
    header = [name.lower() if name in ("Q2.7", "1_Q5.3") else name for name in SURVEY_HEADER]
    write_survey(tmp_path, respondents=[respondent(**{"q2.7": 33, "1_q5.3": "4"})], header=header)
    frame = survey(tmp_path).frames["raw.survey_response"].set_index("question")["answer"]
    assert (frame["Q2.7"], frame["1_Q5.3"]) == ("33", "4")


def test_a_question_in_two_spellings_is_refused_and_no_cell_repeated(tmp_path: Path) -> None:
    person = respondent(**{"q2.11": "planted"})
    write_survey(tmp_path, respondents=[person], header=[*SURVEY_HEADER, "q2.11"])
    with pytest.raises(SourceError, match=r"column 'Q2\.11': the header names it 2 times") as told:
        survey(tmp_path)
    assert "planted" not in str(told.value)


def test_optional_columns_of_each_file_count_in_any_case(tmp_path: Path) -> None:
    write_csv(tmp_path / "battery/systems.csv", ["system", "KIND ", "Model"], [["s", "human", "m"]])
    row = read_systems(tmp_path).frames["raw.ai_system"].iloc[0]
    assert (row["kind"], row["model"]) == ("human", "m")
    header = ["candidate", "family", "role", "Gradient"]
    write_csv(tmp_path / "tournament/candidates.csv", header, [["c", "f", "r", "2"]])
    assert read_candidates(tmp_path).frames["raw.candidate"].iloc[0]["gradient"] == "2"
    header = ["Task_Name", "sample_id", "score", "METADATA", "dataset_name"]
    write_csv(tmp_path / "battery/results/s.csv", header, [["t", "1", "1", "m", "b"]])
    row = read_results(tmp_path).frames["raw.result"].iloc[0]
    assert (row["task_name"], row["metadata"]) == ("t", "m")
    header = [*PROPENSITY_ITEM_HEADER, "planning", "THEORY OF MIND", "ms"]
    write_csv(tmp_path / "propensity/items/i.csv", header, [["1"] * 10 + ["3", "4", "950"]])
    demand = read_propensity_items(tmp_path).frames["raw.propensity_demand"]
    # an acronym in small letters is left alone: milliseconds are no level of mental simulation
    assert dict(zip(demand["capability"], demand["level"], strict=True)) == {"P": "3", "ToM": "4"}


def test_optional_fields_of_lines_count_in_any_case(tmp_path: Path) -> None:
    write_json_lines(tmp_path / "battery/items/b.jsonl", [{"Item": 1, "text": "t", "Answer ": "A"}])
    assert read_items(tmp_path).to_numpy().tolist() == [["b", "1", "t", "A"]]
    verdict = {"task": "t", "choice": "tie", "Rationale": "Even."}
    write_json_lines(tmp_path / "tournament/judgements/j.jsonl", [verdict])
    assert read_verdicts(tmp_path).frames["raw.tournament_verdict"].iloc[0]["rationale"] == "Even."


def chats_of(sources: Path) -> pd.DataFrame:
    found = read_chats(sources, sources / "parts", max_characters=400, request_characters=100)
    return pd.concat([pd.read_parquet(part) for part in found.parts], ignore_index=True)


def test_optional_columns_of_chats_count_in_any_case(tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"Chat_ID": "1", "text": "Help me", "AT": "2026-03-04T05:06:07"},
        {"conversation_hash": "2", "Country": "Chad", "Conversation": [{"role": "user", "content": "Hello"}]},
        {"chat_id": "3", "text": "Help me", "at": "2026-03-04", "At": "2026-03-05"},
    ]
    write_json_lines(tmp_path / "chats/a.jsonl", lines)
    found = chats_of(tmp_path)
    assert found["at"].iloc[0] == "2026-03-04 05:06:07"
    assert (found["form"].iloc[1], found["country"].iloc[1]) == ("wildchat", "Chad")
    assert found["problem"].iloc[2] == "at is given twice"
    (tmp_path / "chats/a.jsonl").unlink()
    pd.DataFrame(lines[:1]).to_parquet(tmp_path / "chats/b.parquet")
    assert chats_of(tmp_path)["at"].tolist() == ["2026-03-04 05:06:07"]
    pd.DataFrame(lines[2:]).to_parquet(tmp_path / "chats/b.parquet")
    with pytest.raises(SourceError, match=r"b\.parquet, column 'at': two columns have this name"):
        chats_of(tmp_path)


@pytest.mark.parametrize(
    ("file", "read", "header", "doubled"),
    [
        ("battery/systems.csv", read_systems, ["system", "kind", "kind"], "kind"),
        ("battery/systems.csv", read_systems, ["system", "kind", "Kind"], "kind"),
        ("tournament/candidates.csv", read_candidates, ["candidate", "family", "role", "gradient", "gradient"],
         "gradient"),
        ("battery/results/s.csv", read_results, [*RESULTS_HEADER, "Metadata"], "metadata"),
        ("survey/s.csv", survey, [*SURVEY_HEADER, "company", "Company"], "company"),
        ("survey/interviews/i.csv", read_interviews, [*INTERVIEW_HEADER, "Points"], "points"),
        ("propensity/items/i.csv", read_propensity_items, [*PROPENSITY_ITEM_HEADER, "L", "L"], "L"),
        ("propensity/items/i.csv", read_propensity_items, [*PROPENSITY_ITEM_HEADER, "Planning", "P"], "P"),
        ("propensity/items/i.csv", read_propensity_items, [*PROPENSITY_ITEM_HEADER, "Language", "language"],
         "Language"),
    ],
)  # fmt: skip
def test_a_column_that_stands_twice_is_refused(
    file: str, read: Callable[[Path], Reading], header: list[str], doubled: str, tmp_path: Path
) -> None:
    write_csv(tmp_path / file, header, [["1"] * len(header)])
    with pytest.raises(SourceError) as told:
        read(tmp_path)
    (fault,) = told.value.faults
    assert (fault.file, fault.row, fault.column) == (file, 1, doubled)


def test_a_field_that_stands_twice_in_a_line_is_told(tmp_path: Path) -> None:
    item = {"item": "1", "text": "t", "answer": "A", "Answer": "B"}
    write_json_lines(tmp_path / "battery/items/b.jsonl", [item])
    with pytest.raises(SourceError, match=r"b\.jsonl, row 1, column 'answer': given twice"):
        read_items(tmp_path)
    write_json_lines(tmp_path / "tournament/judgements/j.jsonl", [{"judge": "j", "Judge": "k"}])
    row = read_verdicts(tmp_path).frames["raw.tournament_verdict"].iloc[0]
    assert (row["fault_column"], row["fault"]) == ("judge", "given twice")
    assert json.loads(row["fault_value"]) == {"judge": "j", "Judge": "k"}


def form(folder: Path, header: list[str], row: list[str]) -> list[list[object]]:
    key = write_csv(folder / "key.csv", ["benchmark", "item", "answer"], [["b", "1", ""]])
    filled = write_csv(folder / "form.csv", header, [row])
    scored = read_form(filled, key, None)
    return scored[["participant", "status", "score"]].to_numpy().tolist()


def test_marks_of_a_form_count_in_any_case_and_once(tmp_path: Path) -> None:
    header = ["Participant", "benchmark", "item", "answer", "Score"]
    row = ["Person 7", "b", "1", "x", "1"]
    assert form(tmp_path, header, row) == [["Person 7", "scored", 1.0]]
    with pytest.raises(SourceError, match=r"column 'score': the header names it 2 times, as columns 5 and 6"):
        form(tmp_path, [*header, "score"], [*row, "0"])


def test_people_are_added_under_the_columns_that_systems_have(tmp_path: Path) -> None:
    write_csv(tmp_path / "battery/systems.CSV", ["System", "Kind"], [["s", ""]])
    scored = pd.DataFrame(
        [["Person 7", "b", "1", "scored", 1.0]],
        columns=["participant", "benchmark", "item", "status", "score"],
    )
    write_people(tmp_path, scored, replace=False)
    rows = read_systems(tmp_path).frames["raw.ai_system"][["system", "kind"]].to_numpy().tolist()
    assert rows == [["s", None], ["Person 7", "human"]]
    assert [path.name for path in (tmp_path / "battery").glob("systems*")] == ["systems.CSV"]
