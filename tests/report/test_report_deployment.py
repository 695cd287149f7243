"""Priorities, policies, fields of work, samples: the pages' numbers are the marts', and people stand apart."""

from __future__ import annotations

import html as html_module
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from dagster_project.report.labels import chance
from dagster_project.report.pages.agreement import _sample
from dagster_project.report.site import PAGES, render_report
from tests.support.report.deployment_standin import POWERS, SHARPNESS, X_SETTING
from tests.support.report.page_reader import Reader, unpacked
from tests.support.report.published_standin import StandIn, build

SiteOf = Callable[[str], Any]


def words(html: str) -> str:
    """What a page says, without markup."""
    return html_module.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html)))


def printed(v: float, digits: int = 2) -> str:
    return f"{v:.{digits}f}".replace("-", "−")


def plain(cell: str) -> str:
    return cell.removesuffix(" *")


def swept(folder: Path) -> dict[str, Any]:
    """Scope -> what its script hands to the page."""
    return dict(unpacked(file) for file in (folder / "data").glob("sweep-*.js"))


@pytest.mark.parametrize("name", ["plain", "mixed"])
def test_swept_estimates_and_orders_are_the_marts(site: SiteOf, name: str) -> None:
    made = site(name)
    embedded = json.loads(Reader(made.html("policies")).json)
    info = made.marts["ai_system"]
    names = {
        s: (n or s) + (" (person)" if k == "human" else "")
        for s, n, k in zip(info["system"], info["name"], info["kind"], strict=True)
    }
    place = {s["name"]: i for i, s in enumerate(embedded["systems"])}
    sweep, taus = made.marts["suitability_sweep"], made.marts["policy_sensitivity"]
    scripts = swept(made.folder)
    assert set(scripts) == set(embedded["charts"]["policy"]["files"])
    n_settings = 0
    for (kind, scope), here in sweep.groupby(["scope_type", "scope"]):
        numbers = scripts[f"{kind}:{scope}"]
        assert len(numbers["settings"]) == 2 * len(POWERS) * len(SHARPNESS)
        for (weighting, power, sharpness), own in here.groupby(["weighting", "power", "sharpness"]):
            got = numbers["settings"][f"{weighting}|{power:g}|{sharpness:g}"]
            n_settings += 1
            sampled = own[own["weight_uncertainty"] == "dirichlet"].to_dict("records")
            for r in sampled:
                cell = got["values"][str(place[names[r["system"]]])][numbers["rows"].index(r["activity"])]
                wanted = [r["mean_log"], r["q025_log"], r["q975_log"]]
                assert cell is None if r["is_suppressed"] else cell[:3] == [round(1000 * v) for v in wanted]
            certain = own[own["weight_uncertainty"] == "none"]
            for activity, rows in certain.groupby("activity"):
                ranked = rows[rows["is_ranked"]].dropna(subset=["mean_s_log"]).sort_values("mean_s_log")
                wanted_order = [place[names[s]] for s in ranked["system"][::-1]]
                at = numbers["rows"].index(activity)
                assert got["n_ranked"][at] == len(wanted_order)
                assert got["first"][at] == (wanted_order[0] if wanted_order else None)
                places = {int(s): own[at][3] for s, own in got["values"].items() if own[at]}
                assert {s: n for s, n in places.items() if n is not None} == {
                    s: n for n, s in enumerate(wanted_order, 1)
                }
            tau = taus[(taus["scope_type"] == kind) & (taus["scope"] == scope)].query(
                "weighting == @weighting and power == @power and sharpness == @sharpness"
            )
            assert got["tau"] == pytest.approx(tau["kendall_tau"].item())
    assert n_settings >= 36


