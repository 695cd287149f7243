"""The items' texts and answers: what comes through, and where a bad line is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assets.sources.readers import SourceError
from assets.sources.readers.items import read_all_items, read_items


def write(sources: Path, benchmark: str, *lines: object) -> Path:
    path = sources / "battery/items" / f"{benchmark}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join([*texts, ""]), encoding="utf-8")
    return path


def test_items_come_through(tmp_path: Path) -> None:
    write(
        tmp_path, "bench", {"item": "001", "text": "a\u2028b", "answer": "B"}, "", {"item": 7, "text": " x "}
    )
    write(tmp_path, "other", {"item": "001", "text": "y", "answer": 3.5, "source": "z"})
    assert read_items(tmp_path).to_numpy().tolist() == [
        ["bench", "001", "a\u2028b", "B"],
        ["bench", "7", " x ", None],
        ["other", "001", "y", "3.5"],
    ]


def test_no_files_are_no_items(tmp_path: Path) -> None:
    assert read_items(tmp_path).columns.tolist() == ["benchmark", "item", "text", "answer"]
    assert read_items(tmp_path).empty


@pytest.mark.parametrize(
    ("line", "column", "what"),
    [
        ('{"item": "2", "text"', None, "no JSON"),
        ("[1]", None, "no JSON object"),
        ('{"item": ' + "9" * 5000 + ', "text": "t"}', None, "the line is no JSON (Exceeds the limit"),
        ({"text": "t"}, "item", "blank"),
        ({"item": " ", "text": "t"}, "item", "blank"),
        ({"item": "2"}, "text", "blank"),
        ({"item": "2", "text": ["t"]}, "text", "is no text"),
        ({"item": True, "text": "t"}, "item", "is no text"),
        ({"item": "2", "text": "t\0"}, "text", "damaged"),
        ('{"item": "2", "text": "\\ud800"}', "text", "damaged"),
        ({"item": "1 ", "text": "t"}, "item", "stands in line 1 already"),
    ],
)
def test_a_bad_line_is_named_by_file_and_line(
    line: object, column: str | None, what: str, tmp_path: Path
) -> None:
    write(tmp_path, "bench", {"item": "1", "text": "t"}, line)
    with pytest.raises(SourceError) as raised:
        read_items(tmp_path)
    (fault,) = raised.value.faults
    assert (fault.file, fault.row, fault.column) == ("battery/items/bench.jsonl", 2, column)
    assert what in fault.what


def test_a_byte_that_is_no_utf8_is_named_by_its_line(tmp_path: Path) -> None:
    write(tmp_path, "bench").write_bytes(b'{"item": "1", "text": "t"}\n{"item": "2", "text": "\xe9"}\n')
    with pytest.raises(SourceError, match=r"bench\.jsonl, row 2: a byte that is not UTF-8"):
        read_items(tmp_path)


def test_all_faults_of_all_files_are_told_together(tmp_path: Path) -> None:
    write(tmp_path, "a", "x", "y")
    write(tmp_path, "b", "z")
    with pytest.raises(SourceError, match="3 faults in 2 input files"):
        read_items(tmp_path)


def test_excluded_items_keep_their_reason_and_are_put_to_nobody(tmp_path: Path) -> None:
    lines = [
        {"item": "1", "text": "a", "exclude": True, "reason": "leaked into training data"},
        {"item": "2", "exclude": True, "reason": "two right answers"},
        {"item": "3", "text": "c", "exclude": False, "is_contaminated": True, "note": 1},
        {"item": "4", "text": "d"},
    ]
    write(tmp_path, "bench", *lines)
    frame, ignored = read_all_items(tmp_path)
    assert frame[["item", "is_excluded", "reason"]].to_numpy().tolist() == [
        ["1", True, "leaked into training data"],
        ["2", True, "two right answers"],
        ["3", False, None],
        ["4", False, None],
    ]
    assert read_items(tmp_path)["item"].tolist() == ["3", "4"]
    assert ignored == {"battery/items/bench.jsonl": ["is_contaminated", "note"]}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"item": "1", "text": "t", "exclude": True}, "'reason'"),
        ({"item": "1", "text": "t", "exclude": True, "reason": " "}, "every excluded item needs it"),
        ({"item": "1", "text": "t", "exclude": "perhaps"}, '"perhaps" is neither true nor false'),
        ({"item": "1", "text": "t", "exclude": [True]}, "neither true nor false"),
        ({"item": "1", "text": "t", "exclude": "yes", "reason": "r"}, "Write true without quotes"),
        ({"item": "1", "text": "t", "exclude": 1, "reason": "r"}, "neither true nor false"),
        ({"item": "1", "text": "t", "exclude": None, "reason": "r"}, "neither true nor false"),
        ({"item": "1", "text": "t", "reason": "r"}, "not true, though a reason is given"),
        ({"item": "1", "text": "t", "excluded": True, "reason": "r"}, "Call it 'exclude'"),
        ({"item": "1", "text": "t", "exclude": True}, "Say why the item is excluded"),
        ({"item": "1", "exclude": False}, "every item needs it"),
    ],
)
def test_an_exclusion_that_cannot_be_read_is_refused(tmp_path: Path, line: object, told: str) -> None:
    write(tmp_path, "bench", line)
    with pytest.raises(SourceError) as raised:
        read_all_items(tmp_path)
    assert told in str(raised.value)


def test_a_field_given_twice_is_refused(tmp_path: Path) -> None:
    """JSON lets the last one win, and the item would stay in."""
    path = tmp_path / "battery/items/bench.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text('{"item": "1", "text": "t", "exclude": true, "reason": "r", "exclude": false}\n', "utf-8")
    with pytest.raises(SourceError, match=r"row 1, column 'exclude': given twice. Keep one of the two"):
        read_all_items(tmp_path)
