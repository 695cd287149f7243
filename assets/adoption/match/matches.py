"""The nearest tasks of each request, kept on disk: only requests that are new are embedded and searched.

Belongs here: what is asked for, what is known already. Does not belong here: the files (parquet_cache.py), embedding
(embedders.py, vectors.py), the search itself (nearest.py), which matches count (steps.py).
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from assets.common.text_key import normal_text
from assets.embedding.parquet_cache import keep, kept

NEAREST = 3
BLOCK = 20_000
# changes with what a kept file holds, and with the arithmetic of the vectors behind it
_LAYOUT = "normal text, ids, 2"
_VARIED = {"request_key", *(f"cosine_{rank}" for rank in range(1, NEAREST + 1))}

Keys = npt.NDArray[np.int64]
Texts = Callable[[Keys], list[str]]
Embed = Callable[[list[str]], npt.NDArray[np.float32]]
Search = Callable[
    [npt.NDArray[np.float32], npt.NDArray[np.float32], Sequence[str], int],
    tuple[npt.NDArray[Any], npt.NDArray[np.float32]],
]


class Named(Protocol):
    """What tells vectors of one embedder from those of another."""

    name: str
    weights_sha256: str
    query_prefix: str


@dataclass(frozen=True)
class Matches:
    """Rows in the order asked for: `task` (n, k) index into the tasks, nearest first; `cosine` (n, k).

    `parts`: files of estimate.request_match, of the requests in use.
    """

    task: npt.NDArray[np.int32]
    cosine: npt.NDArray[np.float64]
    n_new: int
    embedder: str = "none"
    parts: list[Path] = field(default_factory=list)


def nothing_to_match() -> Matches:
    """No rows, and no embedder was needed."""
    return Matches(np.empty((0, NEAREST), np.int32), np.empty((0, NEAREST)), 0)


def match(
    keys: Keys,
    texts_of: Texts,
    tasks: pd.DataFrame,
    embed_tasks: Embed,
    embed_requests: Embed,
    search: Search,
    folder: Path,
    engine: Named,
    in_use: Keys,
) -> Matches:
    """The `NEAREST` tasks of each request; what `folder` holds of requests no longer in use is removed.

    Matches are kept by the requests' keys, so it is the keys' normal form that is embedded: which spelling of a request
    stands first, or was seen by an earlier run, makes no difference.

    Vectors of requests are not kept: a million take a gigabyte, and their matches say all that is asked of them until
    tasks or embedder change.

    Args:
        keys: of the requests; one may stand many times.
        texts_of: a text of each of the keys that it is given; asked about new ones only.
        tasks: task_text_id, text; at least one.
        embed_tasks, embed_requests: texts -> unit rows.
        search: as `nearest.nearest`.
        folder: where matches are kept; those of another embedder or other tasks are removed too.
        engine: the embedder.
        in_use: keys whose matches stay, `keys` and those that may be asked for again.
    """
    k = min(NEAREST, len(tasks))
    ids = tasks["task_text_id"].to_list()
    store = folder / _digest(tasks, f"{engine.name}/{engine.weights_sha256}/{engine.query_prefix}", k)
    columns = [
        "request_key",
        *(f"{name}_{rank}" for rank in range(1, k + 1) for name in ("task_text_id", "cosine")),
    ]
    if folder.exists():
        for other in set(folder.iterdir()) - {store}:
            shutil.rmtree(other)
    found = _in_use(list(kept(store, columns)), in_use)
    # one hash table answers all that is asked: it is most of the work where little is new
    known = pd.Index(_keys(found))
    rows = known.get_indexer(pd.Index(keys))
    is_new = rows < 0
    new = np.unique(keys[is_new])
    rows[is_new] = len(known) + np.searchsorted(new, keys[is_new])
    if len(new):
        vectors, texts = embed_tasks(tasks["text"].to_list()), texts_of(new)
        for start in range(0, len(new), BLOCK):
            block = slice(start, start + BLOCK)
            near, cosine = search(embed_requests([normal_text(t) for t in texts[block]]), vectors, ids, k)
            table = _table(new[block], near, cosine.astype(np.float64).round(6), engine)
            _keep(table, store)
            found.append(table.select(columns))
    table = pa.concat_tables(found).combine_chunks()
    cosines = np.column_stack([table[f"cosine_{rank}"].to_numpy() for rank in range(1, k + 1)])
    places = np.column_stack([_places(table[f"task_text_id_{rank}"], ids) for rank in range(1, k + 1)])
    parts = sorted(store.glob("*.parquet"))
    return Matches(places[rows], cosines[rows], len(new), engine.name, parts)


def _keep(table: pa.Table, store: Path) -> None:
    keep(table, store, [name for name in table.column_names if name not in _VARIED])


def _keys(tables: list[pa.Table]) -> Keys:
    return np.concatenate([np.empty(0, np.int64), *(table["request_key"].to_numpy() for table in tables)])


def _in_use(parts: list[tuple[Path, pa.Table]], in_use: Keys) -> list[pa.Table]:
    """The tables without rows that are not in use; where there are such, others take the place of their files."""
    tables = [table for _, table in parts]
    known = pd.Index(_keys(tables))
    # the last is where what is not known falls
    is_used = np.zeros(len(known) + 1, bool)
    is_used[known.get_indexer(pd.Index(in_use))] = True
    stops = np.cumsum([len(table) for table in tables], dtype=np.int64)
    for at, (path, table) in enumerate(parts):
        own = is_used[stops[at] - len(table) : stops[at]]
        if own.all():
            continue
        rest = pq.read_table(path).filter(own)
        # killed in between, requests are matched again; the other way round they would stand twice
        path.unlink()
        if len(rest):
            _keep(rest, path.parent)
        tables[at] = rest.select(table.column_names)
    return tables


def _digest(tasks: pd.DataFrame, embedder: str, k: int) -> str:
    digest = hashlib.sha256(f"{embedder}/{k}/{_LAYOUT}".encode())
    for task, text in zip(tasks["task_text_id"], tasks["text"], strict=True):
        digest.update(f"\0{task}\0{text}".encode())
    return digest.hexdigest()[:32]


def _table(keys: Keys, near: npt.NDArray[Any], cosine: npt.NDArray[np.float64], engine: Named) -> pa.Table:
    columns: dict[str, Any] = {"request_key": keys}
    for rank in range(1, near.shape[1] + 1):
        columns[f"task_text_id_{rank}"] = pa.array(near[:, rank - 1], pa.string())
        columns[f"cosine_{rank}"] = cosine[:, rank - 1]
    for name, value in (("embedder", engine.name), ("weights_sha256", engine.weights_sha256)):
        columns[name] = pa.repeat(value, len(keys))
    return pa.table(columns)


def _places(named: pa.ChunkedArray, ids: list[str]) -> npt.NDArray[np.int32]:
    """Of each of `named` its place in `ids`."""
    encoded = named.combine_chunks().dictionary_encode()
    places = pd.Index(ids).get_indexer(pd.Index(encoded.dictionary.to_pylist())).astype(np.int32)
    return places[encoded.indices.to_numpy()]
