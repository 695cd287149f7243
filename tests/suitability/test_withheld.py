"""A small company with numbers that nobody else has: they reach the tables before the gate, and none behind it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from assets.settings import Settings
from assets.suitability.assets import published_suitability, suitability_scores, suitability_sweep
from dagster_project.resources import DuckDBWarehouse
from tests.support.factories import SURVEY_HEADER, respondent, write_interview, write_survey
from tests.support.steps import run_steps
from tests.support.work.slice_build import build

PLANTED, HOURS = (31.41, 68.59), 7.77
# what the steps read of other slices: a dimension for each capability, draws without spread
OTHERS = """
create table staging.stg_ai_system as select 'x' as system, 'ai' as kind;
create table intermediate.int_dimension_member as
    select capability as dimension, capability as dimension_key, capability from seed.seed_capability;
create table estimate.capability_draw as
    select 'x' as system, capability as dimension, 0 as chain, draw,
        cast(row_number() over (partition by draw order by capability) as double) as value
    from seed.seed_capability cross join range(3) as t (draw);
create table staging.stg_policy as
    select 'certain' as policy, 0.0 as power, 1.0 as sharpness, 'raw' as weighting, 'conditional' as importance_type,
        'none' as weight_uncertainty, cast(null as double) as weight_kappa, true as is_default,
        cast(null as varchar) as reason;
create table seed.published_capability as
    select 'x' as system, dimension, 1.0 as mean, 0.1 as sd from intermediate.int_dimension_member;
create table seed.seed_dimension as select dimension, dimension_key from intermediate.int_dimension_member;
"""


def _people(company: str, n: int, points: tuple[float, float], hours: float) -> Iterator[dict[str, object]]:
    for _ in range(n):
        person = respondent(company=company, **{"Q3.3_1": hours, "Q3.3_10": hours})
        for activity in (1, 10):
            person |= dict(zip((f"{activity}_Q5.4_2", f"{activity}_Q5.4_5"), points, strict=True))
        yield person


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> DuckDBWarehouse:
    """Two companies of three, who together are enough to hide each other, a large one, and people of none."""
    folder = tmp_path_factory.mktemp("withheld")
    inside = [
        *_people("Plant", 3, PLANTED, HOURS),
        *_people("Other", 3, (50, 50), 9),
        *_people("Big", 20, (60, 40), 8),
    ]
    header = [*SURVEY_HEADER, "company"]
    write_survey(folder / "sources", "companies", inside, header=header)
    write_survey(folder / "sources", "online", list(_people("", 20, (55, 45), 10)), header=header)
    write_interview(folder / "sources")
    warehouse = build(folder, folder / "sources", dropped=(), with_tests=False)
    with warehouse.connect() as connection:
        connection.execute(OTHERS)
    settings = Settings(home=folder, published_draws=100, sweep_draws=100)
    run_steps(warehouse, settings, suitability_scores, published_suitability, suitability_sweep)
    return warehouse


def test_planted_numbers_are_there_before_the_gate(warehouse: DuckDBWarehouse) -> None:
    assert set(PLANTED) <= _numbers(warehouse, "intermediate", "int_capability_importance")
    assert HOURS in _numbers(warehouse, "intermediate", "int_activity_importance")


def test_no_planted_number_passes_the_gate(warehouse: DuckDBWarehouse) -> None:
    before = warehouse.read("intermediate.int_capability_importance").query("scope == 'Plant'")
    value = warehouse.read("estimate.capability_draw").groupby("dimension")["value"].first()
    # p = 0 and certain weights: log S is the weighted mean, closed form
    log_s = {
        round(float((rows["points"] / 100 * rows["capability"].map(value)).sum()), 6)
        for _, rows in before.groupby("activity")
    }
    assert len(log_s) == 1
    forbidden = {*PLANTED, HOURS, *log_s}
    with warehouse.connect() as connection:
        tables = connection.execute(
            "select table_schema, table_name from information_schema.tables where table_schema = 'marts' or "
            "table_name like 'int_disclosed_%' or table_schema = 'estimate' and table_name like '%suitability%'"
        ).fetchall()
    assert len(tables) > 10
    leaked = {f"{s}.{t}": found for s, t in tables if (found := _numbers(warehouse, s, t) & forbidden)}
    assert leaked == {}


def test_a_withheld_cell_keeps_its_rows_without_figures(warehouse: DuckDBWarehouse) -> None:
    scores = warehouse.read("estimate.suitability").set_index("scope")["mean_log"]
    assert len(scores["Plant"]) == len(scores["Big"]) == 2
    assert scores["Plant"].isna().all() and scores["Big"].notna().all()
    sweep = (
        warehouse.read("estimate.suitability_sweep").query("basis == 'fitted'").groupby("scope")["mean_log"]
    )
    # 2 activities × 28 cells × 2 uncertainties × 2 weightings, of which 'relative' is undefined for Big: both alike
    assert (sweep.size()["Plant"], sweep.count()["Plant"]) == (224, 0)
    assert (sweep.size()["Big"], sweep.count()["Big"]) == (112, 112)
    assert set(warehouse.read("estimate.published_suitability")["scope_type"]) <= {"all", "domain"}


def _numbers(warehouse: DuckDBWarehouse, schema: str, table: str) -> set[float]:
    frame = warehouse.read(f"{schema}.{table}").select_dtypes("number")
    values = (
        pd.concat([frame[name].astype(float) for name in frame])
        if len(frame.columns)
        else pd.Series(dtype=float)
    )
    return set(np.round(values.dropna().to_numpy(), 6).tolist())
