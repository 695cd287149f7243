"""The synthetic tournament: complete, masked as it says, and leaning the way it was planted."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from assets.assistance.tasks import read_instrument
from assets.demo.tournament import GENERAL, JUDGES, N_RUNS, STRENGTHS, TASKS, WORKER


def lines(folder: Path) -> list[dict[str, Any]]:
    rows = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.endswith("}"):
                rows.append(json.loads(line))
    return rows


@pytest.fixture(scope="module")
def verdicts(demo: Path) -> list[dict[str, Any]]:
    found = lines(demo / "tournament/judgements")
    return [v for v in found if v["run"] <= N_RUNS]


def test_tasks_and_dimensions_are_those_of_the_rubrics() -> None:
    instrument = read_instrument()
    assert set(TASKS) == set(instrument.tasks) and set(GENERAL) == set(instrument.general)


def test_every_candidate_hands_in_everywhere_and_only_helpers_write_assistance(demo: Path) -> None:
    outputs = lines(demo / "tournament/outputs")
    assert len(outputs) == 7 * 2 * N_RUNS * len(STRENGTHS)
    for row in outputs:
        is_aided = row["mode"] == "augmentation" and row["candidate"] != WORKER
        assert (row["assistance"] is not None) == is_aided
    with (demo / "tournament/candidates.csv").open(encoding="utf-8") as file:
        roles = {row["candidate"]: row["role"] for row in csv.DictReader(file)}
    assert set(roles) == {*STRENGTHS, *JUDGES} and roles[WORKER] == "candidate,worker"


@pytest.mark.parametrize(("mode", "strength"), [("automation", "doing"), ("augmentation", "helping")])
def test_win_shares_follow_the_planted_strengths(
    verdicts: list[dict[str, Any]], mode: str, strength: str
) -> None:
    won: dict[str, list[float]] = defaultdict(list)
    for v in verdicts:
        if v["mode"] == mode and v["judge"] in ("judge-a", "judge-b"):
            share = {"first": 1.0, "tie": 0.5, "second": 0.0}[v["choice"]]
            won[v["first"]].append(share)
            won[v["second"]].append(1 - share)
    names = list(STRENGTHS)
    planted = [getattr(STRENGTHS[name], strength) for name in names]
    assert spearmanr(planted, [np.mean(won[name]) for name in names]).statistic > 0.9


def test_the_judge_planted_with_a_lean_to_the_first_seat_has_it(verdicts: list[dict[str, Any]]) -> None:
    def first_share(judge: str) -> float:
        decided = [v["choice"] for v in verdicts if v["judge"] == judge and v["choice"] != "tie"]
        return decided.count("first") / len(decided)

    assert first_share("judge-b") > first_share("judge-a") + 0.05
    # four standard errors of a fair coin over 1,400 verdicts
    assert abs(first_share("judge-a") - 0.5) < 0.055


def test_relatives_are_judged_in_two_runs_only(verdicts: list[dict[str, Any]]) -> None:
    for v in verdicts:
        own = [n for n in (v["first"], v["second"]) if STRENGTHS[n].family == JUDGES[v["judge"]]]
        own = [n for n in own if v["mode"] == "automation" or n != WORKER]
        assert not own or v["run"] in (1, 2)


def test_faults_are_planted_behind_one_judges_verdicts(demo: Path) -> None:
    tail = (demo / "tournament/judgements/judge-a.jsonl").read_text(encoding="utf-8").splitlines()[-6:]
    assert not tail[1].endswith("}")
    assert [json.loads(tail[i])["run"] for i in (2, 3, 4, 5)] == [6] * 4
