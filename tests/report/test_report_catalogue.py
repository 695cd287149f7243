"""Catalogues of many systems: pages hold the leading ones, a file a system the others; nothing is lost or doubled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from dagster_project.report.labels import LEADING
from dagster_project.report.queries import DRAWN, NEAR
from dagster_project.report.site import PAGES, render_report
from tests.support.report.page_reader import Reader, unpacked
from tests.support.report.published_standin import Site, build, many

SiteOf = Callable[[str], Site]


def embedded(made: Site, page: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Reader(made.html(page)).json)
    return found


def parts(made: Site, page: str) -> dict[int, dict[str, Any]]:
    """Index of system -> what its file holds for `page`."""
    files = (made.folder / "data").glob("system-*.js")
    return {index: own[page] for index, own in map(unpacked, files) if page in own}


def keys(made: Site) -> list[str]:
    """Systems in the order of the pages."""
    info = made.marts["ai_system"]
    key_of = dict(zip(info["name"], info["system"], strict=True))
    return [key_of[s["name"]] for s in embedded(made, "suitability")["systems"]]


def test_every_estimate_stands_in_the_page_or_in_the_file_of_its_system(site: SiteOf) -> None:
    made = site("forty")
    order, page = keys(made), embedded(made, "suitability")
    drawn = page["charts"]["suitability"]
    others = parts(made, "suitability")
    assert set(others) == set(range(LEADING, 40))
    found: dict[tuple[Any, ...], Any] = {}
    for scope, picture in drawn["scopes"].items():
        assert len(picture["values"]) == LEADING
        values = dict(enumerate(picture["values"])) | {
            i: part["charts"]["suitability"]["scopes"][scope]["values"][str(i)] for i, part in others.items()
        }
        for i, own in values.items():
            for activity, estimate in zip(picture["rows"], own, strict=True):
                if estimate:
                    found[scope, activity, order[i]] = estimate
    mart = made.marts["suitability"].query("policy == 'default'")
    wanted: dict[tuple[Any, ...], Any] = {
        (f"{r.scope_type}:{r.scope}", r.activity, r.system): [r.mean_log, r.q025_log, r.q975_log]
        for r in mart.itertuples()
    }
    assert set(found) == set(wanted)
    assert all(found[cell] == pytest.approx(wanted[cell], rel=1e-5) for cell in wanted)
    tables = Reader(made.html("suitability")).scoped("Activity", "Average of all systems")
    names = [s["name"] for s in page["systems"]]
    assert all(table[0][2:] == names[:LEADING] for table in tables.values())


def test_rows_by_system_are_those_of_the_marts_once_each(site: SiteOf) -> None:
    made = site("forty")
    names = [s["name"] for s in embedded(made, "checks")["systems"]]
    name_of = dict(zip(made.marts["ai_system"]["system"], made.marts["ai_system"]["name"], strict=True))
    tables = [t for _, t in Reader(made.html("checks")).tables]
    (quality,) = [t for t in tables if t[0][:2] == ["System", "Benchmark"]]
    others = parts(made, "checks")
    assert {row[0] for row in quality[1:]} == set(names[:LEADING])
    for i, part in others.items():
        assert {row[0] for row in part["rows"]["quality"]} == {names[i]}
    rows = quality[1:] + [row for part in others.values() for row in part["rows"]["quality"]]
    mart = made.marts["item_prediction_quality"]
    wanted = sorted(
        (name_of[r.system], "All benchmarks" if r.benchmark == "all" else r.benchmark, f"{r.n_items:,}")
        for r in mart.itertuples()
    )
    assert sorted(tuple(row[:3]) for row in rows) == wanted
    curve = others[LEADING]["choice"]
    own = made.marts["characteristic_curve"].query("system == @keys(@made)[@LEADING]")
    assert curve["label"] == names[LEADING] and len(curve["rows"]) == len(own)
    influence = parts(made, "capabilities")[39]["block"]
    assert influence["title"] == names[39] and len(influence["rows"]) == 20


def test_the_systems_swept_are_those_that_most_settings_put_near_the_first(site: SiteOf) -> None:
    made = site("forty")
    sweep = made.marts["suitability_sweep"].query("weight_uncertainty == 'none' and is_ranked")
    cell = ["scope_type", "scope", "weighting", "power", "sharpness", "activity"]
    near: dict[str, int] = dict.fromkeys(sweep["system"], 0)
    firsts = {}
    for key, own in sweep.groupby(cell):
        order = own.sort_values("mean_s_log", ascending=False)["system"].tolist()
        firsts[key] = order[0]
        for system in order[:NEAR]:
            near[system] += 1
    highest = sweep.groupby("system")["mean_s_log"].max()
    wanted = sorted(near, key=lambda s: (-near[s], -highest[s], s))[:DRAWN]
    order = keys(made)
    scripts = dict(unpacked(file) for file in (made.folder / "data").glob("sweep-*.js"))
    for (kind, scope, weighting, power, sharpness, activity), first in firsts.items():
        numbers = scripts[f"{kind}:{scope}"]
        got = numbers["settings"][f"{weighting}|{power:g}|{sharpness:g}"]
        assert {order[int(i)] for i in got["values"]} == set(wanted)
        assert order[got["first"][numbers["rows"].index(activity)]] == first
    assert "the 12 systems that are most often among the first 3" in made.html("policies")


def test_six_hundred_systems_stay_readable_and_light(site: SiteOf) -> None:
    made = site("catalogue")
    pages = {page: len(made.html(page).encode()) for page in PAGES}
    assert max(pages.values()) < 1_500_000, pages
    assert len(list((made.folder / "data").glob("system-*.js"))) == 600 - LEADING
    for page in ("capabilities", "checks", "suitability"):
        html = made.html(page)
        assert 'id="find"' in html and html.count("data-system=") >= 600
        assert "NaN" not in Reader(html).json
        assert max(len(row) for _, table in Reader(html).tables for row in table) <= LEADING + 2
    assert "Numbers in the database (table suitability)" in made.html("suitability")
    assert not list((made.folder / "data").glob("suitability.csv*"))


def test_a_large_mart_is_handed_out_as_the_parquet_file_beside(tmp_path: Path) -> None:
    build(tmp_path / "suitability.duckdb", many(14, 2))
    for mart in ("suitability_sweep", "capability_profile"):
        (tmp_path / f"{mart}.parquet").touch()
    render_report(tmp_path / "suitability.duckdb", tmp_path / "report")
    links = Reader((tmp_path / "report/policies.html").read_text(encoding="utf-8")).links
    assert "../suitability_sweep.parquet" in links
    levels = Reader((tmp_path / "report/capabilities.html").read_text(encoding="utf-8")).links
    assert "data/capability_profile.csv" in levels and "../capability_profile.parquet" not in levels


def test_parts_are_the_same_bytes_again(tmp_path: Path) -> None:
    build(tmp_path / "p.duckdb", many(LEADING + 2, 1))
    found = []
    for folder in ("one", "two"):
        files = render_report(tmp_path / "p.duckdb", tmp_path / folder)
        found.append({f.relative_to(tmp_path / folder).as_posix(): f.read_bytes() for f in files})
    assert found[0] == found[1]
    assert {"data/system-12.js", "data/system-13.js", "assets/plotly.js"} <= set(found[0])
    assert sum(map(len, found[0].values())) < 6_000_000


STEPS = [
    ("raw/result", True, "results/o9.csv is new", 4.25, 1200),
    ("staging/stg_result", True, "it reads raw/result, which was rebuilt", 1.0, 1200),
    ("raw/rating", False, "nothing that it reads changed", 0.0, 19576),
    ("marts/policy", True, "it reads raw/result, which was rebuilt", 9.5, None),
]


def with_steps(folder: Path, steps: list[tuple[Any, ...]]) -> str:
    """The page on the refresh of a published file with these steps."""
    build(folder / "p.duckdb", many(1, 1))
    frame = pd.DataFrame(steps, columns=["asset", "is_made", "reason", "seconds", "n_rows"])
    with duckdb.connect(str(folder / "p.duckdb")) as connection:
        connection.register("given", frame.astype({"is_made": "boolean", "n_rows": "Int64"}))
        connection.execute("create table marts.refresh_step as select * from given")
    render_report(folder / "p.duckdb", folder / "report")
    return (folder / "report/refresh.html").read_text(encoding="utf-8")


def test_the_refresh_tells_what_it_rebuilt_and_why(tmp_path: Path) -> None:
    html = with_steps(tmp_path, STEPS)
    assert "Rebuilt: 3 of 4 steps. Kept as they were: 1." in html
    reasons, slowest, steps = (t for _, t in Reader(html).tables)
    assert reasons[1:] == [["it reads raw/result, which was rebuilt", "2"], ["results/o9.csv is new", "1"]]
    assert [row[0] for row in slowest[1:]] == ["marts/policy", "raw/result", "staging/stg_result"]
    assert "All rebuilt steps together: 14.8 seconds." in html
    assert steps[1:] == [
        ["marts/policy", "rebuilt", "it reads raw/result, which was rebuilt", "9.5", "–"],
        ["raw/rating", "kept", "nothing that it reads changed", "0.0", "19,576"],
        ["raw/result", "rebuilt", "results/o9.csv is new", "4.2", "1,200"],
        ["staging/stg_result", "rebuilt", "it reads raw/result, which was rebuilt", "1.0", "1,200"],
    ]


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([s for s in STEPS if not s[1]], "Rebuilt: none of 1 steps. Nothing that they read has changed."),
        ([s for s in STEPS if s[1]], "Rebuilt: all 3 steps."),
        ([], "Nothing to show: table refresh_step is empty."),
    ],
)
def test_a_refresh_of_all_or_nothing_is_told(tmp_path: Path, steps: list[tuple[Any, ...]], said: str) -> None:
    assert said in with_steps(tmp_path, steps)


def test_a_published_file_without_steps_has_a_page_that_says_so(site: SiteOf) -> None:
    assert "table refresh_step is not in the published file" in site("plain").html("refresh")
