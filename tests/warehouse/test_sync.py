"""A table kept in step with Parquet parts: what is known stays, what is gone goes, and paths say nothing of rows."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.common.warehouse import DamagedPartError, Files, Parts, declared_tables
from assets.versions import Version, why_stale
from dagster_project.resources import DuckDBWarehouse

TABLE = "raw.chat"


def part(folder: Path, name: str, *countries: str | None) -> Path:
    """A part of two columns; the others are NULL in the table."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = {"country": pa.array(countries, pa.string()), "row_number": pa.array(range(len(countries)))}
    pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return folder / f"{name}.parquet"


def rows(warehouse: DuckDBWarehouse) -> list[tuple[str, str | None]]:
    frame = warehouse.read(TABLE, ["part", "country"])
    return sorted(frame.itertuples(index=False, name=None), key=repr)


def test_parts_come_stay_and_go(tmp_path: Path) -> None:
    warehouse = DuckDBWarehouse(tmp_path / "warehouse.duckdb")
    a, b, c = (part(tmp_path, name, country) for name, country in zip("abc", ("x", None, "z"), strict=True))
    warehouse.write({TABLE: Parts([a, b])})
    assert rows(warehouse) == [("a", "x"), ("b", None)]
    # a part that is known is not read again: its name stands for its contents
    a.write_bytes(b"")
    warehouse.write({TABLE: Parts([a, c])})
    assert rows(warehouse) == [("a", "x"), ("c", "z")]
    # one that can't be read changes nothing
    b.write_bytes(b"half")
    with pytest.raises(Exception, match=r"b\.parquet"):
        warehouse.write({TABLE: Parts([b, c])})
    assert rows(warehouse) == [("a", "x"), ("c", "z")]
    warehouse.write({TABLE: Parts([])})
    assert rows(warehouse) == []
    assert list(warehouse.read(TABLE).columns) == list(declared_tables()[TABLE])


def test_a_part_damaged_behind_a_sound_footer_is_named(tmp_path: Path) -> None:
    warehouse = DuckDBWarehouse(tmp_path / "warehouse.duckdb")
    sound, damaged = (part(tmp_path, name, *(f"{name}{k}" for k in range(500))) for name in "ab")
    warehouse.write({TABLE: Parts([sound])})
    content = bytearray(damaged.read_bytes())
    content[4:-600] = b"\xff" * len(content[4:-600])
    damaged.write_bytes(content)
    assert pq.read_metadata(damaged).num_rows == 500
    with pytest.raises(DamagedPartError, match=r"b\.parquet is damaged .*delete it, and refresh"):
        warehouse.write({TABLE: Parts([sound, part(tmp_path, "c", "z"), damaged])})
    assert len(rows(warehouse)) == 500


def test_a_table_of_an_earlier_version_is_made_anew(tmp_path: Path) -> None:
    warehouse = DuckDBWarehouse(tmp_path / "warehouse.duckdb")
    with warehouse.connect() as connection:
        connection.execute("create schema raw")
        connection.execute("create table raw.chat as select 'old' as country")
    warehouse.write({TABLE: Parts([part(tmp_path, "a", "x")])})
    assert rows(warehouse) == [("a", "x")]


@pytest.mark.parametrize("folder", ["country=Atlantis", "team=a", "form=log", "it's [odd] *"])
def test_the_name_of_a_folder_is_no_column(tmp_path: Path, folder: str) -> None:
    warehouse = DuckDBWarehouse(tmp_path / folder / "warehouse.duckdb")
    one = part(tmp_path / folder, "a", "x")
    warehouse.write({TABLE: Parts([one])})
    assert rows(warehouse) == [("a", "x")] and warehouse.read(TABLE)["form"].isna().all()
    pq.write_table(pq.read_table(one).append_column("form", pa.array(["own"])), one)
    warehouse.write({"raw.chat": Files([whole(one)])})
    assert warehouse.read(TABLE)[["country", "form"]].iloc[0].tolist() == ["x", "own"]


def whole(one: Path) -> Path:
    """The part with all declared columns, as `load` wants it."""
    table = pq.ParquetFile(one).read()
    for name, kind in declared_tables()[TABLE].items():
        if name not in table.column_names:
            null = pa.nulls(table.num_rows, pa.int64() if kind == "bigint" else pa.string())
            table = table.append_column(name, null)
    pq.write_table(table, one)
    return one


def test_a_part_table_whose_types_are_others_is_made_again(tmp_path: Path) -> None:
    warehouse = DuckDBWarehouse(tmp_path / "warehouse.duckdb")
    paths = [part(tmp_path, "a", "x")]
    warehouse.write({TABLE: Parts(paths)})
    with warehouse.connect() as connection:
        connection.execute("alter table raw.chat alter row_number type varchar")
    warehouse.write({TABLE: Parts(paths)})
    assert warehouse.read(TABLE)["row_number"].dtype == "Int64"
    assert rows(warehouse) == [("a", "x")]


@pytest.mark.parametrize(
    "sql",
    [
        "alter table raw.item alter text_key type varchar",
        "alter table raw.item drop column answer",
        "alter table raw.item add column old varchar",
        # noted by a version of the project that noted no columns
        "update state.version set columns = null",
    ],
)
@pytest.mark.parametrize("n_rows", [0, 1])
def test_a_table_whose_columns_are_others_is_stale(tmp_path: Path, sql: str, n_rows: int) -> None:
    warehouse = DuckDBWarehouse(tmp_path / "warehouse.duckdb")
    frame = pd.DataFrame(
        [["b", "1", "t", None, False, None, 5]] * n_rows, columns=[*declared_tables()["raw.item"]]
    )
    origin = Version("code")
    warehouse.write({"raw.item": frame}, {"raw.item": origin})
    before = warehouse.versions()["raw.item"]
    assert not before.is_altered and why_stale(before, "code", {}, {}) == ""
    with warehouse.connect() as connection:
        connection.execute(sql)
    altered = warehouse.versions()["raw.item"]
    assert why_stale(altered, "code", {}, {}) == "its columns are not those that it was made with"
    warehouse.write({"raw.item": frame}, {"raw.item": origin})
    assert warehouse.versions()["raw.item"] == before
