"""What the steps read: chats, their texts, tasks.

Belongs here: which tables, and in which order of rows. Does not belong here: what is made of them (steps.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pandas as pd

from assets.ports import Warehouse


class Inputs(NamedTuple):
    """`chats`: chat_key, request_key, request; `texts`: reads chat_key, text; `tasks`: task_text_id, text."""

    chats: pd.DataFrame
    texts: Callable[[], pd.DataFrame]
    tasks: pd.DataFrame


def read_inputs(warehouse: Warehouse) -> Inputs:
    """The same for a refresh and for a plan: what one asks, the other finds answered."""
    chats = warehouse.read("intermediate.int_chat")[["chat_key", "request_key", "request"]]
    return Inputs(
        # resamples are drawn row by row
        chats.sort_values("chat_key", ignore_index=True),
        partial(warehouse.read, "intermediate.int_chat_text"),
        warehouse.read("intermediate.int_task_text").sort_values("task_text_id", ignore_index=True),
    )
