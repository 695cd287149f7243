"""What a budget allows: never more than it says, whatever is in flight or unknown."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from assets.llm import run
from assets.llm.run import NoPriceError
from tests.llm.conftest import FAST, calls_of, model_at
from tests.support.llm.scripted_server import Reply, ScriptedServer


@pytest.mark.parametrize("in_flight", [1, 8])
def test_a_budget_stops_before_it_is_exceeded(tmp_path: Path, in_flight: int) -> None:
    with ScriptedServer(delay=0.005) as server:
        model = model_at(server.base_url, max_in_flight=in_flight)
        calls = calls_of(model, [f"prompt {n:04}" for n in range(60)])
        # each costs 120 millionths, and reserves more than that before it is sent
        budget = 20.5 * 120e-6
        answers = run(calls, tmp_path / "l", "test", limits=FAST, budget=budget)
        spent = 120e-6 * server.paid.total()
        assert spent <= budget
        assert server.paid.total() in {19, 20}
        assert Counter(a.status for a in answers) == {
            "answered": server.paid.total(),
            "pending": 60 - server.paid.total(),
        }
        assert {a.reason for a in answers if a.status == "pending"} == {
            "not sent: it might exceed the budget"
        }
        assert {a.status for a in run(calls, tmp_path / "l", "test", limits=FAST, budget=1)} == {"answered"}
    assert set(server.paid.values()) == {1}


def test_a_budget_needs_prices(tmp_path: Path) -> None:
    model = model_at("http://127.0.0.1:1/v1", input_price=None, output_price=None)
    with pytest.raises(NoPriceError, match="input_price"):
        run(calls_of(model, ["p"]), tmp_path / "l", "test", budget=1)


def test_a_call_cut_off_counts_against_the_budget_in_full(tmp_path: Path) -> None:
    with ScriptedServer({"slow": Reply('{"level": 1}', delay=2)}) as server:
        model = model_at(server.base_url, timeout_seconds=0.3)
        calls = calls_of(model, ["slow"])
        cost = calls[0].highest_cost()
        assert cost is not None
        answers = run(calls, tmp_path / "l", "test", limits=FAST, budget=2.5 * cost)
    assert len(server.requests) == 2
    assert answers[0].status == "failed"
