"""Assessors find a planted effect of propensity, find none where none is, and keep to their folds."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from assets.propensity.assessor import (
    CAPABILITIES,
    LEFT_OUT,
    POOLED,
    PROPENSITIES,
    REGIMES,
    ULTRACREPIDARIANISM,
    Assessment,
    SeedFor,
    assess_collections,
    t_interval,
)
from assets.propensity.assessor import assess as assess_into
from assets.propensity.forest import auroc, success_probability
from assets.settings import Settings

N_TREES = 5
seed_for = Settings().seed_for


def world(
    seed: int, effect: float, n_systems: int = 12, n_items: int = 300
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Items of two benchmarks with 18 capabilities and one propensity level; `effect` log odds a level of it."""
    rng = np.random.default_rng(seed)
    names = [("capability", f"C{k:02}") for k in range(18)] + [("propensity", "ultracrepidarianism")]
    values = np.column_stack([rng.integers(0, 6, (n_items, 18)), rng.uniform(-3, 3, n_items)])
    levels = pd.concat(
        pd.DataFrame({"item_number": range(n_items), "kind": kind, "feature": feature, "level": values[:, k]})
        for k, (kind, feature) in enumerate(names)
    )
    parts = []
    for system in range(n_systems):
        lean = 1 if system % 2 else -1
        logit = 1.5 - 0.6 * values[:, 0] + lean * effect * values[:, 18]
        parts.append(
            pd.DataFrame(
                {
                    "system": f"s{system:02}",
                    "incitation": "none",
                    "propensity": "ultracrepidarianism",
                    "benchmark": np.where(np.arange(n_items) % 2, "b", "a"),
                    "item_number": range(n_items),
                    "is_correct": (rng.random(n_items) < 1 / (1 + np.exp(-logit))).astype(int),
                }
            )
        )
    return pd.concat(parts, ignore_index=True), levels


def assess(
    responses: pd.DataFrame,
    levels: pd.DataFrame,
    n_trees: int,
    seed_for: SeedFor,
    regimes: Mapping[str, str] = REGIMES["propensity"],
) -> Assessment:
    """With nothing kept."""
    with tempfile.TemporaryDirectory() as folder:
        return assess_into(responses, levels, n_trees, seed_for, Path(folder), regimes)


def gain(found: Assessment) -> Any:
    return found.gain.set_index(["regime", "feature_set"])


@pytest.fixture(scope="module")
def planted() -> Assessment:
    return assess(*world(1, effect=0.8), N_TREES, seed_for)


def test_a_planted_effect_is_found_in_every_regime(planted: Assessment) -> None:
    for row in planted.gain.to_dict("records"):
        assert row["n_systems"] == 12 and row["mean_delta"] > 0.03 and row["wilcoxon_p"] < 0.01, row
    assert planted.assessor["auroc"].between(0.4, 1).all()
    assert (planted.assessor["n_items"] == 300).all() and (planted.assessor["n_unannotated"] == 0).all()


def test_the_only_propensity_is_all_propensities(planted: Assessment) -> None:
    wide = planted.assessor.pivot(index=["regime", "system"], columns="feature_set", values="auroc")
    pd.testing.assert_series_equal(wide[ULTRACREPIDARIANISM], wide[PROPENSITIES], check_names=False)


def test_where_nothing_is_planted_nothing_is_found() -> None:
    """|mean delta| over 20 seeds; benchmarks of 95 items leave the pooled regime alone."""
    deltas = [
        gain(assess(*world(seed, effect=0.0, n_systems=2, n_items=190), N_TREES, seed_for)).loc[
            (POOLED, PROPENSITIES), "mean_delta"
        ]
        for seed in range(100, 120)
    ]
    assert len(deltas) == 20 and abs(np.mean(deltas)) < 0.01


