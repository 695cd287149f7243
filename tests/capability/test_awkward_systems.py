"""Systems of every awkward kind get profiles that are finite, wide, and marked as such by a figure of the marts."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from assets.capability.check.item_table import Answers, Draws
from assets.capability.check.prediction import characteristic_curve, held_out_predictions
from assets.capability.fit import engine
from tests.support.capability.system_worlds import DEFAULT, LEVELS, SHARES, answers, joint, pooled


@pytest.fixture(scope="module")
def lopsided():
    """A battery that demands nothing of OP, and systems of every awkward kind."""
    rng = np.random.default_rng(11)
    level = rng.choice(LEVELS, size=(400, 3), p=SHARES)
    level[:, 2] = 0.0
    truth = [3.5, 1.5, 3.0]
    only_first = np.where([True, False, False], level, 0.0)[level[:, 0] > 0][:150]
    parts = {
        "usual": answers(rng, truth, 0.0, level),
        "no failures": (level, np.ones(400)),
        "no passes": (level, np.zeros(400)),
        "thirty items": answers(rng, truth, 0.0, level[:30]),
        "one item": (level[level[:, 0] > 0][:1], np.ones(1)),
        "only idle items": (np.zeros((5, 3)), np.array([1.0, 0, 1, 1, 0])),
        "at random": (level, (rng.random(400) < 0.5) * 1.0),
        "one benchmark": answers(rng, truth, 0.0, only_first),
    }
    return pooled(parts, ("EM", "L", "OP"))


def test_awkward_systems_get_finite_and_wide_profiles(lopsided):
    posterior = joint(lopsided)
    mean = dict(zip(posterior.systems, posterior.capability.mean((0, 1)), strict=True))
    sd = dict(zip(posterior.systems, posterior.capability.std((0, 1)), strict=True))
    assert (sd["thirty items"][:2] > sd["usual"][:2]).all()
    assert (mean["no failures"][:2] > 3).all()
    assert (mean["no passes"][:2] < 3).all()
    assert sd["one benchmark"][1] == pytest.approx(0.8, abs=0.05)
    np.testing.assert_allclose(sd["only idle items"], 0.8, atol=0.05)
    np.testing.assert_allclose(mean["only idle items"], 3.0, atol=0.05)
    assert (sd["one item"] > 0.7).all()
    # what nothing demands comes back as its prior
    assert [values[2] for values in mean.values()] == pytest.approx([3.0] * 8, abs=0.05)
    assert [values[2] for values in sd.values()] == pytest.approx([0.8] * 8, abs=0.04)
    # two significant draws would look narrow: no marginal may
    assert min(values.min() for values in sd.values()) > 0.1


@pytest.mark.parametrize(
    "name", ["no failures", "no passes", "thirty items", "one item", "only idle items", "at random"]
)
def test_each_alone_is_finite_too(lopsided, name):
    posterior = joint(engine.responses_of(lopsided, name), n_draws=2000)
    assert posterior.capability.std((0, 1)).min() > 0.15


def test_opposites_without_anyone_between_them(lopsided):
    names = ("no failures", "no passes")
    columns = [lopsided.systems.index(name) for name in names]
    both = replace(
        lopsided, systems=names, passed=lopsided.passed[:, columns], attempted=lopsided.attempted[:, columns]
    )
    up, down = joint(both).capability.mean((0, 1))
    assert (up[:2] > 3).all()
    assert down[:2].min() < 3


def contraction(posterior):
    """(N, K): 1 - posterior variance / prior variance, as the mart has it."""
    return dict(
        zip(posterior.systems, 1 - posterior.capability.var((0, 1), ddof=1) / DEFAULT.sd**2, strict=True)
    )


def test_contraction_tells_who_was_asked_too_little(lopsided):
    told = contraction(joint(lopsided))
    assert (told["usual"][:2] > 0.9).all()
    for name in ("no failures", "no passes", "thirty items"):
        assert (told[name][:2] < told["usual"][:2] - 0.1).all(), name
    # one benchmark tells of what it demands and leaves the rest at the prior
    assert told["one benchmark"][0] > 0.9
    assert told["one benchmark"][1] < 0.1
    assert max(told["one item"].max(), told["only idle items"].max()) < 0.2


def test_alone_a_system_that_always_passes_or_fails_says_nothing(lopsided):
    """Without anybody to share the intercept with, easy items and a strong system are the same thing."""
    for name in ("no failures", "no passes"):
        assert (contraction(joint(engine.responses_of(lopsided, name)))[name] < 0.15).all(), name


def test_answers_at_random_are_told_by_prediction(lopsided):
    """Such a profile is narrow, for many answers agree that demands do not matter; it predicts none of them."""
    rng = np.random.default_rng(5)
    demand = rng.choice(LEVELS, size=(400, 3), p=SHARES)
    demand[:, 0] = np.maximum(demand[:, 0], 1)
    _, usual = answers(rng, [3.5, 1.5, 3.0], 0.0, demand)
    names = np.array([f"{n:03d}" for n in range(400)], dtype=object)
    auroc, misses = {}, {}
    for system, score in (("usual", usual), ("at random", (rng.random(400) < 0.5) * 1.0)):
        posterior = joint(pooled({system: (demand, score)}, ("EM", "L", "OP")))
        alpha = posterior.intercept.ravel()
        draws = Draws(posterior.capability.reshape(len(alpha), -1) + alpha[:, None], alpha)
        asked = Answers(np.full(400, "x", dtype=object), names, demand, np.asarray(score, dtype=np.float64))
        predicted = held_out_predictions(asked, draws, DEFAULT, 0.7, 1)
        auroc[system] = roc_auc_score(predicted["score"], predicted["predicted"])
        curve = characteristic_curve(asked, ("EM", "L", "OP"), draws, DEFAULT, 1)
        misses[system] = int(
            ((curve["observed"] < curve["q025"]) | (curve["observed"] > curve["q975"])).sum()
        )
    assert auroc["usual"] > 0.7
    assert auroc["at random"] < 0.6
    assert misses["at random"] > misses["usual"] + 2
