"""`suitability llm`: what is told before, while and after spending, and the exit codes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assets.llm import Call, read_roles
from assets.settings import Settings
from dagster_project.cli.main import main
from dagster_project.plans import registry
from tests.llm.conftest import Level
from tests.support.llm.scripted_server import KEY, Reply, ScriptedServer, error

TOML = """
[limits]
first_wait_seconds = 0.01
max_tries = 2

[[rater]]
name = "a"
model = "scripted"
base_url = "{base_url}"
api_key_env = "TEST_LLM_KEY"
max_tokens = 50
input_price = 1000
output_price = 2000
json_schema = true
"""


def plan(settings: Settings) -> list[Call]:
    roles = read_roles(settings)
    return [Call(model, f"item {n}", schema=Level) for model in roles.of("rater") for n in range(10)]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    monkeypatch.setitem(registry.PLANS, "annotate", "tests.llm.test_llm_cli:plan")
    with ScriptedServer() as server:
        (tmp_path / "llm.toml").write_text(TOML.format(base_url=server.base_url))
        yield server


def call(home: Path, *arguments: str) -> Result:
    env = {"SUITABILITY_HOME": str(home / "home"), "SUITABILITY_LLM": str(home / "llm.toml")}
    return CliRunner().invoke(main, ["llm", *arguments], env=env)


def test_a_plan_is_estimated_run_and_shown(server: ScriptedServer, tmp_path: Path) -> None:
    assert "No calls have been sent" in call(tmp_path, "status").output
    told = call(tmp_path, "estimate", "annotate").output
    assert "10 calls, 0 settled or in flight, 10 to send" in told and "at most 500 out" in told
    done = call(tmp_path, "run", "annotate")
    assert done.exit_code == 0, done.output
    assert server.paid.total() == 10
    assert "10 calls, 10 settled or in flight, 0 to send" in call(tmp_path, "estimate", "annotate").output
    # 10 × (100 · 1000 + 10 · 2000) / 10⁶
    row = next(line for line in call(tmp_path, "status").output.splitlines() if "rater" in line)
    assert "answered" in row and "10" in row and "1.2000" in row


def test_a_budget_leaves_the_rest_unsent_and_says_so(server: ScriptedServer, tmp_path: Path) -> None:
    done = call(tmp_path, "run", "annotate", "--budget", "0.5")
    assert done.exit_code == 1
    assert "it might exceed the budget" in done.output
    assert 2 <= server.paid.total() <= 4
    assert call(tmp_path, "run", "annotate").exit_code == 0
    assert set(server.paid.values()) == {1}


def test_retry_sends_again_what_could_not_be_read(server: ScriptedServer, tmp_path: Path) -> None:
    server.script = {"item 3": [Reply("well ..."), Reply('{"level": 1}')]}
    done = call(tmp_path, "run", "annotate")
    assert done.exit_code == 0 and "no JSON object" in done.output
    assert call(tmp_path, "run", "annotate").exit_code == 0 and server.asked["item 3"] == 1
    assert call(tmp_path, "retry", "annotate").exit_code == 0 and server.asked["item 3"] == 2
    assert "unparsed" not in call(tmp_path, "status").output


def test_what_goes_wrong_is_told_without_a_trace(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = call(tmp_path, "run", "anotate")
    assert told.exit_code == 2 and ", annotate, " in told.output
    server.script = {"item": error(401, f"bad key {KEY}")}
    refused = call(tmp_path, "run", "annotate")
    assert (
        refused.exit_code == 1
        and "TEST_LLM_KEY" in refused.stderr
        and KEY not in refused.output + refused.stderr
    )
    monkeypatch.delenv("TEST_LLM_KEY")
    assert "TEST_LLM_KEY is not set" in call(tmp_path, "run", "annotate").stderr
    (tmp_path / "llm.toml").write_text("[[rater]]\nnmae = 'a'")
    wrong = call(tmp_path, "estimate", "annotate")
    assert wrong.exit_code == 2 and "did you mean name?" in wrong.output
    (tmp_path / "home" / "ledger.sqlite").write_text("no ledger " * 100)
    for name in ("ledger.sqlite-wal", "ledger.sqlite-shm"):
        (tmp_path / "home" / name).unlink(missing_ok=True)
    assert "not a database" in call(tmp_path, "status").stderr
