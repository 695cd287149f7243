"""Planted adoption is recovered: 50,000 chats on the tasks of 200 occupations, from lines of JSON to marts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from dagster_project.resources import DuckDBWarehouse
from tests.support.adoption.slice_build import build

N_CHATS, N_OCCUPATIONS, TASKS_EACH, SEED = 50_000, 200, 8, 20
VERBS, THINGS, PLACES = (
    words.split()
    for words in (
        "repair design audit teach translate paint weigh photograph insure grow clean sell inspect draft measure",
        "engines bridges ledgers lessons contracts walls parcels weddings houses roses boats menus claims wells maps "
        "samples tickets shoes horses poems",
        "hospital harbour school bakery mine court museum farm laboratory bank theatre prison",
    )
)


def statements(rng: np.random.Generator) -> list[str]:
    """Eight texts an occupation: what is done with one kind of thing at one kind of place; all different."""
    cells = rng.choice(len(THINGS) * len(PLACES), N_OCCUPATIONS, replace=False)
    return [
        f"{VERBS[verb].capitalize()} {THINGS[cell % len(THINGS)]} of the {PLACES[cell // len(THINGS)]}."
        for cell in cells
        for verb in rng.choice(len(VERBS), TASKS_EACH, replace=False)
    ]


@pytest.fixture(scope="module")
def planted() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tasks, and chats with the task that each is about; occupations' shares fall over three decades."""
    rng = np.random.default_rng(SEED)
    occupations = np.array([f"{11 + 2 * (n % 22)}-{1000 + n}.00" for n in range(N_OCCUPATIONS)])
    tasks = pd.DataFrame(
        {
            "occupation": np.repeat(occupations, TASKS_EACH),
            "task_id": np.arange(N_OCCUPATIONS * TASKS_EACH).astype(str),
            "task": statements(rng),
        }
    )
    share = 10 ** rng.uniform(-3, 0, N_OCCUPATIONS)
    occupation = rng.choice(N_OCCUPATIONS, N_CHATS, p=share / share.sum())
    # within an occupation some tasks are asked about more than others
    within = rng.dirichlet(np.ones(TASKS_EACH), N_OCCUPATIONS)
    place = (rng.random((N_CHATS, 1)) > within[occupation].cumsum(axis=1)).sum(axis=1).clip(0, TASKS_EACH - 1)
    task = occupation * TASKS_EACH + place
    opening = rng.choice(
        ["Could you tell me how to", "Please help me to", "I need to", "Explain how people"], N_CHATS
    )
    sentences = [str(statement) for statement in tasks["task"]]
    text = [
        f"{start} {sentences[at].rstrip('.').lower()}, case {n}"
        for n, (start, at) in enumerate(zip(opening, task, strict=True))
    ]
    return tasks, pd.DataFrame({"text": text, "task": task, "occupation": occupations[occupation]})


@pytest.fixture(scope="module")
def built(
    planted: tuple[pd.DataFrame, pd.DataFrame], tmp_path_factory: pytest.TempPathFactory, dbt_target: Path
) -> DuckDBWarehouse:
    tasks, chats = planted
    folder = tmp_path_factory.mktemp("planted")
    (folder / "sources" / "chats").mkdir(parents=True)
    lines = (json.dumps({"chat_id": str(n), "text": text}) + "\n" for n, text in enumerate(chats["text"]))
    (folder / "sources/chats/log.jsonl").write_text("".join(lines))
    occupations = sorted(set(tasks["occupation"]))
    world = {
        "raw.onet_task": tasks,
        "raw.onet_occupation": pd.DataFrame({"occupation": occupations, "title": occupations}),
    }
    options = ("--exclude-resource-type", "unit_test")
    return build(folder, folder / "sources", world, dbt_target, *options)


@pytest.mark.slow
def test_shares_of_occupations_are_recovered(
    built: DuckDBWarehouse, planted: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    mart = built.read("marts.occupation_adoption").set_index("occupation")
    true = planted[1]["occupation"].value_counts().reindex(mart.index, fill_value=0)
    funnel = built.read("marts.chat_funnel").set_index("stage")["n_chats"]
    assert funnel["all"] == N_CHATS and funnel["confirmed"] > 0.9 * N_CHATS
    many = true >= 50
    assert 100 < many.sum() < N_OCCUPATIONS
    weight = mart["chat_weight"][many].astype(float)
    rho = spearmanr(weight, true[many]).statistic
    print(f"rank correlation {rho:.3f} over {many.sum()} occupations")
    assert rho >= 0.95
    # and in size, not in order alone
    assert np.corrcoef(weight, true[many])[0, 1] >= 0.9
