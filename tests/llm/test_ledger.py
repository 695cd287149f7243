"""The ledger as a file: append-only, versioned, one claim a call, alive or dead runs told apart."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assets.llm import Call, Limits
from assets.llm.call import sha256
from assets.llm.ledger import _SCHEMA, Ledger, LedgerError, Outcome
from assets.llm.sending.provider import Trouble
from assets.llm.sending.session import Session
from assets.llm.usage import read_attempts
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
        connection.execute("pragma user_version = 3")
    with pytest.raises(LedgerError, match="version 3"):
        Ledger(tmp_path / "new")
    (tmp_path / "other").write_text("dear diary " * 100)
    with pytest.raises(LedgerError, match="other: file is not a database"):
        Ledger(tmp_path / "other")
    assert (tmp_path / "other").read_text().startswith("dear diary")


def test_an_older_ledger_goes_on_with_what_it_holds(tmp_path: Path) -> None:
    """Version 1 had no answered_model. Its answers are never paid again, and new ones say whom they are of."""
    old = _SCHEMA.replace("    answered_model text,\n", "").replace("        outcome.answered_model,\n", "")
    old = old.replace("user_version = 2", "user_version = 1")
    assert "answered_model" not in old
    with closing(sqlite3.connect(tmp_path / "l")) as connection:
        connection.executescript(old)
        connection.execute("insert into run values ('r', 'annotate', '2025-01-01')")
        for text in ("", "s", "p"):
            connection.execute("insert or ignore into text values (?, ?)", [sha256(text), text])
        hashes = [sha256("s"), sha256("p"), sha256("")]
        connection.execute(
            "insert into call values (?, 'rater', 'n', 'm', 'u', '{}', ?, ?, ?, '')",
            [call().call_id, *hashes],
        )
        connection.execute("insert into attempt values (?, 1, 'r', 'direct', null, 't')", [call().call_id])
        connection.execute(
            "insert into outcome values (?, 1, 'answered', '{}', null, 5, 1, 0.5, 't')", [call().call_id]
        )
        connection.commit()
    with Ledger(tmp_path / "l") as ledger, Ledger(tmp_path / "l") as other:
        state = ledger.look(call().call_id)
        assert state is not None and (state.status, state.cost) == ("answered", 0.5)
        assert ledger.claim(call("q"), None, "direct") == 1
        assert ledger.settle(call("q").call_id, 1, Outcome("answered", "{}", answered_model="m-2025"))
        assert other.look(call("q").call_id) is not None
    frame = read_attempts(tmp_path / "l").set_index("call_id")["answered_model"]
    assert frame.to_dict() == {call().call_id: None, call("q").call_id: "m-2025"}
    with closing(sqlite3.connect(tmp_path / "l")) as connection, pytest.raises(sqlite3.Error):
        connection.execute("update outcome set answered_model = 'x'")


@pytest.mark.parametrize("huge", [2**63, 10**20, 10**12, -1, True, 1.5, "7", [1]])
def test_a_number_of_tokens_that_cant_be_true_is_unknown_and_ends_nothing(
    huge: object, tmp_path: Path
) -> None:
    choice = {"message": {"content": "yes"}, "finish_reason": "stop"}
    with Ledger(tmp_path / "l") as ledger:
        session = Session(ledger, Limits())
        asked = Call(model_at("http://127.0.0.1:1/v1", api_key_env=None), "p", "s")
        assert session.claim(asked, None, "direct") == 1
        usage = {"prompt_tokens": 5, "completion_tokens": huge}
        answer = session.settle(asked, 1, {"choices": [choice], "usage": usage, "model": ["?"]})
    assert (answer.status, answer.text) == ("answered", "yes")
    assert (answer.input_tokens, answer.output_tokens, answer.cost) == (5, None, None)
    assert read_attempts(tmp_path / "l")["answered_model"].tolist() == [None]


def test_long_prompts_stand_once(tmp_path: Path) -> None:
    rubric = "r" * 100_000
    with Ledger(tmp_path / "l") as ledger, ledger.writing():
        for n in range(50):
            ledger.claim(Call(model_at("http://127.0.0.1:1/v1"), f"p{n}", rubric), None, "direct")
    assert sum(path.stat().st_size for path in tmp_path.glob("l*") if path.is_file()) < 1_000_000
