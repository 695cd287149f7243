"""The slice's marts on one build: rankings, taus and quadrants against loops in plain Python, and small cells.

The dbt unit tests of the slice (hand-computed rows) run in the same build.
"""

from __future__ import annotations

import itertools
import math
import statistics

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from assets.settings import PROJECT, Settings
from assets.suitability.draws import joint_draws, normal_draws
from assets.suitability.paper_figures import published_suitability, published_sweep
from assets.suitability.policies import read_policies
from assets.suitability.score import score
from assets.suitability.sweep import CERTAIN, POWERS, SAMPLED, SHARPNESS, Sweep, grid
from tests.support.suitability.policy_rows import seeded
from tests.support.suitability.slice_build import build

SEEDS = PROJECT / "dbt" / "seeds"
SYSTEMS = ["human", "u", "v", "x", "y"]
ACTIVITIES = ["Admin", "Checking", "Coding", "Listening", "Tool use"]
SCOPES = [("all", "all"), ("company", "Acme"), ("domain", "WL"), ("role", "clerk")]
HIDDEN = {("company", "Acme", "Coding"), ("company", "Acme", "Listening")}
seed_for = Settings().seed_for


def members() -> pd.DataFrame:
    dimensions = pd.read_csv(SEEDS / "seed_dimension.csv")
    return dimensions.assign(capability=dimensions["dimension_key"].str.split("|")).explode("capability")


def importance() -> pd.DataFrame:
    """Random points; in WL nobody gave Listening any; the role has one activity; Acme hides two."""
    rng = np.random.default_rng(5)
    capabilities = sorted(members()["capability"])
    rows = []
    for scope_type, scope in SCOPES:
        for activity in ACTIVITIES if scope_type != "role" else ["Admin"]:
            points = rng.gamma(0.4, 10, len(capabilities)) * ((scope, activity) != ("WL", "Listening"))
            if (scope_type, scope, activity) in HIDDEN:
                points[:] = np.nan
            rows += [
                (scope_type, scope, activity, c, p, 9) for c, p in zip(capabilities, points, strict=True)
            ]
    columns = ["scope_type", "scope", "activity", "capability", "points", "n_raters"]
    return pd.DataFrame(rows, columns=columns)


def activity_importance() -> pd.DataFrame:
    keys = ["scope_type", "scope", "activity"]
    table = importance()[keys].drop_duplicates(ignore_index=True)
    rng = np.random.default_rng(6)
    table["importance"] = rng.uniform(0.1, 4, len(table)).round(2)
    table["conditional_importance"] = rng.uniform(1, 5, len(table)).round(2)
    table["hours_per_week"] = rng.uniform(1, 20, len(table)).round(1)
    is_wl = table["scope"] == "WL"
    table.loc[is_wl & (table["activity"] == "Admin"), "importance"] = 0
    table.loc[is_wl & (table["activity"] == "Coding"), "hours_per_week"] = np.nan
    is_hidden = [tuple(key) in HIDDEN for key in table[keys].to_numpy()]
    return table.assign(
        n_selected=9,
        n_ranked=9,
        n_respondents=30,
        is_absent=False,
        is_thin=is_hidden,
        is_suppressed=is_hidden,
    )


@pytest.fixture(scope="module")
def draws() -> pd.DataFrame:
    """Four AI systems close to each other, two of them twins, and people."""
    rng = np.random.default_rng(7)
    values = rng.normal(0, 0.3, (5, 8, 200)) + rng.normal(3, 1.2, (5, 8, 1))
    values[4] = values[3]
    index = pd.MultiIndex.from_product(
        [SYSTEMS, sorted(members()["dimension"].unique()), range(200)], names=["system", "dimension", "draw"]
    )
    return pd.Series(values.ravel(), index=index, name="value").reset_index().assign(chain=0)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory, draws):
    policies = read_policies(seeded())
    published = pd.read_csv(SEEDS / "published_capability.csv")
    given, of = importance(), members()
    scores = score(given, of, draws, policies, seed_for, people={"human"})
    cells = grid(["raw", "relative"], [CERTAIN, SAMPLED])
    joint = joint_draws(draws)
    made = {
        "fitted": (Sweep(given, of, joint.dimensions, cells, seed_for, people={"human"}), joint),
        "published_c6": published_sweep(given, of, published, 300, seed_for),
    }
    swept = [
        table.assign(basis=basis) for basis, (sweep, own) in made.items() for _, table in sweep.tables(own)
    ]
    tables = {
        "estimate.suitability": scores.suitability,
        "estimate.suitability_pooled": scores.pooled,
        "estimate.undefined_weight": scores.undefined,
        "estimate.suitability_sweep": pd.concat(swept, ignore_index=True),
        "estimate.published_suitability": published_suitability(given, of, published),
    }
    return build(tmp_path_factory.mktemp("suitability_marts"), activity_importance(), SYSTEMS, tables)


