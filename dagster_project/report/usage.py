"""What the charts of the page on adoption draw, as JSON for static/adoption.js.

Belongs here: which occupations, groups and curves, in which order. Does not belong here: drawing (static/adoption.js),
tables and words (pages/adoption.py).
"""

from __future__ import annotations

import math

import pandas as pd

from dagster_project.report.charts import Chart, is_true, value

# occupations that a chart names; all stand in the CSV file
MOST = 20
SHARES = ("chat_share", "chat_share_q025", "chat_share_q975")
WHOLE_SHARES = ("share", "share_q025", "share_q975")
DEPTHS = ("occupation_share", "occupation_share_q025", "occupation_share_q975")


def most_used(occupations: pd.DataFrame, n: int) -> pd.DataFrame:
    """The `n` rows of marts.occupation_adoption with the largest shares of chats; ties by code."""
    used = occupations[occupations["chat_share"].fillna(0) > 0]
    return used.sort_values(["chat_share", "occupation"], ascending=[False, True], kind="stable").head(n)


def occupation_shares(occupations: pd.DataFrame) -> Chart:
    """Share of chats with its interval beside share of employment, the most used occupations."""
    rows = most_used(occupations, MOST).to_dict("records")
    return {
        "kind": "shares",
        "rows": [str(r["title"]) for r in rows],
        "chats": [[value(r[c]) for c in SHARES] for r in rows],
        "employment": [value(r["employment_share"]) for r in rows],
        "ratios": [value(r["representation_ratio"]) for r in rows],
        "withheld": [False] * len(rows),
    }


def group_shares(groups: pd.DataFrame, countries: list[str]) -> Chart:
    """The same of major groups, a picture a country; groups in the order of their shares of employment."""
    pictures = {}
    for country in countries:
        rows = by_employment(groups[groups["country"] == country]).to_dict("records")
        pictures[country] = {
            "rows": [str(r["name"]) for r in rows],
            "chats": [[value(r[c]) for c in SHARES] for r in rows],
            "employment": [value(r["employment_share"]) for r in rows],
            "ratios": [value(r["representation_ratio"]) for r in rows],
            "withheld": [is_true(r["is_suppressed"]) for r in rows],
        }
    return {"kind": "shares", "scopes": pictures}


def by_employment(groups: pd.DataFrame) -> pd.DataFrame:
    """Rows of marts.major_group_adoption, the largest group first."""
    return groups.sort_values(["employment_share", "major_group"], ascending=[False, True], kind="stable")


def depth_curves(depth: pd.DataFrame) -> Chart:
    """One curve a least number of chats: share of occupations by share of their tasks; suppressed ones are left out.

    So is a share of none: every occupation has that.
    """
    is_shown = depth["occupation_share"].notna() & (depth["task_share"] > 0)
    shown = depth[is_shown].astype({"min_chats": "int64"}).sort_values(["min_chats", "task_share"])
    curves = [
        {
            "min_chats": least,
            "x": [value(x) for x in own["task_share"]],
            "y": [value(x) for x in own["occupation_share"]],
            "low": [value(x) for x in own["occupation_share_q025"]],
            "high": [value(x) for x in own["occupation_share_q975"]],
        }
        for least in sorted(set(shown["min_chats"].tolist()))
        for own in (shown[shown["min_chats"] == least],)
    ]
    return {"kind": "depth", "curves": curves}


def placed_by_wage(occupations: pd.DataFrame) -> pd.DataFrame:
    """Occupations of known wage and employment that chats belong to: a logarithm has no place for none."""
    known = occupations["median_wage"].notna() & (
        occupations["chat_weight_per_million_workers"].fillna(0) > 0
    )
    return occupations[known].sort_values("occupation", kind="stable")


def wages(occupations: pd.DataFrame) -> Chart:
    """One mark an occupation: median wage against chats for a million workers."""
    placed = placed_by_wage(occupations)
    per_million = [float(x) for x in placed["chat_weight_per_million_workers"]]
    logs = [math.log10(x) for x in per_million] or [0.0]
    return {
        "kind": "wage",
        "x": [value(x) for x in placed["median_wage"]],
        "y": per_million,
        "names": [str(x) for x in placed["title"]],
        "n": [int(x) for x in placed["n_chats"]],
        "y_range": [min(logs) - 0.2, max(logs) + 0.2],
    }
