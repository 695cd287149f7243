"""The tournament on public judgements: PandaLM's people agree as published, PRD's models lean as counted by hand.

PRD publishes no figures of this kind; its shares here were counted from its file with a loop, outside the project.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

from dagster_project.resources import DuckDBWarehouse
from tests.support.assistance.slice_build import ONLY_MODELS, build_slice, rebuild
from tests.support.real.tournament_input import ANNOTATORS, convert_pandalm, convert_prd

FIRST_SEAT = {"bard": 0.812, "gpt4": 0.624, "gpt35": 0.492, "vicuna-13b": 0.406, "claude": 0.362}


@pytest.fixture(scope="module")
def prd(tmp_path_factory: pytest.TempPathFactory, real_data: Path, dbt_target: Path) -> DuckDBWarehouse:
    folder = tmp_path_factory.mktemp("prd")
    convert_prd(real_data / "tournament" / "prd_vicuna80_judgements.csv.gz", folder / "sources")
    return build_slice(folder, folder / "sources", dbt_target, *ONLY_MODELS)


@pytest.fixture(scope="module")
def pandalm(
    tmp_path_factory: pytest.TempPathFactory, real_data: Path, prd: DuckDBWarehouse
) -> DuckDBWarehouse:
    folder = tmp_path_factory.mktemp("pandalm")
    convert_pandalm(real_data / "tournament" / "pandalm_testset_v1_judgements.csv", folder / "sources")
    return rebuild(folder, prd, folder / "sources")


@pytest.fixture(scope="module")
def bias(prd: DuckDBWarehouse) -> Any:
    return prd.read("marts.judge_bias").set_index(["judge", "bias"])


def test_each_judge_of_prd_has_its_first_seat_share(bias: Any) -> None:
    for judge, share in FIRST_SEAT.items():
        row = bias.loc[(judge, "first_seat")]
        assert row["share"] == pytest.approx(share, abs=5e-4) and row["q025"] < share < row["q975"], judge


def test_gpt4_prefers_itself_by_the_share_found(prd: DuckDBWarehouse, bias: Any) -> None:
    row = bias.loc[("gpt4", "own_family")]
    assert (round(row["share"], 3), row["n"]) == (0.856, 640)
    # ties left out
    own = prd.read("staging.stg_tournament_verdict").query(
        "judge == 'gpt4' and is_own_family and choice != 'tie'"
    )
    assert round(((own["choice"] == "first") == own["is_first_own"]).mean(), 3) == 0.912
    # people, who belong to no family, prefer it less: 0.753
    assert row["q025"] > 0.753


def test_160_verdicts_of_prd_came_twice_27_of_them_contradicting(prd: DuckDBWarehouse) -> None:
    verdicts = prd.read("staging.stg_tournament_verdict")
    key = ["run", "judge", "first", "second"]
    repeated = verdicts[verdicts["state"] == "rejected"]
    assert repeated["reason"].str.startswith("duplicate").all() and set(repeated["judge"]) == {"gpt35"}
    both = repeated.merge(verdicts[verdicts["state"] == "accepted"], on=key, suffixes=("", "_kept"))
    assert (len(repeated), len(both)) == (160, 160)
    assert (both["choice"] != both["choice_kept"]).sum() == 27
    assert (both["row_number_kept"] < both["row_number"]).all()
    assert len(prd.read("staging.stg_tournament_reject")) == 160
    flow = prd.read("marts.tournament_flow")[["n_sent", "n_accepted", "n_rejected", "n_failed"]].sum()
    assert flow.tolist() == [8160, 8000, 160, 0]


def test_judges_of_prd_never_rank_themselves(prd: DuckDBWarehouse) -> None:
    standing = prd.read("intermediate.int_tournament_standing")
    assert not standing["judge"].eq(standing["candidate"]).any()
    assert set(standing["n_pool"]) == {4}
    overall = prd.read("marts.tournament_overall").set_index("candidate")
    assert overall["rank"].idxmin() == overall["bt_log_strength"].astype(float).idxmax() == "gpt4"


def test_people_of_pandalm_agree_as_published(pandalm: DuckDBWarehouse) -> None:
    """PandaLM's repository: Cohen's kappa of the three pairs is .85, .86 and .88."""
    verdicts = pandalm.read("staging.stg_tournament_verdict").query("state == 'accepted'")
    assert len(verdicts) == 3 * 999
    choice = verdicts.pivot(index=["run", "first", "second"], columns="judge", values="choice")
    kappas = [cohen_kappa_score(choice[a], choice[b]) for a, b in combinations(ANNOTATORS, 2)]
    assert [round(kappa, 3) for kappa in kappas] == [0.852, 0.879, 0.862]


def test_agreement_of_pandalms_people_is_that_of_their_pairs(pandalm: DuckDBWarehouse) -> None:
    verdicts = pandalm.read("staging.stg_tournament_verdict").query("state == 'accepted'")
    choice = verdicts.pivot(index=["run", "first", "second"], columns="judge", values="choice")
    alike = [(choice[a] == choice[b]).mean() for a, b in combinations(ANNOTATORS, 2)]
    row = pandalm.read("marts.judge_agreement").query("scope_type == 'all'").iloc[0]
    assert row["agreement_share"] == pytest.approx(sum(alike) / 3)
    assert (row["n_comparisons"], row["n_decisions"]) == (999, 2997)
    assert 0.85 < row["krippendorff_alpha"] < 0.88
