"""Positions found again in simulations with known truth, and the awkward fits: flagged, not wrong, no crash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

from assets.propensity.estimate import count_outcomes, estimate, likelihood_log
from assets.propensity.two_by_two import BandError, outcome_logs, with_open_ends
from tests.support.propensity.simulated import bands, respond, world

FIT = ["propensity", "system", "incitation"]


def one_fit(rows: Sequence[tuple[float, float, int]], **options: Any) -> Any:
    """The position of one fit from (lower, upper, is_correct)."""
    frame = pd.DataFrame(rows, columns=["lower", "upper", "is_correct"])
    frame = frame.assign(
        propensity="risk", system="s", incitation="0", item=[f"i{k}" for k in range(len(frame))]
    )
    return estimate(frame, **options).position.iloc[0]


@pytest.fixture(scope="module")
def recovered() -> pd.DataFrame:
    """12 systems x 8 incitations x 4 propensities x 250 items, six times: 2,304 fits with their true theta."""
    parts = []
    for run in range(6):
        responses = world(np.random.default_rng(run))
        truth = responses.drop_duplicates(FIT)[[*FIT, "theta"]]
        parts.append(estimate(responses).position.merge(truth, on=FIT, validate="1:1").assign(run=run))
    return pd.concat(parts, ignore_index=True)


def test_known_positions_are_recovered(recovered: pd.DataFrame) -> None:
    assert len(recovered) == 6 * 384 and not recovered["estimate"].isna().any()
    for _, run in recovered.groupby("run"):
        assert np.corrcoef(run["theta"], run["estimate"])[0, 1] >= 0.99
    assert abs((recovered["estimate"] - recovered["theta"]).mean()) < 0.02


def test_intervals_and_standard_errors_cover_as_often_as_they_say(recovered: pd.DataFrame) -> None:
    inside = (recovered["q025"] <= recovered["theta"]) & (recovered["theta"] <= recovered["q975"])
    assert 0.93 <= inside.mean() <= 0.97
    z = (recovered["estimate"] - recovered["theta"]) / recovered["se"]
    assert 0.9 < z.dropna().std() < 1.1


def test_steerability_is_the_planted_one(recovered: pd.DataFrame) -> None:
    incited = recovered[recovered["incitation"] != "none"]
    incited = incited.assign(level=incited["incitation"].astype(float))
    r = incited.groupby(["run", "propensity", "system"])[["level", "theta", "estimate"]].apply(
        lambda g: pd.Series({name: g["level"].corr(g[name]) for name in ("theta", "estimate")})
    )
    assert abs(r["estimate"] - r["theta"]).mean() < 0.02


def test_the_estimate_is_what_an_optimiser_finds_fit_by_fit() -> None:
    rng = np.random.default_rng(3)
    fits = pd.DataFrame(
        {"system": list("abcdef"), "incitation": "0", "theta": [-2.2, -1, 0.1, 0.9, 1.7, 2.6]}
    )
    responses = respond(rng, fits, bands(rng, 120)).assign(propensity="risk")
    position = estimate(responses).position.set_index("system")
    for system, rows in responses.groupby("system"):
        low, high = with_open_ends(rows["lower"], rows["upper"])
        y = rows["is_correct"].to_numpy()

        def loss(theta: float, low=low, high=high, y=y) -> float:
            succeeds, fails = outcome_logs(theta, low, high, 1.0, 1e-6)
            return -float((y * succeeds + (1 - y) * fails)[np.isfinite(low) | np.isfinite(high)].sum())

        starts = [(t - 0.5, t + 0.5) for t in np.arange(-6, 6, 0.5)]
        found = [minimize_scalar(loss, bounds=s, method="bounded", options={"xatol": 1e-9}) for s in starts]
        best = min(found, key=lambda result: result.fun)
        assert position["estimate"].to_dict()[system] == pytest.approx(best.x, abs=1e-4)


def test_of_one_sided_items_the_error_is_that_of_the_2pl() -> None:
    """Information of the 2PL: the sum of P(1 - P), whatever the answers."""
    rng = np.random.default_rng(5)
    items = pd.DataFrame(
        {"lower": rng.uniform(-2.9, 2, 400), "upper": 3.0, "item": [str(k) for k in range(400)]}
    )
    fits = pd.DataFrame({"system": ["a"], "incitation": ["0"], "theta": [0.7]})
    row = estimate(respond(rng, fits, items).assign(propensity="risk")).position.iloc[0]
    p = 1 / (1 + np.exp(items["lower"] - row["estimate"]))
    assert row["se"] == pytest.approx((p * (1 - p)).sum() ** -0.5, rel=1e-4)


def test_the_higher_of_two_humps_is_found() -> None:
    """Successes at both ends of the scale and none between: the lower hump has one item less."""
    low, high = (-2.0, -1.0), (1.0, 2.0)
    rows = [(*low, 1)] * 6 + [(*low, 0)] * 5 + [(*high, 1)] * 7 + [(*high, 0)] * 4 + [(-0.5, 0.5, 0)] * 9
    outcomes = count_outcomes(
        pd.DataFrame(rows, columns=["lower", "upper", "is_correct"]).assign(
            system="s", incitation="0", item="i"
        )
    )
    grid = np.linspace(-3, 3, 601)
    curve = likelihood_log(outcomes, grid, 1.0, 1e-6)[0]
    is_hump = (curve[1:-1] > curve[:-2]) & (curve[1:-1] > curve[2:])
    assert is_hump.sum() >= 2
    assert one_fit(rows)["estimate"] == pytest.approx(grid[curve.argmax()], abs=0.01) and curve.argmax() > 300
    mirrored = [(-upper, -lower, y) for lower, upper, y in rows]
    assert one_fit(mirrored)["estimate"] == pytest.approx(-one_fit(rows)["estimate"], abs=1e-4)


def test_a_failure_at_the_midpoint_does_not_drive_the_estimate_away() -> None:
    rows = [(-0.5, 0.5, 1)] * 40 + [(-1.0, 3.0, 1), (-3.0, 1.0, 1)] * 20
    clean, failed = one_fit(rows), one_fit([*rows, (-0.5, 0.5, 0)])
    assert abs(failed["estimate"]) < 0.3 and np.isfinite(failed[["se", "q025", "q975"]].astype(float)).all()
    assert clean["is_saturated"] and not failed["is_saturated"]


@pytest.mark.parametrize("is_correct", [0, 1])
@pytest.mark.parametrize("sides", ["lower", "upper", "both"])
def test_all_or_nothing_is_flagged_and_stays_finite(is_correct: int, sides: str) -> None:
    band = {"lower": (-1, 3), "upper": (-3, 1), "both": (-1, 1)}[sides]
    row = one_fit([(*band, is_correct)] * 30)
    numbers = row[["estimate", "q025", "q975"]].astype(float)
    assert row["is_saturated"] and np.isfinite(numbers).all() and np.isnan(row["se"])
    assert row["q025"] < row["q975"] and abs(row["estimate"]) <= 6
    if sides != "both":
        # passing what asks for more, or failing what asks for less, is high
        assert (row["estimate"] > 0) == ((sides == "lower") == bool(is_correct))


def test_three_items_give_a_wide_interval_and_none_gives_the_prior() -> None:
    few = one_fit([(-1, 3, 1), (0, 3, 0), (-3, 2, 1)])
    assert few["n_items"] == 3 and few["q975"] - few["q025"] > 3 and not few["is_saturated"]
    none = one_fit([(-3, 3, 1), (-3, 3, 0)])
    assert none["n_items"] == none["n_uninformative"] == 2 and none["is_saturated"]
    assert np.isnan(none["estimate"]) and np.isnan(none["se"])
    expected = stats.norm.ppf([0.025, 0.975], scale=2)
    np.testing.assert_allclose(none[["q025", "q975"]].astype(float), expected, atol=2e-3)


def test_items_open_at_both_ends_say_nothing() -> None:
    rows = [(-1, 2, 1), (-1, 3, 0), (0, 3, 1), (-2, 0, 0), (-3, 1, 1)]
    plain, more = one_fit(rows), one_fit([*rows, (-3, 3, 1), (-3, 3, 0)])
    assert (
        more[["estimate", "se", "q025", "q975"]].tolist()
        == plain[["estimate", "se", "q025", "q975"]].tolist()
    )
    assert (plain["n_uninformative"], more["n_uninformative"], more["n_passed"]) == (0, 2, 4)


def test_the_ends_of_the_scale_can_be_bounds() -> None:
    rows = [(-3, 0, 1)] * 8 + [(-3, 0, 0)] * 2 + [(-3, -2, 0)] * 5
    assert one_fit(rows, open_ends=False)["estimate"] != pytest.approx(one_fit(rows)["estimate"], abs=0.05)
    assert one_fit([(-3, 3, 1), (-3, 3, 0)], open_ends=False)["n_uninformative"] == 0


def test_the_posterior_is_the_exact_one() -> None:
    """Quantiles by adaptive integration of likelihood times prior."""
    from scipy.integrate import quad

    rows = [(0, 2, 1), (0, 2, 0), (1, 3, 1), (-1, 1, 0), (-3, 2, 1), (-2, 1, 1)]
    row = one_fit(rows)
    low, high = with_open_ends([r[0] for r in rows], [r[1] for r in rows])
    y = np.array([r[2] for r in rows])

    def density(theta: float) -> float:
        succeeds, fails = outcome_logs(theta, low, high, 1.0, 1e-6)
        return float(np.exp((y * succeeds + (1 - y) * fails).sum() - theta**2 / 8))

    points = [-2, -1, 0, 0.5, 1, 1.5, 2, 3]
    total = quad(density, -8, 8, points=points, limit=200)[0]
    for level, name in ((0.025, "q025"), (0.975, "q975")):
        inside = [p for p in points if p < row[name]]
        assert quad(density, -8, row[name], points=inside, limit=200)[0] / total == pytest.approx(
            level, abs=5e-4
        )


def test_a_free_slope_is_found_again() -> None:
    rng = np.random.default_rng(8)
    fits = pd.DataFrame(
        {"system": [f"s{k}" for k in range(20)], "incitation": "0", "theta": rng.uniform(-2.5, 2.5, 20)}
    )
    responses = respond(rng, fits, bands(rng, 250), slope=2.0).assign(propensity="risk")
    free = estimate(responses, free_slope=True).position
    assert free["slope"].nunique() == 1 and free["slope"].iloc[0] == pytest.approx(2.0, rel=0.1)
    assert (estimate(responses).position["slope"] == 1).all()


def test_what_the_model_fits_is_told_a_band() -> None:
    rows = [(-1, 2, 1), (-1, 2, 0), (0, 3, 1), (-3, 3, 1)]
    frame = pd.DataFrame(rows, columns=["lower", "upper", "is_correct"]).assign(
        propensity="risk", system="s", incitation="none", item=list("abcd")
    )
    found = estimate(frame)
    table = found.fitted.set_index(["lower", "upper"])
    assert table["n_trials"].to_dict() == {(-3, 3): 1, (-1, 2): 2, (0, 3): 1}
    assert table["n_passed"].sum() == 3 and table.loc[(-3, 3), "fitted"] == pytest.approx(1, abs=1e-5)
    theta = found.position["estimate"].iloc[0]
    assert table.loc[(0, 3), "fitted"] == pytest.approx(1 / (1 + np.exp(-theta)), rel=1e-9)


def test_order_of_rows_does_not_matter_and_no_rows_give_none() -> None:
    responses = world(np.random.default_rng(1), n_systems=2, n_items=30)
    shuffled = responses.sample(frac=1, random_state=1)
    one, other = estimate(responses), estimate(shuffled)
    pd.testing.assert_frame_equal(one.position, other.position, check_exact=True)
    pd.testing.assert_frame_equal(one.fitted, other.fitted, check_exact=True)
    empty = estimate(responses.iloc[:0])
    assert empty.position.empty and list(empty.position) == list(one.position)


def test_an_empty_or_hair_thin_band_is_refused() -> None:
    with pytest.raises(BandError, match="i1"):
        one_fit([(0, 1, 1), (1, 1, 0)])
    with pytest.raises(BandError, match=r"i0, i2: .*at least 0.1 wide"):
        one_fit([(0, 1e-12, 1), (0.2, 0.3, 1), (1 - 1e-12, 1, 1)])


def brute_force(rows: Sequence[tuple[float, float, int]]) -> Any:
    """The posterior's 2.5 and 97.5 % quantiles, summed on a grid below every cliff."""
    low, high, y = (np.array(column, float)[None, :] for column in zip(*rows, strict=True))
    theta = np.arange(-1, 1, 2e-5)
    curve = np.zeros(len(theta))
    for k in range(low.shape[1]):
        succeeds, fails = outcome_logs(theta, low[0, k], high[0, k], 1.0, 1e-6)
        curve += succeeds if y[0, k] else fails
    density = np.exp(curve - theta**2 / 8 - (curve - theta**2 / 8).max())
    below = density.cumsum() / density.sum()
    return np.interp((0.025, 0.975), below, theta)


