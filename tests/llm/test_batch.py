"""The Batch API: results by id in any order, partly failed, expired, killed and resumed; never paid twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assets.llm import Answer, Limits, run
from assets.llm.run import RunStopped
from tests.llm.conftest import FAST, Level, calls_of, model_at
from tests.support.llm.scripted_server import Reply, ScriptedServer, error, level_of

WORDS = {"refusal": Reply(None, message={"refusal": "no"}), "prose": Reply("2 out of 5"), "bad": error(400)}


def ask(
    server: ScriptedServer, ledger: Path, prompts: list[str], limits: Limits = FAST, **options: Any
) -> list[Answer]:
    calls = calls_of(model_at(server.base_url, back_end="batch"), prompts)
    return run(calls, ledger, "test", limits=limits, **options)


def test_results_are_matched_by_id_whatever_their_order_and_file(tmp_path: Path) -> None:
    plain = [f"item {n}" for n in range(20)]
    with ScriptedServer(WORDS) as server:
        answers = ask(server, tmp_path / "l", [*plain, "refusal", "prose", "bad", "missing", "broken"])
        assert [a.value for a in answers[:20]] == [Level(level=level_of(p)) for p in plain]
        assert [a.status for a in answers[20:]] == ["refused", "unparsed", "failed", "failed", "failed"]
        assert "no line for it" in answers[23].reason and "no line for it" in answers[24].reason
        assert answers[0].cost == pytest.approx(120e-6)
        assert (len(server.batches), server.requests) == (1, [])
        # only what failed goes into another batch
        again = ask(server, tmp_path / "l", plain + ["bad", "missing"])
        assert [a.status for a in again] == ["answered"] * 20 + ["failed"] * 2
    assert {p: n for p, n in server.paid.items() if p in plain} == dict.fromkeys(plain, 1)


def test_batches_are_cut_by_calls_and_by_size(tmp_path: Path) -> None:
    prompts = [f"item {n}" for n in range(25)]
    with ScriptedServer() as server:
        ask(server, tmp_path / "a", prompts, FAST.model_copy(update={"batch_calls": 10}))
        assert sorted(len(server._lines(b)) for b in server.batches.values()) == [5, 10, 10]
        # batches are made side by side, so their names tell nothing of their sizes
        of_ten = next(b for b in server.batches.values() if len(server._lines(b)) == 10)
        n_bytes = len(server.files[of_ten["input_file_id"]]) / 10
        ask(server, tmp_path / "b", prompts, FAST.model_copy(update={"batch_megabytes": 7.5 * n_bytes / 1e6}))
        assert sorted(len(server._lines(b)) for b in list(server.batches.values())[3:]) == [4, 7, 7, 7]


def test_both_ways_give_the_same_answers_to_the_same_calls(tmp_path: Path) -> None:
    with ScriptedServer(WORDS) as server:
        prompts = [f"item {n}" for n in range(10)] + ["refusal", "prose"]
        batch = ask(server, tmp_path / "a", prompts)
        direct = run(calls_of(model_at(server.base_url), prompts), tmp_path / "b", "test", limits=FAST)
        told = [[(a.call_id, a.status, a.value, a.reason, a.cost) for a in some] for some in (batch, direct)]
        assert told[0] == told[1]
        # and one that is answered is not asked the other way
        run(calls_of(model_at(server.base_url), prompts), tmp_path / "a", "test", limits=FAST)
        assert server.paid == dict.fromkeys(prompts, 2)


@pytest.mark.parametrize("status", ["failed", "cancelled", "expired"])
def test_a_batch_that_ends_badly_is_told_for_each_call(tmp_path: Path, status: str) -> None:
    with ScriptedServer() as server:
        server.batch_script = [{"status": status, "errors": "line 3 is malformed"}]
        answers = ask(server, tmp_path / "l", ["a", "b"])
        assert [a.status for a in answers] == ["failed"] * 2
        assert f"ended as {status}" in answers[0].reason and "line 3 is malformed" in answers[0].reason
        assert [a.status for a in ask(server, tmp_path / "l", ["a", "b"])] == ["answered"] * 2


def test_what_an_expired_batch_did_in_time_is_kept(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.batch_script = [{"status": "expired", "expires_after": 3}]
        answers = ask(server, tmp_path / "l", [f"item {n}" for n in range(5)])
        # results are made backwards
        assert [a.status for a in answers] == ["failed"] * 2 + ["answered"] * 3
        assert "in time" in answers[0].reason
        ask(server, tmp_path / "l", [f"item {n}" for n in range(5)])
        assert len(server._lines(server.batches["batch-1"])) == 2


def test_a_run_that_waits_too_long_leaves_the_batch_to_the_next_run(tmp_path: Path) -> None:
    with ScriptedServer(batch_polls=1000) as server:
        answers = ask(
            server, tmp_path / "l", ["a", "b"], FAST.model_copy(update={"batch_wait_seconds": 0.05})
        )
        assert [a.status for a in answers] == ["pending"] * 2
        assert "batch-0 is not ready" in answers[0].reason
        server.batch_polls = 0
        # a call that no batch holds yet goes into its own; the direct way collects the batch as well
        calls = calls_of(model_at(server.base_url), ["a", "b", "c"])
        assert [a.status for a in run(calls, tmp_path / "l", "test", limits=FAST)] == ["answered"] * 3
    assert server.paid == {"a": 1, "b": 1, "c": 1}


@pytest.mark.parametrize(
    "step", [{"drop": True}, {"refuse": error(500)}, {"refuse": error(429, retry_after="0.05")}]
)
def test_a_lost_reply_to_the_creation_makes_no_second_batch(tmp_path: Path, step: dict[str, Any]) -> None:
    with ScriptedServer() as server:
        server.batch_script = [step]
        assert [a.status for a in ask(server, tmp_path / "l", ["a", "b"])] == ["answered"] * 2
        assert len(server.batches) == 1


def test_a_refused_creation_is_told(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        server.batch_script = [{"refuse": error(400, "no batches for you")}]
        answers = ask(server, tmp_path / "l", ["a"])
        assert (answers[0].status, "no batches for you" in answers[0].reason) == ("failed", True)
        server.batch_script = [{"refuse": error(401)}]
        with pytest.raises(RunStopped, match="TEST_LLM_KEY"):
            ask(server, tmp_path / "l", ["b"])


def test_a_budget_sends_as_many_as_it_is_sure_of(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        prompts = [f"prompt {n:04}" for n in range(60)]
        answers = ask(server, tmp_path / "l", prompts, budget=20.5 * 120e-6)
        assert 18 <= server.paid.total() <= 20
        assert [a.status for a in answers].count("pending") == 60 - server.paid.total()
        ask(server, tmp_path / "l", prompts)
    assert set(server.paid.values()) == {1}
