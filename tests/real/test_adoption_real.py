"""O*NET, employment and 544 real chats, without a language model: known counts, and marts that are filled."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.adoption.embedders import MiniLM
from assets.adoption.validation import hierarchy, validate
from assets.sources.readers import read_oews, read_onet
from dagster_project.resources import DuckDBWarehouse
from tests.adoption.slice_build import build


@pytest.fixture(scope="module")
def built(real_data: Path, tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> DuckDBWarehouse:
    world = read_onet(real_data).frames | read_oews(real_data).frames
    folder = tmp_path_factory.mktemp("adoption")
    return build(folder, real_data, world, dbt_target, "--exclude-resource-type", "unit_test")


def test_counts_of_onet_30_1(built: DuckDBWarehouse) -> None:
    levels = built.read("intermediate.int_work_activity")["level"].value_counts()
    assert (levels["IWA"], levels["DWA"]) == (332, 2087)
    tasks = built.read("intermediate.int_occupation_task")
    assert (len(tasks), tasks["occupation"].nunique()) == (18_796, 923)
    assert built.read("staging.stg_technology_skill")["commodity_code"].nunique() == 137


def test_the_crosswalk_joins_922_of_923_where_a_prefix_joins_892(built: DuckDBWarehouse) -> None:
    occupations = built.read("intermediate.int_occupation")
    # of all: occupations without task statements employ people too
    assert occupations["employment_share"].sum() == pytest.approx(1)
    occupations = occupations[occupations["n_tasks"] > 0]
    codes = set(built.read("staging.stg_employment")["oews_code"])
    assert occupations["oews_code"].notna().sum() == 922
    assert occupations["occupation"].str[:7].isin(codes).sum() == 892


def test_544_chats_fill_the_marts(built: DuckDBWarehouse) -> None:
    funnel = built.read("marts.chat_funnel").set_index("stage")["n_chats"]
    print(funnel.to_dict())
    assert funnel["all"] == 544
    assert funnel["confirmed"] > 50
    adoption = built.read("marts.occupation_adoption")
    assert len(adoption) == 923
    assert adoption["chat_weight"].sum() == pytest.approx(funnel["confirmed"])
    for mart in (
        "major_group_adoption",
        "adoption_depth",
        "skill_usage",
        "work_activity_usage",
        "match_floor",
    ):
        assert len(built.read(f"marts.{mart}")) > 0, mart


def test_wordllama_follows_the_hierarchy_as_far_as_measured_elsewhere(built: DuckDBWarehouse) -> None:
    mart = built.read("marts.embedder_validation").set_index("has_root")
    assert set(mart["n_pairs"]) == {225_813_126}
    assert mart["pearson_r"].to_dict() == pytest.approx({True: 0.165, False: 0.238}, abs=0.005)


@pytest.mark.slow
def test_minilm_follows_the_hierarchy_as_far_as_measured_elsewhere(built: DuckDBWarehouse) -> None:
    # two minutes of embedding
    graph = hierarchy(built.read("intermediate.int_hierarchy"))
    found = {one.has_root: one.pearson_r for one in validate(graph, MiniLM().embed(graph.texts))}
    assert found == pytest.approx({True: 0.232, False: 0.306}, abs=0.005)


def test_other_indices_are_bridged_and_agree_in_part(built: DuckDBWarehouse) -> None:
    found = built.read("intermediate.int_index_match")
    by_method = found.groupby("index_name")["method"].value_counts().unstack(fill_value=0)
    # of the statements of O*NET 20.1 that the releases name, 83 % stand in 30.1 unchanged
    for release, n, n_same in (("aei_2025_02_10", 3514, 2932), ("aei_2025_03_27", 3365, 2800)):
        assert by_method.loc[release].sum() == n and by_method.loc[release, "text"] == n_same
    assert by_method.loc["microsoft_user", "text"] == 332
    assert by_method.loc["aei_exposure", "code"] == 756
    assert by_method.loc["microsoft_applicability", "code"] == 773
    assert by_method.loc["microsoft_applicability", "none"] == 12
    assert len(built.read("marts.index_unmatched")) == by_method["none"].sum()
    mart = built.read("marts.index_comparison").set_index(["index", "level"])
    print(mart.to_string())
    assert len(mart) == 8 and mart[["spearman", "spearman_weighted"]].notna().all(axis=None)
    # 544 chats see few tasks, yet more than chance of what millions see
    assert (mart["spearman"] > 0.2).all()