def test_same_seed_same_numbers_and_order_does_not_matter(planted: Assessment) -> None:
    responses, levels = world(1, effect=0.8)
    one = responses["system"] == "s03"
    again = assess(
        responses[one].sample(frac=1, random_state=3),
        levels.sample(frac=1, random_state=4),
        N_TREES,
        seed_for,
    )
    before = planted.assessor[planted.assessor["system"] == "s03"].reset_index(drop=True)
    pd.testing.assert_frame_equal(again.assessor, before, check_exact=True)


def test_folds_with_one_outcome_are_counted_not_scored() -> None:
    responses, levels = world(2, effect=0.8, n_systems=1)
    responses.loc[responses["benchmark"] == "b", "is_correct"] = 1
    found = assess(responses, levels, N_TREES, seed_for).assessor.set_index(["regime", "feature_set"])
    row: Any = found.loc[(LEFT_OUT, CAPABILITIES)]
    assert (row["n_folds"], row["n_undefined_folds"]) == (2, 1)
    everything = assess(responses.assign(is_correct=1), levels, N_TREES, seed_for)
    assert everything.assessor["auroc"].isna().all() and everything.by_system.empty
    assert (everything.gain["n_systems"] == 0).all() and everything.gain["wilcoxon_p"].isna().all()


def test_items_without_all_capabilities_and_small_units_are_left_out_visibly() -> None:
    responses, levels = world(3, effect=0.8, n_systems=1)
    kept = levels[~((levels["item_number"] < 50) & (levels["feature"] == "C02"))]
    unknown = kept[~((kept["item_number"] >= 250) & (kept["kind"] == "propensity"))]
    found = assess(responses, unknown, N_TREES, seed_for).assessor
    assert set(found["n_items"]) == {250} and set(found["n_unannotated"]) == {50}
    few = assess(responses[responses["item_number"] < 90], levels, N_TREES, seed_for).assessor
    assert few["auroc"].isna().all() and set(few["n_folds"]) == {0} and set(few["n_items"]) == {90}


NAMES = ("extraversion", "red_blue", "risk", "ultracrepidarianism")


