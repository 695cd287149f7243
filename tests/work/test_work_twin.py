"""The slice's marts against a brute-force twin on a messy survey, and on no survey at all."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pandas as pd
import pytest

from assets.settings import PROJECT
from dagster_project.resources import DuckDBWarehouse
from tests.work.messy_survey import write_messy_survey
from tests.work.slice_project import LAYERS, build
from tests.work.twin import Twin

DROPPED = ("AaIC", "ProsM")
FLOW = ["n_started", "n_in_domain", "n_removed_incomplete", "n_removed_quiz", "n_removed_speed", "n_kept"]
ACTIVITY = [
    *("importance", "conditional_importance", "hours_per_week", "n_selected", "n_respondents"),
    *("is_absent", "is_thin"),
]
Rows = Mapping[tuple[Any, ...], tuple[Any, ...]]
CAPABILITY = ["points", "points_if_selected", "n_raters", "n_selected", "n_respondents", "is_thin"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def sources(home: Path) -> Path:
    write_messy_survey(home / "sources")
    return home / "sources"


@pytest.fixture(scope="module")
def warehouse(home: Path, sources: Path) -> DuckDBWarehouse:
    return build(home, sources, dropped=DROPPED)


@pytest.fixture(scope="module")
def twin(sources: Path) -> Twin:
    return Twin(sources, DROPPED)


def rows(frame: pd.DataFrame, keys: list[str], values: list[str]) -> Rows:
    """Key -> values, NULL as None; a key that comes twice fails."""
    records = [
        {name: None if pd.isna(cell) else cell for name, cell in record.items()}
        for record in frame.to_dict("records")
    ]
    found = {tuple(r[key] for key in keys): tuple(r[value] for value in values) for r in records}
    assert len(found) == len(frame)
    return found


def assert_same(found: Rows, expected: Rows) -> None:
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        for value, other in zip(found[key], values, strict=True):
            if isinstance(other, float) and value is not None:
                assert math.isclose(value, other, rel_tol=1e-12, abs_tol=1e-12), key
            else:
                assert value == other, key


def test_flow_counts_each_respondent_once(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    found = rows(warehouse.read("marts.respondent_flow"), ["source", "domain"], FLOW)
    assert_same(found, {key: tuple(counts) for key, counts in twin.flow.items()})
    removed = Counter({name: sum(counts[FLOW.index(name)] for counts in found.values()) for name in FLOW})
    assert min(removed.values()) > 0, "the messy survey must have somebody in every branch"


def test_activity_importance(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    expected = twin.activity_importance()
    keys = ["scope_type", "scope", "activity"]
    assert_same(rows(warehouse.read("marts.activity_importance"), keys, ACTIVITY), expected)
    assert expected["domain", "HSC", "Admin"][4] == 1, "one domain has one respondent"
    assert all(row[5] is True for key, row in expected.items() if key[2] == "Listening"), "nobody chose it"
    # scope all is not the pooled mean: Coding occurs in one domain and keeps that domain's importance
    assert expected["all", "all", "Coding"][0] == expected["domain", "NDP", "Coding"][0]


def test_capability_importance(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    keys = ["scope_type", "scope", "activity", "capability"]
    frame = warehouse.read("marts.capability_importance")
    assert_same(rows(frame, keys, CAPABILITY), twin.capability_importance())
    assert not set(frame["capability"]) & set(DROPPED) and "Listening" not in set(frame["activity"])
    assert not frame["is_suppressed"].any()


def test_what_cannot_be_used_is_listed_where_it_stood(warehouse: DuckDBWarehouse, sources: Path) -> None:
    """Every rejected value is the file's own cell at that row and column, and each kind of fault is met."""
    frames = {
        f"survey/{path.name}": pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
        for path in (sources / "survey").glob("*.csv")
    }
    rejects = warehouse.read("staging.stg_survey_reject")
    for reject in rejects.to_dict("records"):
        cell = frames[reject["source_file"]].loc[reject["row_number"] - 2, reject["column_name"]]
        is_code = re.fullmatch(r"[\d.,\s+-]*", str(cell))
        assert reject["value"] == (str(cell).strip() if is_code else "(withheld: not a code)")
    assert set(rejects["reason"]) == {
        *("not a number", "not a whole number", "below the allowed range", "above the allowed range"),
        *("unknown domain", "list holds an unknown or repeated code"),
    }


def test_odd_answers_are_flagged_and_kept(warehouse: DuckDBWarehouse) -> None:
    flags = warehouse.read("intermediate.int_survey_flag")
    kept = warehouse.read("intermediate.int_respondent_qc").query("is_kept")
    assert set(flags["respondent"]) <= set(kept["respondent"]) and set(flags["rule"]) == {"kept"}
    assert flags["flag"].nunique() == 7


def test_exact_avg_is_the_same_in_any_order_of_rows() -> None:
    """Rows come in an order of hashes, which differ between homes; a plain avg shows it in its last digits."""
    macro = (PROJECT / "dbt" / "macros" / "exact_avg.sql").read_text(encoding="utf-8")
    sql = jinja2.Template(macro + "{{ exact_avg('x') }}").render(
        to_double=lambda text: f"cast({text} as double)"
    )
    rng = random.Random(1)
    hours = [rng.randint(1, 1680) / 10 for _ in range(200)]
    means: list[tuple[float, float]] = []
    with duckdb.connect() as connection:
        for _ in range(20):
            rng.shuffle(hours)
            connection.execute("create or replace table t as select unnest(?::double[]) as x", [hours])
            means += connection.sql(f"select {sql}, avg(x) from t").fetchall()
    assert len({exact for exact, _ in means}) == 1 < len({plain for _, plain in means})
    assert math.isclose(means[0][0], math.fsum(hours) / len(hours), rel_tol=1e-15)


def test_no_survey_gives_empty_tables(warehouse: DuckDBWarehouse, home: Path) -> None:
    build(home, None, dropped=DROPPED, with_tests=False)
    with warehouse.connect() as connection:
        tables = connection.sql(
            f"select schema_name || '.' || table_name from duckdb_tables() where schema_name in {LAYERS}"
        ).fetchall()
    of_seeds = {"staging.stg_survey_question", "intermediate.int_capability_retention"}
    names = {name for (name,) in tables} - of_seeds
    assert len(names) == 14 and all(warehouse.read(name).empty for name in names)
