"""The ledger as a file: append-only, versioned, one claim a call, alive or dead runs told apart."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assets.llm import Call, Limits
from assets.llm.ledger import Ledger, LedgerError, Outcome
from assets.llm.provider import Trouble
from assets.llm.session import Session
from tests.llm.conftest import model_at


def call(prompt: str = "p") -> Call:
    return Call(model_at("http://127.0.0.1:1/v1"), prompt, "s")


def test_nothing_in_it_can_be_changed_or_removed(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l", "test") as ledger:
        attempt = ledger.claim(call(), None, "direct")
        assert attempt == 1
        assert ledger.settle(call().call_id, 1, Outcome("answered", "{}"))
        assert not ledger.settle(call().call_id, 1, Outcome("failed"))
        ledger.record_batch("t", "b")
    with closing(sqlite3.connect(tmp_path / "l")) as connection:
        for table in ("run", "text", "call", "batch", "attempt", "outcome"):
            assert connection.execute(f"select count(*) from {table}").fetchone()[0] > 0
            for statement in (f"delete from {table}", f"update {table} set rowid = 9"):
                with pytest.raises(sqlite3.Error):
                    connection.execute(statement)
        assert connection.execute("select status, plan, system, prompt from ledger").fetchall() == [
            ("answered", "test", "s", "p")
        ]


def test_a_claim_is_had_once_and_ends_with_its_process(tmp_path: Path) -> None:
    one, two = Ledger(tmp_path / "l"), Ledger(tmp_path / "l")
    seen = two.look(call().call_id)
    assert one.claim(call(), None, "direct") == 1
    # seen before the other's claim: too late
    assert two.claim(call(), seen, "direct") is None
    state = two.look(call().call_id)
    assert state is not None and state.is_held and state.status == "pending"
    one.close()
    state = two.look(call().call_id)
    assert state is not None and not state.is_held
    assert two.claim(call(), state, "direct") == 2
    two.close()
    assert not list((tmp_path / "l.runs").iterdir())


def test_a_claim_that_is_rolled_back_leaves_nothing(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l") as ledger:
        with pytest.raises(ZeroDivisionError), ledger.writing():
            1 // (ledger.claim(call("a"), None, "batch", "t") - 1)  # type: ignore[operator]
        assert ledger.look(call("a").call_id) is None
        assert ledger.ends_of_run() == {}
        assert ledger.claim(call("a"), None, "direct") == 1
        assert ledger.ends_of_run() == {"pending": 1}


def test_a_run_counts_its_calls_also_when_another_run_tried_them_in_between(tmp_path: Path) -> None:
    ours, theirs = Ledger(tmp_path / "l"), Ledger(tmp_path / "l")
    session = Session(ours, Limits())
    for n in (1, 3):
        assert session.claim(call(), ours.look(call().call_id), "direct") == n
        session.settle(call(), n, Trouble("retry", "down"))
        assert theirs.claim(call(), theirs.look(call().call_id), "direct") == n + 1
        theirs.settle(call().call_id, n + 1, Outcome("failed"))
        assert ours.ends_of_run() == {status: k for status, k in session.sent.items() if k} == {"failed": 1}
    ours.close()
    theirs.close()


def test_another_version_and_another_file_are_refused_and_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "new")) as connection:
        connection.execute("pragma user_version = 2")
    with pytest.raises(LedgerError, match="version 2"):
        Ledger(tmp_path / "new")
    (tmp_path / "other").write_text("dear diary " * 100)
    with pytest.raises(LedgerError, match="other: file is not a database"):
        Ledger(tmp_path / "other")
    assert (tmp_path / "other").read_text().startswith("dear diary")


def test_long_prompts_stand_once(tmp_path: Path) -> None:
    rubric = "r" * 100_000
    with Ledger(tmp_path / "l") as ledger, ledger.writing():
        for n in range(50):
            ledger.claim(Call(model_at("http://127.0.0.1:1/v1"), f"p{n}", rubric), None, "direct")
    assert sum(path.stat().st_size for path in tmp_path.glob("l*") if path.is_file()) < 1_000_000
