"""The embedder's validation against a search of its own over a small graph, and what random vectors give."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assets.adoption.indices.embedder_validation import hierarchy, validate
from assets.adoption.indices.validation_store import validated
from assets.embedding.embedders import Vectors

Edges = list[tuple[str, str, str | None]]


def world(*, with_alone: bool = True) -> pd.DataFrame:
    """31 nodes: tasks 3, 7 and 11 join branches, none joins that of g2, and task 99 is alone."""
    rows: Edges = [("GWA", f"g{i}", None) for i in range(3)]
    rows += [("IWA", f"i{i}", f"g{(0, 0, 1, 1, 2)[i]}") for i in range(5)]
    rows += [("DWA", f"d{i}", f"i{i % 5}") for i in range(8)]
    rows += [("task", f"{i}", f"d{i % 8}") for i in range(14)]
    rows += [("task", "3", "d0"), ("task", "7", "d1"), ("task", "11", "d6"), ("task", "11", "d2")]
    rows += [("task", "99", None)] if with_alone else []
    frame = pd.DataFrame(rows, columns=["level", "node_id", "parent_id"]).assign(text=lambda f: f["node_id"])
    return frame.sample(frac=1, random_state=3)


def hops(nodes: pd.DataFrame, has_root: bool) -> dict[str, dict[str, int]]:
    """Breadth first from each node."""
    near: dict[str, set[str]] = {}
    for level, node, parent in nodes[["level", "node_id", "parent_id"]].itertuples(index=False):
        near.setdefault(node, set())
        above = ("root" if has_root and level == "GWA" else None) if pd.isna(parent) else parent
        if above:
            near[node].add(above)
            near.setdefault(above, set()).add(node)
    found = {}
    for start in near:
        reached, queue = {start: 0}, deque([start])
        while queue:
            here = queue.popleft()
            for there in near[here] - set(reached):
                reached[there] = reached[here] + 1
                queue.append(there)
        found[start] = reached
    return found


def unit_rows(n: int, d: int, seed: int = 1) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


@pytest.mark.parametrize("block_cells", [1, 200, 1 << 20])
@pytest.mark.parametrize("with_alone", [True, False])
def test_a_search_over_every_pair_gives_the_same(block_cells: int, with_alone: bool) -> None:
    nodes = world(with_alone=with_alone)
    graph = hierarchy(nodes)
    vectors = unit_rows(len(graph.texts), 5)
    of = dict(zip(graph.texts, vectors.astype(float), strict=True))
    for found in validate(graph, vectors, block_cells=block_cells):
        far = hops(nodes, found.has_root)
        pairs = [(a, b) for a, b in itertools.combinations(of, 2) if b in far[a]]
        x = [1 - of[a] @ of[b] for a, b in pairs]
        assert found.n_pairs == len(pairs)
        assert found.pearson_r == pytest.approx(
            np.corrcoef(x, [far[a][b] for a, b in pairs])[0, 1], abs=1e-12
        )
    # without a root g2's branch is not joined to the rest, so fewer pairs have a path
    rooted, free = validate(graph, vectors)
    n = len(of) - with_alone
    assert rooted.n_pairs == n * (n - 1) // 2 > free.n_pairs


def test_distances_that_are_the_hops_give_one_and_random_ones_none() -> None:
    rows: Edges = [("GWA", "g", None), ("IWA", "i", "g"), ("DWA", "d0", "i"), ("DWA", "d1", "i")]
    rows += [("task", str(n), f"d{n % 2}") for n in range(1000)]
    nodes = pd.DataFrame(rows, columns=["level", "node_id", "parent_id"]).assign(text=lambda f: f["node_id"])
    graph = hierarchy(nodes)
    assert abs(validate(graph, unit_rows(1004, 64))[0].pearson_r or 1) < 0.01
    # tasks of one activity 2 hops apart, of two activities 4: vectors that say so, activities left out of it
    pair = hierarchy(
        nodes[~nodes["level"].isin(["GWA", "IWA"])].assign(
            parent_id=lambda f: f["parent_id"].where(f["level"] == "task")
        )
    )
    vectors = np.array(
        [
            [1, 0] if text in ("d0",) or (text.isdigit() and int(text) % 2 == 0) else [0, 1]
            for text in pair.texts
        ],
        dtype=np.float32,
    )
    # without the activity above, the two branches share no path, and one distance is no order
    assert [(one.pearson_r, one.n_pairs) for one in validate(pair, vectors)] == [
        (None, 2 * 501 * 500 // 2)
    ] * 2


def test_what_is_too_far_apart_to_be_counted_is_told() -> None:
    def chain(n: int) -> pd.DataFrame:
        rows: Edges = [("IWA", f"i{at:03}", f"i{at - 1:03}" if at else None) for at in range(n)]
        return pd.DataFrame(rows, columns=["level", "node_id", "parent_id"]).assign(text="")

    assert hierarchy(chain(248)).to_activity[False][0, -1] == 247
    with pytest.raises(ValueError, match="farther apart than the 247 hops"):
        hierarchy(chain(249))


def test_a_parent_that_is_no_node_is_told() -> None:
    nodes = pd.DataFrame([("task", "1", "t", "d9")], columns=["level", "node_id", "text", "parent_id"])
    with pytest.raises(ValueError, match="'d9' is a parent and no node"):
        hierarchy(nodes)


class Named:
    """An embedder without texts of its own: embedding is handed over beside it."""

    name, dimension, query_prefix = "random", 8, ""

    def __init__(self, weights_sha256: str) -> None:
        self.weights_sha256 = weights_sha256

    def embed(self, texts: Sequence[str]) -> Vectors:
        return unit_rows(len(texts), self.dimension)


def test_nothing_is_embedded_again_until_embedder_or_texts_change(tmp_path: Path) -> None:
    calls: list[int] = []

    def embed(texts: list[str]) -> Vectors:
        calls.append(len(texts))
        return unit_rows(len(texts), 8)

    nodes, engine = world(), Named("0")
    first = validated(nodes, engine, embed, tmp_path)
    assert (
        validated(nodes.sample(frac=1, random_state=9), engine, embed, tmp_path) == first and len(calls) == 1
    )
    validated(nodes.assign(text=nodes["text"] + "."), engine, embed, tmp_path)
    validated(nodes, Named("1"), embed, tmp_path)
    assert len(calls) == 3
    # cut short
    for path in tmp_path.glob("*.json"):
        path.write_text(path.read_text()[:20])
    assert validated(nodes, engine, embed, tmp_path) == first and len(calls) == 4


def test_tasks_that_lead_to_no_activity_are_no_pairs() -> None:
    """A release may have tasks and nothing above them: no r, and no error."""
    texts = ["Weld pipes", "Bake bread"]
    tasks = pd.DataFrame({"level": "task", "node_id": ["1", "2"], "text": texts, "parent_id": None})
    graph = hierarchy(tasks)
    vectors = np.eye(2, 8, dtype=np.float32)
    assert [(one.pearson_r, one.n_pairs) for one in validate(graph, vectors)] == [(None, 0), (None, 0)]
