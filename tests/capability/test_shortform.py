"""The short form against brute force over all forms, against random forms, and against people of known capability."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from assets.capability.fit.layout import item_logit
from assets.capability.fit.model import ModelOptions
from assets.capability.shortform import choose_items, information_roots

OPTIONS = ModelOptions()
ALPHA = 0.4


def long_form(levels, benchmarks=("b",), dimensions=None):
    """int_demand of (J, K) `levels`; items are dealt to the benchmarks in turn."""
    n, k = np.shape(levels)
    names = dimensions or [f"D{i}" for i in range(k)]
    return pd.DataFrame(
        {
            "benchmark": np.repeat([benchmarks[i % len(benchmarks)] for i in range(n)], k),
            "item": np.repeat([f"{i:04d}" for i in range(n)], k),
            "dimension": np.tile(names, n),
            "demand": np.asarray(levels, dtype=float).ravel(),
        }
    )


def battery(rng, n, k, share=0.5):
    """(n, k) demands, each item demanding something."""
    levels = np.where(rng.random((n, k)) < share, rng.integers(1, 11, (n, k)) / 2, 0.0)
    levels[levels.max(axis=1) == 0, 0] = 3.0
    return levels


def people_of(seed, n, k):
    return OPTIONS.mean + OPTIONS.sd * np.random.default_rng(seed).standard_normal((n, k))


def information_of(levels, people):
    """(D, J, K, K) Fisher information of Bernoulli trials, (∂p/∂c)(∂p/∂c)ᵀ / p(1-p), by finite differences."""
    found = []
    for c in people:
        p = expit(item_logit(c, ALPHA, levels))
        steps = 1e-5 * np.eye(len(c))
        slope = [
            (expit(item_logit(c + h, ALPHA, levels)) - expit(item_logit(c - h, ALPHA, levels))) / 2e-5
            for h in steps
        ]
        found.append(np.einsum("kj,lj->jkl", slope, slope) / (p * (1 - p))[:, None, None])
    return np.array(found)


def gain_of(information, form):
    """Expected gain in the log determinant of precision over the prior's, halved."""
    k = information.shape[-1]
    precision = np.eye(k) / OPTIONS.sd**2 + information[:, list(form)].sum(axis=1)
    return np.mean(np.linalg.slogdet(precision)[1] + 2 * k * np.log(OPTIONS.sd)) / 2


@pytest.mark.parametrize("tau", [0.0, 0.5, 1.0, 2.0])
def test_information_is_that_of_a_bernoulli_trial(tau):
    """Fisher information (∂p/∂c)(∂p/∂c)ᵀ / p(1-p), the derivative by finite differences."""
    options = ModelOptions(tau=tau)
    rng = np.random.default_rng(1)
    levels, people = battery(rng, 6, 3), people_of(2, 2, 3)
    roots = information_roots(people, ALPHA, levels, options)
    for d, c in enumerate(people):
        p = expit(item_logit(c, ALPHA, levels, tau))
        for k, step in enumerate(1e-5 * np.eye(3)):
            upper, lower = (expit(item_logit(c + h * step, ALPHA, levels, tau)) for h in (1, -1))
            expected = (upper - lower) / 2e-5 / np.sqrt(p * (1 - p))
            np.testing.assert_allclose(roots[d, :, k], expected, atol=1e-8)


