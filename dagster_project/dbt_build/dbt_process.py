"""dbt as a process that lasts for one refresh: asked for tables and tests, it tells of each as it is done.

Belongs here: starting, asking, noticing that it hangs or has died. Does not belong here: what runs inside
(dbt_worker.py), which tables are asked for (assets.py).
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assets.settings import PROJECT, Settings
from dagster_project.dbt_build.dbt_project import dbt_environment, dbt_home

# importing dbt and reading the parsed project, on a machine that has much else to do
START_SECONDS = 300.0


class DbtProcessError(RuntimeError):
    """dbt hung, died or could not begin; says in which table or test, and where its log lies."""


@dataclass(frozen=True)
class Outcome:
    """What became of a table or test: `status` is dbt's (success, pass, warn, fail, error, skipped)."""

    unique_id: str
    status: str
    message: str
    failures: int
    seconds: float


class DbtProcess:
    """Started when first used, or ahead of it by `start`; `close` ends it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()

    @property
    def log(self) -> Path:
        """Where everything that dbt prints goes."""
        return dbt_home(self._settings) / "logs" / "process.log"

    def start(self) -> None:
        """Start it, unless it runs; it imports dbt while others go on."""
        if self._process is not None:
            return
        self.log.parent.mkdir(parents=True, exist_ok=True)
        environment = os.environ | dbt_environment(self._settings)
        environment["DBT_TARGET_PATH"] = str(dbt_home(self._settings) / "run")
        environment |= {"DBT_WRITE_JSON": "false", "DBT_QUIET": "true", "DBT_LOG_LEVEL_FILE": "none"}
        parsed = dbt_home(self._settings) / "target" / "partial_parse.msgpack"
        with self.log.open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "dagster_project.dbt_build.dbt_worker", str(parsed)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                cwd=PROJECT,
                text=True,
                encoding="utf-8",
            )
        self._lines = queue.Queue()
        threading.Thread(target=_pump, args=(self._process.stdout, self._lines), daemon=True).start()

    def close(self) -> None:
        """End it; what it is doing is cut off and leaves its tables as they were."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        # idle, it ends by itself when nothing more is asked; dead, it takes no last words
        with suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def build(
        self, tables: Mapping[str, Mapping[str, Any]], tests: Sequence[str], variables: Mapping[str, object]
    ) -> Iterator[Outcome]:
        """Make tables and run tests, in the order of the graph; an outcome each, as they are done.

        Args:
            tables: unique id -> origin, as the macro note_version writes it.
            tests: unique ids.
            variables: dbt's.

        Raises:
            DbtProcessError: it hung for `model_seconds` in one node, or died; it is ended then.
        """
        self.start()
        assert self._process is not None and self._process.stdin is not None
        running: list[str] = []
        try:
            request = {"nodes": tables, "tests": list(tests), "vars": variables}
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._died(running) from None
        wait = max(START_SECONDS, self._settings.model_seconds)
        while True:
            try:
                line = self._lines.get(timeout=wait)
            except queue.Empty:
                self._process.kill()
                self.close()
                raise DbtProcessError(
                    f"dbt has told nothing for {wait:g} s while it worked on {_named(running)}, and was ended. Let "
                    f"SUITABILITY_MODEL_SECONDS be larger if that takes longer; dbt's own output is in {self.log}"
                ) from None
            if not line:
                raise self._died(running)
            wait = self._settings.model_seconds
            answer = json.loads(line)
            if "started" in answer:
                running.append(answer["started"])
            elif "finished" in answer:
                key = answer["finished"]
                if key in running:
                    running.remove(key)
                yield Outcome(key, answer["status"], answer["message"], answer["failures"], answer["seconds"])
            elif answer["done"] is None:
                return
            else:
                raise DbtProcessError(f"dbt failed: {answer['done']}")

    def _died(self, running: Sequence[str]) -> DbtProcessError:
        process = self._process
        assert process is not None
        code = process.wait()
        self.close()
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        last = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-3:]
        return DbtProcessError(
            f"dbt {how} while it worked on {_named(running)}; the table is as it was before. Its last words, in "
            f"{self.log}: {' / '.join(last) or 'none'}"
        )


def _named(running: Sequence[str]) -> str:
    return ", ".join(".".join(key.split(".")[2:]) for key in running) or "nothing yet"


def _pump(stream: Any, lines: queue.Queue[str]) -> None:
    """Lines as they come, and an empty one at the end."""
    with stream:
        for line in stream:
            lines.put(line)
    lines.put("")
