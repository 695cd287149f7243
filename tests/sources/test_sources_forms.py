"""A filled form: what an answer counts as, and that nobody else's results are touched."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest

from assets.sources.forms import read_form, write_form
from assets.sources.people import write_people
from assets.sources.readers import SourceError, read_results, read_systems
from tests.support.factories import write_csv, write_results, write_systems

ITEMS = [("maths", "001"), ("maths", "002"), ("words", "1"), ("words", "2")]
KEY = {"001": "Paris", "002": "42", "1": None, "2": None}
HEADER = ("position", "benchmark", "item", "text", "answer", "score")


def write_key(folder: Path) -> Path:
    rows = [(i, b, item, KEY[item], "L", 0.1) for i, (b, item) in enumerate(ITEMS, 1)]
    header = ("position", "benchmark", "item", "answer", "dimensions", "expected_information")
    return write_csv(folder / "key.csv", header, rows)


def write_filled(folder: Path, answers: list[tuple[str | None, str | None]]) -> Path:
    rows = [
        (i, *key, "?", *given) for i, (key, given) in enumerate(zip(ITEMS, answers, strict=True), start=1)
    ]
    return write_csv(folder / "form.csv", HEADER, rows)


def read(folder: Path, answers: list[tuple[str | None, str | None]]) -> list[list[object]]:
    scored = read_form(write_filled(folder, answers), write_key(folder), "Person 7")
    return scored.fillna({"score": -1})[["status", "score", "is_overruled"]].to_numpy().tolist()


def only_fault(filled: Path, key: Path, participant: str | None) -> str:
    with pytest.raises(SourceError) as raised:
        read_form(filled, key, participant)
    (fault,) = raised.value.faults
    return str(fault)


def test_right_and_wrong_by_the_key_whatever_case_and_blanks(tmp_path: Path) -> None:
    found = read(tmp_path, [("  pARIS\u00a0", None), ("42.0", None), (None, None), (" ", " ")])
    assert found == [
        ["scored", 1.0, False],
        ["scored", 0.0, False],
        ["unanswered", -1.0, False],
        ["unanswered", -1.0, False],
    ]


def test_a_score_by_hand_counts_before_the_key_and_no_score_is_no_failure(tmp_path: Path) -> None:
    found = read(tmp_path, [("Paris, France", "1"), ("42", "1"), ("an essay", "0"), ("an essay", None)])
    assert found == [
        ["scored", 1.0, True],
        ["scored", 1.0, False],
        ["scored", 0.0, False],
        ["unscored", -1.0, False],
    ]


def test_lines_may_be_moved_and_left_out(tmp_path: Path) -> None:
    filled = write_csv(
        tmp_path / "f.csv", ("answer", "item", "benchmark"), [("x", "2", "words"), ("paris", "001", "maths")]
    )
    scored = read_form(filled, write_key(tmp_path), "p")
    assert scored[["item", "status"]].to_numpy().tolist() == [["2", "unscored"], ["001", "scored"]]


def test_many_people_in_one_file(tmp_path: Path) -> None:
    rows = [("B", "maths", "001", "Rome"), ("A", "maths", "001", "Paris"), ("A", "words", "1", None)]
    filled = write_csv(tmp_path / "f.csv", ("participant", "benchmark", "item", "answer"), rows)
    scored = read_form(filled, write_key(tmp_path), None)
    assert scored[["participant", "status"]].to_numpy().tolist() == [
        ["B", "scored"],
        ["A", "scored"],
        ["A", "unanswered"],
    ]
    assert "so does --system" in only_fault(filled, tmp_path / "key.csv", "A")


def test_faults_say_where(tmp_path: Path) -> None:
    key = write_key(tmp_path)
    header = ("participant", "benchmark", "item", "answer", "score")

    def fault(*row: str) -> str:
        return only_fault(write_csv(tmp_path / "f.csv", header, [row]), key, None)

    assert "row 2, column 'item': benchmark 'maths', item '1' is not in key.csv" in fault(
        "A", "maths", "1", "", ""
    )
    assert "row 2, column 'score': '0.5' is neither 0 nor 1" in fault("A", "maths", "001", "Paris", "0.5")
    assert "row 2, column 'participant': blank" in fault(" ", "maths", "001", "Paris", "")
    anonymous = write_filled(tmp_path, [(None, None)] * 4)
    assert "does not say who answered" in only_fault(anonymous, key, None)
    twice = write_csv(tmp_path / "f.csv", header[1:], [("maths", "001", "", "")] * 2)
    assert "stands in row 2 already" in only_fault(twice, key, "A")


def scored_rows(*rows: tuple[str, str, str, float | None]) -> pd.DataFrame:
    """participant, item, status, score, all of benchmark 'maths'."""
    frame = pd.DataFrame(rows, columns=["participant", "item", "status", "score"])
    return frame.assign(benchmark="maths", score=frame["score"].astype(float))


PERSON = scored_rows(
    ("P 7", "001", "scored", 1), ("P 7", "002", "scored", 0), ("P 7", "3", "unscored", None),
    ("P 7", "4", "unanswered", None), ("P 8", "001", "unanswered", None),
)  # fmt: skip


def test_results_leave_out_what_was_not_answered_and_the_readers_take_them(tmp_path: Path) -> None:
    write_results(tmp_path)
    write_systems(tmp_path, [{"system": "system-a", "developer": "D"}])
    assert write_people(tmp_path, PERSON, replace=False) == [tmp_path / "battery/results/P 7.csv"]
    result = read_results(tmp_path).frames["raw.result"].query("system == 'P 7'")
    found = result[["benchmark", "item", "score"]].itertuples(index=False, name=None)
    assert list(found) == [("maths", "001", "1"), ("maths", "002", "0"), ("maths", "3", None)]
    systems = read_systems(tmp_path).frames["raw.ai_system"]
    assert systems[["system", "name", "developer", "kind"]].to_numpy().tolist() == [
        ["system-a", None, "D", None],
        ["P 7", "P 7", None, "human"],
    ]


def test_a_systems_file_without_kind_keeps_its_cells(tmp_path: Path) -> None:
    path = tmp_path / "battery/systems.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes('\ufeffnote,system\r\n"a, ""b""\nc",system-a\r\n\r\n'.encode())
    write_people(tmp_path, PERSON, replace=False)
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            ["note", "system", "kind"],
            ['a, "b"\nc', "system-a", ""],
            ["", "P 7", "human"],
        ]


def test_a_systems_file_that_is_a_link_stays_one(tmp_path: Path) -> None:
    write_systems(tmp_path / "kept", [{"system": "system-a"}])
    kept, link = (folder / "battery/systems.csv" for folder in (tmp_path / "kept", tmp_path))
    link.parent.mkdir()
    link.symlink_to(kept)
    write_people(tmp_path, PERSON, replace=False)
    assert link.is_symlink() and "P 7" in kept.read_text()
    assert [path.name for path in kept.parent.iterdir()] == ["systems.csv"]


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    write_people(tmp_path, PERSON, replace=False)
    before = (tmp_path / "battery/systems.csv").read_bytes()
    again = scored_rows(("P 7", "001", "scored", 0), ("P 9", "001", "scored", 1))
    with pytest.raises(FileExistsError, match=r"not overwritten: battery/results/P 7\.csv"):
        write_people(tmp_path, again, replace=False)
    assert [p.name for p in (tmp_path / "battery/results").iterdir()] == ["P 7.csv"]
    assert (tmp_path / "battery/systems.csv").read_bytes() == before
    write_people(tmp_path, again, replace=True)
    result = read_results(tmp_path).frames["raw.result"]
    assert result[["system", "score"]].to_numpy().tolist() == [["P 7", "0"], ["P 9", "1"]]
    assert read_systems(tmp_path).frames["raw.ai_system"]["system"].tolist() == ["P 7", "P 9"]


@pytest.mark.parametrize("kind", [None, "ai"])
def test_an_ai_system_is_never_overwritten(kind: str | None, tmp_path: Path) -> None:
    if kind:
        write_systems(tmp_path, [{"system": "P 7", "kind": kind}])
    else:
        write_results(tmp_path, "P 7")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.csv")}
    with pytest.raises(FileExistsError, match="P 7 as an AI system"):
        write_people(tmp_path, PERSON, replace=True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.csv")} == before


@pytest.mark.parametrize("where", ["systems.csv", "results", "the same forms"])
def test_a_name_that_differs_from_another_only_in_case_is_refused(where: str, tmp_path: Path) -> None:
    person = PERSON
    if where == "systems.csv":
        write_systems(tmp_path, [{"system": "p 7", "kind": "human"}])
    elif where == "results":
        write_results(tmp_path, "p 7")
    else:
        person = pd.concat([PERSON, PERSON.assign(participant="p 7")])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.csv")}
    with pytest.raises(FileExistsError, match="differ only in case"):
        write_people(tmp_path, person, replace=True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.csv")} == before


@pytest.mark.parametrize("name", ["", "../x", "a/b", "~a", ".a", "a\tb", "x" * 81])
def test_a_name_that_can_not_name_a_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="can't name a file"):
        write_people(tmp_path, scored_rows((name, "001", "scored", 1)), replace=False)
    assert not list(tmp_path.iterdir())


def test_a_form_that_may_be_filled_in_already_is_kept(tmp_path: Path) -> None:
    chosen = pd.DataFrame(
        [(1, "maths", "001", "L SM", 0.25), (2, "words", "1", "L", 0.125)],
        columns=["position", "benchmark", "item", "dimensions", "expected_information"],
    )
    texts = pd.DataFrame(
        [("maths", "001", 'Capital, of "F"?\nSay', "Paris")], columns=["benchmark", "item", "text", "answer"]
    )
    form, key, readme = write_form(tmp_path / "out", chosen, texts, replace=False)
    with form.open(newline="") as file:
        assert list(csv.reader(file))[1:] == [
            ["1", "maths", "001", 'Capital, of "F"?\nSay', "", ""],
            ["2", "words", "1", "", "", ""],
        ]
    with key.open(newline="") as file:
        assert list(csv.reader(file))[1:] == [
            ["1", "maths", "001", "Paris", "L SM", "0.250000"],
            ["2", "words", "1", "", "L", "0.125000"],
        ]
    assert "--system" in readme.read_text()
    with pytest.raises(FileExistsError, match=r"form\.csv"):
        write_form(tmp_path / "out", chosen, texts, replace=False)
    write_form(tmp_path / "out", chosen.head(1), texts, replace=True)
    assert len(form.read_text().splitlines()) == 3  # header, and one item whose text has two lines
