"""Scoring whole scopes: closed forms, an independent loop, order, isolation of rows, faults and speed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from assets.settings import Settings
from assets.suitability.draws import JointDraws, joint_draws
from assets.suitability.paper_figures import published_suitability
from assets.suitability.policies import Policy, WeightUncertainty
from assets.suitability.score import best_probability, score, upper_half_probability
from assets.suitability.sweep import Cell, Sweep
from assets.suitability.weights import Floats

CAPABILITIES = ["c1", "c2", "c3", "c4"]
MEMBERS = pd.DataFrame({"dimension": ["A", "A", "B", "C"], "capability": CAPABILITIES})
WEIGHT_OF = {"A": 0.5, "B": 0.3, "C": 0.2}
seed_for = Settings().seed_for


def uncertainty_of(name: str) -> WeightUncertainty:
    return WeightUncertainty(name, float(name.removeprefix("fixed:")) if name.startswith("fixed:") else None)


def withheld(given: pd.DataFrame, *keys: tuple[str, str, str]) -> pd.DataFrame:
    """`given` as int_disclosed_capability_importance has it: no points in these cells."""
    cells = pd.MultiIndex.from_frame(given[["scope_type", "scope", "activity"]])
    return given.assign(points=given["points"].mask(cells.isin(keys)))


def policy(
    name: str = "default", power: float = 0, uncertainty: str = "dirichlet", **other: object
) -> Policy:
    fields: dict[str, object] = {
        "sharpness": 1,
        "weighting": "raw",
        "importance_type": "conditional",
        "is_default": True,
    }
    fields["weight_uncertainty"] = uncertainty_of(uncertainty)
    return Policy(policy=name, power=power, **(fields | other))  # type: ignore[arg-type]


def importance(rows: dict[tuple[str, str, str], list[float]], n_raters: int = 20) -> pd.DataFrame:
    """Long form of (scope_type, scope, activity) -> points of CAPABILITIES."""
    cells = [
        (*key, c, p, n_raters)
        for key, points in rows.items()
        for c, p in zip(CAPABILITIES, points, strict=True)
    ]
    return pd.DataFrame(
        cells, columns=["scope_type", "scope", "activity", "capability", "points", "n_raters"]
    )


def long(values: Floats, systems: list[str], dimensions: list[str]) -> pd.DataFrame:
    index = pd.MultiIndex.from_product(
        [[0], range(len(values)), systems, dimensions], names=["chain", "draw", "system", "dimension"]
    )
    return pd.Series(values.ravel(), index=index, name="value").reset_index()


def normal_draws(n: int, sd: dict[str, float], systems: tuple[str, ...] = ("x", "y")) -> pd.DataFrame:
    noise = np.random.default_rng(0).standard_normal((n, len(systems), len(sd)))
    return long(3 + noise * np.array(list(sd.values())), list(systems), list(sd))


ONE = importance({("all", "all", "Coding"): [30, 20, 30, 20]})


def test_log_s_is_normal_with_known_sd_where_weights_are_fixed() -> None:
    """p = 0: var log S = sum over dimensions of (sum of its constituents' w)² sd²; pooled over k systems: / k."""
    sd = {"A": 0.4, "B": 0.2, "C": 0.9}
    scores = score(ONE, MEMBERS, normal_draws(40_000, sd), [policy(uncertainty="none")], seed_for)
    expected = math.sqrt(sum((WEIGHT_OF[d] * sd[d]) ** 2 for d in sd))
    for table, sigma in ((scores.suitability, expected), (scores.pooled, expected / math.sqrt(2))):
        np.testing.assert_allclose(table["sd_log"], sigma, rtol=0.02)
        np.testing.assert_allclose(table["mean_log"], 3, atol=5 * sigma / 200)
        np.testing.assert_allclose(table["q025_log"], 3 - 1.959964 * sigma, atol=0.03 * sigma)
        np.testing.assert_allclose(table["q975_log"], 3 + 1.959964 * sigma, atol=0.03 * sigma)


def test_weight_uncertainty_alone_has_the_dirichlet_variance() -> None:
    """Certain capabilities c: var(sum w c) = (sum w c² - (sum w c)²) / (n + 1), over dimensions' summed weights."""
    c = {"A": 1.0, "B": 4.0, "C": 6.0}
    draws = long(np.tile(list(c.values()), (40_000, 1, 1)), ["x"], list(c))
    row = score(ONE, MEMBERS, draws, [policy()], seed_for).suitability.iloc[0]
    mean = sum(WEIGHT_OF[d] * c[d] for d in c)
    variance = (sum(WEIGHT_OF[d] * c[d] ** 2 for d in c) - mean**2) / (20 + 1)
    assert row["mean_log"] == pytest.approx(mean, abs=5 * math.sqrt(variance) / 200)
    assert row["sd_log"] == pytest.approx(math.sqrt(variance), rel=0.02)


def test_systems_share_the_weight_draw_of_a_posterior_draw() -> None:
    """Two systems with the same capabilities keep the same log S, so pooling them narrows nothing."""
    values = np.repeat(np.random.default_rng(2).normal(3, 1, (2000, 1, 3)), 2, axis=1)
    scores = score(ONE, MEMBERS, long(values, ["x", "y"], ["A", "B", "C"]), [policy()], seed_for)
    np.testing.assert_allclose(scores.pooled["sd_log"].iloc[0], scores.suitability["sd_log"], rtol=1e-12)


@pytest.mark.parametrize("power", [-1.0, 0.0, 2.0])
def test_scores_equal_a_loop_over_draws(power: float) -> None:
    """Expansion to constituents, power mean, pooling and summaries, written out draw by draw."""
    given = importance(
        {("domain", "WL", "Admin"): [10, 0, 5, 85], ("domain", "WL", "Coding"): [40, 25, 5, 30]}
    )
    draws = normal_draws(60, {"A": 0.5, "B": 1.0, "C": 0.3}, ("x", "y", "z"))
    scores = score(given, MEMBERS, draws, [policy(power=power, uncertainty="none", sharpness=2)], seed_for)
    dimension_of = dict(zip(MEMBERS["capability"], MEMBERS["dimension"], strict=True))
    value = draws.set_index(["draw", "system", "dimension"])["value"].to_dict()
    pooled_draws = {}
    for activity in ("Admin", "Coding"):
        rows = given[given["activity"] == activity]
        squares = {c: float(p) ** 2 for c, p in zip(rows["capability"], rows["points"], strict=True)}
        weights = {c: square / sum(squares.values()) for c, square in squares.items()}
        per_draw = []
        for draw in range(60):
            logs = []
            for system in ("x", "y", "z"):
                theta = {c: math.exp(value[draw, system, dimension_of[c]]) for c in weights}
                if power == 0:
                    logs.append(sum(w * math.log(theta[c]) for c, w in weights.items()))
                else:
                    logs.append(
                        math.log(sum(w * theta[c] ** power for c, w in weights.items()) ** (1 / power))
                    )
            per_draw.append(logs)
        expected = pd.DataFrame(per_draw, columns=["x", "y", "z"])
        got = scores.suitability.query(f"activity == '{activity}'").set_index("system")
        np.testing.assert_allclose(got["mean_log"], expected.mean(), rtol=1e-12)
        np.testing.assert_allclose(got["sd_log"], expected.std(), rtol=1e-12)
        np.testing.assert_allclose(got["q025_log"], expected.quantile(0.025), rtol=1e-12)
        pooled = scores.pooled.query(f"activity == '{activity}'").iloc[0]
        assert pooled["q975_log"] == pytest.approx(expected.mean(axis=1).quantile(0.975), rel=1e-12)
        best = expected.eq(expected.max(axis=1), axis=0).mean()
        np.testing.assert_allclose(got["is_best_probability"], best, rtol=1e-12)
        pooled_draws[activity] = expected.mean(axis=1)
    for activity, other in (("Admin", "Coding"), ("Coding", "Admin")):
        # of two activities the larger one is at or above their median
        wins = (pooled_draws[activity] >= pooled_draws[other]).mean()
        row = scores.pooled.query(f"activity == '{activity}'").iloc[0]
        assert row["upper_half_probability"] == pytest.approx(wins, rel=1e-12)


SCOPES = {
    ("all", "all", "Admin"): [10.0, 20, 30, 40],
    ("all", "all", "Coding"): [40.0, 30, 20, 10],
    ("domain", "WL", "Admin"): [25.0, 25, 25, 25],
    ("domain", "WL", "Listening"): [5.0, 5, 0, 90],
}
POLICIES = [
    policy(),
    policy("relative", weighting="relative", is_default=False),
    policy("p2", power=2, is_default=False),
]


def test_order_of_rows_columns_and_systems_changes_nothing() -> None:
    draws, given = normal_draws(300, {"A": 0.5, "B": 1.0, "C": 0.3}), importance(SCOPES)
    mixed = [f.sample(frac=1, random_state=1)[f.columns[::-1]] for f in (given, MEMBERS, draws)]
    once, twice = (
        score(given, MEMBERS, draws, POLICIES, seed_for),
        score(mixed[0], mixed[1], mixed[2], POLICIES, seed_for),
    )
    pd.testing.assert_frame_equal(once.suitability, twice.suitability, check_exact=True)
    pd.testing.assert_frame_equal(once.pooled, twice.pooled, check_exact=True)


@pytest.mark.parametrize("added", [("company", "Acme", "Admin"), ("domain", "HSC", "Coding")])
def test_an_added_scope_or_policy_leaves_the_others_untouched(added: tuple[str, str, str]) -> None:
    draws = normal_draws(300, {"A": 0.5, "B": 1.0, "C": 0.3})
    before = score(importance(SCOPES), MEMBERS, draws, POLICIES[:2], seed_for).suitability
    more = importance(SCOPES | {added: [1.0, 2, 3, 94]})
    after = score(more, MEMBERS, draws, POLICIES[::-1], seed_for).suitability
    keys = list(before.columns[:5])
    kept = before[keys].merge(after, on=keys, how="left", validate="one_to_one")
    pd.testing.assert_frame_equal(before, kept, check_exact=True)
    assert len(after) > len(before)


def test_absent_activities_and_undefined_rows_have_no_scores() -> None:
    absent = importance({("all", "all", "Coding"): [0, 0, 0, 0]}, n_raters=0)
    given = importance(
        {
            ("all", "all", "Admin"): [10, 10, 10, 10],
            ("all", "all", "Checking"): [20, 10, 30, 40],
            ("all", "all", "Listening"): [0, 0, 0, 0],
        }
    )
    draws = normal_draws(50, {"A": 0.5, "B": 1.0, "C": 0.3})
    scores = score(pd.concat([given, absent]), MEMBERS, draws, POLICIES[:2], seed_for)
    assert set(map(tuple, scores.undefined[["activity", "policy"]].to_numpy())) == {
        ("Listening", "default"),
        ("Listening", "relative"),
    }
    assert scores.undefined["reason"].str.len().gt(0).all()
    assert set(scores.pooled["activity"]) == {"Admin", "Checking"}
    assert np.isfinite(scores.pooled[["mean_log", "sd_log", "q025_log", "q975_log"]]).all(axis=None)


def test_one_rater_with_one_pick_is_certain_about_the_weights() -> None:
    given = importance({("company", "Acme", "Coding"): [0, 0, 100, 0]}, n_raters=1)
    draws = normal_draws(500, {"A": 0.5, "B": 1.0, "C": 0.3})
    row = score(given, MEMBERS, draws, [policy()], seed_for).suitability.set_index("system").loc["x"]
    b = draws.query("system == 'x' and dimension == 'B'")["value"]
    assert row["mean_log"] == pytest.approx(b.mean(), rel=1e-12)
    assert row["sd_log"] == pytest.approx(b.std(), rel=1e-12)


@pytest.mark.parametrize("empty", ["importance", "draws"])
def test_empty_inputs_give_empty_tables(empty: str) -> None:
    draws = normal_draws(50, {"A": 0.5, "B": 1.0, "C": 0.3})
    scores = score(
        ONE[:0] if empty == "importance" else ONE,
        MEMBERS,
        draws[:0] if empty == "draws" else draws,
        POLICIES,
        seed_for,
    )
    assert scores.suitability.empty
    assert scores.pooled.empty
    assert scores.undefined.empty
    assert "q975_log" in scores.suitability


def test_a_capability_without_dimension_is_named() -> None:
    draws = normal_draws(50, {"A": 0.5, "B": 1.0, "C": 0.3})
    with pytest.raises(ValueError, match=r"\['c3'\].*no fitted dimension"):
        score(ONE, MEMBERS[MEMBERS["capability"] != "c3"], draws, POLICIES, seed_for)
    with pytest.raises(ValueError, match=r"\['c4'\].*no fitted dimension"):
        score(ONE, MEMBERS, draws[draws["dimension"] != "C"], POLICIES, seed_for)


def test_missing_points_are_not_zero() -> None:
    draws = normal_draws(50, {"A": 0.5, "B": 1.0, "C": 0.3})
    with pytest.raises(ValueError, match=r"Coding.*c2"):
        score(
            ONE.assign(points=ONE["points"].where(ONE["capability"] != "c2")),
            MEMBERS,
            draws,
            POLICIES,
            seed_for,
        )
    with pytest.raises(ValueError, match=r"Admin.*c1"):
        score(importance(SCOPES).iloc[1:], MEMBERS, draws, POLICIES, seed_for)


def broken(change: Callable[[pd.DataFrame], pd.DataFrame]) -> pd.DataFrame:
    return change(normal_draws(20, {"A": 0.5, "B": 1.0}))


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.iloc[1:],
        lambda d: d.assign(value=d["value"].where(d.index != 0)),
        lambda d: d.assign(value=d["value"].where(d.index != 0, np.inf)),
    ],
)
def test_incomplete_draws_are_refused_and_named(change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    with pytest.raises(ValueError, match="x × A"):
        joint_draws(broken(change))


def test_repeated_draws_are_refused() -> None:
    with pytest.raises(ValueError, match="repeated keys"):
        joint_draws(broken(lambda d: pd.concat([d, d.iloc[:1]])))


def test_draws_of_all_chains_are_used() -> None:
    two = pd.concat([broken(lambda d: d), broken(lambda d: d.assign(chain=1, value=d["value"] + 10))])
    joint = joint_draws(two)
    assert isinstance(joint, JointDraws)
    assert joint.values.shape == (2, 2, 40)
    np.testing.assert_allclose(joint.values[..., 20:], joint.values[..., :20] + 10)


def test_powers_and_importance_types_share_their_weight_draws() -> None:
    """p → 0 approaches p = 0 draw by draw only where both have the same weights; c10 differs in importance only."""
    draws = normal_draws(400, {"A": 0.5, "B": 1.0, "C": 0.3})
    policies = [
        policy("p0"),
        policy("near", power=1e-9, is_default=False),
        policy("same", importance_type="frequency_adjusted", is_default=False),
        policy("fixed", uncertainty="fixed:20", is_default=False),
    ]
    table = score(ONE, MEMBERS, draws, policies, seed_for).suitability.set_index(["policy", "system"])
    summaries = table[["mean_log", "sd_log", "q025_log", "q975_log"]]
    np.testing.assert_allclose(summaries.loc["near"], summaries.loc["p0"], rtol=1e-7)
    np.testing.assert_array_equal(summaries.loc["same"], summaries.loc["p0"])
    # 20 raters or a fixed concentration of 20: the same distribution, other draws
    assert (summaries.loc["fixed"].to_numpy() != summaries.loc["p0"].to_numpy()).all()


def test_a_fixed_concentration_has_its_own_variance() -> None:
    """var = (sum w c² - (sum w c)²) / (kappa + 1), however many raters there are."""
    c = {"A": 1.0, "B": 4.0, "C": 6.0}
    draws = long(np.tile(list(c.values()), (40_000, 1, 1)), ["x"], list(c))
    row = score(ONE, MEMBERS, draws, [policy(uncertainty="fixed:5")], seed_for).suitability.iloc[0]
    mean = sum(WEIGHT_OF[d] * c[d] for d in c)
    variance = (sum(WEIGHT_OF[d] * c[d] ** 2 for d in c) - mean**2) / 6
    assert row["sd_log"] == pytest.approx(math.sqrt(variance), rel=0.02)


@pytest.mark.parametrize("power", [-math.inf, -2, 0, 1e-9, 3, math.inf])
def test_equal_abilities_are_the_suitability_at_any_power(power: float) -> None:
    level = np.random.default_rng(3).normal(3, 1, (50, 2, 1))
    draws = long(np.repeat(level, 3, axis=2), ["x", "y"], ["A", "B", "C"])
    table = score(ONE, MEMBERS, draws, [policy(power=power)], seed_for).suitability
    np.testing.assert_allclose(table["mean_log"], level.mean(axis=(0, 2)), rtol=1e-6)


def test_ties_share_the_first_place() -> None:
    log_s = np.array([[3.0, 1.0, 2.0], [3.0, 2.0, 1.0], [0.0, 2.0, 1.0]])
    np.testing.assert_allclose(best_probability(log_s), [(1 / 2 + 1) / 3, (1 / 2 + 1 / 2) / 3, 1 / 2 / 3])
    np.testing.assert_array_equal(best_probability(log_s[:1]), [1])


def test_the_median_border_moves_with_the_draws() -> None:
    """Three activities: in each draw the middle one and the top one are at or above the median."""
    pooled = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])
    np.testing.assert_array_equal(upper_half_probability(pooled, None), [0.5, 1, 0.5])
    # without the first the border is the mean of the other two
    np.testing.assert_array_equal(upper_half_probability(pooled[1:], None), [0.5, 0.5])
    np.testing.assert_array_equal(upper_half_probability(pooled, 2.5), [0.5, 0, 0.5])


