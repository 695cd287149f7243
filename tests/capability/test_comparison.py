"""Model comparison: planted truths win, folds keep benchmarks whole, scores against an exact fit and by hand."""

import numpy as np
import pandas as pd
import pytest

from assets.capability.check import item_table
from assets.capability.check.item_table import Draws
from assets.capability.fit import engine, factorised
from assets.capability.fit.layout import item_logit
from assets.capability.fit.model import ModelOptions
from assets.capability.validation import model_comparison, validation_files
from assets.settings import Settings
from tests.support.capability.catalogue_worlds import DIMENSIONS, anchored, demands, success

UNEQUAL = anchored([0.6, 0.8, 1.0, 1.3, 1.6])


def answers(slope, seed=1, n_systems=8, n_items=800):
    """int_demand and int_response: six benchmarks of unequal size."""
    rng = np.random.default_rng(seed)
    demand = demands(rng, n_items, 300, len(slope))
    c = rng.normal(3, 0.8, (n_systems, len(slope)))
    passed = rng.random((n_systems, n_items)) < success(c, 0.3, demand, slope, np.ones(len(slope)))
    key = pd.DataFrame({"benchmark": [f"b{n}" for n in np.sort(rng.integers(0, 8, n_items) ** 2 // 8)]})
    key["item"] = [f"{n:04d}" for n in range(n_items)]
    levels = [key.assign(dimension=d, demand=demand[:, k]) for k, d in enumerate(DIMENSIONS[: len(slope)])]
    scores = [key.assign(system=f"s{n}", score=own.astype(float)) for n, own in enumerate(passed)]
    return pd.concat(levels), pd.concat(scores)


def compared(slope):
    demand, response = answers(slope)
    blocks = model_comparison.held_out_scores(demand, response, ModelOptions(), Settings().seed_for)
    return model_comparison.model_comparison(pd.concat(list(blocks))).set_index("model")


def test_unequal_slopes_make_the_catalogue_model_win():
    table = compared(UNEQUAL)
    winner = table.loc["catalogue"]
    assert table["log_score"].idxmax() == "catalogue"
    assert winner["difference"] > 3 * winner["difference_se"] > 0
    assert table.loc["base", ["difference", "difference_se"]].tolist() == [0, 0]
    assert (table["n_responses"] == 6400).all() and (table["n_items"] == 800).all()


def test_equal_slopes_do_not():
    table = compared(np.ones(5))
    assert table.loc["catalogue", "difference"] < 2 * table.loc["catalogue", "difference_se"]
    assert table.loc["catalogue", "difference"] == pytest.approx(0, abs=0.004)
    scores = table["log_score"]
    assert scores["base"] > scores["level"] > scores["accuracy"]
    for name in ("level", "accuracy"):
        assert table.loc[name, "difference"] < -3 * table.loc[name, "difference_se"]


def test_the_base_score_is_that_of_the_exact_posterior():
    """One fold by importance sampling instead of mode and curvature."""
    demand, response = answers(np.ones(3), n_systems=3, n_items=250)
    options, seed_for = ModelOptions(), Settings().seed_for
    blocks = pd.concat(list(model_comparison.held_out_scores(demand, response, options, seed_for)))
    base = blocks[(blocks["model"] == "base") & (blocks["fold"] == 1)]
    wide = item_table.item_table(demand, response)
    is_out = wide["benchmark"].isin(base["benchmark"])
    levels = wide[[f"demand_{d}" for d in DIMENSIONS[:3]]].to_numpy()
    scores = wide[[f"score_s{n}" for n in range(3)]].to_numpy()
    train = model_comparison._pool(levels[~is_out], scores[~is_out], ("s0", "s1", "s2"), DIMENSIONS[:3])
    fits = {
        name: factorised.fit_system(train.demand, train.passed[:, n], train.attempted[:, n], options, n)
        for n, name in enumerate(train.systems)
    }
    posterior = engine.join(fits, train, options, 2000, lambda name: len(name))
    expected = 0.0
    for n in range(3):
        alpha = posterior.intercept[0]
        draws = Draws(posterior.capability[0, :, n] + alpha[:, None], alpha)
        p = item_table.success(levels[is_out], draws, options)
        y = scores[is_out, n]
        expected += (y * np.log(p) + (1 - y) * np.log1p(-p)).mean() / 3
    assert base["log_score"].mean() == pytest.approx(expected, abs=0.003)


def test_folds_are_whole_benchmarks_of_like_size_by_hand():
    found = model_comparison.benchmark_folds({"a": 10, "b": 6, "c": 5, "d": 3, "e": 3}, 2)
    assert found == {"a": 0, "b": 1, "c": 1, "d": 0, "e": 1}
    assert model_comparison.benchmark_folds({"z": 1, "y": 1}) == {"y": 0, "z": 1}


@pytest.mark.parametrize("options", [ModelOptions(), ModelOptions(tau=0.5, lam=1.4)])
def test_the_single_demand_is_as_hard_as_the_vector_for_someone_equally_capable(options):
    demand = np.array([[1.0, 0, 4], [2, 2, 2], [0, 0, 0.5], [0, 0, 0]])
    soft = model_comparison.soft_demand(demand, options)
    for c in (1.0, 3.0):
        whole = item_logit(np.full(3, c), 0.2, demand, options.tau, options.lam)
        np.testing.assert_allclose(item_logit(np.array([c]), 0.2, soft, options.tau, options.lam), whole)
    assert soft[3] == 0


def test_the_clustered_error_by_hand():
    """Differences 1, 3 in x and 5 in y: mean 3, centred sums -2 and 2; sqrt(2 / 1 · 8) / 3."""
    rows = [("x", "1", 1.0), ("x", "2", 3.0), ("y", "1", 5.0)]
    other = pd.DataFrame(rows, columns=["benchmark", "item", "log_score"]).assign(model="level")
    scores = pd.concat([other, other.assign(model="base", log_score=0.0)]).assign(n_responses=2, fold=0)
    row = model_comparison.model_comparison(scores).set_index("model").loc["level"]
    assert row["difference"] == 3 and row["n_responses"] == 6
    assert row["difference_se"] == pytest.approx(4 / 3)


def test_what_was_not_answered_is_not_scored_and_one_benchmark_is_refused():
    demand, response = answers(np.ones(2), n_systems=2, n_items=60)
    response.loc[(response["system"] == "s0") & (response["item"] < "0030"), "score"] = np.nan
    response = response[response["item"] != "0059"]
    blocks = pd.concat(
        list(model_comparison.held_out_scores(demand, response, ModelOptions(), Settings().seed_for))
    )
    own = blocks[blocks["model"] == "accuracy"].set_index("item")["n_responses"]
    assert len(own) == 59 and own.sum() == 88 and own["0000"] == 1
    lonely = response[response["benchmark"] == response["benchmark"].iloc[0]]
    with pytest.raises(ValueError, match="takes two"):
        list(model_comparison.held_out_scores(demand, lonely, ModelOptions(), Settings().seed_for))


def test_a_stored_comparison_loads_for_the_answers_it_was_made_of_only(tmp_path):
    demand, response = answers(np.ones(2), n_systems=2, n_items=60)
    settings = Settings(home=tmp_path)
    assert validation_files.comparison_table(demand, response, settings).empty
    assert validation_files.run_comparison(demand, response, settings) == 20
    table = validation_files.comparison_table(demand.sample(frac=1, random_state=1), response, settings)
    assert sorted(table["model"]) == sorted(model_comparison.MODELS)
    assert validation_files.comparison_table(demand, response.assign(score=1.0), settings).empty
    with pytest.raises(ValueError, match="no rated items"):
        validation_files.run_comparison(demand[:0], response, settings)
