"""Recovery: moments against sums over a grid, figures against hand-made estimates, and what a free alpha costs."""

import zlib
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from assets.capability.fit import factorised
from assets.capability.fit.factorised import JointPosterior, SystemFit
from assets.capability.fit.layout import item_logit
from assets.capability.fit.model import ModelOptions
from assets.capability.validation import recovery, validation_files
from assets.capability.validation.recovery import Battery
from assets.settings import PROJECT, Settings


def seed_for(*names):
    return zlib.crc32("/".join(map(str, names)).encode())


def battery(n_rows=40, dimensions=("EM", "L", "SM"), n_items=10, seed=0):
    rng = np.random.default_rng(seed)
    demand = rng.integers(1, 6, (n_rows, len(dimensions))) * (rng.random((n_rows, len(dimensions))) < 0.7)
    rows = np.unique(demand[demand.any(axis=1)].astype(float), axis=0)
    return Battery(dimensions, rows, np.full(len(rows), float(n_items)))


def weighted_moments(values, weight):
    mean = weight @ values
    return mean, (values - mean).T @ ((values - mean) * weight[:, None])


def test_a_battery_counts_its_items_by_demand_row():
    rows = [("b", "1", 2.0, 0.0), ("b", "2", 2.0, 0.0), ("c", "1", 0.0, 3.5)]
    long = pd.DataFrame(
        [(b, i, d, v) for b, i, *levels in rows for d, v in zip(("L", "EM"), levels, strict=True)],
        columns=["benchmark", "item", "dimension", "demand"],
    )
    found = Battery.of(long)
    assert found.dimensions == ("EM", "L")
    assert found.demand.tolist() == [[0, 2], [3.5, 0]]
    assert found.n_items.tolist() == [2, 1]


@pytest.mark.parametrize("tau", recovery.TAUS)
def test_agents_answer_60_percent_right_at_the_simulation_intercept(tau):
    items, options = battery(), ModelOptions(tau=tau)
    c = np.random.default_rng(1).normal(3, 0.8, (5, 3))
    alpha = recovery.calibrated_intercept(c, items, options)
    p = [1 / (1 + np.exp(-item_logit(own, alpha, items.demand, tau))) for own in c]
    assert np.average(np.mean(p, axis=0), weights=items.n_items) == pytest.approx(0.60, abs=1e-8)


def test_table_c1_has_the_printed_means_and_spreads():
    table = pd.read_csv(PROJECT / "dbt/seeds/published_agents.csv").pivot(
        index="agent", columns="dimension", values="log_capability"
    )
    order = ["SC", "IR", "L", "SM", "IIC", "APS", "EM", "OP"]
    assert len(table) == 20
    assert table[order].mean().round(2).tolist() == pytest.approx(
        [3.14, 3.04, 2.86, 2.88, 2.75, 3.14, 2.98, 3.33], abs=0.0101
    )
    assert table[order].std(ddof=0).round(2).tolist() == pytest.approx(
        [0.64, 0.73, 0.89, 0.82, 0.73, 0.72, 0.76, 0.85], abs=0.0201
    )


def test_a_dimension_that_table_c1_lacks_is_drawn_from_the_prior():
    published = pd.DataFrame(
        [(f"A{n}", "L", float(n)) for n in range(400)], columns=["agent", "dimension", "log_capability"]
    )
    items = replace(battery(), dimensions=("CF+L", "L"))
    agents = recovery.agents_on(items, published, ModelOptions(), seed_for)
    assert agents["L"].tolist() == sorted(agents["L"], key=lambda v: f"A{v:.0f}")
    assert agents["CF+L"].mean() == pytest.approx(3, abs=0.16)
    assert agents["CF+L"].std() == pytest.approx(0.8, abs=0.12)