def test_a_fixed_median_is_one_line_for_all_draws() -> None:
    """Means 2, 2.5 and 5, so the line is 2.5; the third activity lies far above it in one draw of two."""
    pooled = np.array([[1.0, 3.0], [2.4, 2.6], [1.0, 9.0]])
    np.testing.assert_array_equal(upper_half_probability(pooled, None, fixed_median=True), [0.5] * 3)
    # without the second the line is 3.5
    np.testing.assert_array_equal(upper_half_probability(pooled[[0, 2]], None, fixed_median=True), [0, 0.5])
    # the median within each draw is 1 and 3
    np.testing.assert_array_equal(upper_half_probability(pooled, None), [1, 0.5, 1])
    np.testing.assert_array_equal(upper_half_probability(pooled, 9.0, fixed_median=True), [0, 0, 0.5])


def test_withheld_activities_and_thresholds_reach_the_border() -> None:
    draws = normal_draws(300, {"A": 0.5, "B": 1.0, "C": 0.3})
    given = importance(
        {
            ("all", "all", a): p
            for a, p in zip("QRS", ([97.0, 1, 1, 1], [1.0, 1, 97, 1], [1.0, 1, 1, 97]), strict=True)
        }
    )
    hidden = withheld(given, *(("all", "all", a) for a in "RS"))
    alone = score(hidden, MEMBERS, draws, [policy()], seed_for)
    upper = alone.pooled.set_index("activity")["upper_half_probability"]
    assert upper["Q"] == 1
    assert upper[["R", "S"]].isna().all()
    low = score(given, MEMBERS, draws, [policy()], seed_for, border_log=-100.0)
    assert (low.pooled["upper_half_probability"] == 1).all()


