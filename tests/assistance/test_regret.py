"""Regret on runs counted by hand, and on simulated helpers whose mean ranks are known."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import rankdata, ttest_1samp

from assets.assistance.regret import helper_regret

NAN = float("nan")


def run_ranks(by_helper: dict[str, list[float]]) -> pd.DataFrame:
    """Mean ranks by run; a share of comparisons won is a quarter less for each place. `w` is the worker alone."""
    rows = [
        ("t", mode, str(run), name, rank, 1 - rank / 4, mode == "augmentation" and name == "w")
        for mode in ("automation", "augmentation")
        for name, ranks in by_helper.items()
        for run, rank in enumerate(ranks if mode == "augmentation" else ranks[::-1])
        if not np.isnan(rank)
    ]
    columns = ["task", "mode", "run", "candidate", "mean_rank", "win_share", "is_unaided"]
    return pd.DataFrame(rows, columns=columns)


def regret(by_helper: dict[str, list[float]], variance: float | None = None) -> Any:
    """`variance`: of the share of comparisons that each wins against each; None = nothing is known of it."""
    pairs = permutations(by_helper, 2) if variance is not None else ()
    spread = pd.DataFrame(
        [("t", "augmentation", *pair, variance) for pair in pairs],
        columns=["task", "mode", "candidate", "opponent", "variance"],
    )
    return helper_regret(run_ranks(by_helper), spread).set_index("candidate")


def test_the_helper_is_chosen_on_the_other_runs() -> None:
    # b is best without run 0 (3.5 to 5), a without run 1 (4 to 4.5) and without run 2 (3 to 4)
    found = regret({"a": [1, 2, 3], "b": [2.5, 1.5, 2], "w": [3, 3, 1]})
    assert found["regret"].to_dict() == pytest.approx({"a": (-1.5 + 0 + 0) / 3, "b": (0 - 0.5 - 1) / 3})
    assert found["regret_win_share"].to_numpy() == pytest.approx(found["regret"].to_numpy() / 4)


def test_of_two_helpers_the_interval_is_students_and_never_below_nothing() -> None:
    a, b = [1.5, 1, 2, 1.25], [3.0, 2.25, 2.75, 3]
    found = regret({"a": a, "b": b, "w": [2.0] * 4})
    twin = ttest_1samp(np.subtract(b, a), 0).confidence_interval(0.95)
    assert [found.at["b", c] for c in ("regret_q025", "regret_q975")] == pytest.approx(
        [twin.low, min(twin.high, 2)]
    )
    assert [found.at["a", c] for c in ("regret_q025", "regret_q975")] == [0, 0]


def test_runs_that_agree_keep_the_width_of_their_number() -> None:
    """Each rank rests on two shares won, and b and a met each other: 2 + 2 + 2 variances of .01; t(3) = 3.182."""
    ranks = {"a": [1.0] * 4, "b": [2.0] * 4, "w": [3.0] * 4}
    found = regret(ranks, variance=0.01).loc["b"]
    half = 3.18245 * 0.06**0.5
    assert [found["regret_q025"], found["regret_q975"]] == pytest.approx([1 - half, 1 + half], abs=1e-5)
    # where runs differ more than that, they decide
    apart = {"a": [1.5, 1, 2, 1.25], "b": [3.0, 2.25, 2.75, 3], "w": [2.0] * 4}
    pd.testing.assert_frame_equal(regret(apart), regret(apart, variance=1e-4))


def test_two_runs_have_a_regret_without_an_interval() -> None:
    found = regret({"a": [1, 1], "b": [2, 2], "w": [3, 3]}).loc["b"]
    assert found["regret"] == 1 and found[["regret_q025", "regret_q975"]].isna().all()


def test_one_run_tells_nothing_and_one_helper_costs_nothing() -> None:
    assert regret({"a": [1.0], "b": [2.0]}).drop(columns="task").isna().all(axis=None)
    assert regret({"a": [1, 2, 1]}).drop(columns="task").eq(0).all(axis=None)
    assert regret({"w": [1, 1]}).empty
    # they never stood in one run: nothing can be told, up to the last place
    apart = regret({"a": [1, 1, NAN, NAN], "b": [NAN, NAN, 2, 2], "w": [NAN, 3, 3, NAN]}).loc["b"]
    assert np.isnan(apart["regret"]) and (apart["regret_q025"], apart["regret_q975"]) == (0, 2)


def ranks_of(quality: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places (runs, helpers), 1 = the highest quality."""
    return np.asarray(rankdata(-quality, axis=1))


@pytest.mark.parametrize("n_runs", [3, 10])
@pytest.mark.parametrize("lead", [0.0, 1.2], ids=["equal", "one is better"])
def test_regret_is_not_made_of_noise_and_its_interval_holds_the_truth(n_runs: int, lead: float) -> None:
    """120 tournaments; regret by the smallest mean rank of all would be about 1 for three runs of equal helpers."""
    rng = np.random.default_rng(6)
    strength = np.array([0, 0, 0, 0, lead])
    truth = ranks_of(rng.normal(strength, 1, (20_000, 5))).mean(0)
    costs, covered = [], []
    for _ in range(120):
        places = ranks_of(rng.normal(strength, 1, (n_runs, 5)))
        found = regret({name: places[:, i].tolist() for i, name in enumerate("abcde")}).loc["a"]
        costs.append(found["regret"])
        covered.append(
            found["regret_q025"] <= truth[0] - truth.min() + 0.02
            and truth[0] - truth.min() <= found["regret_q975"] + 0.02
        )
    assert np.mean(covered) > 0.92
    if lead == 0:
        # four standard errors
        assert abs(np.mean(costs)) < 4 * np.std(costs) / 120**0.5
