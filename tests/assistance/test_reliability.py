"""Agreement on published worked examples; intervals of shares against a library and against planted shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest, ttest_1samp

from assets.assistance.judge_reliability import agreement, bias_intervals, nominal_alpha
from assets.common.shares import wilson

MISSING = "-"
# worked examples: a string a coder, a character a unit. Krippendorff (2011), Computing Krippendorff's
# alpha-reliability: two values, five values, missing ones; then the documentation of the library krippendorff
EXAMPLES = {
    ("0100000010", "1110010000"): 0.095,
    ("aabbdcccedda", "babbbccceddd"): 0.692,
    ("123321412---", "1233224125-3", "-3332342251-", "12332441251-"): 0.743,
    ("-----34121133-3", "1-213343-------", "--21344-21133-4"): 0.691,
}


def counts(coders: tuple[str, ...]) -> NDArray[np.int64]:
    """Units (n, values): how many coders gave each value."""
    values = sorted(set("".join(coders)) - {MISSING})
    units = zip(*coders, strict=True)
    return np.array([[unit.count(value) for value in values] for unit in units], dtype=np.int64)


def seed_for(*names: object) -> int:
    return sum(map(ord, "".join(map(str, names))))


@pytest.mark.parametrize(("coders", "published"), EXAMPLES.items())
def test_alpha_is_that_of_the_published_examples(coders: tuple[str, ...], published: float) -> None:
    assert round(nominal_alpha(counts(coders)), 3) == published


@pytest.mark.parametrize(
    "units", [np.zeros((0, 3), np.int64), np.array([[1, 0, 0], [0, 1, 0]]), np.array([[2, 0, 0], [3, 0, 0]])]
)
def test_no_two_judges_or_all_alike_have_no_alpha(units: NDArray[np.int64]) -> None:
    assert np.isnan(nominal_alpha(units))


def test_each_scope_counts_its_own_rows() -> None:
    pairs = pd.DataFrame(
        [("t", "automation", 2, 0, 0), ("t", "augmentation", 0, 2, 0), ("u", "automation", 1, 1, 0)],
        columns=["task", "mode", "n_a", "n_b", "n_tie"],
    )
    found = agreement(pairs).set_index(["scope_type", "scope", "mode"])["krippendorff_alpha"]
    # by hand, of 6 values 3 are a, 3 are b: expected disagreement 18 of 30; observed 2 of 6
    assert found["all", "all", "all"] == pytest.approx(1 - (2 / 6) / (18 / 30))
    assert found["mode", "automation", "automation"] == pytest.approx(1 - (2 / 4) / (6 / 12))
    assert found["task", "t", "all"] == pytest.approx(1)
    assert np.isnan(found["mode", "augmentation", "augmentation"]) and np.isnan(
        found["task", "t", "automation"]
    )
    assert agreement(pairs.head(0)).empty


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (8, 10), (50, 50), (1, 1)])
def test_wilsons_interval_is_scipys(hits: int, n: int) -> None:
    twin = binomtest(hits, n).proportion_ci(method="wilson")
    assert wilson(hits, n) == pytest.approx((twin.low, twin.high))


def biases(rows: list[tuple[str, int, float, float]]) -> Any:
    table = pd.DataFrame(rows, columns=["judge", "run", "n_hits", "n"])
    found = bias_intervals(table.assign(bias="first_seat", task="t", mode="m"), seed_for)
    return found.set_index("judge").astype({"q025": float, "q975": float})


def test_a_single_round_robin_or_equal_shares_have_wilsons_interval() -> None:
    equal = [("equal", run, 6, 10) for run in range(12)]
    found = biases([("one", 1, 7, 10), ("extreme", 1, 10, 10), ("extreme", 2, 10, 10), *equal])
    assert set(found["interval"]) == {"wilson"}
    for judge, hits, n in (("one", 7, 10), ("extreme", 20, 20), ("equal", 72, 120)):
        assert found.loc[judge, ["q025", "q975"]].tolist() == pytest.approx(wilson(hits, n))


def test_few_round_robins_have_students_interval_no_narrower_than_wilsons() -> None:
    apart = [("apart", run, hits, 10) for run, hits in enumerate((3, 6, 9))]
    close = [("close", run, hits, 100) for run, hits in enumerate((60, 60, 60, 60, 60, 60, 60, 60, 61))]
    found = biases([*apart, *close, *[("many", run, hits, 10) for run, hits in enumerate([4, 6] * 5)]])
    assert found["interval"].to_dict() == {"apart": "student", "close": "student", "many": "bootstrap"}
    # shares .3, .6, .9: a standard error of .3 / sqrt(3), and t(2) = 4.303, beyond 0 to 1
    assert [found.at["apart", c] for c in ("q025", "q975")] == [0, 1]
    assert [found.at["close", c] for c in ("q025", "q975")] == pytest.approx(wilson(541, 900))
    # ten shares of .4 and .6, half each: a standard error of .1 / sqrt(10)
    width = float(found["q975"]["many"]) - float(found["q025"]["many"])
    assert width == pytest.approx(4 * 0.1 / 10**0.5, abs=0.02)


def test_students_interval_is_scipys_where_round_robins_are_of_one_size() -> None:
    shares = np.array([0.45, 0.6, 0.5, 0.55, 0.7])
    found = biases([("j", run, share * 1000, 1000) for run, share in enumerate(shares)]).loc["j"]
    twin = ttest_1samp(shares, 0).confidence_interval(0.95)
    assert (found["q025"], found["q975"]) == pytest.approx((twin.low, twin.high))


@pytest.mark.parametrize(("n_robins", "n"), [(2, 6), (3, 6), (3, 45), (6, 6), (9, 10)])
@pytest.mark.parametrize("spread", [None, 6.0], ids=["alike", "apart"])
def test_few_round_robins_cover_a_planted_share(n_robins: int, n: int, spread: float | None) -> None:
    """400 judges. Percentiles of two resampled round robins would cover .48, of three .71, of six .82."""
    rng = np.random.default_rng(5)
    planted, size = 0.6, (400, n_robins)
    chance = (
        np.full(size, planted) if spread is None else rng.beta(planted * spread, (1 - planted) * spread, size)
    )
    hits = rng.binomial(n, chance)
    found = biases([(f"j{j}", r, hits[j, r], n) for j in range(400) for r in range(n_robins)])
    assert (found["q025"].le(planted) & found["q975"].ge(planted)).mean() > 0.92
    assert (found["q975"] - found["q025"]).min() > 0


def test_intervals_cover_a_planted_share_though_verdicts_of_a_round_robin_hang_together() -> None:
    """100 judges with 40 round robins of 20 verdicts; a binomial interval would cover far less than it says."""
    rng = np.random.default_rng(4)
    planted, n_judges, n_robins, n = 0.6, 100, 40, 20
    hits = rng.binomial(n, rng.beta(planted * 6, (1 - planted) * 6, (n_judges, n_robins)))
    table = pd.DataFrame(
        [(f"j{j}", str(r), hits[j, r]) for j in range(n_judges) for r in range(n_robins)],
        columns=["judge", "run", "n_hits"],
    ).assign(bias="first_seat", task="t", mode="m", n=n)
    found = bias_intervals(table, seed_for)
    covered = found["q025"].le(planted) & found["q975"].ge(planted)
    assert 0.89 < covered.mean() < 0.99
    plain = [wilson(h, n_robins * n) for h in hits.sum(1)]
    assert np.mean([low <= planted <= high for low, high in plain]) < 0.8
