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
from dagster_project.report.labels import MISSING, number, percent, text
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
STATUS = {"done": "done", "fallback": "fallback method", "skipped": "skipped"}
WITHHELD = "withheld"
INTERVAL = "95\u00a0% interval"


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
        "depth": None if lacks["adoption_depth"] else _depth(published["adoption_depth"]),
        "wages": None if lacks["occupation_adoption"] else _wages(occupations),
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
        return "Nothing to show: every figure is based on too few chats to be shown."
    return "Nothing to show: no chat was matched to a task of an occupation."


def _finding(funnel: pd.DataFrame) -> str:
    """A chat is said to belong to work only where a language model judged that, and its task was confirmed."""
    n = dict(zip(funnel["stage"], funnel["n_chats"], strict=True))
    status = dict(zip(funnel["stage"], funnel["status"], strict=True))
    of = f"{count(n['confirmed'])} of {count(n['unique'])} different English chats"
    unjudged = "" if status.get("relevant") == "done" else "; whether they are about work was not judged"
    if status.get("confirmed") == "done":
        return f"{of} match a task of an occupation{unjudged}."
    if unjudged:
        return f"{of} are similar to a task of an occupation{unjudged}."
    return f"{of} are about work and similar to a task of an occupation; whether the task is right was not judged."


def _warnings(funnel: pd.DataFrame) -> list[str]:
    """What the reader must know of steps that no language model did."""
    status = dict(zip(funnel["stage"], funnel["status"], strict=True))
    warnings = []
    if status.get("relevant") == "skipped":
        warnings.append(
            "Whether chats are about work was not judged: the shares below include chats about leisure and small talk."
        )
    if status.get("confirmed") == "fallback":
        warnings.append(
            "Tasks were matched by text similarity alone; no language model confirmed them. Expect most matches to be "
            "wrong: of the nearest tasks of public chats with a similarity of 0.55 or more, raters judged 6 of 21 "
            "right (minilm) and 5 of 22 (wordllama). Don’t base decisions about people on these shares."
        )
    return warnings


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
    columns = ["Stage", "Chats", "Share of the stage before", "Not known", "Status", "Method"]
    return Table([*columns, "Note"], rows, {4, 5, 6})


def _groups(frame: pd.DataFrame) -> Table:
    rows = [
        [text(r["name"], text(r["major_group"])), *_cells(r, (count, "n_chats"))]
        + [_ranged(r, lambda x: percent(x, 2), *usage.SHARES), percent(r["employment_share"])]
        + [_ratio(r)]
        for r in usage.by_employment(frame).to_dict("records")
    ]
    columns = ["Major group", "Chats that match it", f"Weighted share of chats ({INTERVAL})"]
    return Table([*columns, "Share of employment", f"Ratio ({INTERVAL})"], rows)


def _occupations(frame: pd.DataFrame) -> Table:
    rows = [
        [
            text(r["title"], text(r["occupation"])),
            count(r["n_chats"]),
            _ranged(r, lambda x: percent(x, 2), *usage.SHARES),
            percent(r["employment_share"], 2),
            _ratio(r),
            number(r["chat_weight_per_million_workers"], 1),
            f"{count(r['n_tasks_seen'])} of {count(r['n_tasks'])}",
        ]
        for r in usage.most_used(frame, LONGEST).to_dict("records")
    ]
    columns = ["Occupation", "Chats that match it", f"Weighted share of chats ({INTERVAL})"]
    columns += ["Share of employment", f"Ratio ({INTERVAL})", "Weight of chats per million US workers"]
    return Table([*columns, "Tasks in chats"], rows)


def _depth(frame: pd.DataFrame) -> Table:
    """What the curves draw, every fifth of an occupation's tasks."""
    shown = frame[frame["task_share"].map(lambda x: x > 0 and round(20 * x) % 4 == 0)]
    steps = sorted(set(shown["task_share"]))
    rows = []
    for least, own in shown.groupby("min_chats"):
        cells = {r["task_share"]: _ranged(r, percent, *usage.DEPTHS) for r in own.to_dict("records")}
        rows.append([count(least), *(cells.get(step, MISSING) for step in steps)])
    return Table(
        ["Minimum chats per task", *(f"{percent(step, 0)} of tasks or more" for step in steps)], rows
    )


