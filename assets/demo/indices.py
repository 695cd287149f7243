"""Synthetic indices of AI use, in the layouts of the Anthropic Economic Index and of Microsoft's 'Working with AI'.

Belongs here: what the files hold, as frames with the public column names. Does not belong here: files (generate.py),
how much tasks are asked about (onet.py). No figure and no text is theirs.

Each index says what onet.py planted, with noise of its own: shares of conversations follow `chats`, exposure and
applicability the share of an occupation's tasks that a log like the demo's should show. So each has to agree with what
is found in the demo's chats, and none may agree wholly.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from assets.demo import chats, onet

Floats = onet.Floats
# assumed: SDs of the noise on log shares, and of that on what lies between 0 and 1
TASKS, TASKS_LATER, USERS, AI = 0.4, 0.7, 0.2, 0.6
EXPOSURE, APPLICABILITY = 0.1, 0.15
# the least share of a task, in percent, that a release lists
LISTED = 0.05
# the second release is of another wording, near enough to be found
REWORDED = {" about ": " on ", "Check ": "Go over ", "Work out ": "Draw up ", "Explain ": "Describe "}
# and of tasks and an occupation that nobody has any more
DROPPED = {
    "Wind the clocks of the town hall.": 0.4,
    "Copy letters by hand for the archive.": 0.2,
    "Light the lamps of the harbour.": 0.1,
}
DROPPED_CODE, DROPPED_TITLE = "43-9899", "Lamp lighters"


def files(rng: np.random.Generator, tasks: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Path under comparison/ -> frame, for the `tasks` of onet.task_table."""
    activities, occupations = _activities(rng, tasks), _occupations(rng, tasks)
    return {
        "aei/release_2025_02_10/onet_task_mappings.csv": _tasks(rng, tasks, TASKS),
        "aei/release_2025_03_27/task_pct_v2.csv": _reworded(_tasks(rng, tasks, TASKS_LATER)),
        "aei/labor_market_impacts/job_exposure.csv": occupations.rename(columns={"code": "occ_code"})[
            ["occ_code", "title", "observed_exposure"]
        ],
        "working_with_ai/iwa_metrics.csv": activities,
        "working_with_ai/soc_ai_applicability_scores.csv": occupations.rename(columns={"code": "SOC Code"})[
            ["SOC Code", "title", "ai_applicability_score"]
        ],
    }


def _noisy(rng: np.random.Generator, share: Floats, sd: float) -> Floats:
    """Shares that add up to 1; what is 0 stays 0."""
    found = share * np.exp(sd * rng.standard_normal(len(share)))
    return np.asarray(found / found.sum(), dtype=float)


def _tasks(rng: np.random.Generator, tasks: pd.DataFrame, sd: float) -> pd.DataFrame:
    """`task_name`, `pct`: texts in small letters, in their order; rare ones left out."""
    planted = tasks.groupby("text")["chats"].sum()
    percent = 100 * _noisy(rng, planted.to_numpy(), sd)
    frame = pd.DataFrame({"task_name": planted.index.str.lower(), "pct": percent})
    return _rounded(frame[frame["pct"] >= LISTED].sort_values("task_name", ignore_index=True))


def _reworded(frame: pd.DataFrame) -> pd.DataFrame:
    """One statement in three in other words, and what our release doesn't have."""
    names = frame["task_name"].copy()
    for old, new in REWORDED.items():
        names[::3] = names[::3].str.replace(old.lower(), new.lower(), n=1, regex=False)
    dropped = pd.DataFrame({"task_name": [name.lower() for name in DROPPED], "pct": list(DROPPED.values())})
    return pd.concat([frame.assign(task_name=names), dropped]).sort_values("task_name", ignore_index=True)


def _activities(rng: np.random.Generator, tasks: pd.DataFrame) -> pd.DataFrame:
    """`IWA`, `title`, `share_user`, `share_ai`, one row an intermediate activity."""
    reference = onet.intermediate_activities()
    used = tasks.groupby(["activity", "verb"])["chats"].sum()
    planted = np.array([used.get(key, 0.0) for key in reference["key"]])
    shares = {"share_user": _noisy(rng, planted, USERS), "share_ai": _noisy(rng, planted, AI)}
    frame = reference[["IWA ID", "IWA Title"]].set_axis(["IWA", "title"], axis=1)
    return _rounded(frame.assign(**shares))


def _occupations(rng: np.random.Generator, tasks: pd.DataFrame) -> pd.DataFrame:
    """`code` (six digits), `title`, `observed_exposure`, `ai_applicability_score`."""
    titles = onet.occupation_table().assign(code=lambda frame: frame["occupation"].str[:7])
    n_work = chats.N_CHATS * (1 - sum(chats.SHARES.values()))
    # a code of six digits can be that of several occupations
    seen = (1 - np.exp(-n_work * tasks["chats"])).groupby(tasks["occupation"].str[:7]).mean()
    title = titles.drop_duplicates("code").set_index("code")["title"][seen.index]
    frame = pd.DataFrame({"code": seen.index, "title": title.to_numpy()})
    exposure = seen.to_numpy() + EXPOSURE * rng.standard_normal(len(seen))
    score = 0.1 + 0.5 * (seen.to_numpy() + APPLICABILITY * rng.standard_normal(len(seen)))
    frame = frame.assign(observed_exposure=exposure.clip(0, 1), ai_applicability_score=score.clip(0, 1))
    dropped = pd.DataFrame([(DROPPED_CODE, DROPPED_TITLE, 0.3, 0.2)], columns=frame.columns)
    return _rounded(pd.concat([frame, dropped]).sort_values("code", ignore_index=True))


def _rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """To six digits: sums of floats differ between machines in their last ones."""
    return frame.round(6)
