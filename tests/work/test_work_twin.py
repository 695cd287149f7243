"""The slice's marts against a brute-force twin on a messy survey, and on no survey at all."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

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


def rows(
    frame: pd.DataFrame, keys: list[str], values: list[str]
) -> dict[tuple[str, ...], tuple[object, ...]]:
    """Key -> values, NULL as None; a key that comes twice fails."""
    frame = frame.astype(object).where(frame.notna(), None)
    found = {tuple(row[keys]): tuple(row[values]) for _, row in frame.iterrows()}
    assert len(found) == len(frame)
    return found


def assert_same(found: dict[tuple[str, ...], tuple], expected: dict[tuple[str, ...], tuple]) -> None:
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
    assert all(row[5] for key, row in expected.items() if key[2] == "Listening"), "nobody chose it"
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
    lines = {
        f"survey/{path.name}": path.read_text(encoding="utf-8-sig").splitlines()
        for path in (sources / "survey").glob("*.csv")
    }
    frames = {
        file: pd.read_csv(sources / file, dtype=str, keep_default_na=False, encoding="utf-8-sig")
        for file in lines
    }
    rejects = warehouse.read("staging.stg_survey_reject")
    for reject in rejects.itertuples():
        cell = frames[reject.source_file].loc[reject.row_number - 2, reject.column_name]
        assert cell.strip() == reject.value
    assert set(rejects["reason"]) == {
        *("not a number", "not a whole number", "below the allowed range", "above the allowed range"),
        *("unknown domain", "list holds an unknown or repeated code"),
    }


def test_odd_answers_are_flagged_and_kept(warehouse: DuckDBWarehouse) -> None:
    flags = warehouse.read("intermediate.int_survey_flag")
    kept = warehouse.read("intermediate.int_respondent_qc").query("is_kept")
    assert set(flags["respondent"]) <= set(kept["respondent"]) and set(flags["rule"]) == {"kept"}
    assert flags["flag"].nunique() == 7


def test_marts_do_not_depend_on_hashes(warehouse: DuckDBWarehouse, home: Path, sources: Path) -> None:
    """Another home has another salt, so other hashes and another order of rows; every digit stays."""
    marts = ["respondent_flow", "activity_importance", "capability_importance"]

    def cells() -> list[list[tuple]]:
        frames = [warehouse.read(f"marts.{mart}").astype(object) for mart in marts]
        return [sorted(map(repr, frame.itertuples(index=False))) for frame in frames]

    before = cells()
    respondents = set(warehouse.read("staging.stg_respondent")["respondent"])
    build(home, sources, dropped=DROPPED, salt="other", with_tests=False)
    assert not respondents & set(warehouse.read("staging.stg_respondent")["respondent"])
    assert cells() == before


def test_no_survey_gives_empty_tables(warehouse: DuckDBWarehouse, home: Path) -> None:
    build(home, None, dropped=DROPPED, with_tests=False)
    with warehouse.connect() as connection:
        tables = connection.sql(
            f"select schema_name || '.' || table_name from duckdb_tables() where schema_name in {LAYERS}"
        ).fetchall()
    of_seeds = {"staging.stg_survey_question", "intermediate.int_capability_retention"}
    names = {name for (name,) in tables} - of_seeds
    assert len(names) == 14 and all(warehouse.read(name).empty for name in names)