def test_information_stays_finite_far_from_any_person():
    levels = np.array([[5.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    roots = information_roots(np.array([[-900.0, 900.0]]), ALPHA, levels, OPTIONS)
    assert np.isfinite(roots).all()
    assert not roots[0, 1].any()


@pytest.mark.parametrize("seed", range(4))
def test_greedy_against_every_form_of_the_same_size(seed):
    """Never below the bound 1 - 1/e of a submodular gain, and in practice within 5 % of the best of 126 forms."""
    levels = battery(np.random.default_rng(seed), 9, 3)
    form = choose_items(long_form(levels), OPTIONS, ALPHA, 4, seed, cap=9, n_people=8)
    information = information_of(levels, people_of(seed, 8, 3))
    gains = {frozenset(chosen): gain_of(information, chosen) for chosen in combinations(range(9), 4)}
    found = gains[frozenset(form.items["item"].astype(int))]
    assert found == pytest.approx(form.items["expected_information"].sum(), rel=1e-6)
    assert found >= (1 - 1 / np.e) * max(gains.values())
    assert found >= 0.95 * max(gains.values())


@pytest.mark.parametrize("seed", range(3))
def test_capped_greedy_against_every_form_that_keeps_the_cap(seed):
    levels = battery(np.random.default_rng(10 + seed), 9, 3)
    form = choose_items(long_form(levels, "xyz"), OPTIONS, ALPHA, 5, seed, cap=2, n_people=8)
    assert form.items["benchmark"].value_counts().max() <= 2
    information = information_of(levels, people_of(seed, 8, 3))
    allowed = [f for f in combinations(range(9), 5) if max(np.bincount([j % 3 for j in f])) <= 2]
    best = max(gain_of(information, f) for f in allowed)
    assert form.items["expected_information"].sum() >= 0.95 * best


def test_a_form_tells_more_than_random_ones_to_people_it_was_not_chosen_for():
    levels = battery(np.random.default_rng(5), 300, 4)
    form = choose_items(long_form(levels), OPTIONS, ALPHA, 12, 0, cap=12)
    information = information_of(levels, people_of(99, 100, 4))
    chosen = gain_of(information, form.items["item"].astype(int))
    rng = np.random.default_rng(6)
    at_random = [gain_of(information, rng.choice(300, 12, replace=False)) for _ in range(20)]
    assert chosen > 1.2 * max(at_random)
    assert chosen > 1.4 * np.mean(at_random)


def test_each_item_stands_once_and_order_of_rows_does_not_matter():
    demand = long_form(battery(np.random.default_rng(7), 60, 3), "xyz")
    form = choose_items(demand, OPTIONS, ALPHA, 20, 3)
    again = choose_items(demand.sample(frac=1, random_state=0), OPTIONS, ALPHA, 20, 3)
    pd.testing.assert_frame_equal(form.items, again.items)
    assert not form.items.duplicated(["benchmark", "item"]).any()
    assert form.items["position"].tolist() == list(range(1, 21))
    assert (form.items["expected_information"] > 0).all()


def test_equal_items_are_taken_in_order_of_benchmark_and_item():
    form = choose_items(long_form(np.full((6, 2), 3.0), ("y", "x")), OPTIONS, ALPHA, 3, 0, cap=6)
    assert form.items[["benchmark", "item"]].to_numpy().tolist() == [
        ["x", "0001"],
        ["x", "0003"],
        ["x", "0005"],
    ]


@pytest.mark.parametrize(("n", "n_benchmarks", "cap"), [(60, 20, 6), (7, 2, 7), (1, 5, 1), (5, 1, 10)])
def test_default_cap_is_twice_an_even_share(n, n_benchmarks, cap):
    levels = battery(np.random.default_rng(8), 40, 2)
    form = choose_items(long_form(levels, [f"b{i}" for i in range(n_benchmarks)]), OPTIONS, ALPHA, n, 0)
    assert form.cap == cap
    assert form.items["benchmark"].value_counts().max() <= cap


def test_one_benchmark_gives_a_whole_form():
    form = choose_items(long_form(battery(np.random.default_rng(9), 30, 3)), OPTIONS, ALPHA, 10, 0)
    assert len(form.items) == 10 and form.remarks() == []


def test_a_single_item_is_the_best_single_item():
    levels = battery(np.random.default_rng(11), 12, 2)
    form = choose_items(long_form(levels), OPTIONS, ALPHA, 1, 4, n_people=16)
    information = information_of(levels, people_of(4, 16, 2))
    assert int(form.items["item"].iloc[0]) == max(range(12), key=lambda j: gain_of(information, [j]))


def test_fewer_items_than_asked_is_said_with_the_reason():
    levels = np.vstack([battery(np.random.default_rng(12), 8, 2), np.zeros((2, 2))])
    form = choose_items(long_form(levels), OPTIONS, ALPHA, 60, 0)
    assert sorted(form.items["item"].astype(int)) == list(range(8))  # what demands nothing tells nothing
    assert form.remarks() == [
        "8 items, not the 60 asked for: the battery has no more items that demand anything (8)."
    ]
    capped = choose_items(long_form(levels, "xy"), OPTIONS, ALPHA, 7, 0, cap=3)
    assert len(capped.items) == 6
    assert "at most 3 items of one benchmark" in capped.remarks()[0]


def test_what_a_form_does_not_measure_is_said():
    levels = battery(np.random.default_rng(13), 20, 3)
    levels[:, 1] = 0.0
    levels[:, 2] = 0.0
    levels[:, 0] = np.maximum(levels[:, 0], 1.0)
    levels[3] = [0.0, 0.0, 5.0]
    form = choose_items(long_form(levels, dimensions=["L", "OP", "SM"]), OPTIONS, ALPHA, 1, 0)
    assert form.remarks() == [
        "OP: no item of the battery demands it; a form can't measure it.",
        "SM: no item of this form demands it; a longer form would.",
    ]
    contraction = form.dimensions.set_index("dimension")["expected_contraction"]
    assert contraction["L"] > 0.1
    assert contraction[["OP", "SM"]].tolist() == pytest.approx([0, 0], abs=1e-12)


def test_a_form_without_items_is_refused():
    demand = long_form(battery(np.random.default_rng(14), 5, 2))
    with pytest.raises(ValueError, match="at least 1"):
        choose_items(demand, OPTIONS, ALPHA, 0, 0)
    with pytest.raises(ValueError, match="at least 1"):
        choose_items(demand, OPTIONS, ALPHA, 3, 0, cap=0)
    with pytest.raises(ValueError, match="no items with demands"):
        choose_items(demand.head(0), OPTIONS, ALPHA, 3, 0)


def failure_odds(levels, c):
    """(S, J) at temperature 1: the mean over demanded dimensions of e^(demand - capability), less the intercept."""
    active = levels > 0
    return (
        np.exp(-c)
        @ (np.where(active, np.exp(levels), 0) / active.sum(axis=1, keepdims=True)).T
        / np.exp(ALPHA)
    )


def fitted(levels, truth, rng, draws):
    """RMSE and mean contraction over people who answer these items, by importance sampling from the prior."""
    odds = failure_odds(levels, draws)
    failed, passed = np.log(odds / (1 + odds)), -np.log1p(odds)
    answers = rng.random((len(truth), len(levels))) < 1 / (1 + failure_odds(levels, truth))
    log_weight = answers @ passed.T + ~answers @ failed.T
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    assert (1 / np.square(weight).sum(axis=1)).min() > 50
    mean = weight @ draws
    variance = weight @ draws**2 - mean**2
    return np.sqrt(np.mean((mean - truth) ** 2)), 1 - variance.mean() / OPTIONS.sd**2


def test_sixty_chosen_items_place_thirty_people_better_than_sixty_random_ones():
    """A simulation with known truth, fitted without the project's engine; six sets of answers to each kind of form."""
    rng = np.random.default_rng(15)
    levels = battery(rng, 3000, 4)
    form = choose_items(long_form(levels, [f"b{i}" for i in range(10)]), OPTIONS, ALPHA, 60, 0)
    assert form.remarks() == []
    truth, draws = people_of(16, 30, 4), people_of(17, 60_000, 4)
    chosen = levels[form.items["item"].astype(int)]
    by_form = np.array([fitted(chosen, truth, rng, draws) for _ in range(6)])
    at_random = np.array(
        [fitted(levels[rng.choice(3000, 60, replace=False)], truth, rng, draws) for _ in range(6)]
    )
    assert by_form[:, 0].mean() < 0.92 * at_random[:, 0].mean()
    assert by_form[:, 1].min() > at_random[:, 1].max() + 0.05
    # the form keeps about what it promises
    promised = form.dimensions["expected_contraction"].mean()
    assert promised == pytest.approx(by_form[:, 1].mean(), abs=0.03)
