"""People on short forms and systems on the whole battery: recovery of a known population, and the odd participants."""

import numpy as np
import pytest

from assets.capability.fit.layout import pool_counts
from assets.capability.fit.model import ModelOptions, posterior_mode
from assets.capability.fit.nuts import SamplerOptions
from assets.capability.validation.population_model import fit_population, population_model, split_responses
from tests.support.capability.catalogue_worlds import demands, success

MEAN, SD, RHO, ALPHA = np.array([2.2, 3.4, 2.8]), np.array([0.5, 0.4, 0.6]), 0.5, 0.4
PEOPLE = [f"p{n:02d}" for n in range(60)]
SILENT, STRONG, KNOWN = 0, 1, slice(2, None)


def population(seed):
    """60 people of whom one answers nothing and one passes all of a form of 10; 40 items of 300 for the others."""
    rng = np.random.default_rng(seed)
    bank = demands(rng, 300, 120, 3)
    score = np.sqrt(RHO) * rng.normal(size=(60, 1)) + np.sqrt(1 - RHO) * rng.normal(size=(60, 3))
    people, systems = MEAN + SD * score, rng.normal(3, 0.8, (4, 3))
    rows = []
    for name, own in zip([*PEOPLE, "x0", "x1", "x2", "x3"], [*people, *systems], strict=True):
        size = {PEOPLE[SILENT]: 0, PEOPLE[STRONG]: 10}.get(name, 40 if name in PEOPLE else 300)
        items = bank[rng.choice(300, size, replace=False)]
        passed = rng.random(size) < success(own[None], ALPHA, items, np.ones(3), np.ones(3))[0]
        rows.append((np.full(size, name, object), items, passed | (name == PEOPLE[STRONG])))
    names, items, passed = (np.concatenate(part) for part in zip(*rows, strict=True))
    return people, systems, pool_counts(names, items, passed, np.ones(len(names)), ("EM", "L", "SM"))


@pytest.fixture(scope="module")
def fitted():
    people, systems, responses = population(1)
    sampler = SamplerOptions(2, 300, 300, 0.85, 3)
    return people, systems, responses, fit_population(responses, PEOPLE, ModelOptions(), sampler)


def test_the_population_is_recovered_on_the_systems_scale(fitted):
    _, systems, _, draws = fitted
    assert draws.quality.n_divergent == 0
    assert draws.quality.rhat_max < 1.08
    assert draws.participants == tuple(PEOPLE) and draws.systems == ("x0", "x1", "x2", "x3")
    for found, true in ((draws.mean, MEAN), (draws.sd, SD), (draws.correlation[:, None], RHO)):
        low, high = np.quantile(found, [0.025, 0.975], axis=0)
        assert ((low < true) & (true < high)).all()
    # the order of the three means: the prior has them alike
    assert np.corrcoef(draws.mean.mean(axis=0), MEAN)[0, 1] > 0.9
    found = draws.system_capability
    assert (np.abs(found.mean(axis=0) - systems) < 3.3 * found.std(axis=0)).all()


def test_partial_pooling_is_nearer_the_truth_than_each_alone(fitted):
    people, _, responses, draws = fitted
    alpha, ease = posterior_mode(responses, ModelOptions())
    alone = ease[[responses.systems.index(name) for name in PEOPLE[KNOWN]]] - alpha
    pooled = draws.participant_capability.mean(axis=0)[KNOWN]
    error = [np.sqrt(((found - people[KNOWN]) ** 2).mean()) for found in (pooled, alone)]
    assert error[0] < 0.85 * error[1]
    low, high = np.quantile(draws.participant_capability[:, KNOWN], [0.025, 0.975], axis=0)
    assert 0.9 < np.mean((low < people[KNOWN]) & (people[KNOWN] < high)) < 0.99


def test_someone_who_answered_nothing_is_anyone_of_the_population(fitted):
    draws = fitted[3]
    nobody = draws.participant_capability[:, SILENT]
    spread = np.sqrt((draws.sd**2).mean(axis=0) + draws.mean.var(axis=0))
    np.testing.assert_allclose(nobody.mean(axis=0), draws.mean.mean(axis=0), atol=0.15)
    np.testing.assert_allclose(nobody.std(axis=0), spread, rtol=0.2)


def test_someone_who_passed_all_is_above_most_finite_and_wide(fitted):
    draws = fitted[3]
    strong = draws.participant_capability[:, STRONG]
    assert np.isfinite(strong).all()
    assert (strong.mean(axis=0) > draws.mean.mean(axis=0)).all()
    others = draws.participant_capability[:, KNOWN].std(axis=0).mean(axis=0)
    assert (strong.std(axis=0) > others).all()
    assert (strong.std(axis=0) < 3 * draws.sd.mean(axis=0)).all()


def test_an_item_not_asked_leaves_the_likelihood_unlike_a_failed_one():
    """One more pattern that only another person answered changes nothing for the first."""
    demand = np.array([[1.0, 0.0], [0.0, 2.0], [4.0, 4.0]])

    def own_part(rows, passed):
        who = np.array(["p" if row < 2 else "q" for row in rows], object)
        people, _ = split_responses(
            pool_counts(who, demand[rows], passed, np.ones(len(rows)), ("a", "b")), ["p"]
        )
        logp = population_model(people, split_responses(people, [])[0], ModelOptions())
        return people, logp.compile_logp(mode="FAST_COMPILE")(logp.initial_point())

    asked, value = own_part([0, 1], [1, 0])
    with_others, same = own_part([0, 1, 2], [1, 0, 0])
    assert len(asked.demand) == len(with_others.demand) == 2
    assert value == same
    assert own_part([0, 1, 1], [1, 0, 0])[1] < value


def test_a_name_twice_and_nobody_are_refused():
    responses = population(2)[2]
    with pytest.raises(ValueError, match="p01"):
        split_responses(responses, ["p01", "p01"])
    with pytest.raises(ValueError, match="no participant"):
        fit_population(responses, [], ModelOptions(), SamplerOptions(2, 100, 100, 0.8, 1))
