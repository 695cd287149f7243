"""The three plans through the door, against a server over real HTTP: funnel step by step, outage, kill, budget."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from assets.adoption.assets import adoption
from assets.adoption.funnel import asking
from assets.common.warehouse import Files
from assets.settings import PROJECT, Settings
from dagster_project.cli.main import main
from dagster_project.resources import DuckDBWarehouse
from dagster_project.runs.lock import refresh_lock
from tests.support.adoption.judging_server import STEPS, JudgingServer
from tests.support.adoption.private_texts import FORMS, N_REMARKS, PRIVATE, left_in, remark, texts_in
from tests.support.adoption.slice_build import BEFORE, land
from tests.support.dbt_run import OVER_ESTIMATES, run_dbt
from tests.support.llm.scripted_server import KEY, LIMITS, Reply
from tests.support.steps import run_steps

PLANS = ("adoption-relevance", "adoption-summary", "adoption-confirm")
MARTS = ("chat_funnel", "occupation_adoption")
TABLES = ("chat_request", "request_match", "task_set", "adoption_step", "adoption_bootstrap")
TOML = """
[[{role}]]
name = "judge-{role}"
model = "{role}"
base_url = "{base_url}"
api_key_env = "TEST_LLM_KEY"
json_schema = true
max_tokens = 50
max_in_flight = {in_flight}
input_price = 1000
output_price = 2000
"""
IN_FLIGHT = 2
# one task an occupation
TASKS = {"11-1001.00": "Repair engines.", "13-1002.00": "Audit ledgers.", "15-1003.00": "Teach pupils."}
# text -> occupation that it ends at; None = it ends on the way
CHATS: dict[str, str | None] = {
    'How do I "Repair engines." of an old boat?': "11-1001.00",
    'Someone must "Repair engines." today, says ann.lee@example.org': "11-1001.00",
    'Tell me how people "Audit ledgers." in small firms': "13-1002.00",
    'Write a plan to "Audit ledgers." by Friday': "13-1002.00",
    'Help me to "Teach pupils." to read': "15-1003.00",
    'Tell a joke about "Repair engines." and sailors': None,
    'Tell another joke on how to "Teach pupils." nothing': None,
    'A forbidden-relevance wish to "Audit ledgers." of others': None,
    'The mumbling-relevance of "Audit ledgers." in general': None,
    'A forbidden-summary of how to "Audit ledgers." unseen': None,
    'The mumbling-summary of how to "Teach pupils." slowly': None,
    'Please "Sing forbidden-confirmation songs." for us': None,
    'Please "Sing mumbling-confirmation songs." for us': None,
    'Please "Sing songs beyond the third." for us': None,
    'Please "Sing lullabies." for our child': None,
}
OTHER_LANGUAGE = "Bitte erklären Sie mir ausführlich, wie man einen alten Motor repariert."
FUNNEL = {  # stage -> chats, unknown
    "all": (17, 0), "english": (16, 0), "unique": (15, 0), "relevant": (11, 2), "summarised": (9, 2),
    "matched": (9, 0), "confirmed": (5, 3),
}  # fmt: skip


@dataclass
class World:
    """One home, its server and what the first refresh, without answers, left."""

    settings: Settings
    server: JudgingServer
    parsed: Path
    funnels: list[pd.DataFrame] = field(default_factory=list)

    @property
    def warehouse(self) -> DuckDBWarehouse:
        return DuckDBWarehouse(self.settings.warehouse_path)

    def call(self, *arguments: str) -> Result:
        return CliRunner().invoke(main, ["llm", *arguments], env=self.environment)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "SUITABILITY_HOME": str(self.settings.home),
            "SUITABILITY_SOURCES": str(self.settings.sources),
            "SUITABILITY_EMBEDDER": "wordllama",
            "TEST_LLM_KEY": KEY,
        }

    def refresh(self) -> None:
        """The steps, from the ledger; then the marts."""
        self.take_steps()
        marts = [f"+{mart}" for mart in MARTS]
        excluded = ("--exclude", "path:models/staging", "resource_type:seed", *BEFORE, "int_occupation")
        run = run_dbt(
            self.settings.home, "run", "-s", *(f"stg_{name}" for name in TABLES), parsed=self.parsed
        )
        assert run.success, run.failures
        run = run_dbt(self.settings.home, "run", "-s", *marts, *excluded, parsed=self.parsed)
        assert run.success, run.failures
        self.funnels.append(self.warehouse.read("marts.chat_funnel").set_index("stage"))

    def take_steps(self) -> None:
        """What a refresh does between chats and marts."""
        run_steps(self.warehouse, self.settings, adoption)

    def model_tables(self) -> dict[str, pd.DataFrame]:
        tables = {name: self.warehouse.read(f"estimate.{name}") for name in TABLES}
        # matches of requests that no chat makes any more stay, and parts are named for the run that found them
        match = tables["request_match"]
        match = match[match["request_key"].isin(tables["chat_request"]["request_key"])].drop(columns="part")
        return tables | {"request_match": match.sort_values("request_key", ignore_index=True)}


def write_roles(sources: Path, base_url: str, roles: tuple[str, ...] = STEPS, more: str = "") -> None:
    tables = [TOML.format(role=role, base_url=base_url, in_flight=IN_FLIGHT) + more for role in roles]
    (sources / "llm.toml").write_text("".join(tables) + LIMITS + "batch_poll_seconds = 0.01\n")


def write_chats(sources: Path) -> None:
    first, *rest = CHATS
    # the first stands twice, in other letters; in the others are private things, in either turn
    private = [f"{text}. {remark(n)}" for n, text in enumerate(rest)]
    texts = [first, *private, OTHER_LANGUAGE, f"  {first.lower()} "]
    lines = [
        {
            "conversation_hash": str(number),
            "conversation": [
                {"role": role, "content": said}
                for role, said in (
                    ("user", text),
                    ("assistant", "No."),
                    *([("user", remark(number))] if text not in (first, texts[-1]) else []),
                )
            ],
            "language": "German" if text == OTHER_LANGUAGE else "English",
            "country": "United States",
            "timestamp": "2024-01-01T00:00:00Z",
        }
        for number, text in enumerate(texts)
    ]
    (sources / "chats").mkdir(parents=True)
    (sources / "chats/log.jsonl").write_text("\n".join(map(json.dumps, lines)))


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> Path:
    """A folder with sources and a home as a refresh leaves it before its steps."""
    folder = tmp_path_factory.mktemp("plans")
    write_chats(folder / "sources")
    world = {
        "raw.onet_task": pd.DataFrame(
            [(o, str(900 + n), text) for n, (o, text) in enumerate(TASKS.items())],
            columns=["occupation", "task_id", "task"],
        ),
        "raw.onet_occupation": pd.DataFrame({"occupation": list(TASKS), "title": list(TASKS)}),
    }
    settings = Settings(home=folder / "home", sources=folder / "sources")
    land(settings, world)
    selected = ("path:models/staging/adoption", "seed_major_group", *BEFORE, "+int_occupation")
    run = run_dbt(
        settings.home,
        "build",
        "--exclude-resource-type",
        "test",
        "unit_test",
        "-s",
        *selected,
        "--exclude",
        OVER_ESTIMATES,
        parsed=dbt_target,
    )
    assert run.success, run.failures
    return folder


@pytest.fixture(scope="module")
def server() -> Iterator[JudgingServer]:
    with JudgingServer() as server:
        yield server


def world_at(before: Path, folder: Path, server: JudgingServer, parsed: Path) -> World:
    shutil.copytree(before, folder, dirs_exist_ok=True)
    write_roles(folder / "sources", server.base_url)
    settings = Settings(home=folder / "home", sources=folder / "sources", embedder="wordllama")
    return World(settings, server, parsed)


@pytest.fixture(scope="module")
def driven(before: Path, tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> Iterator[World]:
    """Each plan cut off by an outage, taken up again, and a refresh after each."""
    with JudgingServer() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEST_LLM_KEY", KEY)
        world = world_at(before, tmp_path_factory.mktemp("driven"), server, dbt_target)
        world.refresh()
        for plan in PLANS:
            server.fails_after = len(server.requests) + 4
            cut = world.call("run", plan)
            assert cut.exit_code == 1, cut.output
            server.fails_after = 10**9
            resumed = world.call("run", plan)
            assert resumed.exit_code == 0, resumed.output
            world.refresh()
        yield world


@pytest.fixture
def world(
    before: Path, tmp_path: Path, server: JudgingServer, dbt_target: Path, monkeypatch: pytest.MonkeyPatch
) -> World:
    """A home of its own, and no refresh of the steps yet."""
    monkeypatch.setenv("TEST_LLM_KEY", KEY)
    server.paid_for.clear()
    return world_at(before, tmp_path, server, dbt_target)


def test_each_answered_plan_moves_the_funnel_on(driven: World) -> None:
    steps = ["relevant", "summarised", "confirmed"]
    told = [funnel["status"][steps].tolist() for funnel in driven.funnels]
    assert told == [
        ["skipped", "fallback", "fallback"],
        ["done", "fallback", "fallback"],
        ["done", "done", "fallback"],
        ["done", "done", "done"],
    ]
    for funnel, step, plan in zip(driven.funnels, steps, PLANS, strict=False):
        assert f"suitability llm run {plan}" in funnel["note"][step]
    assert [int(funnel["n_chats"]["relevant"]) for funnel in driven.funnels] == [15, 11, 11, 11]
    assert [int(funnel["n_chats"]["matched"]) for funnel in driven.funnels] == [15, 11, 9, 9]


def test_refusals_and_what_can_not_be_read_are_counted_and_never_guessed(driven: World) -> None:
    funnel = driven.funnels[-1]
    found = dict(zip(funnel.index, zip(funnel["n_chats"], funnel["n_unknown"], strict=True), strict=True))
    assert found == FUNNEL
    assert funnel["note"]["relevant"] == "13 answered, 1 refused, 1 unparsed"
    assert funnel["note"]["confirmed"] == "6 answered, 1 refused, 2 unparsed"
    mart = driven.warehouse.read("marts.occupation_adoption").set_index("occupation")
    for occupation in TASKS:
        n_chats = sum(end == occupation for end in CHATS.values())
        assert mart["n_chats"][occupation] == n_chats
        assert mart["chat_share"][occupation] == pytest.approx(n_chats / 5)


def test_an_outage_costs_nothing_twice_and_changes_nothing(driven: World, world: World) -> None:
    assert set(driven.server.paid_for.values()) == {1}
    # two chats are one request, twice: their tasks are asked about once
    assert [driven.server.count(step) for step in STEPS] == [15, 11, 9 - 2]
    for plan in PLANS[:2]:
        assert world.call("run", plan).exit_code == 0
    # summaries are matched by a refresh, not by a plan
    world.take_steps()
    assert world.call("run", PLANS[2]).exit_code == 0
    assert world.server.paid_for == driven.server.paid_for
    world.take_steps()
    for name, frame in world.model_tables().items():
        pd.testing.assert_frame_equal(frame, driven.model_tables()[name])
    n_requests = len(world.server.requests)
    for plan in PLANS:
        assert world.call("run", plan).exit_code == 0
    assert len(world.server.requests) == n_requests


def test_nothing_unmasked_leaves(driven: World) -> None:
    """In the bodies of the requests: no e-mail, phone number, key or card number, but the word that it was one."""
    assert driven.settings.sources is not None
    log = (driven.settings.sources / "chats/log.jsonl").read_text()
    assert all(form in log for form in FORMS)
    bodies = {step: [b for b in driven.server.bodies if json.loads(b)["model"] == step] for step in STEPS}
    assert sum(map(len, bodies.values())) == len(driven.server.bodies) > 30
    for step in STEPS:
        assert left_in(bodies[step]) == []
    for step in ("relevance", "summary"):
        told = " ".join(text for body in bodies[step] for text in texts_in(body))
        assert {mask: told.count(mask) >= N_REMARKS for mask in PRIVATE} == dict.fromkeys(PRIVATE, True)


@pytest.mark.parametrize(
    ("role", "more"), [("relevance", 'back_end = "batch"\n'), ("confirmation", ""), ("embedder", "")]
)
def test_nothing_unmasked_leaves_by_another_way(world: World, role: str, more: str) -> None:
    """In a batch's file; where the first turn stands for the summary; where a server makes the vectors."""
    assert world.settings.sources is not None
    write_roles(world.settings.sources, world.server.base_url, (role,), more)
    n_before = len(world.server.bodies)
    if role == "embedder":
        world.server.embed = lambda asked: Reply(
            body={"data": [{"index": i, "embedding": [1.0, i]} for i, _ in enumerate(asked["input"])]}
        )
        world.settings = world.settings.model_copy(update={"embedder": "openai"})
    world.take_steps()
    if role != "embedder":
        world.call("run", PLANS[STEPS.index(role)])
    bodies = world.server.bodies[n_before:]
    told = " ".join(text for body in bodies for text in texts_in(body))
    assert all(told.count(mask) >= N_REMARKS for mask in PRIVATE)
    assert left_in(bodies) == []


