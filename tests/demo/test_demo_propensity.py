"""The synthetic propensities: the model's closed forms, bands that agree with their texts, and two like systems."""

from __future__ import annotations

import csv
import re
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp

from assets.demo import figures, propensity
from assets.propensity.assessor import assess
from assets.settings import Settings

ITEM_COLUMNS = ["item_id", "propensity", "benchmark", "prompt", "option_a", "option_b", "option_c"]


@pytest.fixture(scope="module")
def items(demo: Path) -> pd.DataFrame:
    return pd.concat(pd.read_csv(path) for path in sorted((demo / "propensity/items").glob("*.csv")))


@pytest.fixture(scope="module")
def responses(demo: Path) -> pd.DataFrame:
    paths = sorted((demo / "propensity/responses").glob("*.csv"))
    return pd.concat(pd.read_csv(path, dtype={"incitation": str}) for path in paths)


def test_files_have_the_input_layout(demo: Path) -> None:
    capabilities = pd.read_csv(figures.CAPABILITY_TABLE)["capability"].tolist()
    for name in propensity.KINDS:
        with (demo / f"propensity/items/{name}.csv").open(encoding="utf-8", newline="") as file:
            assert next(csv.reader(file)) == [*ITEM_COLUMNS, "correct", "lower", "upper", *capabilities]
    for system in figures.UNPROMPTED:
        with (demo / f"propensity/responses/{system}.csv").open(encoding="utf-8", newline="") as file:
            wanted = ["system", "item_id", "propensity", "incitation", "option", "is_correct"]
            assert next(csv.reader(file)) == wanted


@pytest.mark.parametrize("radius", [0.25, 0.5, 1.0, 1.5, 2.5])
def test_success_is_certain_in_the_middle_and_about_a_half_at_the_bounds(radius: float) -> None:
    # h(s) = s² + (1 - s)², P(bound) = 1 / (2 h(σ(r e^(1/r)))), the paper's appendix B.2
    lower, upper = np.array([-radius]), np.array([radius])
    s = 1 / (1 + np.exp(-radius * np.exp(1 / radius)))
    closed_form = 1 / (2 * (s**2 + (1 - s) ** 2))
    assert propensity.success_probability(0.0, lower, upper) == pytest.approx(1)
    for bound in (-radius, radius):
        assert propensity.success_probability(bound, lower, upper) == pytest.approx(closed_form)
    assert 0.5 < closed_form < 0.56571


def test_open_ends_are_the_two_parameter_model_or_certain() -> None:
    lower, upper = np.array([-3.0, 0.5, -3.0]), np.array([0.5, 3.0, 3.0])
    found = propensity.success_probability(1.5, lower, upper)
    assert found == pytest.approx([1 / (1 + np.e), 1 / (1 + 1 / np.e), 1])


def test_bands_leave_room_and_items_have_one_right_option(items: pd.DataFrame) -> None:
    assert (items["lower"] < items["upper"]).all() and items["item_id"].is_unique
    assert items["lower"].between(-3, 3).all() and items["upper"].between(-3, 3).all()
    assert items[["option_a", "option_b", "option_c"]].nunique(axis=1).eq(3).all()
    assert set(items["correct"]) == {"a", "b", "c"}
    ends = {(a, b) for a, b in zip(items["lower"] == -3, items["upper"] == 3, strict=True)}
    assert len(ends) == 4


