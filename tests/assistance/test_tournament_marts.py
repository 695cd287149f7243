"""The slice from files to marts on one build of a simulated panel: what was planted comes out again.

The panel's size is centaurbench's. The dbt tests and unit tests of the slice run in the same build.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata, spearmanr

from dagster_project.resources import DuckDBWarehouse
from tests.assistance.panel import (
    JUDGES,
    MODES,
    STRENGTHS,
    WORKER,
    Panel,
    long_run_shares,
    planted_order,
    write_panel,
)
from tests.assistance.slice_build import build


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> tuple[DuckDBWarehouse, int]:
    folder = tmp_path_factory.mktemp("panel")
    n_verdicts = write_panel(folder / "sources", Panel(), seed=11)
    return build(folder, folder / "sources", dbt_target), n_verdicts


@pytest.fixture(scope="module")
def warehouse(built: tuple[DuckDBWarehouse, int]) -> DuckDBWarehouse:
    return built[0]


@pytest.fixture(scope="module")
def verdicts(warehouse: DuckDBWarehouse) -> Any:
    return warehouse.read("raw.tournament_judgement")


@pytest.fixture(scope="module")
def twin(verdicts: Any) -> Any:
    """Mean ranks by task, mode, run and candidate, from the raw verdicts by a loop over judges' round robins."""
    family = {name: s[0] for name, s in STRENGTHS.items()}
    rows = []
    for (task, mode, run, judge), part in verdicts.groupby(["task", "mode", "run", "judge"]):
        points: dict[str, list[float]] = {}
        for first, second, choice in part[["first", "second", "choice"]].itertuples(index=False):
            sides = [n for n in (first, second) if family[n] == JUDGES[judge][0]]
            if any(mode == "automation" or name != WORKER for name in sides):
                continue
            won = {"first": 1.0, "second": 0.0, "tie": 0.5}[choice]
            points.setdefault(first, []).append(won)
            points.setdefault(second, []).append(1 - won)
        shares = np.array([np.mean(p) for p in points.values()])
        ranks = rankdata(-shares.round(12))
        rows += [
            (task, mode, run, name, rank, (rank - 1) / (len(ranks) - 1))
            for name, rank in zip(points, ranks, strict=True)
        ]
    columns = ["task", "mode", "run", "candidate", "mean_rank", "mean_rank_scaled"]
    return pd.DataFrame(rows, columns=columns).groupby(columns[:4]).mean()


def test_a_panel_of_the_papers_size_is_all_accepted(
    warehouse: DuckDBWarehouse, built: tuple[DuckDBWarehouse, int]
) -> None:
    flow = warehouse.read("marts.tournament_flow")
    # the paper's 15,120 verdicts, and those on the own family in two runs
    assert flow["n_sent"].sum() == flow["n_accepted"].sum() == built[1]
    assert (flow["n_accepted"] - flow["n_own_family"]).sum() == 15_120
    assert warehouse.read("intermediate.int_tournament_comparison").shape[0] == 15_120
    assert warehouse.read("staging.stg_tournament_reject").empty
    assert warehouse.read("marts.tournament_missing").empty
    agreement = warehouse.read("marts.judge_agreement").query("scope_type == 'all'")
    assert agreement["n_decisions"].item() == 11_340


def test_the_planted_orders_are_recovered_in_both_modes(warehouse: DuckDBWarehouse) -> None:
    overall = warehouse.read("marts.tournament_overall")
    for mode in MODES:
        own = overall[overall["mode"] == mode].set_index("candidate").loc[planted_order(mode)]
        for measure, sign in (
            ("mean_rank", 1),
            ("rank", 1),
            ("mean_rank_scaled", 1),
            ("bt_log_strength", -1),
        ):
            rho = spearmanr(np.arange(len(own)), sign * own[measure].astype(float)).statistic
            assert rho >= 0.95, (mode, measure, rho)
    across = warehouse.read("marts.mode_correlation").set_index("task")
    planted = [[planted_order(mode).index(name) for name in STRENGTHS if name != WORKER] for mode in MODES]
    expected = spearmanr(planted[0], planted[1]).statistic
    assert across.loc["all", "n_candidates"] == 9 and len(across) == 8
    assert across["spearman_rho"].astype(float)["all"] == pytest.approx(expected, abs=0.15)