CELL = ["basis", "scope_type", "scope", "weighting", "activity"]


@pytest.fixture(scope="module")
def ranked(warehouse):
    """What rankings are made of, from the table that Python wrote."""
    return warehouse.read("estimate.suitability_sweep").query("is_ranked")


def test_robustness_equals_a_loop_over_pairs(warehouse, ranked):
    mart = warehouse.read("marts.ranking_robustness").set_index(CELL)
    n_shown = 0
    for key, cell in ranked[ranked["sharpness"] == 1].groupby(CELL):
        row = mart.loc[key]
        systems = sorted(cell["system"].unique())
        pairs = list(itertools.combinations(systems, 2))
        assert row["n_pairs"] == len(pairs)
        counts = ["n_rankings", "n_invariant_pairs", "n_separated_pairs_fixed_weights", "n_separated_pairs"]
        if (key[1], key[2], key[4]) in HIDDEN:
            assert row[["winner", "is_winner_stable", *counts]].isna().all()
            assert row["is_suppressed"]
            continue
        n_shown += 1
        certain = cell[cell["weight_uncertainty"] == "none"]
        value = certain.set_index(["power", "system"])["mean_s_log"].to_dict()
        rankings = {
            p: tuple(sum(value[p, other] > value[p, s] for other in systems) for s in systems) for p in POWERS
        }
        firsts = {p: {s for s, place in zip(systems, rankings[p], strict=True) if place == 0} for p in POWERS}
        winner = min(firsts[0.0])
        invariant = [
            (a, b)
            for a, b in pairs
            if all(value[p, a] > value[p, b] for p in POWERS)
            or all(value[p, a] < value[p, b] for p in POWERS)
        ]
        expected = [len(set(rankings.values())), len(invariant)]
        for uncertainty in ("none", "dirichlet"):
            at = cell[(cell["weight_uncertainty"] == uncertainty) & (cell["power"] == 0)].set_index("system")
            low, high = at["q025_log"], at["q975_log"]
            expected.append(sum(low[a] > high[b] or low[b] > high[a] for a, b in invariant))
        assert row["winner"] == winner
        assert row["is_winner_stable"] == all(winner in firsts[p] for p in POWERS)
        assert row[counts].tolist() == expected
    assert n_shown > 20
    # the world is one where rankings do change, and some pairs are apart
    assert mart["n_rankings"].max() > 1
    assert 0 < mart["n_separated_pairs"].sum() < mart["n_invariant_pairs"].sum() < mart["n_pairs"].sum()


def test_sensitivity_equals_scipy_s_tau(warehouse, ranked):
    mart = warehouse.read("marts.policy_sensitivity")
    certain = ranked[ranked["weight_uncertainty"] == "none"]
    values = certain.set_index([*CELL, "power", "sharpness"]).sort_index()
    for row in mart.to_dict("records"):
        scope = [row[name] for name in CELL[:4]]
        taus = []
        for activity in ACTIVITIES:
            if (row["scope_type"], row["scope"], activity) in HIDDEN:
                continue
            key, neutral = (*scope, activity, row["power"], row["sharpness"]), (*scope, activity, 0.0, 1.0)
            if key not in values.index:
                continue
            here, there = (values.loc[k].sort_values("system")["mean_s_log"] for k in (key, neutral))
            taus.append(stats.kendalltau(here, there).statistic)
        assert row["kendall_tau"] == pytest.approx(statistics.fmean(taus), abs=1e-12), row
        assert row["n_activities"] == len(taus)
    assert len(mart) == (4 + 3 + 1) * len(POWERS) * len(SHARPNESS)
    assert mart["kendall_tau"].min() < 0.9


