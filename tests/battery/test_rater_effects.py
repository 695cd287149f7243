"""Rater effects: known biases and demands come back, level 0 stays special, one rater stays one rater."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assets.battery.rater_effects import KEY, MISSING, count_ratings, rater_demand

# bias and noise (scale of a logistic, in levels) of each rater
RATERS = {"harsh": (-0.6, 0.25), "plain": (0.1, 0.35), "mild": (0.5, 0.6)}
N_ITEMS = 3000


def reported(rng: np.random.Generator, demand: np.ndarray, bias: float, noise: float) -> np.ndarray:
    """Levels of one rater: the demand with bias and logistic noise, rounded, 0-5."""
    return np.clip(np.rint(demand + bias + rng.logistic(0, noise, len(demand))), 0, 5)


def world(raters: dict[str, tuple[float, float]], seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Latent demands, a third of them 0, of two capabilities; ratings of them, one in twenty missing."""
    rng = np.random.default_rng(seed)
    blocks, truths = [], []
    for capability in ("EM", "L"):
        demand = np.where(rng.random(N_ITEMS) < 1 / 3, 0, np.clip(rng.normal(2.3, 1, N_ITEMS), 0.3, 5))
        key = pd.DataFrame({"benchmark": "B", "item": [f"{i:04d}" for i in range(N_ITEMS)]})
        key["capability"] = capability
        truths.append(key.assign(truth=demand))
        for rater, effect in raters.items():
            level = pd.array(reported(rng, demand, *effect), dtype="Int64")
            level[rng.random(N_ITEMS) < 0.05] = pd.NA
            blocks.append(key.assign(rater=rater, level=level))
    return pd.concat(truths), pd.concat(blocks)


@pytest.fixture(scope="module")
def three() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ratings joined to truth and posterior demand; the raters' effects."""
    truth, ratings = world(RATERS)
    demand, effects = rater_demand(ratings)
    levels = ratings.astype({"level": float}).pivot(index=KEY, columns="rater", values="level").reset_index()
    joined = levels.merge(truth, on=KEY).merge(demand, on=KEY, how="left", validate="one_to_one")
    return joined, effects


def test_biases_and_noises_are_recovered(three: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    found = three[1].set_index(["capability", "rater"])
    for rater, (bias, _) in RATERS.items():
        np.testing.assert_allclose(found.xs(rater, level="rater")["bias"], bias, atol=0.15)
    noise = found["noise"].groupby("rater").mean()
    assert noise["harsh"] < noise["plain"] < noise["mild"]
    for rater, (_, spread) in RATERS.items():
        assert noise[rater] == pytest.approx(spread, rel=0.3)
    assert found["bias"].groupby("capability").sum().abs().max() < 1e-9


def test_posterior_demand_is_nearer_the_truth_than_the_mean_and_its_sd_says_how_near(
    three: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    joined = three[0].dropna(subset=["demand"])
    mean = joined[list(RATERS)].mean(axis=1)
    error = joined["demand"] - joined["truth"]
    rmse = [float(np.sqrt((e**2).mean())) for e in (error, mean - joined["truth"])]
    assert rmse[0] < 0.9 * rmse[1]
    claimed = float(np.sqrt((joined["demand_sd"] ** 2).mean()))
    assert claimed == pytest.approx(rmse[0], rel=0.1)
    # more raters, more sure
    n = joined[list(RATERS)].notna().sum(axis=1)
    demanded = joined["demand"] > 1
    assert (
        joined.loc[demanded & (n == 3), "demand_sd"].mean()
        < joined.loc[demanded & (n < 3), "demand_sd"].mean()
    )


def test_all_zero_is_zero_and_one_rater_above_is_not(three: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    joined = three[0]
    levels = joined[list(RATERS)]
    nobody = levels.isna().all(axis=1)
    assert joined["demand"].isna().equals(nobody)
    silent = (levels.fillna(0) == 0).all(axis=1) & ~nobody
    assert silent.sum() > 500
    assert (joined.loc[silent, "demand"] == 0).all()
    assert (joined.loc[silent, "demand_sd"] > 0).all()
    some = joined[~silent & ~nobody]
    assert (some["demand"] > 0).all() and (some["demand"] <= 5).all()
    one_of_three = some[(levels == 0).sum(axis=1).loc[some.index] == 2]
    mostly = some[(levels.loc[some.index] > 0).all(axis=1)]
    assert one_of_three["demand"].mean() < 0.8 < 2 < mostly["demand"].mean()


def test_one_rater_is_followed_shrunk_and_less_sure(three: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    _, ratings = world({"plain": RATERS["plain"]})
    demand, effects = rater_demand(ratings)
    joined = ratings.dropna().merge(demand, on=KEY)
    by_level = joined.groupby("level")[["demand", "demand_sd"]].mean()
    assert effects["bias"].eq(0).all()
    assert by_level["demand"].is_monotonic_increasing
    assert by_level.loc[0, "demand"] == 0
    np.testing.assert_allclose(by_level.loc[1:4, "demand"], [1, 2, 3, 4], atol=0.6)
    assert by_level["demand"].between(3.5, 4.99).loc[5]
    assert (by_level["demand_sd"] > 0.2).all()
    assert by_level["demand_sd"].mean() > three[0]["demand_sd"].mean()


def test_items_become_counts_of_distinct_tuples_by_hand() -> None:
    cells = [("a", "1", 2), ("b", "1", 3), ("a", "2", 2), ("b", "2", 3), ("a", "3", 0), ("b", "3", None)]
    frame = pd.DataFrame(cells, columns=["rater", "item", "level"]).assign(benchmark="B", capability="L")
    counts, items = count_ratings(frame.sample(frac=1, random_state=1))
    assert counts.level.tolist() == [[0, MISSING], [2, 3]]
    assert counts.n_items.tolist() == [1, 2]
    assert items.set_index("item")["tuple"].to_dict() == {"1": 1, "2": 1, "3": 0}


def test_nothing_rated_is_an_empty_table_and_faults_are_named() -> None:
    columns = [*KEY, "rater", "level"]
    demand, effects = rater_demand(pd.DataFrame(columns=columns))
    assert demand.empty and effects.empty
    twice = pd.DataFrame([("B", "1", "L", "a", 2), ("B", "1", "L", "a", 3)], columns=columns)
    with pytest.raises(ValueError, match="a rated B, item '1', L twice"):
        count_ratings(twice)
    with pytest.raises(ValueError, match=r"level 2\.5"):
        count_ratings(twice.iloc[:1].assign(level=2.5))
