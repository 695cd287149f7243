"""JSON Lines of a tournament: a bad line stays a row that says why; a file that can't be read is an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assets.sources.readers import SourceError, read_outputs, read_traits, read_verdicts
from tests.support.factories import write_json_lines

VERDICT: dict[str, Any] = {
    "task": "t", "mode": "automation", "run": 1, "judge": "j", "first": "a", "second": "b", "choice": "tie",
    "scores_first": {"clear": 7, "short": 4}, "scores_second": {"short": 6, "clear": 5}, "rationale": "Even.",
}  # fmt: skip


def read(tmp_path: Path, *lines: dict[str, Any] | str) -> pd.DataFrame:
    write_json_lines(tmp_path / "tournament/judgements/j.jsonl", lines)
    return read_verdicts(tmp_path).frames["raw.tournament_verdict"]


def test_a_verdict_is_kept_as_it_came_with_a_mean_a_seat(tmp_path: Path) -> None:
    (row,) = read(tmp_path, VERDICT).to_dict("records")
    assert {name: row[name] for name in ("task", "run", "judge", "first", "second", "choice", "rationale")} == {
        "task": "t", "run": "1", "judge": "j", "first": "a", "second": "b", "choice": "tie", "rationale": "Even.",
    }  # fmt: skip
    assert (row["mean_score_first"], row["mean_score_second"]) == (5.5, 5.5)
    assert json.loads(row["scores_first"]) == VERDICT["scores_first"]
    assert row["fault"] is None and row["source_file"] == "tournament/judgements/j.jsonl"


@pytest.mark.parametrize(
    ("line", "column", "why"),
    [
        ("{", "line", "no JSON"),
        ("[" * 100_000, "line", "no JSON"),
        ("[1]", "line", "no JSON object"),
        ("3", "line", "no JSON object"),
        (json.dumps(VERDICT | {"rationale": "\0"}), "line", "a NUL character or half a character pair"),
        (json.dumps(VERDICT | {"rationale": "\ud83d"}), "line", "a NUL character or half a character pair"),
        (VERDICT | {"judge": ["j", "k"]}, "judge", "no text"),
        (VERDICT | {"choice": {"winner": "a"}}, "choice", "no text"),
        (VERDICT | {"scores_first": {"clear": 11, "short": 4}}, "scores_first", "a score outside 1 to 10"),
        (VERDICT | {"scores_second": {"clear": 0, "short": 4}}, "scores_second", "a score outside 1 to 10"),
        (VERDICT | {"scores_first": {"clear": "7", "short": 4}}, "scores_first", "a score that is no number"),
        (
            VERDICT | {"scores_first": {"clear": True, "short": 4}},
            "scores_first",
            "a score that is no number",
        ),
        (
            VERDICT | {"scores_first": {"clear": float("nan"), "short": 4}},
            "scores_first",
            "a score that is no number",
        ),
        (VERDICT | {"scores_second": {"clear": 4}}, "scores_second", "other dimensions than scores_first"),
        (VERDICT | {"scores_second": None}, "scores_second", "not an object of dimensions and scores"),
        (VERDICT | {"scores_first": 7}, "scores_first", "not an object of dimensions and scores"),
    ],
)
def test_a_bad_line_says_why_and_its_neighbours_stay(
    tmp_path: Path, line: dict[str, Any] | str, column: str, why: str
) -> None:
    frame = read(tmp_path, VERDICT, line, VERDICT)
    assert frame["row_number"].tolist() == [1, 2, 3]
    assert frame["fault"].tolist() == [None, why, None]
    bad = frame.loc[1]
    assert bad["fault_column"] == column and len(bad["fault_value"] or "") <= 200
    assert pd.isna(bad["mean_score_first"]) and pd.isna(bad["mean_score_second"])


def test_scores_may_be_absent_and_names_are_tidied(tmp_path: Path) -> None:
    bare = {name: VERDICT[name] for name in ("task", "mode", "run", "first", "second", "choice")}
    (row,) = read(tmp_path, bare | {"judge": "  j\u00a0 "}).to_dict("records")
    assert row["judge"] == "j" and row["fault"] is None and row["scores_first"] is None
    assert pd.isna(row["mean_score_first"])


def test_blank_lines_marks_and_separators_inside_texts_break_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "tournament/outputs"
    folder.mkdir(parents=True)
    row = {
        "task": "t",
        "mode": "automation",
        "run": 1,
        "candidate": "a",
        "output": "one\u2028two\x85three\nfour",
    }
    line = json.dumps(row, ensure_ascii=False)
    (folder / "o.jsonl").write_bytes(("\ufeff" + line + "\r\n\n" + line).encode())
    reading = read_outputs(tmp_path)
    frame = reading.frames["raw.tournament_output"]
    assert frame["row_number"].tolist() == [1, 3]
    assert frame["output"].tolist() == [row["output"]] * 2
    assert frame["fault"].isna().all()


def test_traits_are_kept_as_they_read(tmp_path: Path) -> None:
    row = {"task": "t", "mode": "augmentation", "run": 2, "candidate": "a", "judge": "j", "specificity": 3}
    write_json_lines(
        tmp_path / "tournament/traits/j.jsonl", [row | {"structure": True, "against_task": "no"}]
    )
    (read_row,) = read_traits(tmp_path).frames["raw.assistance_trait"].to_dict("records")
    found = [read_row[name] for name in ("specificity", "structure", "against_task", "leaks_deliverable")]
    assert found == ["3", "true", "no", None]


@pytest.mark.parametrize(
    ("content", "row", "what"),
    [
        (b"", None, "the file holds no lines"),
        (b"\n \n", None, "the file holds no lines"),
        (b'{"task": "t"}\n{"task": "\xff"}\n', 2, "a byte that is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_that_says_where(
    tmp_path: Path, content: bytes, row: int | None, what: str
) -> None:
    path = tmp_path / "tournament/judgements/j.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(SourceError) as caught:
        read_verdicts(tmp_path)
    (fault,) = caught.value.faults
    assert (fault.file, fault.row, fault.what) == ("tournament/judgements/j.jsonl", row, what)
    assert fault.do


def test_a_run_is_the_same_whole_number_with_and_without_a_point(tmp_path: Path) -> None:
    found = read(tmp_path, VERDICT, VERDICT | {"run": 1.0}, VERDICT | {"run": 1.5}, VERDICT | {"run": "1.0"})
    assert list(found["run"]) == ["1", "1", "1.5", "1.0"]
