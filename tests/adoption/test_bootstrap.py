"""Intervals of shares against closed forms and a simulation: one chat alone, two drawn apart, whole chats."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import binom, poisson

from assets.adoption.funnel.adoption_inputs import Links
from assets.adoption.funnel.bootstrap import KeptSets, bootstrap

LINKS = Links(
    occupation_task=pd.DataFrame({"occupation": ["a", "b"], "task_text_id": ["1", "2"]}),
    major_group=pd.DataFrame({"occupation": ["a", "b", "unused"], "major_group": ["11", "13", "15"]}),
    skill=pd.DataFrame({"occupation": ["a", "a", "b"], "skill": ["s", "t", "t"]}),
    activity=pd.DataFrame({"task_text_id": ["1", "1", "3"], "activity_id": ["d", "d", "e"]}),
)


def intervals(
    kept: list[list[int]], is_us: list[bool], n_replicates: int
) -> dict[tuple[str, ...], list[float]]:
    """(quantity, unit, country where there is one) -> low, high."""
    rows, number = np.unique(np.array(kept, np.float32), axis=0, return_inverse=True)
    n, n_us = (np.bincount(part, minlength=len(rows)) for part in (number, number[np.array(is_us, bool)]))
    sets = KeptSets(sparse.csr_array(rows), ["1", "2", "3"][: len(kept[0])], n, n_us)
    found = bootstrap(sets, LINKS, (1,), n_replicates, 7)
    return {
        (row["quantity"], row["unit"], *([row["country"]] if row["country"] else [])): [
            row["low"],
            row["high"],
        ]
        for row in found[found["quantity"] != "depth"].to_dict("records")
    }


def shares(kept: list[list[int]], n_replicates: int = 2000) -> dict[str, list[float]]:
    """Occupation -> low, high."""
    found = intervals([[*row, 0][:3] for row in kept], [False] * len(kept), n_replicates)
    return {key[1]: ends for key, ends in found.items() if key[0] == "chat_share"}


# the square of the normal 97.5 % quantile
Z2 = 1.959963984540054**2


@pytest.mark.parametrize("n", [1, 15])
def test_none_or_all_of_the_chats_have_wilsons_interval(n: int) -> None:
    """Of 0 of n it ends at z^2 / (n + z^2), in closed form: .20 for 15, where every resample says 0."""
    found = intervals([[1, 0, 0]] * n, [True] * n, 200)
    end = Z2 / (n + Z2)
    for key in (("chat_share", "b"), ("group_share", "13", "all"), ("group_share", "13", "US")):
        assert found[key] == pytest.approx([0, end])
    for key in (
        ("chat_share", "a"),
        ("group_share", "11", "US"),
        ("skill_share", "s"),
        ("activity_share", "d"),
    ):
        assert found[key] == pytest.approx([1 - end, 1])
    assert found["activity_share", "e"] == pytest.approx([0, end])


def test_chats_that_are_all_divided_alike_are_no_certain_half() -> None:
    """30 chats, each half a's: Wilson of 15 of 30 is .5 -+ z / 2 / sqrt(30 + z^2)."""
    half = Z2**0.5 / 2 / (30 + Z2) ** 0.5
    assert shares([[1, 1]] * 30, 200)["a"] == pytest.approx([0.5 - half, 0.5 + half])


@pytest.mark.parametrize("n", [3, 30])
def test_an_interval_is_that_of_two_poisson_counts(n: int) -> None:
    """`n` chats each: the share is X / (X + Y), X and Y Poisson(n), not both 0."""
    found = shares([[1, 0]] * n + [[0, 1]] * n, 20_000)
    count = np.arange(0, 12 * n)
    x, y = np.meshgrid(count, count)
    weight = poisson.pmf(x, n) * poisson.pmf(y, n)
    drawn = (x + y) > 0
    share, weight = (x[drawn] / (x + y)[drawn]), weight[drawn] / weight[drawn].sum()
    order = np.argsort(share)
    cumulated = np.cumsum(weight[order])
    expected = [share[order][np.searchsorted(cumulated, q)] for q in (0.025, 0.975)]
    assert found["a"] == pytest.approx(expected, abs=0.02)


def test_a_group_is_its_occupations_and_the_us_its_own_chats() -> None:
    """From the US 5 chats of a and 5 of b, from elsewhere 30 of a: groups have an occupation each."""
    kept = [[1, 0, 0]] * 5 + [[0, 1, 0]] * 5 + [[1, 0, 0]] * 30
    found = intervals(kept, [True] * 10 + [False] * 30, 20_000)
    for group, occupation in (("11", "a"), ("13", "b")):
        assert found["group_share", group, "all"] == pytest.approx(found["chat_share", occupation])
        assert found["group_share", group, "US"] == pytest.approx(
            shares(kept[:10], 20_000)[occupation], abs=0.02
        )
    # without task statements no chat can be its own
    assert ("group_share", "15", "all") not in found
    abroad = intervals(kept, [False] * 40, 50)
    assert not any(key[-1] == "US" for key in abroad)


def test_whole_chats_are_drawn_with_replacement() -> None:
    """2, 20 and all of 60 chats: a simulation of 20,000 logs of 60 chats each, drawn from the log."""
    kept = [[1, 0, 1]] * 2 + [[1, 0, 0]] * 18 + [[0, 1, 0]] * 40
    found = intervals(kept, [False] * 60, 50)
    rng = np.random.default_rng(3)
    drawn = rng.integers(0, 60, (20_000, 60))
    for key, n in ((("activity_share", "e"), 2), (("activity_share", "d"), 20), (("skill_share", "s"), 20)):
        simulated = np.quantile((drawn < n).mean(axis=1), (0.025, 0.975))
        assert found[key] == pytest.approx(simulated, abs=1 / 60 + 1e-9)
        assert found[key] == [binom.ppf(q, 60, n / 60) / 60 for q in (0.025, 0.975)]
    assert found["activity_share", "e"][0] == 0 and found["activity_share", "e"][1] >= 5 / 60
    # a chat counts once, whichever of its occupations needs the skill
    assert found["skill_share", "t"] == pytest.approx([60 / (60 + Z2), 1])


