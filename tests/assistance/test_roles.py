"""Doing against helping on cases counted by hand, on every resample of three runs, and on published p-values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from assets.assistance.doing_and_helping import (
    help_probability,
    mode_correlation,
    rank_correlation,
    trait_association,
)

RANK_COLUMNS = ["task", "mode", "candidate", "mean_rank", "is_worker"]


def seed_for(*names: object) -> int:
    return sum(map(ord, "".join(map(str, names))))


def run_ranks(by_candidate: dict[str, list[float]]) -> pd.DataFrame:
    """Mean ranks by run in augmentation; `w` is the worker alone."""
    rows = [
        ("t", "augmentation", str(run), name, rank, name == "w")
        for name, ranks in by_candidate.items()
        for run, rank in enumerate(ranks)
        if not np.isnan(rank)
    ]
    return pd.DataFrame(rows, columns=["task", "mode", "run", "candidate", "mean_rank", "is_unaided"])


def probability(by_candidate: dict[str, list[float]]) -> float:
    found = help_probability(run_ranks(by_candidate), seed_for)
    return float(found["is_help_better_probability"].item())


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ({"w": [2, 2], "a": [1, 1]}, 1.0),
        ({"w": [1, 1], "a": [2, 2]}, 0.0),
        ({"w": [1.5, 1.5], "a": [1.5, 1.5]}, 0.5),
        # who is best in each run loses in the other: the choice that was luck doesn't count as help
        ({"w": [2, 2], "a": [1, 3], "b": [3, 1]}, 0.0),
    ],
)
def test_probability_by_hand(ranks: dict[str, list[float]], expected: float) -> None:
    assert probability(ranks) == expected


def test_probability_is_that_over_all_resamples_of_three_runs() -> None:
    ranks = {"w": [2.0, 1.0, 3.0], "a": [1.0, 2.5, 1.5], "b": [3.0, 0.5, 2.5]}
    outcomes = []
    for drawn in product(range(3), repeat=3):
        left = sorted(set(range(3)) - set(drawn))
        if left:
            chosen = min("ab", key=lambda name: (sum(ranks[name][r] for r in drawn), name))
            behind = sum(ranks[chosen][r] - ranks["w"][r] for r in left)
            outcomes.append(1.0 if behind < 0 else 0.5 if behind == 0 else 0.0)
    assert 0.1 < np.mean(outcomes) < 0.9
    # 2000 resamples: a standard error of .01
    assert probability(ranks) == pytest.approx(np.mean(outcomes), abs=0.04)


def test_one_run_nobody_alone_or_nobody_helping_has_no_probability() -> None:
    for ranks in ({"w": [2.0], "a": [1.0]}, {"a": [1.0, 2.0]}, {"w": [1.0, 1.0]}):
        assert np.isnan(probability(ranks))
    found = help_probability(run_ranks({"w": [1.0, np.nan, 2.0], "a": [2.0, 1.0, 1.0]}), seed_for)
    assert found["n_runs"].item() == 2
    assert help_probability(run_ranks({}), seed_for).empty


@pytest.mark.parametrize(
    ("order", "rho", "p"),
    [
        ([4, 2, 3, 1, 5, 6, 7, 8, 9], 0.85, 0.004),
        ([6, 3, 2, 5, 4, 1, 9, 8, 7], 0.48, 0.187),
        ([7, 5, 3, 4, 2, 6, 1, 8, 9], 0.25, 0.516),
        ([8, 3, 2, 4, 5, 6, 7, 1, 9], 0.17, 0.668),
        ([8, 4, 3, 2, 6, 5, 7, 1, 9], 0.10, 0.798),
    ],
)
def test_p_values_are_those_published(order: list[int], rho: float, p: float) -> None:
    """centaurbench, Table 1 and section 4: correlations of nine candidates; the orders are made up to have them."""
    found = rank_correlation(pd.Series(range(1, 10), dtype=float), pd.Series(order, dtype=float))
    assert (round(found[0], 2), round(found[1], 3)) == (rho, p)


def test_modes_are_correlated_over_those_who_do_and_help() -> None:
    means = {
        ("t", "a"): (1, 2), ("t", "b"): (2, 1), ("t", "c"): (3, 3), ("t", "w"): (4, 4),
        ("u", "a"): (1, 3), ("u", "b"): (2, 2), ("u", "c"): (3, 1), ("u", "only does"): (4, None),
    }  # fmt: skip
    rows = [
        (task, mode, name, rank, name == "w")
        for (task, name), ranks in means.items()
        for mode, rank in zip(("automation", "augmentation"), ranks, strict=True)
        if rank is not None
    ]
    found = mode_correlation(pd.DataFrame(rows, columns=RANK_COLUMNS)).set_index("task")
    # over both tasks a, b, c have 1, 2, 3 and 2.5, 1.5, 2; the worker has no second role
    assert found["spearman_rho"].to_dict() == pytest.approx({"all": -0.5, "t": 0.5, "u": -1.0})
    assert set(found["n_candidates"]) == {3}
    assert mode_correlation(pd.DataFrame(columns=RANK_COLUMNS)).empty


def test_two_candidates_or_equal_ranks_have_no_correlation() -> None:
    for x, y in (([1.0, 2.0], [1.0, 2.0]), ([1.0, 2.0, 3.0], [0.3, 0.1 + 0.2, 0.3])):
        assert np.isnan(rank_correlation(pd.Series(x), pd.Series(y))).all()


def test_a_trait_that_better_texts_have_more_of_is_negative() -> None:
    texts = pd.DataFrame(
        [("t", "structure", 1.0, 3.0), ("t", "structure", 5.0, 2.0), ("t", "structure", 9.0, 1.0)],
        columns=["task", "trait", "score", "mean_rank"],
    )
    found = trait_association(texts)
    assert found["task"].tolist() == ["all", "t"] and found["spearman_rho"].tolist() == pytest.approx(
        [-1, -1]
    )


def test_one_run_with_a_helper_tells_nothing() -> None:
    nan = float("nan")
    assert np.isnan(probability({"w": [2, 1, 1, 1], "a": [1, nan, nan, nan]}))


def test_p_of_few_values_is_over_all_orders() -> None:
    three = pd.Series([1.0, 2.0, 3.0])
    assert rank_correlation(three, three) == (pytest.approx(1), pytest.approx(2 / 6))
    four = pd.Series([1.0, 2.0, 3.0, 4.0])
    assert rank_correlation(four, four[::-1]) == (pytest.approx(-1), pytest.approx(2 / 24))
