"""The report in a real headless Chromium: charts draw, controls work, nothing leaves the folder, nothing overflows."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dagster_project.report.site import PAGES
from tests.support.report.published_standin import HOSTILE, Site

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser
SiteOf = Callable[[str], Site]
CHARTS = {"capabilities": 11, "checks": 10, "suitability": 2, "importance": 2, "policies": 1}
CHARTS["evidence"] = 12
NAMED = "#legend label[data-developer]:visible"
# after the redraw that follows a change of width: page overflow in pixels; left, right, marks and text of each chart
LAYOUT = """async () => {
    await new Promise(done => setTimeout(done, 250));
    const marks = [".scatterlayer .point", ".barlayer .point", ".heatmaplayer image", ".polarlayer .point"].join();
    const charts = [...document.querySelectorAll("[data-chart]")].filter(c => c.offsetParent);
    return [document.documentElement.scrollWidth - window.innerWidth, charts.map(c => {
        const drawn = c.querySelector("svg").getBoundingClientRect();
        return [drawn.left, drawn.right, c.querySelectorAll(marks).length, c.textContent]; })];
}"""
# where each mark stands: changes when other numbers are drawn
PLACES = """() => [...document.querySelectorAll(".chart .point, .chart .point path, .heatmaplayer image")]
    .map(e => ["transform", "d", "xlink:href"].map(a => e.getAttribute(a) || "").join()).join()"""
VISIBLE_SCOPES = """() => [...new Set([...document.querySelectorAll("[data-for-scope]")].filter(e => !e.hidden)
    .map(e => e.dataset.forScope))]"""


@contextmanager
def opened(
    browser: BrowserContext, site: Site, page_name: str, width: int = 1280, address: str = ""
) -> Iterator[Page]:
    """A page that must end without console messages, script errors, dialogs or requests beyond its folder."""
    page = browser.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    trouble: list[str] = []
    page.on("console", lambda m: trouble.append(f"console {m.type}: {m.text}"))
    page.on("pageerror", lambda e: trouble.append(f"error: {e}"))
    page.on("dialog", lambda d: trouble.append(f"dialog: {d.message}"))
    inside = (site.folder.as_uri(), "data:", "blob:")
    page.on("request", lambda r: None if r.url.startswith(inside) else trouble.append(f"request: {r.url}"))
    page.goto((site.folder / f"{page_name}.html").as_uri() + address)
    if page.locator("#report-data").count():
        page.locator("html[data-drawn]").wait_for(state="attached")
    try:
        yield page
        assert not trouble
    finally:
        page.close()


def becomes(page: Page, expression: str, wanted: object) -> None:
    """Waits by asking: the page's content policy forbids what Playwright's own wait needs, an eval inside the page."""
    for _ in range(200):
        if page.evaluate(expression) == wanted:
            return
        page.wait_for_timeout(50)
    assert page.evaluate(expression) == wanted


@pytest.mark.parametrize(
    "name",
    ["plain", "forty", "hostile", *(pytest.param(one, marks=pytest.mark.slow) for one in ("one", "skipped"))],
)
def test_all_pages_draw_and_fit_wide_and_narrow(browser: BrowserContext, site: SiteOf, name: str) -> None:
    # simulations know no systems: their page is the same with any
    for page_name in [p for p in PAGES if p != "evidence" or name == "plain"]:
        with opened(browser, site(name), page_name) as page:
            assert page.locator("#synthetic").is_visible()
            assert page.locator("[data-chart]").count() >= (
                0 if name == "skipped" else CHARTS.get(page_name, 0)
            )
            page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
            for width in (1280, 390):
                page.set_viewport_size({"width": width, "height": 900})
                overflow, charts = page.evaluate(LAYOUT)
                assert overflow <= 0, f"{page_name} at {width}"
                for left, right, n_marks, text in charts:
                    assert left >= 0 and right <= width, f"{page_name} at {width}"
                    assert (n_marks > 0) == ("is ticked" not in text), page_name
            assert page.evaluate("window.hit") is None


def test_a_page_opened_on_a_narrow_screen_draws_for_it(browser: BrowserContext, site: SiteOf) -> None:
    with opened(browser, site("plain"), "suitability", width=390) as page:
        overflow, charts = page.evaluate(LAYOUT)
        assert overflow <= 0 and charts[0][2] > 0
        labels = page.locator("[data-chart] .annotation-text").all_text_contents()
        assert "Researching" in labels, "row names stand above their marks"


def test_links_of_the_navigation_open_their_pages(browser: BrowserContext, site: SiteOf) -> None:
    with opened(browser, site("plain"), "index") as page:
        for title, _ in PAGES.values():
            page.locator("nav").get_by_text(title, exact=True).click()
            assert page.locator("nav [aria-current=page]").text_content() == title


@pytest.mark.parametrize("page_name", ["suitability", "importance"])
def test_the_scope_selector_changes_chart_sentence_and_table(
    browser: BrowserContext, site: SiteOf, page_name: str
) -> None:
    with opened(browser, site("plain"), page_name) as page:
        assert page.evaluate(VISIBLE_SCOPES) == ["all:all"]
        seen = {page.evaluate(PLACES)}
        values = page.locator("#scope option").evaluate_all("options => options.map(o => o.value)")
        assert len(values) == 9
        for value in values[1:]:
            page.select_option("#scope", value)
            assert page.evaluate(VISIBLE_SCOPES) == [value]
            seen.add(page.evaluate(PLACES))
        assert len(seen) == 9, "each scope draws other numbers"


def test_an_address_with_a_scope_opens_that_scope(browser: BrowserContext, site: SiteOf) -> None:
    with opened(browser, site("plain"), "suitability", address="#scope=domain%3AHSC") as page:
        assert page.evaluate(VISIBLE_SCOPES) == ["domain:HSC"]
    with opened(browser, site("plain"), "suitability", address="#scope=nonsense") as page:
        assert page.evaluate(VISIBLE_SCOPES) == ["all:all"]


def test_marks_stand_where_the_numbers_say(browser: BrowserContext, site: SiteOf) -> None:
    made = site("plain")
    with opened(browser, made, "suitability", address="#scope=domain%3ANDP") as page:
        traces = page.evaluate(
            "document.querySelector('[data-chart]').data.filter(t => t.name)"
            ".map(t => [t.name, t.x, t.error_x.array, t.error_x.arrayminus])"
        )
    rows = made.marts["suitability"].query("scope == 'NDP' and policy == 'default'")
    for name, means, up, down in traces:
        key = {
            n or s: s
            for s, n in zip(made.marts["ai_system"]["system"], made.marts["ai_system"]["name"], strict=True)
        }.get(name)
        if key is not None:
            mine = rows[rows["system"] == key]
            assert sorted(means) == pytest.approx(sorted(mine["mean_log"]), abs=1e-4)
            assert sorted(m + u for m, u in zip(means, up, strict=True)) == pytest.approx(
                sorted(mine["q975_log"]), abs=1e-4
            )
            assert sorted(m - d for m, d in zip(means, down, strict=True)) == pytest.approx(
                sorted(mine["q025_log"]), abs=1e-4
            )
    assert len(traces) == 7


def test_thin_cells_are_hollow(browser: BrowserContext, site: SiteOf) -> None:
    made = site("forty")
    thin = made.marts["suitability"].query("is_thin and policy == 'default'").iloc[0]
    with opened(browser, made, "suitability") as page:
        page.select_option("#scope", f"{thin.scope_type}:{thin.scope}")
        symbols = page.evaluate("document.querySelector('[data-chart]').data[0].marker.symbol")
        assert any(s.endswith("-open") for s in symbols) and not all(s.endswith("-open") for s in symbols)
        assert f"{thin.activity} *" in (page.locator("[data-chart=suitability]").text_content() or "")


@pytest.mark.parametrize("page_name", ["suitability", "capabilities"])
def test_systems_can_be_ticked(browser: BrowserContext, site: SiteOf, page_name: str) -> None:
    points = "[data-chart=suitability] .scatterlayer .point, [data-chart=levels] .scatterlayer .point"
    with opened(browser, site("forty"), page_name) as page:
        shown_first = page.locator(points).count()
        page.locator("[data-system='0']").uncheck()
        one_less = page.locator(points).count()
        assert 0 < one_less < shown_first
        page.get_by_text("Show all 40").click()
        page.locator(points).nth(5 * one_less).wait_for()
        page.get_by_text("Show the first 6").click()
        assert page.locator(points).count() == shown_first


def test_a_matrix_of_correlations_stands_while_its_system_is_ticked(
    browser: BrowserContext, site: SiteOf
) -> None:
    visible = "[...document.querySelectorAll('[data-chart^=correlation]')].filter(c => c.offsetParent).length"
    with opened(browser, site("forty"), "capabilities") as page:
        assert page.evaluate(visible) == 6
        page.locator("[data-system='0']").uncheck()
        assert page.evaluate(visible) == 5
        page.get_by_text("Show all 40").click()
        becomes(page, visible, 40)
        titles = page.locator("#correlations h3").all_text_contents()
        assert titles == page.locator("#legend label[data-developer]").all_text_contents()


def test_a_system_that_is_searched_for_is_drawn_from_its_file(browser: BrowserContext, site: SiteOf) -> None:
    made = site("forty")
    rows = made.marts["suitability"].query("scope == 'NDP' and policy == 'default' and system == 's037'")
    cells = {f"{r.mean_log:.2f}\n({r.q025_log:.2f} to {r.q975_log:.2f})" for r in rows.itertuples()}
    drawn = "document.querySelector('[data-chart=suitability]').data.filter(t => t.name).map(t => t.x)"
    column = "[...document.querySelectorAll('[data-for-scope=\"domain:NDP\"] td[data-of-system]')]"
    with opened(browser, made, "suitability", address="#scope=domain%3ANDP") as page:
        assert page.locator(NAMED).count() == 12, "the leading ones"
        page.fill("#find", "037 developer 1")
        assert page.locator("#found").text_content() == "1 found"
        page.get_by_role("button", name="Show only matches").click()
        becomes(page, f"{column}.length", len(rows))
        shown = {c.replace("−", "-") for c in page.evaluate(f"{column}.map(c => c.textContent)")}
        assert shown == cells
        assert sorted(page.evaluate(drawn)[0]) == pytest.approx(sorted(rows["mean_log"]), rel=1e-5)
        page.fill("#find", "")
        assert page.locator(NAMED).count() == 13, "and the one that is ticked"
        page.get_by_role("button", name="Show the first 6").click()
        assert page.evaluate(f"{column}.length") == 0
    with opened(browser, made, "checks") as page:
        page.fill("#find", "037")
        page.get_by_role("button", name="Show only matches").click()
        page.select_option("#scope", "system:s037")
        assert page.evaluate(VISIBLE_SCOPES) == ["system:s037"]
        name, observed = page.evaluate(
            "(() => { const o = document.querySelector('[data-chart=curve-0]').data[1]; return [o.name, o.y]; })()"
        )
        curve = made.marts["characteristic_curve"].query("system == 's037' and dimension == 'APS'")
        assert name.startswith("System 037") and observed == pytest.approx(curve["observed"].tolist())


def test_six_hundred_systems_open_like_six(browser: BrowserContext, site: SiteOf) -> None:
    for page_name in ("suitability", "capabilities", "checks", "policies"):
        with opened(browser, site("catalogue"), page_name) as page:
            for width in (1280, 360):
                page.set_viewport_size({"width": width, "height": 900})
                overflow, charts = page.evaluate(LAYOUT)
                assert overflow <= 0 and charts, f"{page_name} at {width}"
                assert all(n_marks > 0 for _, _, n_marks, _ in charts), page_name
            assert page.locator(NAMED).count() == 12


def test_points_stand_where_the_numbers_say(browser: BrowserContext, site: SiteOf) -> None:
    made = site("plain")
    with opened(browser, made, "checks") as page:
        drawn = page.evaluate(
            "[...document.querySelector('[data-chart=predicted]').data].map(t => [t.name, t.x, t.y])"
        )
    quality = made.marts["item_prediction_quality"].query("benchmark != 'all'")
    info = made.marts["ai_system"]
    name_of = {s: n or s for s, n in zip(info["system"], info["name"], strict=True)}
    assert len(drawn) == 6
    for system, rows in quality.groupby("system"):
        (own,) = [t for t in drawn if t[0] == name_of[system]]
        assert own[1] == pytest.approx(rows["predicted"].tolist(), abs=1e-5)
        assert own[2] == pytest.approx(rows["observed"].tolist(), abs=1e-5)


def test_a_developers_systems_and_one_systems_curves_can_be_chosen(
    browser: BrowserContext, site: SiteOf
) -> None:
    made = site("plain")
    names = "document.querySelector('[data-chart=reliability]').data.map(t => t.name)"
    with opened(browser, made, "checks") as page:
        assert len(page.evaluate(names)) == 6
        page.get_by_role("button", name="Quarry").click()
        assert page.evaluate(names) == ["Basalt 7", "Basalt 7 mini"]
        page.select_option("#scope", "system:basalt-7")
        assert page.evaluate(VISIBLE_SCOPES) == ["system:basalt-7"]
        name, observed, low = page.evaluate(
            "(() => { const [p, o] = document.querySelector('[data-chart=curve-0]').data;"
            " return [o.name, o.y, p.y.map((y, i) => y - p.error_y.arrayminus[i])]; })()"
        )
    curve = made.marts["characteristic_curve"].query("system == 'basalt-7' and dimension == 'APS'")
    assert name == "Basalt 7"
    assert observed == pytest.approx(curve["observed"].tolist(), abs=1e-5)
    assert low == pytest.approx(curve["q025"].tolist(), abs=1e-5)


def test_recovery_is_drawn_at_the_chosen_temperature(browser: BrowserContext, site: SiteOf) -> None:
    made = site("plain")
    means = made.marts["recovery_dimension"].groupby(["tau", "intercept", "dimension"])["r"].mean()
    drawn = (
        "document.querySelector('[data-chart=recovery]').data.filter(t => t.name).map(t => [...t.x].sort())"
    )
    with opened(browser, made, "evidence") as page:
        for tau in (1.0, 0.5):
            page.select_option("#scope", f"tau:{tau:g}")
            expected = [sorted(means[tau, i]) for i in ("shared", "free", "fixed")]
            for found, wanted in zip(page.evaluate(drawn), expected, strict=True):
                assert found == pytest.approx(wanted, abs=1e-5)


def test_controls_rerank_by_keyboard_and_tell_what_moved(browser: BrowserContext, site: SiteOf) -> None:
    made = site("mixed")
    with opened(browser, made, "policies") as page:
        page.locator("#policy-table tbody tr").first.wait_for()
        assert "neutral policy" in (page.locator("#policy-finding").text_content() or "")
        page.locator("#power").press("ArrowLeft")
        page.locator("#sharpness").press("ArrowRight")
        page.locator("input[value=relative]").check()
        assert page.locator("#power").get_attribute("aria-valuetext") == "p = −1"
        assert "0.60 (Kendall’s τ" in (page.locator("#policy-finding").text_content() or "")
        drawn = page.evaluate(
            "[...document.querySelector('.chart').data].filter(t => t.name).map(t => [t.name, t.x])"
        )
        cells = page.locator("#policy-table tbody tr").evaluate_all(
            "rows => rows.map(r => [...r.children].map(c => c.textContent))"
        )
        page.select_option("#scope", "company:Acme")
        page.get_by_text("withheld").first.wait_for()
        page.get_by_role("button", name="Back to").click()
        assert "neutral policy" in (page.locator("#policy-finding").text_content() or "")
    sweep = made.marts["suitability_sweep"].query(
        "scope == 'all' and weighting == 'relative' and power == -1 and sharpness == 4"
        " and weight_uncertainty == 'dirichlet'"
    )
    names = {"Aurora": "a", "Basalt": "b", "Cedar": "c", "Person 7 (person)": "p"}
    for name, means in drawn:
        own = sweep[sweep["system"] == names[name]]["mean_log"]
        assert sorted(means) == pytest.approx(sorted(own), abs=0.0005)
    assert len(drawn) == 4 and len(cells) == 18
    ai = sweep[sweep["is_ranked"]]
    for activity, first, *_ in cells:
        own = ai[ai["activity"] == activity.removesuffix(" *")].sort_values("mean_log")
        assert names[first] == own["system"].iloc[-1]
    assert all(row[-1].startswith("person: ") for row in cells)


def test_a_missing_file_of_numbers_is_told(browser: BrowserContext, site: SiteOf, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    shutil.copytree(site("mixed").folder, folder)
    (folder / "data/sweep-1.js").unlink()
    page = browser.new_page()
    page.goto((folder / "policies.html").as_uri())
    page.select_option("#scope", "domain:WL")
    page.get_by_text("data/sweep-1.js should be in the folder of this page").wait_for()
    page.close()
    shutil.copytree(site("forty").folder, tmp_path / "forty")
    (tmp_path / "forty/data/system-12.js").unlink()
    page = browser.new_page()
    page.goto((tmp_path / "forty/suitability.html").as_uri())
    page.get_by_text("Show all 40").click()
    page.get_by_text("data/system-12.js should be in the folder of this page").wait_for()
    file = tmp_path / "forty/data/system-13.js"
    file.write_text(file.read_text(encoding="utf-8").replace('"r-0001"', '"r-0002"'), encoding="utf-8")
    page.reload()
    page.fill(
        "#find",
        page.locator("#legend label[data-developer]").nth(13).locator("span").last.text_content() or "",
    )
    page.get_by_role("button", name="Show only matches").click()
    page.get_by_text("This page is older than its data files").wait_for()
    page.close()


def test_the_map_names_the_certain_and_follows_its_switch(browser: BrowserContext, site: SiteOf) -> None:
    made = site("mixed")
    mart = made.marts["deployment_quadrant"].query("policy == 'default' and scope == 'all'")
    read = "(() => { const t = document.querySelector('[data-chart=map]').data[0]; return [t.x, t.text]; })()"
    with opened(browser, made, "suitability") as page:
        for x_type in ("importance", "hours"):
            page.locator(f"input[value={x_type}]").check()
            own = mart[mart["x_type"] == x_type]
            x, labels = page.evaluate(read)
            assert sorted(x) == pytest.approx(sorted(own["x"]), abs=1e-4)
            named = own[own["is_confident"]]["activity"]
            assert sorted(n.removesuffix(" *").replace("<br>", " ") for n in labels if n) == sorted(named)


def test_hostile_names_are_shown_as_they_are(browser: BrowserContext, site: SiteOf) -> None:
    wanted = [name or key for key, (name, _) in HOSTILE.items() if name != "Twin"]
    for page_name in ("suitability", "capabilities"):
        with opened(browser, site("hostile"), page_name) as page:
            legend = page.locator("#legend").text_content() or ""
            assert all(name in legend for name in wanted)
            texts = page.evaluate(
                """() => { const plotly = document.createElement("textarea");
                return document.querySelector("[data-chart]").data.filter(t => t.name)
                    .map(t => { plotly.innerHTML = t.name; return plotly.value; }); }"""
            )
            assert set(wanted) <= set(texts)
            assert (
                page.evaluate("document.querySelectorAll('main script, main img, main b b, main i i').length")
                == 0
            )
            page.evaluate(
                "Plotly.Fx.hover(document.querySelector('[data-chart]'), [{curveNumber: 0, pointNumber: 0}])"
            )
            page.locator(".hoverlayer text").first.wait_for()
            assert page.evaluate("window.hit") is None
    with opened(browser, site("hostile"), "suitability") as page:
        page.select_option("#scope", "company:<i>Acme</i> & 'Co'; --")
        assert "Company: <i>Acme</i> & 'Co'; --" in (page.locator("main").inner_text())


def test_a_saved_picture_carries_heading_key_and_warning(browser: BrowserContext, site: SiteOf) -> None:
    with opened(browser, site("plain"), "suitability", address="#scope=domain%3AHSC") as page:
        page.evaluate(
            "() => { const save = Plotly.downloadImage;"
            " Plotly.downloadImage = (f, o) => { window.saved = f; return save(f, o); } }"
        )
        with page.expect_download() as download:
            page.locator("[data-picture=suitability]").click()
        assert download.value.suggested_filename == "suitability-domain-HSC.png"
        assert download.value.path().read_bytes()[:4] == b"\x89PNG"
        layout = page.evaluate("window.saved.layout")
        assert "SYNTHETIC DATA" in layout["title"]["text"] and "Hospitality" in layout["title"]["text"]
        assert layout["showlegend"] is True
