"""The slice from files to marts on one build: rankings as a brute-force twin has them, and every fault told.

The dbt unit tests of the slice (hand-computed rows) run in the same build.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assets.demo.tournament import JUDGES, WORKER, write_tournament
from dagster_project.resources import DuckDBWarehouse
from tests.support.assistance import rank_twin as twin
from tests.support.assistance.slice_build import build_slice, rebuild

# with this one, means are equal in a task, and the two overall orders differ
SEED = 9
LOST = 40
# of the files of the demo, and added below
REASONS = {
    "duplicate: the judge judged these two in these seats already; the first verdict counts": 2,
    "no JSON": 2,
    "a score outside 1 to 10": 2,
    "neither first, second nor tie": 2,
    "out of order: no deliverable of this candidate in this run": 2,
    "not in candidates.csv": 3,
    "a candidate against itself": 1,
    "the family is unknown: may not judge": 1,
    "all stands for everybody": 1,
    "all stands for everybody: give it another name": 1,
    "more than one worker: each counts as working without help; keep one": 2,
    "blank: nobody of its family is kept from judging it": 1,
    "neither automation nor augmentation": 1,
    "blank": 1,
    "other dimensions than scores_first": 1,
}


def spoil(folder: Path) -> dict[str, Any]:
    """Shuffle one judge's lines; of another's lose one, which is returned, and add one of each kind of fault."""
    path = folder / "judgements/judge-gpt.jsonl"
    lines = path.read_text().splitlines()
    np.random.default_rng(3).shuffle(lines)
    path.write_text("\n".join([*lines, ""]))
    with (folder / "candidates.csv").open("a") as file:
        # neither has a verdict
        file.write("stranger,,judge\nunknown,,candidate\nall,Z,judge\nhand,Z,worker\n")
    path = folder / "judgements/judge-b.jsonl"
    lines = path.read_text().splitlines()
    lost: dict[str, Any] = json.loads(lines.pop(LOST))
    sound = json.loads(lines[0])
    scores = sound["scores_second"]
    changes: list[dict[str, Any]] = [
        {},
        {"run": 99, "scores_second": scores | {next(iter(scores)): 0}},
        {"run": 99, "choice": "A"},
        {"run": 99},
        {"judge": "nobody"},
        {"run": 99, "second": "nobody"},
        {"run": 99, "second": sound["first"]},
        {"judge": "stranger"},
        {"judge": "all"},
        {"mode": "both"},
        {"task": " "},
        {"run": 99, "scores_second": {"wit": 5}},
    ]
    lines += [json.dumps(sound | change) for change in changes] + ["{'task': 1}"]
    path.write_text("\n".join([*lines, ""]))
    return lost


@pytest.fixture(scope="module")
def lost() -> dict[str, Any]:
    """The verdict that judge-b did not send; filled by `warehouse`."""
    return {}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory, lost: dict[str, Any]) -> Path:
    folder = tmp_path_factory.mktemp("tournament") / "sources"
    write_tournament(folder / "tournament", SEED)
    lost |= spoil(folder / "tournament")
    return folder


@pytest.fixture(scope="module")
def warehouse(sources: Path, dbt_target: Path) -> DuckDBWarehouse:
    return build_slice(sources.parent, sources, dbt_target)


@pytest.fixture(scope="module")
def cells(sources: Path) -> dict[twin.Key, twin.Cell]:
    return twin.cells(sources / "tournament")


def by_key(frame: pd.DataFrame, keys: list[str], column: str) -> dict[Any, Any]:
    return frame.set_index(keys)[column].to_dict()


@pytest.mark.parametrize(
    "column", ["mean_rank", "se_rank", "mean_rank_scaled", "win_share", "mean_score_rank"]
)
def test_task_ranks_are_the_twins(
    warehouse: DuckDBWarehouse, cells: dict[twin.Key, twin.Cell], column: str
) -> None:
    found = by_key(warehouse.read("marts.tournament_rank"), ["task", "mode", "candidate"], column)
    expected = {key: float(getattr(cell, column)) for key, cell in cells.items()}
    assert found == pytest.approx(expected, abs=1e-12)


def test_displayed_ranks_are_the_twins(warehouse: DuckDBWarehouse, cells: dict[twin.Key, twin.Cell]) -> None:
    found = by_key(warehouse.read("marts.tournament_rank"), ["task", "mode", "candidate"], "rank")
    assert found == twin.task_ranks(cells)
    shared = Counter((task, mode, rank) for (task, mode, _), rank in found.items())
    assert max(shared.values()) > 1, "no two are equal: the case is not covered"


@pytest.mark.parametrize("column", ["mean_rank", "se_rank", "mean_rank_scaled"])
def test_overall_ranks_are_the_twins(
    warehouse: DuckDBWarehouse, cells: dict[twin.Key, twin.Cell], column: str
) -> None:
    found = by_key(warehouse.read("marts.tournament_overall"), ["mode", "candidate"], column)
    expected = {key: float(getattr(row, column)) for key, row in twin.overall(cells).items()}
    assert found == pytest.approx(expected, abs=1e-12)


def test_both_overall_orders_are_the_twins(
    warehouse: DuckDBWarehouse, cells: dict[twin.Key, twin.Cell]
) -> None:
    frame = warehouse.read("marts.tournament_overall")
    rows, differ = twin.overall(cells), []
    for mode in ("automation", "augmentation"):
        inside = frame[frame["mode"] == mode]
        of_mode = {name: row for (where, name), row in rows.items() if where == mode}
        of_ranks = {name: row.mean_task_rank for name, row in of_mode.items()}
        of_means = {name: row.mean_rank for name, row in of_mode.items()}
        assert by_key(inside, ["candidate"], "rank") == twin.displayed_ranks(of_ranks)
        differ.append(twin.displayed_ranks(of_ranks) != twin.displayed_ranks(of_means))
        assert by_key(inside, ["candidate"], "rank_by_mean") == twin.displayed_ranks(of_means)
    assert any(differ), "the orders are the same: the case is not covered"


def test_each_fault_is_told_with_its_reason(warehouse: DuckDBWarehouse) -> None:
    reject = warehouse.read("staging.stg_tournament_reject")
    assert Counter(reject["reason"]) == REASONS
    files = {f"tournament/judgements/judge-{name}.jsonl" for name in "ab"}
    assert set(reject["source_file"]) == files | {"tournament/candidates.csv"}
    assert reject["row_number"].notna().all()


def test_nothing_is_lost_between_files_and_marts(warehouse: DuckDBWarehouse, sources: Path) -> None:
    flow = warehouse.read("marts.tournament_flow")
    n_lines = {
        path.name: len(path.read_text().splitlines()) for path in sources.glob("tournament/judgements/*")
    }
    assert flow["n_sent"].sum() == sum(n_lines.values())
    assert (flow["n_sent"] == flow["n_accepted"] + flow["n_rejected"] + flow["n_failed"]).all()
    reject = warehouse.read("staging.stg_tournament_reject")
    assert flow["n_rejected"].sum() == (reject["table_name"] != "candidate").sum()


def test_a_verdict_that_never_came_is_missing(warehouse: DuckDBWarehouse, lost: dict[str, Any]) -> None:
    missing = warehouse.read("marts.tournament_missing")
    (row,) = missing.to_dict("records")
    assert (row["task"], row["mode"], row["run"]) == (lost["task"], lost["mode"], str(lost["run"]))
    assert row["judge"] == "judge-b"
    assert {row["candidate_a"], row["candidate_b"]} == {lost["first"], lost["second"]}


def test_ranks_tell_what_they_lack(warehouse: DuckDBWarehouse, lost: dict[str, Any]) -> None:
    ranks = warehouse.read("marts.tournament_rank")
    lacking = ranks[ranks["n_missing"] > 0]
    cell = {(lost["task"], lost["mode"], lost[seat]) for seat in ("first", "second")}
    assert set(zip(lacking["task"], lacking["mode"], lacking["candidate"], strict=True)) == cell
    for row in lacking.to_dict("records"):
        assert f"1 of {row['n_comparisons'] + 1} comparisons missing" in row["warning"]
    overall = warehouse.read("marts.tournament_overall")
    own = overall[overall["n_missing"] > 0]
    assert set(own["candidate"]) == {lost["first"], lost["second"]} and set(own["mode"]) == {lost["mode"]}
    assert own["warning"].str.contains("1 of [0-9]+ comparisons missing").all()
    assert (overall["n_tasks_missing"] == 0).all()


def test_help_that_holds_the_deliverable_is_counted_where_it_stands(warehouse: DuckDBWarehouse) -> None:
    """One text is planted."""
    ranks = warehouse.read("marts.tournament_rank")
    (row,) = ranks[ranks["n_leaking"] > 0].to_dict("records")
    assert (row["task"], row["mode"], row["candidate"]) == ("tutoring", "augmentation", "gemini-2.5-flash")
    assert row["n_leaking"] == 1 and "1 of 5 texts of help hold the deliverable" in row["warning"]


def test_the_distance_to_no_help_is_that_of_the_twins_runs(
    warehouse: DuckDBWarehouse, cells: dict[twin.Key, twin.Cell]
) -> None:
    overall: Any = warehouse.read("marts.tournament_overall").set_index(["mode", "candidate"])
    tasks = sorted({task for task, _, _ in cells})
    runs = sorted(cells[tasks[0], "augmentation", WORKER].by_run)
    for name in {name for _, mode, name in cells if mode == "augmentation"} - {WORKER}:
        behind = [
            np.mean([
                float(cells[t, "augmentation", name].by_run[run] - cells[t, "augmentation", WORKER].by_run[run])
                for t in tasks
            ])
            for run in runs
        ]  # fmt: skip
        row = overall.loc[("augmentation", name)]
        assert row["behind_unaided"] == pytest.approx(np.mean(behind))
        # the two met, so their comparisons move both ranks, and apart
        own, alone = ([cells[t, "augmentation", n].variances for t in tasks] for n in (name, WORKER))
        pairs = zip(own, alone, strict=True)
        variance = sum(sum(h.values()) + sum(w.values()) + 2 * h.get(WORKER, 0) for h, w in pairs)
        least = variance**0.5 / len(tasks)
        assert row["behind_unaided_se"] == pytest.approx(
            max(np.std(behind, ddof=1) / np.sqrt(len(runs)), least)
        )
    unheld = overall.drop(
        index=[key for key in overall.index if key[0] == "augmentation" and key[1] != WORKER]
    )
    assert unheld["behind_unaided"].isna().all()


def test_own_family_verdicts_stay_out_of_all_but_the_biases(
    warehouse: DuckDBWarehouse, sources: Path
) -> None:
    verdicts = warehouse.read("staging.stg_tournament_verdict")
    own = verdicts[verdicts["is_own_family"]]
    assert set(own["judge"]) == {"judge-gemini", "judge-gpt"}
    n_ranked = sum(1 for _ in twin.sound_verdicts(sources / "tournament"))
    n_accepted = (verdicts["state"] == "accepted").sum()
    assert n_ranked == n_accepted - len(own)
    assert warehouse.read("intermediate.int_tournament_comparison")["n_verdicts"].sum() == n_ranked
    bias = warehouse.read("marts.judge_bias").set_index(["judge", "bias"])
    mixed = own[own["is_first_own"] != own["is_second_own"]]
    for judge in ("judge-gemini", "judge-gpt"):
        part = mixed[mixed["judge"] == judge]
        won = (part["choice"] == "first") == part["is_first_own"]
        share = np.where(part["choice"] == "tie", 0.5, won).mean()
        assert bias.loc[(judge, "own_family"), "share"] == pytest.approx(share)
    # planted: judges lean to their own
    assert (bias.xs("own_family", level="bias")["share"] > 0.5).all()


def test_the_unaided_worker_is_of_no_family(warehouse: DuckDBWarehouse) -> None:
    """judge-gpt is of the worker's family: it ranks the worker where it works alone, and only there."""
    standing = warehouse.read("intermediate.int_tournament_standing")
    judged = standing[standing["candidate"] == WORKER].groupby("mode")["judge"].agg(set).to_dict()
    assert judged == {"augmentation": set(JUDGES), "automation": set(JUDGES) - {"judge-gpt"}}


