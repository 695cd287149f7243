"""The battery models on planted ratings and results, against brute-force twins (scipy, scikit-learn, numpy).

One run of the slice's models, with their data and unit tests, serves the whole file.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr, zscore
from sklearn.metrics import cohen_kappa_score

from assets.settings import PROJECT
from tests.battery.pipeline import BatteryPipeline

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
    run.land({"raw.rating": planted_ratings(), "raw.result": planted_results(), "raw.ai_system": systems})
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
    place = list(
        zip(ratings["source_file"].str[:-4], ratings["row_number"] - 2, ratings["column_name"], strict=True)
    )
    assert sorted(place) == sorted(FAULTS)
    assert ratings["reason"].value_counts().to_dict() == {
        "not a whole number from 0 to 5": 4,
        "blank cell": 1,
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
    assert pipeline.dbt("build", "-s", "stg_result", "int_result_item", "int_system_item") == 1
    floor = next(name for name in pipeline.status if name.startswith("join_coverage_floor"))
    assert pipeline.status[floor] == "fail"
    assert pipeline.status["int_system_item"] == "skipped"
