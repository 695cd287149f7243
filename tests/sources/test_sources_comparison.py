"""comparison/: each file may be absent, cells stay text, and what is wrong is told where it stands."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from assets.sources.inventory import list_source_files
from assets.sources.readers import SourceError, read_comparison
from assets.sources.template import write_templates
from tests.support.factories import write_csv

TASKS = "comparison/aei/release_2025_03_27/task_pct_v2.csv"
EXPOSURE = "comparison/aei/labor_market_impacts/job_exposure.csv"
IWA = "comparison/working_with_ai/iwa_metrics.csv"


def test_values_land_as_text_with_their_place(tmp_path: Path) -> None:
    write_csv(tmp_path / TASKS, ("task_name", "pct"), [("sort, weigh and send parcels.", "0.10")])
    write_csv(tmp_path / EXPOSURE, ("occ_code", "title", "observed_exposure"), [("11-1011", "A", "")])
    write_csv(
        tmp_path / IWA, ("share_ai", "IWA", "title", "share_user", "more"), [(1, "4.A.1.a.1.I01", "B", 2, 3)]
    )
    write_csv(
        tmp_path / "comparison/aei/release_2025_03_27/task_pct_v1.csv", ("task_name", "pct"), [("a", 1)]
    )
    reading = read_comparison(tmp_path)
    frame = reading.frames["raw.index_value"].set_index("index_name")
    columns = ["level", "unit", "text", "column_name", "value", "row_number"]
    assert {name: tuple(row) for name, row in zip(frame.index, frame[columns].to_numpy(), strict=True)} == {
        "aei_2025_03_27": ("task", None, "sort, weigh and send parcels.", "pct", "0.10", 2),
        "aei_exposure": ("SOC", "11-1011", "A", "observed_exposure", None, 2),
        "microsoft_user": ("IWA", "4.A.1.a.1.I01", "B", "share_user", "2", 2),
        "microsoft_ai": ("IWA", "4.A.1.a.1.I01", "B", "share_ai", "1", 2),
    }
    assert reading.ignored_files == ["comparison/aei/release_2025_03_27/task_pct_v1.csv"]
    listed = list_source_files(tmp_path)
    assert set(listed["source_file"]) == {TASKS, EXPOSURE, IWA} == set(reading.files)
    assert set(listed["input"]) == {"comparison"}


def test_the_template_is_read_back_once_filled(tmp_path: Path) -> None:
    """Its headers alone are told as such; with a row in each file every cell arrives, and no file is left out."""
    paths = [path for path in write_templates(tmp_path) if path.is_relative_to(tmp_path / "comparison")]
    with pytest.raises(SourceError) as told:
        read_comparison(tmp_path)
    assert {fault.what for fault in told.value.faults} == {"the file has a header but no rows"}
    assert len(told.value.faults) == len(paths) == 5
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            (header,) = csv.reader(file)
        with path.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file).writerow([f"{n}" for n in range(len(header))])
    reading = read_comparison(tmp_path)
    frame = reading.frames["raw.index_value"].set_index("index_name").sort_index()
    columns = ["level", "unit", "text", "value"]
    assert {name: tuple(row) for name, row in zip(frame.index, frame[columns].to_numpy(), strict=True)} == {
        "aei_2025_02_10": ("task", None, "0", "1"),
        "aei_2025_03_27": ("task", None, "0", "1"),
        "aei_exposure": ("SOC", "0", "1", "2"),
        "microsoft_ai": ("IWA", "0", "1", "3"),
        "microsoft_applicability": ("SOC", "0", "1", "2"),
        "microsoft_user": ("IWA", "0", "1", "2"),
    }
    assert not reading.ignored_files and len(reading.files) == 5


def test_no_folder_gives_no_rows(tmp_path: Path) -> None:
    assert read_comparison(tmp_path).frames["raw.index_value"].empty


def test_all_faults_of_all_files_are_told(tmp_path: Path) -> None:
    write_csv(tmp_path / TASKS, ("task_name", "pct"), [("a", 1), ("b", 2), ("a", 3)])
    write_csv(tmp_path / EXPOSURE, ("occ_code", "title", "exposure"), [("11-1011", "A", 1)])
    with pytest.raises(SourceError) as told:
        read_comparison(tmp_path)
    assert [(fault.file, fault.row, fault.column) for fault in told.value.faults] == [
        (TASKS, 4, "task_name"),
        (EXPOSURE, 1, "observed_exposure"),
    ]
