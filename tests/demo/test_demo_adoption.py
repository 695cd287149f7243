"""The demo's occupations, chats and other indices: read by the readers, in the shape that the slice meets."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy.stats import spearmanr

from assets.demo import chats, indices, onet
from assets.settings import Settings
from assets.sources.readers import read_chats, read_comparison, read_oews, read_onet
from dagster_project.asset_checks import load_suites, run_suite

SEED = Settings.model_fields["seed"].default  # what a user sees

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


@pytest.fixture(scope="module")
def other(demo: Path) -> pd.DataFrame:
    reading = read_comparison(demo)
    assert not reading.ignored_files
    return reading.frames["raw.index_value"].assign(value=lambda frame: frame["value"].astype(float))


def test_other_indices_are_in_all_layouts_that_are_read_and_pass_at_the_door(
    demo: Path, other: pd.DataFrame
) -> None:
    assert other.groupby("index_name")["level"].unique().map(list).to_dict() == {
        "aei_2025_02_10": ["task"],
        "aei_2025_03_27": ["task"],
        "aei_exposure": ["SOC"],
        "microsoft_ai": ["IWA"],
        "microsoft_applicability": ["SOC"],
        "microsoft_user": ["IWA"],
    }
    (suite,) = [suite for suite in load_suites() if suite.table == "raw.index_value"]
    raw = read_comparison(demo).frames["raw.index_value"]
    assert [r.check_name for r in run_suite(suite, raw, n_files=5) if not r.passed] == []


def test_most_texts_of_other_indices_are_ours_some_reworded_and_some_gone(
    other: pd.DataFrame, world: dict[str, pd.DataFrame]
) -> None:
    ours = set(world["raw.onet_task"]["task"].str.lower())
    texts = {name: set(own["text"]) for name, own in other[other["level"] == "task"].groupby("index_name")}
    assert texts["aei_2025_02_10"] < ours
    unlike = texts["aei_2025_03_27"] - ours
    gone = {text.lower() for text in indices.DROPPED}
    assert gone < unlike and 0.1 < len(unlike - gone) / len(texts["aei_2025_03_27"]) < 1 / 3
    codes = set(world["raw.onet_task"]["occupation"].str[:7])
    assert set(other.loc[other["level"] == "SOC", "unit"]) == codes | {indices.DROPPED_CODE}
    assert not set(world["raw.onet_occupation"]["occupation"].str[:7]) & {indices.DROPPED_CODE}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_indices_say_what_is_planted_with_noise(seed: int) -> None:
    """Rank correlation with the planted shares themselves, whatever the draw; by task, where most is compared."""
    tasks = onet.task_table(np.random.default_rng(seed))
    files = indices.files(np.random.default_rng(seed), tasks)
    planted = tasks.groupby("text")["chats"].sum().rename(str.lower)
    for name, low, high in (
        ("aei/release_2025_02_10/onet_task_mappings.csv", 0.75, 0.95),
        ("aei/release_2025_03_27/task_pct_v2.csv", 0.5, 0.85),
    ):
        given = files[name].set_index("task_name")["pct"]
        common = given.index.intersection(planted.index)
        assert low < spearmanr(given[common], planted[common]).statistic < high
    used = tasks.groupby(["activity", "verb"])["chats"].sum()
    share = files["working_with_ai/iwa_metrics.csv"]
    assert share["share_user"].sum() == pytest.approx(1, abs=1e-4)
    assert spearmanr(share["share_user"], used.to_numpy()).statistic > 0.9
    assert (share.loc[share["title"].str.startswith("Clean"), "share_user"] == 0).all()


def test_the_demo_holds_its_other_indices_byte_for_byte_whatever_is_drawn_beside_them(demo: Path) -> None:
    """They are drawn last and by a seed of their own: the files that stood before them are as they were."""
    tasks = onet.task_table(np.random.default_rng([SEED, *b"adoption"]))
    for name, table in indices.files(np.random.default_rng([SEED, *b"indices"]), tasks).items():
        read = pd.read_csv(demo / "comparison" / name)
        pd.testing.assert_frame_equal(read, table, check_exact=True)
