"""The process that dbt runs in, started once per refresh.

`python -m dagster_project.dbt_build.dbt_worker <parsed project>`

Belongs here: taking requests from standard input and telling of each node on standard output, a line of JSON each.
Does not belong here: what to run and what to do about it (dbt_process.py).

A request: {"nodes": {unique id: origin}, "tests": [unique id], "vars": {...}}, where an origin has code_version,
settings, reads and content. Answers: {"started": id}, {"finished": id, "status", "message", "failures", "seconds"}, at
the end {"done": error or null}.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, TextIO

NOW = "now"
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve requests until standard input ends."""
    _die_with_parent()
    # dbt prints as it likes: answers get a stream of their own
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    from dbt.cli.main import dbtRunner
    from dbt.contracts.graph.manifest import Manifest

    manifest = Manifest.from_msgpack(Path(sys.argv[1]).read_bytes())  # type: ignore[attr-defined]
    runner = dbtRunner(manifest=manifest, callbacks=[lambda event: _tell(answers, event)])
    for line in sys.stdin:
        request = json.loads(line)
        _mark(manifest, request["nodes"], request["tests"])
        # a test waits until all it compares is built, since just what is marked runs
        result = runner.invoke(
            [
                *("build", "--select", f"tag:{NOW}", "--indirect-selection", "empty"),
                *("--exclude-resource-type", "unit_test", "--vars", json.dumps(request["vars"])),
            ]
        )
        _let_go()
        exception = None if result.exception is None else f"{result.exception}"
        _answer(answers, {"done": exception})


def _mark(manifest: Any, nodes: dict[str, dict[str, Any]], tests: list[str]) -> None:
    """Tag what is to run, and tell each table what it is made from (the macro note_version reads it)."""
    for key, node in manifest.nodes.items():
        is_asked = key in nodes or key in tests
        node.tags = [NOW] if is_asked else []
        if key in nodes:
            node.config.meta = {**node.config.meta, "origin": nodes[key]}


def _tell(answers: TextIO, event: Any) -> None:
    if event.info.name == "NodeStart":
        _answer(answers, {"started": event.data.node_info.unique_id})
    elif event.info.name == "NodeFinished":
        result = event.data.run_result
        _answer(
            answers,
            {
                "finished": event.data.node_info.unique_id,
                "status": result.status,
                "message": result.message,
                "failures": int(result.num_failures),
                "seconds": float(result.execution_time),
            },
        )


def _let_go() -> None:
    """Close the working file, which dbt would keep open for its next run: the refresh needs it meanwhile."""
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager

    environment: Any = DuckDBConnectionManager._ENV
    if environment is not None:
        environment.close()


def _answer(answers: TextIO, what: dict[str, Any]) -> None:
    answers.write(json.dumps(what) + "\n")


def _die_with_parent() -> None:
    """Without it, a killed refresh would leave dbt behind, with the warehouse open."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