@pytest.mark.parametrize("name", ["plain", "mixed"])
def test_the_map_draws_what_has_a_place_and_counts_the_rest(site: SiteOf, name: str) -> None:
    made = site(name)
    page = made.html("suitability")
    pictures = json.loads(Reader(page).json)["charts"]["map"]["scopes"]
    mart = made.marts["deployment_quadrant"].query("policy == 'default'")
    for (kind, scope, x_type), own in mart.groupby(["scope_type", "scope", "x_type"]):
        picture, placed = pictures[f"{kind}:{scope}"][x_type], own.dropna(subset=["x", "suitability_log"])
        by_name = placed.set_index("activity")
        assert sorted(picture["names"]) == sorted(by_name.index)
        for i, activity in enumerate(picture["names"]):
            r = by_name.loc[activity]
            got = [picture[c][i] for c in ("x", "y", "quadrants", "chances", "confident", "thin")]
            columns = ["x", "suitability_log", "quadrant", "probability", "is_confident", "is_thin"]
            assert got[:2] == pytest.approx(r[columns[:2]].tolist(), rel=1e-5)
            assert got[3] == pytest.approx(r["probability"], rel=1e-5)
            assert [got[2], *got[4:]] == r[["quadrant", "is_confident", "is_thin"]].tolist()
        if len(placed) and kind != "company":  # there the stand-in withholds after placing
            x_border = X_SETTING.get(x_type, placed["x"].median())
            assert picture["borders"] == pytest.approx(
                [x_border, placed["suitability_log"].median()], rel=1e-5
            )
    if name == "mixed":
        assert "Withheld because they are based on too few respondents: 1." in words(page)
        assert pictures["role:Acme: Clerk"]["importance"]["names"] == []
        assert "Interviews ask which capabilities work needs" in page


def test_the_priority_table_is_the_mart_in_its_order(site: SiteOf) -> None:
    made = site("mixed")
    tables = Reader(made.html("suitability")).scoped("Activity", "Rank")
    mart = made.marts["deployment_priority"].query("policy == 'default'")
    for kind, scope in (("all", "all"), ("domain", "WL"), ("company", "Acme")):
        own = mart[(mart["scope_type"] == kind) & (mart["scope"] == scope)]
        ranked = own.dropna(subset=["priority_log"]).sort_values("priority_log", ascending=False)
        rows = tables[f"{kind}:{scope}"][1:]
        assert [plain(r[0]) for r in rows][: len(ranked)] == ranked["activity"].tolist()
        assert [r[1] for r in rows[: len(ranked)]] == [str(i + 1) for i in range(len(ranked))]
        assert [r[2].split("\n")[0] for r in rows[: len(ranked)]] == [
            printed(v) for v in ranked["priority_log"]
        ]
        assert [r[2] for r in rows[len(ranked) :]] == (["withheld"] if kind == "company" else [])


def test_fields_of_work_stand_under_both_readings(site: SiteOf) -> None:
    made = site("plain")
    html = made.html("domains")
    tables = [t for _, t in Reader(html).tables]
    readings = [("suitability_pooled", "mean_log", p) for p in ("default", "paper_c9")]
    readings += [("deployment_priority", "priority_log", p) for p in ("default", "paper_c10")]
    places = {}
    for (mart, column, policy), (head, *rows) in zip(readings, tables, strict=True):
        assert head == ["Activity", "Rank", "WL", "MMR", "NDP", "AOP", "CMH", "HSC", "All"]
        own = made.marts[mart].query("policy == @policy")
        cells = {(r["activity"], r["scope"]): r for r in own.to_dict("records")}
        order = own[own["scope"] == "all"].sort_values(column, ascending=False)["activity"].tolist()
        assert [r[0] for r in rows] == order
        for activity, place, *shown in rows:
            places[mart, policy, activity] = place
            for scope, cell in zip([*head[2:-1], "all"], shown, strict=True):
                r = cells.get((activity, scope))
                wanted = "–" if r is None else printed(r[column]) + "*" * r["is_thin"]
                if r is not None:
                    wanted += f"{printed(r['q025_log'])} to {printed(r['q975_log'])}"
                assert cell == wanted
    said = words(html)
    for activity in ("Admin", "Analysing data"):
        here, there = (places["deployment_priority", p, activity] for p in ("default", "paper_c10"))
        assert f"{activity} has rank {here} against {there}" in said
    assert 'id="intervals" autocomplete="off" checked' in html, "intervals are shown at first"
    for page in ("domains", "suitability"):
        assert "where the intervals of neighbours overlap widely, their order is uncertain" in words(
            made.html(page)
        )
    assert "Admin is 10th and Analysing data 9th in priority under equation 7 as written" in said


