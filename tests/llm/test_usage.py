"""From the ledger to `marts.llm_usage`: counts and costs against what the scripted server sent; no texts on the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import dagster as dg
import pandas as pd
import pytest

from assets.llm import run
from assets.llm.assets import llm_call
from assets.settings import PROJECT, Settings
from dagster_project.resources import DuckDBWarehouse
from tests.llm.conftest import FAST, calls_of, model_at
from tests.support.llm.scripted_server import Reply, ScriptedServer, error

SCRIPT: dict[str, Reply | Sequence[Reply]] = {
    "storm": [error(500), Reply('{"level": 3}')],
    "prose": Reply("2 out of 5"),
    "refusal": Reply(None, message={"refusal": "no"}, usage=None),
    "bad": error(400),
    "moved": Reply('{"level": 2}', model="scripted-2"),
    "huge": Reply('{"level": 2}', usage={"prompt_tokens": 5, "completion_tokens": 10**20}),
}


def land(settings: Settings) -> DuckDBWarehouse:
    warehouse = DuckDBWarehouse(settings.warehouse_path)
    with dg.DagsterInstance.ephemeral() as instance:
        resources = {"warehouse": warehouse, "settings": settings}
        assert dg.materialize([llm_call], resources=resources, instance=instance).success
    return warehouse


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose ledger holds two runs of a rater and one of a judge, with marts built on it."""
    home = tmp_path_factory.mktemp("home")
    settings = Settings(home=home)
    with pytest.MonkeyPatch.context() as patch, ScriptedServer(SCRIPT) as server:
        patch.setenv("TEST_LLM_KEY", "sk-of-usage-0123456789")
        rater, judge = model_at(server.base_url), model_at(server.base_url, role="judge", model="other")
        calls = calls_of(rater, ["a", "b", "c", *SCRIPT]) + calls_of(judge, ["a", "prose"])
        run(calls, settings.ledger_path, "annotate", limits=FAST)
        server.script.clear()
        run(calls, settings.ledger_path, "annotate", limits=FAST, retry=True)
    warehouse = land(settings)
    project = home / "dbt"
    for name in ("macros", "models/sources", "models/staging/llm", "models/marts/llm"):
        shutil.copytree(PROJECT / "dbt" / name, project / name)
    for name in ("dbt_project.yml", "profiles.yml"):
        shutil.copy(PROJECT / "dbt" / name, project / name)
    command = [str(Path(sys.executable).with_name("dbt")), "--no-use-colors", "build"]
    environment = os.environ | {
        "SUITABILITY_WAREHOUSE_PATH": str(warehouse.path),
        "DBT_TARGET_PATH": str(home / "target"),
        "DBT_LOG_PATH": str(home / "log"),
    }
    done = subprocess.run(
        # whether answers stand in for files is a question of all slices
        [*command, "--project-dir", str(project), "--profiles-dir", str(project), "--select", "path:models",
         "--exclude", "stg_answered_input"],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return home


def test_the_mart_counts_calls_by_run_role_and_model(home: Path) -> None:
    usage = DuckDBWarehouse(Settings(home=home).warehouse_path).read("marts.llm_usage")
    columns = ["role", "model", "n_calls", "n_answered", "n_unparsed", "n_refused", "n_failed", "n_pending",
               "n_attempts", "input_tokens", "output_tokens", "n_cost_unknown"]  # fmt: skip
    # both runs may have begun in one second, and then their names don't tell which was first
    told = sorted(usage[columns].to_numpy().tolist())
    # the storm's first attempt brought no usage, nor did the refusal and the error
    assert told == [
        ["judge", "other", 1, 1, 0, 0, 0, 0, 1, 100, 10, 0],
        ["judge", "other", 2, 1, 1, 0, 0, 0, 2, 200, 20, 0],
        ["rater", "scripted", 3, 3, 0, 0, 0, 0, 3, 300, 30, 0],
        ["rater", "scripted", 9, 6, 1, 1, 1, 0, 10, 605, 60, 4],
    ]
    assert usage["run"].nunique() == 2
    assert usage["cost"].sum() == pytest.approx(12 * 120e-6)
    assert set(usage["plan"]) == {"annotate"}


def test_a_change_of_the_answering_model_is_a_row_of_its_own(home: Path) -> None:
    warehouse = DuckDBWarehouse(Settings(home=home).warehouse_path)
    mart = warehouse.read("marts.llm_answered_model")
    told = mart[["role", "model", "answered_model", "n_replies", "is_changed"]].to_numpy().tolist()
    # of nine calls in the first run, one brought no reply, and one names another model
    assert sorted(told) == [
        ["judge", "other", "scripted", 1, False],
        ["judge", "other", "scripted", 2, False],
        ["rater", "scripted", "scripted", 3, False],
        ["rater", "scripted", "scripted", 7, True],
        ["rater", "scripted", "scripted-2", 1, True],
    ]
    usage = warehouse.read("marts.llm_usage")
    assert sorted(usage["n_answered_models"]) == [1, 1, 1, 2]


def test_no_text_of_a_call_reaches_the_warehouse(home: Path) -> None:
    warehouse = DuckDBWarehouse(Settings(home=home).warehouse_path)
    cells = warehouse.read("raw.llm_call").astype(str).to_numpy().ravel()
    assert not [cell for cell in cells if "prose" in cell or "out of 5" in cell or "level" in cell]


def test_without_a_ledger_the_table_is_empty_and_no_ledger_is_made(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    frame = land(settings).read("raw.llm_call")
    assert isinstance(frame, pd.DataFrame) and frame.empty
    assert not settings.ledger_path.exists()
