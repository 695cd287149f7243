"""O*NET and the crosswalk to employment must be of one taxonomy, whether the files say theirs or not."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from assets.common.warehouse import declared_tables
from dagster_project.resources import DuckDBWarehouse
from tests.support.dbt_run import WAREHOUSE_NAME, run_dbt

NEEDED = ("stg_occupation", "stg_occupation_crosswalk", "stg_employment", "stg_task", "seed_major_group")
OCCUPATIONS = [f"11-10{number:02d}.00" for number in range(20)]


@pytest.mark.parametrize(
    ("onet", "crosswalk", "n_in_crosswalk", "is_one"),
    [
        ("O*NET-SOC 2010", "O*NET-SOC 2019", 20, False),
        (None, "O*NET-SOC 2019", 15, False),
        (None, "O*NET-SOC 2019", 19, True),
    ],
)
def test_codes_of_two_taxonomies_are_refused(
    onet: str | None,
    crosswalk: str | None,
    n_in_crosswalk: int,
    is_one: bool,
    tmp_path: Path,
    dbt_target: Path,
) -> None:
    world = {
        "raw.onet_occupation": pd.DataFrame({"occupation": OCCUPATIONS, "title": OCCUPATIONS}),
        "raw.onet_task": pd.DataFrame(
            {
                "occupation": OCCUPATIONS,
                "task_id": [str(n) for n in range(1, 21)],
                "task": OCCUPATIONS,
            }
        ),
        "raw.onet_release": pd.DataFrame({"soc_taxonomy": [onet]}),
        "raw.oews_crosswalk": pd.DataFrame(
            {
                "occupation": OCCUPATIONS[:n_in_crosswalk],
                "oews_code": [occupation[:7] for occupation in OCCUPATIONS[:n_in_crosswalk]],
                "soc_taxonomy": crosswalk,
            }
        ),
        "raw.oews": pd.DataFrame(),
        "raw.onet_job_zone": pd.DataFrame(),
    }
    warehouse = DuckDBWarehouse(tmp_path / WAREHOUSE_NAME)
    warehouse.write(
        {name: frame.reindex(columns=list(declared_tables()[name])) for name, frame in world.items()}
    )
    options = ("--exclude-resource-type", "unit_test", "--indirect-selection", "cautious")
    run = run_dbt(tmp_path, "build", "-s", *NEEDED, "int_occupation", *options, parsed=dbt_target)
    assert set(run.failures) == (set() if is_one else {"one_taxonomy_int_occupation_"})
