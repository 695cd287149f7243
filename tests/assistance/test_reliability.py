"""Agreement on published worked examples; intervals of shares against a library and against planted shares."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest

from assets.assistance.reliability import agreement, bias_intervals, nominal_alpha, wilson

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


def test_a_single_round_robin_or_an_extreme_share_has_wilsons_interval() -> None:
    rows = [
        ("one", 1, 7, 10),
        ("extreme", 1, 10, 10),
        ("extreme", 2, 10, 10),
        ("many", 1, 4, 10),
        ("many", 2, 6, 10),
    ]
    table = pd.DataFrame(rows, columns=["judge", "run", "n_hits", "n"])
    found = bias_intervals(table.assign(bias="first_seat", task="t", mode="m"), seed_for).set_index("judge")
    assert found["interval"].to_dict() == {"one": "wilson", "extreme": "wilson", "many": "bootstrap"}
    low, high = found["q025"].astype(float).to_dict(), found["q975"].astype(float).to_dict()
    # two round robins give three shares: .4, .5 and .6
    assert (low["many"], high["many"]) == pytest.approx((0.4, 0.6))
    assert high["extreme"] == 1 and 0.8 < low["extreme"] < 1


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
