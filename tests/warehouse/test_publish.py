"""Publication: what readers get, what is refused, and what a crash leaves behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from assets.versions import Version
from dagster_project.publication.publish import Mart, PublishError, publish
from dagster_project.resources import DuckDBWarehouse

RUN = "abcdef12-3456-7890-abcd-ef1234567890"
MARTS = [
    Mart(
        "capability_profile",
        ("system", "mean_log"),
        ("system",),
        "Profiles.",
        {"mean_log": "log; it's a mean"},
    ),
    Mart("refresh", ("refresh_id", "finished_at"), ("refresh_id",)),
]


def fill(warehouse: DuckDBWarehouse, generation: int = 1, n_rows: int = 3) -> None:
    """A working file whose marts all carry one generation number, so that a torn read would show."""
    with warehouse.connect() as connection:
        connection.execute("create schema if not exists marts")
        connection.execute(
            "create or replace table marts.capability_profile as "
            f"select 'system-' || (100000 - i) as system, {generation}.0 as mean_log from range({n_rows}) as r (i)"
        )
        connection.execute(
            "create or replace table marts.refresh as "
            f"select 'r-{generation}-abcdef12' as refresh_id, cast(null as timestamp) as finished_at"
        )


@pytest.fixture
def warehouse(tmp_path: Path) -> DuckDBWarehouse:
    warehouse = DuckDBWarehouse(tmp_path / "warehouse.duckdb", lock_wait_seconds=20)
    fill(warehouse)
    return warehouse


def test_readers_get_ordered_rows_comments_and_a_finish_time(
    warehouse: DuckDBWarehouse, tmp_path: Path
) -> None:
    folder = tmp_path / "published"
    assert publish(warehouse, folder, MARTS, run_id="abcdef12-3456-7890-abcd-ef1234567890") == {
        "capability_profile": 3,
        "refresh": 1,
    }
    with duckdb.connect(str(folder / "suitability.duckdb"), read_only=True) as reader:
        systems = reader.execute("select system from marts.capability_profile").fetchall()
        assert systems == [("system-100000",), ("system-99998",), ("system-99999",)]
        comment = reader.execute(
            "select comment from duckdb_columns() where table_name = 'capability_profile' and column_name = 'mean_log'"
        ).fetchone()
        assert comment == ("log; it's a mean",)
        assert reader.execute("select finished_at is not null from marts.refresh").fetchone() == (True,)
        storage = reader.execute("select tags['storage_version'] from duckdb_databases() where not internal")
        assert storage.fetchone() == ("v1.0.0+",)
    parquet = duckdb.execute(f"select count(*) from '{folder}/capability_profile.parquet'").fetchone()
    assert parquet == (3,)
    assert not list(folder.glob(".publishing-*"))


def test_same_marts_give_the_same_parquet_bytes(warehouse: DuckDBWarehouse, tmp_path: Path) -> None:
    publish(warehouse, tmp_path / "one", MARTS)
    publish(warehouse, tmp_path / "two", MARTS)
    one, two = ((tmp_path / name / "capability_profile.parquet").read_bytes() for name in ("one", "two"))
    assert one == two


@pytest.mark.parametrize(
    ("marts", "message"),
    [
        ([Mart("absent", ("x",), ("x",))], "absent: missing"),
        ([Mart("capability_profile", ("system", "sd_log"), ("system",))], "lacks sd_log"),
        ([Mart("capability_profile", ("system", "mean_log"), ("mean_log",))], "occurs 3 times"),
    ],
)
def test_broken_marts_are_refused_and_the_last_good_file_stays(
    warehouse: DuckDBWarehouse, tmp_path: Path, marts: list[Mart], message: str
) -> None:
    folder = tmp_path / "published"
    publish(warehouse, folder, MARTS)
    before = (folder / "suitability.duckdb").stat()
    with pytest.raises(PublishError, match=message):
        publish(warehouse, folder, marts)
    assert (folder / "suitability.duckdb").stat().st_ino == before.st_ino


def test_an_overtaken_refresh_publishes_nothing(warehouse: DuckDBWarehouse, tmp_path: Path) -> None:
    with pytest.raises(PublishError, match="another refresh has replaced them"):
        publish(warehouse, tmp_path / "published", MARTS, run_id=RUN.replace("abcdef12", "00000000"))
    assert not (tmp_path / "published" / "suitability.duckdb").exists()


def test_each_asset_is_told_with_what_this_refresh_did_of_it(
    warehouse: DuckDBWarehouse, tmp_path: Path
) -> None:
    """The mart in the working file was built before the last assets were made; of what is kept, no time is told."""
    columns = ("asset", "is_made", "reason", "seconds", "n_rows")
    with warehouse.connect() as connection:
        connection.execute(
            "create table marts.refresh_step as select 'old' as asset, true as is_made, 'r' as reason, "
            "1.0::double as seconds, 1::bigint as n_rows"
        )
    now = Version("c", n_rows=2, seconds=1.5, reason="a.csv is new", refresh_id=RUN, data_version="x")
    kept = replace(now, refresh_id="another", n_rows=None)
    names = {"marts.suitability": now, "raw.rating": kept, "published.report": now}
    warehouse.write({}, names)
    marts = [*MARTS, Mart("refresh_step", columns, ("asset",))]
    assert publish(warehouse, tmp_path / "published", marts, RUN)["refresh_step"] == 2
    with duckdb.connect(str(tmp_path / "published" / "suitability.duckdb"), read_only=True) as reader:
        found = reader.execute("from marts.refresh_step").fetchall()
    assert found == [
        ("marts/suitability", True, "a.csv is new", 1.5, 2),
        ("raw/rating", False, None, None, None),
    ]
    parquet = duckdb.execute(f"from '{tmp_path}/published/refresh_step.parquet'").fetchall()
    assert parquet == found


@pytest.mark.parametrize(
    ("version", "is_refused"),
    [
        ("('raw.x', 'abcdef12-3456-7890-abcd-ef1234567890', null, 1.0, 5)", True),
        ("('raw.x', 'abcdef12-3456-7890-abcd-ef1234567890', 'r', 1.0, 5), ('raw.x', 'b', 'r', 1.0, 5)", True),
        (
            "('raw.x', 'abcdef12-3456-7890-abcd-ef1234567890', 'r', 1.0, 5), ('raw.y', 'b', 'r', 1.0, 5)",
            False,
        ),
    ],
)
def test_rows_that_publication_writes_are_checked_in_the_fresh_copy(
    warehouse: DuckDBWarehouse, tmp_path: Path, version: str, is_refused: bool
) -> None:
    """A step without a reason, one that is listed twice; and two as they should be."""
    with warehouse.connect() as connection:
        connection.execute(
            "create schema state; create table state.version as "
            f"from (values {version}) as v (name, refresh_id, reason, seconds, n_rows); "
            "create table marts.refresh_step as select 'raw/x' as asset, false as is_made, "
            "cast(null as varchar) as reason, cast(null as double) as seconds, cast(null as bigint) as n_rows"
        )
    marts = [*MARTS, Mart("refresh_step", ("asset", "is_made", "reason"), ("asset",))]
    with pytest.raises(PublishError, match="refresh_step holds a row") if is_refused else nullcontext():
        publish(warehouse, tmp_path / "published", marts, RUN)
    assert (tmp_path / "published" / "suitability.duckdb").exists() != is_refused


def test_a_mart_that_is_gone_leaves_the_parquet_folder(warehouse: DuckDBWarehouse, tmp_path: Path) -> None:
    folder = tmp_path / "published"
    publish(warehouse, folder, MARTS)
    publish(warehouse, folder, MARTS[:1])
    assert sorted(path.name for path in folder.glob("*.parquet")) == ["capability_profile.parquet"]


def _publish_forever(working: Path, folder: Path) -> None:
    warehouse = DuckDBWarehouse(working, lock_wait_seconds=20)
    generation = 1
    while True:
        generation += 1
        fill(warehouse, generation, 20_000)
        publish(warehouse, folder, MARTS)


def test_readers_never_see_an_error_or_a_torn_answer_while_publishers_are_killed(tmp_path: Path) -> None:
    working, folder = tmp_path / "warehouse.duckdb", tmp_path / "published"
    fill(DuckDBWarehouse(working), 1, 20_000)
    publish(DuckDBWarehouse(working), folder, MARTS)
    spawn = multiprocessing.get_context("spawn")
    reads, seen = 0, set[str]()
    for round_number in range(4):
        publisher = spawn.Process(target=_publish_forever, args=(working, folder), daemon=True)
        publisher.start()
        # reads go on for a while after each new publication, so that kills fall at different points of the next one
        patience = end = time.monotonic() + 60
        in_round = set[str]()
        while time.monotonic() < end:
            with duckdb.connect(str(folder / "suitability.duckdb"), read_only=True) as reader:
                generations = reader.execute(
                    "select distinct mean_log, (select refresh_id from marts.refresh) from marts.capability_profile"
                ).fetchall()
            assert len(generations) == 1 and generations[0][1].startswith(f"r-{int(generations[0][0])}-")
            in_round.add(f"{round_number} {generations[0][1]}")
            reads += 1
            if len(in_round) == 2 and end == patience:
                end = time.monotonic() + 0.4 + 0.17 * round_number
        seen |= in_round
        assert publisher.pid is not None
        os.kill(publisher.pid, signal.SIGKILL)
        publisher.join()
    assert reads > 20 and len(seen) >= 8
    publish(DuckDBWarehouse(working, lock_wait_seconds=20), folder, MARTS)
    assert not list(folder.glob(".publishing-*"))
