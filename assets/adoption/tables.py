"""The tables of the adoption slice that Python writes, out of what the steps found.

Belongs here: arrays -> declared columns. Does not belong here: the steps (steps.py) and intervals (bootstrap.py).
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

from assets.adoption.bootstrap import KeptChats
from assets.adoption.steps import Adopted

STEP_COLUMNS = ["step", "status", "method", "note"]


def write_matches(adopted: Adopted, task_ids: list[str], path: Path) -> Path:
    """model.chat_match as a Parquet file at `path`: millions of rows, so never as a frame."""
    n, k = adopted.matches.task.shape
    same = pa.array(np.zeros(n * k, np.int8))
    table = pa.table(
        {
            "chat_key": np.repeat(adopted.matched, k),
            "rank": np.tile(np.arange(1, k + 1, dtype=np.int64), n),
            "task_text_id": pa.DictionaryArray.from_arrays(
                pa.array(adopted.matches.task.ravel()), pa.array(task_ids, pa.string())
            ),
            "cosine": adopted.matches.cosine.ravel(),
            "is_kept": adopted.kept.ravel(),
            "embedder": pa.DictionaryArray.from_arrays(same, pa.array([adopted.matches.embedder])),
            "weights_sha256": pa.DictionaryArray.from_arrays(
                same, pa.array([adopted.matches.weights_sha256])
            ),
        }
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}")
    pq.write_table(table, fresh)
    fresh.rename(path)
    return path


def kept_chats(adopted: Adopted, task_ids: list[str]) -> KeptChats:
    """Chats with a kept match, and whether they are from the US (column country of the chats)."""
    is_on = adopted.kept.any(axis=1)
    kept, task = adopted.kept[is_on], adopted.matches.task[is_on]
    ends = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    ones = np.ones(int(ends[-1]), np.float32)
    matrix = sparse.csr_array((ones, task[kept], ends), shape=(len(kept), len(task_ids)))
    from_us = adopted.chats.loc[adopted.chats["country"].eq("US").fillna(False), "chat_key"]
    return KeptChats(matrix, task_ids, np.isin(adopted.matched[is_on], from_us.to_numpy(np.int64)))


def step_frame(adopted: Adopted) -> pd.DataFrame:
    """model.adoption_step."""
    return pd.DataFrame([vars(step) for step in adopted.steps], columns=STEP_COLUMNS)
