"""The slice from files to marts on one build: faults that are told, systems that are flagged, numbers that agree.

The dbt unit tests of the slice (hand-computed rows) run in the same build.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assets.common.warehouse import declared_tables
from assets.propensity.assets import ASSESSED, ESTIMATED, assessor, propensity_position
from assets.propensity.propensity_ledger import askable
from assets.propensity.two_by_two import BandError, check_bands, with_open_ends
from assets.settings import Settings
from assets.sources.readers import read_propensity_items, read_propensity_responses
from dagster_project.resources import DuckDBWarehouse
from tests.support.dbt_run import OVER_ESTIMATES, WAREHOUSE_NAME, over_estimates, run_dbt
from tests.support.factories import write_propensity_items, write_propensity_responses
from tests.support.propensity.simulated import bands, probability, respond
from tests.support.steps import run_steps

LEVELS = [*map(str, range(-3, 4)), "none"]
BROKEN: list[tuple[dict[str, object], str]] = [
    ({"item_id": "x1", "lower": 1, "upper": 1}, "band is empty: lower equals upper"),
    ({"item_id": "x2", "lower": 2, "upper": 1}, "band is empty: lower is above upper"),
    ({"item_id": "x3", "lower": "NaN"}, "bound is no number"),
    ({"item_id": "x4", "upper": 3.5}, "bound outside -3 to 3"),
    ({"item_id": "x5", "option_b": None}, "missing option"),
    ({"item_id": "i000"}, "item stands twice for this propensity; its first usable row counts"),
    ({"item_id": "x6", "lower": 0.999999999999}, "band is narrower than 0.1: no position can be told on it"),
    ({"item_id": "x7", "option_b": "X"}, "two options are the same"),
    # the row after it is sound
    ({"item_id": "y1", "lower": None}, "bound is no number"),
]
# spelt as people spell: all are used
SOUND: list[dict[str, object]] = [
    {"item_id": "y1"},
    {"item_id": "y2", "correct": "\u00a0A "},
    {"item_id": "y3", "lower": "\u00a0-1e0", "upper": "+1.0\u00a0"},
    {"item_id": "y4", "propensity": " RISK\u00a0"},
]


# an item that a model wrote and one that it refused; answers to the first: one read, one refused, one not asked yet
WRITTEN = {"propensity": "risk", "source_file": "ledger", "item": "w1"}
TEXTS = {
    "benchmark": "w",
    "prompt": "Choose",
    "option_a": "x",
    "option_b": "y",
    "option_c": "z",
    "correct": "a",
}
LEDGER: dict[str, list[dict[str, object]]] = {
    "raw.propensity_llm_item": [
        WRITTEN
        | TEXTS
        | {"row_number": 1, "lower_bound": "-1.5", "upper_bound": "0.5", "status": "answered"},
        WRITTEN | {"row_number": 2, "item": "w2", "status": "refused"},
    ],
    "raw.propensity_llm_response": [
        WRITTEN
        | {
            "system": "asked",
            "row_number": n,
            "incitation": level,
            "chosen": option,
            "is_correct": right,
            "status": status,
        }
        for n, (level, option, right, status) in enumerate(
            (("none", "a", "1", "answered"), ("1", None, None, "refused"), ("2", None, None, "pending")),
            start=1,
        )
    ],
}


def land(table: str, rows: list[dict[str, object]]) -> pd.DataFrame:
    """Rows as the table has them; what they lack is NULL."""
    return pd.DataFrame(rows, dtype=object).reindex(columns=list(declared_tables()[table]))


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> DuckDBWarehouse:
    folder = tmp_path_factory.mktemp("propensity")
    sources = folder / "sources"
    rng = np.random.default_rng(5)
    items = bands(rng, 120)
    sound: list[dict[str, Any]] = [
        {"item_id": i, "lower": low, "upper": up, "benchmark": "ab"[k % 2]}
        for k, (i, low, up) in enumerate(items[["item", "lower", "upper"]].itertuples(index=False))
    ]
    write_propensity_items(sources, rows=[*sound, *(row for row, _ in BROKEN), *SOUND])
    own = {"plain": 0.5, "steered": -0.2}
    fits = pd.DataFrame(
        [
            (system, level, lean if level == "none" else 0.8 * int(level))
            for system, lean in own.items()
            for level in LEVELS
            if (system, level) != ("plain", "2")
        ],
        columns=["system", "incitation", "theta"],
    )
    drawn = respond(rng, fits, items).rename(columns={"item": "item_id"})
    drawn["option"] = np.where(drawn["is_correct"] == 1, "a", "c")
    columns = ["item_id", "incitation", "option", "is_correct"]
    for system, rows in drawn.groupby("system"):
        faults: list[dict[str, Any]] = [
            {"item_id": "x1", "incitation": "0", "is_correct": 1},
            {"item_id": "nowhere", "incitation": "0"},
            {"item_id": "i003", "incitation": "4"},
            {"item_id": "i000", "incitation": "0"},
        ]
        write_propensity_responses(
            sources,
            str(system),
            [*({str(k): v for k, v in r.items()} for r in rows[columns].to_dict("records")), *faults],
        )
    # all passes, all fails, three items, and one whose only option is unreadable
    for name, option, n in (("passes", "a", 120), ("fails", "b", 120), ("few", "a", 3)):
        write_propensity_responses(
            sources, name, [{"item_id": f"i{k:03}", "option": option} for k in range(n)]
        )
    write_propensity_responses(sources, "silent", [{"item_id": "i001", "option": "", "is_correct": 0}])
    # the same items answered again in another file are further trials; a blank row in front takes nobody's place
    again: list[dict[str, Any]] = [
        {"item_id": "i000", "option": ""},
        *({"item_id": f"i{k:03}", "option": "b\u00a0", "incitation": "\u00a0none"} for k in range(3)),
        {"item_id": "i000", "propensity": None},
    ]
    write_propensity_responses(sources, "few-again", [{"system": "few"} | row for row in again])
    contradicts = {"item_id": "i001", "option": "a", "is_correct": 0}
    write_propensity_responses(sources, "muddled", [contradicts, {"item_id": "i002"}])

    warehouse = DuckDBWarehouse(folder / WAREHOUSE_NAME)
    warehouse.write({name: land(name, []) for name in declared_tables() if name.startswith("raw.")})
    for reading in (read_propensity_items(sources), read_propensity_responses(sources)):
        warehouse.write(reading.frames)
    warehouse.write({name: land(name, rows) for name, rows in LEDGER.items()})
    battery = ("+stg_result", "+stg_rating", "+int_battery_item", "+int_response")
    first = ("path:models/staging/propensity", "path:models/intermediate/propensity")
    seeds = ("seed_propensity", "seed_system_alias")
    # a test of other tables than those built here would fail
    alone = ("--exclude", OVER_ESTIMATES, "--indirect-selection", "buildable")
    run = run_dbt(folder, "build", "-s", *battery, *first, *seeds, *alone, parsed=dbt_target)
    assert run.success, run.failures
    settings = Settings(home=folder / "home", assessor_trees=2)
    # plain and steered are as able; one that passes everything is abler, and the others aren't profiled
    overall = {"plain": 2.75, "steered": 2.79, "passes": 4.0}
    able = [
        {"system": system, "dimension": d, "chain": 0, "draw": k, "value": level + step}
        for system, level in overall.items()
        for d in ("x", "y")
        for k, step in enumerate((-0.01, 0.01))
    ]
    warehouse.write({"estimate.capability_draw": land("estimate.capability_draw", able)})
    made = run_steps(warehouse, settings, propensity_position, assessor)
    assert made.keys() == ESTIMATED.keys() | ASSESSED.keys()
    rest = ("stg_capability_draw", *over_estimates("propensity"), "path:models/marts/propensity")
    run = run_dbt(folder, "build", "-s", *rest, parsed=dbt_target)
    assert run.success, run.failures
    return warehouse


@pytest.fixture(scope="module")
def position(warehouse: DuckDBWarehouse) -> Any:
    return warehouse.read("marts.propensity").set_index(["system", "incitation"]).sort_index()


def test_each_broken_line_is_told_with_its_reason(warehouse: DuckDBWarehouse) -> None:
    reject = warehouse.read("staging.stg_propensity_reject")
    of_items = reject[reject["table_name"] == "propensity_item"].sort_values("row_number")
    assert of_items["reason"].tolist() == [reason for _, reason in BROKEN]
    assert of_items["row_number"].tolist() == [122 + k for k in range(len(BROKEN))]
    of_answers = reject[reject["table_name"] == "propensity_response"]
    expected = {
        "its item is not used: band is empty: lower equals upper": 2,
        "unknown item of this propensity": 2,
        "unknown incitation": 2,
        "answered twice in this file; the first readable row counts": 3,
        # of the file, and what a model refused
        "missing option": 2,
        "is_correct contradicts the item: option a is correct": 1,
        "blank propensity": 1,
    }
    assert of_answers["reason"].value_counts().to_dict() == expected
    blank = of_answers[of_answers["reason"] == "blank propensity"].iloc[0]
    assert blank["column_name"] == "propensity" and pd.isna(blank["value"])


def test_systems_are_asked_the_items_that_staging_takes(warehouse: DuckDBWarehouse) -> None:
    """Anything else pays for answers that are thrown away, or leaves out items that count."""
    asked = askable(warehouse.read("raw.propensity_item"), warehouse.read("raw.propensity_llm_item"))
    staged = warehouse.read("staging.stg_propensity_item")
    taken = staged[staged["reason"].isna()]
    assert sorted(zip(asked["propensity"], asked["item_id"], asked["correct"], strict=True)) == sorted(
        zip(taken["propensity"], taken["item"], taken["correct"], strict=True)
    )
    assert {str(row["item_id"]) for row in SOUND} <= set(taken["item"])


def test_positions_are_near_the_planted_ones(position: Any) -> None:
    for level in range(-3, 4):
        row = position.loc[("steered", str(level))]
        assert abs(row["estimate"] - 0.8 * level) < 4 * row["se"] and row["n_items"] == 120
    assert position["q025"].dropna().lt(position["q975"].dropna()).all()


def test_awkward_systems_are_flagged_not_wrong(position: Any) -> None:
    for system in ("passes", "fails"):
        row = position.loc[(system, "none")]
        assert row["is_saturated"] and np.isfinite(row["estimate"]) and pd.isna(row["se"])
    few, silent, muddled = (position.loc[(name, "none")] for name in ("few", "silent", "muddled"))
    assert few["is_thin"] and few["n_items"] == 3 and few["q975"] - few["q025"] > 1
    assert (few["n_trials"], few["n_unscored"], few["success_share"]) == (6, 0, 0.5)
    assert pd.isna(silent["estimate"]) and (silent["n_items"], silent["n_unscored"]) == (0, 1)
    assert muddled["n_items"] == muddled["n_responses"] == 1
    assert not position.loc[("steered", "0"), "is_thin"]


def test_a_missing_level_is_flagged_and_steerability_is_the_correlation(
    warehouse: DuckDBWarehouse, position: Any
) -> None:
    mart = warehouse.read("marts.steerability").set_index("system")
    assert mart.loc["plain", "n_levels"] == 6 and not mart.loc["plain", "is_complete"]
    assert mart.loc["steered", "n_levels"] == 7
    for system in ("plain", "steered"):
        estimate = position.loc[system, "estimate"].astype(float)
        incited = estimate.drop("none")
        levels = incited.index.astype(float).to_numpy()
        assert mart.loc[system, "pearson_r"] == pytest.approx(np.corrcoef(levels, incited)[0, 1])
        assert mart.loc[system, "gain"] == pytest.approx(np.polyfit(levels, incited, 1)[0])
        assert mart.loc[system, "unprompted_estimate"] == estimate["none"]
    assert pd.isna(mart.loc["few", "pearson_r"]) and mart.loc["few", "n_levels"] == 0


def test_the_surface_counts_every_scored_response(warehouse: DuckDBWarehouse, position: Any) -> None:
    surface = warehouse.read("marts.propensity_surface")
    counted = surface.groupby(["system", "incitation"])["n_items"].sum()
    scored = position.loc[position["n_trials"] > 0, "n_trials"]
    assert counted.to_dict() == scored.to_dict()
    own = surface[surface["system"] == "steered"]
    fitted = np.average(own["fitted_share"].astype(float), weights=own["n_items"])
    observed = np.average(own["observed_share"].astype(float), weights=own["n_items"])
    assert abs(fitted - observed) < 0.05


def test_pairs_meet_capability_and_differ_as_the_bands_say(warehouse: DuckDBWarehouse, position: Any) -> None:
    """Of equal capability; plain stands higher, so bands above favour it and bands below favour steered."""
    pairs: Any = warehouse.read("marts.propensity_pair").set_index(["system_a", "system_b"])
    row = pairs.loc[("plain", "steered")]
    assert row["capability_difference"] == pytest.approx(-0.04) and row["is_equal_capability"]
    assert not pairs.loc[("passes", "plain"), "is_equal_capability"]
    assert pd.isna(pairs.loc[("few", "plain"), "capability_difference"])
    assert pairs.loc[("passes", "plain"), "is_flagged"] and not row["is_flagged"]
    assert row["estimate_a"] == position.loc[("plain", "none"), "estimate"] > row["estimate_b"]
    assert row["is_as_predicted"]
    # a twin outside: shares of success where the planted positions make success differ clearly
    lines = warehouse.read("intermediate.int_propensity_response")
    own = lines[(lines["incitation"] == "none") & lines["system"].isin(["plain", "steered"])]
    bounds = (own["lower_bound"].to_numpy(float), own["upper_bound"].to_numpy(float))
    gain = probability(np.array(0.5), *bounds) - probability(np.array(-0.2), *bounds)
    for part, better, worse in ((gain > 0.1, "plain", "steered"), (gain < -0.1, "steered", "plain")):
        share = own[part].groupby("system")["is_correct"].mean()
        assert share[better] > share[worse]
    for side, better, worse in (("a", "a", "b"), ("b", "b", "a")):
        assert row[f"n_trials_{side}_favoured"] > 5
        for kind in ("predicted", "observed"):
            assert (
                row[f"{kind}_{better}_where_{side}_favoured"] > row[f"{kind}_{worse}_where_{side}_favoured"]
            )


def test_assessors_have_a_row_each_unprompted(warehouse: DuckDBWarehouse) -> None:
    table = warehouse.read("marts.assessor")
    assert set(table["incitation"]) == {"none"}
    assert table["n_items"].groupby(table["system"]).first().to_dict() == {
        **dict.fromkeys(("plain", "steered", "passes", "fails"), 120),
        "few": 6,
        "muddled": 1,
    }
    assert len(warehouse.read("marts.assessor_gain")) == 3


def test_worked_bands_of_the_published_rubrics_are_read(real_data: Path, tmp_path: Path) -> None:
    """17 examples; two of them print one level for both bounds, which is no band and is refused by name."""
    worked = pd.read_csv(real_data / "propensity" / "rubric_worked_examples.csv")
    assert len(worked) == 17
    rows = [
        {"item_id": f"w{k}", "lower": low, "upper": up}
        for k, (low, up) in enumerate(worked[["lower_bound", "upper_bound"]].itertuples(index=False))
    ]
    write_propensity_items(tmp_path, rows=rows)
    read = read_propensity_items(tmp_path).frames["raw.propensity_item"]
    low, up = read["lower_bound"].astype(float), read["upper_bound"].astype(float)
    is_band = (low < up).to_numpy()
    assert is_band.sum() == 15
    with pytest.raises(BandError, match="items w5, w14:"):
        check_bands(low, up, read["item"].tolist())
    check_bands(low[is_band], up[is_band], read.loc[is_band, "item"].tolist())
    is_open = np.isinf(np.column_stack(with_open_ends(low, up)))
    expected = np.column_stack([worked["lower_bound"] == -3, worked["upper_bound"] == 3])
    assert (is_open == expected).all() and expected.any(axis=0).all()


def test_what_language_models_said_joins_the_files_and_what_was_not_asked_waits(
    warehouse: DuckDBWarehouse,
) -> None:
    items = warehouse.read("staging.stg_propensity_item")
    written = items[items["source_file"] == "ledger"].iloc[0]
    assert (written["item"], written["lower_bound"], written["upper_bound"]) == ("w1", -1.5, 0.5)
    assert (items["source_file"] == "ledger").sum() == 1
    lines = warehouse.read("staging.stg_propensity_response")
    own = lines[lines["system"] == "asked"].set_index("incitation")["status"].to_dict()
    assert own == {"none": "scored", "1": "unscored"}