def test_the_right_option_has_the_highest_stated_utility(items: pd.DataFrame) -> None:
    with_band = items[(items["lower"] > -3) | (items["upper"] < 3)]
    for row in with_band.to_dict("records"):
        stated = {
            letter: max(int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", row[f"option_{letter}"]))
            for letter in "abc"
        }
        assert max(stated, key=lambda letter: stated[letter]) == row["correct"], row["item_id"]


def test_all_eight_incitations_of_every_item_are_answered(
    items: pd.DataFrame, responses: pd.DataFrame
) -> None:
    assert set(responses["incitation"]) == {"-3", "-2", "-1", "0", "1", "2", "3", "none"}
    assert len(responses) == len(items) * 8 * len(figures.UNPROMPTED)
    joined = responses.merge(items[["item_id", "correct"]], on="item_id", validate="many_to_one")
    assert ((joined["option"] == joined["correct"]) == (joined["is_correct"] == 1)).all()


def test_like_systems_of_unlike_propensity_differ_as_the_bands_say(
    items: pd.DataFrame, responses: pd.DataFrame
) -> None:
    """GPT-4o-mini and GPT-5-nano: mean log capability 2.79 and 2.75 in Table C6."""
    truth = pd.read_csv(figures.TRUTH_TABLE).groupby("system")["mean"].mean()
    assert abs(truth["GPT-4o-mini"] - truth["GPT-5-nano"]) < 0.05
    joined = responses[responses["incitation"] == "none"].merge(
        items[["item_id", "lower", "upper"]], on="item_id", validate="many_to_one"
    )
    for number, name in enumerate(propensity.KINDS):
        high, low = figures.UNPROMPTED["gpt-4o-mini"][number], figures.UNPROMPTED["gpt-5-nano"][number]
        if high - low < 2:
            continue
        own = joined[joined["propensity"] == name]
        share = own.assign(middle=own["lower"] + own["upper"]).groupby(["system", own["lower"] <= -3])
        passed = share["is_correct"].mean()
        assert passed["gpt-4o-mini", True] < passed["gpt-5-nano", True] - 0.1
        assert passed["gpt-4o-mini", False] > passed["gpt-5-nano", False] + 0.1


def test_every_item_has_a_band_on_every_propensity(demo: Path, items: pd.DataFrame) -> None:
    bands = pd.read_csv(demo / "propensity/bands" / f"{figures.BAND_RATER}.csv")
    assert list(bands.columns) == ["benchmark", "item", "propensity", "lower", "upper"]
    assert not bands.duplicated(["benchmark", "item", "propensity"]).any()
    of_item = bands.groupby(["benchmark", "item"])["propensity"].agg(set)
    assert all(found == set(propensity.KINDS) for found in of_item)
    foreign = of_item[of_item.index.get_level_values("benchmark").isin(figures.ANNOTATED_BENCHMARKS)]
    assert len(of_item) == len(items) + len(foreign) and len(foreign) >= 100
    # an item's own band is the one by which it is answered
    own = bands.merge(items, left_on=["item", "propensity"], right_on=["item_id", "propensity"])
    assert len(own) == len(items)
    assert (own["lower_x"] == own["lower_y"]).all() and (own["upper_x"] == own["upper_y"]).all()


def test_levels_predict_choices_and_look_alike_whatever_an_item_is_about() -> None:
    """At the demo's full size: the planted gain is found, and no level reveals an item's own propensity."""
    rng = np.random.default_rng(1)
    names = pd.read_csv(figures.CAPABILITY_TABLE)["capability"].tolist()
    items = {name: propensity.item_table(rng, name, 250, names) for name in propensity.KINDS}
    table = pd.concat(items.values(), ignore_index=True)
    bands = propensity.rated_bands(rng, items, pd.DataFrame({"benchmark": [], "item": []}))
    numbers = dict(zip(table["item_id"], table.index, strict=True))
    level = (bands["lower"] + bands["upper"]) / 2
    own = bands["propensity"].to_numpy() == bands["item"].str.rsplit("-", n=1).str[0].to_numpy()
    # 1,000 of one and 3,000 of the other: 1.36 * sqrt(1 / 1000 + 1 / 3000) = .05 is the 5 % point
    assert ks_2samp(level[own], level[~own]).statistic < 0.06
    features = [
        pd.DataFrame(
            {"item_number": table.index, "kind": "capability", "feature": name, "level": table[name]}
        )
        for name in names
    ]
    given = {"item_number": bands["item"].map(numbers), "kind": "propensity", "feature": bands["propensity"]}
    levels = pd.concat([*features, pd.DataFrame(given | {"level": level})])
    answers = pd.concat(propensity.answer(rng, system, items) for system in figures.UNPROMPTED)
    answers = answers[answers["incitation"] == "none"]
    answers = answers.assign(item_number=answers["item_id"].map(numbers), benchmark="one")
    with tempfile.TemporaryDirectory() as folder:
        found = assess(answers, levels, 25, Settings().seed_for, Path(folder), {"pooled": "pooled"})
    gain = found.gain.set_index("feature_set").loc["capabilities_propensities"]
    assert gain["missing_share"] == 0 and gain["delta_low"] > 0 and gain["mean_delta"] < 0.1
