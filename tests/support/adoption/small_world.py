"""Ten occupations with sixty task statements under three detailed activities, and the words they are made of.

Belongs here: raw tables of O*NET that tests share. Does not belong here: chats and assertions.
"""

from __future__ import annotations

import random

import pandas as pd

VERBS = ("Repair", "Design", "Audit", "Teach", "Translate", "Paint", "Weigh", "Photograph", "Insure", "Grow")
THINGS = (
    "engines",
    "bridges",
    "ledgers",
    "pupils",
    "contracts",
    "walls",
    "parcels",
    "weddings",
    "houses",
    "roses",
)
MAJOR = ("11", "13", "15", "17", "19")


def tasks() -> list[tuple[str, str, str]]:
    """occupation, task_id, text; every seventh statement repeats an earlier one of another occupation."""
    rng = random.Random(7)
    rows: list[tuple[str, str, str]] = []
    for number in range(60):
        occupation = f"{MAJOR[number % 5]}-10{number % 10:02d}.00"
        text = (
            rows[rng.randrange(number)][2]
            if number % 7 == 6
            else f"{VERBS[number % 10]} {rng.choice(THINGS)}."
        )
        rows.append((occupation, str(900 + number), text))
    return rows


def world() -> dict[str, pd.DataFrame]:
    """Raw tables of O*NET, as `slice_build.build` takes them."""
    frame = pd.DataFrame(tasks(), columns=["occupation", "task_id", "task"])
    occupations = sorted(set(frame["occupation"]))
    return {
        "raw.onet_task": frame,
        "raw.onet_occupation": pd.DataFrame({"occupation": occupations, "title": occupations}),
        "raw.onet_iwa": pd.DataFrame({"gwa_id": ["g", "g"], "iwa_id": ["i0", "i1"], "title": ["a", "b"]}),
        "raw.onet_dwa": pd.DataFrame(
            {"iwa_id": ["i0", "i0", "i1"], "dwa_id": ["d0", "d1", "d2"], "title": ["a", "b", "c"]}
        ),
        "raw.onet_task_dwa": pd.DataFrame(
            {"task_id": frame["task_id"], "dwa_id": [f"d{int(t) % 3}" for t in frame["task_id"]]}
        ),
        "raw.onet_skill": pd.DataFrame(
            {
                "occupation": occupations,
                "skill": "s",
                "name": "Patience",
                "scale": "IM",
                "value": ["4.0" if n % 3 == 0 else "3.9" for n in range(len(occupations))],
                "source_file": "f",
                "row_number": range(len(occupations)),
            }
        ),
    }