@pytest.mark.parametrize("width", [0.2, 0.3, 0.5, 1.0])
def test_narrow_bands_give_the_interval_of_a_grid_below_their_cliffs(width: float) -> None:
    """Success falls off at a bound over 1/A: 5e-5 at width 0.2, 1e-3 at 0.3; the common grid has steps of 0.02."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        middle = np.round(rng.uniform(-0.6, 0.6, 60), 2)
        low, high = middle - width / 2, middle + width / 2
        p = np.exp(outcome_logs(rng.uniform(-0.4, 0.4), low, high)[0])
        y = (rng.random(60) < p).astype(int)
        rows = list(zip(low.tolist(), high.tolist(), y.tolist(), strict=True))
        row, expected = one_fit(rows), brute_force(rows)
        # within a twentieth of the interval, or the width of a cliff
        room = 0.05 * (expected[1] - expected[0]) + 1 / np.expm1(2 / width)
        np.testing.assert_allclose(row[["q025", "q975"]].astype(float), expected, atol=room)
        assert np.isnan(row["se"]) or row["se"] < 6


def test_the_error_of_narrow_bands_is_the_curvature_where_differences_straddle_the_cliffs() -> None:
    """Width 0.3, A = e^(1/0.15): the second difference over 1e-5 of the log likelihood summed outside."""
    rng = np.random.default_rng(3)
    middle = np.round(rng.uniform(-0.6, 0.6, 60), 2)
    p = np.exp(outcome_logs(0.1, middle - 0.15, middle + 0.15)[0])
    y = (rng.random(60) < p).astype(int)
    row = one_fit(list(zip((middle - 0.15).tolist(), (middle + 0.15).tolist(), y.tolist(), strict=True)))
    at = row["estimate"] + np.array([-1e-5, 0, 1e-5])
    succeeds, fails = outcome_logs(at[:, None], middle - 0.15, middle + 0.15, 1.0, 1e-6)
    curve = (y * succeeds + (1 - y) * fails).sum(axis=1)
    information = -(curve[0] - 2 * curve[1] + curve[2]) / 1e-10
    assert row["se"] == pytest.approx(information**-0.5, rel=1e-3)


def test_two_humps_of_about_one_height_are_flagged() -> None:
    """Ten items at the middle, one failed: a hump on either side of it. A plain fit has one, and isn't."""
    passes = [(-1, 1, 1)] * 9
    assert one_fit([*passes, (-1, 1, 0)])["is_ambiguous"]
    assert one_fit([*passes, (-1, 1, 0), (-3, 0, 1), (0, 3, 1)])["is_ambiguous"]
    # what is on one side of zero only leaves one of the humps
    assert not one_fit([*passes, (-1, 1, 0), *[(0, 3, 1)] * 12, *[(0.3, 3, 1)] * 12])["is_ambiguous"]
    assert not one_fit([(-1, 3, 1), (0, 3, 0), (-3, 2, 1)])["is_ambiguous"]
    # failing all of what asks for the middle leaves both outsides
    assert one_fit([(-1, 1, 0)] * 9)["is_ambiguous"] and not one_fit([(-1, 3, 0)] * 9)["is_ambiguous"]


