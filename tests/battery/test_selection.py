"""Battery selection: limits hold on adversarial inputs, and no allocation that can be tried out comes closer."""

from __future__ import annotations

import hashlib
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from assets.battery import selection
from assets.battery.assets import SELECTION, battery_selection
from assets.battery.selection import (
    Limits,
    Selection,
    allocate,
    limits,
    proportional,
    sample_of,
    total_variation,
)
from assets.settings import Settings
from tests.support.steps import MemoryWarehouse, run_steps

SETTINGS = Settings()


def planted(sizes: dict[str, int], seed: int = 1) -> pd.DataFrame:
    """Levels on three capabilities; each benchmark leans towards a level of its own."""
    rng = np.random.default_rng(seed)
    rows = [
        (benchmark, f"{i:04d}", capability, int(np.clip((number + k) % 6 + rng.integers(-1, 2), 0, 5)))
        for number, (benchmark, size) in enumerate(sizes.items())
        for i in range(size)
        for k, capability in enumerate(("EM", "L", "SM"))
    ]
    return pd.DataFrame(rows, columns=["benchmark", "item", "capability", "level"])


def rated(levels: pd.DataFrame) -> pd.DataFrame:
    """Available are the rated items alone."""
    return levels[["benchmark", "item"]].drop_duplicates().assign(is_settled=True)


def select(levels: pd.DataFrame, n_items: int, settings: Settings) -> Selection:
    return selection.select(rated(levels), levels, n_items, settings)


@pytest.mark.parametrize(
    ("sizes", "asked", "total", "most", "relaxed"),
    [
        ([50] * 20, 100, 100, 10, ""),
        ([4, 500, 500, 300, 300, 300, 300, 300, 300, 300, 300], 30, 30, 3, ""),
        ([900], 100, 100, 100, "at most 10 items a benchmark can't give 100, so 100 are allowed"),
        ([1, 1, 1], 3, 3, 1, "at most 0 items a benchmark can't give 3, so 1 are allowed"),
        (
            [1, 2],
            50,
            3,
            2,
            "50 items asked, 3 there; at most 0 items a benchmark can't give 3, so 2 are allowed",
        ),
        ([1, 1, 90], 10, 10, 8, "at most 1 items a benchmark can't give 10, so 8 are allowed"),
    ],
)
def test_limits_are_given_up_in_order_and_as_little_as_will_do(
    sizes: list[int], asked: int, total: int, most: int, relaxed: str
) -> None:
    found = limits(np.array(sizes), asked, 0.1)
    assert (found.total, found.most.max(), found.relaxed) == (total, most, relaxed)
    assert found.most.sum() >= total


@hypothesis_settings(max_examples=30, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=12),
    asked=st.integers(1, 400),
    seed=st.integers(0, 9),
)
def test_every_limit_holds_whatever_is_asked(sizes: list[int], asked: int, seed: int) -> None:
    levels = planted({f"b{i:02d}": n for i, n in enumerate(sizes)}, seed)
    found = select(levels, asked, SETTINGS)
    table = found.benchmarks
    assert table["n_selected"].sum() == min(asked, sum(sizes)) == len(found.items)
    assert table["n_available"].tolist() == sizes
    assert (table["n_selected"] <= table["max_items"]).all() and (table["max_items"] <= sizes).all()
    if not found.relaxed:
        assert table["n_selected"].max() <= asked / 10
    assert not found.items.duplicated().any()
    drawn = found.items.groupby("benchmark").size().reindex(table["benchmark"], fill_value=0)
    assert drawn.tolist() == table["n_selected"].tolist()


def test_no_allocation_comes_closer() -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        shares = rng.dirichlet(np.full(6, 0.3), size=(4, 2))
        target = rng.dirichlet(np.ones(6), size=2)
        bounds = Limits(np.array([5, 3, 8, 6]), 10, "")

        def distance(counts: tuple[int, ...], shares=shares, target=target) -> float:
            return float(np.abs(np.tensordot(counts, shares, 1) / 10 - target).sum() / 2)

        every = [c for c in product(*(range(n + 1) for n in bounds.most)) if sum(c) == 10]
        best = min(map(distance, every))
        assert distance(tuple(allocate(shares, target, bounds))) == pytest.approx(best, rel=1.1e-3)


def test_proportional_is_by_largest_remainder() -> None:
    # 10 · (5, 3, 1) / 9 = 5.56, 3.33, 1.11
    assert proportional(np.array([5, 3, 1]), 10).tolist() == [6, 3, 1]


def test_target_is_seven_tenths_observed_and_the_rest_flat() -> None:
    levels = pd.DataFrame(
        [("b", str(i), "EM", level) for i, level in enumerate([0, 0, 0, 5])],
        columns=["benchmark", "item", "capability", "level"],
    )
    found = select(levels, 4, SETTINGS)
    expected = [0.7 * 0.75 + 0.05, 0.05, 0.05, 0.05, 0.05, 0.7 * 0.25 + 0.05]
    assert found.levels["target_share"].tolist() == pytest.approx(expected)
    assert found.levels["achieved_share"].tolist() == [0.75, 0, 0, 0, 0, 0.25]
    # 0.575 against 0.75, 0.225 against 0.25, and four times 0.05 against 0
    assert total_variation(found.levels, "achieved_share") == pytest.approx((0.175 + 0.025 + 0.2) / 2)


