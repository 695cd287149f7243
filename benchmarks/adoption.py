"""A log of a million chat summaries, from Parquet to marts, and further runs with ten thousand more each.

The first run builds the slice, the others what depends on chats, both with
all data tests, in one process: what it takes to start Dagster and dbt is not in the figures.

    nice python -m benchmarks.adoption            # 1,000,000 summaries: minutes
    nice python -m benchmarks.adoption 50000

Belongs here: timings, memory and ratios. Does not belong here: tests of what is computed (tests/adoption).
"""

from __future__ import annotations

import logging
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from assets.adoption.assets import adoption
from assets.adoption.indices.assets import embedder_validation, index_bridge
from assets.adoption.match import matches, matching
from assets.adoption.match.matches import Matches
from assets.common.warehouse import Parts, Rows, declared_tables
from assets.embedding.embedders import load_embedder
from assets.embedding.nearest import nearest
from assets.settings import Settings
from assets.sources.readers import read_chats, read_comparison
from dagster_project.dbt_build.dbt_project import prepare_manifest
from dagster_project.resources import DuckDBWarehouse
from tests.support.adoption.slice_build import FIRST, RAW, REST
from tests.support.dbt_run import WAREHOUSE_NAME, manifest_of, run_dbt
from tests.support.steps import run_steps

N_OCCUPATIONS, N_TASKS, N_NEW, N_BATCHES = 923, 18_796, 10_000, 5
FILE_ROWS = 100_000
N_COMPARED, N_COMPARED_SLOW = 20_000, 200
MOST_SECONDS, MOST_MATCHING_SECONDS, MOST_GIB, MOST_AGAIN, LEAST_FASTER = 360, 240, 4, 0.05, 20
READ, LOAD, SQL_BEFORE, MATCH = "files to parts", "parts to raw.chat", "SQL before matching", "matching"
VALIDATE = "embedder validation"
ADOPT, SQL_AFTER = "matching, tables, intervals", "SQL after matching"
# what depends on chats, before the matching and after
CHATS = ("stg_chat", "stg_chat_reject", "int_chat", "int_chat_text", "int_request")
FIRST_AGAIN = ("--indirect-selection", "cautious", "-s", *CHATS)
REST_AGAIN = ("-s", "int_task_set+", "int_chat_match", "match_floor", "chat_log", "embedder_validation")
TOP = (READ, LOAD, SQL_BEFORE, ADOPT, VALIDATE, SQL_AFTER)
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
                # as in O*NET, one of seventeen is 4 or more
                "value": ["4" if n % 17 == 0 else "3" for n in range(35 * N_OCCUPATIONS)],
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


@dataclass
class Clock:
    """Seconds by step, on the clock and of the processor."""

    wall: dict[str, float] = field(default_factory=dict)
    processor: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time what is done meanwhile, and say so."""
        begun, spent = time.monotonic(), time.process_time()
        yield
        self.wall[name] = time.monotonic() - begun
        self.processor[name] = time.process_time() - spent
        print(
            f"  {name:<28} {self.wall[name]:7.1f} s, {self.processor[name]:7.1f} s of processor", flush=True
        )

    def total(self, *names: str) -> float:
        return sum(self.wall[name] for name in names or TOP)


def refresh(
    folder: Path, settings: Settings, parsed: Path, before: Sequence[str] = FIRST, after: Sequence[str] = REST
) -> Clock:
    """Every step of the slice on what lies there.

    Args:
        before, after: what dbt builds before the matching and after it.
    """
    warehouse, clock = DuckDBWarehouse(folder / WAREHOUSE_NAME), Clock()
    # what only a process needs that starts dbt twice
    manifests = [manifest_of(parsed) for _ in range(2)]
    assert settings.sources is not None
    with clock.step(READ):
        chats = read_chats(
            settings.sources,
            folder / "chats",
            max_characters=settings.chat_characters,
            request_characters=settings.request_characters,
        )
    with clock.step(LOAD):
        chat_tables: dict[str, Rows] = {"raw.chat": Parts(chats.parts), "raw.chat_file": chats.files}
        warehouse.write(chat_tables | read_comparison(settings.sources).frames)
    with clock.step(SQL_BEFORE):
        sql(folder, manifests[0], before)

    def match(*given: Any) -> Matches:
        with clock.step(MATCH):
            return matches.match(*given)

    with clock.step(ADOPT), patch.object(matching, "match", match):
        run_steps(warehouse, settings, adoption)
    # of tasks alone, and kept while these stay
    with clock.step(VALIDATE):
        run_steps(warehouse, settings, embedder_validation, index_bridge)
    with clock.step(SQL_AFTER):
        sql(folder, manifests[1], after)
    return clock


def sql(folder: Path, manifest: Any, selection: Sequence[str]) -> None:
    run = run_dbt(folder, "build", *selection, "--exclude-resource-type", "unit_test", manifest=manifest)
    assert run.success, run.failures


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
    print(f"the same three tasks in {same:.1%} of {N_COMPARED_SLOW} queries (ties aside, all)")
    return ours, slow


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    logging.getLogger("alembic").setLevel(logging.WARNING)
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sources/chats").mkdir(parents=True)
        settings = Settings.model_validate(
            {"home": folder, "sources": folder / "sources", "embedder": "wordllama", "seed": 1}
        )
        parsed = prepare_manifest(Settings.model_validate({"home": folder / "parsed"})).parent
        warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
        frames = {t: pd.DataFrame() for t in declared_tables() if t.startswith(RAW)} | world()
        warehouse.write({t: f.reindex(columns=list(declared_tables()[t])) for t, f in frames.items()})
        # dbt reads the project once a process
        sql(folder, manifest_of(parsed), ("-s", "seed_major_group"))
        write_log(folder / "sources/chats", n, 1)
        print(f"{n:,} summaries", flush=True)
        first = refresh(folder, settings, parsed)
        gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{first.total():.0f} s (at most {MOST_SECONDS} at a million), of them {first.total(MATCH):.0f} matching"
        )
        print(f"(at most {MOST_MATCHING_SECONDS}); peak memory {gib:.2f} GiB (at most {MOST_GIB})")
        again = []
        for batch in range(2, 2 + N_BATCHES):
            write_log(folder / "sources/chats", N_NEW, batch)
            print(f"{N_NEW:,} more", flush=True)
            again.append(refresh(folder, settings, parsed, FIRST_AGAIN, REST_AGAIN))
    seconds = median(run.total() for run in again)
    spent = median(sum(run.processor[name] for name in TOP) for run in again)
    print(
        f"{', '.join(f'{run.total():.1f}' for run in again)} s; their median is {seconds / first.total():.1%} of the "
        f"first run's time (at most {MOST_AGAIN:.0%} at a million),"
    )
    print(f"{spent / sum(first.processor[name] for name in TOP):.1%} of its processor time")
    ours, theirs = against_duckdb(settings)
    print(f"{ours:,.0f} queries/s; DuckDB {theirs:,.0f}: {ours / theirs:.0f} times (at least {LEAST_FASTER})")


if __name__ == "__main__":
    main()
