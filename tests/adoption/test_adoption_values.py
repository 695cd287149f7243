"""Values of O*NET and OEWS that can't be used, from files to rejects: each is named, the rest counts, nothing stops."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from assets.sources.readers import read_oews, read_onet
from dagster_project.resources import DuckDBWarehouse
from tests.support.dbt_run import WAREHOUSE_NAME, run_dbt
from tests.support.factories import CROSSWALK_HEADER, OEWS_HEADER, write_csv, write_onet

# so many that one without a code of OEWS is no sign of another taxonomy
CODES = [f"11-1{number:02d}1" for number in range(24)]
MODELS = (
    *("stg_occupation", "stg_occupation_crosswalk", "stg_occupation_skill", "stg_employment", "stg_task"),
    *("stg_onet_reject", "seed_major_group", "int_occupation", "int_occupation_skill"),
)


def write_lines(path: Path, header: str, rows: list[str]) -> None:
    path.write_text("\n".join(row.replace("|", "\t") for row in (header, *rows)) + "\n")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> DuckDBWarehouse:
    folder = tmp_path_factory.mktemp("values")
    write_onet(folder, [(f"{code}.00", str(n + 1), f"Plan work {n}.") for n, code in enumerate(CODES)])
    write_lines(
        folder / "onet/Job Zones.txt", "O*NET-SOC Code|Job Zone", [f"{CODES[0]}.00|99", f"{CODES[1]}.00|4"]
    )
    write_lines(
        folder / "onet/Skills.txt",
        "O*NET-SOC Code|Element ID|Element Name|Scale ID|Data Value|Recommend Suppress",
        [
            f"{CODES[0]}.00|2.A.1.{n}|Reading|IM|{value}|N"
            for n, value in enumerate(("41.2", "-3", "4.1_2", "4"))
        ],
    )
    employed = [
        ("00-0000", "All", "total", "9,000", "*"),
        (CODES[0], "a", "detailed", "1,200", "56,789"),
        (CODES[1], "b", "detailed", "61200,5", "56.789,00"),
        (CODES[2], "c", "detailed", "-18900", "-1"),
        (CODES[3], "d", "detail", "500", "#"),
        (CODES[4], "e", "detailed", None, "**"),
        (CODES[5], "f", "detailed", "800", "#"),
        *((code, code, "detailed", "100", "*") for code in CODES[6:]),
    ]  # fmt: skip
    write_csv(folder / "oews/national.csv", OEWS_HEADER, employed)
    crosswalk = [(f"{code}.00", code if code != CODES[5] else None) for code in CODES]
    write_csv(folder / "oews/crosswalk.csv", CROSSWALK_HEADER, crosswalk)
    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    warehouse.write(read_onet(folder).frames | read_oews(folder).frames)
    options = ("--exclude-resource-type", "unit_test", "--indirect-selection", "cautious")
    run = run_dbt(folder, "build", "-s", *MODELS, *options, parsed=dbt_target)
    assert run.success, run.failures
    return warehouse


def test_each_is_named_with_its_file_row_column_and_reason(built: DuckDBWarehouse) -> None:
    rejects = built.read("staging.stg_onet_reject").sort_values(["source_file", "row_number", "column_name"])
    found = rejects.astype(object).mask(rejects.isna(), None)
    columns = ["source_file", "row_number", "column_name", "value", "reason"]
    assert found[columns].apply(tuple, axis=1).tolist() == [
        ("oews/crosswalk.csv", 7, "NEM Code", None, "blank cell"),
        ("oews/national.csv", 4, "A_MEDIAN", "56.789,00", "not a number"),
        ("oews/national.csv", 4, "TOT_EMP", "61200,5", "not a number"),
        ("oews/national.csv", 5, "A_MEDIAN", "-1", "below the allowed range"),
        ("oews/national.csv", 5, "TOT_EMP", "-18900", "below the allowed range"),
        ("oews/national.csv", 6, "O_GROUP", "detail", "unknown group"),
        ("oews/national.csv", 7, "TOT_EMP", None, "blank cell"),
        ("onet/Job Zones.txt", 2, "Job Zone", "99", "above the allowed range"),
        ("onet/Skills.txt", 2, "Data Value", "41.2", "above the allowed range"),
        ("onet/Skills.txt", 3, "Data Value", "-3", "below the allowed range"),
        ("onet/Skills.txt", 4, "Data Value", "4.1_2", "not a number"),
    ]


def test_the_rest_counts_and_none_of_them_does(built: DuckDBWarehouse) -> None:
    occupation = built.read("intermediate.int_occupation").set_index("occupation").sort_index()
    assert occupation["employment"].fillna(0).tolist() == [1200, 0, 0, 0, 0, 0, *[100] * 18]
    assert occupation["median_wage"].fillna(0).tolist() == [56_789, *[0] * 23]
    assert occupation["employment_share"].dropna().tolist() == pytest.approx([0.4, *[1 / 30] * 18])
    assert occupation["job_zone"].fillna(0).tolist() == [0, 4, *[0] * 22]
    skill = built.read("intermediate.int_occupation_skill").set_index("skill")
    assert pd.isna(skill.loc["2.A.1.0", "importance"])
    assert skill["is_needed"].to_dict() == {f"2.A.1.{n}": n == 3 for n in range(4)}
