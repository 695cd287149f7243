"""The plan of a tournament: the paper's counts, the family mask, seats, and one candidate more."""

from __future__ import annotations

from collections import Counter
from math import comb

import pytest

from assets.assistance.planning import Comparison, Entry, Panel, PanelError, comparisons

# Table 3 of the paper: families as it groups them, the judges, the worker
FAMILIES = {
    "GPT-3.5-Turbo": "OpenAI", "GPT-4.1": "OpenAI", "GPT-OSS-120B": "OpenAI", "GPT-5-Mini": "OpenAI",
    "GPT-O4-Mini": "OpenAI", "GPT-O3-Mini": "OpenAI", "Claude-Opus-4.8": "Anthropic",
    "Claude-Sonnet-4.6": "Anthropic", "DeepSeek-V3.1": "DeepSeek", "Gemini-3.1-Pro": "Google",
}  # fmt: skip
JUDGES = ("Claude-Opus-4.8", "DeepSeek-V3.1", "Gemini-3.1-Pro", "GPT-4.1")
PANEL = Panel(tuple(FAMILIES), JUDGES, "GPT-3.5-Turbo", FAMILIES)
RUNS = [str(run) for run in range(1, 11)]
SEED = 20260101


def plan(
    panel: Panel, n_tasks: int = 7, runs: list[str] = RUNS, both_seats: bool = False
) -> list[Comparison]:
    entries = panel.entries([f"task{n}" for n in range(n_tasks)], runs)
    return list(comparisons(entries, panel, SEED, both_seats))


def pair_key(c: Comparison) -> tuple[str, str, str, frozenset[str]]:
    return c.task, c.mode, c.run, frozenset((c.first, c.second))


def test_the_papers_panel_takes_the_papers_calls() -> None:
    planned = plan(PANEL)
    one = Counter(c.mode for c in planned if c.task == "task0" and c.run == "1")
    # 45 pairs; a judge of a family of k sees those of the 10 - k others: 28 + 36 + 36 + 6
    assert one["automation"] == comb(8, 2) + 2 * comb(9, 2) + comb(4, 2) == 106
    # the unaided worker belongs to no family, so that OpenAI's judge sees one more entry
    assert one["augmentation"] == comb(8, 2) + 2 * comb(9, 2) + comb(5, 2) == 110
    assert len(planned) == len(set(planned)) == 15_120
    votes = Counter(map(pair_key, planned))
    assert sum(comb(n, 2) for n in votes.values()) == 11_340


def test_no_judge_meets_its_own_family() -> None:
    for c in plan(PANEL, 1):
        for name in (c.first, c.second):
            is_unaided = c.mode == "augmentation" and name == "GPT-3.5-Turbo"
            assert is_unaided or FAMILIES[name] != FAMILIES[c.judge]


def test_a_candidate_more_judges_only_its_own_pairs() -> None:
    families = FAMILIES | {"Newcomer": "Elsewhere"}
    more = Panel((*PANEL.candidates, "Newcomer"), JUDGES, PANEL.worker, families)
    added = set(plan(more)) - set(plan(PANEL))
    assert set(plan(PANEL)) <= set(plan(more))
    assert added and all("Newcomer" in (c.first, c.second) for c in added)


def test_seats_are_drawn_evenly_and_again_the_same() -> None:
    planned = plan(PANEL)
    assert planned == plan(PANEL)
    n_sorted = sum(c.first < c.second for c in planned)
    # four standard deviations of a fair coin
    assert abs(n_sorted - len(planned) / 2) < 4 * len(planned) ** 0.5 / 2
    other = list(comparisons(PANEL.entries(["task0"], ["1"]), PANEL, SEED + 1))
    assert other != plan(PANEL, 1, ["1"])


def test_both_seats_give_each_pair_twice_in_opposite_order() -> None:
    once, twice = plan(PANEL, 1), plan(PANEL, 1, both_seats=True)
    assert len(twice) == len(set(twice)) == 2 * len(once) and set(once) < set(twice)
    assert {c._replace(first=c.second, second=c.first) for c in twice} == set(twice)


def test_unknown_family_neither_judges_nor_is_judged() -> None:
    families = {"a": "A", "b": "", "c": "C"}
    panel = Panel(("a", "b", "c"), ("judge", "b"), "", families | {"judge": "J"})
    planned = plan(panel, 1, ["1"])
    assert {(c.judge, frozenset((c.first, c.second))) for c in planned} == {("judge", frozenset("ac"))}
    with pytest.raises(PanelError, match=r"no family is known of b, .*tournament/candidates\.csv"):
        panel.refuse_unknown_families()


def test_a_worker_that_is_no_candidate_stays_out_of_automation() -> None:
    panel = Panel(("a", "b"), (), "w", {})
    assert set(panel.entries(["t"], ["1"])) == {
        Entry("t", "automation", "1", "a"), Entry("t", "automation", "1", "b"),
        Entry("t", "augmentation", "1", "a"), Entry("t", "augmentation", "1", "b"),
        Entry("t", "augmentation", "1", "w"),
    }  # fmt: skip
