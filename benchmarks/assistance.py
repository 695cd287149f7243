"""Speed and memory of the tournament from verdicts in files to marts.

    nice python -m benchmarks.assistance            # 15,120 verdicts: centaurbench's panel
    nice python -m benchmarks.assistance 100        # a hundred times as many runs: 1.5 million

Belongs here: timings. Does not belong here: tests of what is computed (tests/assistance).
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assets.settings import Settings
from dagster_project.dbt_build.dbt_project import prepare_manifest
from dagster_project.resources import DuckDBWarehouse
from tests.support.assistance.panel import Panel, write_panel
from tests.support.assistance.slice_build import AFTER, BEFORE, ONLY_MODELS, land, python_step
from tests.support.dbt_run import WAREHOUSE_NAME, run_dbt


@contextmanager
def timed(what: str) -> Iterator[None]:
    start, start_cpu = time.perf_counter(), time.process_time()
    yield
    wall, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{what}: wall {wall:.1f} s, CPU {cpu:.1f} s, peak so far {peak:.2f} GiB", flush=True)


def main(times: int) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        n = write_panel(folder / "sources", Panel(n_runs=10 * times, own_runs=0))
        parsed = prepare_manifest(Settings(home=folder / "parsed")).parent
        print(f"{n:,} verdicts")
        warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
        with timed("files to marts"):
            with timed("  files to raw tables"):
                land(warehouse, folder / "sources")
            with timed("  dbt to intermediate tables"):
                assert run_dbt(folder, "build", "-s", *BEFORE, *ONLY_MODELS, parsed=parsed).success
            with timed("  strengths, agreement, intervals"):
                python_step(warehouse)
            with timed("  dbt to marts"):
                assert run_dbt(folder, "build", "-s", *AFTER, *ONLY_MODELS, parsed=parsed).success
        assert len(warehouse.read("marts.tournament_overall")) == 20


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
