"""What became of verdicts that models were asked for, from the ledger through dbt to the counts of marts."""

from __future__ import annotations

from pathlib import Path

from dagster_project.resources import DuckDBWarehouse
from tests.support.assistance.tournament_server import FIRST_SEAT_JUDGE, TournamentServer
from tests.support.assistance.tournament_setup import Setup, texts
from tests.support.dbt_run import WAREHOUSE_NAME, run_dbt
from tests.support.llm.scripted_server import error


def test_sent_is_accepted_rejected_and_failed_and_a_turned_choice_is_a_tie(
    server: TournamentServer, setup: Setup, tmp_path: Path, dbt_target: Path
) -> None:
    setup.options["SUITABILITY_TOURNAMENT_BOTH_SEATS"] = "true"
    setup.run("runs", "runs")
    of = texts(setup.collect()["tournament_llm_output"])
    alone, doer = of["haiku", "augmentation", "1", "wimbrel"], of["haiku", "automation", "1", "quillon"]
    server.odd = {
        ("juror-one", alone): {"refusal": "No."},
        ("juror-kin", alone): {"content": "Both have their merits."},
    }
    server.script = {f"<first>\n{doer}": error(400, "no")}
    assert setup.call("run", "judge").exit_code == 1
    warehouse = DuckDBWarehouse(tmp_path / WAREHOUSE_NAME)
    tables = setup.tables().tables
    warehouse.write(tables)
    outcome = run_dbt(tmp_path, "run", "--select", "+tournament_flow +judge_consistency", parsed=dbt_target)
    assert outcome.success, outcome.failures
    flow = warehouse.read("marts.tournament_flow")
    assert set(flow["origin"]) == {"ledger"}
    assert (flow["n_sent"] == flow["n_accepted"] + flow["n_rejected"] + flow["n_failed"]).all()
    total = flow.groupby("judge")[["n_sent", "n_accepted", "n_rejected", "n_failed", "n_pending"]].sum()
    # a pair a run is lost where quillon sits first, and both pairs with the unaided worker in both seats
    found = {judge: tuple(row) for judge, row in zip(total.index, total.to_numpy().tolist(), strict=True)}
    assert found == {
        "juror-one": (16, 6, 8, 2, 0), "juror-two": (16, 14, 0, 2, 0), "juror-kin": (4, 0, 4, 0, 0),
    }  # fmt: skip
    consistency = warehouse.read("marts.judge_consistency")
    every = consistency[consistency["mode"] == "all"]
    turned = {r["judge"]: (r["n_both_seats"], r["n_flipped"]) for r in every.to_dict("records")}
    # three pairs a run in both seats: who always takes the first contradicts itself in each
    assert turned["juror-two"] == (6, 6) and turned["juror-one"] == (2, 0)
    comparison = warehouse.read("intermediate.int_tournament_comparison")
    is_turned = (comparison["judge"] == FIRST_SEAT_JUDGE) & (comparison["n_verdicts"] == 2)
    assert (
        set(comparison.loc[is_turned, "outcome"]) == {"tie"} and comparison.loc[is_turned, "is_flipped"].all()
    )
    assert set(comparison.loc[comparison["judge"] == "juror-one", "outcome"]) <= {"a", "b"}