def noise(seed: int, is_annotated_everywhere: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Four benchmarks of unlike difficulty, each of its own propensity, whose levels say nothing of success."""
    rng = np.random.default_rng(seed)
    number = np.arange(800)
    benchmark, own = number % 4, np.array(NAMES)[number % 4]
    frames = [
        pd.DataFrame(
            {
                "item_number": number,
                "kind": "capability",
                "feature": f"C{k}",
                "level": rng.integers(0, 6, 800),
            }
        )
        for k in range(3)
    ]
    for name in NAMES:
        found = pd.DataFrame(
            {"item_number": number, "kind": "propensity", "feature": name, "level": rng.uniform(-3, 3, 800)}
        )
        frames.append(found if is_annotated_everywhere else found[own == name])
    success = np.array([0.2, 0.4, 0.6, 0.8])[benchmark]
    answers = [
        pd.DataFrame(
            {
                "system": f"s{k}",
                "incitation": "none",
                "propensity": own,
                "benchmark": np.array(["a", "b", "c", "d"])[benchmark],
                "item_number": number,
                "is_correct": (rng.random(800) < success).astype(int),
            }
        )
        for k in range(6)
    ]
    return pd.concat(answers, ignore_index=True), pd.concat(frames, ignore_index=True)


def test_a_gain_over_levels_that_are_missing_by_data_set_is_withheld() -> None:
    """The pattern of missing levels says which benchmark an item is from, which these outcomes hang on."""
    found = assess(*noise(7, is_annotated_everywhere=False), N_TREES, seed_for)
    rows = found.assessor
    known = rows[rows["feature_set"] == CAPABILITIES]
    assert known["auroc"].notna().all() and (known["missing_share"] == 0).all()
    for feature_set in (ULTRACREPIDARIANISM, PROPENSITIES):
        lacking = rows[rows["feature_set"] == feature_set]
        assert lacking["auroc"].isna().all()
        # each item has one level of four
        assert (lacking["missing_share"] == 0.75).all()
    assert found.by_system.empty and found.gain["mean_delta"].isna().all()
    assert (found.gain["n_withheld"] == 6).all() and (found.gain["missing_share"] == 0.75).all()


def test_levels_of_noise_that_every_item_has_gain_nothing_in_any_regime() -> None:
    every = {**REGIMES["propensity"], **REGIMES["battery"]}
    deltas = [gain(assess(*noise(seed, True), 15, seed_for, every))["mean_delta"] for seed in range(3)]
    mean = pd.concat(deltas, axis=1).mean(axis=1)
    assert len(mean) == 10 and (mean.abs() < 0.02).all(), mean


def both_collections(effect: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Items of noise about propensities, and as many of the battery whose success hangs on a level by `effect`."""
    about, levels = noise(11, is_annotated_everywhere=True)
    results, of_battery = world(12, effect, n_systems=6)
    far = 10_000
    results, of_battery = (
        frame.assign(item_number=frame["item_number"] + far) for frame in (results, of_battery)
    )
    responses = [about.assign(collection="propensity"), results.assign(collection="battery", propensity="")]
    return pd.concat(responses, ignore_index=True), pd.concat([levels, of_battery], ignore_index=True)


def collections(
    responses: pd.DataFrame,
    levels: pd.DataFrame,
    benchmarks: tuple[str, ...] = (),
    propensities: tuple[str, ...] = NAMES,
) -> Assessment:
    with tempfile.TemporaryDirectory() as folder:
        return assess_collections(
            responses, levels, N_TREES, seed_for, Path(folder), benchmarks, propensities
        )


def test_the_battery_has_regimes_of_its_own_and_no_forest_mixes_it_with_items_about_propensities() -> None:
    """The battery has 18 capabilities and one propensity, the others three and four: mixed, levels would be missing."""
    responses, levels = both_collections(effect=0.8)
    found = collections(responses, levels)
    of_regime = found.gain[found.gain["feature_set"] == PROPENSITIES].set_index("regime")
    assert list(of_regime.index) == [*REGIMES["propensity"], *REGIMES["battery"]]
    assert (of_regime["n_withheld"] == 0).all() and (of_regime["missing_share"] == 0).all()
    assert of_regime["n_propensities"].tolist() == [4, 4, 4, 1, 1]
    planted = of_regime.loc[list(REGIMES["battery"])]
    assert (planted["mean_delta"] > 0.03).all() and (planted["delta_low"] > 0).all()


def test_settings_choose_which_benchmarks_and_propensities_assessors_take() -> None:
    responses, levels = both_collections(effect=0.8)
    two = collections(responses, levels, benchmarks=("a", "b"), propensities=("risk", "extraversion"))
    of_all = two.gain[two.gain["feature_set"] == PROPENSITIES].set_index("regime")
    assert of_all.loc[POOLED, "n_propensities"] == 2 and (two.assessor["n_items"] <= 400).all()
    # without the one propensity that the battery's items have nothing is added
    assert pd.isna(of_all.loc["battery_pooled", "mean_delta"])
    assert of_all.loc["battery_pooled", "n_propensities"] == 0


def test_the_interval_is_scipys_of_a_one_sample_t_test() -> None:
    deltas = np.random.default_rng(1).normal(0.02, 0.03, 12)
    expected = ttest_1samp(deltas, 0).confidence_interval(0.95)
    assert t_interval(deltas) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert t_interval(deltas[:1]) == t_interval(deltas[:0]) == t_interval(np.ones(5)) == (None, None)


def test_no_rows_give_empty_tables() -> None:
    responses, levels = world(4, effect=0.0, n_systems=1)
    found = assess(responses.iloc[:0], levels.iloc[:0], N_TREES, seed_for)
    assert found.assessor.empty and found.by_system.empty and found.gain.empty


# --- forests -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_features", [1, 2, 19, 26])
@pytest.mark.parametrize("unknown", [0.0, 0.1])
def test_forests_are_scikit_learns_to_the_last_bit(n_features: int, unknown: float) -> None:
    rng = np.random.default_rng([n_features, int(10 * unknown)])
    values = rng.integers(0, 6, (260, n_features)) + rng.choice([0, 0.1, 1 / 3], (260, n_features))
    outcome = (rng.random(260) < 1 / (1 + np.exp(values[:, 0] - 2.5))).astype(int)
    values[rng.random(values.shape) < unknown] = np.nan
    learned, asked = slice(0, 200), slice(200, 260)
    for seed in (0, 7, 2**32 - 1):
        forest = RandomForestClassifier(9, min_samples_split=50, random_state=seed)
        expected = forest.fit(values[learned], outcome[learned]).predict_proba(values[asked])[:, 1]
        got = success_probability(values[learned], outcome[learned], values[asked], 9, 50, seed)
        np.testing.assert_array_equal(got, expected)
        assert np.ptp(got) > 0


def test_auroc_is_scikit_learns_with_ties() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 5, 50, 400):
        score, outcome = rng.integers(0, 8, n) / 8, np.arange(n) % 2
        assert auroc(score, outcome) == pytest.approx(roc_auc_score(outcome, score), abs=1e-14)


