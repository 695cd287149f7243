"""The page on agents: can they carry a whole workflow through tools, where, and what goes wrong.

Belongs here: the context of agents.html. Does not belong here: scores (assets/agentic, dbt).
"""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from dagster_project.report.charts import Chart, value
from dagster_project.report.data import Published
from dagster_project.report.labels import LEADING, System, number, percent, text
from dagster_project.report.pages.common import Context
from dagster_project.report.tables import Table, count, words

MARTS = (
    *("capability_adoption", "scenario_score", "occupation_capability", "agent_error", "agent_repeat"),
    *("single_multi_pair", "tool_count_correlation"),
)
MEASURES = {
    "tool_accuracy": "Tool calls",
    "tool_accuracy_by_code": "Tool calls, by code alone",
    "workflow": "Workflow",
    "autonomy": "Autonomy",
    "grounding": "Grounding",
    "followup": "Follow-up questions",
}
REWARD = {"reward": "Reward of the environment"}
MODES = {"single": "single turn", "multi": "with a user"}
SHARES = {"automation": "single", "augmentation": "multi"}
# rows that a table or heat map on the page holds; all are in the CSV file
LONGEST = 40
LEVELS = (1, 2, 3, 4, 5)


def context(published: Published, base: Context) -> Context:
    """Capability against usage, scores, errors and repeats, each by itself."""
    lacks = {mart: published.why_empty(mart) if published[mart].empty else "" for mart in MARTS}
    everyone = agents(published)
    adoption, scores = published["capability_adoption"], published["scenario_score"]
    drawn: dict[str, Chart] = {}
    if not lacks["capability_adoption"]:
        drawn |= {name: _against_usage(adoption, everyone, name) for name in SHARES}
    if not lacks["scenario_score"]:
        drawn["histogram"] = _histogram(scores, everyone)
        drawn["tools"] = _tool_counts(scores, everyone)
    if not lacks["occupation_capability"]:
        drawn["occupations"] = _occupations(published["occupation_capability"], everyone)
    if not lacks["single_multi_pair"]:
        drawn["pairs"] = _pairs(published["single_multi_pair"], everyone)
    return {
        "lacks": lacks,
        "agents": everyone,
        "n_agents": len(_keys(published)),
        "adoption": _adoption(adoption, everyone),
        "correlations": _correlations(published["tool_count_correlation"], everyone),
        "errors": _errors(published["agent_error"], everyone),
        "repeats": _repeats(published["agent_repeat"], everyone),
        "differences": _differences(published["single_multi_pair"], everyone),
        "charts": drawn,
    }


def agents(published: Published) -> list[System]:
    """Systems that the page shows: the `LEADING` with the highest mean of calls by code, then by key."""
    scores = published["scenario_score"]
    own = scores[scores["measure"] == "tool_accuracy_by_code"].groupby("system")["score"].mean()
    keys = sorted(_keys(published), key=lambda key: (-_known(own.get(key)), key))
    info = published["ai_system"].set_index("system")["name"]
    return [
        System(index, key, text(info.get(key), key), "", False) for index, key in enumerate(keys[:LEADING])
    ]


def _keys(published: Published) -> set[str]:
    return {str(key) for mart in ("scenario_score", "agent_repeat") for key in published[mart]["system"]}


def _known(x: object) -> float:
    found = value(x)
    return -math.inf if found is None else found


def _title(row: Any) -> str:
    return text(row["title"], text(row["occupation"]))


def _against_usage(frame: pd.DataFrame, everyone: list[System], name: str) -> Chart:
    """One mark per system and occupation: what it can do, by how much of that people use AI for."""
    series = []
    for system in everyone:
        rows = frame[
            (frame["system"] == system.key) & frame[[f"{name}_share", "usage_share"]].notna().all(axis=1)
        ]
        cells = rows.to_dict("records")
        if cells:
            points = {
                "system": system.index,
                "x": [value(r["usage_share"]) for r in cells],
                "y": [value(r[f"{name}_share"]) for r in cells],
                "low": [value(r[f"{name}_q025"]) for r in cells],
                "high": [value(r[f"{name}_q975"]) for r in cells],
                "labels": [_title(r) for r in cells],
            }
            series.append(points)
    return {
        "kind": "points", "series": series, "has_diagonal": True, "has_lines": False,
        "x_range": [-0.02, 1.02], "y_range": [-0.02, 1.02],
        "x_title": "Share of scenarios whose tasks people use AI for",
        "y_title": {"automation": "Complete workflow, single turn", "augmentation": "Full autonomy, with a user"}[name],
    }  # fmt: skip


