"""The measurement layout against independent twins: loops, big-number arithmetic, item-by-item likelihoods."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.capability.fit.layout import (
    PooledResponses,
    item_logit,
    linear_odds_logit,
    pool_counts,
    pool_responses,
)

demand_level = st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.75, 3.0, 5.0])


@st.composite
def batteries(draw, limit):
    k = draw(st.integers(1, 6))
    demand = np.array(draw(st.lists(st.lists(demand_level, min_size=k, max_size=k), min_size=1, max_size=8)))
    c = np.array(draw(st.lists(st.floats(-limit, limit), min_size=k, max_size=k)))
    return c, draw(st.floats(-limit / 10, limit / 10)), demand


def logit_in_decimals(c, alpha, demand, tau, lam):
    """Equation by equation, with 60 digits and no floating point."""
    with localcontext() as context:
        context.prec = 60
        margins = [Decimal(a) - Decimal(lam) * Decimal(d) for a, d in zip(c, demand, strict=True) if d > 0]
        if not margins:
            return alpha
        mean = sum(((-Decimal(tau) * m).exp() for m in margins), Decimal(0)) / len(margins)
        return float(Decimal(alpha) - mean.ln() / Decimal(tau))


@settings(max_examples=150, deadline=None)
@given(batteries(300), st.sampled_from([0.25, 0.5, 1.0, 2.0]), st.sampled_from([0.5, 1.0, 1.7]))
def test_the_soft_minimum_is_the_papers_equation(battery, tau, lam):
    c, alpha, demand = battery
    expected = [logit_in_decimals(c, alpha, row, tau, lam) for row in demand]
    np.testing.assert_allclose(item_logit(c, alpha, demand, tau, lam), expected, rtol=1e-11, atol=1e-11)


@settings(max_examples=300, deadline=None)
@given(batteries(300), st.sampled_from([0.5, 1.0, 1.7]))
def test_linear_failure_odds_are_the_soft_minimum_at_tau_one(battery, lam):
    c, alpha, demand = battery
    np.testing.assert_allclose(
        linear_odds_logit(c, alpha, demand, lam), item_logit(c, alpha, demand, 1.0, lam), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize(
    "c", [[1e5, -1e5, 3.0], [-1e6, -1e6, -1e6], [1e-300, 0.0, 5e-324], [1e15, 1e15, 1e15]]
)
def test_huge_and_tiny_capabilities_stay_finite_and_follow_the_weakest(c):
    demand = np.array([[1.0, 2.0, 3.0], [0.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    z = item_logit(np.array(c), 0.5, demand)
    assert np.isfinite(z).all()
    weakest = min(a - d for a, d in zip(c, demand[0], strict=True))
    assert weakest + 0.5 <= z[0] <= weakest + 0.5 + math.log(3) + 1e-9 * abs(weakest)
    assert z[1] == pytest.approx(c[1] - 4 + 0.5)
    assert z[2] == 0.5


def test_temperature_zero_is_the_mean_margin_and_the_limit_of_small_temperatures():
    c, demand = np.array([1.0, 4.0, 2.0]), np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    assert item_logit(c, -1.0, demand, tau=0).tolist() == [pytest.approx((0 + 2) / 2 - 1), -1.0]
    np.testing.assert_allclose(item_logit(c, -1.0, demand, 1e-6), item_logit(c, -1.0, demand, 0), atol=1e-5)


def test_a_dimension_that_is_not_demanded_does_not_matter():
    demand = np.array([[2.0, 0.0], [1.0, 0.0]])
    with_weak, with_strong = (item_logit(np.array([3.0, c]), 0.0, demand) for c in (-50.0, 50.0))
    np.testing.assert_array_equal(with_weak, with_strong)


def random_responses(seed, n_items=200, n_systems=3):
    rng = np.random.default_rng(seed)
    items = pd.DataFrame(
        {"benchmark": rng.choice(["x", "y"], n_items), "item": [f"{i:03d}" for i in range(n_items)]}
    )
    levels = rng.choice([0, 0, 1, 2.5], size=(n_items, 3))
    demand = pd.concat(
        [items.assign(dimension=d, demand=levels[:, k]) for k, d in enumerate(["L", "EM", "OP"])]
    )
    response = pd.concat(
        [
            items.assign(system=f"s{n}", score=rng.choice([0, 1, 0.25], n_items), n_attempts=1)
            for n in range(n_systems)
        ]
    )
    return demand.sample(frac=1, random_state=seed), response.sample(frac=1, random_state=seed)


def test_pooling_keeps_every_response_where_a_loop_puts_it():
    demand, response = random_responses(1)
    pooled = pool_responses(demand, response)
    assert pooled.systems == ("s0", "s1", "s2")
    assert pooled.dimensions == ("EM", "L", "OP")
    level = {(r.benchmark, r.item, r.dimension): r.demand for r in demand.itertuples()}
    counts: dict = {}
    for r in response.itertuples():
        key = (r.system, *(level[r.benchmark, r.item, d] for d in pooled.dimensions))
        passed, attempted = counts.get(key, (0.0, 0))
        counts[key] = passed + r.score, attempted + 1
    rows = [
        (s, *pooled.demand[j], pooled.passed[j, n], pooled.attempted[j, n])
        for n, s in enumerate(pooled.systems)
        for j in range(len(pooled.demand))
        if pooled.attempted[j, n]
    ]
    assert len(rows) == len(counts)
    for row in rows:
        assert counts[row[:-2]] == (pytest.approx(row[-2]), row[-1])
    assert len(pooled.demand) < 30


def test_the_order_of_rows_does_not_matter():
    demand, response = random_responses(2)
    a = pool_responses(demand, response)
    b = pool_responses(demand.iloc[::-1], response.iloc[::-1])
    for name in ("demand", "passed", "attempted"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_a_missing_score_counts_like_an_absent_row():
    demand, response = random_responses(3)
    lost = np.random.default_rng(0).random(len(response)) < 0.3
    blank = pool_responses(demand, response.assign(score=response["score"].mask(lost)))
    dropped = pool_responses(demand, response[~lost])
    np.testing.assert_array_equal(blank.passed, dropped.passed)
    np.testing.assert_array_equal(blank.attempted, dropped.attempted)
    assert blank.attempted.sum() == (~lost).sum()


def test_parquet_form_holds_the_same_counts():
    demand, response = random_responses(4)
    pooled = pool_responses(demand, response[response["system"] != "s1"])
    again = PooledResponses.from_frame(pooled.to_frame())
    assert (again.systems, again.dimensions) == (pooled.systems, pooled.dimensions)
    np.testing.assert_array_equal(again.demand, pooled.demand)
    np.testing.assert_array_equal(again.passed, pooled.passed)
    np.testing.assert_array_equal(again.attempted, pooled.attempted)


def test_nothing_in_gives_nothing_out():
    demand, response = random_responses(5)
    for pooled in (
        pool_responses(demand, response.iloc[:0]),
        pool_responses(demand.iloc[:0], response.iloc[:0]),
    ):
        assert pooled.is_empty
        assert PooledResponses.from_frame(pooled.to_frame()).is_empty
        assert len(pooled.to_frame()) == 0


def test_faults_name_the_row():
    demand, response = random_responses(6)
    one = response.iloc[[0]]
    with pytest.raises(ValueError, match=f"{one['system'].item()}.*'999'.*without demands"):
        pool_responses(demand, pd.concat([response, one.assign(item="999")]))
    with pytest.raises(ValueError, match=r"score outside 0-1 \(1\.5\)"):
        pool_responses(demand, pd.concat([response.iloc[1:], one.assign(score=1.5)]))
    with pytest.raises(ValueError, match="no demand for"):
        pool_responses(demand.iloc[1:], response)


def test_counts_of_pooled_rows_add_up():
    pooled = pool_counts(["b", "a", "b"], np.array([[1.0], [1.0], [1.0]]), [1, 0.5, 3], [1, 1, 4], ("L",))
    assert pooled.passed.tolist() == [[0.5, 4.0]]
    assert pooled.attempted.tolist() == [[1.0, 5.0]]
