"""The demo as a folder: layout, stamp, determinism, and what a kill or a second caller meets."""

import csv
import json
import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from assets.demo import ensure, figures, generate
from assets.demo.ensure import ensure_demo
from assets.settings import Settings
from tests.support.factories import CAPABILITIES, RESULTS_HEADER, SYSTEMS_HEADER

SEED = Settings.model_fields["seed"].default  # what a user sees
PROPENSITIES = ("red_blue", "risk", "extraversion", "ultracrepidarianism")
SYSTEMS = {"gpt-4o-mini", "gpt-5-nano", "gemini-2.5-flash", "gemini-3-flash", "gemini-3.1-pro", "o4-mini"}

# what no seed changes: invented once, by hand
FIXED = {
    *(
        f"onet/{name}.txt"
        for name in ("Read Me", "Occupation Data", "IWA Reference", "Content Model Reference")
    ),
    *("onet/Job Zones.txt", "onet/Technology Skills.txt", "oews/national.csv", "oews/crosswalk.csv"),
}
AGENT_SERVERS = "agentic/servers/servers.jsonl"
INTERVIEW = "survey/interviews/support-lead.csv"
COMPARISON = {
    "comparison/aei/labor_market_impacts/job_exposure.csv",
    "comparison/aei/release_2025_02_10/onet_task_mappings.csv",
    "comparison/aei/release_2025_03_27/task_pct_v2.csv",
    "comparison/working_with_ai/iwa_metrics.csv",
    "comparison/working_with_ai/soc_ai_applicability_scores.csv",
}
ADOPTION = FIXED | {
    *(f"onet/{name}.txt" for name in ("Task Statements", "Tasks to DWAs", "DWA Reference", "Skills")),
    *("chats/2000-01.parquet", "chats/2000-02.jsonl"),
}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def header(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def test_files_are_those_of_the_input_layout(demo: Path) -> None:
    expected = {"battery/ratings/rater-a.csv", "battery/ratings/rater-b.csv", "battery/systems.csv"}
    expected |= {f"battery/results/{system}.csv" for system in SYSTEMS}
    expected |= {"survey/companies.csv", "survey/online.csv", "SYNTHETIC.md", ".stamp"}
    expected |= {INTERVIEW}
    expected |= {f"tournament/outputs/{mode}.jsonl" for mode in ("automation", "augmentation")}
    expected |= {f"tournament/judgements/judge-{name}.jsonl" for name in ("a", "b", "gpt", "gemini")}
    expected |= {
        "tournament/candidates.csv",
        "tournament/traits/judge-a.jsonl",
        "tournament/traits/judge-b.jsonl",
    }
    expected |= {f"propensity/responses/{system}.csv" for system in SYSTEMS}
    expected |= ADOPTION | COMPARISON
    expected |= {f"agentic/trajectories/{system}.jsonl" for system in ("kestrel-agent", "plover-agent")}
    expected |= {AGENT_SERVERS, "agentic/scenarios/scenarios.jsonl", "agentic/verdicts/judge-a.jsonl"}
    expected |= {f"propensity/bands/{figures.BAND_RATER}.csv"}
    expected |= {f"propensity/items/{name}.csv" for name in PROPENSITIES}
    assert set(contents(demo)) == expected


def test_headers_are_the_public_ones(demo: Path) -> None:
    older = {"dataset name", "sample id", *CAPABILITIES}
    newer = older - {"Inhibitory Control"} | {"Attention and Inhibitory Control"}
    assert set(header(demo / "battery/ratings/rater-a.csv")) == older
    assert set(header(demo / "battery/ratings/rater-b.csv")) == newer
    assert header(demo / "battery/systems.csv") == list(SYSTEMS_HEADER[:-1])  # kind may be absent
    for system in SYSTEMS:
        assert header(demo / f"battery/results/{system}.csv") == list(RESULTS_HEADER)


def test_both_shapes_of_a_survey_export_are_there(demo: Path) -> None:
    with (demo / "survey/online.csv").open(encoding="utf-8", newline="") as file:
        names, texts, ids, *_ = csv.reader(file)
    assert {"Progress", "Q2.11", "Q3.1", "Q3.2_21", "18_Q5.4_18", "Q6.2_1", "prescreen"} <= set(names)
    assert all("ImportId" in json.loads(cell) for cell in ids)
    assert "Q3.1" in texts[names.index("Q3.1")]
    with (demo / "survey/companies.csv").open(encoding="utf-8", newline="") as file:
        _, first, *_ = csv.reader(file)
    assert first[0].startswith("2000-01-01")


def test_columns_an_ingest_must_refuse_hold_only_reserved_values(demo: Path) -> None:
    with (demo / "survey/companies.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(row["IPAddress"].startswith("192.0.2.") for row in rows)
    assert all(row["RecipientEmail"].endswith("@example.invalid") for row in rows)


def test_release_dates_are_left_blank_as_they_are_not_published(demo: Path) -> None:
    with (demo / "battery/systems.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["system"] for row in rows} == SYSTEMS
    assert {row["released_on"] for row in rows} == {""}
    assert {row["developer"] for row in rows} == {"OpenAI", "Google"}


def test_note_says_synthetic_and_by_which_seed(demo: Path) -> None:
    note = (demo / "SYNTHETIC.md").read_text(encoding="utf-8")
    assert "synthetic" in note
    assert str(SEED) in note
    assert "1,000" in note


def test_same_seed_gives_the_same_bytes_and_another_seed_others(demo: Path, tmp_path: Path) -> None:
    assert contents(ensure_demo(tmp_path / "again", n_items=1000, seed=SEED)) == contents(demo)
    other = contents(ensure_demo(tmp_path / "other", n_items=1000, seed=SEED + 1))
    same = {name for name, data in contents(demo).items() if other[name] == data}
    assert same == {"battery/systems.csv", "tournament/candidates.csv", AGENT_SERVERS, INTERVIEW} | FIXED


def test_second_call_touches_nothing(demo: Path) -> None:
    before = {p: p.stat().st_mtime_ns for p in [demo, *demo.rglob("*")]}
    assert ensure_demo(demo, n_items=1000, seed=SEED) == demo
    assert {p: p.stat().st_mtime_ns for p in [demo, *demo.rglob("*")]} == before


def test_other_size_replaces_the_folder(tmp_path: Path) -> None:
    folder = ensure_demo(tmp_path / "demo", n_items=500, seed=SEED)
    small = len((folder / "battery/results/o4-mini.csv").read_text(encoding="utf-8").splitlines())
    (folder / "survey/stray.csv").write_text("left from before", encoding="utf-8")
    ensure_demo(folder, n_items=600, seed=SEED)
    assert small == 501
    assert len((folder / "battery/results/o4-mini.csv").read_text(encoding="utf-8").splitlines()) == 601
    assert not (folder / "survey/stray.csv").exists()


def test_changed_generator_makes_the_stamp_stale(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "battery.py"
    source.write_text("one", encoding="utf-8")
    monkeypatch.setattr(figures, "HERE", tmp_path)
    before = ensure._stamp(500, 1)
    source.write_text("two", encoding="utf-8")
    assert ensure._stamp(500, 1) != before


def test_folder_of_another_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("precious", encoding="utf-8")
    with pytest.raises(FileExistsError, match="no demo folder"):
        ensure_demo(tmp_path, n_items=500, seed=SEED)
    assert (tmp_path / "mine.csv").read_text(encoding="utf-8") == "precious"


def test_too_small_a_battery_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="SUITABILITY_DEMO_ITEMS"):
        ensure_demo(tmp_path / "demo", n_items=499, seed=SEED)
    assert not (tmp_path / "demo").exists()


def _stall_in_the_survey(folder: Path) -> None:
    generate._write_survey = lambda *_: time.sleep(60)  # type: ignore[assignment]
    ensure_demo(folder, n_items=600, seed=SEED)


@pytest.mark.parametrize("has_older", [False, True])
def test_kill_in_the_middle_leaves_the_old_demo_or_none(tmp_path: Path, has_older: bool) -> None:
    folder = tmp_path / "demo"
    if has_older:
        ensure_demo(folder, n_items=500, seed=SEED)
    before = contents(folder) if has_older else {}
    writer = multiprocessing.get_context("fork").Process(target=_stall_in_the_survey, args=(folder,))
    writer.start()
    deadline = time.monotonic() + 30
    while not list(tmp_path.glob(".demo-*/new/survey")) and not list(
        tmp_path.glob(".demo-*/new/battery/systems.csv")
    ):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert writer.pid is not None
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    assert folder.exists() == has_older
    assert (contents(folder) if has_older else {}) == before
    ensure_demo(folder, n_items=600, seed=SEED)
    assert (folder / "survey/online.csv").is_file()
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".demo-")] == []


def test_callers_at_the_same_time_get_one_demo(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    folder = tmp_path / "demo"
    callers = [
        context.Process(target=ensure_demo, args=(folder,), kwargs={"n_items": 500, "seed": SEED})
        for _ in range(3)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert [caller.exitcode for caller in callers] == [0, 0, 0]
    assert (folder / "SYNTHETIC.md").is_file()
