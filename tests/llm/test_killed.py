"""Runs killed with SIGKILL and run again, and two at once: nothing lost but what was in flight, nothing paid twice."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assets.settings import PROJECT
from tests.support.llm.killed_run import ask, told
from tests.support.llm.scripted_server import ScriptedServer

N = 150
IN_FLIGHT = 8


def start(server: ScriptedServer, ledger: Path, back_end: str) -> subprocess.Popen[str]:
    arguments = [server.base_url, str(ledger), str(N), back_end]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.llm.killed_run", *arguments],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        text=True,
    )


def kill_when(process: subprocess.Popen[str], is_time: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_time():
        assert process.poll() is None, "it ended before it was killed"
        assert time.monotonic() < deadline
        time.sleep(0.001)
    process.kill()
    process.communicate()


def answered(ledger: Path) -> set[str]:
    with closing(sqlite3.connect(ledger)) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
        rows = connection.execute("select prompt from ledger where status = 'answered'").fetchall()
    assert len(rows) == len(set(rows))
    return {prompt for (prompt,) in rows}


def test_a_killed_run_loses_only_what_was_in_flight(tmp_path: Path) -> None:
    rng, ledger = random.Random(20260101), tmp_path / "l"
    with ScriptedServer(delay=0.02) as server:
        kept = dict[str, int]()
        for n_kill in range(2):
            target = len(server.requests) + rng.randint(3 * IN_FLIGHT, 60)
            process = start(server, ledger, "direct")
            kill_when(process, lambda target=target: len(server.requests) >= target)  # type: ignore[misc]
            assert answered(ledger) >= set(kept)
            kept = {prompt: server.paid[prompt] for prompt in answered(ledger)}
            assert len(kept) >= 1 + n_kill
        resumed = told(ask(server.base_url, ledger, N, "direct"))
        # what was recorded at a kill is never asked again
        assert {prompt: server.paid[prompt] for prompt in kept} == kept
        assert server.paid.total() <= N + 2 * IN_FLIGHT
        assert resumed == told(ask(server.base_url, tmp_path / "undisturbed", N, "direct"))
        assert len(answered(ledger)) == N
    assert not list((tmp_path / "l.runs").iterdir())


@pytest.mark.parametrize("moment", ["uploading", "creating", "polling"])
def test_a_killed_runs_batch_is_found_again(tmp_path: Path, moment: str) -> None:
    ledger = tmp_path / "l"
    with ScriptedServer(batch_polls=10**9) as server:
        server.upload_delay = 30 if moment == "uploading" else 0
        server.batch_script = [{"delay": 30}] if moment == "creating" else []
        process = start(server, ledger, "batch")
        kill_when(
            process,
            {
                "uploading": lambda: len(server.files) == 1,
                "creating": lambda: len(server.batches) == 1,
                "polling": lambda: any(batch["polls"] > 2 for batch in list(server.batches.values())),
            }[moment],
        )
        server.upload_delay, server.batch_polls = 0, 0
        resumed = told(ask(server.base_url, ledger, N, "batch"))
        assert len(server.batches) == 1
        assert set(server.paid.values()) == {1} and len(server.paid) == N
        assert resumed == told(ask(server.base_url, tmp_path / "undisturbed", N, "batch"))


def test_two_processes_share_the_calls_and_get_the_same_answers(tmp_path: Path) -> None:
    with ScriptedServer(delay=0.01) as server:
        both = [start(server, tmp_path / "l", "direct") for _ in range(2)]
        outputs = [process.communicate(timeout=90)[0] for process in both]
        assert [process.returncode for process in both] == [0, 0]
        assert outputs[0] == outputs[1]
        assert server.paid == {f"item {n}": 1 for n in range(N)}
        with closing(sqlite3.connect(tmp_path / "l")) as connection:
            runs = connection.execute("select count(distinct run) from attempt").fetchone()
        assert runs == (2,)


def test_a_process_takes_over_from_one_that_is_killed_meanwhile(tmp_path: Path) -> None:
    with ScriptedServer(delay=0.05) as server:
        first = start(server, tmp_path / "l", "direct")
        second = start(server, tmp_path / "l", "direct")
        kill_when(first, lambda: len(server.requests) >= 40)
        output, _ = second.communicate(timeout=90)
        assert second.returncode == 0
        assert output.strip() == told(ask(server.base_url, tmp_path / "undisturbed", N, "direct"))
        assert len(answered(tmp_path / "l")) == N
