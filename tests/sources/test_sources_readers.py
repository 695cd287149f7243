"""What the readers of ratings, results and systems must leave alone, and what they must tidy."""

from __future__ import annotations

import csv
import tempfile
import unicodedata
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.common.warehouse import declared_tables
from assets.sources.errors import SourceError
from assets.sources.inventory import list_source_files
from assets.sources.readers import (
    read_all_items,
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
from tests.support.factories import (
    CAPABILITIES,
    CROSSWALK_HEADER,
    RATINGS_HEADER,
    RESULTS_HEADER,
    SYSTEMS_HEADER,
    write_csv,
    write_onet,
    write_ratings,
    write_results,
    write_sources,
    write_systems,
)


def test_frames_have_the_declared_columns(tmp_path: Path) -> None:
    write_sources(tmp_path)
    readings = [
        read_ratings(tmp_path),
        read_results(tmp_path),
        read_systems(tmp_path),
        read_survey(tmp_path, "s"),
        read_interviews(tmp_path),
        read_propensity_items(tmp_path),
        read_propensity_bands(tmp_path),
        read_propensity_responses(tmp_path),
        read_onet(tmp_path),
        read_oews(tmp_path),
        read_comparison(tmp_path),
        read_candidates(tmp_path),
        read_outputs(tmp_path),
        read_verdicts(tmp_path),
        read_traits(tmp_path),
        read_servers(tmp_path),
        read_scenarios(tmp_path),
        read_trajectories(tmp_path),
        read_trajectory_verdicts(tmp_path),
    ]
    frames = {name: frame for reading in readings for name, frame in reading.frames.items()}
    chats = read_chats(tmp_path, tmp_path / "parts", max_characters=4000, request_characters=500)
    # which part it is only its file's name says
    read = pq.read_table(chats.parts[0]).to_pandas().assign(part=chats.parts[0].stem)
    frames |= {"raw.chat": read, "raw.chat_file": chats.files}
    frames["raw.source_file"] = list_source_files(tmp_path)
    frames["raw.item"] = read_all_items(tmp_path)[0]
    assert set(frames) == {name for name in declared_tables() if name.startswith("raw.")} - {
        "raw.refresh",
        "raw.refresh_step",
        "raw.setting",
        "raw.llm_call",
        "raw.annotation",
        "raw.propensity_annotation",
        "raw.propensity_llm_band",
        "raw.propensity_llm_item",
        "raw.propensity_llm_response",
        "raw.propensity_text",
        "raw.tournament_llm_output",
        "raw.tournament_llm_verdict",
        "raw.assistance_llm_trait",
    }
    for name, frame in frames.items():
        assert list(frame.columns) == list(declared_tables()[name])
        for column, kind in declared_tables()[name].items():
            assert kind != "string" or all(cell is None or type(cell) is str for cell in frame[column])


def test_absent_inputs_give_empty_frames(tmp_path: Path) -> None:
    for reading in (
        read_ratings(tmp_path),
        read_results(tmp_path),
        read_systems(tmp_path),
        read_survey(tmp_path, "s"),
        read_interviews(tmp_path),
        read_propensity_items(tmp_path),
        read_propensity_bands(tmp_path),
        read_propensity_responses(tmp_path),
        read_onet(tmp_path),
        read_oews(tmp_path),
        read_comparison(tmp_path),
        read_candidates(tmp_path),
        read_outputs(tmp_path),
        read_verdicts(tmp_path),
        read_traits(tmp_path),
        read_servers(tmp_path),
        read_scenarios(tmp_path),
        read_trajectories(tmp_path),
        read_trajectory_verdicts(tmp_path),
    ):
        for name, frame in reading.frames.items():
            assert frame.empty and list(frame.columns) == list(declared_tables()[name])
    assert list_source_files(tmp_path).empty
    chats = read_chats(tmp_path, tmp_path / "parts", max_characters=4000, request_characters=500)
    assert chats.parts == [] and list(chats.files.columns) == list(declared_tables()["raw.chat_file"])


@pytest.mark.parametrize(
    "content",
    [
        b"O*NET-SOC Code\tTitle\tDescription\n11-1011.00\tChief\n",
        b"O*NET-SOC Code\tTitle\n11-1011.00\tChief\n",
        b"O*NET-SOC Code\tTitle\tDescription\n",
        b"O*NET-SOC Code\tTitle\tDescription\n11-1011.00\tCh\xffef\tx\n",
        b"\n\n",
    ],
)
def test_a_damaged_file_of_onet_is_to_be_unzipped_again_not_exported(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "onet").mkdir()
    (tmp_path / "onet/Occupation Data.txt").write_bytes(content)
    with pytest.raises(SourceError) as told:
        read_onet(tmp_path)
    damaged = [fault for fault in told.value.faults if fault.file == "onet/Occupation Data.txt"]
    assert damaged and all(fault.do.startswith("Unzip the official text release again") for fault in damaged)


def test_a_code_of_the_crosswalk_that_a_spreadsheet_changed_is_named(tmp_path: Path) -> None:
    rows = [
        ("11-1011.00", "11-1011"),
        ("11-1021.00", "Nov-11"),
        ("11-1031.00", None),
        ("13-1011.00", "131011"),
    ]
    write_csv(tmp_path / "oews" / "crosswalk.csv", CROSSWALK_HEADER, rows)
    with pytest.raises(SourceError) as told:
        read_oews(tmp_path)
    assert [(fault.row, fault.column, fault.what) for fault in told.value.faults] == [
        (3, "NEM Code", "'Nov-11' is no code of occupations"),
        (5, "NEM Code", "'131011' is no code of occupations"),
    ]


def test_a_blank_code_of_the_crosswalk_is_taken_along_for_the_rejects(tmp_path: Path) -> None:
    rows = [("11-1011.00", "11-1011"), ("11-1031.00", " ")]
    write_csv(tmp_path / "oews" / "crosswalk.csv", CROSSWALK_HEADER, rows)
    assert read_oews(tmp_path).frames["raw.oews_crosswalk"]["oews_code"].tolist() == ["11-1011", None]


def test_a_skill_of_an_unknown_scale_is_named(tmp_path: Path) -> None:
    write_onet(tmp_path)
    header = "O*NET-SOC Code\tElement ID\tElement Name\tScale ID\tData Value\tRecommend Suppress"
    lines = [f"11-1011.00\t2.A.1.{n}\tReading\t{scale}\t3.5\tN" for n, scale in enumerate(("IM", "im", "LV"))]
    (tmp_path / "onet/Skills.txt").write_text("\n".join([header, *lines]))
    with pytest.raises(SourceError) as told:
        read_onet(tmp_path)
    (fault,) = told.value.faults
    assert (fault.file, fault.row, fault.column) == ("onet/Skills.txt", 3, "Scale ID")
    assert fault.what == "'im' is no scale of skills (IM or LV)"


TEXTS = [
    "0",
    "007",
    "1.0",
    "NaN",
    "NA",
    "null",
    "None",
    "",
    " 3 ",
    "11-1011.00",
    "TRUE",
    "1e5",
    "2026-01-02",
    "∞",
]


def test_every_cell_stays_text(tmp_path: Path) -> None:
    """A10, F16: what a sniffer would turn into numbers, dates or NULL comes through; only a blank is NULL."""
    write_results(tmp_path, scores={("bench", str(i)): text for i, text in enumerate(TEXTS)})
    scores = read_results(tmp_path).frames["raw.result"]["score"]
    assert list(scores) == [text or None for text in TEXTS]


def test_ids_that_look_alike_stay_apart(tmp_path: Path) -> None:
    items = [
        ("b", "0"),
        ("b", "007"),
        ("b", "7"),
        ("b", "1.0"),
        ("b", "1"),
        ("c", "0"),
        ("b", "NaN"),
        ("B", "0"),
    ]
    write_ratings(tmp_path, items=items)
    frame = read_ratings(tmp_path).frames["raw.rating"]
    keys = frame[["benchmark", "item"]].drop_duplicates().itertuples(index=False, name=None)
    assert list(keys) == items


def test_essay_cell_is_kept_whole_and_rows_after_it_keep_their_line(tmp_path: Path) -> None:
    """A1: a cell of several lines, with quotes and commas, is one cell of one item."""
    essay = 'Let me think.\nThe item says "plan", so:\n\n1. first,\n2. then\n'
    write_ratings(
        tmp_path,
        items=[("b", "1"), ("b", "2"), ("b", "3")],
        levels={("b", "2"): {"Planning": essay, "Language": None}},
    )
    frame = read_ratings(tmp_path).frames["raw.rating"]
    level: dict[tuple[str, str], str | None] = dict(
        zip(zip(frame["item"], frame["capability_name"], strict=True), frame["level"], strict=True)
    )
    assert level["2", "Planning"] == essay
    assert level["2", "Language"] is None  # A2: blank is NULL, 0 would be a level
    assert level["2", "Metacognition"] == "1"
    assert frame.groupby("item")["row_number"].unique().map(list).to_dict() == {
        "1": [2],
        "2": [3],
        "3": [3 + 6],
    }


def test_zero_and_blank_are_different(tmp_path: Path) -> None:
    write_ratings(
        tmp_path, items=[("b", "1")], levels={("b", "1"): {"Planning": 0, "Language": None}}, default=5
    )
    frame = read_ratings(tmp_path).frames["raw.rating"].set_index("capability_name")["level"]
    assert (frame["Planning"], frame["Language"], frame["Metacognition"]) == ("0", None, "5")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_names_are_tidied_at_the_door(encoding: str, tmp_path: Path) -> None:
    """B3: BOM, trailing and non-breaking blanks, curly quotes, decomposed letters, in headers and keys."""
    header = ["dataset name ", "sample\u00a0id", *CAPABILITIES[:-1], "\u00a0Language\u200b"]
    rows = [["Caf\u0065\u0301\u00a0Bench ", "it\u2019s 1", *["2"] * 18]]
    write_csv(tmp_path / "battery/ratings/r.csv", header, rows, encoding=encoding)
    reading = read_ratings(tmp_path)
    frame = reading.frames["raw.rating"]
    assert set(frame["benchmark"]) == {"Caf\u00e9 Bench"} and set(frame["item"]) == {"it's 1"}
    assert set(frame["capability_name"]) == set(CAPABILITIES) and reading.ignored_columns == {}


def test_byte_order_mark_before_a_quoted_header(tmp_path: Path) -> None:
    """B3 as spreadsheets and Qualtrics write it: every cell quoted, a mark before the first quote."""
    path = write_results(tmp_path)
    quoted = "\n".join(
        ",".join(f'"{cell}"' for cell in line.split(",")) for line in path.read_text().splitlines()
    )
    path.write_text(quoted + "\n", encoding="utf-8-sig")
    assert list(read_results(tmp_path).frames["raw.result"]["score"]) == ["1", "0"]
    header = [*RATINGS_HEADER[::-1]]
    path = write_csv(tmp_path / "battery/ratings/r.csv", header, [["1"] * 20])
    path.write_text('"Language"' + path.read_text()[len("Language") :], encoding="utf-8-sig")
    assert len(read_ratings(tmp_path).frames["raw.rating"]) == 18


def test_rater_and_system_are_the_file_stem(tmp_path: Path) -> None:
    write_results(tmp_path, "GPT-4o.2025-08")
    write_results(tmp_path, unicodedata.normalize("NFD", "modèle"))
    assert set(read_results(tmp_path).frames["raw.result"]["system"]) == {"GPT-4o.2025-08", "modèle"}


def test_what_is_not_an_input_is_listed_not_read(tmp_path: Path) -> None:
    write_results(tmp_path, "a")
    folder = tmp_path / "battery/results"
    for name in (".hidden.csv", "~$a.csv", "notes.txt"):
        (folder / name).write_text("?")
    (folder / "old").mkdir()
    write_csv(folder / "b.CSV", RESULTS_HEADER, [["t", "1", "1", "", "bench"]])
    reading = read_results(tmp_path)
    assert list(reading.files) == ["battery/results/a.csv", "battery/results/b.CSV"]
    left = {f"battery/results/{name}" for name in (".hidden.csv", "~$a.csv", "notes.txt", "old")}
    assert set(reading.ignored_files) == left


def test_unknown_columns_are_listed_not_read(tmp_path: Path) -> None:
    write_csv(
        tmp_path / "battery/ratings/r.csv",
        [*RATINGS_HEADER, "Humour", ""],
        [["b", "1", *["0"] * 18, "5", ""]],
    )
    reading = read_ratings(tmp_path)
    assert reading.ignored_columns == {"battery/ratings/r.csv": ["Humour", "(no name)"]}
    assert len(reading.frames["raw.rating"]) == 18


def test_blank_rows_are_skipped_and_counted(tmp_path: Path) -> None:
    path = write_results(tmp_path)
    path.write_text(path.read_text() + "\n,,,,\nt,3,1,,bench\n\n")
    reading = read_results(tmp_path)
    assert list(reading.frames["raw.result"]["row_number"]) == [2, 3, 6]
    assert reading.n_blank_rows == 3


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system(newline: str, tmp_path: Path) -> None:
    path = write_results(tmp_path)
    path.write_bytes(path.read_text().replace("\n", newline).encode())
    frame = read_results(tmp_path).frames["raw.result"]
    assert list(frame["row_number"]) == [2, 3] and list(frame["score"]) == ["1", "0"]


def test_results_without_optional_columns(tmp_path: Path) -> None:
    write_csv(tmp_path / "battery/results/s.csv", ["dataset_name", "score", "sample_id"], [["b", "1", "x"]])
    row = read_results(tmp_path).frames["raw.result"].iloc[0]
    assert (row["benchmark"], row["item"], row["score"]) == ("b", "x", "1")
    assert row["task_name"] is None and row["metadata"] is None


def test_settings_and_scaffold_of_a_system_come_through(tmp_path: Path) -> None:
    """A20: one model with two settings is two systems."""
    rows = [
        {"system": "m-low", "model": "m", "settings": "effort=low"},
        {"system": "m-high", "model": "m", "settings": "effort=high", "scaffold": "react"},
    ]
    write_systems(tmp_path, rows)
    frame = read_systems(tmp_path).frames["raw.ai_system"]
    found = frame[["system", "model", "settings", "scaffold"]].itertuples(index=False, name=None)
    assert list(found) == [("m-low", "m", "effort=low", None), ("m-high", "m", "effort=high", "react")]


def test_source_file_changes_its_hash_with_its_bytes(tmp_path: Path) -> None:
    """B10: a source that is updated under you shows."""
    path = write_results(tmp_path)
    before = list_source_files(tmp_path).iloc[0]
    path.write_text(path.read_text() + "t,9,1,,bench\n")
    after = list_source_files(tmp_path).iloc[0]
    assert before["source_file"] == after["source_file"] == "battery/results/system-a.csv"
    assert before["source_sha256"] != after["source_sha256"] and after["n_bytes"] == path.stat().st_size
    assert read_results(tmp_path).frames["raw.result"]["source_sha256"].unique() == [after["source_sha256"]]


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=6)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), n=st.integers(1, 4))
def test_order_of_columns_and_rows_changes_no_cell(data: st.DataObject, n: int) -> None:
    """A11: shuffle columns and rows; the set of (item, capability, level) stays as written."""
    levels = [[data.draw(cells) for _ in CAPABILITIES] for _ in range(n)]
    rows = [[f"bench{i % 2}", str(i), *levels[i]] for i in range(n)]
    columns = data.draw(st.permutations(range(len(RATINGS_HEADER))))
    order = data.draw(st.permutations(range(n)))
    expected = {
        (f"bench{i % 2}", str(i), name, levels[i][k] if levels[i][k].strip() else None)
        for i in range(n)
        for k, name in enumerate(CAPABILITIES)
    }
    with tempfile.TemporaryDirectory() as folder:
        header = [RATINGS_HEADER[c] for c in columns]
        shuffled = [[rows[i][c] for c in columns] for i in order]
        path = write_csv(Path(folder) / "battery/ratings/r.csv", header, shuffled)
        frame = read_ratings(Path(folder)).frames["raw.rating"]
        with path.open(encoding="utf-8", newline="") as file:
            lines = {
                (row[columns.index(0)], row[columns.index(1)]): i + 1
                for i, row in enumerate(csv.reader(file))
            }
    found = frame[["benchmark", "item", "capability_name", "level"]].itertuples(index=False, name=None)
    assert len(frame) == n * 18 and set(found) == expected
    rows_found = frame[["benchmark", "item", "row_number"]].itertuples(index=False, name=None)
    assert all(lines[benchmark, item] == line for benchmark, item, line in rows_found)


def test_header_of_systems_in_any_order(tmp_path: Path) -> None:
    header = list(reversed(SYSTEMS_HEADER))
    write_csv(tmp_path / "battery/systems.csv", header, [[f"<{name}>" for name in header]])
    row = read_systems(tmp_path).frames["raw.ai_system"].iloc[0]
    assert all(row[name] == f"<{name}>" for name in SYSTEMS_HEADER)
