"""What the steps and intervals read: chats, their texts, tasks, and what tasks lead to.

Belongs here: which tables, and in which order of rows. Does not belong here: what is made of them (steps.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import pandas as pd

from assets.adoption.match.matches import Keys, Texts
from assets.common.warehouse import Reader


@dataclass(frozen=True)
class Links:
    """What a task text leads to.

    `occupation_task`: occupation, task_text_id; one row a task statement of an occupation. `major_group`: occupation,
    major_group. `skill`: occupation, skill; those it needs. `activity`: task_text_id, activity_id.
    """

    occupation_task: pd.DataFrame
    major_group: pd.DataFrame
    skill: pd.DataFrame
    activity: pd.DataFrame


class Inputs(NamedTuple):
    """`chats`: chat_key, request_key, country, sorted by chat_key; `tasks`: task_text_id, text.

    `texts` reads chat_key, text; `requests` a text of each of the request_keys that it is given.
    """

    chats: pd.DataFrame
    texts: Callable[[], pd.DataFrame]
    requests: Texts
    tasks: pd.DataFrame


def read_inputs(reader: Reader) -> Inputs:
    """The same for a refresh and for a plan: what one asks, the other finds answered."""
    chats = reader.read("intermediate.int_chat", ["chat_key", "request_key", "country"])
    return Inputs(
        chats.sort_values("chat_key", ignore_index=True),
        partial(reader.read, "intermediate.int_chat_text"),
        partial(_requests, reader),
        reader.read("intermediate.int_task_text").sort_values("task_text_id", ignore_index=True),
    )


def _requests(reader: Reader, keys: Keys) -> list[str]:
    """Of spellings that have one key, the first in order: the same in a refresh, in a plan and in renamed files."""
    found = reader.read_keys("intermediate.int_request", ["request_key", "request"], "request_key", keys)
    # few have several: to sort a million texts takes seconds
    has_several = found["request_key"].duplicated(keep=False)
    several = found[has_several].sort_values("request").drop_duplicates("request_key")
    first = pd.concat([found[~has_several], several])
    text = first.set_index("request_key")["request"]
    return text.loc[pd.Index(keys)].tolist()


def read_links(reader: Reader) -> Links:
    """What task texts lead to; of skills those that an occupation needs."""
    skill = reader.read("intermediate.int_occupation_skill")
    return Links(
        reader.read("intermediate.int_occupation_task")[["occupation", "task_text_id"]],
        reader.read("intermediate.int_occupation")[["occupation", "major_group"]],
        skill.loc[skill["is_needed"].to_numpy(bool), ["occupation", "skill"]],
        reader.read("intermediate.int_task_work_activity")[["task_text_id", "activity_id"]],
    )
