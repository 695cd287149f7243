"""Servers matched to work: a twin that compares every pair; one near example is enough; nothing without servers."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from assets.agentic import server_match
from assets.agentic.assets import MATCHED
from assets.agentic.server_match import FLOORS, match_servers
from assets.common.warehouse import declared_tables

SERVERS = pd.DataFrame({"server": [f"s{n}" for n in range(7)], "text": [f"server {n}" for n in range(7)]})
TASKS = pd.DataFrame({"task_text_id": range(1, 31), "text": [f"task {n}" for n in range(30)]})
TECHNOLOGY = pd.DataFrame(
    [(f"c{n % 5}", f"Kind {n % 5}", f"Product {n}") for n in (*range(20), 3, 3)],
    columns=["commodity_code", "commodity_title", "example"],
)


def embed(texts: list[str]) -> npt.NDArray[np.float32]:
    """A unit vector of eight dimensions that follows from the text."""
    seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) for text in texts]
    rows = np.array([np.random.default_rng(seed).normal(size=8) for seed in seeds])
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def cosines(texts: list[str]) -> list[list[float]]:
    return [
        [round(float(np.dot(a.astype(float), b.astype(float))), 6) for b in embed(SERVERS["text"].tolist())]
        for a in embed(texts)
    ]


@pytest.mark.parametrize("block_cells", [1, 40, 1 << 22])
def test_matches_are_those_of_comparing_every_pair(block_cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_match, "BLOCK_CELLS", block_cells)
    found: Any = match_servers(SERVERS, TASKS, TECHNOLOGY, embed)
    pairs = cosines(TASKS["text"].tolist())
    assert found.server["cosine"].tolist() == pytest.approx([max(row) for row in pairs], abs=2e-6)
    assert found.server["server"].tolist() == [f"s{row.index(max(row))}" for row in pairs]
    for row in found.server_floor.itertuples():
        near = [[c >= row.floor for c in cells] for cells in pairs]
        assert row.n_tasks_matched == sum(map(any, near)) and row.n_pairs == sum(map(sum, near))
        assert row.n_servers_matched == sum(map(any, zip(*near, strict=True)))
        assert (row.n_tasks, row.n_servers) == (30, 7)
    assert found.server_floor["floor"].tolist() == list(FLOORS)


@pytest.mark.parametrize("block_cells", [1, 1 << 22])
def test_a_commodity_is_covered_by_one_near_example(
    block_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_match, "BLOCK_CELLS", block_cells)
    found: Any = match_servers(SERVERS, TASKS, TECHNOLOGY, embed)
    with_examples = found.commodity[found.commodity["has_examples"]].set_index("commodity_code")["cosine"]
    bare = found.commodity[~found.commodity["has_examples"]].set_index("commodity_code")["cosine"]
    for code in (f"c{n}" for n in range(5)):
        own = TECHNOLOGY[TECHNOLOGY["commodity_code"] == code]
        texts = [f"{r.commodity_title} such as {r.example}" for r in own.itertuples()]
        assert with_examples[code] == pytest.approx(max(map(max, cosines(texts))), abs=2e-6)
        assert bare[code] == pytest.approx(max(cosines([f"Kind {code[1]}"])[0]), abs=2e-6)
    floors = found.commodity_floor[found.commodity_floor["has_examples"]]
    assert floors["n_covered"].tolist() == [int((with_examples >= floor).sum()) for floor in FLOORS]
    assert set(floors["n_commodities"]) == {5} and floors["n_used"].is_monotonic_decreasing


def test_without_servers_nothing_is_embedded() -> None:
    def refuse(texts: list[str]) -> npt.NDArray[np.float32]:
        raise AssertionError(texts)

    found = match_servers(SERVERS.head(0), TASKS, TECHNOLOGY, refuse)
    assert found.server.empty and found.server_floor.empty
    assert found.commodity.empty and found.commodity_floor.empty


def test_without_tasks_and_software_floors_are_told_all_the_same() -> None:
    found = match_servers(SERVERS, TASKS.head(0), TECHNOLOGY.head(0), embed)
    assert found.server_floor["n_tasks_matched"].tolist() == [0] * len(FLOORS)
    assert found.commodity.empty and set(found.commodity_floor["n_commodities"]) == {0}


def test_without_servers_nothing_is_embedded_and_every_table_is_empty() -> None:
    def never(texts: list[str]) -> npt.NDArray[np.float32]:
        raise AssertionError(texts)

    technology = pd.DataFrame({"commodity_code": ["1"], "commodity_title": ["Software"], "example": ["A"]})
    tasks = pd.DataFrame({"task_text_id": ["1"], "text": ["Plan."]})
    found = match_servers(pd.DataFrame(columns=["server", "text"]), tasks, technology, never)
    frames = (found.server, found.server_floor, found.commodity, found.commodity_floor)
    for table, frame in zip(MATCHED, frames, strict=True):
        assert frame.empty and set(frame.columns) == set(declared_tables()[table])
