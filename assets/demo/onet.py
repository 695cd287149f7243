"""A synthetic world of occupations in O*NET's and OEWS's file formats: invented occupations, statements and figures.

Belongs here: what the files hold, as frames with the public column names. Does not belong here: files (generate.py),
chats about the tasks (chats.py). No statement, title or figure is O*NET's: only codes of major groups are (SOC 2018).

occupations.csv: a row an occupation, all of it assumed; `things` are what its tasks are about, `chats` says how much
people ask an AI system about them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from assets.demo import figures

Floats = NDArray[np.float64]
FEWEST_TASKS, MOST_TASKS = 6, 12
DATED = {"Date": "01/2000", "Domain Source": "Synthetic"}
READ_ME = """SYNTHETIC. Laid out as the text files of the

O*NET 30.1 Database

are; nothing in here is from it.
"""


class Activity(NamedTuple):
    """One generalised activity: its `verbs` (an intermediate activity each) and how tasks of it go on.

    `chats`: how often people ask an AI system about such tasks, relative to others.
    """

    name: str
    skill: str
    verbs: tuple[str, str]
    ends: tuple[str, str]
    chats: float


ACTIVITIES = (
    Activity(
        "Finding out", "Reading", ("Look up facts about the {}", "Read what is known of the {}"),
        ("before a decision is due", "so that nobody has to ask twice"), 3,
    ),
    Activity(
        "Checking", "Careful checking", ("Check the {} for mistakes", "Compare the {} with what was agreed"),
        ("at the end of each week", "before anything is handed over"), 2,
    ),
    Activity(
        "Writing", "Writing", ("Write a first draft about the {}", "Shorten a text about the {}"),
        ("for people outside the trade", "in plain words"), 4,
    ),
    Activity(
        "Planning", "Planning ahead", ("Work out a plan for the {}", "Estimate what the {} will cost"),
        ("for the coming season", "so that work can start on time"), 2,
    ),
    Activity(
        "Explaining", "Speaking", ("Explain the {} to beginners", "Answer questions on the {}"),
        ("in person or by letter", "with an example at hand"), 3,
    ),
    Activity(
        "Calculating", "Arithmetic", ("Calculate figures for the {}", "Sort the data on the {}"),
        ("by a table", "to see what has changed"), 3,
    ),
    Activity(
        "Handling", "Carrying", ("Move and store the {}", "Clean the {}"),
        ("with the proper equipment", "when the shift is over"), 0,
    ),
    Activity(
        "Making and mending", "Handiwork", ("Repair the {}", "Put together the {}"),
        ("by hand or with machines", "from parts in stock"), 0.5,
    ),
)  # fmt: skip
# how much of each activity stands in an occupation of each kind
KINDS = {
    "desk": (3, 2, 4, 2, 1, 4, 0, 0),
    "people": (2, 1, 2, 2, 6, 1, 0.5, 0),
    "hands": (1, 2, 0.5, 1, 1, 0.5, 5, 6),
}
# statements that stand in many occupations, by their activity
COMMON = {
    "Keep a list of one's own working hours.": 1,
    "Show new colleagues around.": 4,
    "Order supplies that are running out.": 3,
    "Report accidents at work.": 2,
    "Agree with colleagues on who does what.": 4,
    "Tidy up the workplace at the end of the day.": 6,
}
N_COMMON = 2
TECHNOLOGY = {
    "Spreadsheet software": ("Tablesmith", "Sumsheet"),
    "Word processing software": ("Quillpad",),
    "Scheduling software": ("Rosterly", "Shiftboard Nine"),
    "Development environment software": ("Bracket Bench",),
    "Computer aided design software": ("Drawmill",),
}
TECHNOLOGY_OF = {"desk": (0, 1, 3, 4), "people": (1, 2), "hands": (2,), "none": ()}


def occupation_table() -> pd.DataFrame:
    """occupations.csv, all TEXT."""
    return pd.read_csv(figures.OCCUPATIONS_TABLE, dtype=str, keep_default_na=False)


def task_table(rng: np.random.Generator) -> pd.DataFrame:
    """`occupation`, `task_id`, `text`, `activity`, `verb`, `chats`: 8 to 14 tasks of each occupation that has any.

    `activity` and `verb` count from 0; `chats` is the share of requests that are about the task.
    """
    rows = []
    common = list(COMMON.items())
    columns = ["occupation", "kind", "chats", "things"]
    for occupation, kind, n_chats, listed in occupation_table()[columns].itertuples(index=False):
        if kind not in KINDS:
            continue
        things = listed.split("|")
        share = np.asarray(KINDS[kind], dtype=float)
        pairs = [(a, v, thing) for a in range(len(ACTIVITIES)) for v in (0, 1) for thing in things]
        p = np.array([share[a] for a, _, _ in pairs])
        n_tasks = int(rng.integers(FEWEST_TASKS, MOST_TASKS + 1))
        for i in rng.choice(len(pairs), n_tasks, replace=False, p=p / p.sum()):
            a, v, thing = pairs[int(i)]
            end = ACTIVITIES[a].ends[int(rng.integers(2))]
            text = f"{ACTIVITIES[a].verbs[v].format(thing)} {end}."
            rows.append((occupation, text, a, v, float(n_chats) * ACTIVITIES[a].chats))
        for i in rng.choice(len(common), N_COMMON, replace=False):
            text, a = common[int(i)]
            rows.append((occupation, text, a, 0, 0.0))
    frame = pd.DataFrame(rows, columns=["occupation", "text", "activity", "verb", "chats"])
    frame.insert(1, "task_id", [str(9001 + n) for n in range(len(frame))])
    return frame.assign(chats=frame["chats"] / frame["chats"].sum())


def release(rng: np.random.Generator, tasks: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """File name -> frame, as O*NET's text release has them, for the `tasks` of task_table."""
    occupations = occupation_table()
    codes = occupations["occupation"]
    dwas = _dwas(tasks)
    columns = ["Element ID", "IWA ID", "DWA ID", "DWA Title"]
    detailed = dwas[columns].drop_duplicates().sort_values("DWA ID", ignore_index=True)
    elements = [(_gwa(a), one.name) for a, one in enumerate(ACTIVITIES)]
    elements += [(_skill(a), one.skill) for a, one in enumerate(ACTIVITIES)]
    keys = {"O*NET-SOC Code": tasks["occupation"], "Task ID": tasks["task_id"]}
    zones = {"O*NET-SOC Code": codes, "Job Zone": occupations["job_zone"]}
    described = "An invented occupation about: " + occupations["things"].str.replace("|", ", ")
    return {
        "Occupation Data.txt": pd.DataFrame(
            {"O*NET-SOC Code": codes, "Title": occupations["title"], "Description": described}
        ),
        "Task Statements.txt": pd.DataFrame(
            keys
            | {"Task": tasks["text"], "Task Type": "Core", "Incumbents Responding": "n/a"} | DATED
        ),
        "Tasks to DWAs.txt": pd.DataFrame(keys | {"DWA ID": dwas["DWA ID"]} | DATED),
        "IWA Reference.txt": intermediate_activities()[["Element ID", "IWA ID", "IWA Title"]],
        "DWA Reference.txt": detailed,
        "Content Model Reference.txt": pd.DataFrame(elements, columns=["Element ID", "Element Name"]).assign(
            Description="Invented"
        ),
        "Skills.txt": _skills(rng, tasks),
        "Technology Skills.txt": _technology(occupations),
        "Job Zones.txt": pd.DataFrame(zones | DATED),
    }  # fmt: skip


