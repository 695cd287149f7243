"""Rows and files that repeat others by content are named; people and raters that only agree are not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from assets.sources.errors import SourceError
from assets.sources.readers import read_ratings, read_results, read_survey
from assets.sources.readers.repeats import Row, original_names, repeated_rows
from tests.support.factories import respondent, write_ratings, write_results, write_survey

NO_ID = {"ResponseId": ""}


def places(error: SourceError) -> list[tuple[str, int | None]]:
    return [(fault.file.rpartition("/")[2], fault.row) for fault in error.faults]


def someone(number: int, **answers: object) -> dict[str, object]:
    """One of many people without an id: 20 answers, of which three are their own."""
    own = {"Duration (in seconds)": 900 + number, "Q3.3_1": number, "Q3.3_10": 40 - number}
    return respondent(**(NO_ID | own | answers))


def test_rows_pasted_twice_and_an_earlier_export_are_named(tmp_path: Path) -> None:
    """Six people answered. An earlier export has four of them, the later three twice: 7 of 13 rows too many."""
    people = [someone(i) for i in range(6)]
    write_survey(tmp_path, "april", people[:4])
    write_survey(tmp_path, "june", [*people, *people[:3]])
    with pytest.raises(SourceError) as refusal:
        read_survey(tmp_path, "salt")
    assert places(refusal.value) == [("june.csv", row) for row in (2, 3, 4, 5, 8, 9, 10)]
    assert str(refusal.value.faults[-1]) == (
        "survey/june.csv, row 10: all 20 answers and times are those of survey/april.csv, row 4, and no ResponseId "
        "tells them apart. Delete one of them, so that nobody counts twice (of two exports of the same survey: remove "
        "the earlier); for two people fill in ResponseId."
    )


def test_a_row_with_one_cell_corrected_is_named(tmp_path: Path) -> None:
    write_survey(tmp_path, respondents=[someone(1), someone(2), someone(1, **{"Q4.12": "2.0"})])
    with pytest.raises(
        SourceError, match="row 4: all but 1 of 20 answers and times are those of row 2"
    ) as refusal:
        read_survey(tmp_path, "salt")
    assert len(refusal.value.faults) == 1


def test_ids_tell_people_apart_and_one_id_does_not(tmp_path: Path) -> None:
    write_survey(tmp_path, respondents=[someone(1, ResponseId=name) for name in ("a", "b")])
    assert read_survey(tmp_path, "salt").frames["raw.survey_response"]["respondent"].nunique() == 2
    write_survey(tmp_path, respondents=[someone(1, ResponseId=name) for name in ("a", "b", "")])
    with pytest.raises(SourceError, match="row 4: all 20 answers"):
        read_survey(tmp_path, "salt")


def test_people_who_left_at_once_may_be_alike(tmp_path: Path) -> None:
    """Three of the public survey's rows hold the same three cells: seconds, progress, screening."""
    left = {"Progress": 3, "Duration (in seconds)": 9, "prescreen": 1} | NO_ID
    write_survey(tmp_path, respondents=[someone(1), left, left, left])
    assert read_survey(tmp_path, "salt").frames["raw.survey_response"]["respondent"].nunique() == 4


def test_the_quick_search_finds_what_comparing_all_finds() -> None:
    """A brute-force twin on 300 random rows of 20 to 60 cells, near copies among them."""
    rng = random.Random(3)
    rows: list[Row] = []
    for line in range(300):
        if line % 3 == 2:
            cells = dict(rng.choice(rows).cells)
            for column in rng.sample(sorted(cells), rng.randint(1, 5)):
                if rng.random() < 0.3:
                    del cells[column]
                else:
                    cells[column] = str(rng.randint(0, 9))
        else:
            cells = {f"c{i}": str(rng.randint(0, 3)) for i in range(rng.randint(20, 60))}
        rows.append(Row("f", line, False, frozenset(cells.items())))
    expected: set[int] = set()
    for b, row in enumerate(rows):
        for other in rows[:b]:
            n = len({column for column, _ in row.cells | other.cells})
            if n - len(row.cells & other.cells) <= 0.05 * n and min(len(row.cells), len(other.cells)) >= 20:
                expected.add(row.line)
    assert {repeat.row.line for repeat in repeated_rows(rows)} == expected and len(expected) > 20


def test_names_that_file_managers_give_to_copies() -> None:
    stems = ["x", "x (1)", "x - Copy", "x - Copy (2)", "X copy", "Copy of x", "x (2024)", "x-copy2", "xcopy"]
    stems += ["y (1)", "x (v2)", "x 2"]
    copies = {"x (1)", "x - Copy", "x - Copy (2)", "X copy", "Copy of x", "x-copy2", "xcopy"}
    assert original_names(stems) == dict.fromkeys(copies, "x")


def test_a_file_named_like_a_copy_is_compared_row_by_row(tmp_path: Path) -> None:
    """20 items: with one cell changed 19 rows are the original's; of a file with other rows the name says nothing."""
    items = [("bench", str(i)) for i in range(20)]
    levels = {item: {"Planning": i % 6} for i, item in enumerate(items)}
    write_ratings(tmp_path, "north", items, levels)
    write_ratings(tmp_path, "north (1)", items, levels | {items[4]: {"Planning": 5}})
    with pytest.raises(
        SourceError, match=r"north \(1\).csv: named like a copy of .*north.csv, and 19 of its 20 rows"
    ):
        read_ratings(tmp_path)
    write_ratings(tmp_path, "north (1)", items, default=3)
    assert len(read_ratings(tmp_path).frames["raw.rating"]) == 2 * 20 * 18
    scores = {item: i % 2 for i, item in enumerate(items)}
    write_results(tmp_path, "alpha", scores)
    write_results(tmp_path, "alpha - Copy", scores)
    with pytest.raises(
        SourceError, match=r"alpha - Copy.csv: named like a copy of .*alpha.csv, and 20 of its 20 rows"
    ):
        read_results(tmp_path)
    (tmp_path / "battery/results/alpha - Copy.csv").rename(tmp_path / "battery/results/alpha-cold.csv")
    assert len(read_results(tmp_path).frames["raw.result"]) == 40
