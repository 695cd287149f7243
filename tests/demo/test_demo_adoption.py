"""The demo's occupations and chats: read by the readers, in the shape that the slice meets in the field."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy.stats import spearmanr

from assets.demo import chats, onet
from assets.sources.readers import read_chats, read_oews, read_onet

_PATTERN = "|".join(re.escape(form).replace(re.escape("{}"), "(.*)") for form in chats.REQUESTS)


@pytest.fixture(scope="module")
def world(demo: Path) -> dict[str, pd.DataFrame]:
    return read_onet(demo).frames | read_oews(demo).frames


@pytest.fixture(scope="module")
def log(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    found = read_chats(demo, tmp_path_factory.mktemp("parts"), max_characters=4000, request_characters=500)
    return pd.concat([pq.read_table(part).to_pandas() for part in found.parts], ignore_index=True)


def test_all_civil_major_groups_have_occupations_with_8_to_14_tasks(world: dict[str, pd.DataFrame]) -> None:
    occupation, task = world["raw.onet_occupation"], world["raw.onet_task"]
    assert occupation["occupation"].str[:2].nunique() == 22
    assert task.groupby("occupation").size().between(8, 14).all()
    without = set(occupation["occupation"]) - set(task["occupation"])
    assert without == {"39-9809.00"}


def test_some_statements_stand_in_several_occupations(world: dict[str, pd.DataFrame]) -> None:
    spread = world["raw.onet_task"].groupby("task")["occupation"].nunique()
    assert spread[list(onet.COMMON)].min() > 1
    assert 0 < spread.gt(1).sum() < len(spread) / 10


def test_a_code_of_oews_is_shared_and_one_is_no_prefix_and_one_occupation_has_none(
    world: dict[str, pd.DataFrame],
) -> None:
    crosswalk = world["raw.oews_crosswalk"]
    assert crosswalk["oews_code"].duplicated().sum() == 1
    assert (crosswalk["occupation"].str[:7] != crosswalk["oews_code"]).sum() == 1
    missing = set(world["raw.onet_occupation"]["occupation"]) - set(crosswalk["occupation"])
    assert missing == {"51-9803.00"}
    assert set(crosswalk["oews_code"]) <= set(world["raw.oews"]["oews_code"])


def test_employment_of_the_levels_above_is_the_sum_of_what_they_contain(
    world: dict[str, pd.DataFrame],
) -> None:
    oews = world["raw.oews"]
    employed = oews["employment"].astype(int).groupby(oews["soc_level"]).sum()
    assert employed["detailed"] == employed["major"] == employed["total"]


def test_chats_hold_what_logs_hold(log: pd.DataFrame) -> None:
    assert len(log) == chats.N_CHATS
    assert log["problem"].notna().sum() > 0
    assert log["chat_key"].duplicated().sum() > log["problem"].notna().sum()
    assert log["n_masked"].sum() > 5
    assert log["n_turns"].max() == chats.LONG_TURNS
    assert log["country"].isna().any()
    assert {"German", "French", "Spanish", "Chinese", "Arabic"} <= set(log["language_detected"])
    is_disputed = (log["language_label"] == "English") & (log["language_detected"] == "German")
    assert is_disputed.any()
    assert not log["text"].str.contains("@example|4111|555 0143|sk-0000", regex=True).any()


def test_times_of_a_half_hour_zone_are_read_as_utc(demo: Path, log: pd.DataFrame) -> None:
    given = (demo / "chats/2000-02.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(f'{chats.HALF_HOUR_ZONE}"' in line for line in given)
    at = pd.to_datetime(log["at"], format="ISO8601")
    # five and a half hours before February began there
    assert at[log["source_file"] == "chats/2000-02.jsonl"].min() >= pd.Timestamp("2000-01-31 18:30")


def test_tasks_are_asked_about_as_often_as_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chats, "N_CHATS", 20_000)
    rng = np.random.default_rng(1)
    tasks = onet.task_table(rng)
    log = (chat for month in chats.months(rng, tasks) for chat in month)
    said = pd.Series([chat["conversation"][0]["content"] for chat in log])
    # by what stands between the request's own words: one pass, not one a task
    asked = said.str.extract(_PATTERN).bfill(axis=1)[0].value_counts()
    about = tasks.loc[tasks["chats"] > 0, ["text", "chats"]]
    n = about["text"].map(lambda text: asked.get(text[0].lower() + text[1:].rstrip("."), 0))
    assert spearmanr(about["chats"], n).statistic > 0.9
    # copies are of any kind
    n_work = 1 - sum(chats.SHARES.values())
    assert n_work < n.sum() / len(said) < n_work + chats.SHARES["copy"]
