"""The nearest tasks of each request, kept on disk: only requests that are new are embedded and searched.

Belongs here: what is asked for, what is known already. Does not belong here: the files (kept.py), embedding
(embedders.py, vectors.py), the search itself (nearest.py), which matches count (steps.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from assets.adoption.kept import keep, kept
from assets.keys import normal_text

NEAREST = 3
_Part = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]
BLOCK = 20_000

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
    """Rows in the order asked for: `task` (n, k) index into the tasks, nearest first; `cosine` (n, k)."""

    task: npt.NDArray[np.int32]
    cosine: npt.NDArray[np.float64]
    n_new: int
    embedder: str = "none"
    weights_sha256: str = ""


def nothing_to_match() -> Matches:
    """No rows, and no embedder was needed."""
    return Matches(np.empty((0, NEAREST), np.int32), np.empty((0, NEAREST)), 0)


def match(
    requests: pd.DataFrame,
    tasks: pd.DataFrame,
    embed_tasks: Embed,
    embed_requests: Embed,
    search: Search,
    folder: Path,
    engine: Named,
) -> Matches:
    """The `NEAREST` tasks of each request.

    Matches are kept by the requests' keys, so it is the keys' normal form that is embedded: which spelling of a request
    stands first, or was seen by an earlier run, makes no difference.

    Vectors of requests are not kept: a million take a gigabyte, and their matches say all that is asked of them until
    tasks or embedder change.

    Args:
        requests: request_key, request; one row a chat, so a request may stand many times.
        tasks: task_text_id, text; at least one.
        embed_tasks, embed_requests: texts -> unit rows.
        search: as `nearest.nearest`.
        folder: where matches are kept, a folder in it for each embedder and set of tasks.
        engine: the embedder.
    """
    keys = requests["request_key"].to_numpy(np.int64)
    k = min(NEAREST, len(tasks))
    store = folder / _digest(tasks, f"{engine.name}/{engine.weights_sha256}/{engine.query_prefix}", k)
    known_keys, known_task, known_cosine = _read(store, k)
    unique, first = np.unique(keys, return_index=True)
    new = first[~np.isin(unique, known_keys)]
    if len(new):
        ids = tasks["task_text_id"].to_list()
        index = pd.Index(ids)
        vectors = embed_tasks(tasks["text"].to_list())
        texts = requests["request"].to_numpy(object)
        found: list[_Part] = [(known_keys, known_task, known_cosine)]
        for start in range(0, len(new), BLOCK):
            rows = new[start : start + BLOCK]
            near, cosine = search(embed_requests([normal_text(t) for t in texts[rows]]), vectors, ids, k)
            at: npt.NDArray[np.int32] = index.get_indexer(near.ravel()).reshape(near.shape).astype(np.int32)
            exact: npt.NDArray[np.float64] = cosine.astype(np.float64).round(6)
            part: _Part = (
                keys[rows],
                at,
                exact,
            )
            _write(store, *part)
            found.append(part)
        known_keys, known_task, known_cosine = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    order = np.argsort(known_keys, kind="stable")
    rows = order[np.searchsorted(known_keys, keys, sorter=order)]
    return Matches(known_task[rows], known_cosine[rows], len(new), engine.name, engine.weights_sha256)


def _digest(tasks: pd.DataFrame, embedder: str, k: int) -> str:
    digest = hashlib.sha256(f"{embedder}/{k}/normal text".encode())
    for task, text in zip(tasks["task_text_id"], tasks["text"], strict=True):
        digest.update(f"\0{task}\0{text}".encode())
    return digest.hexdigest()[:32]


def _write(
    store: Path, keys: npt.NDArray[np.int64], task: npt.NDArray[np.int32], cosine: npt.NDArray[np.float64]
) -> None:
    columns: dict[str, Any] = {"request_key": keys}
    for rank in range(task.shape[1]):
        columns |= {f"task_{rank}": task[:, rank], f"cosine_{rank}": cosine[:, rank]}
    keep(pa.table(columns), store)


def _read(
    store: Path, k: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    parts = list(kept(store))
    if not parts:
        return np.empty(0, np.int64), np.empty((0, k), np.int32), np.empty((0, k), np.float64)
    table = pa.concat_tables(parts)
    task = np.column_stack([table[f"task_{rank}"].to_numpy() for rank in range(k)])
    cosine = np.column_stack([table[f"cosine_{rank}"].to_numpy() for rank in range(k)])
    return table["request_key"].to_numpy(), task, cosine
