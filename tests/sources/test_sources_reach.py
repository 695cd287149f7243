"""Which files count: what can't be reached is no absent input, and what stands twice is refused."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assets.settings import Settings
from assets.sources.input_root import sources_folder
from assets.sources.inventory import list_source_files
from assets.sources.readers import (
    SourceError,
    read_candidates,
    read_comparison,
    read_interviews,
    read_items,
    read_propensity_bands,
    read_propensity_items,
    read_propensity_responses,
    read_ratings,
    read_results,
    read_survey,
    read_systems,
    read_verdicts,
)
from tests.support.factories import (
    CANDIDATES_HEADER,
    SYSTEMS_HEADER,
    write_csv,
    write_interview,
    write_json_lines,
    write_propensity_bands,
    write_propensity_items,
    write_propensity_responses,
    write_ratings,
    write_results,
    write_survey,
)

Read = Callable[[Path], Any]


def survey(sources: Path) -> Any:
    return read_survey(sources, "salt")


def faults(read: Read, sources: Path) -> list[tuple[str, str]]:
    with pytest.raises(SourceError) as told:
        read(sources)
    assert all(fault.do for fault in told.value.faults)
    return [(fault.file, fault.what) for fault in told.value.faults]


INPUTS: list[tuple[str, Read]] = [
    ("battery/systems.csv", read_systems),
    ("tournament/candidates.csv", read_candidates),
    ("comparison/working_with_ai/iwa_metrics.csv", read_comparison),
    ("battery/results", read_results),
    ("battery/ratings", read_ratings),
    ("battery/items", read_items),
    ("survey", survey),
    ("survey/interviews", read_interviews),
    ("tournament/judgements", read_verdicts),
]


@pytest.mark.parametrize(("location", "read"), INPUTS)
@pytest.mark.parametrize("target", ["nowhere", "itself"])
def test_a_link_that_leads_nowhere_is_no_absent_input(
    location: str, read: Read, target: str, tmp_path: Path
) -> None:
    path = tmp_path / location
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(path if target == "itself" else tmp_path / target)
    for reader in (read, list_source_files):
        ((file, what),) = faults(reader, tmp_path)
        assert file == location and what.startswith("cannot be re")


@pytest.mark.parametrize(("location", "read"), INPUTS)
def test_a_folder_on_the_way_must_be_one_and_be_there(location: str, read: Read, tmp_path: Path) -> None:
    top = tmp_path / location.split("/")[0]
    top.symlink_to(tmp_path / "nowhere")
    ((file, what),) = faults(read, tmp_path)
    assert file == top.name and what.startswith("cannot be reached")
    top.unlink()
    top.write_text("x")
    assert faults(read, tmp_path) == [(top.name, "a file where a folder is expected")]


def test_a_link_to_a_folder_is_followed(tmp_path: Path) -> None:
    write_results(tmp_path / "share")
    (tmp_path / "battery").symlink_to(tmp_path / "share/battery")
    assert len(read_results(tmp_path).frames["raw.result"]) == 2


def test_the_only_input_may_be_the_one_that_is_out_of_reach(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/battery").symlink_to(tmp_path / "nowhere")
    sources = sources_folder(Settings(home=tmp_path / "home", sources=tmp_path / "in"))
    assert faults(read_results, sources)[0][0] == "battery"


@pytest.mark.parametrize(
    ("location", "read", "header"),
    [
        ("battery/systems.CSV", read_systems, SYSTEMS_HEADER),
        ("tournament/candidates.Csv", read_candidates, CANDIDATES_HEADER),
    ],
)
def test_the_case_of_a_single_files_name_does_not_matter(
    location: str, read: Read, header: tuple[str, ...], tmp_path: Path
) -> None:
    path = write_csv(tmp_path / location, header, [["1"] * len(header)])
    (frame,) = read(tmp_path).frames.values()
    assert list(frame["source_file"]) == [location]
    assert list(list_source_files(tmp_path)["source_file"]) == [location]
    write_csv(path.with_suffix(".csv"), header, [["2"] * len(header)])
    ((_, what),) = faults(read, tmp_path)
    assert what == f"gives the same name as {path.name}"


def write_verdicts(sources: Path, name: str) -> Path:
    return write_json_lines(sources / f"tournament/judgements/{name}.jsonl", [{"task": "t"}])


def write_texts(sources: Path, name: str) -> Path:
    return write_json_lines(sources / f"battery/items/{name}.jsonl", [{"item": "1", "text": "t"}])


def items(n: int) -> list[tuple[str, str]]:
    return [("bench", str(i)) for i in range(n)]


@pytest.mark.parametrize(
    ("write", "read"),
    [
        (lambda sources: write_ratings(sources, "one", items(10)), read_ratings),
        (lambda sources: write_survey(sources, "one"), survey),
        (lambda sources: write_interview(sources, "one"), read_interviews),
        (lambda sources: write_propensity_items(sources, "one"), read_propensity_items),
        (lambda sources: write_propensity_bands(sources, "one"), read_propensity_bands),
        (lambda sources: write_propensity_responses(sources, "one"), read_propensity_responses),
        (lambda sources: write_verdicts(sources, "one"), read_verdicts),
        (lambda sources: write_texts(sources, "one"), read_items),
    ],
)
def test_a_copy_under_another_name_is_refused(
    write: Callable[[Path], Path], read: Read, tmp_path: Path
) -> None:
    path = write(tmp_path)
    copy = path.with_stem("one (1)")
    shutil.copy(path, copy)
    place = path.parent.relative_to(tmp_path).as_posix()
    found = faults(read, tmp_path)
    assert {file for file, _ in found} == {f"{place}/{path.name}"}
    if read is survey:
        # a survey names each person who is in both
        assert [what for _, what in found] == [
            f"the response of {place}/{copy.name}, row {row} again" for row in range(2, 2 + len(found))
        ]
    else:
        assert [what for _, what in found] == [
            f"the same bytes as {place}/{copy.name}, which would count twice"
        ]


def test_files_that_only_their_names_tell_apart_may_be_equal(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_ratings(tmp_path, name, items(9))
        write_results(tmp_path, name, dict.fromkeys(items(500), 1))
    assert set(read_ratings(tmp_path).frames["raw.rating"]["rater"]) == {"a", "b"}
    assert set(read_results(tmp_path).frames["raw.result"]["system"]) == {"a", "b"}


def test_files_that_differ_by_a_column_of_the_users_own_are_no_copies(tmp_path: Path) -> None:
    header = ["system", "item_id", "propensity", "incitation", "option", "is_correct", "trial"]
    for trial in ("1", "2"):
        row = ["s", "i", "risk", "none", "a", "", trial]
        write_csv(tmp_path / f"propensity/responses/{trial}.csv", header, [row])
    assert len(read_propensity_responses(tmp_path).frames["raw.propensity_response"]) == 2


@pytest.mark.parametrize(("one", "other"), [("b.jsonl", "b.JSONL"), ("\u00e9.jsonl", "e\u0301.jsonl")])
def test_texts_of_one_benchmark_in_two_files_are_refused(one: str, other: str, tmp_path: Path) -> None:
    for number, name in enumerate((one, other)):
        write_json_lines(tmp_path / "battery/items" / name, [{"item": str(number), "text": "t"}])
    ((_, what),) = faults(read_items, tmp_path)
    assert what.startswith("gives the same name as")


def test_items_without_a_line_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "battery/items"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").touch()
    (folder / "b.jsonl").write_text("\n \n")
    assert faults(read_items, tmp_path) == [
        ("battery/items/a.jsonl", "the file is empty (0 bytes)"),
        ("battery/items/b.jsonl", "the file holds no lines"),
    ]


def test_a_file_whose_name_is_blank_names_no_system(tmp_path: Path) -> None:
    write_results(tmp_path, "\u00a0")
    assert faults(read_results, tmp_path) == [("battery/results/\u00a0.csv", "the file's name is blank")]


def test_a_pipe_among_results_is_refused_not_waited_for(tmp_path: Path) -> None:
    write_results(tmp_path)
    os.mkfifo(tmp_path / "battery/results/pipe.csv")
    assert faults(list_source_files, tmp_path) == [("battery/results/pipe.csv", "not a regular file")]
