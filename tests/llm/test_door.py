"""The door against a scripted server over real HTTP: every call accounted for, none paid twice, no key anywhere."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import aclosing, closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from assets.llm import Answer, Call, Limits, collect, estimate, run, stream
from assets.llm.call import OUTCOMES
from assets.llm.run import RunStopped
from tests.llm.conftest import FAST, Level, calls_of, model_at
from tests.support.llm.scripted_server import KEY, Reply, ScriptedServer, error, level_of

GOOD = Reply('{"level": 3}')


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def rows(ledger: Path, columns: str = "*", where: str = "true") -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(ledger)) as connection:
        return connection.execute(
            f"select {columns} from ledger where {where} order by call_id, attempt"
        ).fetchall()


def one(server: ScriptedServer, ledger: Path, prompt: str, limits: Limits = FAST, **settings: Any) -> Answer:
    return run(calls_of(model_at(server.base_url, **settings), [prompt]), ledger, "test", limits=limits)[0]


def statuses(answers: list[Answer]) -> dict[str, int]:
    return dict(Counter(answer.status for answer in answers))


def test_answers_come_in_the_order_asked_and_are_paid_once(ledger: Path) -> None:
    prompts = [f"item {n % 50}" for n in range(120)]
    with ScriptedServer(delay=0.01) as server:
        calls = calls_of(model_at(server.base_url, max_in_flight=7), prompts)
        before = estimate(calls, ledger)
        answers = run(calls, ledger, "test", limits=FAST)
        assert [a.value for a in answers] == [Level(level=level_of(p)) for p in prompts]
        assert (before.n_calls, before.n_to_send) == (50, 50)
        assert estimate(calls, ledger).n_to_send == 0
        # another process of the same day: nothing is sent, and no key is needed
        again = run(calls, ledger, "test", limits=FAST)
        assert [(a.call_id, a.value, a.cost) for a in again] == [
            (a.call_id, a.value, a.cost) for a in answers
        ]
        assert collect(calls, ledger) == again
    assert set(server.paid.values()) == {1} and len(server.paid) == 50
    assert 1 < server.most_in_flight <= 7
    assert answers[0].cost == pytest.approx(120e-6)
    assert sum(cost for (cost,) in rows(ledger, "cost")) == pytest.approx(50 * 120e-6)


def test_estimates_are_the_highest_a_run_can_cost(ledger: Path) -> None:
    calls = [Call(model_at("http://127.0.0.1:1/v1"), "p" * 80, "s" * 40)]
    # 120 characters = 30 tokens at 1, 50 tokens of answer at 2, per million
    assert estimate(calls, ledger).cost == pytest.approx(130e-6)
    assert estimate(calls, ledger).input_tokens == 30
    unpriced = [Call(model_at("http://127.0.0.1:1/v1", input_price=None, output_price=None), "p")]
    assert estimate(calls + unpriced, ledger).cost is None


RETRIED = {
    "rate": [error(429, retry_after="0.15"), GOOD],
    "early": [error(429, retry_after="soon"), GOOD],
    "storm": [error(500), error(502), error(503), error(529), GOOD],
    "conflict": [error(409), error(408), GOOD],
    "drop": [Reply(drop=True), GOOD],
    "slow": [Reply('{"level": 0}', delay=5), GOOD],
    "html": [Reply(body=b"<html>bad gateway</html>"), GOOD],
    "half": [Reply(body=b'{"choices": [{"mess'), GOOD],
    "wrapped": [Reply(body={"error": {"message": "upstream", "code": 503}}), GOOD],
}


@pytest.mark.parametrize("word", RETRIED)
def test_trouble_that_passes_costs_attempts_not_answers(ledger: Path, word: str) -> None:
    with ScriptedServer(RETRIED) as server:
        started = time.monotonic()
        answer = one(server, ledger, word, timeout_seconds=0.3)
    n = len(RETRIED[word])
    assert (answer.status, answer.value, answer.attempt) == ("answered", Level(level=3), n)
    assert [status for (status,) in rows(ledger, "status")] == ["failed"] * (n - 1) + ["answered"]
    assert all(reason for (reason,) in rows(ledger, "error", "status = 'failed'"))
    if word == "rate":
        assert time.monotonic() - started >= 0.15


def test_retry_after_holds_all_calls_of_the_provider_also_as_a_date_and_is_capped(ledger: Path) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True)
    script = {"first": [error(429, retry_after=later), GOOD]}
    with ScriptedServer(script) as server:
        limits = FAST.model_copy(update={"max_retry_after_seconds": 0.3})
        model = model_at(server.base_url, max_in_flight=1)
        other = model_at(server.base_url, max_in_flight=1, name="b", seed=1)
        calls = calls_of(model, ["first"]) + calls_of(other, [f"x{n}" for n in range(5)])
        run(calls, ledger, "test", limits=limits)
    told = server.times[
        server.requests.index(next(r for r in server.requests if r["messages"][-1]["content"] == "first"))
    ]
    after = [t - told for t in server.times if t > told]
    assert max(after) >= 0.3
    # at most one call was on its way when the server said so
    assert sum(t < 0.3 for t in after) <= 1


def test_rate_limits_are_no_failures_but_end_with_patience(ledger: Path) -> None:
    with ScriptedServer({"busy": [*[error(429)] * 12, GOOD], "always": error(429)}) as server:
        limits = FAST.model_copy(update={"max_tries": 2})
        assert one(server, ledger, "busy", limits).attempt == 13
        limits = FAST.model_copy(update={"patience_seconds": 0.2})
        assert one(server, ledger, "always", limits).status == "failed"


def test_a_call_that_keeps_failing_ends_as_failed_and_the_next_run_tries_it_again(ledger: Path) -> None:
    with ScriptedServer({"storm": [error(500)] * 4 + [GOOD]}) as server:
        limits = FAST.model_copy(update={"max_tries": 4})
        answer = one(server, ledger, "storm", limits)
        assert (answer.status, answer.attempt) == ("failed", 4)
        assert "500" in answer.reason
        assert one(server, ledger, "storm", limits).attempt == 5


DEFINITE: dict[str, tuple[Reply, str]] = {
    "truncated": (Reply('{"level": 3, "wh', finish="length"), "unparsed"),
    "cut": (Reply('{"level": 3'), "unparsed"),
    "prose": (Reply("2 out of 5"), "unparsed"),
    "two": (Reply('{"level": 1} or {"level": 2}'), "unparsed"),
    "nothing": (Reply(body={"choices": [], "usage": None}), "unparsed"),
    "no_message": (Reply(body={"id": "x"}), "unparsed"),
    "refusal": (Reply(None, message={"refusal": "I can't."}), "refused"),
    "filtered": (Reply("", finish="content_filter"), "refused"),
    "filter400": (error(400, "flagged", "content_filter"), "refused"),
    "bad": (error(400, "context too long"), "failed"),
    "forbidden": (error(403), "failed"),
    "unknown": (error(404, "no such model"), "failed"),
    "invalid": (error(422), "failed"),
}


@pytest.mark.parametrize("word", DEFINITE)
def test_what_the_same_request_would_get_again_is_asked_once(ledger: Path, word: str) -> None:
    reply, status = DEFINITE[word]
    with ScriptedServer({word: reply}) as server:
        answer = one(server, ledger, word)
        assert (answer.status, answer.value, answer.attempt) == (status, None, 1)
        assert answer.reason
        assert server.asked[word] == 1
        one(server, ledger, word)
        # an unread answer and a refusal are final to a plain run; an error is not
        assert server.asked[word] == (2 if status == "failed" else 1)
        calls = calls_of(model_at(server.base_url), [word])
        server.script[word] = GOOD
        assert run(calls, ledger, "test", limits=FAST, retry=True)[0].value == Level(level=3)
        assert run(calls, ledger, "test", limits=FAST, retry=True)[0].status == "answered"
    assert rows(ledger, "status")[-1] == ("answered",)


@pytest.mark.parametrize(
    "reply",
    [
        Reply([{"type": "thinking", "thinking": "5?"}, {"type": "text", "text": '{"level": 3}'}]),
        Reply("<think>{\"level\": 5}</think>```json\n{\"level\": 3}\n```"),
        Reply('{"level": 3}', message={"reasoning_content": "hm", "tool_calls": None}),
        Reply('{"level": 3}', usage=None),
        Reply('{"level": 3}', usage={"prompt_tokens": "many"}),
    ],
)  # fmt: skip
def test_forms_of_one_answer_are_read_alike(ledger: Path, reply: Reply) -> None:
    with ScriptedServer({"ask": reply}) as server:
        answer = one(server, ledger, "ask")
    assert answer.value == Level(level=3)
    assert (answer.cost is None) == (reply.usage is None or "completion_tokens" not in reply.usage)


def test_everything_at_once_adds_up(ledger: Path) -> None:
    script = RETRIED | {word: reply for word, (reply, _) in DEFINITE.items()}
    prompts = [f"{word} {n}" for n in range(6) for word in [*script, "plain", "calm"]]
    with ScriptedServer(script) as server:
        model = model_at(server.base_url, max_in_flight=16, timeout_seconds=0.5)
        seen: list[int] = []
        answers = run(
            calls_of(model, prompts), ledger, "test", limits=FAST.model_copy(update={"breaker_failures": 1000}),
            on_progress=lambda progress: seen.append(progress.n_done),
        )  # fmt: skip
        expected = Counter({"answered": 6 * (len(RETRIED) + 2)})
        for _, status in DEFINITE.values():
            expected[status] += 6
        assert statuses(answers) == expected
        assert sum(expected[s] for s in OUTCOMES) == len(prompts) == seen[-1]
        assert dict(Counter(s for (s,) in rows(ledger, "status", "(call_id, attempt) in "
            "(select call_id, max(attempt) from attempt group by call_id)"))) == expected  # fmt: skip
        undisturbed = {p: level_of(p) for p in prompts if p.startswith(("plain", "calm"))}
        assert {a.call.prompt: a.value.level for a in answers if isinstance(a.value, Level)
                and a.call.prompt in undisturbed} == undisturbed  # fmt: skip


def test_a_breaker_stops_sending_probes_and_goes_on(ledger: Path) -> None:
    pause = 0.15
    with ScriptedServer() as server:
        server.outage = True
        model = model_at(server.base_url, max_in_flight=4)
        limits = FAST.model_copy(
            update={
                "breaker_failures": 1,
                "breaker_pause_seconds": pause,
                "breaker_probes": 50,
                "max_tries": 50,
            }
        )

        async def ask() -> list[Answer]:
            asking = asyncio.create_task(_all(calls_of(model, [f"p{n}" for n in range(40)]), ledger, limits))
            while len(server.requests) < 8:
                await asyncio.sleep(0.01)
            server.outage = False
            return await asking

        answers = asyncio.run(ask())
        # four were on their way when it opened; then one probe a pause
        probes = server.times[4:8]
    assert all(later - earlier > 0.9 * pause for earlier, later in pairwise(probes))
    assert statuses(answers) == {"answered": 40}
    assert set(server.paid.values()) == {1}


async def _all(calls: list[Call], ledger: Path, limits: Limits) -> list[Answer]:
    async with aclosing(stream(calls, ledger, "test", limits=limits)) as answers:
        return [answer async for answer in answers]


def test_a_provider_that_stays_down_is_given_up_and_nothing_is_lost(ledger: Path) -> None:
    with ScriptedServer() as server, ScriptedServer() as healthy:
        server.outage = True
        limits = FAST.model_copy(
            update={
                "breaker_failures": 5,
                "breaker_pause_seconds": 0.03,
                "breaker_probes": 3,
                "max_tries": 100,
            }
        )
        calls = calls_of(model_at(server.base_url, max_in_flight=4), [f"p{n}" for n in range(30)])
        others = calls_of(model_at(healthy.base_url), [f"p{n}" for n in range(30)])
        answers = run(calls + others, ledger, "test", limits=limits)
        assert statuses(answers[30:]) == {"answered": 30}
        assert statuses(answers[:30]) == {"failed": 4, "pending": 26}
        assert all("503" in a.reason for a in answers[:30])
        assert all("is down" in a.reason for a in answers[:30] if a.status == "pending")
        assert len(server.requests) < 20
        server.outage = False
        assert statuses(run(calls + others, ledger, "test", limits=limits)) == {"answered": 60}
    assert set(server.paid.values()) == set(healthy.paid.values()) == {1}


def test_a_server_that_is_not_there_is_told(ledger: Path) -> None:
    with ScriptedServer() as server:
        gone = server.base_url
    limits = FAST.model_copy(update={"max_tries": 2})
    answer = run(calls_of(model_at(gone), ["p"]), ledger, "test", limits=limits)[0]
    assert answer.status == "failed"
    assert "Connect" in answer.reason


@pytest.mark.parametrize(
    "reply", [error(401, f"Incorrect key {KEY}"), error(429, "pay", "insufficient_quota")]
)
def test_a_refused_key_stops_the_run_and_names_the_variable(ledger: Path, reply: Reply) -> None:
    with ScriptedServer({"p": reply}) as server:
        calls = calls_of(model_at(server.base_url, max_in_flight=3), [f"p{n}" for n in range(200)])
        with pytest.raises(RunStopped, match="TEST_LLM_KEY") as told:
            run(calls, ledger, "test", limits=FAST)
        assert KEY not in str(told.value)
        assert len(server.requests) <= 3
        server.script.clear()
        assert statuses(run(calls, ledger, "test", limits=FAST)) == {"answered": 200}


def test_a_prompt_that_can_not_be_sent_fails_alone(ledger: Path) -> None:
    with ScriptedServer() as server:
        answers = run(
            calls_of(model_at(server.base_url), ["half \ud800", "whole"]), ledger, "test", limits=FAST
        )
    assert [a.status for a in answers] == ["failed", "answered"]
    assert "surrogate" in answers[0].reason and answers[0].attempt == 1


def test_a_key_that_is_not_set_is_told_before_anything_is_sent(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer() as server:
        calls = calls_of(model_at(server.base_url), ["p"])
        monkeypatch.delenv("TEST_LLM_KEY")
        with pytest.raises(RunStopped, match="TEST_LLM_KEY is not set"):
            run(calls, ledger, "test")
        assert not server.requests
        # a server of one's own asks for none
        run(calls_of(model_at(server.base_url, api_key_env=None), ["p"]), ledger, "test", limits=FAST)
        # and what is answered needs none
        assert run(calls, ledger, "test")[0].status == "answered"


@pytest.mark.parametrize(
    "key", [f"{KEY}\nsecond", f"a\r\n{KEY}", f"\u201c{KEY}\u201d", f'"{KEY}"', f"my {KEY}"]
)
def test_what_is_more_than_a_key_is_told_before_anything_is_sent_and_not_quoted(
    ledger: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """The client quotes a header that can't be sent, as Python spells it: no redacting would find the key there."""
    monkeypatch.setenv("TEST_LLM_KEY", key)
    with ScriptedServer() as server:
        with pytest.raises(RunStopped, match="TEST_LLM_KEY holds more than a key") as told:
            one(server, ledger, "p")
        assert not server.requests
    assert KEY not in str(told.value)
    assert not any(KEY.encode() in path.read_bytes() for path in ledger.parent.rglob("*") if path.is_file())


