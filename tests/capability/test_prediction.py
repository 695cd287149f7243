"""Held-out predictions against integrals and known truth; curves against chance; what is made anew and what isn't."""

from dataclasses import replace

import dagster as dg
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import binom
from sklearn.metrics import brier_score_loss, roc_auc_score

from assets.capability import assets as slice_assets
from assets.capability.check import posterior_checks
from assets.capability.check.item_table import Answers, Draws, answers_of, item_table, log_likelihood
from assets.capability.check.prediction import N_FOLDS, characteristic_curve, folds, held_out_predictions
from assets.capability.fit import fit_quality, fit_store
from assets.capability.fit.layout import item_logit
from assets.parts import part_files
from assets.settings import Settings
from dagster_project.resources import DuckDBWarehouse
from tests.support.capability.item_worlds import OPTIONS, Line, answered, posterior
from tests.support.dbt_run import WAREHOUSE_NAME, run_dbt
from tests.support.steps import MemoryWarehouse

TRUSTED, NEVER_TRUSTED = 0.7, -np.inf


def test_ten_folds_part_the_items_by_name_alone():
    answers, _ = answered(np.random.default_rng(1), 4000, np.array([3.0]))
    fold = folds(answers.benchmark, answers.item)
    assert np.all(np.bincount(fold, minlength=N_FOLDS) > 330)
    assert set(fold) == set(range(N_FOLDS))
    order = np.random.default_rng(0).permutation(4000)[:700]
    np.testing.assert_array_equal(folds(answers.benchmark[order], answers.item[order]), fold[order])
    renamed = folds(np.full(4000, "z", dtype=object), answers.item)
    assert 300 < np.sum(renamed == fold) < 500


@pytest.mark.parametrize("max_khat", [TRUSTED, NEVER_TRUSTED])
def test_one_dimension_is_predicted_as_the_integral_without_the_fold(max_khat):
    answers, _ = answered(np.random.default_rng(2), 50, np.array([3.0]))
    fold = folds(answers.benchmark, answers.item)
    draws = Line(answers).draws()
    table = held_out_predictions(answers, draws, OPTIONS, max_khat, 1)
    seen = Line(answers).success(answers.demand[:, 0])
    without = np.empty(50)
    for f in range(N_FOLDS):
        without[fold == f] = Line(answers.where(fold != f)).success(answers.demand[fold == f, 0])
    np.testing.assert_allclose(table["predicted"], without, atol=0.006)
    assert np.abs(seen - without).max() > 0.02, "seeing the fold makes a difference that would show"
    assert table["fold"].tolist() == fold.tolist()
    assert table["score"].tolist() == answers.score.tolist()


def test_a_fold_fitted_anew_never_sees_its_items():
    answers, _ = answered(np.random.default_rng(3), 200, np.array([3.0, 2.0]), idle=20)
    fold = folds(answers.benchmark, answers.item)
    other = replace(answers, score=np.where(fold == 3, 1 - answers.score, answers.score))
    draws = Draws(np.random.default_rng(0).normal(3, 1, (500, 2)), np.zeros(500))
    a, b = (held_out_predictions(x, draws, OPTIONS, NEVER_TRUSTED, 1)["predicted"] for x in (answers, other))
    np.testing.assert_array_equal(a[fold == 3], b[fold == 3])
    assert (a[fold != 3] != b[fold != 3]).all()


def test_weights_predict_as_fitting_anew_does():
    answers, _ = answered(np.random.default_rng(4), 600, np.array([3.5, 2.0, 3.0]), -0.3, idle=60)
    draws = posterior(answers)
    a, b = (held_out_predictions(answers, draws, OPTIONS, k, 1) for k in (TRUSTED, NEVER_TRUSTED))
    assert a["khat"].max() < TRUSTED
    difference = a["predicted"] - b["predicted"]
    assert np.sqrt((difference**2).mean()) < 0.004
    assert difference.abs().max() < 0.02


def test_a_calibrated_world_is_predicted_calibrated():
    """Brier near E[p (1 - p)], each tenth of probability on the diagonal within chance."""
    answers, truth = answered(np.random.default_rng(5), 5000, np.array([4.0, 3.0, 3.5]))
    table = held_out_predictions(answers, posterior(answers), OPTIONS, TRUSTED, 1)
    brier = brier_score_loss(table["score"], table["predicted"])
    floor = (truth * (1 - truth)).mean()
    # the closed form, its own chance, and the little that 4,500 items leave unknown
    chance = np.sqrt((truth * (1 - truth) * (1 - 2 * truth) ** 2).sum()) / 5000
    assert abs(brier - floor) < 3 * chance + 0.001
    for _, rows in table.groupby(np.floor(table["predicted"] * 10)):
        sd = np.sqrt((rows["predicted"] * (1 - rows["predicted"])).sum()) / len(rows)
        assert abs(rows["score"].mean() - rows["predicted"].mean()) < 3.5 * sd + 0.01