def test_the_draw_is_the_seeds_whatever_the_order_of_rows() -> None:
    levels = planted({"a": 80, "b": 60, "c": 70})
    first = select(levels, 40, SETTINGS)
    again = select(levels.sample(frac=1, random_state=1), 40, SETTINGS)
    pd.testing.assert_frame_equal(first.items, again.items)
    text = "".join(f"{b}\t{i}\n" for b, i in sorted(first.items.itertuples(index=False, name=None)))
    assert first.digest == again.digest == hashlib.sha256(text.encode()).hexdigest()
    assert select(levels, 40, SETTINGS.model_copy(update={"seed": 5})).digest != first.digest


def test_only_the_samples_need_ratings() -> None:
    """A twin that knows all levels chooses the same; expected shares by hand from the samples' levels."""
    settings = SETTINGS.model_copy(update={"selection_sample": 20})
    levels = planted({f"b{i}": 60 + 10 * i for i in range(11)})
    available = rated(levels)
    sample = sample_of(available, settings)
    assert sample.groupby("benchmark").size().tolist() == [20] * 11
    known = levels.merge(sample, on=["benchmark", "item"])
    is_rated = available.set_index(["benchmark", "item"]).index.isin(pd.MultiIndex.from_frame(sample))
    found = selection.select(available.assign(is_settled=is_rated), known, 100, settings)
    twin = selection.select(available, levels, 100, settings)
    pd.testing.assert_frame_equal(found.items, twin.items)
    assert found.digest == twin.digest and found.benchmarks["n_selected"].sum() == 100
    assert found.levels["achieved_share"].isna().all() and twin.levels["achieved_share"].notna().all()
    counts = found.benchmarks.set_index("benchmark")["n_selected"]
    share = known.assign(weight=known["benchmark"].map(counts) / 20 / 100)
    expected = share.groupby(["capability", "level"])["weight"].sum()
    shown = found.levels.set_index(["capability", "level"])["expected_share"]
    np.testing.assert_allclose(shown[expected.index], expected)
    assert shown.sum() == pytest.approx(expected.sum())
    observed = known.groupby(["capability", "level"]).size() / (20 * 11)
    target = found.levels.set_index(["capability", "level"])["target_share"]
    np.testing.assert_allclose(target, 0.7 * observed.reindex(target.index, fill_value=0) + 0.3 / 6)


def test_nothing_is_chosen_while_a_sample_is_open() -> None:
    settings = SETTINGS.model_copy(update={"selection_sample": 20})
    levels = planted({"a": 80, "b": 60})
    sample = sample_of(levels, settings)
    available = rated(levels)
    is_open = (available["benchmark"] == "a") & (available["item"] == sample["item"].iloc[3])
    found = selection.select(available.assign(is_settled=~is_open), levels, 10, settings)
    assert found.items.empty and found.levels.empty
    assert found.benchmarks["n_open"].tolist() == [1, 0]
    assert found.benchmarks["n_selected"].tolist() == [0, 0]
    assert found.relaxed == "nothing is chosen yet: 1 items of the samples are not rated"


def test_a_benchmark_without_any_level_is_not_chosen_from() -> None:
    """All its calls were refused: settled, and nothing is known of it."""
    levels = planted({"a": 80, "b": 60})
    available = pd.concat(
        [rated(levels), pd.DataFrame({"benchmark": "c", "item": ["1"], "is_settled": True})]
    )
    found = selection.select(available, levels, 20, SETTINGS)
    assert found.benchmarks.set_index("benchmark")["n_selected"]["c"] == 0 and len(found.items) == 20


def test_added_items_move_no_other_items_place_in_the_draw() -> None:
    settings = SETTINGS.model_copy(update={"selection_sample": 20})
    before, after = (sample_of(planted({"a": n}), settings)["item"] for n in (300, 310))
    assert len(set(after) - set(before)) <= 10 and set(after) - set(before) <= {
        f"{i:04d}" for i in range(300, 310)
    }


def tables_of(levels: pd.DataFrame, asked: int | None) -> dict[str, pd.DataFrame]:
    """What the asset makes of `levels`."""
    warehouse = MemoryWarehouse(
        {"intermediate.int_item_level": levels, "intermediate.int_available_item": rated(levels)}
    )
    settings = SETTINGS.model_copy(update={"selection_items": asked})
    assert run_steps(warehouse, settings, battery_selection).keys() == SELECTION.keys()
    return warehouse.tables


@pytest.mark.parametrize(("asked", "levels"), [(None, planted({"a": 5})), (30, planted({}))])
def test_nothing_asked_or_nothing_there_chooses_nothing(asked: int | None, levels: pd.DataFrame) -> None:
    tables = tables_of(levels, asked)
    assert all(tables[name].empty for name in SELECTION)


def test_the_asset_stores_items_with_their_hash() -> None:
    tables = tables_of(planted({"a": 80, "b": 60}), 30)
    items = tables["estimate.battery_selection"]
    assert len(items) == 30 and items["selection_sha256"].nunique() == 1
    benchmarks = tables["estimate.battery_selection_benchmark"]
    assert set(benchmarks["relaxed"]) == {"at most 3 items a benchmark can't give 30, so 15 are allowed"}
