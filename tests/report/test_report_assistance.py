"""The page on doing and helping: its tables and charts are the marts', texts stay text, an empty slice says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import pytest

from dagster_project.report.pages.assistance import _overall
from dagster_project.report.site import render_report
from tests.report.test_report_browser import LAYOUT, opened
from tests.support.report.page_reader import Reader
from tests.support.report.published_standin import Site, StandIn, build

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

OVERALL = [
    "mode", "candidate", "mean_rank", "se_rank", "rank", "win_share", "rank_scaled", "bt_rank", "bt_log_strength",
    "bt_low", "bt_high", "is_unaided", "warning", "rank_by_mean", "n_tasks", "n_tasks_missing", "behind_unaided",
    "behind_unaided_se",
]  # fmt: skip
LACKS = "8 of 40 comparisons missing"
WARNING = "by scaled ranks place 1"
AUDIT = [
    "task", "mode", "run", "judge", "first", "second", "choice", "mean_score_first", "mean_score_second", "rationale",
    "output_first", "output_second", "n_characters_first", "n_characters_second", "assistance_first",
    "assistance_second", "source_file", "row_number", "call_id",
]  # fmt: skip
HOSTILE_TEXT = "</script><img src=x onerror=window.hit=1>{{ 7 * 7 }}"
MARTS = {
    "tournament_rank": pd.DataFrame(
        [
            ("tax_return", "automation", "basalt-7", 1.25, 1, 1, None, 5, 32, 8, 0, 10),
            ("tax_return", "automation", "newcomer", 1.75, 2, 1, 2, 5, 32, 8, 0, 10),
            ("tax_return", "augmentation", "newcomer", 1.0, 1, 1, 1, 5, 40, 0, 2, 0),
            ("tax_return", "augmentation", "basalt-7", 3.0, 3, 3, 3, 5, 40, 0, 0, 0),
            ("tax_return", "augmentation", "wim", 2.0, 2, 2, 2, 5, 40, 0, 0, 0),
        ],
        columns=["task", "mode", "candidate", "mean_rank", "rank", "rank_scaled", "bt_rank", "n_runs"]
        + ["n_comparisons", "n_missing", "n_leaking", "n_one_seat"],
    ),
    "tournament_overall": pd.DataFrame(
        [
            ("automation", "newcomer", 1.75, 0.25, 2, 0.4, 1, 2, -0.5, -1.0, 0.1, False, WARNING, 2, 1, 0, None, None),
            ("automation", "basalt-7", 1.25, 0.25, 1, 0.6, 1, 1, 0.5, -0.1, 1.0, False, LACKS, 1, 1, 0, None, None),
            ("augmentation", "newcomer", 1.0, None, 1, 1.0, 1, 1, 2.0, None, None, False, None, 1, 2, 0, -1.0, 0.5),
            ("augmentation", "wim", 2.0, None, 2, 0.5, 2, 2, 0.0, None, None, True, None, 2, 2, 0, None, None),
            ("augmentation", "basalt-7", 3.0, None, 3, 0.0, 3, 3, -2.0, None, None, False, None, 3, 1, 1, 1.0, 0.0),
        ],
        columns=OVERALL,
    ).assign(comparison_group=1, n_groups=1),
    "role_choice": pd.DataFrame(
        [
            ("tax_return", "basalt-7", "newcomer", 0.97, 2.0, 0.6, 0.5, 3.0, 1, 2, 10),
            ("poem", "newcomer", None, None, None, None, None, None, 3, 0, 0),
            ("verse", "newcomer", "basalt-7", 0.04, -0.25, 0.0, 0.0, 1.0, 1, 1, 9),
            ("waltz", "newcomer", "basalt-7", 0.6, 0.0, 0.0, None, None, 1, 1, 9),
            ("yodel", "newcomer", "basalt-7", 1.0, 0.0, 0.0, None, None, 1, 1, 3),
            ("zither", "newcomer", "basalt-7", 1.0, 0.0, 0.0, None, None, 1, 1, 4),
        ],
        columns=["task", "best_doer", "best_helper", "is_help_better_probability", "regret", "regret_win_share"]
        + ["regret_q025", "regret_q975", "n_best_doers", "n_best_helpers", "n_runs"],
    ),
    "mode_correlation": pd.DataFrame(
        [("tax_return", None, None, 2), ("all", -0.25, 0.75, 6)],
        columns=["task", "spearman_rho", "p_value", "n_candidates"],
    ),
    "judge_agreement": pd.DataFrame(
        [
            ("task", "tax_return", "all", 0.5, None, 4, 4),
            ("mode", "augmentation", "augmentation", 0.75, 0.5, 8, 24),
            ("mode", "automation", "automation", 0.7, 0.4, 9, 27),
            ("all", "all", "all", 0.72, 0.45, 17, 51),
        ],
        columns=["scope_type", "scope", "mode", "agreement_share", "krippendorff_alpha", "n_comparisons"]
        + ["n_decisions"],
    ),
    "judge_bias": pd.DataFrame(
        [
            ("j", "longer_answer", 0.6, 0.45, 0.75, 40),
            ("j", "first_seat", 0.3, 0.2, 0.4, 50),
            ("k", "first_seat", 0.7, 0.6, 0.8, 50),
        ],
        columns=["judge", "bias", "share", "q025", "q975", "n"],
    ),
    "judge_consistency": pd.DataFrame(
        [
            ("all", "all", 0.9, 0.8, 0.7, 0.25, 8),
            ("j", "all", 0.9, None, 0.6, None, 0),
            ("j", "automation", 0.1, 0.1, 0.1, 0.1, 1),
        ],
        columns=["judge", "mode", "choice_matches_rubric_share", "rubric_win_correlation", "agreement_share"]
        + ["flipped_share", "n_both_seats"],
    ),
    "assistance_trait": pd.DataFrame(
        [
            ("all", "against_task", 0.5, 1.0, 4.0, 20),
            ("all", "specificity", -0.75, 7.0, 3.0, 20),
            ("tax_return", "structure", -0.1, 1.0, 1.0, 5),
        ],
        columns=["task", "trait", "spearman_rho", "mean_score_best", "mean_score_worst", "n_texts"],
    ),
    "tournament_flow": pd.DataFrame(
        [("files", 10, 8, 1, 1, 0, 2), ("ledger", 2000, 2000, 0, 0, 3, 0)],
        columns=["origin", "n_sent", "n_accepted", "n_rejected", "n_failed", "n_pending", "n_own_family"],
    ),
    "tournament_audit": pd.DataFrame(
        [
            ("tax_return", "augmentation", "2", "k", "newcomer", "wim", "tie", 8.0, 8.0, None, "short", "own", 9000)
            + (3, HOSTILE_TEXT, None, "ledger.sqlite", 4, "0123456789abcdef"),
            ("tax_return", "augmentation", "2", "j", "wim", "newcomer", "second", 5.5, 8.0, HOSTILE_TEXT, "own")
            + ("short", 3, 9000, None, HOSTILE_TEXT, "tournament/judgements/j.jsonl", 7, None),
        ],
        columns=AUDIT,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return _made(tmp_path_factory.mktemp("assistance"), MARTS)


def _made(folder: Path, marts: dict[str, pd.DataFrame]) -> Site:
    build(folder / "p.duckdb", StandIn(skipped={}))
    with duckdb.connect(str(folder / "p.duckdb")) as connection:
        for name, frame in marts.items():
            connection.register("given", frame)
            connection.execute(f"create table marts.{name} as select * from given")
    render_report(folder / "p.duckdb", folder / "report")
    return Site(folder / "report", marts)


def test_tables_are_the_marts_in_words(made: Site) -> None:
    tables = [rows[1:] for _, rows in Reader(made.html("assistance")).tables]
    (
        choice,
        partial,
        seated,
        doing,
        leaking,
        helping,
        together,
        traits,
        agreement,
        by_task,
        bias,
        consistency,
        verdicts,
    ) = tables
    assert choice == [
        ["Poem", "newcomer\nand 2 more", "–", "–\n(0 runs)", "unknown", "–", "–"],
        [
            "Tax return",
            "Basalt 7",
            "newcomer\nand 1 more",
            "97 %\n(10 runs)",
            "better with help",
            "2.0\n(0.5 to 3.0)",
            "60",
        ],
        [
            "Verse",
            "newcomer",
            "Basalt 7",
            "4 %\n(9 runs)",
            "hint: better without help",
            "−0.2\n(0.0 to 1.0)",
            "0",
        ],
        ["Waltz", "newcomer", "Basalt 7", "60 %\n(9 runs)", "no clear difference", "0.0", "0"],
        ["Yodel", "newcomer", "Basalt 7", "over 99 %\n(3 runs)", "too few runs", "0.0", "0"],
        ["Zither", "newcomer", "Basalt 7", "over 99 %\n(4 runs)", "hint: better with help", "0.0", "0"],
    ]
    assert partial == [
        ["Tax return", "Basalt 7", "1", "8", "40"],
        ["Tax return", "newcomer", "2", "8", "40"],
    ]
    assert seated == [
        ["Tax return", "Basalt 7", "1", "10", "32"],
        ["Tax return", "newcomer", "2", "10", "32"],
    ]
    assert "10 comparisons are by judges that chose the same position" in made.html("assistance")
    assert leaking == [["Tax return", "newcomer", "1", "2", "5"]]
    assert [row[:6] for row in doing] == [
        ["Basalt 7", "1", "1.25", "0.25", "60 %", "1"],
        ["newcomer", "2", "1.75", "0.25", "40 %", "1"],
    ]
    assert doing[1][6:] == ["2", "−0.50\n(−1.00 to 0.10)", "by scaled ranks place 1"]
    assert [[row[0], *row[9:]] for row in helping] == [
        ["newcomer", "1.00 ahead\n(2.0 SE)", "2"],
        ["wim, without help", "–", "2"],
        ["Basalt 7", "1.00 behind", "1"],
    ]
    # no interval below three runs
    assert helping[0][7] == "2.00"
    # nothing is aided here, and all stand in one task
    assert {len(row) for row in doing} == {9}
    assert together == [["All tasks", "−0.25", "0.75", "6"], ["Tax return", "–", "–", "2"]]
    # a better place is a smaller one
    assert [row[:2] for row in traits] == [
        ["Goes beyond the task’s text", "0.75"],
        ["Works against the task", "−0.50"],
    ]
    assert [row[0] for row in agreement] == ["All tasks", "Automation", "Augmentation"]
    assert by_task == [["Tax return", "50 %", "–", "4", "4"]]
    assert [row[:2] + row[4:] for row in bias] == [
        ["j", "First position", "chooses the second more often", "50"],
        ["k", "First position", "chooses the first more often", "50"],
        ["j", "Longer deliverable", "no", "40"],
    ]
    assert consistency == [
        ["j", "90 %", "–", "60 %", "–", "0"],
        ["All judges", "90 %", "0.80", "70 %", "25 %", "8"],
    ]
    assert verdicts == [
        ["j", "wim", "newcomer", "5.5 to 8.0", HOSTILE_TEXT, "tournament/judgements/j.jsonl, line 7"],
        ["k", "newcomer", "tie", "8.0 to 8.0", "–", "call 0123456789ab"],
    ]


def test_the_trail_holds_texts_and_what_was_cut(made: Site) -> None:
    html = made.html("assistance")
    assert "2 verdicts: 1 for newcomer, 1 tie." in html
    assert html.count("The first 5 of 9,000 characters.") == 1
    assert (
        "<img src=x" not in html
        and "49" not in html.split("Audit trail: from verdicts to ranks")[1].split("CSV")[0]
    )
    assert "2,010 verdicts were sent: 2,008 accepted, 1 rejected, 1 failed; 3 more are planned" in html


def test_places_are_drawn_and_differences_of_method_told(made: Site) -> None:
    html = made.html("assistance")
    drawn = json.loads(Reader(html).json)["charts"]
    doing, helping = (drawn[mode]["scopes"][""] for mode in ("automation", "augmentation"))
    assert [c["name"] for c in drawn["automation"]["columns"]] == ["All tasks", "Tax return"]
    assert (doing["rows"], doing["values"]) == (["Basalt 7", "newcomer"], [[1.25, 1.25], [1.75, 1.75]])
    assert helping["rows"] == ["newcomer", "wim, without help", "Basalt 7"]
    roles = drawn["roles"]
    places = {name: (x, y) for name, x, y in zip(roles["names"], roles["x"], roles["y"], strict=True)}
    assert places == {"Basalt 7": (1.25, 3.0), "newcomer": (1.75, 1.0)} and roles["unaided"] == 2.0
    assert roles["x_se"] == [0.25, 0.25] and roles["y_se"] == [None, None]
    # newcomer over all tasks and in its cell; what is missing is another matter, and augmentation has none
    assert html.count("Some ranks depend on the ranking method") == 1
    assert "to 1 of 2 candidates over all tasks, and in 1 of 2 cells below" in html
    assert "At least 8 comparisons are missing" in html and "in: Tax return. Ranks there" in html
    assert "2 guidance texts contain more than a quarter" in html
    assert "don’t count for any rank" in html and "never of their own family" not in html


def test_an_empty_slice_says_why(site: Callable[[str], Site]) -> None:
    html = site("plain").html("assistance")
    for mart in (
        "role_choice",
        "tournament_overall",
        "mode_correlation",
        "judge_agreement",
        "tournament_audit",
    ):
        assert html.count(f"table {mart} is not in the published file") == 1
    assert "data-chart" not in html and "plotly" not in html


@pytest.mark.browser
def test_the_charts_draw_wide_and_narrow(browser: BrowserContext, made: Site) -> None:
    with opened(browser, made, "assistance") as page:
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            overflow, charts = page.evaluate(LAYOUT)
            assert overflow <= 0 and len(charts) == 3
            for left, right, n_marks, _ in charts:
                assert left >= 0 and right <= width and n_marks > 0
            key = page.locator("[data-chart=roles] .legendtext").all_text_contents()
            assert key == (["1  Basalt 7", "2  newcomer"] if width == 390 else [])
            wide = page.locator("[aria-label='Top-ranked doer and helper by task']")
            assert wide.evaluate("e => e.scrollWidth <= e.clientWidth"), f"nothing is cut at {width}"
        assert page.evaluate("window.hit") is None


def test_groups_that_never_met_are_ranked_apart() -> None:
    """The second group's first rank does not stand above the first group's second."""
    own = MARTS["tournament_overall"].query("mode == 'automation'")
    other = own.assign(candidate=["wim", "zed"], comparison_group=2, rank=[1, 2], mean_rank=[1.0, 2.0])
    table = _overall(pd.concat([own, other]).assign(n_groups=2), {})
    assert table.columns[:3] == ["Group", "Candidate", "Rank"]
    assert [row[:3] for row in table.rows] == [
        *(["1", "basalt-7", "1"], ["1", "newcomer", "2"]),
        *(["2", "wim", "1"], ["2", "zed", "2"]),
    ]
    assert _overall(own, {}).columns[0] == "Candidate"


def test_a_tournament_without_helpers_has_its_page(tmp_path: Path) -> None:
    """Nobody did both: there is no chart of roles, and the page is written all the same."""
    doing = {"tournament_overall": MARTS["tournament_overall"].query("mode == 'automation'")}
    html = _made(tmp_path, MARTS | doing).html("assistance")
    assert "Are good doers also good helpers?" in html and 'id="roles"' not in html
