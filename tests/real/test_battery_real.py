"""The battery slice on the real ratings, against the paper's printed tables (A2, A3, 1, 2, 6, section 3.1.2)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from assets.battery.selection import select, total_variation
from assets.settings import Settings
from assets.sources.readers import read_ratings, read_results, read_systems
from tests.support.battery.slice_build import BatteryPipeline
from tests.support.published import REAL, TSP, compared, counts, read_published

CELLS = {"Table A2": 72 + 1, "Table 1": 22 + 1, "Table 2": 48, "Section 3.1.2": 2, "Table 6": 8}
TABLE_A3 = {
    "EM": {"EM"},
    "SM": {"SM"},
    "OP": {"OP"},
    "L": {"L"},
    "SC": {"EPaE", "ToM"},
    "IR": {"CR", "FP"},
    "IIC": {"WM", "CF", "MC", "PaPR"},
    "APS": {"P", "MS", "ProcM", "SRaN"},
}


@pytest.fixture(scope="module")
def pipeline(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> BatteryPipeline:
    run = BatteryPipeline(tmp_path_factory.mktemp("battery"))
    for read in (read_ratings, read_results, read_systems):
        run.land(read(real_data).frames)
    run.build("--exclude-resource-type", "test", "unit_test")
    return run


def test_every_printed_cell_reproduces(pipeline: BatteryPipeline) -> None:
    """To the printed digit, each of them."""
    cells = read_published()
    cells = cells[cells["table_name"].isin(CELLS) & (cells["paper"] == TSP)]
    cells = cells[(cells["table_name"] != "Table 6") | (cells["column_name"] == "coverage_percent")]
    rows = compared(cells, pipeline.read("intermediate.int_published_battery"))
    assert counts(rows) == REAL["battery"], rows[rows["status"] != "match"].to_string()
    assert {table: n for (table, _), n in REAL["battery"].items()} == CELLS


def test_seed_holds_the_reference_figures(real_data: Path) -> None:
    """The seed's Table A2 is the reference file's, figure by figure."""
    reference = pd.read_csv(real_data.parent / "reference" / "a2.csv").melt("capability")
    seed = read_published()
    seed = seed[(seed["table_name"] == "Table A2") & (seed["row_name"] != "all")]
    both = reference.merge(seed, left_on=["capability", "variable"], right_on=["row_name", "column_name"])
    assert len(both) == 72
    assert (both["value"] == both["published"].astype(float)).all()


def test_excluded_capabilities_and_dimensions_are_the_papers(pipeline: BatteryPipeline) -> None:
    capability = pipeline.read("marts.capability")
    assert set(capability.loc[~capability["is_retained"], "capability"]) == {"AaIC", "ProsM"}
    members = capability.dropna(subset="dimension").groupby("dimension")["capability"].agg(set).to_dict()
    assert members == TABLE_A3


def test_what_is_left_out_is_listed(pipeline: BatteryPipeline) -> None:
    reasons = pipeline.read("staging.stg_rating_reject")["reason"].value_counts().to_dict()
    assert reasons == {"blank cell": 42, "not a whole number from 0 to 5": 4}
    assert pipeline.read("staging.stg_result_reject").empty


def test_results_join_whole(pipeline: BatteryPipeline) -> None:
    benchmark = pipeline.read("marts.benchmark")
    assert len(benchmark) == 25 * 6
    assert (benchmark["join_coverage_share"] == 1).all()
    assert benchmark.groupby("system")["n_valid_items"].sum().unique().tolist() == [19535]
    systems = pipeline.read("marts.ai_system")
    assert systems["n_items"].unique().tolist() == [19535]


@pytest.mark.parametrize("n_items", [500, 2000, 10_000])
def test_a_chosen_battery_comes_closer_than_a_proportional_one(
    pipeline: BatteryPipeline, n_items: int
) -> None:
    available = pipeline.read("intermediate.int_available_item")
    found = select(available, pipeline.read("intermediate.int_item_level"), n_items, Settings())
    achieved, by_size = (
        total_variation(found.levels, name) for name in ("achieved_share", "proportional_share")
    )
    print(
        f"{n_items} items, total variation over 18 capabilities: {achieved:.3f}, proportional {by_size:.3f}"
    )
    assert achieved < by_size
    assert not found.relaxed and found.benchmarks["n_selected"].max() <= n_items / 10
    assert found.benchmarks["n_selected"].sum() == len(found.items) == n_items
