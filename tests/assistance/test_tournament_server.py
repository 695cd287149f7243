"""A tournament through the door, against a server over real HTTP: the commands and the assets."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import dagster as dg
import pandas as pd

from assets.assistance.tournament_assets import supplied_assistance_check, written_assistance_check
from assets.settings import PROJECT
from tests.llm.test_killed import kill_when
from tests.support.assistance.tournament_server import (
    FIRST_SEAT_JUDGE,
    HANDED_OVER,
    TournamentServer,
    choice_of,
    seats,
    words,
)
from tests.support.assistance.tournament_setup import (
    FAMILIES,
    IN_FLIGHT,
    JUDGES,
    KEYS,
    MAX_TOKENS,
    N_AIDED,
    N_CODINGS,
    N_OPENINGS,
    N_RUNS,
    N_VERDICTS,
    ROLES,
    TASK,
    Setup,
    counts,
    texts,
)


def test_each_step_asks_what_it_must_and_every_verdict_finds_its_texts(
    server: TournamentServer, setup: Setup
) -> None:
    assert {name: len(frame) for name, frame in setup.collect().items()} == {
        "tournament_llm_output": N_RUNS * 5, "tournament_llm_verdict": 0, "assistance_llm_trait": 0,
    }  # fmt: skip
    first = setup.call("run", "runs")
    assert first.exit_code == 0 and f"{N_AIDED} more calls can now be sent" in first.output
    assert len(server.requests) == N_OPENINGS
    assert counts(setup.collect()["tournament_llm_output"]) == {"answered": N_RUNS * 3, "pending": N_RUNS * 2}
    second = setup.call("run", "runs")
    assert second.exit_code == 0 and "more calls" not in second.output
    assert len(server.requests) == N_OPENINGS + N_AIDED
    setup.run("judge")
    assert len(server.judged()) == N_VERDICTS
    setup.run("traits")
    assert len(server.judged()) == N_VERDICTS + N_CODINGS

    outputs, verdicts, codings = setup.collect().values()
    assert [counts(frame) for frame in (outputs, verdicts, codings)] == [
        {"answered": N_RUNS * 5}, {"answered": N_VERDICTS}, {"answered": N_CODINGS},
    ]  # fmt: skip
    aided = outputs[outputs["assistance"].notna()]
    assert set(aided["mode"]) == {"augmentation"} and set(aided["candidate"]) == {"zephyrine", "quillon"}
    of = texts(outputs)
    for row in verdicts.to_dict("records"):
        sides = [of[(*(row[key] for key in KEYS), row[seat])] for seat in ("first", "second")]
        assert row["rationale"] == " / ".join(sides)
        assert row["choice"] == choice_of(row["judge"], *sides)
    for frame in (outputs, verdicts, codings):
        assert frame["call_number"].tolist() == list(range(1, len(frame) + 1))


def test_judges_see_no_name_no_family_and_none_of_their_own(server: TournamentServer, setup: Setup) -> None:
    setup.run()
    assert len(server.judged()) == N_VERDICTS + N_CODINGS
    for request in server.judged():
        body = json.dumps(request["messages"] + [request["response_format"]]).casefold()
        assert not [name for pair in FAMILIES.items() for name in pair if name.casefold() in body]
    _, verdicts, codings = setup.collect().values()
    for row in verdicts.to_dict("records"):
        rivals = {row["first"], row["second"]} - ({"wimbrel"} if row["mode"] == "augmentation" else set())
        assert FAMILIES[row["judge"]] not in {FAMILIES[name] for name in rivals}
    assert set(verdicts.loc[verdicts["judge"] == "juror-kin", "mode"]) == {"augmentation"}
    assert set(codings.loc[codings["judge"] == "juror-kin", "candidate"]) == {"quillon"}


def test_a_judge_or_candidate_of_unknown_family_is_refused_before_anything_is_sent(
    server: TournamentServer, setup: Setup
) -> None:
    setup.run("runs", "runs")
    n_requests = len(server.requests)
    for name in ("juror-one", "quillon"):
        setup.families(FAMILIES | {name: ""})
        for step in ("judge", "traits"):
            told = " ".join(setup.call("run", step).output.split())
            assert f"no family is known of {name}," in told and "tournament/candidates.csv" in told
    assert len(server.requests) == n_requests


def test_estimate_tells_calls_tokens_and_cost_of_what_waits_too(
    server: TournamentServer, setup: Setup
) -> None:
    def told(step: str) -> str:
        found = setup.call("estimate", step)
        assert found.exit_code == 0, found.output
        return found.output

    for step, n, n_waiting in (
        ("runs", N_OPENINGS + N_AIDED, N_AIDED), ("judge", N_VERDICTS, N_VERDICTS),
        ("traits", N_CODINGS, N_CODINGS),
    ):  # fmt: skip
        before = told(step)
        assert f"{n} calls, 0 settled or in flight, {n} to send" in before
        assert f"at most {n * MAX_TOKENS} out" in before and f"{n_waiting} of them depend on" in before
        tokens_in = int(re.search(r"about (\d+) tokens in", before)[1])  # type: ignore[index]
        # prices are a million tokens'
        cost = (tokens_in * 1000 + n * MAX_TOKENS * 2000) / 1e6
        assert f"cost at most {cost:.2f}" in before
    assert not server.requests
    server.odd[("zephyrine", "haiku")] = {"refusal": "No."}
    setup.run("runs")
    after = told("runs")
    # no deliverable will come of refused assistance
    assert f"{N_OPENINGS + N_RUNS} calls, {N_OPENINGS} settled or in flight, {N_RUNS} to send" in after
    assert "wait" not in after


def test_a_budget_leaves_the_rest_unasked_and_the_next_run_asks_only_that(
    server: TournamentServer, setup: Setup
) -> None:
    setup.run("runs", "runs")
    cost = setup.call("estimate", "judge").output
    highest = float(re.search(r"cost at most ([\d.]+)", cost)[1])  # type: ignore[index]
    n_before = len(server.requests)
    done = setup.call("run", "judge", "--budget", str(2 * highest / N_VERDICTS))
    assert done.exit_code == 1 and "it might exceed the budget" in done.output
    n_sent = len(server.requests) - n_before
    assert 0 < n_sent < N_VERDICTS
    assert counts(setup.collect()["tournament_llm_verdict"]) == {
        "answered": n_sent, "pending": N_VERDICTS - n_sent,
    }  # fmt: skip
    setup.run("judge")
    assert len(server.requests) == n_before + N_VERDICTS


def test_runs_cut_off_and_resumed_give_what_undisturbed_ones_give(
    server: TournamentServer, setup: Setup
) -> None:
    setup.run()
    undisturbed, once = setup.collect(), server.paid_for.copy()
    server.paid_for.clear()
    setup.home = setup.home.with_name("cut")
    for step in ("runs", "runs", "judge", "traits"):
        server.fails_after = len(server.requests) + 2
        cut = setup.call("run", step)
        assert cut.exit_code == 1, cut.output
        for frame, value in zip(setup.collect().values(), ("output", "choice", "structure"), strict=True):
            assert frame.loc[frame["status"] != "answered", value].isna().all()
        server.fails_after = 10**9
        setup.run(step)
    assert server.paid_for == once
    for name, frame in setup.collect().items():
        pd.testing.assert_frame_equal(frame, undisturbed[name])
    n_requests = len(server.requests)
    setup.run()
    assert len(server.requests) == n_requests


def test_a_command_killed_and_given_again_pays_nothing_recorded_twice(
    server: TournamentServer, setup: Setup
) -> None:
    setup.run()
    undisturbed, once = setup.collect(), server.paid_for.copy()
    server.paid_for.clear()
    setup.home = setup.home.with_name("killed")
    server.slowness = 0.2
    for step, table in (("runs", "tournament_llm_output"), ("judge", "tournament_llm_verdict")):
        # more than can be on their way, so that some are recorded
        target = len(server.requests) + IN_FLIGHT * len(ROLES) + 2
        command = [sys.executable, "-m", "dagster_project.cli", "llm", "run", f"tournament-{step}"]
        process = subprocess.Popen(command, cwd=PROJECT, env=os.environ | setup.environment, text=True,
                                   stdout=subprocess.PIPE)  # fmt: skip
        kill_when(process, lambda target=target: len(server.requests) >= target)  # type: ignore[misc]
        kept = setup.collect()[table]
        assert 0 < (kept["status"] == "answered").sum() < len(kept)
        setup.run(*[step] * (2 if step == "runs" else 1))
    server.slowness = 0
    setup.run("traits")
    # what was on its way at a kill is all that may be asked again; each model has so many calls on their way
    assert set(server.paid_for) == set(once)
    assert (server.paid_for - once).total() <= 2 * IN_FLIGHT * len(ROLES)
    for name, frame in setup.collect().items():
        pd.testing.assert_frame_equal(frame, undisturbed[name])


def test_refused_and_unreadable_verdicts_are_counted_and_never_made_a_tie(
    server: TournamentServer, setup: Setup
) -> None:
    setup.run("runs", "runs")
    of = texts(setup.collect()["tournament_llm_output"])
    alone, doer = of["haiku", "augmentation", "1", "wimbrel"], of["haiku", "automation", "1", "quillon"]
    server.odd = {
        ("juror-one", alone): {"refusal": "No."},
        ("juror-two", doer): {"content": "Both have their merits."},
        ("juror-kin", alone): {"content": '{"choice": "tie"}'},
    }
    done = setup.call("run", "judge")
    assert done.exit_code == 0
    verdicts = setup.collect()["tournament_llm_verdict"]
    # the unaided worker meets two helpers, the doer one other
    expected = {"refused": N_RUNS * 2, "unparsed": N_RUNS * (1 + 1)}
    expected["answered"] = N_VERDICTS - sum(expected.values())
    assert counts(verdicts) == expected
    assert all(re.search(rf"{status} +{n}\b", done.output) for status, n in expected.items())
    none = verdicts[verdicts["status"] != "answered"]
    empty = ["choice", "scores_first", "scores_second", "mean_score_first", "mean_score_second", "rationale"]
    assert none[empty].isna().all(axis=None)
    n_requests = len(server.requests)
    setup.run("judge")
    assert len(server.requests) == n_requests
    server.odd = {}
    assert setup.call("retry", "judge").exit_code == 0
    assert counts(setup.collect()["tournament_llm_verdict"]) == {"answered": N_VERDICTS}
    assert len(server.requests) == n_requests + sum(expected.values()) - expected["answered"]


def test_both_seats_ask_each_pair_in_both_orders_and_pay_only_the_second(
    server: TournamentServer, setup: Setup
) -> None:
    setup.run("runs", "runs", "judge")
    once = setup.collect()["tournament_llm_verdict"]
    n_requests = len(server.requests)
    setup.options["SUITABILITY_TOURNAMENT_BOTH_SEATS"] = "true"
    setup.run("judge")
    assert len(server.requests) == n_requests + N_VERDICTS
    verdicts = setup.collect()["tournament_llm_verdict"]
    assert len(verdicts) == 2 * N_VERDICTS and set(once["call_id"]) < set(verdicts["call_id"])
    turned = verdicts.rename(columns={"first": "second", "second": "first"})
    both = verdicts.merge(turned, on=[*KEYS, "judge", "first", "second"], suffixes=("", "_turned"))
    assert len(both) == len(verdicts)
    # who always takes the first seat takes another candidate when they change places
    is_steady = both["choice"] != both["choice_turned"]
    assert set(both.loc[~is_steady, "judge"]) == {FIRST_SEAT_JUDGE}
    assert set(both.loc[is_steady, "judge"]) == {"juror-one", "juror-kin"}


def test_seats_follow_from_the_seed_and_are_those_the_judge_saw(
    server: TournamentServer, setup: Setup
) -> None:
    setup.options["SUITABILITY_TOURNAMENT_RUNS"] = "8"
    setup.run("runs", "runs")
    drawn = []
    runs = (setup.home / "ledger.sqlite").read_bytes()
    for seed in ("1", "2"):
        # with verdicts in the ledger, another seed would move no seat
        (setup.home / "ledger.sqlite").write_bytes(runs)
        setup.options["SUITABILITY_SEED"] = seed
        setup.run("judge")
        outputs, verdicts, _ = setup.collect().values()
        of = texts(outputs)
        recorded = {
            tuple(of[(*(row[key] for key in KEYS), row[seat])] for seat in ("first", "second"))
            for row in verdicts.to_dict("records")
        }
        assert recorded <= {seats(request["messages"][-1]["content"]) for request in server.judged()}
        drawn.append(verdicts[[*KEYS, "judge", "first", "second"]])
    n_sorted = int((drawn[0]["first"] < drawn[0]["second"]).sum())
    # four standard deviations of a fair coin over 72
    assert abs(n_sorted - len(drawn[0]) / 2) < 4 * len(drawn[0]) ** 0.5 / 2
    assert not drawn[0].equals(drawn[1])


def test_another_seed_or_a_judge_less_pays_for_no_verdict_again(
    server: TournamentServer, setup: Setup
) -> None:
    setup.run("runs", "runs", "judge")
    before = setup.collect()["tournament_llm_verdict"]
    setup.options["SUITABILITY_SEED"] = "77"
    assert f"{N_VERDICTS} calls, {N_VERDICTS} settled or in flight, 0 to send" in " ".join(
        setup.call("estimate", "judge").output.split()
    )
    n_requests = len(server.requests)
    setup.panel([*ROLES, *JUDGES[1:]])
    setup.run("judge")
    assert len(server.requests) == n_requests
    columns = [*KEYS, "judge", "first", "second", "choice", "status", "call_id"]

    def rows(frame: pd.DataFrame) -> set[tuple[str, ...]]:
        return set(frame[columns].itertuples(index=False, name=None))

    after = setup.collect()["tournament_llm_verdict"]
    assert rows(after) == rows(before) and after["call_number"].is_unique
    # who is in candidates.csv no more has no family: it may not have judged
    setup.families({name: family for name, family in FAMILIES.items() if name != JUDGES[0][1]})
    assert rows(setup.collect()["tournament_llm_verdict"]) == {
        r for r in rows(before) if r[3] != JUDGES[0][1]
    }


def test_a_candidate_more_is_judged_in_its_own_pairs_only(server: TournamentServer, setup: Setup) -> None:
    setup.run()
    before, n_requests = setup.collect(), len(server.requests)
    setup.panel([*ROLES, ("candidate", "osprey"), *JUDGES])
    setup.families(FAMILIES | {"osprey": "Littoral"})
    setup.run("runs", "runs", "judge")
    more = server.requests[n_requests:]
    outputs, verdicts, _ = setup.collect().values()
    own = set(outputs.loc[outputs["candidate"] == "osprey", "output"])
    written = [request for request in more if request not in server.judged()]
    # a run: its deliverable, its assistance, the worker's with that
    assert len(written) == N_RUNS * 3 and {r["model"] for r in written} == {"osprey", "wimbrel"}
    judged = [seats(r["messages"][-1]["content"]) for r in more if r in server.judged()]
    # a run: 1 + 3 rivals' pairs less two with zephyrine for its relative, by two judges and Boreal's
    assert len(judged) == N_RUNS * (2 * 5 + 3)
    assert all(own & set(pair) for pair in judged)
    old = verdicts[(verdicts["first"] != "osprey") & (verdicts["second"] != "osprey")]
    kept = [name for name in old.columns if name != "call_number"]
    pd.testing.assert_frame_equal(
        old[kept].reset_index(drop=True), before["tournament_llm_verdict"][kept], check_dtype=False
    )


def test_people_may_be_the_worker(server: TournamentServer, setup: Setup) -> None:
    setup.panel([*ROLES[:2], *JUDGES])
    setup.families(FAMILIES, {"zephyrine": "candidate", "quillon": "candidate", "wimbrel": "worker"})
    setup.run("runs")
    # their deliverables and assistance; nobody is asked in the worker's place
    assert len(server.requests) == N_RUNS * 4
    outputs = setup.collect()["tournament_llm_output"]
    waiting = outputs[outputs["mode"] == "augmentation"]
    assert set(waiting["status"]) == {"pending"} and waiting["assistance"].notna().all()

    told = setup.guidance("to_do.jsonl")
    assert told.exit_code == 0 and f"{N_RUNS * 3} deliverables to fill in" in told.output
    rows = [json.loads(line) for line in (setup.sources / "to_do.jsonl").read_text().splitlines()]
    assert {row["candidate"]: row["assistance"] is None for row in rows} == {
        "quillon": False, "wimbrel": True, "zephyrine": False,
    }  # fmt: skip
    again = setup.guidance("to_do.jsonl")
    assert again.exit_code == 1 and "exists" in again.output
    folder = setup.sources / "tournament/outputs"
    folder.mkdir()
    lines = [json.dumps(row | {"output": f"by hand {n} {words(str(n))}"}) for n, row in enumerate(rows)]
    (folder / "people.jsonl").write_text("\n".join([*lines, ""]))
    n_requests = len(server.requests)
    setup.run("runs")
    assert len(server.requests) == n_requests
    setup.run("judge", "traits")
    assert len(server.requests) == n_requests + N_VERDICTS + N_CODINGS
    assert any("by hand" in seats(r["messages"][-1]["content"])[0] for r in server.judged()[:N_VERDICTS])
    assert counts(setup.collect()["tournament_llm_output"]) == {"answered": N_RUNS * 2}
    done = setup.guidance("more.jsonl")
    assert done.exit_code == 2 and "nothing for people to do" in done.output


def test_a_malformed_task_is_refused_naming_file_and_line(server: TournamentServer, setup: Setup) -> None:
    setup.task.write_text(TASK.replace("- cut: The images", "- cut - The images"))
    line = TASK.split("\n").index("- cut: The images stand apart.") + 1
    for verb in ("estimate", "run"):
        for step in ("runs", "judge", "traits"):
            told = setup.call(verb, step)
            assert told.exit_code == 2 and f"haiku.md, line {line}: " in told.output
    assert not server.requests


def test_assistance_that_is_the_deliverable_is_flagged(server: TournamentServer, setup: Setup) -> None:
    server.odd[("quillon", "haiku")] = {"content": f"Check, plan. {HANDED_OVER}{words('done')}\nList."}
    setup.run("runs", "runs")
    tables = setup.tables()
    files, ledger = (
        check(warehouse=tables, settings=setup.settings)
        for check in (supplied_assistance_check, written_assistance_check)
    )
    assert isinstance(files, dg.AssetCheckResult) and isinstance(ledger, dg.AssetCheckResult)
    assert files.passed and not ledger.passed
    flagged = ledger.metadata["flagged"].value
    assert flagged == [f"haiku / augmentation / {run} / quillon: 100%" for run in (1, 2)]


def test_a_worker_that_candidates_csv_does_not_name_is_refused_before_anything_is_sent(
    server: TournamentServer, setup: Setup
) -> None:
    for roles in (
        {"wimbrel": "candidate"},
        {"quillon": "worker"},
        {"wimbrel": "worker", "quillon": "worker"},
    ):
        setup.families(FAMILIES, roles)
        told = " ".join(setup.call("run", "runs").output.split())
        assert "give it to wimbrel alone" in told
    assert not server.requests


def test_what_files_hold_is_not_asked_whatever_the_case_of_its_mode(
    server: TournamentServer, setup: Setup
) -> None:
    folder = setup.sources / "tournament/outputs"
    folder.mkdir()
    lines = [
        json.dumps(
            {"task": "haiku", "mode": "Automation", "run": run, "candidate": "zephyrine", "output": "by hand"}
        )
        for run in (1, 2)
    ]
    (folder / "z.jsonl").write_text("\n".join([*lines, ""]))
    setup.run("runs")
    assert len(server.requests) == N_OPENINGS - 2


def test_a_verdict_that_can_not_be_used_is_asked_again(server: TournamentServer, setup: Setup) -> None:
    setup.run("runs", "runs")
    folder = setup.sources / "tournament/judgements"
    folder.mkdir()
    given = {"task": "haiku", "mode": "Automation", "run": 1, "judge": "juror-one", "first": "zephyrine",
             "second": "quillon"}  # fmt: skip
    for choice, n in (("neither", N_VERDICTS), ("Tie", N_VERDICTS - 1)):
        (folder / "v.jsonl").write_text(json.dumps(given | {"choice": choice}) + "\n")
        assert f"{n} calls, " in setup.call("estimate", "judge").output


def test_families_differ_by_more_than_case(server: TournamentServer, setup: Setup) -> None:
    setup.families(FAMILIES | {"juror-kin": "BOREAL"})
    setup.run("runs", "runs", "judge")
    assert len(server.judged()) == N_VERDICTS


def test_one_judge_does_for_a_refresh_that_nobody_asked_traits_of(
    server: TournamentServer, setup: Setup
) -> None:
    setup.panel([*ROLES, JUDGES[0]])
    setup.run("runs", "runs", "judge")
    assert setup.collect()["assistance_llm_trait"].empty
    told = setup.call("run", "traits")
    assert told.exit_code == 2 and "at least 2 are" in told.output


def test_who_would_write_the_same_in_each_run_is_named(setup: Setup) -> None:
    path = setup.sources / "llm.toml"
    whole = path.read_text()
    assert "every run may give the same answer" not in setup.call("estimate", "runs").output
    for setting in ("temperature = 0", "seed = 5"):
        path.write_text(whole.replace('name = "quillon"', f'name = "quillon"\n{setting}', 1))
        for verb, more in (("estimate", ()), ("run", ("--budget", "0"))):
            told = " ".join(setup.call(verb, "runs", *more).output.split())
            assert "quillon: with a fixed seed or temperature 0, every run may give the same answer" in told