def test_samples_that_contradict_each_other_are_said_to(site: SiteOf) -> None:
    made = site("plain")
    opposed = made.marts["importance_reliability"].assign(pearson=-0.09, disattenuated=-0.094)
    for row in opposed.dropna(subset=["noise_ceiling"]).to_dict("records"):
        said = " ".join(_sample(row)[1])
        assert "at most about 0.96: the observed correlation is negative, lower than" in said
        assert "% of that" not in said


def test_samples_and_domains_are_compared_in_words_and_tables(site: SiteOf) -> None:
    made = site("plain")
    html = made.html("importance")
    said, reader = words(html), Reader(html)
    assert (
        "Over 16 capabilities, the mean correlation of the two samples’ points is 0.93 (95 % interval 0.91 to"
        in said
    )
    assert "the samples can correlate at most about 0.96: the observed correlation is 96 % of that" in said
    assert "Some figures can’t be estimated: fewer than two respondents." in said
    agreement = made.marts["importance_agreement"]
    for unit_type, heading in (("capability", "Capability"), ("activity", "Activity")):
        (table,) = [t for _, t in reader.tables if t[0][:2] == [heading, "Correlation"]]
        own = agreement[agreement["unit_type"] == unit_type]
        assert len(table) == len(own) + 1
        wanted = sorted("–" if pd.isna(v) else printed(v) for v in own["pearson"])
        assert sorted(r[1] for r in table[1:]) == wanted
    (matrix,) = [t for _, t in reader.tables if t[0][:2] == ["Domain", "WL"]]
    pairs = made.marts["domain_importance_agreement"]
    assert sorted(c for r in matrix[1:] for c in r[1:] if c) == sorted(
        2 * [printed(v) for v in pairs["pearson"]]
    )
    (departures,) = [t for _, t in reader.tables if t[0][1].startswith("Needs more")]
    own = made.marts["domain_departure"].query("domain == 'WL'")
    top = sorted(own["departure"], reverse=True)[:3]
    assert [line.rsplit(" ", 1)[1] for line in departures[1][1].split("\n")] == [f"+{v:.1f}" for v in top]


def test_the_comparison_with_published_figures_counts_and_lists(site: SiteOf) -> None:
    html = site("plain").html("method")
    tables = [t for _, t in Reader(html).tables]
    papers = next(t for t in tables if t[0][0] == "Paper")
    assert papers == [
        ["Paper", "Match", "Close", "Off", "Not public", "All"],
        ["CentaurBench: Benchmarking LLM Capabilities on Augmenting vs. Automating Real-World Work Tasks"]
        + ["0", "0", "0", "1", "1"],
        ["p", "1", "1", "1", "1", "4"],
    ]
    assert ["Table A2", "p", "1", "1", "1", "0", "3"] in next(
        t for t in tables if t[0][:2] == ["Table", "Paper"]
    )
    off, close = (t for t in tables if t[0][:2] == ["Table", "Row"])
    assert off[1:] == [["Table A2", "SM", "kappa", "0.500", "0.620", "0.005", "a <b>note</b>"]]
    assert [row[1] for row in close[1:]] == ["MS"]
    assert "1 figure off" in html and "1 figure close" in html and "<b>note" not in html
    assert "5 figures that 2 papers print" in html and "3 of them could be computed" in html
    said = words(site("plain").html("index"))
    assert (
        "Of the figures printed in the papers, 1 agree to the printed digit, 1 are close, 1 differ, "
        "2 rest on data that are not public." in said
    )
    assert "With data other than the papers’ own" in said and "not_in_release" not in said


