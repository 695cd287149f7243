"""The readers on the real public files; the figures are those of the data's own README and of the issue."""

from __future__ import annotations

import time
from pathlib import Path

import pandas as pd
import pytest

from assets.sources.inventory import list_source_files
from assets.sources.readers import (
    read_comparison,
    read_ratings,
    read_results,
    read_survey,
    read_systems,
)
from dagster_project.asset_checks import load_suites, run_suite


@pytest.fixture(scope="module")
def frames(real_data: Path) -> dict[str, pd.DataFrame]:
    start = time.perf_counter()
    readings = (
        read_ratings(real_data),
        read_results(real_data),
        read_systems(real_data),
        read_survey(real_data, "s"),
        read_comparison(real_data),
    )
    print(f"read in {time.perf_counter() - start:.2f} s")
    return {name: frame for reading in readings for name, frame in reading.frames.items()}


def test_ratings(frames: dict[str, pd.DataFrame]) -> None:
    """19,576 items × 18 capabilities × 2 raters, 4 essay cells, 42 blank cells in 41 rows."""
    rating = frames["raw.rating"]
    assert len(rating) == 19_576 * 18 * 2
    items = rating[["rater", "benchmark", "item"]].drop_duplicates()
    assert items["rater"].value_counts().to_dict() == {"gemini-3-flash": 19_576, "gpt-4o": 19_576}
    assert rating["benchmark"].nunique() == 25
    essays = rating[rating["level"].str.len() > 1]
    assert len(essays) == 4 and set(essays["rater"]) == {"gpt-4o"}
    assert all("\n" in text for text in essays["level"])
    blanks = rating[rating["level"].isna()]
    assert len(blanks) == 42 and len(blanks[["rater", "row_number"]].drop_duplicates()) == 41
    assert set(rating["level"].dropna()) - set(essays["level"]) == set("012345")


def test_row_numbers_point_at_the_lines_of_the_file(real_data: Path, frames: dict[str, pd.DataFrame]) -> None:
    """The essays span 107 lines more than their rows; the line named is still where the row begins."""
    rating = frames["raw.rating"]
    for rater, part in rating.drop_duplicates(["rater", "row_number"]).groupby("rater"):
        lines = (real_data / f"battery/ratings/{rater}.csv").read_text(encoding="utf-8").split("\n")
        starts = [
            lines[n - 1].startswith(f"{b},{i},")
            for n, b, i in part[["row_number", "benchmark", "item"]].values
        ]
        assert all(starts)
        assert part["row_number"].max() == {"gpt-4o": 19_684, "gemini-3-flash": 19_577}[str(rater)]


def test_results(frames: dict[str, pd.DataFrame]) -> None:
    result = frames["raw.result"]
    assert result["system"].value_counts().to_dict() == dict.fromkeys(
        ("gemini-2.5-flash", "gemini-3-flash", "gemini-3.1-pro", "gpt-4o-mini", "gpt-5-nano", "o4-mini"),
        19_576,
    )
    assert set(result["system"]) == set(frames["raw.ai_system"]["system"])
    items = frames["raw.rating"][["benchmark", "item"]].drop_duplicates()
    assert len(result[["benchmark", "item"]].drop_duplicates().merge(items)) == 19_576


def test_survey(frames: dict[str, pd.DataFrame]) -> None:
    """571 respondents, 128 from companies and 443 online, of whom 539 named a domain (issue, part 4)."""
    response = frames["raw.survey_response"]
    assert response.groupby("source")["respondent"].nunique().to_dict() == {"companies": 128, "online": 443}
    assert response["respondent"].nunique() == 571
    domain = response[response["question"] == "Q2.11"]
    assert len(domain) == 571 and domain["answer"].notna().sum() == 539
    assert set(domain["answer"].dropna()) == {f"{code}.0" for code in range(1, 7)}
    assert frames["raw.survey_codebook"].empty


def test_every_file_is_listed(real_data: Path) -> None:
    found = list_source_files(real_data)
    assert found["input"].value_counts().to_dict() == {
        "results": 6,
        "ratings": 2,
        "survey": 2,
        "systems": 1,
        "chats": 1,
        "onet": 12,
        "oews": 2,
        "comparison": 5,
    }


def test_no_expectation_that_blocks_fails(frames: dict[str, pd.DataFrame]) -> None:
    """Only warnings: systems.csv leaves four columns of every system blank, and two dates with them."""
    failed = {
        (suite.table, result.check_name, result.severity.name)
        for suite in load_suites()
        if suite.table in frames  # nobody was interviewed
        for result in run_suite(suite, frames[suite.table], n_files=1)
        if not result.passed
    }
    columns = ("model", "settings", "scaffold", "family", "released_on")
    assert failed == {
        ("raw.ai_system", f"column_values_to_not_be_null_{column}", "WARN") for column in columns
    }