def test_quadrants_equal_a_loop_over_activities(warehouse):
    mart = warehouse.read("marts.deployment_quadrant")
    pooled = warehouse.read("estimate.suitability_pooled").set_index(["scope", "policy", "activity"])
    known = activity_importance().set_index(["scope", "activity"])
    columns = {"hours": "hours_per_week"}
    names = {
        (True, True): "development_opportunity",
        (True, False): "capability_gap",
        (False, True): "limited_impact",
        (False, False): "low_priority",
    }
    for (scope_type, scope, policy, x_type), rows in mart.groupby(
        ["scope_type", "scope", "policy", "x_type"]
    ):
        rows = rows.set_index("activity")
        shown = [a for a in rows.index if (scope_type, scope, a) not in HIDDEN]
        x = {a: known.loc[(scope, a), columns.get(x_type, x_type)] for a in shown}
        y = {a: pooled.loc[(scope, policy, a), "mean_log"] for a in shown}
        x_border = statistics.median([value for value in x.values() if not math.isnan(value)])
        y_border = statistics.median(y.values())
        for activity in rows.index:
            row = rows.loc[activity]
            if activity not in shown or math.isnan(x[activity]):
                assert row[["quadrant", "probability", "is_confident"]].isna().all()
                continue
            upper = pooled.loc[(scope, policy, activity), "upper_half_probability"]
            is_suited = upper >= 0.5
            probability = upper if is_suited else 1 - upper
            assert row[["x_border", "suitability_border_log"]].tolist() == pytest.approx([x_border, y_border])
            assert row["quadrant"] == names[x[activity] >= x_border, is_suited]
            assert row["probability"] == pytest.approx(probability, abs=1e-12)
            assert row["probability"] >= 0.5, "another quadrant is more probable"
            assert row["is_confident"] == (probability >= 0.75)
    assert set(mart["quadrant"].dropna()) == set(names.values())
    assert mart["is_confident"].dropna().nunique() == 2


def test_small_and_undefined_cells_are_said_not_dropped(warehouse):
    undefined = warehouse.read("marts.undefined_weight")
    assert set(zip(undefined["scope"], undefined["activity"], undefined["policy"], strict=True)) >= {
        ("WL", "Listening", "default"),
        ("clerk", "Admin", "paper_c9"),
    }
    priority = warehouse.read("marts.deployment_priority").set_index(["scope", "activity", "policy"])
    assert math.isnan(priority.loc[("WL", "Admin", "default"), "priority_log"])
    assert not math.isnan(priority.loc[("WL", "Admin", "paper_c10"), "priority_log"])
    for mart in ("suitability", "suitability_pooled", "deployment_priority", "suitability_sweep"):
        rows = warehouse.read(f"marts.{mart}")
        hidden = rows[rows["is_suppressed"].astype(bool)]
        assert {("company", *key) for key in zip(hidden["scope"], hidden["activity"], strict=True)} == HIDDEN
        assert hidden.filter(regex="_log$|_probability$").isna().all(axis=None)
    best = warehouse.read("marts.suitability").query("not is_suppressed")
    assert best.loc[best["system"] == "human", "is_best_probability"].isna().all()
    sums = best.groupby(["scope_type", "scope", "activity", "policy"])["is_best_probability"].sum()
    np.testing.assert_allclose(sums, 1)


def test_the_paper_s_basis_is_its_own_systems(warehouse):
    rows = warehouse.read("marts.suitability_sweep").query("basis == 'published_c6'")
    published = pd.read_csv(SEEDS / "published_capability.csv")
    assert sorted(rows["system"].unique()) == normal_draws(published, 2, 0).systems
    assert set(rows["scope"]) == {"all"}
    assert set(rows["weighting"]) == {"raw"}
