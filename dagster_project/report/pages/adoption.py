"""The page on adoption: what chats were left at each stage, and which work they belong to.

Belongs here: the context of adoption.html. Does not belong here: matching (assets/adoption), what charts
draw (usage.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dagster_project.report import usage
from dagster_project.report.charts import is_true
from dagster_project.report.data import Published
from dagster_project.report.labels import number, percent, text
from dagster_project.report.pages.common import Context
from dagster_project.report.tables import Table, count, words

MARTS = (
    "chat_funnel",
    "occupation_adoption",
    "major_group_adoption",
    "adoption_depth",
    "skill_usage",
    "work_activity_usage",
    "match_floor",
    "embedder_validation",
    "index_comparison",
)
# rows that a table on the page holds; all stand in the CSV file
LONGEST = 25
LEVELS = {
    "GWA": "Generalised work activities",
    "IWA": "Intermediate work activities",
    "DWA": "Detailed work activities",
}
STATUS = {"done": "done", "fallback": "by its fallback", "skipped": "skipped"}
WITHHELD = "withheld"


@dataclass(frozen=True)
class Country:
    """Whose chats; `key` ties selector, chart and tables together."""

    key: str

    @property
    def label(self) -> str:
        return {"all": "All countries", "US": "United States only"}.get(self.key, self.key)


@dataclass(frozen=True)
class OfCountry:
    """The table of one choice of the selector."""

    scope: Country
    table: Table


def context(published: Published, base: Context) -> Context:
    """Funnel, occupations, depth, skills and activities, each by itself."""
    lacks = {mart: published.why_empty(mart) if published[mart].empty else "" for mart in MARTS}
    funnel, occupations = published["chat_funnel"], published["occupation_adoption"]
    if not lacks["chat_funnel"] and not funnel["n_chats"].max():
        lacks["chat_funnel"] = published.why_empty("chat_funnel")
    for mart, column in (
        ("occupation_adoption", "n_chats"),
        ("major_group_adoption", "n_chats"),
        ("adoption_depth", "occupation_share"),
        ("skill_usage", "share"),
        ("work_activity_usage", "share"),
    ):
        lacks[mart] = lacks["chat_funnel"] or lacks[mart] or _why_nothing(published[mart], column)
    groups = published["major_group_adoption"]
    countries = [c for c in ("all", "US") if (groups["country"] == c).any()]
    drawn = {}
    if not lacks["occupation_adoption"]:
        drawn["occupations"] = usage.occupation_shares(occupations)
        drawn["wages"] = usage.wages(occupations)
    if not lacks["major_group_adoption"]:
        drawn["groups"] = usage.group_shares(groups, countries)
    if not lacks["adoption_depth"]:
        drawn["depth"] = usage.depth_curves(published["adoption_depth"])
    return {
        "lacks": lacks,
        "stages": _stages(funnel),
        "finding": "" if lacks["chat_funnel"] else _finding(funnel),
        "warnings": _warnings(funnel),
        "countries": [Country(c) for c in countries],
        "groups": [OfCountry(Country(c), _groups(groups[groups["country"] == c])) for c in countries],
        "occupations": _occupations(occupations),
        "unplaced": len(occupations) - len(usage.placed_by_wage(occupations)),
        "skills": _used(published["skill_usage"], "skill", "Skill"),
        "activities": _activities(published["work_activity_usage"]),
        "n_withheld": {
            mart: int(published[mart]["is_suppressed"].map(is_true).sum())
            for mart in ("occupation_adoption", "adoption_depth", "skill_usage", "work_activity_usage")
        },
        "floors": _floors(published["match_floor"]),
        "validation": _validation(published["embedder_validation"]),
        "comparison": _comparison(published["index_comparison"]),
        "charts": drawn,
    }


def _why_nothing(frame: pd.DataFrame, column: str) -> str:
    if frame[column].notna().any() and frame[column].fillna(0).max() > 0:
        return ""
    if frame["is_suppressed"].map(is_true).any():
        return "Nothing to show: every figure rests on fewer chats than may be shown."
    return "Nothing to show: no chat was matched with a task of an occupation."


def _finding(funnel: pd.DataFrame) -> str:
    n = funnel.sort_values("stage_order")["n_chats"].tolist()
    return f"{count(n[-1])} of {count(n[0])} chats belong to a task of an occupation."


def _warnings(funnel: pd.DataFrame) -> list[str]:
    """What the reader must know of steps that no language model did."""
    status = dict(zip(funnel["stage"], funnel["status"], strict=True))
    told = []
    if status.get("relevant") == "skipped":
        told.append(
            "Which chats have to do with work was not judged: pastime and small talk went on as well, and are in the "
            "shares below."
        )
    if status.get("confirmed") == "fallback":
        told.append("Tasks were kept for likeness of words alone; no language model confirmed them.")
    return told


def _stages(funnel: pd.DataFrame) -> Table:
    rows = [
        [
            text(r["stage"]).capitalize(),
            count(r["n_chats"]),
            percent(r["share_of_previous"]),
            count(r["n_unknown"]),
            STATUS.get(text(r["status"]), words(r["status"])),
            words(None if r["status"] == "skipped" else r["method"]),
            words(r["note"]),
        ]
        for r in funnel.sort_values("stage_order").to_dict("records")
    ]
    columns = ["Stage", "Chats", "Of the stage before", "Not known", "How it was done", "By"]
    return Table([*columns, "To know"], rows, {4, 5, 6})


def _groups(frame: pd.DataFrame) -> Table:
    rows = [
        [text(r["name"], text(r["major_group"]))]
        + _cells(r, (count, "n_chats"), (percent, "chat_share"))
        + [percent(r["employment_share"])]
        + _cells(r, (number, "representation_ratio"))
        for r in usage.by_employment(frame).to_dict("records")
    ]
    return Table(["Major group", "Chats", "Share of chats", "Share of employment", "Ratio"], rows)


def _occupations(frame: pd.DataFrame) -> Table:
    rows = [
        [
            text(r["title"], text(r["occupation"])),
            count(r["n_chats"]),
            "{}\n({} to {})".format(*(percent(r[c], 2) for c in usage.SHARES)),
            percent(r["employment_share"], 2),
            number(r["representation_ratio"]),
            number(r["chat_weight_per_million_workers"], 1),
            f"{count(r['n_tasks_seen'])} of {count(r['n_tasks'])}",
        ]
        for r in usage.most_used(frame, LONGEST).to_dict("records")
    ]
    columns = ["Occupation", "Chats", "Share of chats (95\u00a0% interval)", "Share of employment", "Ratio"]
    return Table([*columns, "Chats a million workers", "Tasks seen"], rows)


def _used(frame: pd.DataFrame, name: str, heading: str) -> Table:
    ranked = frame.sort_values(["share", name], ascending=[False, True], kind="stable", na_position="last")
    rows = [
        [words(r[name]), *_cells(r, (count, "n_chats"), (percent, "share"))]
        for r in ranked.head(LONGEST).to_dict("records")
    ]
    return Table([heading, "Chats", "Share of chats"], rows)


def _activities(frame: pd.DataFrame) -> list[tuple[str, int, Table]]:
    """Heading, number of activities and table of each level."""
    found = [(heading, frame[frame["level"] == level]) for level, heading in LEVELS.items()]
    return [(heading, len(own), _used(own, "name", "Activity")) for heading, own in found if len(own)]


def _floors(frame: pd.DataFrame) -> Table:
    rows = [
        [number(r["match_floor"]), words(r["embedder"]), count(r["n_chats"]), percent(r["share"])]
        for r in frame.sort_values(["embedder", "match_floor"]).to_dict("records")
    ]
    return Table(["Floor", "Embedder", "Chats at or above it", "Share"], rows, {1})


def _validation(frame: pd.DataFrame) -> Table:
    rows = [
        [words(r["embedder"]), "one above all activities" if is_true(r["has_root"]) else "none"]
        + [number(r["pearson_r"], 3), count(r["n_pairs"])]
        for r in frame.sort_values(["embedder", "has_root"]).to_dict("records")
    ]
    return Table(["Embedder", "Root", "Correlation", "Pairs"], rows, {1})


def _comparison(frame: pd.DataFrame) -> Table:
    rows = [
        [words(r["index"]), words(r["level"]), count(r["n"])]
        + [number(r["spearman"]), number(r["spearman_weighted"])]
        + [count(r["n_by_nearest"]), count(r["n_unmatched"])]
        for r in frame.sort_values(["index", "level"]).to_dict("records")
    ]
    columns = ["Index", "Level", "Compared", "Spearman", "Weighted by employment"]
    return Table([*columns, "Placed by likeness", "Not placed"], rows, {1})


def _cells(row: dict[Any, Any], *parts: tuple[Callable[[object], str], str]) -> list[str]:
    is_withheld = is_true(row["is_suppressed"])
    return [WITHHELD if is_withheld else printer(row[column]) for printer, column in parts]
