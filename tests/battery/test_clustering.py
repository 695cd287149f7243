"""Clustering on correlations whose clusters are known."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import pytest

from assets.battery.clustering import dimension_members


def long_frame(names: list[str], r: np.ndarray) -> pd.DataFrame:
    """Upper triangle with the diagonal, in long form."""
    rows = [(names[i], names[j], r[i, j]) for i, j in combinations_with_replacement(range(len(names)), 2)]
    return pd.DataFrame(rows, columns=["capability_a", "capability_b", "r"])


def block_correlation(blocks: list[int], within: float, between: float) -> np.ndarray:
    """Correlation `within` each block of the given sizes and `between` blocks."""
    label = np.repeat(np.arange(len(blocks)), blocks)
    r = np.where(label[:, None] == label[None, :], within, between).astype(float)
    np.fill_diagonal(r, 1)
    return r


def keys(correlation: pd.DataFrame, cut: float = 0.5) -> set[str]:
    return set(dimension_members(correlation, cut)["dimension_key"])


def test_planted_blocks_are_found() -> None:
    names = ["d", "a", "z", "b", "c", "Q"]
    members = dimension_members(long_frame(names, block_correlation([2, 3, 1], 0.8, 0.2)), cut=0.5)
    assert members.to_numpy().tolist() == [
        ["Q", "Q"],
        ["a|d", "a"],
        ["a|d", "d"],
        ["b|c|z", "b"],
        ["b|c|z", "c"],
        ["b|c|z", "z"],
    ]


def test_linkage_is_average() -> None:
    """By hand: a and b merge at .2; c is .4 and .7 from them, .55 on average.

    Single linkage would join c at .4, complete linkage at .7: a cut of .5 tells average from single, one of .6
    average from complete.
    """
    r = 1 - np.array([[0, 0.2, 0.4], [0.2, 0, 0.7], [0.4, 0.7, 0]])
    frame = long_frame(["a", "b", "c"], r)
    assert keys(frame, 0.5) == {"a|b", "c"}
    assert keys(frame, 0.6) == {"a|b|c"}


def test_row_order_and_pair_order_do_not_matter() -> None:
    frame = long_frame(list("abcdef"), block_correlation([3, 3], 0.7, 0.1))
    shuffled = frame.sample(frac=1, random_state=1).rename(
        columns={"capability_a": "capability_b", "capability_b": "capability_a"}
    )
    pd.testing.assert_frame_equal(dimension_members(frame, 0.5), dimension_members(shuffled, 0.5))


def test_a_capability_that_never_varies_stands_alone() -> None:
    r = block_correlation([3, 1], 0.9, 0.9)
    r[3, :] = r[:, 3] = np.nan
    assert keys(long_frame(list("abcx"), r)) == {"a|b|c", "x"}


@pytest.mark.parametrize(
    ("names", "expected"), [([], set()), (["EM"], {"EM"}), (["SM", "EM"], {"EM|SM"})], ids=["0", "1", "2"]
)
def test_few_capabilities(names: list[str], expected: set[str]) -> None:
    members = dimension_members(long_frame(names, block_correlation([len(names)], 0.9, 0)), 0.5)
    assert set(members["dimension_key"]) == expected
    assert list(members.columns) == ["dimension_key", "capability"]


def test_faulty_tables_are_refused_by_pair() -> None:
    frame = long_frame(list("abc"), block_correlation([3], 0.9, 0))
    with pytest.raises(ValueError, match="a, c is missing"):
        dimension_members(frame[(frame["capability_a"] != "a") | (frame["capability_b"] != "c")], 0.5)
    with pytest.raises(ValueError, match="a, b stands twice"):
        dimension_members(pd.concat([frame, frame[frame["capability_b"] == "b"].iloc[:1]]), 0.5)
    frame.loc[(frame["capability_a"] == "b") & (frame["capability_b"] == "c"), "r"] = np.nan
    with pytest.raises(ValueError, match="b and c vary but have no correlation"):
        dimension_members(frame, 0.5)
