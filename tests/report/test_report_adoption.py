"""Page Adoption: tables and marks are the marts', what is skipped or withheld is marked, an empty slice says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import pytest

from dagster_project.report.pages.adoption import _finding
from dagster_project.report.site import render_report
from tests.report.test_report_browser import LAYOUT, opened
from tests.support.report.page_reader import Reader
from tests.support.report.published_standin import Site, StandIn, build

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

STAGES = ["all", "english", "unique", "relevant", "summarised", "matched", "confirmed"]
FUNNEL = pd.DataFrame(
    {
        "stage": STAGES,
        "stage_order": range(1, 8),
        "n_chats": [1000, 800, 700, 700, 690, 690, 345],
        "share_of_previous": [None, 0.8, 0.875, None, 0.986, 1.0, 0.5],
        "n_unknown": [0, 7, 0, 0, 10, 0, 0],
        "status": ["done", "done", "done", "skipped", "done", "done", "fallback"],
        "method": ["rows", "label", "hash", "none", "judge (m)", "e", "cosine >= 0.4"],
        "note": [None, None, None, "llm.toml names no [[relevance]]", "690 answered, 10 refused", "n", "why"],
    }
)
OCCUPATIONS = pd.DataFrame(
    [
        ("15-1", "Coders <b>", 40, 0.2, 0.1, 0.3, 0.05, 4.0, 12.5, 20, 9, 90_000.0, False),
        ("29-1", "Nurses", 10, 0.02, 0.0, 0.05, 0.08, 0.25, 0.5, 30, 3, None, False),
        ("11-1", "Chiefs", None, None, None, None, 0.01, None, None, 12, None, 120_000.0, True),
        ("53-1", "Drivers", 0, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 8, 0, 40_000.0, False),
    ],
    columns=["occupation", "title", "n_chats", "chat_share", "chat_share_q025", "chat_share_q975"]
    + ["employment_share", "representation_ratio", "chat_weight_per_million_workers", "n_tasks"]
    + ["n_tasks_seen", "median_wage", "is_suppressed"],
)
GROUPS = pd.DataFrame(
    [
        ("all", "15", "Computing", 300, 0.6, 0.5, 0.65, 0.1, 6.0, False),
        ("all", "53", "Transport", 20, 0.01, 0.0, 0.02, 0.3, 0.033, False),
        ("US", "15", "Computing", 200, 0.7, 0.6, 0.8, 0.1, 7.0, False),
        ("US", "53", "Transport", None, None, None, None, 0.3, None, True),
    ],
    columns=["country", "major_group", "name", "n_chats", "chat_share", "chat_share_q025", "chat_share_q975"]
    + ["employment_share"]
    + ["representation_ratio", "is_suppressed"],
)
DEPTH = pd.DataFrame(
    [
        (1, 0.0, 1.0, 1.0, 1.0, False),
        (1, 0.5, 0.25, 0.2, 0.25, False),
        (1, 1.0, 0.1, 0.0, 0.1, False),
        (2, 0.5, None, None, None, True),
    ],
    columns=["min_chats", "task_share", "occupation_share", "occupation_share_q025"]
    + ["occupation_share_q975", "is_suppressed"],
)
SKILLS = pd.DataFrame(
    [
        ("Writing", 200, 0.58, 0.53, 0.63, False),
        ("Speaking", None, None, None, None, True),
        ("Repairing", 0, 0.0, 0.0, 0.0, False),
    ],
    columns=["skill", "n_chats", "share", "share_q025", "share_q975", "is_suppressed"],
)
ACTIVITIES = pd.DataFrame(
    [("GWA", "4.A.1", "Getting Information", 100, 0.29, 0.24, 0.34, False)]
    + [("DWA", f"d{n:02}", f"Detail {n:02}", n, n / 345, 0.0, 0.2, False) for n in range(40)],
    columns=["level", "activity_id", "name", "n_chats", "share", "share_q025", "share_q975"]
    + ["is_suppressed"],
)
FLOORS = pd.DataFrame([("e", 0.4, 345, 0.5)], columns=["embedder", "match_floor", "n_chats", "share"])
VALIDATION = pd.DataFrame(
    [("e", True, 0.232, 225_000_000), ("e", False, 0.306, 225_000_000)],
    columns=["embedder", "has_root", "pearson_r", "n_pairs"],
)
COMPARISON = pd.DataFrame(
    [("some index", "occupation", 600, 0.5, None, 700, 30, 100)],
    columns=["index", "level", "n", "spearman", "spearman_weighted", "n_given", "n_by_nearest"]
    + ["n_unmatched"],
)
MARTS = {
    "chat_funnel": FUNNEL,
    "occupation_adoption": OCCUPATIONS,
    "major_group_adoption": GROUPS,
    "adoption_depth": DEPTH,
    "skill_usage": SKILLS,
    "work_activity_usage": ACTIVITIES,
    "match_floor": FLOORS,
    "embedder_validation": VALIDATION,
    "index_comparison": COMPARISON,
}


def rendered(folder: Path, marts: dict[str, pd.DataFrame]) -> Path:
    build(folder / "p.duckdb", StandIn(skipped={}))
    with duckdb.connect(str(folder / "p.duckdb")) as connection:
        for name, frame in marts.items():
            connection.register("given", frame)
            connection.execute(f"create table marts.{name} as select * from given")
        connection.execute("insert into marts.slice_status values ('adoption', 'filled', '')")
    render_report(folder / "p.duckdb", folder / "report")
    return folder / "report"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rendered(tmp_path_factory.mktemp("adoption"), MARTS)


@pytest.fixture(scope="module")
def html(report: Path) -> str:
    return (report / "adoption.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tables(html: str) -> dict[tuple[str, str], list[list[str]]]:
    """(scope, heading of the first column and number of the scope's table of that heading) -> rows."""
    found: dict[tuple[str, str], list[list[str]]] = {}
    for scope, rows in Reader(html).tables:
        number = sum((scope, rows[0][0]) == (s, heading[:-1]) for s, heading in found)
        found[scope, f"{rows[0][0]}{number}"] = rows[1:]
    return found


def test_the_funnel_marks_what_was_skipped_and_what_a_fallback_did(
    html: str, tables: dict[tuple[str, str], list[list[str]]]
) -> None:
    rows = {row[0]: row[1:] for row in tables["", "Stage0"]}
    assert list(rows) == [stage.capitalize() for stage in STAGES]
    assert rows["Relevant"] == ["700", "–", "0", "skipped", "–", "llm.toml names no [[relevance]]"]
    assert rows["Summarised"][:4] == ["690", "98.6 %", "10", "done"]
    assert rows["Confirmed"][3:5] == ["fallback method", "cosine >= 0.4"]
    assert (
        "345 of 700 different English chats are similar to a task of an occupation; whether they are about work was "
        "not judged." in html
    )
    assert "include chats about leisure and small talk" in html and "by text similarity alone" in html


def test_tables_are_the_marts(tables: dict[tuple[str, str], list[list[str]]]) -> None:
    assert tables["", "Occupation0"] == [
        [
            "Coders <b>",
            "40",
            "20.00 %\n(10.00 % to 30.00 %)",
            "5.00 %",
            "4.00\n(2.00 to 6.00)",
            "12.5",
            "9 of 20",
        ],
        ["Nurses", "10", "2.00 %\n(0.00 % to 5.00 %)", "8.00 %", "0.25\n(0.00 to 0.62)", "0.5", "3 of 30"],
    ]
    assert tables["US", "Major group0"] == [
        ["Transport", "withheld", "withheld", "30.0 %", "withheld"],
        ["Computing", "200", "70.00 %\n(60.00 % to 80.00 %)", "10.0 %", "7.00\n(6.00 to 8.00)"],
    ]
    # what is withheld stands last, behind none
    assert tables["", "Skill0"] == [
        ["Writing", "200", "58.0 %\n(53.0 % to 63.0 %)"],
        ["Repairing", "0", "0.0 %\n(0.0 % to 0.0 %)"],
        ["Speaking", "withheld", "withheld"],
    ]
    assert tables["", "Activity0"] == [["Getting Information", "100", "29.0 %\n(24.0 % to 34.0 %)"]]
    assert [row[1] for row in tables["", "Activity1"]] == [str(n) for n in range(39, 14, -1)]
    assert tables["", "Embedder0"] == [
        ["e", "none", "0.306", "225,000,000"],
        ["e", "one root above all activities", "0.232", "225,000,000"],
    ]
    assert tables["", "Index0"] == [["some index", "occupation", "600", "0.50", "–", "30", "100"]]


def test_what_charts_draw_stands_in_tables(tables: dict[tuple[str, str], list[list[str]]]) -> None:
    assert tables["", "Occupation1"] == [["Coders <b>", "90,000", "12.5", "40"]]
    # of the shares drawn only every fifth is in the table; this mart has one of them
    assert tables["", "Minimum chats per task0"] == [["1", "10.0 %\n(0.0 % to 10.0 %)"]]


@pytest.mark.parametrize(
    ("relevant", "confirmed", "said"),
    [
        ("done", "done", "345 of 700 different English chats match a task of an occupation."),
        ("skipped", "done", "match a task of an occupation; whether they are about work was not judged."),
        (
            "done",
            "fallback",
            "are about work and similar to a task of an occupation; whether the task is right was not",
        ),
    ],
)
def test_the_finding_claims_what_was_judged(relevant: str, confirmed: str, said: str) -> None:
    status = FUNNEL["status"].mask(FUNNEL["stage"] == "relevant", relevant)
    assert said in _finding(FUNNEL.assign(status=status.mask(FUNNEL["stage"] == "confirmed", confirmed)))


def test_charts_draw_the_marts_and_leave_out_what_is_withheld(html: str) -> None:
    charts = json.loads(Reader(html).json)["charts"]
    assert charts["occupations"]["rows"] == ["Coders <b>", "Nurses"]
    assert charts["occupations"]["chats"][0] == [0.2, 0.1, 0.3]
    assert charts["groups"]["scopes"]["US"]["withheld"] == [True, False]
    assert charts["groups"]["scopes"]["US"]["chats"][0] == [None, None, None]
    (curve,) = charts["depth"]["curves"]
    assert (curve["min_chats"], curve["x"], curve["y"], curve["low"]) == (
        1,
        [0.5, 1.0],
        [0.25, 0.1],
        [0.2, 0.0],
    )
    assert (charts["wages"]["x"], charts["wages"]["y"]) == ([90_000.0], [12.5])
    # no wage; withheld; no chat
    assert "wage or employment is unknown: 3 occupations." in html
    assert "they are based on too few chats: 1 occupations" in html


def test_a_log_without_a_match_says_so(tmp_path: Path) -> None:
    """Tasks are known, no chat was kept: shares are unknown, counts 0."""
    unknown = float("nan")
    nothing = {"n_chats": 0, "chat_share": unknown, "share": unknown, "occupation_share": unknown}
    marts = {
        name: frame.assign(
            **{c: v for c, v in nothing.items() if c in frame and name not in ("chat_funnel", "match_floor")},
            **({"is_suppressed": False} if "is_suppressed" in frame else {}),
        )
        for name, frame in MARTS.items()
    }
    html = (rendered(tmp_path, marts) / "adoption.html").read_text(encoding="utf-8")
    assert html.count("no chat was matched to a task of an occupation.") == 6
    assert "data-chart" not in html and "plotly" not in html


def test_all_withheld_says_so(tmp_path: Path) -> None:
    few = DEPTH.assign(occupation_share=float("nan"), is_suppressed=True)
    html = (rendered(tmp_path, {**MARTS, "adoption_depth": few}) / "adoption.html").read_text(
        encoding="utf-8"
    )
    assert html.count("every figure is based on too few chats to be shown") == 1


def test_an_empty_slice_says_why(site: Callable[[str], Site]) -> None:
    html = site("plain").html("adoption")
    assert html.count("table chat_funnel is not in the published file") == 7
    assert "data-chart" not in html and "plotly" not in html


@pytest.mark.browser
def test_all_charts_draw_and_fit_wide_and_narrow(browser: BrowserContext, report: Path) -> None:
    with opened(browser, Site(report, {}), "adoption") as page:
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            overflow, charts = page.evaluate(LAYOUT)
            assert overflow <= 0 and len(charts) == 4
            for left, right, n_marks, _ in charts:
                assert left >= 0 and right <= width and n_marks > 0
        page.select_option("#scope", "US")
        assert "chats withheld: too few" in (page.locator("[data-chart=groups]").text_content() or "")