def intermediate_activities() -> pd.DataFrame:
    """`Element ID`, `IWA ID`, `IWA Title`, and `key`: activity and verb of task_table."""
    rows = [
        (_gwa(a), _iwa(a, v), verb.format("things at work") + ".", (a, v))
        for a, one in enumerate(ACTIVITIES)
        for v, verb in enumerate(one.verbs)
    ]
    return pd.DataFrame(rows, columns=["Element ID", "IWA ID", "IWA Title", "key"])


def _gwa(activity: int) -> str:
    return f"4.A.{activity + 1}.a.1"


def _iwa(activity: int, verb: int) -> str:
    return f"{_gwa(activity)}.I{verb + 1:02d}"


def _dwas(tasks: pd.DataFrame) -> pd.DataFrame:
    """The detailed activity of each of the `tasks`: what is done, in which major group."""
    names = pd.read_csv(figures.MAJOR_GROUP_TABLE, dtype=str).set_index("major_group")["name"]
    rows = []
    for code, a, v in tasks[["occupation", "activity", "verb"]].itertuples(index=False):
        title = ACTIVITIES[a].verbs[v].format(f"things of {names[code[:2]].lower()} work")
        rows.append((_gwa(a), _iwa(a, v), f"{_iwa(a, v)}.D{code[:2]}", f"{title}."))
    return pd.DataFrame(rows, columns=["Element ID", "IWA ID", "DWA ID", "DWA Title"])