def test_the_unaided_worker_has_no_part_in_the_correlation_of_modes(warehouse: DuckDBWarehouse) -> None:
    from scipy.stats import permutation_test, spearmanr

    overall = warehouse.read("marts.tournament_overall")
    wide = overall.pivot(index="candidate", columns="mode", values="mean_rank").drop(index=WORKER)
    row = warehouse.read("marts.mode_correlation").set_index("task").loc["all"]
    expected = spearmanr(wide["automation"], wide["augmentation"])
    assert row["n_candidates"] == len(wide) == 6
    assert row["spearman_rho"] == pytest.approx(expected.statistic)
    # over all orders of six
    exact = permutation_test(
        (wide["automation"].to_numpy(),), lambda x: spearmanr(x, wide["augmentation"]).statistic,
        permutation_type="pairings", n_resamples=1000,
    )  # fmt: skip
    assert row["p_value"] == pytest.approx(exact.pvalue, abs=0.01)


def twin_regret(warehouse: DuckDBWarehouse, task: str, doer: str) -> float:
    """Places lost by `doer`'s help, each run's helper chosen on the others, run by run."""
    ranks = warehouse.read("intermediate.int_tournament_run_rank")
    ranks = ranks[(ranks["task"] == task) & (ranks["mode"] == "augmentation") & ~ranks["is_unaided"]]
    lost = []
    for run, inside in ranks.groupby("run"):
        means = ranks[ranks["run"] != run].groupby("candidate")["mean_rank"].mean().round(9).sort_index()
        of_run = inside.set_index("candidate")["mean_rank"]
        lost.append(of_run[doer] - of_run[means.idxmin()])
    return float(np.mean(lost))


