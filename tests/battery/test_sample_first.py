"""Rate a sample, choose a battery, rate what was chosen: the commands and tables of it, against a server over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from assets.battery.assets import annotation, battery_selection
from assets.settings import Settings
from assets.sources.readers import read_all_items
from dagster_project.cli.main import main
from tests.support.battery.rater_server import RaterServer
from tests.support.battery.slice_build import BatteryPipeline
from tests.support.llm.scripted_server import KEY
from tests.support.steps import run_steps

SIZES = {"arithmetic": 30, "geography": 40, "law": 25}
SAMPLE, CHOSEN, RATERS, CAPABILITIES = 4, 10, 2, 18
TOML = """
[[rater]]
name = "{name}"
model = "{name}"
base_url = "{base_url}"
api_key_env = "TEST_LLM_KEY"
json_schema = true
max_in_flight = 8
"""
MARTS = ("battery_sample", "battery_selection", "battery_selection_item", "battery_selection_level")
SELECTION = (
    *(
        f"stg_{name}"
        for name in (
            "battery_sample",
            "battery_selection",
            "battery_selection_benchmark",
            "battery_selection_level",
        )
    ),
    *MARTS,
)


@pytest.fixture
def server() -> Iterator[RaterServer]:
    with RaterServer() as server:
        yield server


class Work:
    """A home whose battery tables are made as by a refresh, and the command line on it."""

    def __init__(self, folder: Path, server: RaterServer) -> None:
        self.server, self.sources = server, folder / "sources"
        (self.sources / "battery/items").mkdir(parents=True)
        for benchmark, size in SIZES.items():
            lines = [json.dumps({"item": f"{i}", "text": f"{benchmark} question {i}"}) for i in range(size)]
            (self.sources / f"battery/items/{benchmark}.jsonl").write_text("\n".join(lines))
        roles = [TOML.format(name=name, base_url=server.base_url) for name in ("one", "two")]
        (self.sources / "llm.toml").write_text("".join(roles))
        self.pipeline = BatteryPipeline(folder / "home")
        assert self.pipeline.dbt("seed")
        self.settings = Settings(
            sources=self.sources, home=folder / "home", selection_items=CHOSEN, selection_sample=SAMPLE,
            selection_max_share=0.5,
        )  # fmt: skip

    def llm(self, *arguments: str) -> Result:
        variables = {
            "SUITABILITY_HOME": str(self.settings.home),
            "SUITABILITY_SOURCES": str(self.sources),
            "SUITABILITY_SELECTION_ITEMS": str(CHOSEN),
            "SUITABILITY_SELECTION_SAMPLE": str(SAMPLE),
        }
        return CliRunner().invoke(main, ["llm", *arguments], env=variables)

    def refresh(self) -> dict[str, pd.DataFrame]:
        pipeline = self.pipeline
        no_files = pd.DataFrame(columns=["input", "source_file", "source_sha256", "n_bytes", "modified_at"])
        pipeline.land({"raw.item": read_all_items(self.sources)[0], "raw.source_file": no_files})
        run_steps(pipeline.warehouse, self.settings, annotation)
        assert pipeline.dbt("run", "-s", "+int_available_item", "+int_item_level"), pipeline.failures()
        run_steps(pipeline.warehouse, self.settings, battery_selection)
        assert pipeline.dbt("build", "-s", *SELECTION, "--indirect-selection", "cautious"), (
            pipeline.failures()
        )
        return {name: pipeline.read(f"marts.{name}") for name in MARTS}


@pytest.mark.timeout(300)
def test_sample_then_choose_then_annotate_the_chosen(
    tmp_path: Path, server: RaterServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_LLM_KEY", KEY)
    work = Work(tmp_path, server)
    early = work.llm("run", "annotate-chosen")
    assert early.exit_code == 2 and "chose no battery" in " ".join(early.output.split())

    # nothing is rated: nothing is chosen, and the sample is listed
    before = work.refresh()
    assert before["battery_selection"]["n_available"].tolist() == list(SIZES.values())
    assert before["battery_selection"]["n_open"].tolist() == [SAMPLE] * len(SIZES)
    assert before["battery_selection_item"].empty and len(before["battery_sample"]) == SAMPLE * len(SIZES)
    early = work.llm("run", "annotate-chosen")
    assert early.exit_code == 2 and "12 items of the samples are not rated" in " ".join(early.output.split())

    assert work.llm("run", "annotate-sample").exit_code == 0
    n_sample = SAMPLE * len(SIZES)
    assert server.paid_for.total() == n_sample * CAPABILITIES * RATERS
    sampled = set(
        before["battery_sample"].apply(lambda row: f"{row.benchmark} question {row['item']}", axis=1)
    )
    assert {text for _, text in server.paid_for} == sampled

    # chosen of all available items, with nothing rated but the samples
    first = work.refresh()
    chosen = first["battery_selection_item"]
    assert len(chosen) == CHOSEN == first["battery_selection"]["n_selected"].sum()
    assert first["battery_selection"]["n_rated"].tolist() == [SAMPLE] * len(SIZES)
    n_rated = int(chosen["is_rated"].sum())
    assert n_rated == first["battery_selection"]["n_selected_rated"].sum() < CHOSEN
    assert first["battery_selection_level"]["achieved_share"].isna().all()

    assert (
        f"{(CHOSEN - n_rated) * CAPABILITIES * RATERS} to send"
        in work.llm("estimate", "annotate-chosen").output
    )
    assert work.llm("run", "annotate-chosen").exit_code == 0
    total = (n_sample + CHOSEN - n_rated) * CAPABILITIES * RATERS
    assert server.paid_for.total() == total < sum(SIZES.values()) * CAPABILITIES * RATERS / 4

    # the same battery, now rated; no plan asks anything again
    second = work.refresh()
    assert second["battery_selection_item"]["is_rated"].all()
    pd.testing.assert_frame_equal(
        second["battery_selection_item"].drop(columns="is_rated"), chosen.drop(columns="is_rated")
    )
    level = second["battery_selection_level"]
    assert level["achieved_share"].notna().all()
    pd.testing.assert_series_equal(
        level["expected_share"], first["battery_selection_level"]["expected_share"]
    )
    used = work.pipeline.read("staging.stg_annotation").query("is_used")
    assert len(used) == total
    for plan in ("annotate-sample", "annotate-chosen"):
        assert work.llm("run", plan).exit_code == 0
    assert server.paid_for.total() == total and max(server.paid_for.values()) == RATERS


def test_the_sample_leaves_out_what_files_rate(
    tmp_path: Path, server: RaterServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.support.factories import write_ratings

    monkeypatch.setenv("TEST_LLM_KEY", KEY)
    work = Work(tmp_path, server)
    write_ratings(work.sources, "person", [("law", f"{i}") for i in range(SIZES["law"])])
    assert work.llm("run", "annotate-sample").exit_code == 0
    assert server.paid_for.total() == SAMPLE * 2 * CAPABILITIES * RATERS
    assert not any("law" in text for _, text in server.paid_for)
