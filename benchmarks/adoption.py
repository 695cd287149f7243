"""A log of a million chat summaries, from Parquet to marts, and a second run with ten thousand more.

    nice python -m benchmarks.adoption            # 1,000,000 summaries: minutes
    nice python -m benchmarks.adoption 50000

Belongs here: timings, memory and ratios. Does not belong here: tests of what is computed (tests/adoption).
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from assets.adoption.assets import adoption
from assets.adoption.embedders import load_embedder
from assets.adoption.nearest import nearest
from assets.ports import declared_tables
from assets.settings import Settings
from assets.sources.readers import read_chats
from dagster_project.dbt_assets import prepare_manifest
from dagster_project.resources import DuckDBWarehouse
from tests.adoption.slice_build import FIRST, RAW, REST
from tests.dbt_run import WAREHOUSE_NAME, run_dbt

N_OCCUPATIONS, N_TASKS, N_NEW = 923, 18_796, 10_000
FILE_ROWS = 100_000
N_COMPARED, N_COMPARED_SLOW = 20_000, 200
MOST_SECONDS, MOST_MATCHING_SECONDS, MOST_GIB, MOST_AGAIN, LEAST_FASTER = 360, 240, 4, 0.05, 20
VERBS, THINGS, OF, WHEN = (
    words.split()
    for words in (
        "draft review translate calculate plan inspect repair schedule compare record teach design test order measure "
        "explain audit negotiate illustrate photograph assemble install weigh classify summarise",
        "invoices contracts pumps lessons bridges budgets menus timetables engines surveys recipes policies gardens "
        "walls databases claims speeches samples garments vehicles bookings loans antennas reports parcels tickets "
        "drawings wells catalogues prescriptions",
        "hospital harbour school bakery mine court museum farm laboratory bank theatre railway airline hotel brewery "
        "shipyard library newsroom foundry orchard clinic",
        "after-an-accident before-the-season with-new-staff under-time-pressure for-an-inspection by-hand",
    )
)


def statements() -> list[str]:
    """One text a task; all different."""
    rng = np.random.default_rng(0)
    shape = (len(VERBS), len(THINGS), len(OF), len(WHEN))
    picked = rng.choice(int(np.prod(shape)), N_TASKS, replace=False)
    return [
        f"{VERBS[v].capitalize()} {THINGS[t]} of a {OF[o]} {WHEN[w].replace('-', ' ')}."
        for v, t, o, w in zip(*np.unravel_index(picked, shape), strict=True)
    ]


def world() -> dict[str, pd.DataFrame]:
    """Occupations of all sizes whose tasks stand under 332 intermediate and 2,087 detailed activities."""
    task = np.arange(N_TASKS)
    occupations = [f"{11 + 2 * (n % 23)}-{1000 + n}.00" for n in range(N_OCCUPATIONS)]
    return {
        "raw.onet_task": pd.DataFrame(
            {
                "occupation": [occupations[n % N_OCCUPATIONS] for n in task],
                "task_id": task.astype(str),
                "task": statements(),
            }
        ),
        "raw.onet_occupation": pd.DataFrame({"occupation": occupations, "title": occupations}),
        "raw.onet_iwa": pd.DataFrame(
            {
                "gwa_id": [f"g{n % 37}" for n in range(332)],
                "iwa_id": [f"i{n}" for n in range(332)],
                "title": "t",
            }
        ),
        "raw.onet_dwa": pd.DataFrame(
            {
                "iwa_id": [f"i{n % 332}" for n in range(2087)],
                "dwa_id": [f"d{n}" for n in range(2087)],
                "title": "t",
            }
        ),
        "raw.onet_task_dwa": pd.DataFrame(
            {"task_id": task.astype(str), "dwa_id": [f"d{n % 2087}" for n in task]}
        ),
        "raw.onet_skill": pd.DataFrame(
            {
                "occupation": occupations * 35,
                "skill": [f"s{n}" for n in range(35) for _ in occupations],
                "name": [f"skill {n}" for n in range(35) for _ in occupations],
                "scale": "IM",
                "value": [str(1 + n % 5) for n in range(35 * N_OCCUPATIONS)],
                "source_file": "benchmark",
                "row_number": range(35 * N_OCCUPATIONS),
            }
        ),
    }


def write_log(folder: Path, n: int, seed: int) -> None:
    """`n` summaries in files of 100,000, all different."""
    rng = np.random.default_rng(seed)
    for start in range(0, n, FILE_ROWS):
        rows = min(FILE_ROWS, n - start)
        picked = [rng.choice(words, rows) for words in (VERBS, THINGS, OF, WHEN)]
        number = np.arange(start, start + rows)
        table = pa.table(
            {
                "chat_id": [f"{seed}-{i}" for i in number],
                "text": [
                    f"Help me to {v} {t} for the {o} where I work, {w.replace('-', ' ')}; this is case {i} of {seed}."
                    for v, t, o, w, i in zip(*picked, number, strict=True)
                ],
                "at": [f"2025-{1 + i % 12:02}-{1 + i % 28:02}T12:00:00+05:30" for i in number],
            }
        )
        pq.write_table(table, folder / f"{seed}-{start:07}.parquet")


@contextmanager
def timed(into: dict[str, float], what: str) -> Iterator[None]:
    begun = time.monotonic()
    yield
    into[what] = time.monotonic() - begun


def refresh(folder: Path, settings: Settings, parsed: Path) -> dict[str, float]:
    """Every step of the slice on what lies there; seconds each."""
    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    seconds: dict[str, float] = {}
    assert settings.sources is not None
    with timed(seconds, "read"):
        chats = read_chats(
            settings.sources,
            folder / "chats",
            max_characters=settings.chat_characters,
            request_characters=settings.request_characters,
        )
    with timed(seconds, "load"):
        warehouse.load("raw.chat", chats.parts)
        warehouse.replace({"raw.chat_file": chats.files})
    quiet = ("--exclude-resource-type", "unit_test")
    with timed(seconds, "SQL before matching"):
        run = run_dbt(folder, "build", *FIRST, *quiet, parsed=parsed)
        assert run.success, run.failures
    with timed(seconds, "matching, intervals"):
        list(adoption(warehouse=warehouse, settings=settings))  # type: ignore[call-overload]
    with timed(seconds, "SQL after matching"):
        run = run_dbt(folder, "build", *REST, *quiet, parsed=parsed)
        assert run.success, run.failures
    return seconds


def against_duckdb(settings: Settings) -> tuple[float, float]:
    """Queries a second: of the blocked product, and of DuckDB's array_cosine_distance on the same vectors."""
    engine = load_embedder(settings)
    tasks = engine.embed(statements())
    queries = engine.embed([f"Help me with case {n}, {text}" for n, text in enumerate(statements())])
    queries = np.resize(queries, (N_COMPARED, engine.dimension))
    ids = [str(n) for n in range(len(tasks))]
    begun = time.monotonic()
    found, _ = nearest(queries, tasks, ids)
    ours = len(queries) / (time.monotonic() - begun)
    with duckdb.connect() as connection:
        connection.execute("set threads = 1")
        kind = pa.list_(pa.float32(), engine.dimension)
        for name, vectors in (("task", tasks), ("query", queries[:N_COMPARED_SLOW])):
            rows = pa.table(
                {
                    "id": np.arange(len(vectors)),
                    "v": pa.FixedSizeListArray.from_arrays(vectors.ravel(), type=kind),
                }
            )
            connection.register("rows", rows)
            connection.execute(
                f"create table {name} as select id, v::float[{engine.dimension}] as v from rows"
            )
        begun = time.monotonic()
        theirs = connection.execute(
            "select query.id, arg_min(task.id, array_cosine_distance(query.v, task.v), 3) "
            "from query cross join task group by query.id order by query.id"
        ).fetchall()
        slow = N_COMPARED_SLOW / (time.monotonic() - begun)
    same = np.mean([set(map(str, near)) == set(found[row]) for row, near in theirs])
    print(f"  the same three tasks in {same:.1%} of {N_COMPARED_SLOW} queries (ties aside, all)")
    return ours, slow


