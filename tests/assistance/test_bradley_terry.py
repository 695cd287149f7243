"""Strengths against a closed form, a general optimiser on Davidson's own formula, and simulated tournaments."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from assets.assistance.bradley_terry import (
    PRIOR_SD,
    DisconnectedError,
    Floats,
    Pairs,
    fit,
    posterior_sd,
    strengths,
)

NAMES = ["a", "b", "c", "d", "e"]


def all_pairs(k: int) -> Pairs:
    first, second = (np.array(side) for side in zip(*combinations(range(k), 2), strict=True))
    return Pairs(NAMES[:k], first, second)


def chances(strength: Floats, nu: float, pairs: Pairs) -> Floats:
    """Davidson (1970): worths p give p_a : p_b : nu * sqrt(p_a * p_b)."""
    worth = np.exp(strength)
    a, b = worth[pairs.first], worth[pairs.second]
    odds = np.stack([a, b, nu * np.sqrt(a * b)], axis=-1)
    return np.asarray(odds / odds.sum(-1, keepdims=True))


def rows(pairs: Pairs, by_run: Floats) -> pd.DataFrame:
    """Counts (runs, pairs, outcomes) as the tables have them."""
    return pd.DataFrame(
        [
            ("t", "automation", str(run), pairs.names[a], pairs.names[b], *counts[p])
            for run, counts in enumerate(by_run)
            for p, (a, b) in enumerate(zip(pairs.first, pairs.second, strict=True))
        ],
        columns=["task", "mode", "run", "candidate_a", "candidate_b", "n_a", "n_b", "n_tie"],
    )


def test_two_candidates_differ_by_the_log_odds_of_decided_comparisons() -> None:
    """With so many comparisons the prior weighs nothing, and the model is saturated."""
    estimate = fit(all_pairs(2), np.array([[6.0, 2.0, 5.0]]) * 1e7)
    assert estimate == pytest.approx([np.log(3) / 2, -np.log(3) / 2], abs=1e-6)


def loss_of(counts: Floats, pairs: Pairs, values: Floats) -> float:
    """Less the log posterior density at k strengths and the log of nu."""
    k = len(pairs.names)
    log_chance = np.log(chances(values[:k], np.exp(values[k]), pairs))
    return float(-(counts * log_chance).sum() + (values**2).sum() / (2 * PRIOR_SD**2))


def mode_of(counts: Floats, pairs: Pairs) -> Floats:
    """Strengths and the log of nu at the posterior mode, by a general optimiser."""

    def loss(values: Floats) -> float:
        return loss_of(counts, pairs, values)

    found = minimize(loss, np.zeros(len(pairs.names) + 1), method="BFGS", options={"gtol": 1e-7})
    return np.asarray(found.x)


@pytest.mark.parametrize("agree", [True, False])
def test_the_posterior_is_as_wide_as_differences_of_its_density_say(agree: bool) -> None:
    """The curvature by finite differences of Davidson's own formula; strengths less their mean."""
    pairs, rng = all_pairs(3), np.random.default_rng(2)
    counts = np.array([[5.0, 0, 0]] * 3) if agree else rng.integers(1, 9, (3, 3)).astype(float)
    mode = mode_of(counts, pairs)
    step = 1e-3 * np.eye(4)
    curvature = np.array(
        [
            [
                (
                    loss_of(counts, pairs, mode + a + b)
                    - loss_of(counts, pairs, mode + a - b)
                    - loss_of(counts, pairs, mode - a + b)
                    + loss_of(counts, pairs, mode - a - b)
                )
                / 4e-6
                for b in step
            ]
            for a in step
        ]
    )
    less_mean = np.eye(3) - 1 / 3
    expected = np.sqrt(np.diag(less_mean @ np.linalg.inv(curvature)[:3, :3] @ less_mean))
    assert posterior_sd(pairs, counts) == pytest.approx(expected, rel=1e-3)


def test_runs_that_agree_give_the_posteriors_width() -> None:
    """Five runs in which the first seat always wins: the jackknife's standard error would be next to nothing."""
    pairs = all_pairs(3)
    runs = np.tile([1.0, 0, 0], (5, 3, 1))
    own = strengths(rows(pairs, runs)).iloc[:3]
    half = (own["high"] - own["low"]).to_numpy() / 2
    assert half == pytest.approx(1.959964 * posterior_sd(pairs, runs.sum(0)), rel=1e-6)
    assert (half > 1).all()
    # more runs that agree say more
    more = strengths(rows(pairs, np.tile(runs, (6, 1, 1)))).iloc[:3]
    assert ((more["high"] - more["low"]).to_numpy() / 2 < half).all()