def _wages(frame: pd.DataFrame) -> Table:
    """The marks, those with most weight a worker first."""
    by = "chat_weight_per_million_workers"
    ranked = usage.placed_by_wage(frame).sort_values(
        [by, "occupation"], ascending=[False, True], kind="stable"
    )
    rows = [
        [
            text(r["title"], text(r["occupation"])),
            count(r["median_wage"]),
            number(r[by], 1),
            count(r["n_chats"]),
        ]
        for r in ranked.head(LONGEST).to_dict("records")
    ]
    columns = ["Occupation", "Median wage (US dollars a year)", "Weight of chats per million US workers"]
    return Table([*columns, "Chats that match it"], rows)


def _used(frame: pd.DataFrame, name: str, heading: str) -> Table:
    ranked = frame.sort_values(["share", name], ascending=[False, True], kind="stable", na_position="last")
    rows = [
        [words(r[name]), *_cells(r, (count, "n_chats")), _ranged(r, percent, *usage.WHOLE_SHARES)]
        for r in ranked.head(LONGEST).to_dict("records")
    ]
    return Table([heading, "Chats", f"Share of chats ({INTERVAL})"], rows)


def _ranged(row: dict[Any, Any], printer: Callable[[object], str], estimate: str, low: str, high: str) -> str:
    """Estimate over its interval."""
    if is_true(row["is_suppressed"]):
        return WITHHELD
    return f"{printer(row[estimate])}\n({printer(row[low])} to {printer(row[high])})"


def _ratio(row: dict[Any, Any]) -> str:
    """Representation ratio over its interval: employment is known, so it is as uncertain as the share of chats."""
    if is_true(row["is_suppressed"]):
        return WITHHELD
    employed = row["employment_share"]
    if pd.isna(employed) or not employed:
        return MISSING
    return "{}\n({} to {})".format(*(number(row[c] / employed) for c in usage.SHARES))


def _activities(frame: pd.DataFrame) -> list[tuple[str, int, Table]]:
    """Heading, number of activities and table of each level."""
    found = [(heading, frame[frame["level"] == level]) for level, heading in LEVELS.items()]
    return [(heading, len(own), _used(own, "name", "Activity")) for heading, own in found if len(own)]


def _floors(frame: pd.DataFrame) -> Table:
    rows = [
        [number(r["match_floor"]), words(r["embedder"]), count(r["n_chats"]), percent(r["share"])]
        for r in frame.sort_values(["embedder", "match_floor"]).to_dict("records")
    ]
    return Table(["Threshold", "Embedder", "Chats at or above it", "Share of chats"], rows, {1})


def _validation(frame: pd.DataFrame) -> Table:
    rows = [
        [words(r["embedder"]), "one root above all activities" if is_true(r["has_root"]) else "none"]
        + [number(r["pearson_r"], 3), count(r["n_pairs"])]
        for r in frame.sort_values(["embedder", "has_root"]).to_dict("records")
    ]
    return Table(["Embedder", "Root of the hierarchy", "Pearson correlation", "Pairs"], rows, {1})


def _comparison(frame: pd.DataFrame) -> Table:
    rows = [
        [words(r["index"]), words(r["level"]), count(r["n"])]
        + [number(r["spearman"]), number(r["spearman_weighted"])]
        + [count(r["n_by_nearest"]), count(r["n_unmatched"])]
        for r in frame.sort_values(["index", "level"]).to_dict("records")
    ]
    columns = ["Index", "Level", "Compared", "Rank correlation (Spearman)", "Weighted by employment"]
    return Table([*columns, "Matched by similarity", "Not matched"], rows, {1})


def _cells(row: dict[Any, Any], *parts: tuple[Callable[[object], str], str]) -> list[str]:
    is_withheld = is_true(row["is_suppressed"])
    return [WITHHELD if is_withheld else printer(row[column]) for printer, column in parts]
