"""The tables of the adoption slice that Python writes, out of what the steps found.

Belongs here: arrays -> declared columns. Does not belong here: the steps (steps.py) and intervals (bootstrap.py).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from assets.adoption.funnel.bootstrap import KeptSets
from assets.adoption.funnel.steps import Adopted
from assets.common.atomic_write import atomic_write

STEP_COLUMNS = ["step", "status", "method", "note"]


def write_requests(adopted: Adopted, path: Path) -> Path:
    """estimate.chat_request as a Parquet file at `path`: of a large log a frame would be handed over too slowly."""
    table = pa.Table.from_pandas(adopted.chats.drop(columns="country"), preserve_index=False)
    # of a killed run
    for fresh in path.parent.glob(f".{path.name}.*"):
        fresh.unlink()
    with atomic_write(path) as fresh:
        # read once, and at once
        pq.write_table(table, fresh, compression="none", use_dictionary=False)
    return path


def set_frame(adopted: Adopted, task_ids: list[str]) -> pd.DataFrame:
    """estimate.task_set."""
    members = adopted.sets.members.tocoo()
    return pd.DataFrame(
        {
            "task_set": members.row.astype(np.int64) + 1,
            "task_text_id": np.array(task_ids, object)[members.col],
        }
    )


def kept_sets(adopted: Adopted, task_ids: list[str]) -> KeptSets:
    """How many chats are kept for each set, and how many of them are from the US (column country of the chats)."""
    number = adopted.chats["task_set"]
    from_us = adopted.chats["country"].eq("US").fillna(False)
    n = adopted.sets.members.shape[0] + 1
    counts = [
        np.bincount(part.dropna().to_numpy(np.int64), minlength=n)[1:] for part in (number, number[from_us])
    ]
    return KeptSets(adopted.sets.members, task_ids, *counts)


def step_frame(adopted: Adopted) -> pd.DataFrame:
    """estimate.adoption_step."""
    return pd.DataFrame([vars(step) for step in adopted.steps], columns=STEP_COLUMNS)