def test_people_stand_beside_systems_and_are_never_ranked(site: SiteOf) -> None:
    made = site("mixed")
    html = made.html("suitability")
    reader = Reader(html)
    person = json.loads(reader.json)["systems"][3]
    assert person["name"] == "Person 7 (person)" and person["style"]["symbol"] == 7
    for page in ("index", "suitability"):
        leaders = [t for _, t in Reader(made.html(page)).tables if t[0][1].startswith("Highest")]
        assert leaders and "Person" not in str(leaders)
    assert "Average of all 3 systems" in html and "They are not AI systems" in html
    assert "3 AI systems" in words(made.html("index")) and "1 person" in words(made.html("index"))
    chances = made.marts["suitability"].query("policy == 'default' and scope == 'all'")
    (table,) = [t for s, t in reader.tables if s == "all:all" and t[0][1].startswith("Highest")]
    for row in table[1:]:
        own = chances[chances["activity"] == plain(row[0])].sort_values("mean_log")
        first = own[own["system"] != "p"].iloc[-1]
        assert row[2] == f"{100 * first['is_best_probability']:.0f} %"


def test_roles_and_duties_have_rows_of_their_own(site: SiteOf) -> None:
    made = site("mixed")
    dots = Reader(made.html("suitability")).scoped("Activity", "Average of all systems")
    assert [r[0] for r in dots["role:Acme: Clerk"][1:]] == ["Role as a whole"]
    assert [plain(r[0]) for r in dots["duty:Acme: Clerk"][1:]] == [
        "Answering <i>calls</i>",
        "Opening the post",
    ]
    assert len(dots["all:all"]) == 19 and "Role as a whole" not in str(dots["all:all"])
    bars = Reader(made.html("importance")).scoped("Activity", "Importance (0 to 5)")
    assert {r[1] for r in bars["duty:Acme: Clerk"][1:]} == {"not asked"}
    assert {plain(r[0]): r[1] for r in bars["company:Acme"][1:]}["Admin"] == "withheld"
    assert swept(made.folder)["duty:Acme: Clerk"]["rows"] == ["Answering <i>calls</i>", "Opening the post"]


def test_marts_that_are_absent_or_empty_are_told(tmp_path: Path) -> None:
    build(tmp_path / "p.duckdb", StandIn(scopes=[("all", "all"), ("domain", "WL")]))
    with duckdb.connect(str(tmp_path / "p.duckdb")) as connection:
        for mart in (
            "deployment_quadrant",
            "suitability_sweep",
            "importance_agreement",
            "importance_reliability",
        ):
            connection.execute(f"drop table marts.{mart}")
        for mart in ("deployment_priority", "domain_departure", "domain_importance_agreement"):
            connection.execute(f"delete from marts.{mart}")
        connection.execute("delete from marts.suitability_pooled where policy = 'paper_c9'")
        connection.execute("delete from marts.published_comparison")
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    pages = {p: (tmp_path / f"report/{p}.html").read_text(encoding="utf-8") for p in PAGES}
    assert "table deployment_quadrant is not in the published file" in pages["suitability"]
    assert "table deployment_priority is empty" in pages["suitability"]
    assert "table suitability_sweep is not in the published file" in pages["policies"]
    assert "table importance_agreement is not in the published file" in pages["importance"]
    assert "table domain_departure is empty" in pages["importance"]
    assert "table deployment_priority is empty" in pages["domains"]
    assert "Policy “paper_c9” is not among the published ones" in pages["domains"]
    assert "No published figure was compared" in pages["method"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.874, "87 %"),
        (1.0, "over 99 %"),
        (0.0, "under 1 %"),
        (None, "–"),
        (float("nan"), "–"),
        (0.99, "99 %"),
    ],
)
def test_a_chance_is_never_called_certain(value: object, shown: str) -> None:
    assert chance(value) == shown
