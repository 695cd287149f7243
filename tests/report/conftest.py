"""Sites to test, each rendered once, and a headless Chromium for those that need one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from dagster_project.report.site import render_report
from tests.support.report.published_standin import HOSTILE, SCOPES, Site, StandIn, build, many

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SPECS: dict[str, Callable[[], StandIn]] = {
    "plain": StandIn,
    "one": lambda: many(1, 1),
    "forty": lambda: many(40, 20),
    # scores of activities and settings: that many systems, and few groups of respondents
    "catalogue": lambda: many(600, 2),
    "hostile": lambda: StandIn(HOSTILE, SCOPES[:2] + [("company", "<i>Acme</i> & 'Co'; --")]),
    "people": lambda: StandIn(
        {f"p{i}": (f"Person {i}" if i else None, None) for i in range(4)},
        people=frozenset(f"p{i}" for i in range(4)),
        has_dates=False,
        n_runs=0,
    ),
    "mixed": lambda: StandIn(
        {
            "a": ("Aurora", "Northlight"),
            "b": ("Basalt", "Quarry"),
            "c": ("Cedar", "Arbor"),
            "p": ("Person 7", None),
        },
        [
            ("all", "all"),
            ("domain", "WL"),
            ("company", "Acme"),
            ("role", "Acme: Clerk"),
            ("duty", "Acme: Clerk"),
        ],
        people=frozenset({"p"}),
        withheld=frozenset({"Admin"}),
    ),
    "skipped": lambda: StandIn(
        skipped={
            "work": "no folder <survey> in the sources",
            "suitability": "needs slice work",
            "capability": "no results",
        }
    ),
}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Site]:
    made: dict[str, Site] = {}

    def get(name: str) -> Site:
        if name not in made:
            home = tmp_path_factory.mktemp(name)
            marts = build(home / "suitability.duckdb", SPECS[name]())
            render_report(home / "suitability.duckdb", home / "report")
            made[name] = Site(home / "report", marts)
        return made[name]

    return get


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    """Closed with its module: while it is open, nobody else in this process can start an event loop."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on this machine (Debian: apt-get install chromium)")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=chromium, args=QUIET).new_context()