def test_nothing_that_is_kept_or_told_holds_the_key(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    script = {
        "echo": Reply(json.dumps({"level": 3, "key": KEY})),
        "words": Reply(f"Your key is {KEY}."),
        "refusal": Reply(None, message={"refusal": f"no, {KEY}"}),
        "fails": error(400, "x" * 480 + KEY),
        "text": Reply(body=f"unexpected {KEY}".encode()),
    }
    ledger = tmp_path / "home" / "ledger.sqlite"
    limits = FAST.model_copy(update={"max_tries": 2})
    with ScriptedServer(script) as server:
        model, later = model_at(server.base_url), model_at(server.base_url, back_end="batch", seed=1)
        calls = calls_of(model, script) + calls_of(later, script) + calls_of(model, ["words 2"], schema=None)
        answers = run(calls, ledger, "test", limits=limits)
        assert [h.get("authorization") for h in server.headers] == [f"Bearer {KEY}"] * len(server.headers)
    assert "[key]" in answers[-1].text
    told = caplog.text + "".join(capfd.readouterr()) + repr(answers) + repr(calls)
    secret = KEY.removeprefix("sk-")[:8]
    assert secret not in told
    kept = b"".join(path.read_bytes() for path in ledger.parent.rglob("*") if path.is_file())
    assert b"scripted" in kept
    assert secret.encode() not in kept


def test_a_stream_takes_calls_as_it_has_room_and_may_be_left_early(ledger: Path) -> None:
    taken = 0

    def many(server: ScriptedServer) -> Iterator[Call]:
        nonlocal taken
        for taken in range(100_000):
            yield Call(model_at(server.base_url), f"p{taken % 5000}", schema=Level)

    async def some(server: ScriptedServer) -> int:
        async with aclosing(stream(many(server), ledger, "test", limits=FAST)) as answers:
            n = 0
            async for _ in answers:
                n += 1
                if n == 300:
                    break
        return n

    with ScriptedServer() as server:
        assert asyncio.run(some(server)) == 300
    assert taken < 1500
    # what was in flight when it was left is pending, and free for the next run
    assert {status for (status,) in rows(ledger, "status")} <= {"answered", "pending"}


def test_one_call_twice_in_a_stream_is_paid_once(ledger: Path) -> None:
    with ScriptedServer(delay=0.02) as server:
        calls = calls_of(model_at(server.base_url), ["same"] * 20 + ["other"])
        answers = asyncio.run(_all(calls, ledger, FAST))
    assert statuses(answers) == {"answered": 21}
    assert server.paid == {"same": 1, "other": 1}