def test_people_are_scored_but_neither_pooled_nor_ranked() -> None:
    draws = normal_draws(300, {"A": 0.5, "B": 1.0, "C": 0.3}, ("human", "x", "y"))
    with_people = score(ONE, MEMBERS, draws, [policy()], seed_for, people={"human"})
    without = score(ONE, MEMBERS, draws[draws["system"] != "human"], [policy()], seed_for)
    pd.testing.assert_frame_equal(with_people.pooled, without.pooled)
    rows = with_people.suitability.set_index("system")
    assert rows["is_best_probability"].isna().to_dict() == {"human": True, "x": False, "y": False}
    assert rows["mean_log"].notna().all()
    best = without.suitability.set_index("system")["is_best_probability"]
    pd.testing.assert_series_equal(rows["is_best_probability"].dropna(), best)
    everyone = score(ONE, MEMBERS, draws, [policy()], seed_for, people={"human", "x", "y"})
    assert everyone.pooled.empty
    assert len(everyone.suitability) == 3


def test_published_means_by_hand() -> None:
    """N = (0, 1, 0, .5) of Admin -> A 2/3, C 1/3; pooled over the two systems' means; sources play no part."""
    given = importance(
        {
            ("all", "all", "Admin"): [10, 30, 0, 20],
            ("all", "all", "Coding"): [30, 10, 50, 30],
            ("all", "all", "Tool use"): [20, 20, 50, 10],
            ("source", "online", "Admin"): [1, 2, 3, 4],
        }
    )
    means = pd.DataFrame(
        {"system": ["x"] * 3 + ["y"] * 3, "dimension": ["A", "B", "C"] * 2, "mean": [1.0, 2, 3, 3, 4, 7]}
    )
    got = published_suitability(given, MEMBERS, means).set_index(["scope", "activity"])["mean_log"]
    assert got["all", "Admin"] == pytest.approx(2 / 3 * 2 + 1 / 3 * 5, rel=1e-12)
    assert len(got) == 3
    assert published_suitability(given[:0], MEMBERS, means).empty


