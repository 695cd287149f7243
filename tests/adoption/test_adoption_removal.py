"""A file of chats that is taken away takes along all that followed from it in the home's working folders.

Belongs here: what stands in chats/ and adoption/ after a refresh. Does not belong here: marts (test_adoption_order.py).
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

from assets.adoption.assets import adoption
from assets.common.text_key import text_key
from assets.settings import Settings
from dagster_project.resources import DuckDBWarehouse
from tests.support.adoption.slice_build import FIRST, land
from tests.support.adoption.small_world import world
from tests.support.dbt_run import run_dbt
from tests.support.steps import run_steps

PLANTED = "Please translate the contract of Saint Gudula into Frisian"
OTHERS = [f"Please repair the engine of my old tractor, number {number}" for number in range(40)]
TABLES = ("chat_request", "task_set", "adoption_step", "adoption_bootstrap")


def write(path: Path, *texts: str) -> None:
    rows = [{"chat_id": f"{path.stem}-{n}", "text": text, "at": "2025-01-01"} for n, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def refresh(home: Path, sources: Path, parsed: Path) -> DuckDBWarehouse:
    """Chats to matches, as far as Python writes."""
    settings = Settings.model_validate({"home": home, "sources": sources, "embedder": "wordllama"})
    warehouse = land(settings, world())
    run = run_dbt(home, "build", *FIRST, "--exclude-resource-type", "test", parsed=parsed)
    assert run.success, run.failures
    run_steps(warehouse, settings, adoption)
    return warehouse


def holding(home: Path) -> list[Path]:
    """Files of the working folders that hold the planted text or its key, in a column or anywhere in their bytes."""
    key = text_key(PLANTED)
    needles = [PLANTED.lower().encode(), str(key).encode(), key.to_bytes(8, "little"), key.to_bytes(8)]
    found = []
    for path in (
        file for name in ("adoption", "chats") for file in (home / name).rglob("*") if file.is_file()
    ):
        content = path.read_bytes()
        if path.suffix == ".parquet":
            # columns may be compressed
            content += pd.read_parquet(path).to_csv().encode()
        if any(needle in content or needle in content.lower() for needle in needles):
            found.append(path)
    return found


def test_a_file_that_goes_takes_along_what_followed_from_it(tmp_path: Path, dbt_target: Path) -> None:
    sources, home = tmp_path / "sources", tmp_path / "home"
    (sources / "chats").mkdir(parents=True)
    home.mkdir()
    write(sources / "chats/others.jsonl", *OTHERS)
    write(sources / "chats/planted.jsonl", PLANTED, OTHERS[0])
    refresh(home, sources, dbt_target)
    assert {path.parts[len(home.parts)] for path in holding(home)} == {"adoption", "chats"}
    assert any(path.match("adoption/matches/*/*.parquet") for path in holding(home))
    # a run was killed while it wrote
    killed = home / "adoption" / ".chat_request.parquet.1"
    killed.write_bytes((home / "adoption/chat_request.parquet").read_bytes())
    (sources / "chats/planted.jsonl").unlink()
    after = refresh(home, sources, dbt_target)
    assert holding(home) == []
    keys = after.read("estimate.request_match")["request_key"].to_numpy(np.int64)
    assert sorted(keys) == sorted(text_key(text) for text in OTHERS)
    # and what is left is what there is without that file
    (tmp_path / "fresh").mkdir()
    scratch = refresh(tmp_path / "fresh", sources, dbt_target)
    for name in TABLES:
        pd.testing.assert_frame_equal(
            after.read(f"estimate.{name}"), scratch.read(f"estimate.{name}"), check_exact=True
        )
    # nor does the last file leave any
    (sources / "chats/others.jsonl").unlink()
    last = refresh(home, sources, dbt_target)
    assert last.read("estimate.request_match").empty and last.read("estimate.chat_request").empty
    assert not [*(home / "chats").iterdir(), *(home / "adoption").rglob("matches")]