def _skill(activity: int) -> str:
    return f"2.A.1.{chr(ord('a') + activity)}"


def _skills(rng: np.random.Generator, tasks: pd.DataFrame) -> pd.DataFrame:
    """Importance (1 to 5) rises with the share of an occupation's tasks that are of the skill's activity."""
    shares = pd.crosstab(tasks["occupation"], tasks["activity"], normalize="index")
    rows = []
    for code, share in shares.iterrows():
        for a, one in enumerate(ACTIVITIES):
            importance = np.clip(2 + 6 * share.get(a, 0.0) + 0.2 * rng.standard_normal(), 1, 5)
            suppress = "Y" if rng.random() < 0.02 else "N"
            for scale, value in (("IM", importance), ("LV", 1.5 * (importance - 1))):
                rows.append((code, _skill(a), one.skill, scale, f"{value:.2f}", suppress))
    columns = ["O*NET-SOC Code", "Element ID", "Element Name", "Scale ID", "Data Value", "Recommend Suppress"]
    return pd.DataFrame(rows, columns=columns).assign(**DATED)


def _technology(occupations: pd.DataFrame) -> pd.DataFrame:
    commodities = list(TECHNOLOGY.items())
    rows = [
        (code, example, f"4323{9001 + i}", commodities[i][0], "Y" if i == 0 else "N", "N")
        for code, kind in zip(occupations["occupation"], occupations["kind"], strict=True)
        for i in TECHNOLOGY_OF[kind]
        for example in commodities[i][1]
    ]
    columns = [
        "O*NET-SOC Code",
        "Example",
        "Commodity Code",
        "Commodity Title",
        "Hot Technology",
        "In Demand",
    ]
    return pd.DataFrame(rows, columns=columns)


def employment() -> dict[str, pd.DataFrame]:
    """File name -> frame: employment and wages with the levels above, as OEWS has them, and the crosswalk to it."""
    occupations = occupation_table()
    given = occupations[occupations["employment"] != ""]
    workers = given["employment"].astype(int)
    groups = workers.groupby(given["oews_code"].str[:2]).sum()
    rows = [("00-0000", "All Occupations", "total", str(workers.sum()), "*")]
    rows += [(f"{group}-0000", f"Group {group}", "major", str(n), "*") for group, n in groups.items()]
    columns = ["oews_code", "title", "employment", "median_wage"]
    for code, title, employed, wage in given[columns].itertuples(index=False):
        rows.append((code, title, "detailed", employed, wage))
    coded = occupations[occupations["oews_code"] != ""]
    return {
        "national.csv": pd.DataFrame(
            rows, columns=["OCC_CODE", "OCC_TITLE", "O_GROUP", "TOT_EMP", "A_MEDIAN"]
        ),
        "crosswalk.csv": pd.DataFrame(
            {"O*NET-SOC Code": coded["occupation"], "NEM Code": coded["oews_code"]}
        ),
    }