def test_depth_intervals_hold_the_estimate_and_mostly_what_such_logs_show() -> None:
    """60 logs of a known population, against the mean depth of 1000 such logs. Plain quantiles hold it in .66."""
    rng = np.random.default_rng(5)
    n_tasks = rng.integers(8, 25, 60)
    occupation = np.repeat(np.arange(60), n_tasks)
    texts = [str(n) for n in range(len(occupation))]
    of = [
        rng.dirichlet(np.ones(n)) * share
        for n, share in zip(n_tasks, rng.dirichlet(np.full(60, 0.3)), strict=True)
    ]
    expected = 2000 * np.concatenate(of)
    tasks = pd.DataFrame({"occupation": [f"{n:02}" for n in occupation], "task_text_id": texts})
    links = Links(tasks, *(frame.iloc[:0] for frame in (LINKS.major_group, LINKS.skill, LINKS.activity)))
    inside = np.equal.outer(occupation, np.arange(60)).astype(float)

    def depth(logs: np.ndarray) -> np.ndarray:
        """(logs, thresholds of 1, 2 and 5 chats, steps)."""
        seen = [(logs >= t) @ inside for t in (1, 2, 5)]
        return np.stack([[(s * 20 >= k * n_tasks).mean(axis=1) for k in range(21)] for s in seen]).transpose(
            2, 0, 1
        )

    truth = depth(rng.poisson(expected, (1000, len(texts)))).mean(axis=0)
    holds = np.zeros_like(truth)
    for log in rng.poisson(expected, (60, len(texts))):
        single = sparse.csr_array(np.eye(len(texts), dtype=np.float32)[log > 0])
        found = bootstrap(KeptSets(single, texts, log[log > 0], 0 * log[log > 0]), links, (1, 2, 5), 100, 1)
        low, high = (
            found[found["quantity"] == "depth"]
            .sort_values(["min_chats", "step"])[end]
            .to_numpy()
            .reshape(3, 21)
            for end in ("low", "high")
        )
        estimate = depth(log[None, :])[0]
        assert (low <= estimate + 1e-9).all() and (estimate <= high + 1e-9).all()
        holds += (low <= truth + 1e-9) & (truth <= high + 1e-9)
    assert 0.84 <= (holds / 60)[(truth > 0.02) & (truth < 0.98)].mean() <= 0.98


def test_depth_that_no_resample_changes_has_wilsons_interval_over_occupations() -> None:
    """Three occupations of a task with 500 chats each: 3 of 3 from one chat, 0 of 3 from 10,000, by hand."""
    links = Links(
        pd.DataFrame({"occupation": ["a", "b", "c"], "task_text_id": ["1", "2", "3"]}),
        *(frame.iloc[:0] for frame in (LINKS.major_group, LINKS.skill, LINKS.activity)),
    )
    everyone = KeptSets(
        sparse.csr_array(np.eye(3, dtype=np.float32)), ["1", "2", "3"], np.full(3, 500), np.zeros(3, int)
    )
    found = bootstrap(everyone, links, (1, 10_000), 50, 1).query("quantity == 'depth'")
    ends = found.set_index(["min_chats", "step"])[["low", "high"]].round(9)
    assert ends.xs(0, level="step").to_numpy().tolist() == [[1, 1], [1, 1]]
    assert set(map(tuple, ends.loc[1].iloc[1:].to_numpy())) == {(round(3 / (3 + Z2), 9), 1.0)}
    assert set(map(tuple, ends.loc[10_000].iloc[1:].to_numpy())) == {(0.0, round(Z2 / (3 + Z2), 9))}


@pytest.mark.parametrize("rare", [0.002, 0.01, 0.03])
def test_depth_at_the_border_holds_what_such_logs_show(rare: float) -> None:
    """60 logs, of which up to nine in ten show no occupation whole: a width of zero held the truth in none of those.

    66 occupations have one task each, seen with chances that differ and have the mean `rare`; the chats of another one
    keep the log from being empty.
    """
    rng = np.random.default_rng(11)
    expected = rng.dirichlet(np.full(66, 0.5)) * 66 * rare
    truth = (1 - np.exp(-expected)).sum() / 67
    names = [f"{n:02}" for n in range(66)]
    texts = [*names, *map(str, range(100, 120))]
    tasks = pd.DataFrame({"occupation": [*names, *["z"] * 20], "task_text_id": texts})
    links = Links(tasks, *(frame.iloc[:0] for frame in (LINKS.major_group, LINKS.skill, LINKS.activity)))
    held = at_border = 0
    for log in rng.poisson(expected, (60, 66)):
        counts = np.concatenate([log, [50], np.zeros(19, np.int64)])
        is_seen = counts > 0
        single = sparse.csr_array(np.eye(len(texts), dtype=np.float32)[is_seen])
        kept = KeptSets(single, texts, counts[is_seen], 0 * counts[is_seen])
        depth = bootstrap(kept, links, (1,), 50, 1).query("quantity == 'depth' and step == 20")
        low, high = depth[["low", "high"]].to_numpy()[0]
        at_border += not log.any()
        held += low <= truth <= high
    assert at_border >= 6 and held >= 54
