"""Tournaments so small that their figures are known by hand: all runs agree, one seat wins, groups that never met."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from dagster_project.resources import DuckDBWarehouse
from tests.support.assistance.slice_build import build_slice, rebuild

Met = tuple[str, str, str]


def write(folder: Path, met: Iterable[Met], runs: int = 5, judge: str = "j") -> None:
    """Verdicts of `judge` on (task, first, second): the first seat wins in every run."""
    files = folder / "tournament"
    (files / "judgements").mkdir(parents=True)
    lines = ["candidate,family,role", *(f"{n},{n}{n},candidate" for n in "abcd"), f"{judge},jj,judge", ""]
    (files / "candidates.csv").write_text("\n".join(lines), encoding="utf-8")
    with (files / "judgements" / "v.jsonl").open("w", encoding="utf-8") as file:
        for task, first, second in met:
            for run in range(runs):
                row = {"task": task, "mode": "automation", "run": run, "judge": judge}
                file.write(json.dumps(row | {"first": first, "second": second, "choice": "first"}) + "\n")


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> DuckDBWarehouse:
    """Three who met in five runs, each pair always in one order."""
    folder = tmp_path_factory.mktemp("agreed")
    write(folder / "sources", [("t", *pair) for pair in combinations("abc", 2)])
    return build_slice(folder, folder / "sources", dbt_target)


def test_ranks_and_strengths_have_the_width_of_five_runs(agreed: DuckDBWarehouse) -> None:
    """A share of 5 of 5 is Beta(5.5, 0.5): variance 2.75 / (36 * 7), and each met two."""
    for mart in ("tournament_rank", "tournament_overall"):
        rank: Any = agreed.read(f"marts.{mart}").set_index("candidate")
        assert rank["mean_rank"].to_dict() == {"a": 1, "b": 2, "c": 3}
        assert rank["se_rank"].to_numpy() == pytest.approx((2 * 2.75 / 252) ** 0.5)
        assert (rank["bt_high"] - rank["bt_low"] > 1).all()
    best = agreed.read("marts.tournament_best")
    assert best["se_rank"].item() == pytest.approx((2 * 2.75 / 252) ** 0.5)


def test_a_judge_that_always_takes_one_seat_is_told_beside_the_ranks(agreed: DuckDBWarehouse) -> None:
    for mart in ("tournament_rank", "tournament_overall"):
        rank = agreed.read(f"marts.{mart}")
        assert (rank["n_one_seat"] == 10).all()
        assert rank["warning"].str.contains("10 of 10 comparisons by judges that always chose one seat").all()


def test_both_orders_judged_by_one_seat_are_ties_and_told_too(
    agreed: DuckDBWarehouse, tmp_path: Path
) -> None:
    write(tmp_path / "sources", [("t", "a", "b"), ("t", "b", "a")], runs=3)
    rank = rebuild(tmp_path, agreed, tmp_path / "sources").read("marts.tournament_rank")
    assert rank["rank"].tolist() == [1, 1]
    assert rank["win_share"].tolist() == [0.5, 0.5]
    assert (rank["n_one_seat"] == 3).all()
    # 1.5 of 3: Beta(2, 2) has the variance 4 / (16 * 5)
    assert rank["se_rank"].to_numpy() == pytest.approx(0.05**0.5)


def test_groups_that_never_met_are_not_ranked_together(agreed: DuckDBWarehouse, tmp_path: Path) -> None:
    """In t a beats b and c beats d; in u b beats c, so that over all tasks there is one chain."""
    met = [("t", "a", "b"), ("t", "c", "d"), ("u", "b", "c")]
    write(tmp_path / "sources", met)
    built = rebuild(tmp_path, agreed, tmp_path / "sources")
    rank: Any = built.read("marts.tournament_rank").set_index(["task", "candidate"])
    assert rank.loc["t", "comparison_group"].to_dict() == {"a": 1, "b": 1, "c": 2, "d": 2}
    # within a group of two: not 1.5 and 3.5 of four
    assert rank.loc["t", "mean_rank"].to_dict() == {"a": 1, "b": 2, "c": 1, "d": 2}
    assert rank.loc["t", "rank"].to_dict() == {"a": 1, "b": 2, "c": 1, "d": 2}
    assert rank.loc["t", "warning"].str.contains("ranked within one of 2 groups that never met").all()
    assert rank.loc["u", "n_groups"].eq(1).all()
    best = built.read("marts.tournament_best")
    assert best[["task", "candidate"]].to_numpy().tolist() == [["u", "b"]]
    roles = built.read("marts.role_choice").set_index("task")["best_doer"]
    assert roles["u"] == "b" and roles.isna()["t"]
    overall = built.read("marts.tournament_overall")
    assert overall["n_groups"].eq(1).all() and overall["bt_log_strength"].notna().all()


def test_groups_that_never_met_in_any_task_have_places_of_their_own(
    agreed: DuckDBWarehouse, tmp_path: Path
) -> None:
    write(tmp_path / "sources", [("t", "a", "b"), ("u", "c", "d")])
    overall: Any = rebuild(tmp_path, agreed, tmp_path / "sources").read("marts.tournament_overall")
    overall = overall.set_index("candidate")
    assert overall["rank"].to_dict() == {"a": 1, "b": 2, "c": 1, "d": 2}
    assert overall["comparison_group"].to_dict() == {"a": 1, "b": 1, "c": 2, "d": 2}
    assert overall["bt_log_strength"].isna().all()


def test_graded_preferences_count_as_they_are_graded(agreed: DuckDBWarehouse, tmp_path: Path) -> None:
    """The second's share is the preference less 1: (.9 + .2 + .5 + 1) / 4; discrete (1 + 0 + .5 + 1) / 4."""
    write(tmp_path / "sources", [])
    graded: list[dict[str, Any]] = [
        {"preference": 1.9},
        {"preference": "1.2"},
        {"preference": 1.5},
        {"choice": "second"},
        # neither of these counts
        {"preference": 2.5},
        {"preference": 1.9, "choice": "first"},
    ]
    with (tmp_path / "sources/tournament/judgements/v.jsonl").open("w", encoding="utf-8") as file:
        for run, verdict in enumerate(graded):
            row = {"task": "t", "mode": "automation", "run": run, "judge": "j", "first": "a", "second": "b"}
            file.write(json.dumps(row | verdict) + "\n")
    built = rebuild(tmp_path, agreed, tmp_path / "sources")
    for mart in ("tournament_rank", "tournament_overall"):
        rank: Any = built.read(f"marts.{mart}").set_index("candidate")
        assert rank["weighted_win_share"].to_dict() == pytest.approx({"a": 0.35, "b": 0.65})
        assert rank["win_share"].to_dict() == pytest.approx({"a": 0.375, "b": 0.625})
    reject = built.read("staging.stg_tournament_reject")
    assert sorted(reject["reason"]) == [
        "contradicts the choice 'first'",
        "no number from 1 (the first) to 2 (the second)",
    ]
    assert set(reject["column_name"]) == {"preference"}
