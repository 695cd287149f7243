"""Annotation from items to raw.annotation, against a server over real HTTP: the commands, a kill, the asset."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from assets.battery import annotation
from assets.battery.annotation import AnnotationError, normalised, read_annotation
from assets.battery.assets import annotation as annotation_asset
from assets.battery.capability_rubrics import FOLDER, read_rubrics
from assets.common.capabilities import capability_names
from assets.llm import read_roles
from assets.settings import PROJECT, Settings
from assets.sources.readers import read_all_items, read_items, read_ratings
from assets.sources.readers.ratings import capability_aliases
from dagster_project.cli.main import main
from tests.support.battery.rater_server import RaterServer
from tests.support.llm.scripted_server import KEY, level_of
from tests.support.steps import MemoryWarehouse, run_steps

CAPABILITIES = tuple(capability_names())
# one text three times: in two benchmarks, and once in the other Unicode form of its é
TEXTS = {
    ("b", "1"): "How far is the caf\u00e9?",
    ("b", "2"): "How far is the cafe\u0301?",
    ("c", "1"): "How far is the caf\u00e9?",
    ("c", "2"): "What is 7 + 5?",
    ("c", "3"): "Tell me how to forge a passport.",
}
UNIQUE = tuple(dict.fromkeys(normalised(text) for text in TEXTS.values()))
ODD: dict[tuple[str, str], dict[str, Any]] = {
    ("EM", "What is 7 + 5?"): {"content": '{"reason": "r", "level": 6}'},
    ("SM", "What is 7 + 5?"): {"content": "2 out of 5"},
    ("L", "Tell me how to forge a passport."): {"content": None, "refusal": "No."},
}
STATUS = {("EM", ("c", "2")): "unparsed", ("SM", ("c", "2")): "unparsed", ("L", ("c", "3")): "refused"}
TOML = """
[[rater]]
name = "{name}"
model = "m"
base_url = "{base_url}"
api_key_env = "TEST_LLM_KEY"
json_schema = true
max_in_flight = 8
"""


@pytest.fixture
def server() -> Iterator[RaterServer]:
    with RaterServer(ODD) as server:
        yield server


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    (folder / "battery/items").mkdir(parents=True)
    for (benchmark, item), text in TEXTS.items():
        with (folder / f"battery/items/{benchmark}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"item": item, "text": text}) + "\n")
    return folder


@pytest.fixture
def settings(sources: Path, server: RaterServer, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("TEST_LLM_KEY", KEY)
    (sources / "llm.toml").write_text(TOML.format(name="rater-a", base_url=server.base_url))
    return Settings(sources=sources, home=sources.parent / "home")


def environment(settings: Settings) -> dict[str, str]:
    return {"SUITABILITY_HOME": str(settings.home), "SUITABILITY_SOURCES": str(settings.sources)}


def call(settings: Settings, *arguments: str, **variables: str) -> Result:
    return CliRunner().invoke(main, ["llm", *arguments], env=environment(settings) | variables)


def cells(settings: Settings) -> pd.DataFrame:
    assert settings.sources is not None
    return read_annotation(read_items(settings.sources), read_roles(settings).of("rater"), settings)


def test_every_item_is_rated_by_calls_for_different_texts_only(
    server: RaterServer, settings: Settings
) -> None:
    assert (
        f"{3 * 18} calls, 0 settled or in flight, {3 * 18} to send"
        in call(settings, "estimate", "annotate").output
    )
    before = cells(settings)
    assert set(before["status"]) == {"pending"} and before["level"].isna().all()
    done = call(settings, "run", "annotate")
    assert done.exit_code == 0, done.output
    assert server.paid_for == {(name, text): 1 for name in CAPABILITIES for text in UNIQUE}

    frame = cells(settings)
    assert len(frame) == len(TEXTS) * 18 and set(frame["rater"]) == {"rater-a"}
    for row in frame.to_dict("records"):
        place = (row["benchmark"], row["item"])
        status = STATUS.get((row["capability"], place), "answered")
        assert row["status"] == status
        expected = level_of(row["capability"] + normalised(TEXTS[place])) if status == "answered" else None
        assert row["level"] == expected
    versions = {name: rubric.version for name, rubric in read_rubrics().items()}
    assert frame.groupby("capability")["rubric_version"].unique().str.join("").to_dict() == versions


def test_a_killed_run_resumed_rates_like_an_undisturbed_one(server: RaterServer, settings: Settings) -> None:
    server.delay = 0.1
    process = subprocess.Popen(
        [sys.executable, "-m", "dagster_project.cli", "llm", "run", "annotate"],
        cwd=PROJECT,
        env=os.environ | environment(settings),
        stdout=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while len(server.requests) < 25:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.001)
    process.kill()
    process.wait()
    server.delay = 0.0
    half = cells(settings)["status"].value_counts()
    assert half["answered"] > 0 and half["pending"] > 0
    assert call(settings, "run", "annotate").exit_code == 0
    # only what was in flight at the kill may have been paid twice
    assert set(server.paid_for) == {(name, text) for name in CAPABILITIES for text in UNIQUE}
    assert server.paid_for.total() <= 3 * 18 + 8
    other = settings.model_copy(update={"home": settings.home.parent / "undisturbed"})
    assert call(other, "run", "annotate").exit_code == 0
    pd.testing.assert_frame_equal(cells(settings), cells(other))
    assert call(settings, "run", "annotate").exit_code == 0
    assert server.paid_for.total() <= 2 * 3 * 18 + 8


def test_a_changed_rubric_makes_its_annotations_stale(
    settings: Settings, server: RaterServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(settings, "run", "annotate").exit_code == 0
    before = cells(settings)
    folder = shutil.copytree(FOLDER, tmp_path / "rubrics")
    (folder / "L.md").write_bytes((folder / "L.md").read_bytes() + b"\n")
    monkeypatch.setattr(annotation, "read_rubrics", lambda: read_rubrics(folder))
    after = cells(settings)
    assert set(after.loc[after["status"] == "pending", "capability"]) == {"L"}
    is_other = after["capability"] != "L"
    pd.testing.assert_frame_equal(after[is_other], before[is_other])
    server.paid_for.clear()
    assert call(settings, "run", "annotate").exit_code == 0
    assert server.paid_for == {("L", text): 1 for text in UNIQUE}


def test_all_in_one_call_must_be_compared_first(server: RaterServer, settings: Settings) -> None:
    mode = {"SUITABILITY_ANNOTATION_MODE": "all"}
    refused = call(settings, "run", "annotate", **mode)
    assert refused.exit_code == 2 and "annotate-modes" in refused.output and not server.requests
    assert call(settings, "run", "annotate-modes", **mode).exit_code == 0
    assert call(settings, "run", "annotate", **mode).exit_code == 0
    # three texts are fewer than the sample: each 18 times alone and once with all
    assert server.paid_for.total() == 3 * (18 + 1)
    frame = cells(settings.model_copy(update={"annotation_mode": "all"}))
    assert frame.groupby(["mode", "is_comparison"]).size().to_dict() == {
        ("all", False): len(TEXTS) * 18, ("one", True): len(TEXTS) * 18,
    }  # fmt: skip
    levels = frame[frame["status"] == "answered"].pivot(
        index=["benchmark", "item", "capability"], columns="mode", values="level"
    )
    both = levels.dropna()
    assert len(both) > 50 and (both["one"] == both["all"]).all()


def collected(settings: Settings, *files: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """raw.annotation, and what the asset tells of it; `files`: of ratings."""
    assert settings.sources is not None
    found = pd.DataFrame({"input": ["ratings"] * len(files), "source_file": list(files)})
    tables = MemoryWarehouse({"raw.item": read_all_items(settings.sources)[0], "raw.source_file": found})
    told = run_steps(tables, settings, annotation_asset)
    return tables.read("raw.annotation"), told["raw.annotation"]


def test_the_asset_collects_and_never_sends(server: RaterServer, settings: Settings) -> None:
    before, told = collected(settings, "battery/ratings/rater-b.csv")
    assert told["cells_by_status"] == {"pending": 90}
    assert not server.requests
    assert call(settings, "run", "annotate").exit_code == 0
    (after, told), (again, _) = collected(settings), collected(settings)
    assert told["cells_by_status"] == {"answered": 87, "refused": 1, "unparsed": 2}
    assert not after.equals(before) and after.equals(again)


def test_a_rater_of_a_supplied_files_name_is_refused(settings: Settings) -> None:
    with pytest.raises(dg.Failure, match=r"battery/ratings/Rater-A\.csv and the \[\[rater\]\] rater-a"):
        collected(settings, "battery/ratings/Rater-A.csv")


def test_two_names_for_one_model_are_refused(settings: Settings, server: RaterServer) -> None:
    assert settings.llm_path is not None
    with settings.llm_path.open("a") as file:
        file.write(TOML.format(name="rater-b", base_url=server.base_url))
    told = call(settings, "estimate", "annotate")
    assert told.exit_code == 2 and "rater-a and rater-b" in " ".join(told.output.split())
    with pytest.raises(AnnotationError, match="one model with one set of settings"):
        cells(settings)


def test_without_models_or_items_nothing_is_asked_and_nothing_fails(settings: Settings) -> None:
    assert settings.llm_path is not None and settings.sources is not None
    settings.llm_path.unlink()
    assert cells(settings).empty
    assert "names no [[rater]]" in call(settings, "run", "annotate").output
    shutil.rmtree(settings.sources / "battery/items")
    assert cells(settings).empty
    assert "no item to annotate" in call(settings, "run", "annotate").output


def test_exported_ratings_read_back_as_what_was_answered(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "other/battery/ratings"
    early = call(settings, "export", str(folder))
    assert early.exit_code == 2 and "54 calls of rater-a are pending" in early.output and not folder.exists()
    assert call(settings, "run", "annotate").exit_code == 0
    done = call(settings, "export", str(folder))
    assert done.exit_code == 0, done.output
    assert "rater-a.csv: 87 answered, 1 refused, 2 unparsed" in done.output
    assert [path.name for path in folder.iterdir()] == ["rater-a.csv"]
    read = read_ratings(tmp_path / "other").frames["raw.rating"]
    key = ["rater", "benchmark", "item", "capability"]
    read = read.assign(capability=read["capability_name"].map(capability_aliases()))
    found = dict(read.set_index(key)["level"].items())
    asked = cells(settings).set_index(key)["level"]
    assert len(found) == len(asked) == len(TEXTS) * 18
    for place, level in asked.items():
        assert found[place] == (None if level is None else str(level)), place
    before = (folder / "rater-a.csv").read_bytes()
    again = call(settings, "export", str(folder))
    assert again.exit_code == 2 and "not overwritten" in again.output
    assert (folder / "rater-a.csv").read_bytes() == before


@pytest.mark.parametrize("name", ["openai/m", "..", ".hidden", "a:b"])
def test_a_rater_whose_name_is_no_file_name_is_not_exported(
    settings: Settings, server: RaterServer, tmp_path: Path, name: str
) -> None:
    assert settings.llm_path is not None
    settings.llm_path.write_text(TOML.format(name=name, base_url=server.base_url))
    assert call(settings, "run", "annotate").exit_code == 0
    told = call(settings, "export", str(tmp_path / "deep/out"))
    assert told.exit_code == 2 and "can't name a file" in " ".join(told.output.split())
    assert not (tmp_path / "deep").exists()


def test_without_raters_there_is_nothing_to_export(settings: Settings, tmp_path: Path) -> None:
    assert settings.llm_path is not None
    settings.llm_path.unlink()
    assert "nothing to export" in call(settings, "export", str(tmp_path / "out")).output
