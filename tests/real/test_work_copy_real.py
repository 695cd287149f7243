"""A disfigured half of the public survey, with companies made up for it, against the brute-force twin.

Belongs here: what only a real survey can show. Does not belong here: published figures (test_work_real.py).
"""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from dagster_project.resources import DuckDBWarehouse
from tests.support.work.compare import ACTIVITY, CAPABILITY, FLOW, assert_same, rows
from tests.support.work.respondent_twin import Twin
from tests.support.work.slice_build import build

NOT_RETAINED = ("AaIC", "ProsM")
# about 60 people: one company too small, one large, one in two spellings, some without
COMPANIES = (*["Great"] * 12, *["Middle", "MIDDLE"] * 4, *["Small"], "", "", "")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory, real_data: Path) -> Path:
    """Every second respondent in another order, columns in another order, header rows, a company column."""
    folder = tmp_path_factory.mktemp("work_copy")
    rng = random.Random(410)
    (folder / "survey").mkdir()
    for path, n_header_rows in (
        (real_data / "survey/companies.csv", 3),
        (real_data / "survey/online.csv", 2),
    ):
        with path.open(encoding="utf-8-sig", newline="") as file:
            people = list(csv.DictReader(file))
        people = rng.sample(people, len(people) // 2)
        if path.stem == "companies":
            people = [row | {"company": rng.choice(COMPANIES)} for row in people]
        header = list(people[0])
        rng.shuffle(header)
        texts = [
            {name: f"Text of {name}" for name in header},
            {name: json.dumps({"ImportId": name}) for name in header},
        ]
        with (folder / "survey" / path.name).open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, header)
            writer.writeheader()
            writer.writerows([*texts[: n_header_rows - 1], *people])
    return folder


@pytest.fixture(scope="module")
def warehouse(sources: Path) -> DuckDBWarehouse:
    return build(sources, sources, dropped=NOT_RETAINED, with_tests=False)


def test_the_marts_are_the_twins(warehouse: DuckDBWarehouse, sources: Path) -> None:
    twin = Twin(sources, NOT_RETAINED)
    found = warehouse.read("marts.respondent_flow")
    assert_same(rows(found, ["source", "domain"], FLOW), {key: tuple(n) for key, n in twin.flow.items()})
    assert found["n_started"].sum() == 128 // 2 + 443 // 2
    keys = ["scope_type", "scope", "activity"]
    activity = warehouse.read("marts.activity_importance")
    assert_same(rows(activity, keys, ACTIVITY), twin.activity_importance())
    capability = rows(warehouse.read("marts.capability_importance"), [*keys, "capability"], CAPABILITY)
    assert_same(capability, twin.capability_importance())
    companies = activity[activity["scope_type"] == "company"]
    assert set(companies["scope"]) == {"Great", "MIDDLE", "Small"}
    assert set(companies["suppression"].fillna("")) == {"", "few_respondents", "complement"}