def test_likelihood_is_the_product_of_the_layouts_probabilities():
    rng = np.random.default_rng(6)
    answers, _ = answered(rng, 700, np.array([3.0, 1.0]), idle=5)
    answers = replace(answers, score=np.where(rng.random(700) < 0.1, 0.3, answers.score))
    c, alpha = rng.normal(3, 1, (4, 2)), rng.normal(0, 1, 4)
    for options in (OPTIONS, replace(OPTIONS, tau=0.5, lam=1.3)):
        expected = []
        for s in range(4):
            p = expit(item_logit(c[s], alpha[s], answers.demand, options.tau, options.lam))
            expected.append((answers.score * np.log(p) + (1 - answers.score) * np.log1p(-p)).sum())
        found = log_likelihood(answers, Draws(c + alpha[:, None], alpha), options)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_odds_beyond_all_reason_stay_finite():
    answers, _ = answered(np.random.default_rng(7), 300, np.array([3.0]))
    draws = Draws(np.array([[-500.0], [500.0]]), np.array([-500.0, 500.0]))
    assert np.isfinite(log_likelihood(answers, draws, OPTIONS)).all()


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_answers_all_alike_are_predicted_finite(score):
    answers, _ = answered(np.random.default_rng(8), 30, np.array([3.0, 3.0]))
    answers = replace(answers, score=np.full(30, score))
    table = held_out_predictions(answers, posterior(answers), OPTIONS, TRUSTED, 1)
    assert np.isfinite(table["predicted"]).all()
    assert ((table["predicted"] > 0.5) == (score == 1)).mean() > 0.9


def test_a_curve_of_known_profile_holds_chance_and_nothing_else():
    answers, _ = answered(np.random.default_rng(9), 600, np.array([3.0]))
    draws = Draws(np.full((1000, 1), 3.0), np.zeros(1000))
    curve = characteristic_curve(answers, ("L",), draws, OPTIONS, 1).set_index("level")
    assert curve["n_items"].sum() == 600
    assert set(curve.index) == {1, 2, 3, 4, 5}
    for level in curve.index:
        row = curve.loc[level]
        here = answers.demand[:, 0] == level
        p = expit(3.0 - level)
        assert row["n_items"] == here.sum()
        assert row["observed"] == pytest.approx(answers.score[here].mean())
        assert row["predicted"] == pytest.approx(p)
        low, high = binom.ppf([0.025, 0.975], here.sum(), p) / here.sum()
        assert row["q025"] == pytest.approx(low, abs=0.015)
        assert row["q975"] == pytest.approx(high, abs=0.015)


def test_curves_hold_what_a_world_of_the_model_shows_and_miss_what_it_cannot():
    answers, _ = answered(np.random.default_rng(10), 3000, np.array([4.0, 3.0, 3.5]))
    answers = replace(answers, demand=answers.demand + np.where(answers.demand > 0, 0.2, 0))
    names = ("EM", "L", "OP")
    curve = characteristic_curve(answers, names, posterior(answers), OPTIONS, 1)
    assert len(curve) == 18 and set(curve["level"]) == set(range(6))
    inside = (curve["observed"] >= curve["q025"]) & (curve["observed"] <= curve["q975"])
    assert inside.sum() >= 15
    # success that jumps with the level and falls back is no curve of this model
    wrong = replace(answers, score=(np.rint(answers.demand[:, 0]) % 2 == 0) * 1.0)
    curve = characteristic_curve(wrong, names, posterior(wrong), OPTIONS, 1)
    first = curve[curve["dimension"] == "EM"]
    assert ((first["observed"] < first["q025"]) | (first["observed"] > first["q975"])).sum() >= 4


def tables(seed=11, n_items=120):
    rng = np.random.default_rng(seed)
    items = [f"{i:03d}" for i in range(n_items)]
    demand = pd.DataFrame(
        [
            ("x" if int(i) % 3 else "y", i, d, float(rng.choice([0, 1, 3])))
            for i in items
            for d in ("L", "EM")
        ],
        columns=["benchmark", "item", "dimension", "demand"],
    )
    response = pd.DataFrame(
        [
            (s, "x" if int(i) % 3 else "y", i, float(rng.choice([0, 1, 1, 0.5])), 1)
            for s in ("b", "a")
            for i in items
            if s == "a" or rng.random() < 0.8
        ],
        columns=["system", "benchmark", "item", "score", "n_attempts"],
    )
    return demand, response


