"""The report without a browser: its numbers are the marts', its words hold back, its folder is swapped whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import duckdb
import pandas as pd
import pytest

from assets.settings import PROJECT, Settings
from dagster_project.report import labels
from dagster_project.report import site as site_module
from dagster_project.report.asset import report
from dagster_project.report.claims import leaders, summary
from dagster_project.report.data import PublishedFileError
from dagster_project.report.labels import DOMAINS, System, number
from dagster_project.report.site import PAGES, render_report
from tests.support.report.page_reader import Reader
from tests.support.report.published_standin import HOSTILE, Site, StandIn, build
from tests.support.steps import MemoryWarehouse

SiteOf = Callable[[str], Site]
WITHOUT_CHARTS = ("index", "domains", "method", "propensity", "adoption", "assistance", "agents", "refresh")


def printed(row: pd.Series) -> str:
    mean, low, high = (f"{row[c]:.2f}".replace("-", "−") for c in ("mean_log", "q025_log", "q975_log"))
    return f"{mean}\n({low} to {high})"


@pytest.mark.parametrize("name", ["plain", "one"])
def test_suitability_tables_hold_every_estimate_of_the_default_policy_and_no_other(
    site: SiteOf, name: str
) -> None:
    made = site(name)
    tables = Reader(made.html("suitability")).scoped("Activity", "Average of all systems")
    name_of = dict(zip(made.marts["ai_system"]["system"], made.marts["ai_system"]["name"], strict=True))
    shown = {}
    for scope, (head, *rows) in tables.items():
        for activity, *cells in rows:
            for heading, cell in zip(head[1:], cells, strict=True):
                shown[scope, activity.removesuffix(" *"), heading] = cell
    expected = {}
    for mart, heading in (("suitability", ""), ("suitability_pooled", "Average of all systems")):
        for _, row in made.marts[mart].query("policy == 'default'").iterrows():
            system = heading or name_of[row["system"]] or row["system"]
            expected[f"{row.scope_type}:{row.scope}", row.activity, system] = printed(row)
    assert {key: cell for key, cell in shown.items() if cell != "–"} == expected


def test_level_table_and_importance_tables_equal_the_marts(site: SiteOf) -> None:
    made = site("plain")
    level = next(t for _, t in Reader(made.html("capabilities")).tables if t[0][0] == "Dimension")
    dimension = dict(zip(made.marts["dimension"]["name"], made.marts["dimension"]["dimension"], strict=True))
    system = {
        n or s: s
        for s, n in zip(made.marts["ai_system"]["system"], made.marts["ai_system"]["name"], strict=True)
    }
    profile = made.marts["capability_profile"].set_index(["system", "dimension"])
    cells = [
        (system[h], dimension[r[0]], c) for r in level[1:] for h, c in zip(level[0][1:], r[1:], strict=True)
    ]
    assert len(cells) == 48
    assert all(cell == printed(profile.loc[(s, d)]) for s, d, cell in cells)

    reader = Reader(made.html("importance"))
    bars = reader.scoped("Activity", "Importance (0 to 5)")
    for _, row in made.marts["activity_importance"].iterrows():
        cell = {r[0].removesuffix(" *"): r for r in bars[f"{row.scope_type}:{row.scope}"]}[row.activity]
        value = "nobody selected it" if row.is_absent else f"{row.importance:.2f}"
        hours = "–" if row.is_absent else f"{row.hours_per_week:.1f}"
        wanted = [value, hours, str(row.n_selected)]
        if row.scope == "all":
            wanted.append("2" if row.activity == "Coding" else "6")
        assert cell[1:] == wanted
    heat = json.loads(reader.json)["charts"]["heat"]
    points = made.marts["capability_importance"]
    for (scope_type, scope), rows in points.groupby(["scope_type", "scope"]):
        drawn = heat["scopes"][f"{scope_type}:{scope}"]["values"]
        for _, row in rows.iterrows():
            column = [c["key"] for c in heat["columns"]].index(row.capability)
            assert drawn[heat["rows"].index(row.activity)][column] == pytest.approx(row.points, rel=1e-5)


def test_an_activity_shown_in_no_field_of_work_has_no_mean_over_them(tmp_path: Path) -> None:
    build(tmp_path / "p.duckdb")
    with duckdb.connect(str(tmp_path / "p.duckdb")) as connection:
        chosen = "where scope = 'all' and activity = 'Coding'"
        connection.execute(f"update marts.activity_importance set importance = null, n_domains = 0 {chosen}")
        connection.execute(
            f"update marts.deployment_priority set priority_log = null, q025_log = null, q975_log = null {chosen}"
            " and policy <> 'paper_c10'"
        )
        connection.execute(
            "update marts.deployment_quadrant set x = null, quadrant = null, probability = null, is_confident = null"
            f" {chosen} and x_type = 'importance'"
        )
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    pages = {p: (tmp_path / f"report/{p}.html").read_text(encoding="utf-8") for p in PAGES}
    bars = Reader(pages["importance"]).scoped("Activity", "Importance (0 to 5)")
    row = bars["all:all"][-1]
    assert row[:2] == ["Coding", "not shown in any domain"] and row[-1] == "0"
    assert float(row[2]) > 0, "hours stand by themselves"
    drawn = json.loads(Reader(pages["importance"]).json)["charts"]["bars"]
    assert drawn["rows"][-1] == "Coding" and drawn["scopes"]["all:all"]["values"][-1] is None
    priority = Reader(pages["suitability"]).scoped("Activity", "Rank")["all:all"][-1]
    assert priority[:4] == ["Coding", "–", "–", "–"]
    assert "Not drawn because their importance is unknown: 1." in pages["suitability"]
    assert (
        "over the domains in which somebody chose the activity and whose value is shown"
        in pages["importance"]
    )


def test_systems_whose_levels_say_little_are_marked_in_words(site: SiteOf) -> None:
    figures = next(
        t for _, t in Reader(site("plain").html("capabilities")).tables if t[0][:2] == ["System", "Developer"]
    )
    marks = {name: found for name, *found in (row[0].split("\n") for row in figures[1:])}
    assert marks.pop("Aurora 2 Large") == ["solves every item: only a lower bound of its levels is known"]
    assert marks.pop("Aurora 2 Small") == [
        "few items, or items of one benchmark only",
        "its levels don’t predict held-out items better than chance",
    ]
    assert set(map(len, marks.values())) == {0}


def test_release_dates_place_the_dated_systems_and_name_the_others(site: SiteOf, tmp_path: Path) -> None:
    made = site("plain")
    html = made.html("capabilities")
    assert "Not drawn, because the release date is unknown:" in html
    charts = json.loads(Reader(html).json)["charts"]
    drawn = [c for name, c in charts.items() if name.startswith("released")]
    assert len(drawn) == 8
    systems = json.loads(Reader(html).json)["systems"]
    dates = made.marts["ai_system"].set_index("name")["released_on"]
    for chart in drawn:
        placed = {systems[s["system"]]["name"]: s["x"] for s in chart["series"]}
        assert placed == {name: [str(day)] for name, day in dates.items() if day is not None}
    build(tmp_path / "p.duckdb", StandIn(has_dates=False))
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    html = (tmp_path / "report/capabilities.html").read_text(encoding="utf-8")
    assert "no system has a release date" in html and "released-0" not in html


def test_downloads_are_the_marts(site: SiteOf) -> None:
    made = site("plain")
    for mart in ("suitability", "capability_profile", "activity_importance"):
        (file,) = (made.folder / "data").glob(f"{mart}.csv*")
        assert file.suffix == (".zip" if len(made.marts[mart]) >= 1_000 else ".csv")
        read = pd.read_csv(file, float_precision="round_trip")
        same = made.marts[mart].sort_values(list(made.marts[mart].columns)).reset_index(drop=True)
        pd.testing.assert_frame_equal(read, same[read.columns], check_dtype=False, check_exact=True)


def test_thin_cells_are_marked(site: SiteOf) -> None:
    made = site("forty")
    thin = made.marts["suitability"].query("is_thin and policy == 'default'")
    assert len(thin)
    tables = Reader(made.html("suitability")).scoped("Activity", "Average of all systems")
    marked = {(s, r[0].removesuffix(" *")) for s, t in tables.items() for r in t if r[0].endswith(" *")}
    assert marked == {(f"{r.scope_type}:{r.scope}", r.activity) for r in thin.itertuples()}


def test_a_skipped_slice_gives_its_reason_instead_of_a_chart(site: SiteOf) -> None:
    made = site("skipped")
    for page, slice_, reason in (
        ("suitability", "suitability", "needs slice work"),
        ("importance", "work", "no folder &lt;survey&gt; in the sources"),
        ("capabilities", "capability", "no results"),
        ("index", "suitability", "needs slice work"),
    ):
        html = made.html(page)
        assert f"Skipped in this refresh: slice “{slice_}”: {reason}" in html
        assert "data-chart" not in html and "plotly" not in html
    assert "of 17 capabilities" in made.html("index"), "what was not skipped is still told"


def test_an_empty_mart_of_a_slice_that_was_not_skipped_is_called_out(tmp_path: Path) -> None:
    build(tmp_path / "p.duckdb")
    with duckdb.connect(str(tmp_path / "p.duckdb")) as connection:
        connection.execute("delete from marts.suitability")
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    assert "table suitability is empty although slice “suitability” is “filled”" in (
        tmp_path / "report/suitability.html"
    ).read_text(encoding="utf-8")


def test_withheld_absent_and_unknown_cells_look_different(tmp_path: Path) -> None:
    build(tmp_path / "p.duckdb")
    with duckdb.connect(str(tmp_path / "p.duckdb")) as connection:
        for mart in ("suitability", "suitability_pooled"):
            connection.execute(
                f"update marts.{mart} set is_suppressed = true, mean_log = null, q025_log = null, q975_log = null"
                " where activity = 'Admin' and scope = 'HSC'"
            )
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    reader = Reader((tmp_path / "report/suitability.html").read_text(encoding="utf-8"))
    table = {
        r[0].removesuffix(" *"): r[1:]
        for r in reader.scoped("Activity", "Average of all systems")["domain:HSC"]
    }
    assert set(table["Admin"]) == {"withheld"}
    assert set(table["Coding"]) == {"–"}
    first = [t for s, t in reader.tables if s == "domain:HSC" and t[0][1].startswith("Highest")]
    assert len(first) == 1 and {r[0].removesuffix(" *") for r in first[0][1:]}.isdisjoint({"Admin", "Coding"})


@pytest.mark.parametrize(
    ("is_synthetic", "banner"), [(True, "Synthetic data."), (False, ""), (None, "Origin unknown.")]
)
def test_every_page_says_whether_its_data_are_synthetic(
    tmp_path: Path, is_synthetic: bool | None, banner: str
) -> None:
    build(tmp_path / "p.duckdb", StandIn(is_synthetic=is_synthetic))
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    for page in PAGES:
        html = (tmp_path / f"report/{page}.html").read_text(encoding="utf-8")
        assert ('class="banner"' in html) == bool(banner)
        assert banner in html


def test_hostile_names_stay_text(site: SiteOf) -> None:
    made = site("hostile")
    for page in PAGES:
        html = made.html(page)
        reader = Reader(html)
        more = page in ("suitability", "policies")
        assert reader.n_scripts == (0 if page in WITHOUT_CHARTS else 4 + more)
        assert "<img src=x" not in html and "<b>sons" not in html and "<i>Acme" not in html
        if reader.json and page != "evidence":
            names = {s["name"] for s in json.loads(reader.json)["systems"]}
            wanted = {name or key for key, (name, _) in HOSTILE.items() if name != "Twin"}
            assert names == wanted | {"Twin [twin-a]", "Twin [twin-b]"}


def test_systems_stand_in_one_order_on_all_pages_highest_mean_suitability_first(site: SiteOf) -> None:
    made = site("forty")
    everywhere = made.marts["suitability"].query("scope_type == 'all' and policy == 'default'")
    order = everywhere.groupby("system")["mean_log"].mean().sort_values(ascending=False).index
    name_of = dict(zip(made.marts["ai_system"]["system"], made.marts["ai_system"]["name"], strict=True))
    for page in ("capabilities", "suitability"):
        embedded = json.loads(Reader(made.html(page)).json)["systems"]
        assert [s["name"] for s in embedded] == [name_of[key] for key in order]
        styles = {(s["style"]["colour"], s["style"]["symbol"]) for s in embedded}
        assert len(styles) == 40, "no two systems look alike"


def test_all_links_lead_somewhere_inside(site: SiteOf) -> None:
    for name in ("plain", "skipped"):
        folder = site(name).folder
        for page in PAGES:
            for link in Reader(site(name).html(page)).links:
                assert not re.match(r"(?i)https?:|//|javascript:", link)
                if not link.startswith(("#", "data:")):
                    assert (folder / link).is_file(), f"{page}: {link}"


def test_parquet_files_beside_are_linked(tmp_path: Path) -> None:
    build(tmp_path / "suitability.duckdb")
    (tmp_path / "policy.parquet").touch()
    render_report(tmp_path / "suitability.duckdb", tmp_path / "report")
    links = Reader((tmp_path / "report/method.html").read_text(encoding="utf-8")).links
    assert {"../policy.parquet", "../suitability.duckdb"} <= set(links)


def test_domain_names_are_those_of_the_seed() -> None:
    seed = pd.read_csv(PROJECT / "dbt/seeds/seed_domain.csv")
    assert list(DOMAINS.items()) == list(zip(seed["domain"], seed["name"], strict=True))


# --- words ---


def estimates(*rows: tuple[str, float, float, float, float]) -> tuple[pd.DataFrame, list[System]]:
    columns = ["system", "mean_log", "q025_log", "q975_log", "is_best_probability"]
    frame = pd.DataFrame(rows, columns=columns).assign(activity="Coding", is_thin=False)
    return frame, [System(i, r[0], r[0].upper(), "") for i, r in enumerate(rows)]


NONE = float("nan")
CLEAR = [("a", 3.0, 2.8, 3.2, 0.95), ("b", 2.9, 2.7, 3.1, 0.05)]
OPEN = [("a", 3.0, 2.8, 3.2, 0.949), ("b", 2.0, 1.8, 2.2, 0.02), ("c", 1.9, 1.0, 2.9, 0.031)]


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        # the intervals overlap, the draws leave no doubt; and the other way round
        (CLEAR, "Settled."),
        (OPEN, "Not settled: the chance that C is highest is 3 %."),
        (
            [("a", 3.0, 2, 4, 0.45), ("b", 2.9, 2, 4, 0.55)],
            "Not settled: the chance that B is highest is 55 %.",
        ),
        ([("a", 3.0, 2, 4, NONE), ("b", 2.9, 2, 4, NONE)], "Unknown: no chance was computed."),
        ([("a", 3.0, 2.8, 3.2, 1.0)], "nothing to compare it with"),
        ([("a", 3.0, 2.8, 3.2, 1.0), ("b", 9.0, NONE, NONE, NONE)], "nothing to compare it with"),
    ],
)
def test_the_verdict_follows_from_the_chance_of_being_highest(
    rows: list[tuple[str, float, float, float, float]], verdict: str
) -> None:
    frame, systems = estimates(*rows)
    (leader,) = leaders(frame, ["Coding", "Admin"], systems)
    assert leader.first.system.name == "A"
    assert verdict in leader.verdict


def test_the_summary_counts_settled_activities() -> None:
    near, systems = estimates(*OPEN)
    far, _ = estimates(*CLEAR)
    found = leaders(pd.concat([near, far.assign(activity="Admin")]), ["Coding", "Admin"], systems)
    assert summary(found) == (
        "It is settled for 1 of 2 activities which system is highest, and not for the other 1."
    )
    assert summary(found[1:]) == "Admin: it is settled which system is highest."
    assert summary(found[:1]) == "Coding: it is not settled which system is highest."
    assert summary(found[1:] * 2).startswith("It is settled for all 2 activities")
    assert summary(found[:1] * 2).startswith("It is not settled for any of the 2 activities")
    assert "No AI system has a suitability estimate" in summary([])


@pytest.mark.parametrize("page", ["index", "suitability"])
def test_no_page_contradicts_the_chance_that_it_shows(site: SiteOf, page: str) -> None:
    html = site("mixed").html(page)
    firsts = [t for _, t in Reader(html).tables if t[0][1].startswith("Highest")]
    shown = {(int(row[2].removesuffix(" %")), row[4].split(".")[0]) for t in firsts for row in t[1:]}
    assert {verdict for _, verdict in shown} > {"Settled"}, "both verdicts are met"
    # 95 % may be rounded up
    assert all((verdict == "Settled") == (share > 95) for share, verdict in shown if share != 95)
    assert "the chance that the system is highest is at least 95" in html and "settle the order" not in html


def test_no_page_calls_a_system_best(site: SiteOf) -> None:
    for page in PAGES:
        assert not re.search(r"\bbest\b", site("plain").html(page), re.IGNORECASE)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0.00"),
        (-1.234, "−1.23"),
        (None, "–"),
        (float("nan"), "–"),
        (pd.NA, "–"),
        (12345, "12,345.00"),
        (-0.004, "0.00"),
    ],
)
def test_null_is_a_dash_and_zero_is_zero(value: object, shown: str) -> None:
    assert number(value) == shown


# --- the folder ---


def contents(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def test_same_file_same_bytes_and_nothing_left_beside(tmp_path: Path) -> None:
    build(tmp_path / "p.duckdb")
    files = render_report(tmp_path / "p.duckdb", tmp_path / "report")
    first = contents(tmp_path / "report")
    assert sorted(p.relative_to(tmp_path / "report").as_posix() for p in files) == sorted(first)
    (tmp_path / "report/stale.html").touch()
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    assert contents(tmp_path / "report") == first
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.duckdb", "report"]


def test_missing_marts_are_all_named_and_the_old_report_stays(tmp_path: Path) -> None:
    build(tmp_path / "p.duckdb")
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    before = contents(tmp_path / "report")
    with duckdb.connect(str(tmp_path / "p.duckdb")) as connection:
        connection.execute("drop table marts.policy")
        connection.execute("alter table marts.suitability drop column q975_log")
    with pytest.raises(PublishedFileError, match=r"marts\.policy, marts\.suitability\.q975_log"):
        render_report(tmp_path / "p.duckdb", tmp_path / "report")
    with pytest.raises(FileNotFoundError, match="run `suitability refresh` first"):
        render_report(tmp_path / "none.duckdb", tmp_path / "report")
    assert contents(tmp_path / "report") == before


@pytest.mark.parametrize("crash_at", ["write", "first rename", "second rename"])
def test_a_crash_leaves_the_old_report_or_the_next_run_repairs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crash_at: str
) -> None:
    build(tmp_path / "p.duckdb")
    report_folder = tmp_path / "report"
    render_report(tmp_path / "p.duckdb", report_folder)
    before, rename = contents(report_folder), Path.rename

    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    def crash_on(path: Path, target: Path) -> Path:
        if path.name == {"first rename": "report", "second rename": ".report.new"}[crash_at]:
            raise KeyboardInterrupt
        return rename(path, target)

    with monkeypatch.context() as patched:
        if crash_at == "write":
            patched.setattr("shutil.copyfile", crash)
        else:
            patched.setattr(Path, "rename", crash_on)
        with pytest.raises(KeyboardInterrupt):
            render_report(tmp_path / "p.duckdb", report_folder)
    if crash_at != "second rename":
        assert contents(report_folder) == before
    with monkeypatch.context() as patched:  # the repair comes before anything that may fail
        patched.setattr(site_module, "_write", crash)
        with pytest.raises(KeyboardInterrupt):
            render_report(tmp_path / "p.duckdb", report_folder)
    assert contents(report_folder) == before
    render_report(tmp_path / "p.duckdb", report_folder)
    assert contents(report_folder) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.duckdb", "report"]


def test_the_asset_renders_from_the_published_file_alone(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    build(settings.published_path)
    result = dg.materialize([report], resources={"settings": settings, "warehouse": MemoryWarehouse()})
    assert result.success
    assert report.key == dg.AssetKey(["published", "report"])
    assert (settings.published / "report/index.html").is_file()
    assert not settings.warehouse_path.exists()


def test_colours_and_symbols_have_no_common_period() -> None:
    assert len({(i % len(labels.COLOURS), i % labels.N_SYMBOLS) for i in range(42)}) == 42