def _heat(rows: list[str], columns: list[str], values: list[list[float | None]], title: str) -> Chart:
    return {
        "kind": "heat", "rows": rows, "columns": [{"key": name, "name": name} for name in columns],
        "range": [0, 100], "is_low_best": False, "digits": 0, "title": title, "unit": "%",
        "scopes": {"": {"rows": rows, "values": values, "thin": [False] * len(rows)}},
    }  # fmt: skip


def _histogram(scores: pd.DataFrame, everyone: list[System]) -> Chart:
    """Shares of scenarios by score, to the nearest whole one, of each system, mode and judged measure."""
    rows: list[str] = []
    values: list[list[float | None]] = []
    judged = [name for name in MEASURES if not name.startswith("tool_accuracy")]
    for system in everyone:
        for mode, mode_name in MODES.items():
            for measure in judged:
                own = scores[
                    (scores["system"] == system.key)
                    & (scores["mode"] == mode)
                    & (scores["measure"] == measure)
                ]
                found = own["score"].dropna().astype(float).add(0.5).floordiv(1).astype(int)
                if len(found):
                    rows.append(f"{system.name}, {mode_name}: {MEASURES[measure].lower()}")
                    values.append([100 * float((found == level).mean()) for level in LEVELS])
    return _heat(rows, [f"Score {level}" for level in LEVELS], values, "Share of scenarios (%)")


def _occupations(frame: pd.DataFrame, everyone: list[System]) -> Chart:
    """Means by occupation, each as a share of its scale, of the system that leads."""
    columns = {f"mean_{measure}": name for measure, name in MEASURES.items()}
    own = frame[frame["system"] == everyone[0].key].sort_values(["title", "occupation", "mode"])
    rows: list[str] = []
    values: list[list[float | None]] = []
    for row in own.head(LONGEST).to_dict("records"):
        rows.append(f"{_title(row)}, {MODES[str(row['mode'])]}")
        values.append([_scaled(column, value(row[column])) for column in columns])
    return _heat(rows, list(columns.values()), values, "Mean score, from the lowest (0) to the highest (100)")


def _scaled(column: str, mean: float | None) -> float | None:
    if mean is None:
        return None
    return 100 * (mean if "accuracy" in column else (mean - 1) / 4)


def _tool_counts(scores: pd.DataFrame, everyone: list[System]) -> Chart:
    """Mean accuracy of calls by the number of tools that a scenario requires, one line per system; both modes."""
    series = []
    known = scores[(scores["measure"] == "tool_accuracy") & scores["score"].notna()]
    for system in everyone:
        means = known[known["system"] == system.key].groupby("n_tools")["score"].agg(["mean", "size"])
        if len(means):
            labels = [f"{n} tools required, {size:,} scores" for n, size in means["size"].items()]
            points = {
                "x": [int(n) for n in means.index],
                "y": [float(y) for y in means["mean"]],
                "labels": labels,
            }
            series.append({"system": system.index} | points)
    return {
        "kind": "points", "series": series, "has_diagonal": False, "has_lines": True, "y_range": [-0.02, 1.02],
        "x_title": "Tools required", "y_title": "Share of tool names right", "x_name": "tools", "y_name": "right",
    }  # fmt: skip


def _pairs(pairs: pd.DataFrame, everyone: list[System]) -> Chart:
    """Calls of each piece of work in a single turn and with a user."""
    own = pairs[pairs["measure"] == "tool_accuracy"]
    series = []
    for system in everyone:
        rows = own[own["system"] == system.key].to_dict("records")
        if rows:
            points = {
                "x": [value(r["single_score"]) for r in rows],
                "y": [value(r["multi_score"]) for r in rows],
                "labels": [text(r["pair"]) for r in rows],
            }
            series.append({"system": system.index} | points)
    return {
        "kind": "points", "series": series, "has_diagonal": True, "has_lines": False,
        "x_range": [-0.02, 1.02], "y_range": [-0.02, 1.02], "x_title": "Tool calls right, single turn",
        "y_title": "Tool calls right, with a user", "x_name": "single turn", "y_name": "with a user",
    }  # fmt: skip


