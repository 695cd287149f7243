"""A home and a folder of inputs of their own, whole refreshes through the command line, and who reads meanwhile.

Belongs here: starting, killing and reading. Does not belong here: what must hold afterwards (the tests).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from assets.demo.ensure import ensure_demo

# the refresh, what it did, and what carries the file system's times
VARYING = {"refresh", "refresh_step", "source_file"}


@dataclass
class Workplace:
    """A home and a folder of small demo inputs that tests may change."""

    home: Path
    sources: Path
    published: Path = field(init=False)
    temporary: Path = field(init=False)

    def __post_init__(self) -> None:
        self.temporary = self.home.with_name("temporary")
        self.published = self.home / "published" / "suitability.duckdb"

    @classmethod
    def of_demo(cls, folder: Path, dbt_target: Path) -> Workplace:
        """The smallest demo's files, to be changed at will, and a home with nothing but dbt's project as parsed."""
        sources = shutil.copytree(
            ensure_demo(folder / "demo", n_items=500, seed=20260101), folder / "sources"
        )
        shutil.copytree(dbt_target, folder / "home" / "dbt" / "target")
        return cls(folder / "home", sources)

    def environment(self) -> dict[str, str]:
        where = {"SUITABILITY_HOME": str(self.home), "SUITABILITY_SOURCES": str(self.sources)}
        self.temporary.mkdir(exist_ok=True)
        where["TMPDIR"] = str(self.temporary)
        few_draws = {
            "SUITABILITY_SWEEP_DRAWS": "100",
            "SUITABILITY_PUBLISHED_DRAWS": "500",
            "SUITABILITY_ASSESSOR_TREES": "5",
        }
        return os.environ | where | few_draws

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "dagster_project.cli", "refresh", *arguments],
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def refresh(self, *arguments: str) -> tuple[int, str]:
        process = self.start(*arguments)
        output, _ = process.communicate(timeout=600)
        return process.returncode, output

    def kill_when(self, line_starts: str, delay: float) -> None:
        """Start a refresh and kill its whole process group once a printed line starts so."""
        process = self.start()
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip().startswith(line_starts):
                break
        else:
            raise AssertionError(f"the refresh ended before {line_starts!r}")
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()

    def query(self, sql: str) -> list[tuple]:
        with duckdb.connect(str(self.published), read_only=True) as connection:
            return connection.execute(sql).fetchall()

    def parquet(self) -> dict[str, bytes]:
        return {
            p.stem: p.read_bytes() for p in self.published.parent.glob("*.parquet") if p.stem not in VARYING
        }

    @contextmanager
    def polled(self) -> Iterator[dict[str, tuple[int, ...]]]:
        """Read the publication all the while; yields what each refresh id answered.

        Raises:
            AssertionError: a reader met an error, or two answers under one refresh id.
        """
        seen: dict[str, tuple[int, ...]] = {}
        errors: list[BaseException] = []
        ended = threading.Event()

        def poll() -> None:
            while not ended.is_set():
                try:
                    ((refresh_id, *answer),) = self.query(
                        "select refresh_id, (select count(*) from marts.suitability), "
                        "(select count(distinct system) from marts.suitability), "
                        "(select count(*) from marts.activity_importance) from marts.refresh"
                    )
                    assert seen.setdefault(refresh_id, tuple(answer)) == tuple(answer)
                except BaseException as error:
                    errors.append(error)
                    return
                time.sleep(0.3)

        thread = threading.Thread(target=poll)
        thread.start()
        try:
            yield seen
        finally:
            time.sleep(0.5)
            ended.set()
            thread.join()
        assert not errors, errors