def test_posterior_moments_are_sums_over_every_intercept_and_draw():
    rng, options = np.random.default_rng(2), ModelOptions()
    fit = SystemFit("factorised", rng.normal(2, 1, (30, 3)), rng.dirichlet(np.ones(30)))
    joint = JointPosterior(np.linspace(-3, 1, 7), rng.dirichlet(np.ones(7)), {})
    variance = 1 / (1 / 25 + 3 / 0.64)
    cells, weight = [], []
    for g, alpha in enumerate(joint.alpha):
        given = np.array(
            [
                w * np.exp(-0.5 * (alpha - variance * (e - 3).sum() / 0.64) ** 2 / variance)
                for w, e in zip(fit.weight, fit.ease, strict=True)
            ]
        )
        cells += [e - alpha for e in fit.ease]
        weight += list(joint.mass[g] * given / given.sum())
    mean, covariance = weighted_moments(np.array(cells), np.array(weight))
    found = recovery.posterior_moments(fit, joint, options)
    np.testing.assert_allclose(found[0], mean, rtol=1e-10)
    np.testing.assert_allclose(found[1], covariance, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("tau", [0.0, 1.0])
def test_free_and_fixed_intercepts_give_the_posterior_summed_on_a_grid(tau):
    """Two dimensions and the intercept: small enough to sum prior times likelihood over a grid."""
    options = ModelOptions(tau=tau)
    demand = np.array([[1.0, 0], [3, 2], [0, 4], [2, 4]])
    passed, attempted = np.array([25.0, 14, 9, 8]), np.full(4, 30.0)
    fit = factorised.fit_system(demand, passed, attempted, options, 1)

    def summed(alphas, alpha_sd):
        axis = np.linspace(-0.5, 6.5, 71)
        points = np.array(list(product(alphas, axis, axis)))
        margin = points[:, None, 1:] - demand
        active = demand > 0
        if tau == 0:
            soft = (margin * active).sum(axis=2) / active.sum(axis=1)
        else:
            soft = -np.log((np.exp(-margin) * active).sum(axis=2) / active.sum(axis=1))
        logit = points[:, :1] + soft
        log = (passed * -np.logaddexp(0, -logit) - (attempted - passed) * np.logaddexp(0, logit)).sum(axis=1)
        log += -0.5 * ((points[:, 1:] - 3) ** 2).sum(axis=1) / 0.64 - 0.5 * (points[:, 0] / alpha_sd) ** 2
        weight = np.exp(log - log.max())
        return weighted_moments(points[:, 1:], weight / weight.sum())

    for joint, alphas in (
        (factorised.combine({"a": fit}, (0, 0), options), np.linspace(-4, 3, 71)),
        (JointPosterior(np.array([-0.5]), np.array([1.0]), {}), np.array([-0.5])),
    ):
        mean, covariance = recovery.posterior_moments(fit, joint, options)
        expected, spread = summed(alphas, 5.0)
        sd = np.sqrt(np.diag(spread))
        np.testing.assert_allclose(mean, expected, atol=0.08 * sd.max())
        np.testing.assert_allclose(np.sqrt(np.diag(covariance)), sd, rtol=0.06)


def estimates(truth, mean, sd, **more):
    """One cell of a run from agents × dimensions."""
    dimensions = [f"d{k}" for k in range(truth.shape[1])]
    rows = [
        {"agent": f"a{n}", "dimension": d, "truth": truth[n, k], "mean": mean[n, k], "sd": sd[n, k]}
        for n in range(len(truth))
        for k, d in enumerate(dimensions)
    ]
    figures = {"effective_dimensions": 2.0, "mean_abs_correlation": 0.3, "khat": 0.4, "ess": 900.0}
    return pd.DataFrame(rows).assign(run=1, tau=1.0, intercept="free", n_items=7, **figures | more)


def test_shape_and_level_are_told_apart():
    shape = np.array([[1.0, -1], [-2, 2], [0.5, -0.5]])
    level = np.array([[1.0], [2], [4]])
    flat = estimates(shape + level, shape / 2 + 3 + 0.1 * level, np.full((3, 2), 0.4))
    row = recovery.recovery_summary(flat, 0.8, pd.DataFrame()).iloc[0]
    assert row["shape_r"] == pytest.approx(1)
    assert (row["level_r"], row["level_slope"]) == (pytest.approx(1), pytest.approx(0.1))
    turned = estimates(shape + level, -shape - level, np.full((3, 2), 0.4))
    row = recovery.recovery_summary(turned, 0.8, pd.DataFrame()).iloc[0]
    assert (row["shape_r"], row["level_r"], row["level_slope"]) == (
        pytest.approx(-1),
        pytest.approx(-1),
        pytest.approx(-1),
    )
    assert row["suitability_rho"] is None or np.isnan(row["suitability_rho"])


def test_contraction_and_error_by_hand():
    truth, mean = np.array([[1.0, 2], [3, 4]]), np.array([[1.5, 2], [2, 4]])
    table = estimates(truth, mean, np.array([[0.4, 0.8], [0.8, 0.8]]))
    found = recovery.dimension_recovery(table, 0.8).set_index("dimension")
    assert found["mae"].to_dict() == {"d0": 0.75, "d1": 0.0}
    assert found["contraction"].to_dict() == {"d0": pytest.approx(1 - 0.4 / 0.64), "d1": pytest.approx(0)}
    assert found["r"].to_dict() == {"d0": pytest.approx(1), "d1": pytest.approx(1)}
    assert recovery.recovery_summary(table, 0.8, pd.DataFrame())["worst_contraction"].item() == pytest.approx(
        0
    )
    same = recovery.dimension_recovery(estimates(np.ones((2, 2)), mean, np.full((2, 2), 0.1)), 0.8)
    assert same["r"].isna().all()


def test_independent_dimensions_count_in_full_and_one_shared_error_as_one():
    assert recovery._geometry(np.diag([1.0, 4, 9]))["effective_dimensions"] == pytest.approx(3)
    alike = recovery._geometry(np.full((3, 3), 1 - 1e-9) + 1e-9 * np.eye(3))
    assert alike["effective_dimensions"] == pytest.approx(1, abs=1e-6)
    assert alike["mean_abs_correlation"] == pytest.approx(1, abs=1e-6)


def test_weights_are_shares_of_the_points_of_all_respondents():
    importance = pd.DataFrame(
        [
            ("all", "coding", "L", 3.0),
            ("all", "coding", "MS", 1.0),
            ("all", "coding", "P", 4.0),
            ("all", "idle", "L", 0.0),
            ("all", "idle", "MS", 0.0),
            ("all", "idle", "P", 0.0),
            ("domain", "coding", "L", 99.0),
        ],
        columns=["scope_type", "activity", "capability", "points"],
    )
    members = pd.DataFrame({"dimension": ["L", "APS", "APS"], "capability": ["L", "MS", "P"]})
    found = recovery.activity_weights(importance, members)
    assert found.loc["coding"].to_dict() == {"APS": 5 / 8, "L": 3 / 8}
    assert list(found.index) == ["coding"]
    assert recovery.activity_weights(importance[:0], members).empty


def test_suitability_recovery_by_hand():
    """One activity needs d0 alone: of three pairs the estimates turn one round, and rank 1, 3, 2."""
    truth = pd.DataFrame({"d0": [1.0, 2, 3], "d1": [0.0, 0, 9]})
    mean = pd.DataFrame({"d0": [1.0, 3, 2], "d1": [0.0, 0, 0]})
    weights = pd.DataFrame({"d0": [1.0]}, index=["a"])
    found = recovery.suitability_recovery(truth, mean, weights)
    assert found == {
        "suitability_rho": pytest.approx(0.5),
        "suitability_pairwise_accuracy": pytest.approx(2 / 3),
    }
    tied = recovery.suitability_recovery(truth, mean.assign(d0=5.0), weights)
    assert tied == {"suitability_rho": None, "suitability_pairwise_accuracy": 0.5}


def test_a_free_intercept_keeps_shape_and_loses_the_size_of_level():
    items = battery(60, n_items=8, seed=3)
    agents = pd.DataFrame(np.random.default_rng(4).normal(3, 0.8, (12, 3)), columns=list(items.dimensions))
    agents.index = [f"A{n}" for n in range(12)]
    found = recovery.recover(items, agents, ModelOptions(), seed_for).assign(run=1, tau=1.0)
    row = recovery.recovery_summary(found, 0.8, pd.DataFrame()).set_index("intercept").to_dict("index")
    assert row["free"]["shape_r"] == pytest.approx(row["shared"]["shape_r"], abs=0.03)
    assert row["free"]["shape_r"] > 0.8
    # the level's prior variance .64/3 stands against the intercept's 25: a known sum is shared out between them
    assert row["free"]["level_slope"] == pytest.approx(0.64 / 3 / (25 + 0.64 / 3), rel=0.2)
    assert row["shared"]["level_slope"] > 0.7
    assert row["fixed"]["level_r"] > 0.9
    assert row["free"]["effective_dimensions"] < row["shared"]["effective_dimensions"]
    assert row["free"]["worst_contraction"] < row["shared"]["worst_contraction"]


def test_stored_runs_load_for_the_battery_they_were_made_on_only(tmp_path, monkeypatch):
    monkeypatch.setattr(recovery, "TAUS", (1.0,))
    settings = Settings(home=tmp_path, recovery_runs=1)
    rng = np.random.default_rng(5)
    demand = pd.DataFrame(
        [("b", str(i), d, float(rng.integers(1, 5))) for i in range(30) for d in ("L", "SM")],
        columns=["benchmark", "item", "dimension", "demand"],
    )
    agents = pd.read_csv(PROJECT / "dbt/seeds/published_agents.csv")
    agents = agents[agents["agent"].isin(["A1", "A2", "A3"])]
    importance = pd.DataFrame(columns=["scope_type", "activity", "capability", "points"])
    members = pd.DataFrame({"dimension": ["L", "SM"], "capability": ["L", "SM"]})

    def rows(at_hand):
        tables = validation_files.recovery_tables(at_hand, agents, importance, members, settings)
        return {name: len(frame) for name, frame in tables.items()}

    assert rows(demand) == {"recovery_dimension": 0, "recovery_summary": 0}
    validation_files.run_recovery(demand, agents, settings)
    assert rows(demand) == {"recovery_dimension": 6, "recovery_summary": 3}
    assert rows(demand.assign(demand=demand["demand"] + 0.5)) == {
        "recovery_dimension": 0,
        "recovery_summary": 0,
    }
    with pytest.raises(ValueError, match="no rated items"):
        validation_files.run_recovery(demand[:0], agents, settings)