def test_further_trials_of_an_item_count_as_trials() -> None:
    rows = [(-1, 2, 1), (-1, 3, 0), (0, 3, 1), (-3, 3, 1), (-2, 0, 0), (-3, 1, 1)]
    frame = pd.DataFrame(rows, columns=["lower", "upper", "is_correct"]).assign(
        propensity="risk", system="s", incitation="0", item=list("abcdef")
    )
    once, twice = (estimate(f).position.iloc[0] for f in (frame, pd.concat([frame, frame])))
    assert (twice["n_items"], twice["n_uninformative"], twice["n_trials"], twice["n_passed"]) == (6, 1, 12, 8)
    assert once["n_trials"] == 6
    # twice the information, one place
    assert twice["estimate"] == pytest.approx(once["estimate"], abs=1e-6)
    assert twice["se"] == pytest.approx(once["se"] / np.sqrt(2), rel=1e-4)


def test_a_slope_that_ends_at_its_limit_is_flagged_and_all_or_nothing_fits_none() -> None:
    steps = [(low / 10, 3, int(low < 0)) for low in range(-20, 20)]
    row = one_fit(steps, free_slope=True)
    assert row["is_slope_at_bound"] and row["slope"] == pytest.approx(5, rel=0.02)
    assert not one_fit(steps)["is_slope_at_bound"]
    saturated = one_fit([(-1, 3, 1)] * 9, free_slope=True)
    assert saturated["slope"] == 1 and not saturated["is_slope_at_bound"]
