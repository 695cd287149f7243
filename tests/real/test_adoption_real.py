"""O*NET, employment and 544 real chats, without a language model: known counts, and marts that are filled."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from openpyxl import load_workbook

from assets.adoption.indices.embedder_validation import hierarchy, validate
from assets.embedding.embedders import MiniLM
from assets.sources.readers import read_oews, read_onet
from dagster_project.resources import DuckDBWarehouse
from tests.support.adoption.slice_build import build
from tests.support.published import INDEX, REAL, compared, counts, read_published


@pytest.fixture(scope="module")
def built(real_data: Path, tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> DuckDBWarehouse:
    world = read_onet(real_data).frames | read_oews(real_data).frames
    folder = tmp_path_factory.mktemp("adoption")
    return build(folder, real_data, world, dbt_target, "--exclude-resource-type", "unit_test")


def onet(folder: Path, name: str) -> list[dict[str, str]]:
    """The rows of one file of O*NET, read by other code than the product's."""
    with (folder / "onet" / f"{name}.txt").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def test_counts_of_onet_30_1(built: DuckDBWarehouse, real_data: Path) -> None:
    levels = built.read("intermediate.int_work_activity")["level"].value_counts()
    assert (levels["IWA"], levels["DWA"]) == (332, 2087)
    assert {row["DWA ID"] for row in onet(real_data, "DWA Reference")} == set(
        built.read("intermediate.int_work_activity").query("level == 'DWA'")["activity_id"]
    )
    tasks = built.read("intermediate.int_occupation_task")
    assert (len(tasks), tasks["occupation"].nunique()) == (18_796, 923)
    assert {(row["O*NET-SOC Code"], row["Task ID"]) for row in onet(real_data, "Task Statements")} == set(
        zip(tasks["occupation"], tasks["task_id"], strict=True)
    )
    codes = set(built.read("staging.stg_technology_skill")["commodity_code"])
    assert len(codes) == 137 and codes == {
        row["Commodity Code"] for row in onet(real_data, "Technology Skills")
    }


def test_1259_rows_repeat_the_text_of_another_occupation_and_are_one_text(
    built: DuckDBWarehouse, real_data: Path
) -> None:
    occupations = defaultdict(list)
    for row in onet(real_data, "Task Statements"):
        occupations[row["Task"]].append(row["O*NET-SOC Code"])
    # no occupation has a text twice, so each row but a text's first repeats another occupation's
    assert all(len(set(own)) == len(own) for own in occupations.values())
    texts = built.read("intermediate.int_task_text")
    assert 18_796 - len(texts) == sum(len(own) - 1 for own in occupations.values()) == 1_259
    assert texts.set_index("text")["n_occupations"].to_dict() == {
        t: len(own) for t, own in occupations.items()
    }
    tasks = built.read("intermediate.int_occupation_task").merge(texts, on="task_text_id")
    assert Counter(tasks["text"]) == {text: len(own) for text, own in occupations.items()}


def test_the_crosswalk_joins_922_of_923_where_a_prefix_joins_892(
    built: DuckDBWarehouse, real_data: Path
) -> None:
    occupations = built.read("intermediate.int_occupation")
    # of all: occupations without task statements employ people too
    assert occupations["employment_share"].sum() == pytest.approx(1)
    occupations = occupations[occupations["n_tasks"] > 0].set_index("occupation")
    with (real_data / "oews/national_M2024.csv").open(encoding="utf-8-sig", newline="") as stream:
        codes = {row["OCC_CODE"] for row in csv.DictReader(stream) if row["O_GROUP"] == "detailed"}
    book = load_workbook(real_data / "oews/nem-onet-to-soc-crosswalk.xlsx", read_only=True)
    nem = {row[1]: row[3] for row in book.worksheets[0].iter_rows(min_row=6, values_only=True)}
    book.close()
    joined = {code: nem[code] for code in occupations.index if nem.get(code) in codes}
    assert occupations["oews_code"].dropna().to_dict() == joined and len(joined) == 922
    assert len(occupations) == 923 and occupations.index.str[:7].isin(codes).sum() == 892


def test_544_chats_fill_the_marts(built: DuckDBWarehouse) -> None:
    funnel = built.read("marts.chat_funnel").set_index("stage")["n_chats"]
    print(funnel.to_dict())
    assert funnel["all"] == 544
    # without a language model few chats lie near enough to a task
    floors = built.read("marts.match_floor").set_index("match_floor")["n_chats"]
    assert funnel["confirmed"] == floors[0.55]
    assert 10 < funnel["confirmed"] < 50
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
    # the few chats that are kept see few tasks, yet more than chance of what millions see
    assert (mart["spearman"] * (mart["n"] - 1) ** 0.5 > 1.96).all()


def test_printed_figures_of_the_economic_index(built: DuckDBWarehouse) -> None:
    """O*NET's counts as printed, but for general activities: 37 of the 41 have others below them."""
    cells = read_published()
    rows = compared(cells[cells["paper"] == INDEX], built.read("intermediate.int_published_adoption"))
    decided = rows[rows["status"].isin(["match", "close", "off"])]
    assert counts(decided) == REAL["adoption"], decided.to_string()
    off = decided[decided["status"] == "off"].set_index("column_name")["computed"]
    assert off[["n_gwa", "n_chats"]].tolist() == [37, 544]