def test_role_choice_follows_the_rankings(
    warehouse: DuckDBWarehouse, cells: dict[twin.Key, twin.Cell]
) -> None:
    for row in warehouse.read("marts.role_choice").to_dict("records"):
        means = {
            mode: {n: float(c.mean_rank) for (t, m, n), c in cells.items() if (t, m) == (row["task"], mode)}
            for mode in ("automation", "augmentation")
        }
        unaided = means["augmentation"].pop(WORKER)
        helped = means["augmentation"]
        doer = min(
            means["automation"],
            key=lambda name: (round(means["automation"][name], 9), round(helped.get(name, np.inf), 9), name),
        )
        helper = min(helped, key=lambda name: (round(helped[name], 9), name != doer, name))
        assert (row["best_doer"], row["best_helper"], row["unaided_worker"]) == (doer, helper, WORKER)
        for column, mode in (("n_best_doers", "automation"), ("n_best_helpers", "augmentation")):
            places = [round(mean, 9) for mean in means[mode].values()]
            assert row[column] == places.count(min(places))
        if doer in helped:
            assert (
                0 <= row["regret_q025"] <= helped[doer] - helped[helper] + 1e-9 <= row["regret_q975"] + 2e-9
            )
            assert row["regret"] == pytest.approx(twin_regret(warehouse, row["task"], doer))
        assert row["unaided_mean_rank"] == pytest.approx(unaided)
        assert 0 <= row["is_help_better_probability"] <= 1


def test_traits_are_of_augmentation_alone_on_one_scale_and_not_by_the_authors_family(
    warehouse: DuckDBWarehouse, sources: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "sources"
    shutil.copytree(sources, folder)
    path = next((folder / "tournament/traits").glob("*.jsonl"))
    sound = json.loads(path.read_text().splitlines()[0])
    changes: list[dict[str, Any]] = [
        {"mode": "automation", "specificity": 0},
        {"specificity": True, "structure": False},
        {"judge": sound["candidate"]},
        {"candidate": "o4-mini", "judge": "judge-gpt"},
    ]
    path.write_text("\n".join([*[json.dumps(sound | change) for change in changes], ""]))
    rebuilt = rebuild(tmp_path, warehouse, folder).read("staging.stg_assistance_trait")
    of_file = rebuilt[rebuilt["source_file"].str.endswith(path.name)]
    assert of_file.groupby("row_number")["reason"].unique().map(list).to_dict() == {
        1: ["not augmentation: only there is assistance"],
        2: [None],
        3: ["the author itself: may not code"],
        4: ["of the family of the author: may not code"],
    }
    scores = of_file[of_file["row_number"] == 2].set_index("trait")["score"]
    assert (scores["specificity"], scores["structure"]) == (10, 0)
