"""The battery models on planted ratings and results, against brute-force twins (scipy, scikit-learn, numpy).

One run of the slice's models, with their data and unit tests, serves the whole file.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Hashable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr, zscore
from sklearn.metrics import cohen_kappa_score

from assets.battery.assets import rater_demand
from assets.settings import PROJECT, Settings
from tests.support.battery.slice_build import BatteryPipeline
from tests.support.steps import run_steps

CAPABILITIES = pd.read_csv(PROJECT / "dbt/seeds/seed_capability.csv")["capability"].tolist()
RATERS = ("ann", "bob", "cyd")
ITEMS = [("Fantom", str(i)) for i in range(60)] + [("Homemade", f"{i:03d}") for i in range(60)]
KEY = ["benchmark", "item"]
# cells that are not levels, by rater, item number and capability: of retained and of excluded capabilities
FAULTS = {
    ("ann", 3, "EM"): "2 out of 5",
    ("bob", 4, "SM"): None,
    ("bob", 5, "ProsM"): "6",
    ("cyd", 5, "EM"): "2.5",
    ("cyd", 6, "L"): "-1",
}


def by_key(frame: pd.DataFrame, *key: str) -> dict[tuple[Any, ...], dict[Hashable, Any]]:
    """Rows by their key."""
    return {tuple(row[name] for name in key): row for row in frame.to_dict("records")}


def planted_ratings() -> pd.DataFrame:
    """raw.rating: three raters see the same truth through noise; nobody agrees on ProsM; OP is constant."""
    rng = np.random.default_rng(7)
    family = rng.integers(0, 6, size=(len(ITEMS), 5))
    rows = []
    for rater in RATERS:
        for number, (benchmark, item) in enumerate(ITEMS):
            for k, capability in enumerate(CAPABILITIES):
                noise = rng.integers(-1, 2)
                level = int(np.clip(family[number, k % 5] + noise, 0, 5)) if rng.random() < 0.8 else 0
                level = int(rng.integers(0, 6)) if capability == "ProsM" else level
                level = 2 if capability == "OP" else level
                cell = FAULTS.get((rater, number, capability), f"{level}.0" if number % 2 else str(level))
                rows.append((f"{rater}.csv", number + 2, rater, benchmark, item, capability, cell))
    columns = ["source_file", "row_number", "rater", *KEY, "capability_name", "level"]
    return pd.DataFrame(rows, columns=columns)


def as_annotation(ratings: pd.DataFrame) -> pd.DataFrame:
    """raw.annotation: cyd is a language model; dan is one too, but has a call to go and so must not count."""
    of_cyd = ratings[ratings["rater"] == "cyd"]
    level = pd.to_numeric(of_cyd["level"])
    status = np.where(level.isin(range(6)), "answered", np.where(level == 2.5, "unparsed", "refused"))
    cyd = of_cyd[["rater", *KEY]].assign(
        item_number=of_cyd["row_number"] - 1, capability=of_cyd["capability_name"], status=status,
        level=level.where(level.isin(range(6))), model="m", mode="one", is_comparison=False, is_wanted=True,
        rubric_version="v-" + of_cyd["capability_name"], prompt_version="p", call_id="c",
    )  # fmt: skip
    dan = cyd.assign(rater="dan", level=5, status="answered")
    dan.loc[dan.index[0], ["status", "level"]] = ["pending", None]
    # asked about 40 items once more, all capabilities in one call: a level higher where there is room
    again = cyd[cyd["status"] == "answered"].query("item_number <= 40")
    again = again.assign(mode="all", is_comparison=True, level=np.minimum(again["level"] + 1, 5))
    return pd.concat([cyd, dan, again]).astype({"level": "Int64"})


def planted_results() -> pd.DataFrame:
    """raw.result: alpha twice (second file under an alias), a dated twin, and a system known by results only."""
    rows = []
    for stem, scores in {
        "alpha": {0: "1", 1: "C", 2: "0", 7: "0.5", 8: "", 9: "error", 3: "1"},
        "alpha-rerun": {0: "0", 1: "1", 8: "1", 9: "error"},
        "Beta-2025-08-01": {0: "1", 60: "0"},
        "beta": {0: "I"},
        "gamma": {0: "nonsense"},
    }.items():
        rows += [
            (f"{stem}.csv", line, stem, *ITEMS[number], score)
            for line, (number, score) in enumerate(scores.items(), start=2)
        ]
    rows.append(("alpha.csv", 99, "alpha", *ITEMS[2], "1"))
    return pd.concat(
        [pd.DataFrame(rows, columns=["source_file", "row_number", "system", *KEY, "score"]), planted_log()]
    )


def planted_log() -> pd.DataFrame:
    """An Inspect log of the model behind alpha: item 0 right in one epoch of three, item 1 never finished."""
    epochs: list[tuple[int, str, str | None, str]] = [
        (0, "1", "C", "success"),
        (0, "2", "I", "limit"),
        (0, "3", "I", "success"),
    ]
    epochs += [(1, "1", None, "error"), (2, "1", "C", "invalidated")]
    frame = pd.DataFrame(
        [(*ITEMS[number], *rest) for number, *rest in epochs],
        columns=[*KEY, "epoch", "score", "sample_status"],
    )
    described = {"model": "openai/alpha", "settings": "default", "scaffold": "none", "log_version": "2"}
    return frame.assign(source_file="run.eval", row_number=range(1, 6), system="openai/alpha", **described)


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> BatteryPipeline:
    run = BatteryPipeline(tmp_path_factory.mktemp("battery"), aliases={"alpha-rerun": "alpha"})
    systems = pd.DataFrame(
        {
            "system": ["alpha", "beta", "unrun"],
            "released_on": ["2025-01-31", "last May", None],
            "kind": [None, " Human", "robot"],
        }
    ).assign(source_file="systems.csv", row_number=[2, 3, 4])
    ratings = planted_ratings()
    run.land(
        {
            "raw.rating": ratings[ratings["rater"] != "cyd"],
            "raw.annotation": as_annotation(ratings),
            "raw.result": planted_results(),
            "raw.ai_system": systems,
        }
    )
    run.build()
    return run


@pytest.fixture(scope="module")
def levels() -> pd.DataFrame:
    """Valid levels, item × (rater, capability), NaN where the cell is no level."""
    frame = planted_ratings()
    frame["level"] = pd.to_numeric(frame["level"], errors="coerce")
    frame.loc[~frame["level"].isin(range(6)), "level"] = np.nan
    return frame.pivot(index=KEY, columns=["rater", "capability_name"], values="level")


def test_agreement_equals_scipy_and_scikit_learn(pipeline: BatteryPipeline, levels: pd.DataFrame) -> None:
    found = by_key(pipeline.read("marts.rater_agreement"), "rater_a", "rater_b", "capability")
    assert len(found) == 3 * 18
    for a, b in combinations(RATERS, 2):
        both = levels.loc[:, [a, b]].dropna()
        assert len(both) < len(levels)
        for capability in CAPABILITIES:
            x, y = (both[(rater, capability)].to_numpy(dtype=int) for rater in (a, b))
            row = found[a, b, capability]
            assert row["n_items"] == len(both)
            assert row["mean_absolute_error"] == pytest.approx(np.abs(x - y).mean(), abs=1e-12)
            assert row["within_one_share"] == pytest.approx((np.abs(x - y) <= 1).mean(), abs=1e-12)
            if capability == "OP":
                assert pd.isna(row["spearman_rho"]) and pd.isna(row["weighted_kappa"])
                continue
            assert row["spearman_rho"] == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
            kappa = cohen_kappa_score(x, y, labels=range(6), weights="quadratic")
            assert row["weighted_kappa"] == pytest.approx(kappa, abs=1e-12)


def test_annotations_say_who_made_them_and_by_which_rubric(pipeline: BatteryPipeline) -> None:
    found = by_key(pipeline.read("marts.annotation"), "rater", "capability")
    assert len(found) == 4 * 18
    for (rater, capability), row in found.items():
        is_model = rater in ("cyd", "dan")
        assert row["source"] == ("llm" if is_model else "supplied")
        assert is_model == (row["rubric_version"] == f"v-{capability}") == (row["model"] == "m")
        assert row["is_used"] == (rater != "dan") and row["n_cells"] == len(ITEMS)
    assert found["cyd", "EM"]["n_unparsed"] == found["cyd", "L"]["n_refused"] == 1
    assert found["bob", "SM"]["n_blank"] == found["ann", "EM"]["n_unparsed"] == 1
    assert sum(row["n_pending"] for row in found.values()) == 1
    assert "dan" not in set(pipeline.read("staging.stg_rating")["rater"])


def test_the_two_modes_of_asking_are_compared(pipeline: BatteryPipeline) -> None:
    found = by_key(pipeline.read("marts.annotation_mode_agreement"), "rater", "capability")
    assert len(found) == 18
    ratings = planted_ratings().query("rater == 'cyd' and row_number <= 41")
    for capability in CAPABILITIES:
        x = pd.to_numeric(ratings[ratings["capability_name"] == capability]["level"])
        x = x[x.isin(range(6))].astype(int)
        y = np.minimum(x + 1, 5)
        row = found["cyd", capability]
        assert row["n_items"] == len(x) and row["within_one_share"] == 1
        if capability != "OP":
            kappa = cohen_kappa_score(x, y, labels=range(6), weights="quadratic")
            assert row["weighted_kappa"] == pytest.approx(kappa, abs=1e-12)
            assert row["spearman_rho"] == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


def test_only_the_capability_without_agreement_is_dropped(pipeline: BatteryPipeline) -> None:
    capability = pipeline.read("marts.capability").set_index("capability")
    assert len(capability) == 18
    assert capability.index[~capability["is_retained"]].tolist() == ["ProsM"]
    assert capability["dimension"].isna().sum() == 1


def test_battery_needs_every_rater_on_retained_capabilities(pipeline: BatteryPipeline) -> None:
    items = pipeline.read("intermediate.int_battery_item").set_index(KEY)["is_valid"]
    assert len(items) == len(ITEMS)
    # item 5 fails by cyd's EM; its ProsM would have done no harm
    assert sorted(items.index[~items].tolist()) == sorted(ITEMS[i] for i in (3, 4, 5, 6))
    assert ("Homemade", "007") in items.index


@pytest.fixture(scope="module")
def battery_levels(levels: pd.DataFrame) -> pd.DataFrame:
    return levels.drop(columns="ProsM", level="capability_name").dropna()


def test_consensus_keeps_the_raters_disagreement(
    pipeline: BatteryPipeline, battery_levels: pd.DataFrame
) -> None:
    found = pipeline.read("intermediate.int_consensus").set_index([*KEY, "capability"]).sort_index()
    by_rater = battery_levels.stack(level="capability_name", future_stack=True).sort_index().to_numpy()
    assert len(found) == len(by_rater) == 116 * 17
    for column, expected in (
        ("consensus", np.mean(by_rater, axis=1)),
        ("rater_sd", np.std(by_rater, axis=1, ddof=1)),
        ("rater_range", np.ptp(by_rater, axis=1)),
    ):
        np.testing.assert_allclose(found[column].astype(float), expected, atol=1e-12)


def krippendorff_alpha(levels: pd.DataFrame) -> float:
    """By definition, from pairs of single ratings; levels: items × raters, NaN = missing."""
    units = [row[~np.isnan(row)] for row in levels.to_numpy() if (~np.isnan(row)).sum() > 1]
    every = np.concatenate(units)
    n = np.array([(every == level).sum() for level in range(6)])
    between = np.array([[n[min(a, b) : max(a, b) + 1].sum() for b in range(6)] for a in range(6)])
    distance = (between - (n[:, None] + n[None, :]) / 2) ** 2
    np.fill_diagonal(distance, 0)

    def total(values: Any) -> float:
        of = values.astype(int)
        return float(distance[np.ix_(of, of)].sum())

    observed = sum(total(unit) / (len(unit) - 1) for unit in units) / len(every)
    return 1 - observed / (total(every) / (len(every) * (len(every) - 1)))


def test_alpha_over_all_raters_equals_its_definition(pipeline: BatteryPipeline, levels: pd.DataFrame) -> None:
    found = pipeline.read("marts.rater_agreement_overall").set_index("capability")
    pairs = (
        pipeline.read("marts.rater_agreement")
        .groupby("capability")[["spearman_rho", "weighted_kappa"]]
        .mean()
    )
    assert len(found) == 18 and set(found["n_raters"]) == {3} and set(found["n_items"]) == {len(ITEMS)}
    for capability in CAPABILITIES:
        row = found.loc[capability]
        if capability == "OP":
            assert pd.isna(row["krippendorff_alpha"])
            continue
        expected = krippendorff_alpha(levels.loc[:, [(rater, capability) for rater in RATERS]])
        assert row["krippendorff_alpha"] == pytest.approx(expected, abs=1e-12)
        assert row["mean_spearman_rho"] == pytest.approx(pairs.loc[capability, "spearman_rho"], abs=1e-12)
        assert row["mean_weighted_kappa"] == pytest.approx(pairs.loc[capability, "weighted_kappa"], abs=1e-12)
        assert row["is_retained"] == (row["mean_spearman_rho"] >= 0.3 or row["mean_weighted_kappa"] >= 0.3)


def test_correlation_equals_numpy(pipeline: BatteryPipeline, battery_levels: pd.DataFrame) -> None:
    varying = sorted(set(CAPABILITIES) - {"ProsM", "OP"})
    z = np.mean([zscore(battery_levels[rater][varying].to_numpy(), axis=0) for rater in RATERS], axis=0)
    expected = np.corrcoef(z.T)
    found = by_key(pipeline.read("intermediate.int_capability_correlation"), "capability_a", "capability_b")
    assert len(found) == 17 * 18 / 2
    for (a, b), row in found.items():
        if "OP" in (a, b):
            assert pd.isna(row["r"])
        else:
            assert row["r"] == pytest.approx(expected[varying.index(a), varying.index(b)], abs=1e-12)


def test_demand_and_its_levels_equal_numpy(pipeline: BatteryPipeline, battery_levels: pd.DataFrame) -> None:
    totals = battery_levels.T.groupby(level="capability_name").sum().T
    demand = pipeline.read("intermediate.int_demand").pivot(index=KEY, columns="dimension", values="demand")
    members = pipeline.read("intermediate.int_dimension_member").groupby("dimension")["capability"].agg(list)
    assert (members.str.len() > 1).any()
    level_table = by_key(pipeline.read("marts.demand_level"), "dimension", "level")
    assert len(level_table) == 5 * len(members)
    for dimension, capabilities in members.items():
        n_active = (totals[capabilities] > 0).sum(axis=1)
        expected = (totals[capabilities].sum(axis=1) / (len(RATERS) * n_active)).fillna(0)
        np.testing.assert_allclose(demand[dimension].loc[expected.index], expected, atol=1e-12)
        rounded = np.round(expected)
        for level in range(1, 6):
            row = level_table[dimension, level]
            assert row["n_items"] == (rounded == level).sum()
            assert row["share_of_active"] == pytest.approx((rounded == level).sum() / (rounded > 0).sum())
            assert row["coverage_share"] == pytest.approx((expected > 0).mean())


def test_responses_are_means_of_scored_attempts(pipeline: BatteryPipeline) -> None:
    response = by_key(pipeline.read("intermediate.int_response"), "system", *KEY)
    found = {key[1:]: (row["score"], row["n_attempts"]) for key, row in response.items() if key[0] == "alpha"}
    assert found == {ITEMS[0]: (0.5, 2), ITEMS[1]: (1.0, 2), ITEMS[2]: (0.0, 1), ITEMS[8]: (1.0, 1)}


def test_only_who_is_called_human_is_a_person(pipeline: BatteryPipeline) -> None:
    """Blank, unreadable and absent from systems.csv are AI systems."""
    described = pipeline.read("staging.stg_ai_system").set_index("system")["kind"].to_dict()
    by_default = dict.fromkeys(("alpha", "openai/alpha", "gamma", "unrun", "Beta-2025-08-01"), "ai")
    assert described == by_default | {"beta": "human"}
    assert pipeline.read("marts.ai_system").set_index("system")["kind"].to_dict() == {
        system: kind for system, kind in described.items() if system != "unrun"
    }


def test_systems_keep_their_denominator_and_their_settings(pipeline: BatteryPipeline) -> None:
    systems = by_key(pipeline.read("marts.ai_system"), "system")
    columns = ("n_items", "n_scored", "n_unscored", "n_errored")
    assert {key[0]: [row[c] for c in columns] for key, row in systems.items()} == {
        "alpha": [6, 4, 1, 1],
        "Beta-2025-08-01": [2, 2, 0, 0],
        "beta": [1, 1, 0, 0],
        "gamma": [1, 0, 1, 0],
        "openai/alpha": [3, 1, 1, 1],
    }
    logged = systems[("openai/alpha",)]
    assert logged["accuracy"] == pytest.approx(1 / 3)
    assert [logged[c] for c in ("model", "settings", "scaffold")] == ["openai/alpha", "default", "none"]
    # Beta-2025-08-01 looks like beta, and openai/alpha like alpha
    assert pipeline.messages["no_twin_systems_stg_ai_system_system"].startswith("Got 2 results")
    assert systems[("alpha",)]["accuracy"] == pytest.approx(2.5 / 4)
    assert pd.isna(systems[("gamma",)]["accuracy"])


def test_rejects_say_where_and_why(pipeline: BatteryPipeline) -> None:
    ratings = pipeline.read("staging.stg_rating_reject")
    reasons = by_key(ratings, "source_file", "row_number", "column_name")
    assert {key: row["reason"] for key, row in reasons.items()} == {
        ("ann.csv", 5, "EM"): "not a whole number from 0 to 5",
        ("bob.csv", 6, "SM"): "blank cell",
        ("bob.csv", 7, "ProsM"): "not a whole number from 0 to 5",
        ("llm:cyd", 6, "EM"): "the answer of the rater model could not be read",
        ("llm:cyd", 7, "L"): "the rater model refused to answer",
    }
    results = pipeline.read("staging.stg_result_reject").set_index(["source_file", "row_number"])["reason"]
    assert results.loc[("alpha.csv", 99)] == "item stands twice in this file; its first row counts"
    assert results.loc[("gamma.csv", 2)] == "unreadable score"
    systems = pipeline.read("staging.stg_ai_system_reject")
    assert set(systems[["row_number", "column_name", "value"]].itertuples(index=False, name=None)) == {
        (3, "released_on", "last May"),
        (4, "kind", "robot"),
    }


@pytest.mark.parametrize(
    "test",
    [
        "no_twin_systems_stg_ai_system_system",
        "stg_ai_system_stands_in_systems_csv",
        "stg_ai_system_has_a_results_file",
        "stg_ai_system_is_fully_described",
        "int_dimension_member_is_named_in_seed_dimension",
        "benchmark_is_declared_in_seed_benchmark_family",
    ],
)
def test_oddities_warn_and_block_nothing(pipeline: BatteryPipeline, test: str) -> None:
    assert pipeline.status[test] == "warn"


def test_every_other_node_succeeds(pipeline: BatteryPipeline) -> None:
    assert set(pipeline.status.values()) == {"success", "pass", "warn"}
    assert list(pipeline.status.values()).count("warn") == 6


def test_results_that_find_no_items_block_the_responses(pipeline: BatteryPipeline) -> None:
    """Last in the file: it leaves the warehouse with a results file whose dataset name is misspelt."""
    misspelt = planted_results().replace({"benchmark": {"Fantom": "fantom"}})
    pipeline.land({"raw.result": misspelt})
    assert not pipeline.dbt("build", "-s", "stg_result", "int_result_item", "int_system_item")
    floor = next(name for name in pipeline.status if name.startswith("join_coverage_floor"))
    assert pipeline.status[floor] == "fail"
    assert pipeline.status["int_system_item"] == "skipped"


def test_consensus_can_be_the_posterior_of_the_rater_model(pipeline: BatteryPipeline, tmp_path: Path) -> None:
    """One more dbt run on a copy of the warehouse: each demand is the rater model's, by key; the mean's zeros stay."""
    assert pipeline.read("estimate.rater_demand").empty
    mean = pipeline.read("intermediate.int_consensus").set_index([*KEY, "capability"])
    assert mean["consensus_sd"].isna().all()
    other = BatteryPipeline(tmp_path)
    with pipeline.warehouse.connect() as connection:
        # dbt ran in this process and may still have it open: all must stand in the file before it is copied
        connection.execute("checkpoint")
    shutil.copy(pipeline.warehouse.path, other.warehouse.path)
    run_steps(other.warehouse, Settings(consensus="posterior"), rater_demand)
    variables = json.dumps(Settings(consensus="posterior").dbt_vars())
    assert other.dbt("run", "-s", "int_consensus", "int_demand", "--vars", variables), other.failures()
    found = other.read("intermediate.int_consensus").set_index([*KEY, "capability"]).loc[mean.index]
    posterior = other.read("estimate.rater_demand").set_index([*KEY, "capability"]).loc[mean.index]
    np.testing.assert_array_equal(found["consensus"], posterior["demand"])
    np.testing.assert_array_equal(found["consensus_sd"], posterior["demand_sd"])
    assert ((found["consensus"] == 0) == (mean["consensus"] == 0)).all()
    assert np.corrcoef(found["consensus"], mean["consensus"])[0, 1] > 0.9
    member = other.read("intermediate.int_dimension_member")
    joined = found.reset_index().merge(member, on="capability")
    active = joined[joined["consensus"] > 0].groupby([*KEY, "dimension"])["consensus"].mean()
    demand = other.read("intermediate.int_demand").set_index([*KEY, "dimension"])["demand"]
    np.testing.assert_allclose(demand, active.reindex(demand.index).fillna(0), atol=1e-12)