def test_a_killed_run_is_taken_up_where_it_was(world: World) -> None:
    world.server.delay = 0.1
    n_before = len(world.server.requests)
    command = [sys.executable, "-m", "dagster_project.cli", "llm", "run", PLANS[0]]
    process = subprocess.Popen(
        command, cwd=PROJECT, env=os.environ | world.environment, stdout=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while len(world.server.requests) < n_before + 6:
        assert process.poll() is None, "it ended before it was killed"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.kill()
    process.wait()
    world.server.delay = 0
    with closing(sqlite3.connect(world.settings.ledger_path)) as connection:
        kept = {p for (p,) in connection.execute("select prompt from ledger where status = 'answered'")}
    assert 1 <= len(kept) < len(CHATS)
    assert world.call("run", PLANS[0]).exit_code == 0
    assert all(world.server.paid_for[("relevance", prompt)] == 1 for prompt in kept)
    assert len(CHATS) <= world.server.count("relevance") <= len(CHATS) + IN_FLIGHT


def test_estimate_spends_nothing_and_a_budget_stops(world: World) -> None:
    told = world.call("estimate", PLANS[0])
    assert "15 calls, 0 settled or in flight, 15 to send" in told.output and "at most 750 out" in told.output
    assert not world.server.paid_for
    # the highest cost of a call counts until it is known: 100 tokens in and 10 out are 0.12
    stopped = world.call("run", PLANS[0], "--budget", "1")
    assert stopped.exit_code == 1 and "it might exceed the budget" in stopped.output
    n_paid = world.server.count("relevance")
    assert 1 <= n_paid <= 8
    assert world.call("run", PLANS[0]).exit_code == 0
    assert world.server.count("relevance") == 15


def test_a_plan_says_what_comes_first(world: World, tmp_path: Path) -> None:
    assert "Run `suitability refresh` first" in " ".join(world.call("run", PLANS[2]).output.split())
    world.take_steps()
    for plan, first in zip(PLANS[1:], (PLANS[0], PLANS[0]), strict=True):
        told = " ".join(world.call("run", plan).output.split())
        assert f"suitability llm run {first}" in told and "15 of 15 calls" in told
    with refresh_lock(world.settings.home):
        other = subprocess.run(
            [sys.executable, "-m", "dagster_project.cli", "llm", "estimate", PLANS[0]],
            cwd=PROJECT, env=os.environ | world.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert other.returncode == 2 and "already refreshing" in " ".join(other.stderr.split())
    sources = tmp_path / "sources"
    write_roles(sources, world.server.base_url, ("relevance", "relevance"))
    assert "can't" not in (told := world.call("estimate", PLANS[0]).output) and "[[relevance]]" in told
    write_roles(sources, world.server.base_url, ())
    for plan, role in zip(PLANS, STEPS, strict=True):
        told = " ".join(world.call("run", plan).output.split())
        assert f"llm.toml names no [[{role}]]" in told
    write_roles(sources, world.server.base_url)
    # half a refresh: chats whose texts are gone
    world.warehouse.write({"raw.chat": Files([])})
    assert "Run `suitability refresh`" in " ".join(world.call("run", PLANS[0]).output.split())
    world.settings.warehouse_path.unlink()
    told = " ".join(world.call("run", PLANS[0]).output.split())
    assert "holds no chats yet" in told and not world.settings.warehouse_path.exists()
    assert not world.server.paid_for


def test_steps_that_nobody_judges_are_passed_over(world: World) -> None:
    """Confirmation alone: all chats go on with their first turns."""
    assert world.settings.sources is not None
    write_roles(world.settings.sources, world.server.base_url, ("confirmation",))
    world.take_steps()
    assert "15 calls" in world.call("estimate", PLANS[2]).output
    # a relevance that is judged later takes chats away, whose requests stay matched
    write_roles(world.settings.sources, world.server.base_url, ("relevance", "confirmation"))
    assert world.call("run", PLANS[0]).exit_code == 0
    assert "11 calls" in world.call("estimate", PLANS[2]).output
    # summaries are new requests
    write_roles(world.settings.sources, world.server.base_url)
    assert world.call("run", PLANS[1]).exit_code == 0
    told = " ".join(world.call("estimate", PLANS[2]).output.split())
    assert "9 requests have not been matched yet. Run `suitability refresh`" in told


def test_an_answer_of_blanks_is_unparsed() -> None:
    with pytest.raises(ValueError, match="only blanks"):
        asking.Summary(request="  ")