def peak_gib() -> float:
    """The most memory this process has held, and as much again as the largest of its children for each of two."""
    own, child = (
        resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return (own + 2 * child) / 2**20


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sources/chats").mkdir(parents=True)
        settings = Settings.model_validate(
            {"home": folder, "sources": folder / "sources", "embedder": "wordllama", "seed": 1}
        )
        parsed = prepare_manifest(Settings.model_validate({"home": folder / "parsed"})).parent
        write_log(folder / "sources/chats", n, 1)
        warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
        frames = {t: pd.DataFrame() for t in declared_tables() if t.startswith(RAW)} | world()
        warehouse.replace({t: f.reindex(columns=list(declared_tables()[t])) for t, f in frames.items()})
        first = refresh(folder, settings, parsed)
        report(f"{n:,} summaries", first)
        write_log(folder / "sources/chats", N_NEW, 2)
        again = refresh(folder, settings, parsed)
        report(f"{N_NEW:,} more", again)
        print(f"peak memory {peak_gib():.2f} GiB (at most {MOST_GIB})")
        share = sum(again.values()) / sum(first.values())
        print(f"the second run takes {share:.1%} of the first (at most {MOST_AGAIN:.0%} at a million)")
        print(f"(at most {MOST_SECONDS} s in all, {MOST_MATCHING_SECONDS} s matching, at a million)")
        ours, theirs = against_duckdb(settings)
        print(
            f"  {ours:,.0f} queries/s; DuckDB {theirs:,.0f}: {ours / theirs:.0f} times (at least {LEAST_FASTER})"
        )


def report(what: str, seconds: dict[str, float]) -> None:
    print(f"{what}: {sum(seconds.values()):.1f} s")
    for step, took in seconds.items():
        print(f"  {step:<22} {took:7.1f} s")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
