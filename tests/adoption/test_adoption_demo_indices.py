"""Other indices of the demo, from its files to marts: the planted agreement comes out, and so does its opposite."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

from assets.demo import indices
from assets.demo.ensure import ensure_demo
from assets.settings import Settings
from assets.sources.readers import comparison, read_oews, read_onet
from dagster_project.resources import DuckDBWarehouse
from tests.support.adoption.slice_build import build

SHARES, OPPOSITE = "working_with_ai/iwa_metrics.csv", "opposite.csv"
# (index, level) -> units; planted with noise, and found through 600 chats: never less than this, nor all of it
UNITS = {
    ("aei_2025_02_10", "occupation"): 66,
    ("aei_2025_02_10", "IWA"): 16,
    ("aei_2025_03_27", "occupation"): 66,
    ("aei_2025_03_27", "IWA"): 16,
    ("microsoft_user", "IWA"): 16,
    ("microsoft_ai", "IWA"): 16,
    ("aei_exposure", "SOC"): 65,
    ("microsoft_applicability", "SOC"): 65,
}
LEAST, MOST = 0.6, 0.995


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> DuckDBWarehouse:
    """The demo as a user gets it, and one index more: users' shares of activities the other way round."""
    folder = tmp_path_factory.mktemp("demo")
    demo = ensure_demo(folder / "demo", n_items=500, seed=Settings.model_fields["seed"].default)
    sources = shutil.copytree(demo, folder / "sources")
    given = pd.read_csv(sources / "comparison" / SHARES)
    turned = given.assign(share_user=given["share_user"].max() - given["share_user"])
    turned.to_csv(sources / "comparison" / OPPOSITE, index=False)
    with pytest.MonkeyPatch.context() as patch:
        opposite = comparison.File(OPPOSITE, "IWA", "IWA", "title", {"opposite": "share_user"})
        patch.setattr(comparison, "FILES", (*comparison.FILES, opposite))
        world = read_onet(sources).frames | read_oews(sources).frames
        options = ("--exclude-resource-type", "unit_test")
        return build(folder / "home", sources, world, dbt_target, *options, embedder="minilm")


@pytest.fixture(scope="module")
def mart(built: DuckDBWarehouse) -> pd.DataFrame:
    return built.read("marts.index_comparison").set_index(["index", "level"])


def test_every_index_of_the_demo_is_compared_and_agrees_as_planted(mart: pd.DataFrame) -> None:
    found = mart.drop(index="opposite", level="index")
    assert found["n"].to_dict() == UNITS
    for name in ("spearman", "spearman_weighted"):
        assert found[name].between(LEAST, MOST).all(), found[name]
    assert (found["n_chats"] > 300).all()


def test_what_is_planted_the_other_way_round_comes_out_with_the_other_sign(mart: pd.DataFrame) -> None:
    for name in ("spearman", "spearman_weighted"):
        found = mart[name].to_dict()
        assert found["opposite", "IWA"] == pytest.approx(-found["microsoft_user", "IWA"])
        assert found["opposite", "IWA"] < -LEAST


def test_reworded_texts_are_placed_and_what_is_gone_is_told(
    built: DuckDBWarehouse, mart: pd.DataFrame
) -> None:
    near, lacking = mart["n_by_nearest"].to_dict(), mart["n_unmatched"].to_dict()
    first, later = ("aei_2025_02_10", "occupation"), ("aei_2025_03_27", "occupation")
    assert near[later] > 30 and lacking[later] == len(indices.DROPPED)
    assert near[first] == lacking[first] == 0
    lost = built.read("marts.index_unmatched")
    assert set(lost["text"]) == {text.lower() for text in indices.DROPPED} | {indices.DROPPED_TITLE}
    # no index's value is rejected
    assert built.read("staging.stg_index_reject").empty