def test_speed_at_the_published_scale() -> None:
    """9 scopes × 18 activities × 6 systems × 4,000 draws × 2 policies; well under 10 s of CPU."""
    rng = np.random.default_rng(0)
    capabilities, dimensions = [f"c{k:02}" for k in range(16)], [f"d{k}" for k in range(8)]
    members = pd.DataFrame({"capability": capabilities, "dimension": [dimensions[k // 2] for k in range(16)]})
    index = pd.MultiIndex.from_product(
        [["domain"], [f"s{k}" for k in range(9)], [f"t{k:02}" for k in range(18)], capabilities],
        names=["scope_type", "scope", "activity", "capability"],
    )
    given = pd.DataFrame({"points": rng.gamma(1, 6, len(index)), "n_raters": 20}, index=index).reset_index()
    draws = long(rng.normal(3, 1, (4000, 6, 8)), [f"a{k}" for k in range(6)], dimensions)
    start = time.process_time()
    scores = score(given, members, draws, POLICIES[:2], seed_for)
    assert len(scores.suitability) == 9 * 18 * 6 * 2
    assert time.process_time() - start < 10


def test_shown_activities_hold_nothing_of_the_withheld() -> None:
    """Were a hidden activity the largest or smallest of a column, its points would follow from the shown scores."""
    draws = normal_draws(50, {"A": 0.5, "B": 1.0, "C": 0.3})
    policies = [policy(weighting="relative", uncertainty="none")]
    grid = [Cell("relative", 1.0, WeightUncertainty("none"), 0.0)]
    shown = {("company", "c", "Q"): [60.0, 20, 10, 10], ("company", "c", "R"): [20.0, 20, 50, 10]}
    key = ("company", "c", "S")
    results = []
    for other in ([97.0, 1, 1, 1], [0.0, 0, 0, 100]):
        given = withheld(importance(shown | {key: other}), key)
        scores = score(given, MEMBERS, draws, policies, seed_for)
        joint = joint_draws(draws)
        made = Sweep(given, MEMBERS, joint.dimensions, grid, seed_for)
        swept = pd.concat([table for _, table in made.tables(joint)])
        results.append((scores.suitability, scores.pooled, swept))
        for table in results[-1]:
            assert set(table["activity"]) == {"Q", "R", "S"}
            figures = table.filter(regex="_log$|_probability$")
            assert (figures.isna().all(axis=1) == (table["activity"] == "S")).all()
    for first, second in zip(*results, strict=True):
        pd.testing.assert_frame_equal(first, second)
    # nor does a withheld activity move those that are shown
    alone = score(importance(shown), MEMBERS, draws, policies, seed_for).suitability
    both = results[0][0]
    pd.testing.assert_frame_equal(alone, both[both["activity"] != "S"].reset_index(drop=True))


def test_a_withheld_activity_is_not_said_to_have_no_weights() -> None:
    """That nobody gave points is itself what is withheld."""
    draws = normal_draws(20, {"A": 0.5, "B": 1.0, "C": 0.3})
    key = ("company", "c", "S")
    given = importance({("company", "c", "Q"): [60.0, 20, 10, 10], key: [0.0, 0, 0, 0]})
    assert list(score(given, MEMBERS, draws, [policy()], seed_for).undefined["activity"]) == ["S"]
    scores = score(withheld(given, key), MEMBERS, draws, [policy()], seed_for)
    assert scores.undefined.empty
    of_s = scores.suitability[scores.suitability["activity"] == "S"]
    assert len(of_s) and of_s["mean_log"].isna().all()
