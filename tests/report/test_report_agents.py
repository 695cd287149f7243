"""The page on agents: its marks and tables are the marts', and an empty slice says why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from dagster_project.report.labels import LEADING
from dagster_project.report.site import render_report
from tests.support.report.page_reader import Reader
from tests.support.report.published_standin import build

SHARES = ["automation", "augmentation", "usage"]
ADOPTION = pd.DataFrame(
    [
        ("11-1", "Planners", "lark", 0.5, 0.2, 0.8, 12, 0.75, 0.4, 0.9, 8, 0.25, 0.1, 0.5, 14, 9, 6),
        ("13-1", None, "wren", None, None, None, 0, 0.25, 0.1, 0.6, 8, 0.5, 0.2, 0.8, 8, 9, 6),
    ],
    columns=["occupation", "title", "system"]
    + [c for s in SHARES for c in (f"{s}_share", f"{s}_q025", f"{s}_q975", f"n_{s}")]
    + ["n_tasks", "n_servers"],
)
SCORES = pd.DataFrame(
    [
        ("s1", "lark", "single", "workflow", 5.0, 4),
        ("s2", "lark", "single", "workflow", 2.4, 4),
        ("s3", "lark", "single", "workflow", None, 4),
        ("s1", "lark", "single", "tool_accuracy", 1.0, 4),
        ("s2", "lark", "single", "tool_accuracy", 0.5, 6),
        ("s1", "lark", "single", "tool_accuracy_by_code", 0.75, 4),
        ("s1", "wren", "single", "tool_accuracy_by_code", 0.9, 4),
    ],
    columns=["scenario", "system", "mode", "measure", "score", "n_tools"],
)
OCCUPATIONS = pd.DataFrame(
    [("11-1", "Planners", "wren", "single", 0.25, 0.2, 4.0, None, 1.0, None)],
    columns=["occupation", "title", "system", "mode"]
    + [
        f"mean_{m}"
        for m in ("tool_accuracy", "tool_accuracy_by_code", "workflow", "autonomy", "grounding", "followup")
    ],
)
ERRORS = pd.DataFrame(
    [
        ("lark", "single", "missed_tool", "Missed tool", 1, 3, 12, "tool names", 0.25),
        ("lark", "single", "goal_deviation", "Goal deviation", 6, 0, 0, "runs below 3", None),
    ],
    columns=["system", "mode", "category", "name", "category_order", "n", "n_of", "of_what", "share"],
)
REPEATS = pd.DataFrame(
    [("lark", "multi", "reward", k, share, 50) for k, share in enumerate((0.42, 0.273, 0.22, 0.2), start=1)],
    columns=["system", "mode", "measure", "k", "pass_all_share", "n_scenarios"],
)
PAIRS = pd.DataFrame(
    [("p1", "lark", "tool_accuracy", 1.0, 0.5, -0.5), ("p1", "lark", "workflow", 3.0, 4.0, 1.0)],
    columns=["pair", "system", "measure", "single_score", "multi_score", "difference"],
)
COUNTS = pd.DataFrame(
    [
        ("lark", "single", "grounding", c, r, p, 40)
        for c, r, p in (("offered", -0.27, 0.04), ("required", None, None))
    ],
    columns=["system", "mode", "measure", "tool_count", "spearman_rho", "p_value", "n_scenarios"],
)
MARTS = {
    "capability_adoption": ADOPTION, "scenario_score": SCORES, "occupation_capability": OCCUPATIONS,
    "agent_error": ERRORS, "agent_repeat": REPEATS, "single_multi_pair": PAIRS, "tool_count_correlation": COUNTS,
}  # fmt: skip


def page_of(folder: Path, marts: dict[str, pd.DataFrame]) -> str:
    database = folder / "suitability.duckdb"
    build(database)
    with duckdb.connect(str(database)) as connection:
        for name, frame in marts.items():
            connection.register("given", frame)
            connection.execute(f"create or replace table marts.{name} as select * from given")
    render_report(database, folder / "report")
    return (folder / "report/agents.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return page_of(tmp_path_factory.mktemp("agents"), MARTS)


@pytest.fixture(scope="module")
def charts(page: str) -> dict[str, Any]:
    begin = page.index(">", page.index('id="report-data"')) + 1
    return json.loads(page[begin : page.index("</script>", begin)])["charts"]


def test_marks_are_the_marts_shares_with_their_intervals(charts: dict[str, Any]) -> None:
    # wren has more calls right by code: it comes first, and no share of automation
    (only,) = charts["automation"]["series"]
    assert (only["system"], only["x"], only["y"], only["low"], only["high"]) == (
        1,
        [0.25],
        [0.5],
        [0.2],
        [0.8],
    )
    assert only["labels"] == ["Planners"]
    assert {s["system"]: (s["x"], s["y"]) for s in charts["augmentation"]["series"]} == {
        0: ([0.5], [0.25]),
        1: ([0.25], [0.75]),
    }


def test_scores_are_counted_at_the_nearest_whole_one(charts: dict[str, Any]) -> None:
    assert charts["histogram"]["rows"] == ["lark, single turn: workflow"]
    assert charts["histogram"]["scopes"][""]["values"] == [[0.0, 50.0, 0.0, 0.0, 50.0]]
    assert charts["occupations"]["scopes"][""]["values"] == [[25.0, 20.0, 75.0, None, 0.0, None]]
    (tools,) = charts["tools"]["series"]
    assert (tools["x"], tools["y"]) == ([4, 6], [1.0, 0.5])
    (pair,) = charts["pairs"]["series"]
    assert (pair["x"], pair["y"]) == ([1.0], [0.5])


def test_tables_hold_the_marts_numbers(page: str) -> None:
    rows = [[" ".join(cell.split()) for cell in row] for _, table in Reader(page).tables for row in table]
    assert ["Missed tool", "tool names", "25.0 % (3 of 12)"] in [
        [c.replace("\u00a0", " ") for c in r] for r in rows
    ]
    assert any(row[:4] == ["lark", "Reward of the environment", "with a user", "50"] for row in rows)
    assert any(row[:3] == ["lark", "single turn", "Grounding"] and row[5] == "–" for row in rows)


def test_an_empty_slice_says_why(tmp_path: Path) -> None:
    text = page_of(tmp_path, {})
    assert text.count("Nothing to show") + text.count("Skipped") >= 6 and "report-data" not in text


def test_more_systems_than_a_page_draws_are_counted(tmp_path: Path) -> None:
    many = pd.concat([SCORES.assign(system=f"agent-{n:02d}", score=1 - n / 100) for n in range(LEADING + 3)])
    text = page_of(
        tmp_path, MARTS | {"scenario_score": many, "capability_adoption": ADOPTION.assign(system="agent-00")}
    )
    # lark is in the marts too, without scores by code
    assert f"The {LEADING} systems with most calls right, of {LEADING + 4}." in text