def test_ranks_are_those_of_a_loop_over_round_robins(warehouse: DuckDBWarehouse, twin: Any) -> None:
    marts = warehouse.read("marts.tournament_rank").set_index(["task", "mode", "candidate"]).sort_index()
    by_task = twin.groupby(["task", "mode", "candidate"])
    mean = by_task.mean()
    assert len(marts) == len(mean) == 7 * 2 * 10
    for column in ("mean_rank", "mean_rank_scaled"):
        np.testing.assert_allclose(marts[column].astype(float), mean[column], atol=1e-9)
    np.testing.assert_allclose(
        marts["se_rank"].astype(float), by_task["mean_rank"].std() / np.sqrt(10), atol=1e-9
    )
    shown = mean["mean_rank"].round(9).groupby(["task", "mode"]).rank(method="min")
    assert (marts["rank"].astype(int) == shown.astype(int)).all()

    overall = warehouse.read("marts.tournament_overall").set_index(["mode", "candidate"]).sort_index()
    grouped = ["mode", "candidate"]
    np.testing.assert_allclose(overall["mean_rank"].astype(float), mean["mean_rank"].groupby(grouped).mean())
    by_run = twin["mean_rank"].groupby(["mode", "run", "candidate"]).mean().groupby(grouped)
    np.testing.assert_allclose(overall["se_rank"].astype(float), by_run.std() / np.sqrt(10), atol=1e-9)
    of_ranks = shown.groupby(grouped).mean().round(9).groupby("mode").rank(method="min")
    assert (overall["rank"].astype(int) == of_ranks.astype(int)).all()


def test_roles_and_regret_follow_from_the_ranks(warehouse: DuckDBWarehouse, twin: Any) -> None:
    roles = warehouse.read("marts.role_choice").set_index("task")
    mean = twin["mean_rank"].groupby(["task", "mode", "candidate"]).mean()
    assert len(roles) == 7
    for task, row in roles.iterrows():
        doing, helping = (mean[task, mode] for mode in MODES)
        helpers = helping.drop(WORKER)
        assert (row["best_doer"], row["best_helper"]) == (doing.idxmin(), helpers.idxmin())
        expected = np.nan if row["best_doer"] == WORKER else helpers[doing.idxmin()] - helpers.min()
        assert row["regret"] == pytest.approx(expected)
        # the best helper is planted far above the worker alone
        assert row["is_help_better_probability"] > 0.9
    best = warehouse.read("marts.tournament_best").set_index(["task", "mode"])["candidate"]
    assert best.xs("automation", level="mode").to_dict() == roles["best_doer"].to_dict()


def test_biases_lie_where_the_same_judges_put_them_in_the_long_run(warehouse: DuckDBWarehouse) -> None:
    """Of 12 intervals at 95 % one or two may miss; none misses by as much again."""
    mart = warehouse.read("marts.judge_bias").set_index(["judge", "bias"])
    expected = long_run_shares()
    assert set(mart.index) == set(expected) and len(mart) == 12
    low, high = mart["q025"].astype(float), mart["q975"].astype(float)
    share = pd.Series(expected).reindex(mart.index)
    assert ((low <= share) & (share <= high)).sum() >= 10
    half = (high - low) / 2
    assert ((low - half <= share) & (share <= high + half)).all()
    assert low["judge-goog", "first_seat"] > 0.55 and high["judge-anth", "first_seat"] < 0.5


def test_declared_order_is_recovered_as_often_as_it_was_chosen(
    warehouse: DuckDBWarehouse, verdicts: Any
) -> None:
    mart = warehouse.read("marts.criterion_validity").set_index("judge")
    place = {name: s[1] for name, s in STRENGTHS.items() if s[0] == "open"}
    of_family = verdicts[
        (verdicts["mode"] == "automation") & verdicts["first"].isin(place) & verdicts["second"].isin(place)
    ]
    better = np.where(of_family["first"].map(place) > of_family["second"].map(place), "first", "second")
    recovered = (of_family["choice"] == better).groupby(of_family["judge"]).mean()
    # the family's own judge has no say
    assert set(mart.index) == {"judge-anth", "judge-deep", "judge-goog"} and set(mart["family"]) == {"open"}
    assert mart["recovered_share"].to_dict() == pytest.approx(recovered.drop("judge-open").to_dict())
    assert (mart["n_comparisons"] == 7 * 10 * 15).all() and (mart["recovered_share"] > 0.8).all()


def test_scores_go_with_choices_and_rank_as_choices_do(warehouse: DuckDBWarehouse) -> None:
    consistency = warehouse.read("marts.judge_consistency").query("judge == 'all' and mode == 'all'")
    assert consistency["choice_matches_rubric_share"].item() > 0.7
    assert consistency["rubric_win_correlation"].item() > 0.8
    ranks = warehouse.read("marts.tournament_rank")
    assert ranks["rank"].astype(float).corr(ranks["score_rank"].astype(float)) > 0.9