def test_items_meet_scores_by_name_whatever_the_order_of_rows():
    demand, response = tables()
    wide = item_table(demand, response)
    pd.testing.assert_frame_equal(
        item_table(demand.sample(frac=1, random_state=1), response.sample(frac=1, random_state=2)), wide
    )
    level = demand.set_index(["benchmark", "item", "dimension"])["demand"]
    own = answers_of(wide, "b", ("EM", "L"))
    expected = response[response["system"] == "b"].sort_values(["benchmark", "item"])
    assert own.item.tolist() == expected["item"].tolist()
    assert own.score.tolist() == expected["score"].tolist()
    for b, i, row in zip(own.benchmark, own.item, own.demand, strict=True):
        assert row.tolist() == [level[b, i, "EM"], level[b, i, "L"]]


def store_draws(home, systems=("a", "b"), shift=0.0):
    rng = np.random.default_rng(12)
    draws = rng.normal(2.5, 0.2, (4, 200, 2, 2))[:, :, : len(systems)]
    draws[:, :, 0] += shift
    made = fit_quality.Posterior("nuts", systems, ("EM", "L"), draws, rng.normal(0, 0.2, (4, 200)), 0)
    fit_store.write_posterior(home / fit_store.DRAWS, made, "f", is_converged=True)


def read(home, table):
    return pd.concat(
        [pd.read_parquet(path) for path in part_files(posterior_checks.folder(home, table))],
        ignore_index=True,
    )


def test_only_what_changed_is_checked_again(tmp_path):
    settings, (demand, response) = Settings(home=tmp_path), tables()
    store_draws(tmp_path)
    posterior_checks.write_items(tmp_path, demand, response)
    assert posterior_checks.check_stale_systems(settings, print) == ["a", "b"]
    first = {table: read(tmp_path, table) for table in posterior_checks.TABLES}
    posterior_checks.write_items(tmp_path, demand.iloc[::-1], response.sample(frac=1, random_state=1))
    assert posterior_checks.check_stale_systems(settings, print) == []

    last = response.index[response["system"] == "b"][-1]
    posterior_checks.write_items(
        tmp_path, demand, response.assign(score=response["score"].where(response.index != last, 0.25))
    )
    assert posterior_checks.check_stale_systems(settings, print) == ["b"]
    store_draws(tmp_path, shift=0.1)
    assert posterior_checks.check_stale_systems(settings, print) == ["a"]
    assert posterior_checks.check_stale_systems(replace_settings(settings, slope=1.1), print) == ["a", "b"]

    store_draws(tmp_path)
    posterior_checks.write_items(tmp_path, demand, response)
    assert posterior_checks.check_stale_systems(settings, print) == ["a", "b"]
    for table in posterior_checks.TABLES:
        pd.testing.assert_frame_equal(read(tmp_path, table), first[table])

    store_draws(tmp_path, ("a",))
    posterior_checks.check_stale_systems(settings, print)
    assert set(read(tmp_path, "item_prediction")["system"]) == {"a"}
    assert [
        len(list((tmp_path / posterior_checks.CHECKS / t).iterdir())) for t in posterior_checks.TABLES
    ] == [1, 1, 1]


def replace_settings(settings, **changes):
    return settings.model_copy(update=changes)


def test_items_of_another_refresh_are_refused_by_name(tmp_path):
    demand, response = tables()
    store_draws(tmp_path)
    with pytest.raises(FileNotFoundError, match="estimate/prediction_input"):
        posterior_checks.check_stale_systems(Settings(home=tmp_path), print)
    posterior_checks.write_items(tmp_path, demand, response[response["system"] == "a"])
    with pytest.raises(ValueError, match=r"lacks score_b.*estimate/prediction_input"):
        posterior_checks.check_stale_systems(Settings(home=tmp_path), print)


def load(home, demand, response):
    warehouse = MemoryWarehouse({"intermediate.int_demand": demand, "intermediate.int_response": response})
    result = dg.materialize(
        [slice_assets.prediction_input, slice_assets.posterior_check, slice_assets.posterior_check_tables],
        resources={"warehouse": warehouse, "settings": Settings(home=home)},
    )
    assert result.success
    return warehouse.tables


def test_assets_load_every_declared_table(tmp_path):
    demand, response = tables()
    store_draws(tmp_path)
    loaded = load(tmp_path, demand, response)
    assert len(loaded["estimate.item_prediction"]) == len(response)
    assert loaded["estimate.item_influence"].groupby("system").size().tolist() == [20, 20]
    assert set(loaded["estimate.characteristic_curve"]["dimension"]) == {"EM", "L"}