def _share(row: Any, name: str) -> str:
    if value(row[f"{name}_share"]) is None:
        return "–"
    low, high = percent(row[f"{name}_q025"]), percent(row[f"{name}_q975"])
    return f"{percent(row[f'{name}_share'])}\n({low} to {high})"


def _adoption(frame: pd.DataFrame, everyone: list[System]) -> Table:
    columns = [
        "Occupation",
        "System",
        "Complete workflow",
        "Full autonomy",
        "Used",
        "Scenarios",
        "Tasks",
        "Servers",
    ]
    rows = [
        [_title(r), system.name, *(_share(r, name) for name in (*SHARES, "usage"))]
        + [
            f"{count(r['n_automation'])} + {count(r['n_augmentation'])}",
            count(r["n_tasks"]),
            count(r["n_servers"]),
        ]
        for system in everyone
        for r in frame[frame["system"] == system.key].sort_values("occupation").to_dict("records")
    ]
    return Table(columns, rows[:LONGEST], {1})


def _errors(frame: pd.DataFrame, everyone: list[System]) -> Table:
    heads = [(system, mode) for system in everyone for mode in MODES if _has(frame, system, mode)]
    rows = []
    for _, of_category in frame.groupby("category_order", sort=True):
        first = of_category.iloc[0]
        cells = [_error(of_category, system, mode) for system, mode in heads]
        rows.append([text(first["name"]), text(first["of_what"]), *cells])
    return Table(["Error", "Of", *(f"{s.name}, {MODES[m]}" for s, m in heads)], rows, {1})


def _has(frame: pd.DataFrame, system: System, mode: str) -> bool:
    return bool(((frame["system"] == system.key) & (frame["mode"] == mode)).any())


def _error(frame: pd.DataFrame, system: System, mode: str) -> str:
    rows = frame[(frame["system"] == system.key) & (frame["mode"] == mode)].to_dict("records")
    return (
        f"{percent(rows[0]['share'])}\n({count(rows[0]['n'])} of {count(rows[0]['n_of'])})" if rows else "–"
    )


def _repeats(frame: pd.DataFrame, everyone: list[System]) -> Table:
    names = {**MEASURES, **REWARD}
    most = int(frame["k"].max()) if len(frame) else 1
    rows = []
    for system in everyone:
        own = frame[frame["system"] == system.key]
        for (mode, measure), of_measure in own.groupby(["mode", "measure"], sort=True):
            by_k = of_measure.set_index("k")
            shares = [percent(by_k["pass_all_share"].get(k)) for k in range(1, min(most, 8) + 1)]
            what = [words(names.get(str(measure))), MODES[str(mode)], count(by_k["n_scenarios"].max())]
            rows.append([system.name, *what, *shares])
    heads = [f"All of {k}" if k > 1 else "One run" for k in range(1, min(most, 8) + 1)]
    return Table(["System", "Passed if right", "Mode", "Scenarios", *heads], rows, {1, 2})


def _correlations(frame: pd.DataFrame, everyone: list[System]) -> Table:
    rows = []
    for system in everyone:
        own = frame[frame["system"] == system.key]
        for (mode, measure), both in own.groupby(["mode", "measure"], sort=True):
            by_count = both.set_index("tool_count")
            cells = [
                number(by_count[column].get(name), 3)
                for name in ("offered", "required")
                for column in ("spearman_rho", "p_value")
            ]
            scenarios = count(both["n_scenarios"].max())
            rows.append([system.name, MODES[str(mode)], words(MEASURES.get(str(measure))), *cells, scenarios])
    heads = ["ρ with tools offered", "p", "ρ with tools required", "p", "Scenarios"]
    return Table(["System", "Mode", "Measure", *heads], rows, {1, 2})


def _differences(frame: pd.DataFrame, everyone: list[System]) -> Table:
    rows = []
    for system in everyone:
        means = frame[frame["system"] == system.key].groupby("measure")[
            ["single_score", "multi_score", "difference"]
        ]
        for measure, row in means.mean().iterrows():
            name = "Workflow, or autonomy" if measure == "workflow" else words(MEASURES.get(str(measure)))
            n_pairs = count(means.size().get(measure))
            rows.append([system.name, name, *(number(row[c]) for c in row.index), n_pairs])
    return Table(["System", "Measure", "Single turn", "With a user", "Difference", "Pairs"], rows, {1})