def test_strengths_are_those_of_a_general_optimiser() -> None:
    pairs = all_pairs(5)
    rng = np.random.default_rng(8)
    counts = rng.integers(0, 9, (len(pairs.first), 3)).astype(float)

    twin = mode_of(counts, pairs)[:5]
    assert fit(pairs, counts) == pytest.approx(twin, abs=1e-5)
    # many at once are each as if alone
    both = fit(pairs, np.stack([counts, counts[:, [1, 0, 2]]]))
    assert both == pytest.approx(np.stack([twin, -twin]), abs=1e-5)


def test_who_wins_or_loses_all_stays_finite_at_the_end_it_belongs_to() -> None:
    pairs = all_pairs(4)
    runs = np.zeros((3, len(pairs.first), 3))
    runs[..., 0] = 10
    frame = strengths(rows(pairs, runs))
    whole = frame[frame["task"] == "all"].set_index("candidate")
    assert np.isfinite(whole[["log_strength", "low", "high"]].to_numpy()).all()
    assert whole["log_strength"].sort_values(ascending=False).index.tolist() == ["a", "b", "c", "d"]
    assert whole["log_strength"].sum() == pytest.approx(0)
    assert whole["n_comparisons"].tolist() == [90, 90, 90, 90]


def test_groups_that_never_met_have_no_common_scale() -> None:
    apart = Pairs(NAMES[:4], np.array([0, 2]), np.array([1, 3]))
    with pytest.raises(DisconnectedError, match="never met"):
        fit(apart, np.ones((2, 3)))
    frame = strengths(rows(apart, np.ones((2, 2, 3))))
    assert frame["log_strength"].isna().all() and frame["reason"].str.contains("never met").all()
    assert frame.groupby("candidate")["comparison_group"].first().to_dict() == {
        "a": 1,
        "b": 1,
        "c": 2,
        "d": 2,
    }


@pytest.mark.parametrize("n_runs", [1, 2])
def test_below_three_runs_strengths_have_no_intervals(n_runs: int) -> None:
    frame = strengths(rows(all_pairs(3), np.ones((n_runs, 3, 3))))
    assert frame["log_strength"].tolist() == pytest.approx([0] * 6, abs=1e-9)
    assert frame[["low", "high"]].isna().all(axis=None) and frame["reason"].isna().all()


def test_no_verdicts_give_no_rows_and_their_order_does_not_matter() -> None:
    empty = rows(all_pairs(2), np.zeros((0, 1, 3)))
    assert strengths(empty).empty
    counts = rows(all_pairs(4), np.random.default_rng(1).integers(0, 5, (3, 6, 3)).astype(float))
    pd.testing.assert_frame_equal(strengths(counts), strengths(counts.sample(frac=1, random_state=2)))


@pytest.mark.parametrize(("n_runs", "most"), [(3, 0.998), (5, 0.99)])
def test_intervals_cover_planted_strengths_as_often_as_they_say(n_runs: int, most: float) -> None:
    """60 tournaments; percentiles of three resampled runs would cover .70, of five .82.

    Of two widths the larger counts, that over runs or the posterior's: with three runs it covers more than it says.
    """
    pairs, planted = all_pairs(4), np.array([0.9, 0.3, -0.2, -1.0])
    rng = np.random.default_rng(3)
    chance = chances(planted, 0.3, pairs)
    covered = []
    for _ in range(60):
        by_run = rng.multinomial(8, chance, size=(n_runs, len(chance)))
        own = strengths(rows(pairs, by_run.astype(float)).assign(task="t")).iloc[: len(planted)]
        covered.append((own["low"] <= planted) & (planted <= own["high"]))
    assert 0.9 < np.mean(covered) < most


def test_limits_are_those_of_runs_left_out_one_by_one() -> None:
    """The standard error by its formula; Student's quantile from a table: t(2) = 4.303."""
    pairs = all_pairs(2)
    by_run = np.array([[[9.0, 1, 0]], [[3.0, 7, 0]], [[4.0, 5, 1]]])
    without = [fit(pairs, by_run.sum(0) - run)[0] for run in by_run]
    se = np.sqrt(2 / 3 * sum((value - np.mean(without)) ** 2 for value in without))
    a = strengths(rows(pairs, by_run)).iloc[0]
    assert (a["high"] - a["low"]) / 2 == pytest.approx(4.303 * se, rel=1e-4)
    assert (a["high"] + a["low"]) / 2 == pytest.approx(a["log_strength"])