def test_no_systems_load_empty_tables(tmp_path):
    demand, response = tables()
    nothing = fit_quality.Posterior("factorised", (), (), np.empty((1, 0, 0, 0)), np.empty((1, 0)), 0)
    fit_store.write_posterior(tmp_path / fit_store.DRAWS, nothing, "f", is_converged=True)
    loaded = load(tmp_path, demand.iloc[:0], response.iloc[:0])
    assert [len(loaded[f"estimate.{table}"]) for table in posterior_checks.TABLES] == [0, 0, 0]


MARTS = (
    *("item_prediction_quality", "reliability", "characteristic_curve"),
    *("item_influence", "posterior_correlation"),
    *("stg_item_prediction", "stg_characteristic_curve", "stg_item_influence", "stg_capability_draw"),
)


def test_marts_score_as_scikit_learn_does(tmp_path, dbt_target):
    """Real tables through dbt: AUROC with ties and part scores, Brier, reliability, correlation."""
    demand, response = tables(n_items=300)
    response.loc[(response["system"] == "b") & (response["benchmark"] == "y"), "score"] = 1.0
    store_draws(tmp_path)
    loaded = load(tmp_path, demand, response)
    warehouse = DuckDBWarehouse(tmp_path / WAREHOUSE_NAME)
    draws = (
        fit_store.draw_table(fit_store.read_posterior(tmp_path / fit_store.DRAWS))
        .to_pandas()
        .drop(columns="intercept")
    )
    warehouse.write(
        {f"estimate.{t}": loaded[f"estimate.{t}"] for t in posterior_checks.TABLES}
        | {"estimate.capability_draw": draws}
    )
    with warehouse.connect() as connection:
        connection.execute("create schema marts")
        for column in ("system", "dimension"):
            mart = {"system": "ai_system"}.get(column, column)
            connection.execute(
                f"create table marts.{mart} as select distinct {column} from estimate.capability_draw"
            )
    run = run_dbt(tmp_path, "build", "-s", *MARTS, parsed=dbt_target)
    assert run.success, run.failures
    assert list(run.status.values()).count("pass") > 20

    prediction = loaded["estimate.item_prediction"]
    assert prediction["predicted"].duplicated().any()
    quality = warehouse.read("marts.item_prediction_quality")
    assert len(quality) == 6
    for row in quality.to_dict("records"):
        system, benchmark = row["system"], row["benchmark"]
        own = prediction[prediction["system"] == system]
        own = own[own["benchmark"] == benchmark] if benchmark != "all" else own
        score, p = own["score"].to_numpy(), own["predicted"].to_numpy()
        assert row["n_items"] == len(own)
        assert row["observed"] == pytest.approx(score.mean(), abs=1e-12)
        assert row["predicted"] == pytest.approx(p.mean(), abs=1e-12)
        assert row["brier"] == pytest.approx(((score - p) ** 2).mean(), abs=1e-12)
        if (system, benchmark) == ("b", "y"):
            assert pd.isna(row["auroc"])
            continue
        label, weight = np.repeat([1, 0], len(own)), np.concatenate([score, 1 - score])
        expected = roc_auc_score(label, np.tile(p, 2), sample_weight=weight)
        assert row["auroc"] == pytest.approx(expected, abs=1e-9)
    reliability = warehouse.read("marts.reliability").set_index(["system", "bin"])
    tenth = np.floor(prediction["predicted"] * 10).astype(int)
    for key, rows in prediction.groupby(["system", tenth]):
        row = reliability.loc[key]
        assert (row["n_items"], row["observed"]) == (len(rows), pytest.approx(rows["score"].mean()))
    correlation = warehouse.read("marts.posterior_correlation")
    wide = draws.pivot(index=["system", "chain", "draw"], columns="dimension", values="value")
    for r in correlation.to_dict("records"):
        own = wide.loc[r["system"]]
        expected = np.corrcoef(own[r["dimension_a"]], own[r["dimension_b"]])[0, 1]
        assert r["r"] == pytest.approx(expected)
    assert len(correlation) == 4
    assert len(warehouse.read("marts.item_influence")) == 40


def test_khat_of_weights_all_alike_is_told_as_unknown():
    answers = Answers(
        np.array(["x", "x"], object),
        np.array(["1", "2"], object),
        np.array([[1.0], [0.0]]),
        np.array([1.0, 0.0]),
    )
    table = held_out_predictions(answers, Draws(np.full((100, 1), 3.0), np.zeros(100)), OPTIONS, TRUSTED, 1)
    assert table["khat"].isna().all()
    assert table["predicted"].tolist() == pytest.approx([expit(2.0), 0.5])
