"""Each kind of bad file gives one clear error that names file, row and column, and says what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assets.sources.readers import (
    Reading,
    SourceError,
    read_candidates,
    read_comparison,
    read_interviews,
    read_oews,
    read_propensity_bands,
    read_propensity_items,
    read_propensity_responses,
    read_ratings,
    read_results,
    read_survey,
    read_systems,
)
from tests.support.factories import (
    APPLICABILITY_HEADER,
    CANDIDATES_HEADER,
    CAPABILITIES,
    INTERVIEW_HEADER,
    OEWS_HEADER,
    PROPENSITY_BAND_HEADER,
    PROPENSITY_ITEM_HEADER,
    PROPENSITY_RESPONSE_HEADER,
    RATINGS_HEADER,
    RESULTS_HEADER,
    SURVEY_HEADER,
    SYSTEMS_HEADER,
    respondent,
    write_csv,
    write_ratings,
    write_results,
    write_sources,
    write_survey,
    write_systems,
)

READERS: dict[str, tuple[str, Callable[[Path], Reading], tuple[str, ...]]] = {
    "ratings": ("battery/ratings/rater-a.csv", read_ratings, RATINGS_HEADER),
    "results": ("battery/results/system-a.csv", read_results, RESULTS_HEADER),
    "systems": ("battery/systems.csv", read_systems, SYSTEMS_HEADER),
    "survey": ("survey/online.csv", lambda sources: read_survey(sources, "salt"), SURVEY_HEADER),
    "interviews": ("survey/interviews/one.csv", read_interviews, INTERVIEW_HEADER),
    "propensity items": ("propensity/items/risk.csv", read_propensity_items, PROPENSITY_ITEM_HEADER),
    "propensity bands": ("propensity/bands/rater-a.csv", read_propensity_bands, PROPENSITY_BAND_HEADER),
    "propensity responses": (
        "propensity/responses/system-a.csv",
        read_propensity_responses,
        PROPENSITY_RESPONSE_HEADER,
    ),
    "oews": ("oews/national.csv", read_oews, OEWS_HEADER),
    "other indices": (
        "comparison/working_with_ai/soc_ai_applicability_scores.csv",
        read_comparison,
        APPLICABILITY_HEADER,
    ),
    "candidates": ("tournament/candidates.csv", read_candidates, CANDIDATES_HEADER),
}
every_input = pytest.mark.parametrize(("file", "read", "header"), READERS.values(), ids=READERS)


def faults_of(read: Callable[[Path], Reading], sources: Path) -> SourceError:
    with pytest.raises(SourceError) as caught:
        read(sources)
    return caught.value


def only_fault(read: Callable[[Path], Reading], sources: Path) -> tuple[str, int | None, str | None, str]:
    error = faults_of(read, sources)
    assert len(error.faults) == 1, str(error)
    fault = error.faults[0]
    assert fault.do, "says what to do"
    assert fault.file in str(error) and "\n  " in str(error)
    return fault.file, fault.row, fault.column, fault.what


@every_input
def test_empty_file(
    file: str, read: Callable[[Path], Reading], header: tuple[str, ...], tmp_path: Path
) -> None:
    (write_sources(tmp_path) / file).write_bytes(b"")
    assert only_fault(read, tmp_path) == (file, 1, None, "the file is empty (0 bytes)")


@every_input
def test_header_only(
    file: str, read: Callable[[Path], Reading], header: tuple[str, ...], tmp_path: Path
) -> None:
    write_csv(write_sources(tmp_path) / file, header, [])
    assert only_fault(read, tmp_path) == (file, 2, None, "the file has a header but no rows")


@every_input
def test_wrong_columns(
    file: str, read: Callable[[Path], Reading], header: tuple[str, ...], tmp_path: Path
) -> None:
    write_csv(write_sources(tmp_path) / file, ["colour", "size"], [["red", "1"]])
    found_file, row, column, what = only_fault(read, tmp_path)
    assert (found_file, row) == (file, 1)
    assert column in header and f"'{column}'" in what and "missing; expected" in what


@every_input
def test_latin_1(file: str, read: Callable[[Path], Reading], header: tuple[str, ...], tmp_path: Path) -> None:
    path = write_sources(tmp_path) / file
    name, cells = header[2], ["x"] * len(header)
    cells[2] = "Zoë"
    write_csv(path, header, [["x"] * len(header), cells], encoding="latin-1")
    assert only_fault(read, tmp_path)[:3] == (file, 3, name)
    # "x,x,Zo" come before it in its line
    assert "byte 0xeb at position 7 of the line is not UTF-8" in str(faults_of(read, tmp_path))
    assert "Save the file as UTF-8" in str(faults_of(read, tmp_path))


@every_input
def test_utf_16(file: str, read: Callable[[Path], Reading], header: tuple[str, ...], tmp_path: Path) -> None:
    path = write_sources(tmp_path) / file
    path.write_text(path.read_text(), encoding="utf-16")
    assert only_fault(read, tmp_path)[3] == "the file is UTF-16, not UTF-8"


@every_input
def test_nul_byte(
    file: str, read: Callable[[Path], Reading], header: tuple[str, ...], tmp_path: Path
) -> None:
    path = write_sources(tmp_path) / file
    write_csv(path, header, [["1"] * len(header), ["1", "a\0b", *["1"] * (len(header) - 2)]])
    assert only_fault(read, tmp_path)[:3] == (file, 3, header[1])


@every_input
def test_ragged_rows(
    file: str, read: Callable[[Path], Reading], header: tuple[str, ...], tmp_path: Path
) -> None:
    m = len(header)
    write_csv(write_sources(tmp_path) / file, header, [["1"] * m, ["2"] * (m - 1), ["3"] * (m + 2)])
    faults = faults_of(read, tmp_path).faults
    assert [(f.file, f.row, f.column) for f in faults] == [(file, 3, header[-1]), (file, 4, None)]
    assert faults[0].what == f"{m - 1} cells where the header has {m}"


@every_input
def test_unclosed_quote(
    file: str, read: Callable[[Path], Reading], header: tuple[str, ...], tmp_path: Path
) -> None:
    path = write_sources(tmp_path) / file
    line = ",".join(["1"] * len(header))
    path.write_text(f'{",".join(header)}\n{line}\n"{line}\n{line}\n', encoding="utf-8")
    assert only_fault(read, tmp_path) == (file, 3, None, "a quote is opened here and never closed")


@every_input
def test_folder_where_a_file_is_expected(
    file: str, read: Callable[[Path], Reading], header: tuple[str, ...], tmp_path: Path
) -> None:
    path = write_sources(tmp_path) / file
    path.unlink()
    path.mkdir()
    assert only_fault(read, tmp_path) == (file, None, None, "a folder where a file is expected")


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_results(tmp_path)

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    file, _, _, what = only_fault(read_results, tmp_path)
    assert (file, what) == ("battery/results/system-a.csv", "cannot be read (Permission denied)")


def test_a_file_where_the_folder_is_expected(tmp_path: Path) -> None:
    write_csv(tmp_path / "battery" / "ratings", RATINGS_HEADER, [])
    assert only_fault(read_ratings, tmp_path)[0] == "battery/ratings"


def test_duplicated_items_name_both_rows(tmp_path: Path) -> None:
    write_ratings(tmp_path, items=[("bench", "1"), ("bench", "2"), ("other", "1"), ("bench", "1")])
    file, row, column, what = only_fault(read_ratings, tmp_path)
    assert (file, row, column) == ("battery/ratings/rater-a.csv", 5, "sample id")
    assert what == "dataset name 'bench', sample id '1' stands in row 2 already"
    assert "rows 2 and 5" in str(faults_of(read_ratings, tmp_path))


def test_duplicated_results_are_no_choice_of_the_better_score(tmp_path: Path) -> None:
    rows = [("t", "1", "0", "", "bench"), ("t", " 1", "1", "", "bench ")]
    write_csv(tmp_path / "battery/results/s.csv", RESULTS_HEADER, rows)
    assert only_fault(read_results, tmp_path)[1:3] == (3, "sample_id")


def test_duplicated_system(tmp_path: Path) -> None:
    write_systems(tmp_path, [{"system": "a"}, {"system": "b"}, {"system": "a"}])
    assert only_fault(read_systems, tmp_path)[:3] == ("battery/systems.csv", 4, "system")


def test_blank_key(tmp_path: Path) -> None:
    write_results(tmp_path, scores={("bench", "1"): 1, ("bench", " "): 0})
    assert only_fault(read_results, tmp_path)[:3] == ("battery/results/system-a.csv", 3, "sample_id")


def test_zero_byte_results_file_among_good_ones(tmp_path: Path) -> None:
    write_sources(tmp_path)
    (tmp_path / "battery/results/system-b.csv").touch()
    assert only_fault(read_results, tmp_path)[0] == "battery/results/system-b.csv"
    assert len(read_ratings(tmp_path).frames["raw.rating"]) == 2 * 2 * 18  # the other inputs stand


def test_missing_columns_name_the_expected_and_the_nearest(tmp_path: Path) -> None:
    header = ["dataset name", "sample_id", *CAPABILITIES[:-1], "Langauge"]
    write_csv(tmp_path / "battery/ratings/r.csv", header, [["b", "1", *["0"] * 18]])
    _, row, column, what = only_fault(read_ratings, tmp_path)
    assert (row, column) == (1, "sample id")
    assert "'sample id', 'Language' missing" in what
    assert "'sample_id' instead of 'sample id'" in what and "'Langauge' instead of 'Language'" in what


@pytest.mark.parametrize(("mark", "name"), [(";", "semicolons"), ("\t", "tabs")])
@every_input
def test_another_divider_is_named(
    file: str, read: Callable[[Path], Reading], header: tuple[str, ...], mark: str, name: str, tmp_path: Path
) -> None:
    """As spreadsheets write where the comma is the decimal mark: rows have commas of their own."""
    row = mark.join("0,5" for _ in header)
    (write_sources(tmp_path) / file).write_text(f"{mark.join(header)}\n{row}\n")
    assert only_fault(read, tmp_path) == (file, 1, None, f"the cells are divided by {name}, not by commas")


def test_one_capability_twice(tmp_path: Path) -> None:
    header = [*RATINGS_HEADER, "EM"]
    write_csv(tmp_path / "battery/ratings/r.csv", header, [["b", "1", *["0"] * 19]])
    assert only_fault(read_ratings, tmp_path)[1:] == (
        1,
        "EM",
        "the same capability as column 'Episodic Memory'",
    )


def test_one_column_twice(tmp_path: Path) -> None:
    write_csv(
        tmp_path / "battery/results/s.csv", [*RESULTS_HEADER, "score "], [["t", "1", "1", "", "b", "0"]]
    )
    assert only_fault(read_results, tmp_path)[2:] == (
        "score",
        "the header names it 2 times, as columns 3 and 6",
    )


def test_all_faults_of_all_files_come_together(tmp_path: Path) -> None:
    write_results(tmp_path, "good")
    (tmp_path / "battery/results/empty.csv").touch()
    write_csv(tmp_path / "battery/results/ragged.csv", RESULTS_HEADER, [["1"]] * 30)
    error = faults_of(read_results, tmp_path)
    assert len(error.faults) == 31
    lines = str(error).splitlines()
    assert lines[0] == "31 faults in 2 input files; nothing was loaded:"
    assert len(lines) == 1 + 20 + 1 and lines[-1].strip() == "... and 11 more"


def test_two_files_of_one_name(tmp_path: Path) -> None:
    write_results(tmp_path, "syst\u00e8me")
    write_results(tmp_path, "syste\u0300me")  # the same word in another Unicode form
    assert "gives the same name as" in only_fault(read_results, tmp_path)[3]


def test_survey_needs_its_columns_and_names_the_missing(tmp_path: Path) -> None:
    header = [name for name in SURVEY_HEADER if name not in ("Q2.11", "7_Q5.4_3")]
    write_survey(tmp_path, header=header)
    file, row, column, what = only_fault(READERS["survey"][1], tmp_path)
    assert (file, row, column) == ("survey/online.csv", 1, "Q2.11")
    assert "'Q2.11', '7_Q5.4_3' missing" in what


def test_an_export_without_its_header_is_not_quoted_in_the_error(tmp_path: Path) -> None:
    path = write_survey(tmp_path, respondents=[respondent(RecipientEmail="ann@example.org")] * 2)
    path.write_text("\n".join(path.read_text().splitlines()[1:]) + "\n")
    assert "ann@example.org" not in str(faults_of(READERS["survey"][1], tmp_path))


@pytest.mark.parametrize("header_rows", [2, 3])
def test_survey_with_header_rows_but_no_respondents(header_rows: int, tmp_path: Path) -> None:
    write_survey(tmp_path, respondents=[], header_rows=header_rows)
    what = only_fault(READERS["survey"][1], tmp_path)
    assert what == ("survey/online.csv", header_rows + 1, None, "header rows but no respondents")


def test_one_response_in_two_exports_counts_once_or_not_at_all(tmp_path: Path) -> None:
    write_survey(tmp_path, "may", [respondent(ResponseId="R_1"), respondent(ResponseId="R_2")])
    write_survey(tmp_path, "june", [respondent(ResponseId="R_3"), respondent(ResponseId="R_2")])
    file, row, column, what = only_fault(READERS["survey"][1], tmp_path)
    assert (file, row, column) == ("survey/may.csv", 3, "ResponseId")
    assert what == "the response of survey/june.csv, row 3 again"


def test_names_that_the_marts_keep_for_totals_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "battery/results/all systems.csv"
    file.parent.mkdir(parents=True)
    file.write_text("sample_id,score,dataset_name\n1,1,some\n2,1,all\n")
    with pytest.raises(SourceError) as told:
        read_results(tmp_path)
    assert "'all systems'" in str(told.value)
    assert "row 3" in str(told.value)
    assert "called 'all'" in str(told.value)
