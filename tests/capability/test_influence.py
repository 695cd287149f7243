"""Shifts by flipped answers against fits of flipped answers: by integrals, and by the engine itself."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from assets.capability.check.influence import most_influential, profile_shifts
from assets.capability.check.item_table import Answers, Draws
from tests.support.capability.item_worlds import OPTIONS, Line, answered, posterior


def flipped(answers, j):
    score = answers.score.copy()
    score[j] = 1 - score[j]
    return replace(answers, score=score)


@pytest.mark.parametrize("fractional", [False, True])
def test_one_dimension_shifts_as_the_integral_of_the_flipped_answers(fractional):
    answers, _ = answered(np.random.default_rng(1), 40, np.array([3.0]))
    if fractional:
        answers = replace(answers, score=np.clip(answers.score, 0.25, 0.9))
    # an intercept known nearly, so that a level of one dimension is not the prior's alone
    options = replace(OPTIONS, intercept_sd=0.2)
    line = Line(answers, options)
    shift = profile_shifts(answers, line.draws(20000), options)
    mean, sd = line.capability()
    expected = [(Line(flipped(answers, j), options).capability()[0] - mean) / sd for j in range(40)]
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(shift[:, 0], expected, atol=0.004)


def test_a_flip_moves_the_fit_as_weights_say():
    """The four items that move it most, and two others, each fitted again with the opposite answer."""
    rng = np.random.default_rng(2)
    answers, _ = answered(rng, 60, np.array([3.5, 2.0]))
    draws = posterior(answers, 8000)
    shift = profile_shifts(answers, draws, OPTIONS)
    before = draws.ease - draws.alpha[:, None]
    order = np.argsort(-np.abs(shift).max(axis=1))
    assert np.abs(shift[order[0]]).max() > 0.15
    for j in [*order[:4], *order[30:50:10]]:
        again = posterior(flipped(answers, j), 8000)
        moved = ((again.ease - again.alpha[:, None]).mean(axis=0) - before.mean(axis=0)) / before.std(axis=0)
        np.testing.assert_allclose(shift[j], moved, atol=0.07)


def test_the_largest_come_first_with_sign_dimension_and_the_order_of_items_where_equal():
    answers, _ = answered(np.random.default_rng(3), 90, np.array([3.0, 2.5]))
    draws = posterior(answers)
    shift = profile_shifts(answers, draws, OPTIONS)
    table = most_influential(answers, ("EM", "L"), draws, OPTIONS)
    assert table["rank"].tolist() == list(range(1, 21))
    place = {name: j for j, name in enumerate(answers.item)}
    size = np.abs(shift).max(axis=1)
    assert np.abs(table["shift_sd"]).tolist() == sorted(size, reverse=True)[:20]
    for r in table.to_dict("records"):
        j, k = place[r["item"]], ("EM", "L").index(r["dimension"])
        assert r["shift_sd"] == shift[j, k]
        assert (r["benchmark"], r["score"]) == (answers.benchmark[j], answers.score[j])
    alike = Answers(
        np.full(30, "x", dtype=object),
        np.array([f"{i:02d}" for i in range(30)], dtype=object),
        np.full((30, 2), 2.0),
        np.ones(30),
    )
    table = most_influential(alike, ("EM", "L"), draws, OPTIONS)
    assert table["item"].tolist() == [f"{i:02d}" for i in range(20)]
    assert table["shift_sd"].nunique() == 1


def test_an_item_that_demands_nothing_moves_the_intercept_and_so_every_level():
    rng = np.random.default_rng(4)
    alpha = rng.normal(0.5, 0.3, 50000)
    draws = Draws(rng.normal(3, 0.3, (50000, 2)), alpha)
    one = Answers(np.array(["x"], object), np.array(["1"], object), np.zeros((1, 2)), np.array([1.0]))
    weight = 1 / expit(alpha) - 1
    c = draws.ease - alpha[:, None]
    expected = ((weight @ c) / weight.sum() - c.mean(axis=0)) / c.std(axis=0)
    np.testing.assert_allclose(profile_shifts(one, draws, OPTIONS)[0], expected, rtol=1e-3)
    assert (expected > 0.1).all()


def test_fewer_items_than_places_give_fewer_rows():
    answers, _ = answered(np.random.default_rng(5), 7, np.array([3.0]))
    assert len(most_influential(answers, ("L",), Line(answers).draws(), OPTIONS)) == 7
