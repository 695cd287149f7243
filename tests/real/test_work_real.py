"""The work slice on the public survey: Tables B2-B5 and the figures of 4.3.1, 4.3.3 and 4.3.4, to the printed digit.

Published numbers come from the seeds (tests/support/published.py), except Table B5's, which lie beside the real data.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dagster_project.resources import DuckDBWarehouse
from tests.support.published import REAL, TSP, compared, counts, read_published
from tests.support.work.compare import FLOW
from tests.support.work.slice_build import build

NOT_RETAINED = ("AaIC", "ProsM")


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory, real_data: Path) -> DuckDBWarehouse:
    folder = tmp_path_factory.mktemp("work_real")
    sources = folder / "sources"
    sources.mkdir()
    (sources / "survey").symlink_to(real_data / "survey", target_is_directory=True)
    return build(folder, sources, dropped=NOT_RETAINED)


@pytest.fixture(scope="module")
def published() -> pd.DataFrame:
    cells = read_published()
    return cells[(cells["paper"] == TSP) & cells["table_name"].isin({table for table, _ in REAL["work"]})]


def test_qc_removes_59_66_and_4(warehouse: DuckDBWarehouse) -> None:
    flow = warehouse.read("marts.respondent_flow").drop(columns=["source", "domain"]).sum()
    assert flow[FLOW].tolist() == [571, 539, 59, 66, 4, 410, 0, 571, 0, 0, 0]


def test_table_b2_in_every_cell(warehouse: DuckDBWarehouse, published: pd.DataFrame) -> None:
    flow = warehouse.read("marts.respondent_flow").set_index(["source", "domain"])
    cells = published.query("table_name == 'Table B2'")
    assert len(cells) == 24
    column = {"pre_qc": "n_in_domain", "post_qc": "n_kept"}
    for cell in cells.to_dict("records"):
        assert flow.loc[tuple(cell["row_name"].split()), column[cell["column_name"]]] == int(
            cell["published"]
        ), cell


def test_4_3_3_in_all_26_cells(warehouse: DuckDBWarehouse, published: pd.DataFrame) -> None:
    mart = warehouse.read("marts.activity_importance").set_index(["scope", "activity"])
    cells = published.query("table_name == 'Section 4.3.3'")
    assert len(cells) == 26
    for cell in cells.to_dict("records"):
        measure, scope = cell["column_name"].split()
        digits = 2 if measure == "importance" else 1
        assert round(mart.loc[(scope, cell["row_name"]), measure], digits) == float(cell["published"]), cell


def test_every_published_cell_that_the_release_determines(
    warehouse: DuckDBWarehouse, published: pd.DataFrame
) -> None:
    """Table B3 among them; its ages are blank in the release and stay uncompared."""
    rows = compared(published, warehouse.read("intermediate.int_published_work"))
    assert set(rows.loc[rows["computed"].isna(), "column_name"]) == {"age_mean", "age_sd"}
    assert (rows["expected"] == "").sum() == 167
    assert counts(rows) == REAL["work"], rows[rows["status"].isin(["close", "off"])].to_string()


def test_points_total_92_97_of_100(warehouse: DuckDBWarehouse) -> None:
    mart = warehouse.read("marts.capability_importance").query("scope_type == 'all'")
    totals = mart.groupby("activity")["points"].sum()
    assert len(totals) == 18 and totals.mean() == pytest.approx(92.97, abs=0.005)


def test_table_b5_fixes_the_codings(warehouse: DuckDBWarehouse, real_data: Path) -> None:
    """Company against online, per capability and per activity: 68 figures that a swapped code would change."""
    reference = real_data.parent / "reference" / "b5.csv"
    if not reference.exists():
        pytest.skip(f"Table B5 is not at {reference}")
    mart = warehouse.read("marts.capability_importance").query("scope_type == 'source'")
    cells = mart.pivot(index=["activity", "capability"], columns="scope", values="points")
    for row in pd.read_csv(reference).to_dict("records"):
        pair = cells.xs(row["name"], level=row["unit"])
        company, online = pair["companies"].to_numpy(float), pair["online"].to_numpy(float)
        cosine = company @ online / np.sqrt(company @ company * (online @ online))
        assert cosine == pytest.approx(row["cosine"], abs=0.0005 + 1e-9), row
        assert np.corrcoef(company, online)[0, 1] == pytest.approx(row["pearson"], abs=0.0005 + 1e-9), row


def test_table_b5_in_all_68_cells(warehouse: DuckDBWarehouse, published: pd.DataFrame) -> None:
    mart = warehouse.read("marts.importance_agreement").set_index("unit")
    units = published[
        (published["table_name"] == "Table B5") & ~published["row_name"].str.startswith("mean ")
    ]
    assert len(units) == 68 and len(mart) == 34
    for cell in units.to_dict("records"):
        computed = float(mart[cell["column_name"]][cell["row_name"]])
        assert abs(computed - float(cell["published"])) < 0.0005 + 1e-9, cell


def test_table_b4_within_what_random_splits_allow(warehouse: DuckDBWarehouse) -> None:
    """Half-widths within .008, reliabilities within .012; Coding has one company respondent, so no halves."""
    printed = {
        "capability": {"cosine": 0.846, "pearson": 0.620, "half": 0.112, "company": 0.497, "online": 0.733},
        "activity": {"cosine": 0.905, "pearson": 0.876, "half": 0.0465, "company": 0.788, "online": 0.935},
    }
    for row in warehouse.read("marts.importance_reliability").to_dict("records"):
        figures = printed.pop(row["unit_type"])
        assert round(row["cosine"], 3) == figures["cosine"] and round(row["pearson"], 3) == figures["pearson"]
        for bound in ("pearson_low", "pearson_high"):
            assert abs(row[bound] - row["pearson"]) == pytest.approx(figures["half"], abs=0.008)
        assert row["reliability_company"] == pytest.approx(figures["company"], abs=0.012)
        assert row["reliability_online"] == pytest.approx(figures["online"], abs=0.012)
        assert row["disattenuated"] == 1 and row["reason"] is None
        assert row["n_units"] - row["n_units_company"] == (row["unit_type"] == "activity")
    assert not printed


def test_4_3_4_domains_agree_and_depart(warehouse: DuckDBWarehouse) -> None:
    pairs = warehouse.read("marts.domain_importance_agreement")
    assert len(pairs) == 15
    figures = pairs["pearson"].min(), pairs["pearson"].max(), pairs["pearson"].mean()
    assert [round(figure, 3) for figure in figures] == [0.527, 0.770, 0.629]
    mart = warehouse.read("marts.domain_departure").set_index(["domain", "capability"])["departure"]
    expected = {("WL", "SRaN"): 2.11, ("MMR", "P"): 2.52, ("HSC", "ToM"): 1.68, ("HSC", "EPaE"): 1.24}
    assert {key: round(mart[key], 2) for key in expected} == expected
    assert mart.idxmax() == ("MMR", "P") and mart["WL"].idxmax() == "SRaN" and mart["HSC"].idxmax() == "ToM"


def test_the_five_printed_cells_that_rest_on_one_or_two_are_thin(warehouse: DuckDBWarehouse) -> None:
    """Tables C9 and C10 print them like any other; nothing public is withheld."""
    mart = warehouse.read("marts.activity_importance").query("scope_type == 'domain' and not is_absent")
    few = mart[mart["n_selected"] <= 2]
    assert sorted(zip(few["scope"], few["activity"], few["n_selected"], strict=True)) == [
        ("MMR", "Analysing data", 2),
        ("MMR", "Data manipulation", 1),
        ("MMR", "Listening", 2),
        ("WL", "Analysing data", 2),
        ("WL", "Data manipulation", 2),
    ]
    assert few["is_thin"].all() and not mart["is_suppressed"].any() and not few["importance"].isna().any()
    points = warehouse.read("marts.capability_importance").query("scope_type == 'domain' and n_raters <= 2")
    assert len(points) == 5 * 16 and points["is_thin"].all() and not points["points"].isna().any()


def test_real_answers_are_all_usable(warehouse: DuckDBWarehouse) -> None:
    """Nothing is rejected; what is odd is 20 picks that got 0 points."""
    assert warehouse.read("staging.stg_survey_reject").empty
    assert warehouse.read("intermediate.int_survey_flag")["flag"].tolist() == ["pick_without_points"] * 20
