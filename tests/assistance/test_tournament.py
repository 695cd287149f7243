"""What a tournament asks, step by step, with answers made up here: counts by hand, blindness, leaks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest

from assets.assistance.judging import verdict_schema
from assets.assistance.tournament import Supplied, Tournament, foreseen
from assets.assistance.traits import contained_share
from assets.llm import Answer, Call, Limits, Model, Roles
from assets.settings import Settings

CANDIDATES = {"ann": "A", "bob": "B", "wim": "A", "jo": "J", "kay": "K"}


def model(role: str, name: str) -> Model:
    return Model(role=role, name=name, model=name, base_url="http://127.0.0.1/v1", max_tokens=50)


ROLES = Roles(
    {
        "candidate": (model("candidate", "ann"), model("candidate", "bob")),
        "worker": (model("worker", "wim"),),
        "judge": (model("judge", "jo"), model("judge", "kay")),
    },
    Limits(),
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, tournament_runs=2, tournament_tasks="tutoring")


def supplied(verdicts: Sequence[tuple[str, ...]] = ()) -> Supplied:
    key = ["task", "mode", "run"]
    return Supplied(
        pd.DataFrame(
            [(n, f, "worker" if n == "wim" else "") for n, f in CANDIDATES.items()],
            columns=["candidate", "family", "role"],
        ),
        pd.DataFrame(columns=[*key, "candidate", "assistance", "output", "fault"]),
        pd.DataFrame(verdicts, columns=[*key, "judge", "first", "second"]).assign(fault=None, choice="first"),
        pd.DataFrame(columns=[*key, "candidate", "judge"]),
    )


def write(calls: Sequence[Call]) -> list[Answer]:
    return [Answer(call, "answered", text=f"text {call.call_id[:8]}") for call in calls]


def test_before_anything_is_written_only_deliverables_and_assistance_can_be_asked(settings: Settings) -> None:
    now = Tournament(settings, ROLES, supplied(), None)
    # a run: two that do it, two that assist, the worker alone
    assert len(now.run_calls()) == 2 * 5
    assert now.judge_calls() == [] and now.trait_calls() == []
    assert set(now.output_frame()["status"]) == {"pending"} and now.verdict_frame().empty
    later = Tournament(settings, ROLES, supplied(), None, foreseen(settings))
    # and the worker with each assistance; 1 + 3 pairs a run before 2 judges; 2 texts a run before 2 coders
    assert len(later.run_calls()) == 2 * 7
    assert len(later.judge_calls()) == 2 * (1 + 3) * 2
    assert len(later.trait_calls()) == 2 * 2 * 2


def test_judges_read_texts_and_never_names(settings: Settings) -> None:
    calls = Tournament(settings, ROLES, supplied(), None, write).judge_calls()
    for call in calls:
        words = set(f"{call.system} {call.prompt}".split())
        assert not words & set(CANDIDATES) and call.prompt.count("text ") >= 2


def test_a_verdict_that_a_file_holds_is_not_asked_in_either_seat(settings: Settings) -> None:
    held = [("tutoring", "automation", "1", "jo", s, t) for s, t in (("ann", "bob"), ("bob", "ann"))]
    for one in held:
        assert len(Tournament(settings, ROLES, supplied([one]), None, write).judge_calls()) == 15


def test_a_verdict_off_the_scale_is_no_verdict() -> None:
    schema = verdict_schema(("clarity",))
    good = {
        "scores_first": {"clarity": 10},
        "scores_second": {"clarity": 1},
        "rationale": "r",
        "choice": "tie",
    }
    assert schema.model_validate(good)
    bads: list[dict[str, object]] = [
        {"choice": "both"}, {"scores_first": {"clarity": 11}}, {"scores_second": {}},
    ]  # fmt: skip
    for bad in bads:
        with pytest.raises(ValueError, match="validation error"):
            schema.model_validate(good | bad)


def test_assistance_is_held_against_the_deliverable_without_the_prompt() -> None:
    words = [f"w{n}" for n in range(16)]
    text = " ".join(words)
    assert contained_share(text, f"hand this in: {text}") == 1
    # 9 runs of eight words, of which the first 12 words hold 5
    assert contained_share(text, " ".join(words[:12])) == pytest.approx(5 / 9)
    assert contained_share(text, " ".join(words[:12]), prompt=" ".join(words[:12])) == 0
    assert contained_share("too short", "too short") is None