# --- kept parts --------------------------------------------------------------------------------------------------


def test_one_more_system_is_one_more_part_and_what_is_gone_is_swept(tmp_path: Path) -> None:
    responses, levels = world(5, effect=0.8, n_systems=3, n_items=200)
    two = responses[responses["system"] != "s01"]
    first = assess_into(two, levels, N_TREES, seed_for, tmp_path)
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(before) == 2
    found = assess_into(responses.sample(frac=1, random_state=2), levels, N_TREES, seed_for, tmp_path)
    after = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert before.items() < after.items() and len(after) == 3
    # kept rows and rows made at once are the same table
    at_once = assess(responses, levels, N_TREES, seed_for)
    for kept, made in zip(vars(found).values(), vars(at_once).values(), strict=True):
        pd.testing.assert_frame_equal(kept, made, check_exact=True)
    again = assess_into(two, levels, N_TREES, seed_for, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == before.keys()
    pd.testing.assert_frame_equal(again.assessor, first.assessor, check_exact=True)


@pytest.mark.parametrize("changed", ["answer", "level", "trees", "seed"])
def test_what_decides_a_systems_rows_makes_them_again(tmp_path: Path, changed: str) -> None:
    responses, levels = world(6, effect=0.8, n_systems=2, n_items=110)
    # the last item is answered by s01 alone
    responses = responses[(responses["system"] == "s01") | (responses["item_number"] < 109)].reset_index(
        drop=True
    )
    assess_into(responses, levels, 1, seed_for, tmp_path)
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    n_trees, seeds = 1, seed_for
    last = responses["item_number"] == 109
    if changed == "answer":
        responses.loc[last, "is_correct"] = 1 - responses.loc[last, "is_correct"]
    elif changed == "level":
        levels = levels.assign(level=levels["level"].where(levels["item_number"] != 109, 2.0))
    elif changed == "trees":
        n_trees = 2
    else:
        seeds = Settings(seed=99).seed_for
    assess_into(responses, levels, n_trees, seeds, tmp_path)
    after = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    made = {name[:3] for name in after if after[name] != before[name]}
    assert made == ({"s01"} if changed in ("answer", "level") else {"s00", "s01"})


def test_no_answers_leave_no_parts(tmp_path: Path) -> None:
    responses, levels = world(5, effect=0.8, n_systems=1, n_items=100)
    assess_into(responses, levels, 1, seed_for, tmp_path)
    nothing = assess_into(responses.iloc[:0], levels, 1, seed_for, tmp_path)
    assert nothing.assessor.empty and nothing.by_system.empty and nothing.gain.empty
    assert not list(tmp_path.iterdir())
