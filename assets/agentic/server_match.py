"""Tool servers matched to work: to O*NET's tasks, and to the kinds of software that occupations use.

Belongs here: which texts are compared, and counts by threshold. Does not belong here: embedding and search
(assets/embedding).

Source: paper `open-economic-index`, section 3.1 (tasks), Appendix A.1 and Table 5 (commodities).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from threadpoolctl import threadpool_limits

# the paper's .5 belongs to its embedder: what other floors would give is shown beside it
FLOORS = tuple(round(0.3 + 0.05 * step, 2) for step in range(11))
# cosines nearer than this are the same: last bits follow from a block's shape
DECIMALS = 6
BLOCK_CELLS = 1 << 22

Vectors = npt.NDArray[np.float32]
Embed = Callable[[list[str]], Vectors]


@dataclass(frozen=True)
class Matched:
    """Rows of `estimate.server_match`, `server_match_floor`, `commodity_match` and `commodity_floor`."""

    server: pd.DataFrame
    server_floor: pd.DataFrame
    commodity: pd.DataFrame
    commodity_floor: pd.DataFrame


def match_servers(
    servers: pd.DataFrame, tasks: pd.DataFrame, technology: pd.DataFrame, embed: Embed
) -> Matched:
    """Nearest server of every task and commodity, and how much each floor covers.

    Args:
        servers: server, text (what it is for).
        tasks: task_text_id, text.
        technology: commodity_code, commodity_title, example.
        embed: texts -> unit rows. Not called where there is no server.
    """
    if servers.empty:
        none = [pd.DataFrame(columns=columns) for columns in _COLUMNS]
        return Matched(none[0], none[1], none[2].assign(commodity_title=None), none[3])
    names, vectors = servers["server"].tolist(), embed(servers["text"].tolist())
    best, floors = _nearest(tasks["task_text_id"].tolist(), tasks["text"].tolist(), names, vectors, embed)
    server = pd.DataFrame(best, columns=_COLUMNS[0])
    floor_rows = [(floor, len(tasks), n, len(names), used, pairs) for floor, n, used, pairs in floors]
    commodity: list[tuple[Any, ...]] = []
    commodity_floor: list[tuple[Any, ...]] = []
    titles = technology[["commodity_code", "commodity_title"]].drop_duplicates("commodity_code")
    titles = titles.sort_values("commodity_code")
    for has_examples in (False, True):
        codes, texts = _queries(titles, technology, has_examples)
        best, floors = _nearest(codes, texts, names, vectors, embed)
        commodity += [(code, has_examples, name, cosine) for code, name, cosine in best]
        commodity_floor += [
            (has_examples, floor, len(titles), n, len(names), used) for floor, n, used, _ in floors
        ]
    return Matched(
        server,
        pd.DataFrame(floor_rows, columns=_COLUMNS[1]),
        pd.DataFrame(commodity, columns=_COLUMNS[2]).merge(titles, on="commodity_code"),
        pd.DataFrame(commodity_floor, columns=_COLUMNS[3]),
    )


_COLUMNS = (
    ["task_text_id", "server", "cosine"],
    ["floor", "n_tasks", "n_tasks_matched", "n_servers", "n_servers_matched", "n_pairs"],
    ["commodity_code", "has_examples", "server", "cosine"],
    ["has_examples", "floor", "n_commodities", "n_covered", "n_servers", "n_used"],
)


def _queries(
    titles: pd.DataFrame, technology: pd.DataFrame, has_examples: bool
) -> tuple[list[str], list[str]]:
    """Commodity codes and texts: its title (O*NET has no definitions), or the title with each example in turn."""
    if not has_examples:
        return titles["commodity_code"].tolist(), titles["commodity_title"].tolist()
    title_of = titles.set_index("commodity_code")["commodity_title"]
    pairs = technology[["commodity_code", "example"]].drop_duplicates()
    pairs = pairs.sort_values(["commodity_code", "example"])
    texts = [f"{title_of[code]} such as {example}" for code, example in pairs.itertuples(index=False)]
    return pairs["commodity_code"].tolist(), texts


def _nearest(
    keys: Sequence[Any], texts: list[str], names: Sequence[str], vectors: Vectors, embed: Embed
) -> tuple[list[tuple[Any, str, float]], list[tuple[float, int, int, int]]]:
    """(key, nearest server, cosine) of each distinct key; (floor, keys matched, servers matched, pairs) of each floor.

    A key with several texts has the highest cosine of any. Ties go to the server that comes first.
    """
    if not texts:
        return [], [(floor, 0, 0, 0) for floor in FLOORS]
    starts = np.flatnonzero([n == 0 or keys[n] != keys[n - 1] for n in range(len(keys))])
    queries = embed(texts)
    best: list[tuple[Any, str, float]] = []
    matched, pairs = np.zeros(len(FLOORS), dtype=int), np.zeros(len(FLOORS), dtype=int)
    used = np.zeros((len(FLOORS), len(names)), dtype=bool)
    for first, cosines in _by_key(queries, vectors, starts):
        highest = cosines.argmax(axis=1)
        values = cosines[np.arange(len(cosines)), highest]
        found = zip(highest, values, strict=True)
        best += [(keys[starts[first + n]], names[at], float(value)) for n, (at, value) in enumerate(found)]
        for place, floor in enumerate(FLOORS):
            is_near = cosines >= floor
            matched[place] += int(is_near.any(axis=1).sum())
            pairs[place] += int(is_near.sum())
            used[place] |= is_near.any(axis=0)
    counts = zip(FLOORS, matched, used.sum(axis=1), pairs, strict=True)
    return best, [(floor, int(n), int(m), int(p)) for floor, n, m, p in counts]


def _by_key(
    queries: Vectors, vectors: Vectors, starts: npt.NDArray[np.intp]
) -> Iterator[tuple[int, npt.NDArray[np.float64]]]:
    """Blocks of keys × servers with the number of their first key: the highest cosine over each key's texts."""
    ends = np.append(starts[1:], len(queries))
    most = max(1, BLOCK_CELLS // len(vectors))
    first = 0
    with threadpool_limits(1):
        while first < len(starts):
            last = max(first + 1, int(np.searchsorted(ends, starts[first] + most, side="right")))
            block = queries[starts[first] : ends[last - 1]] @ vectors.T
            own = starts[first:last] - starts[first]
            yield first, np.maximum.reduceat(block, own, axis=0).astype(np.float64).round(DECIMALS)
            first = last
