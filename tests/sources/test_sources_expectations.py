"""The suites in expectations/: they pass on good frames, each expectation fails on a frame broken for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assets.sources.readers import (
    read_candidates,
    read_chats,
    read_comparison,
    read_interviews,
    read_oews,
    read_onet,
    read_outputs,
    read_propensity_bands,
    read_propensity_items,
    read_propensity_responses,
    read_ratings,
    read_results,
    read_scenarios,
    read_servers,
    read_survey,
    read_systems,
    read_traits,
    read_trajectories,
    read_trajectory_verdicts,
    read_verdicts,
)
from assets.sources.readers.ratings import capability_aliases
from assets.sources.survey_schema import ALLOWED
from dagster_project.asset_checks import Suite, load_suites, run_suite
from tests.support.factories import (
    APPLICABILITY_HEADER,
    SURVEY_HEADER,
    SYSTEMS_HEADER,
    write_csv,
    write_sources,
    write_systems,
)

SUITES = {suite.table: suite for suite in load_suites()}
Break = Callable[[pd.DataFrame], pd.DataFrame]


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    sources = write_sources(tmp_path_factory.mktemp("inputs"))
    write_systems(sources, [dict.fromkeys(SYSTEMS_HEADER, "x") | {"released_on": "2026-01-31", "kind": "AI"}])
    readings = (
        read_ratings(sources),
        read_results(sources),
        read_systems(sources),
        read_survey(sources, "s"),
        read_interviews(sources),
        read_propensity_items(sources),
        read_propensity_bands(sources),
        read_propensity_responses(sources),
        read_onet(sources),
        read_oews(sources),
        read_comparison(sources),
        read_candidates(sources),
        read_outputs(sources),
        read_verdicts(sources),
        read_traits(sources),
        read_servers(sources),
        read_scenarios(sources),
        read_trajectories(sources),
        read_trajectory_verdicts(sources),
    )
    folder = tmp_path_factory.mktemp("parts")
    chats = read_chats(sources, folder, max_characters=4000, request_characters=500)
    frames = {name: frame for reading in readings for name, frame in reading.frames.items()}
    return frames | {"raw.chat_file": chats.files}


def failed(suite: Suite, frame: pd.DataFrame) -> set[str]:
    return {result.check_name or "" for result in run_suite(suite, frame, n_files=1) if not result.passed}


def test_each_input_table_has_a_suite() -> None:
    assert set(SUITES) == {
        "raw.rating",
        "raw.result",
        "raw.ai_system",
        "raw.survey_response",
        "raw.interview",
        "raw.propensity_band",
        "raw.propensity_item",
        "raw.propensity_response",
        "raw.onet_task",
        "raw.oews",
        "raw.chat_file",
        "raw.index_value",
        "raw.candidate",
        "raw.tournament_output",
        "raw.tournament_verdict",
        "raw.assistance_trait",
        "raw.tool_server",
        "raw.scenario",
        "raw.trajectory",
        "raw.trajectory_verdict",
    }


@pytest.mark.parametrize("table", SUITES)
def test_good_files_pass(table: str, frames: dict[str, pd.DataFrame]) -> None:
    assert failed(SUITES[table], frames[table]) == set()


@pytest.mark.parametrize("table", SUITES)
def test_an_empty_table_fails_its_floor(table: str, frames: dict[str, pd.DataFrame]) -> None:
    """F13: all other expectations hold on no rows; the floor does not, and it blocks."""
    suite = SUITES[table]
    assert failed(suite, frames[table].head(0)) == {"table_row_count_to_be_between"}
    assert suite.expectations[0].severity == "critical"


def cells(column: str, value: object, where: Callable[[pd.DataFrame], pd.Series] | None = None) -> Break:
    def put(frame: pd.DataFrame) -> pd.DataFrame:
        chosen = [True] * len(frame) if where is None else list(where(frame))
        changed = [
            value if is_chosen else cell for cell, is_chosen in zip(frame[column], chosen, strict=True)
        ]
        return frame.assign(**{column: pd.Series(changed, index=frame.index, dtype=object)})

    return put


def asked(question: str) -> Callable[[pd.DataFrame], pd.Series]:
    return lambda frame: frame["question"] == question


def of_occupations(frame: pd.DataFrame) -> pd.Series:
    return frame["level"] == "SOC"


def twice(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame, frame.head(1)], ignore_index=True)


JSON_LINES = (
    *("tournament_output", "tournament_verdict", "assistance_trait"),
    *("tool_server", "scenario", "trajectory", "trajectory_verdict"),
)
BROKEN: list[tuple[str, Break, str]] = [
    *(
        ("raw.rating", cells(c, None), f"column_values_to_not_be_null_{c}")
        for c in ("rater", "benchmark", "item")
    ),
    ("raw.rating", cells("capability_name", None), "column_values_to_not_be_null_capability_name"),
    ("raw.rating", twice, "compound_columns_to_be_unique_rater_benchmark_item_capability_name"),
    ("raw.rating", cells("capability_name", "Humour"), "column_values_to_be_in_set_capability_name"),
    ("raw.rating", cells("level", "6"), "column_values_to_match_regex_level"),
    ("raw.rating", cells("level", "2.5"), "column_values_to_match_regex_level"),
    ("raw.rating", cells("level", None), "column_values_to_not_be_null_level"),
    *(
        ("raw.result", cells(c, None), f"column_values_to_not_be_null_{c}")
        for c in ("system", "benchmark", "item")
    ),
    ("raw.result", twice, "compound_columns_to_be_unique_source_file_system_benchmark_item_epoch"),
    ("raw.result", cells("score", "yes"), "column_values_to_match_regex_score"),
    ("raw.result", cells("score", None), "column_values_to_not_be_null_score"),
    ("raw.result", cells("log_status", "started"), "column_values_to_be_in_set_log_status"),
    *(("raw.ai_system", cells(c, None), f"column_values_to_not_be_null_{c}") for c in SYSTEMS_HEADER[:-1]),
    ("raw.ai_system", twice, "column_values_to_be_unique_system"),
    ("raw.ai_system", cells("released_on", "31/01/2026"), "column_values_to_match_regex_released_on"),
    ("raw.ai_system", cells("kind", "robot"), "column_values_to_match_regex_kind"),
    ("raw.survey_response", cells("respondent", None), "column_values_to_not_be_null_respondent"),
    ("raw.survey_response", cells("question", None), "column_values_to_not_be_null_question"),
    ("raw.survey_response", cells("source", None), "column_values_to_not_be_null_source"),
    ("raw.survey_response", twice, "compound_columns_to_be_unique_respondent_question"),
    (
        "raw.survey_response",
        cells("question", "IPAddress", asked("Q2.7")),
        "column_values_to_match_regex_question",
    ),
    (
        "raw.survey_response",
        cells("answer", "is a@b.org", asked("Q2.7")),
        "column_values_to_not_match_regex_answer",
    ),
    (
        "raw.survey_response",
        cells("answer", "203.0.113.9", asked("Q2.7")),
        "column_values_to_not_match_regex_answer_2",
    ),
    ("raw.survey_response", cells("answer", "Agree"), "column_values_to_match_regex_answer"),
    (
        "raw.survey_response",
        cells("answer", "101", asked("Progress")),
        "column_values_to_match_regex_answer_2",
    ),
    (
        "raw.survey_response",
        cells("answer", "long", asked("Duration (in seconds)")),
        "column_values_to_match_regex_answer_3",
    ),
    ("raw.survey_response", cells("answer", "7", asked("Q2.11")), "column_values_to_match_regex_answer_4"),
    (
        "raw.survey_response",
        cells("answer", "250", asked("1_Q5.4_2")),
        "column_values_to_match_regex_answer_5",
    ),
    ("raw.interview", cells("company", None), "column_values_to_not_be_null_company"),
    ("raw.interview", cells("role", None), "column_values_to_not_be_null_role"),
    ("raw.interview", twice, "compound_columns_to_be_unique_source_file_row_number"),
    *(
        ("raw.interview", put, f"{check}_{column}")
        for column in ("company", "role", "duty")
        for put, check in (
            (cells(column, "x" * 81), "column_value_lengths_to_be_between"),
            (cells(column, "ask a@b.org"), "column_values_to_not_match_regex"),
        )
    ),
    ("raw.interview", cells("company", "A: B"), "column_values_to_not_match_regex_company_2"),
    ("raw.interview", cells("capability_name", None), "column_values_to_not_be_null_capability_name"),
    (
        "raw.interview",
        cells("capability_name", "(withheld: not a capability)"),
        "column_values_to_not_match_regex_capability_name",
    ),
    ("raw.interview", cells("points", "101"), "column_values_to_match_regex_points"),
    *(
        (f"raw.propensity_{name}", twice, "compound_columns_to_be_unique_source_file_row_number")
        for name in ("item", "band", "response")
    ),
    *(
        (f"raw.propensity_{name}", cells(column, None), f"column_values_to_not_be_null_{column}")
        for name, columns in (
            ("item", ("item", "propensity")),
            ("band", ("benchmark", "item", "propensity")),
            ("response", ("system", "item", "chosen")),
        )
        for column in columns
    ),
    ("raw.propensity_item", cells("correct", "d"), "column_values_to_match_regex_correct"),
    ("raw.propensity_item", cells("lower_bound", "NaN"), "column_values_to_match_regex_lower_bound"),
    ("raw.propensity_item", cells("upper_bound", "3.5"), "column_values_to_match_regex_upper_bound"),
    ("raw.propensity_band", cells("lower_bound", "NaN"), "column_values_to_match_regex_lower_bound"),
    ("raw.propensity_band", cells("upper_bound", "3.5"), "column_values_to_match_regex_upper_bound"),
    ("raw.propensity_response", cells("incitation", "4"), "column_values_to_match_regex_incitation"),
    ("raw.propensity_response", cells("chosen", "both"), "column_values_to_match_regex_chosen"),
    ("raw.onet_task", twice, "column_values_to_be_unique_task_id"),
    ("raw.onet_task", cells("task", None), "column_values_to_not_be_null_task"),
    ("raw.oews", twice, "compound_columns_to_be_unique_soc_level_oews_code"),
    ("raw.oews", cells("employment", "some"), "column_values_to_match_regex_employment"),
    ("raw.oews", cells("median_wage", "$9"), "column_values_to_match_regex_median_wage"),
    ("raw.oews", cells("soc_level", "detail"), "column_values_to_be_in_set_soc_level"),
    ("raw.chat_file", twice, "column_values_to_be_unique_source_file"),
    ("raw.chat_file", cells("form", "mixed"), "column_values_to_be_in_set_form"),
    (
        "raw.chat_file",
        lambda frame: frame.assign(n_unusable=frame["n_rows"]),
        "column_pair_values_a_to_be_greater_than_b_n_rows_n_unusable",
    ),
    ("raw.index_value", twice, "compound_columns_to_be_unique_index_name_level_unit_text"),
    ("raw.index_value", cells("text", None), "column_values_to_not_be_null_text"),
    ("raw.index_value", cells("unit", "11-1011.00", of_occupations), "column_values_to_match_regex_unit"),
    ("raw.index_value", cells("value", None), "column_values_to_not_be_null_value"),
    *(
        ("raw.index_value", cells("value", value), "column_values_to_match_regex_value")
        for value in ("5 %", "0,5", "-1", "nan", "inf", "some")
    ),
    ("raw.candidate", twice, "column_values_to_be_unique_candidate"),
    *(
        ("raw.candidate", cells(c, None), f"column_values_to_not_be_null_{c}")
        for c in ("candidate", "family")
    ),
    ("raw.candidate", cells("role", "candidate; judge"), "column_values_to_match_regex_role"),
    ("raw.candidate", cells("gradient", "last"), "column_values_to_match_regex_gradient"),
    *((f"raw.{name}", twice, "compound_columns_to_be_unique_source_file_row_number") for name in JSON_LINES),
    *((f"raw.{name}", cells("fault", "no JSON"), "column_values_to_be_null_fault") for name in JSON_LINES),
    *(
        (f"raw.tournament_{name}", cells("mode", "both"), "column_values_to_match_regex_mode")
        for name in ("output", "verdict")
    ),
    ("raw.tournament_output", cells("output", None), "column_values_to_not_be_null_output"),
    ("raw.tournament_verdict", cells("choice", "A"), "column_values_to_match_regex_choice"),
    *(
        ("raw.assistance_trait", cells(c, "11"), f"column_values_to_match_regex_{c}")
        for c in ("specificity", "structure", "against_task", "leaks_deliverable")
    ),
    ("raw.tool_server", cells("description", None), "column_values_to_not_be_null_description"),
    ("raw.scenario", cells("request", None), "column_values_to_not_be_null_request"),
    ("raw.scenario", cells("occupation", None), "column_values_to_not_be_null_occupation"),
    ("raw.trajectory", cells("reward", 1.5), "column_values_to_be_between_reward"),
    ("raw.trajectory_verdict", cells("score", None), "column_values_to_not_be_null_score"),
]


def test_every_expectation_can_fail() -> None:
    """Nothing stands in a suite that no broken frame below makes fail."""
    covered = {(table, check) for table, _, check in BROKEN}
    floors = {(table, suite.expectations[0].name) for table, suite in SUITES.items()}
    every = {
        (table, expectation.name) for table, suite in SUITES.items() for expectation in suite.expectations
    }
    assert every == covered | floors


@pytest.mark.parametrize("table", SUITES)
def test_broken_frames_fail(table: str, frames: dict[str, pd.DataFrame]) -> None:
    missed = [
        check
        for name, put, check in BROKEN
        if name == table and check not in failed(SUITES[table], put(frames[table]))
    ]
    assert missed == []


def test_names_in_the_suites_are_those_of_the_readers() -> None:
    """The suites repeat names so that a drift of seed or schema shows; equal today."""
    (names,) = [e.kwargs["value_set"] for e in SUITES["raw.rating"].expectations if "value_set" in e.kwargs]
    assert sorted(names) == sorted(capability_aliases())
    (pattern,) = [
        e.kwargs["regex"]
        for e in SUITES["raw.survey_response"].expectations
        if e.kwargs.get("column") == "question" and "regex" in e.kwargs
    ]
    others = {*SURVEY_HEADER, "Q2.10_1_1", "Q3.2_19_TEXT", "Q3.2_22", "19_Q5.4_1", "1_Q5.4_19", "1_Q5.1"} - {
        *ALLOWED
    }
    assert all(re.match(pattern, name) for name in ALLOWED)
    assert not any(re.match(pattern, name) for name in others)


def test_a_person_needs_no_model_and_no_developer(tmp_path: Path) -> None:
    write_systems(tmp_path, [{"system": "p", "name": "Person 7", "kind": "human"}])
    frame = read_systems(tmp_path).frames["raw.ai_system"]
    assert failed(SUITES["raw.ai_system"], frame) == set()
    missing = failed(SUITES["raw.ai_system"], frame.assign(kind=None))
    assert missing == {f"column_values_to_not_be_null_{c}" for c in SYSTEMS_HEADER[2:-1]}


def test_warnings_and_blocks_are_told_apart() -> None:
    keys = [e for suite in SUITES.values() for e in suite.expectations if "unique" in e.type]
    assert {e.severity for e in keys} == {"critical"}
    assert all(e.why for suite in SUITES.values() for e in suite.expectations)


def test_suites_live_in_the_project() -> None:
    assert {path.stem for path in Path("expectations").glob("*.json")} == {t.split(".")[1] for t in SUITES}


def test_a_bad_value_of_an_index_is_told_with_file_row_column_and_what_to_do(tmp_path: Path) -> None:
    """What the command line prints of a check that fails."""
    path = "comparison/working_with_ai/soc_ai_applicability_scores.csv"
    rows = [("11-1011", "Planners", "0.1"), ("13-1011.00", "Counters", "5 %"), ("15-1011", "", "")]
    write_csv(tmp_path / path, APPLICABILITY_HEADER, rows)
    frame = read_comparison(tmp_path).frames["raw.index_value"]
    told = {}
    for result in run_suite(SUITES["raw.index_value"], frame, n_files=1):
        if not result.passed:
            samples: Any = result.metadata["sample"].value
            (sample,) = samples
            place = (sample["source_file"], sample["row_number"], sample.get("column_name"))
            told[result.check_name] = (*place, result.severity.name, result.description or "")
    column = "ai_applicability_score"
    assert {check: found[:4] for check, found in told.items()} == {
        "column_values_to_match_regex_value": (path, 3, column, "WARN"),
        "column_values_to_match_regex_unit": (path, 3, None, "WARN"),
        "column_values_to_not_be_null_value": (path, 4, column, "WARN"),
        "column_values_to_not_be_null_text": (path, 4, None, "ERROR"),
    }
    does = {check: found[4] for check, found in told.items()}
    assert "write it as 0.12" in does["column_values_to_match_regex_value"]
    assert "SOC Code hold six digits" in does["column_values_to_match_regex_unit"]
    assert "fill it in" in does["column_values_to_not_be_null_value"]
    assert "title is blank" in does["column_values_to_not_be_null_text"]
    assert "fill it in" in does["column_values_to_not_be_null_text"]


def test_a_bad_value_of_an_index_is_what_staging_rejects() -> None:
    """The suite's form of a number is that of stg_index_reject: what it lets through is a number from 0 on."""
    (pattern,) = [
        e.kwargs["regex"]
        for e in SUITES["raw.index_value"].expectations
        if e.kwargs.get("column") == "value" and "regex" in e.kwargs
    ]
    for value in ("0", "0.5", ".5", "5.", "+1", " 2e-05 ", "1E3"):
        assert re.match(pattern, value) and float(value) >= 0
    for value in ("-0.1", "-1", "1,5", "1 000", "1e", ".", "0x1", "NaN", "inf", "1_000"):
        assert not re.match(pattern, value)
