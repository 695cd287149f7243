"""The pages on checks and evidence without a browser: their numbers are the marts', and what is missing is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from dagster_project.report.bins import pooled_bins
from dagster_project.report.site import render_report
from tests.support.report.page_reader import Reader
from tests.support.report.published_standin import CHECKS, HOSTILE, Site, StandIn, build
from tests.support.report.simulation_standin import BANDS, SIMULATIONS

SiteOf = Callable[[str], Site]
SUMMARY = ["shape_r", "level_r", "level_slope", "effective_dimensions", "mean_abs_correlation"]
SUMMARY += ["worst_contraction", "suitability_rho", "suitability_pairwise_accuracy"]


def display_names(made: Site) -> dict[str, str]:
    info = made.marts["ai_system"]
    return {s: n or s for s, n in zip(info["system"], info["name"], strict=True)}


def table(page: Reader, *headings: str) -> list[list[str]]:
    """Rows of the one table that begins with these headings."""
    (found,) = [t for _, t in page.tables if t[0][: len(headings)] == list(headings)]
    return found[1:]


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def over_runs(values: pd.Series) -> str:
    if values.isna().all():
        return "–"
    return f"{values.mean():.2f}\n({values.min():.2f} to {values.max():.2f})"


# --- checks ---


def test_sections_on_prediction_and_influence_equal_the_marts(site: SiteOf) -> None:
    made = site("plain")
    name_of = display_names(made)
    expected = {
        (
            name_of[r["system"]],
            "All benchmarks" if r["benchmark"] == "all" else r["benchmark"],
            f"{r['n_items']:,}",
            percent(r["observed"]),
            percent(r["predicted"]),
            f"{r['brier']:.3f}",
            "–" if pd.isna(r["auroc"]) else f"{r['auroc']:.3f}",
        )
        for r in made.marts["item_prediction_quality"].to_dict("records")
    }
    assert len(expected) == 24
    quality = table(Reader(made.html("checks")), "System", "Benchmark")
    assert {tuple(row) for row in quality} == expected
    reader = Reader(made.html("capabilities"))
    influence = [t[1:] for _, t in reader.tables if t[0][0] == "Rank"]
    assert [len(rows) for rows in influence] == [20] * 6
    assert influence[0][0][1:4] == ["alpha", "item <b>1</b>", "1.00"]
    assert influence[0][0][5] == "−1.00"
    drawn = json.loads(reader.json)["charts"]
    r = made.marts["posterior_correlation"].set_index(["system", "dimension_a", "dimension_b"])["r"]
    key_of = {name: s for s, name in name_of.items()}
    for chart in [c for name, c in drawn.items() if name.startswith("correlation")]:
        keys = [axis["key"] for axis in chart["axes"]]
        for a, row in zip(keys, chart["values"], strict=True):
            wanted = [None if a == b else r[key_of[chart["title"]], a, b] for b in keys]
            assert row == [None if v is None else pytest.approx(v, rel=1e-5) for v in wanted]


def test_characteristic_curves_equal_the_mart_and_count_what_lies_outside(site: SiteOf) -> None:
    made = site("plain")
    reader, html, name_of = Reader(made.html("checks")), made.html("checks"), display_names(made)
    dimension = dict(zip(made.marts["dimension"]["dimension"], made.marts["dimension"]["name"], strict=True))
    tables = reader.scoped("Dimension", "Level")
    assert len(tables) == 6
    for system, own in made.marts["characteristic_curve"].groupby("system"):
        expected, n_outside = set(), 0
        for r in own.to_dict("records"):
            inside = r["q025"] <= r["observed"] <= r["q975"]
            n_outside += not inside
            expected.add(
                (
                    dimension[r["dimension"]],
                    f"{r['level']}",
                    "50",
                    percent(r["observed"]) + ("" if inside else " !"),
                )
                + (percent(r["predicted"]), f"{percent(r['q025'])} to {percent(r['q975'])}")
            )
        assert {tuple(row) for row in tables[f"system:{system}"][1:]} == expected
        assert 0 < n_outside < 32
        assert f"{name_of[str(system)]}: {n_outside} of 32 observed shares lie outside" in html


def test_bins_with_few_items_are_pooled_with_neighbours_by_hand() -> None:
    bins = pd.DataFrame(
        [("a", 0, 3, 0.05, 1.0), ("a", 1, 27, 0.15, 0.2), ("a", 2, 40, 0.25, 0.3), ("a", 7, 10, 0.75, 0.0)]
        + [("b", 4, 5, 0.45, 0.4)],
        columns=["system", "bin", "n_items", "predicted", "observed"],
    )
    columns = ["system", "low", "high", "n_items", "predicted", "observed", "n_bins", "is_few"]
    expected = [("a", 0.0, 0.2, 30, 0.14, 0.28, 2, False), ("a", 0.2, 0.8, 50, 0.35, 0.24, 2, False)]
    expected += [("b", 0.4, 0.5, 5, 0.45, 0.4, 1, True)]
    pd.testing.assert_frame_equal(pooled_bins(bins), pd.DataFrame(expected, columns=columns))


def test_pooling_keeps_items_and_means_whatever_the_bins() -> None:
    rng = np.random.default_rng(3)
    for _ in range(100):
        n = int(rng.integers(1, 11))
        bins = pd.DataFrame(
            {
                "system": "a",
                "bin": np.sort(rng.choice(10, n, replace=False)),
                "n_items": rng.integers(1, 60, n),
            }
        )
        bins["predicted"], bins["observed"] = bins["bin"] / 10 + 0.05, rng.random(n)
        found = pooled_bins(bins)
        assert found["n_items"].sum() == bins["n_items"].sum()
        assert found["n_bins"].sum() == n
        for column in ("predicted", "observed"):
            assert (found[column] * found["n_items"]).sum() == pytest.approx(
                (bins[column] * bins["n_items"]).sum()
            )
        assert (found["n_items"] >= 20).all() or len(found) == 1
        assert found["predicted"].between(found["low"], found["high"]).all()


def test_models_compared_are_shown_where_they_are_published(site: SiteOf, tmp_path: Path) -> None:
    assert "Do other statistical models" not in site("plain").html("checks")
    build(tmp_path / "p.duckdb", StandIn(n_runs=1))
    with duckdb.connect(str(tmp_path / "p.duckdb")) as connection:
        connection.execute(
            "create table marts.model_comparison as select * from (values"
            " ('<script>base', 980, 5880, -0.51234, 0.0, null), ('slopes', 980, 5880, -0.49, 0.0223, 0.004))"
            " as t (model, n_items, n_responses, mean_log_score, difference, difference_se)"
        )
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    reader = Reader((tmp_path / "report/checks.html").read_text(encoding="utf-8"))
    rows = table(reader, "Model", "N items")
    assert rows[0] == ["<script>base", "980", "5,880", "−0.5123", "0.0000", "–"]
    assert rows[1] == ["slopes", "980", "5,880", "−0.4900", "0.0223", "0.0040"]
    assert (tmp_path / "report/data/model_comparison.csv").is_file()
    # the same publication ran recovery once: no range over runs is claimed
    html = (tmp_path / "report/evidence.html").read_text(encoding="utf-8")
    assert "This was done once" in html and "One run, so no range" in html
    cells = [cell for row in table(Reader(html), "Temperature, intercept") for cell in row[1:]]
    assert len(cells) == 72 and not any("to" in cell for cell in cells)


# --- evidence ---


def test_recovery_tables_and_chart_equal_the_marts(site: SiteOf) -> None:
    made = site("plain")
    reader = Reader(made.html("evidence"))
    whole = made.marts["recovery_summary"].groupby(["tau", "intercept"])
    assert {row[0]: row[1:] for row in table(reader, "Temperature, intercept")} == {
        f"τ = {tau:g}, {intercept}": [over_runs(own[c].astype(float)) for c in SUMMARY]
        for (tau, intercept), own in whole
    }
    names = dict(zip(made.marts["dimension"]["dimension"], made.marts["dimension"]["name"], strict=True))
    recovered = made.marts["recovery_dimension"]
    tables = reader.scoped("Dimension", "Correlation, shared")
    drawn = json.loads(reader.json)["charts"]["recovery"]
    assert set(tables) == set(drawn["scopes"]) == {"tau:0", "tau:0.5", "tau:1"}
    for (tau, d), own in recovered.groupby(["tau", "dimension"]):
        (row,) = [r for r in tables[f"tau:{tau:g}"] if r[0] == names[str(d)]]
        by = {str(i): rows for i, rows in own.groupby("intercept")}
        columns = [(m, i) for m in ("r", "contraction", "mae") for i in ("shared", "free", "fixed")]
        assert row[1:] == [over_runs(by[i][m]) for m, i in columns]
        place = drawn["rows"].index(names[str(d)])
        for k, i in enumerate(("shared", "free", "fixed")):
            r = by[i]["r"]
            assert drawn["scopes"][f"tau:{tau:g}"]["values"][k][place] == pytest.approx(
                [r.mean(), r.min(), r.max()]
            )
    assert '<option value="tau:1" selected>' in made.html("evidence")


def test_calibration_equals_the_mart_and_names_what_fails(site: SiteOf) -> None:
    made = site("plain")
    html, reader = made.html("evidence"), Reader(made.html("evidence"))
    names = dict(zip(made.marts["dimension"]["name"], made.marts["dimension"]["dimension"], strict=True))
    cells = made.marts["calibration"].set_index(["dimension", "level"])
    rows = table(reader, "Dimension", "50 % intervals that contain the true level")
    assert len(rows) == 9 and rows[-1][0] == "Intercept"
    for name, *shown in rows:
        key = names.get(name, "intercept")
        for cell, level in zip(shown, BANDS, strict=False):
            own = cells.loc[(key, level)]
            share, band = cell.split("\n")
            is_inside = own["expected_low"] <= own["coverage_share"] <= own["expected_high"]
            assert share == percent(own["coverage_share"]) + ("" if is_inside else " !")
            assert band == f"({percent(own['expected_low'])} to {percent(own['expected_high'])})"
        assert shown[3:] == ["0.004" if key == "IIC" else "0.600", "200"]
    assert "26 of 27 shares lie in their band" in html
    assert "Ranks are not uniform for Information Integration &amp; Control (p &lt; .05)" in html
    ranks = made.marts["calibration_rank"]
    for name, *shown in table(reader, "Dimension", "Bin 1"):
        own = ranks[ranks["dimension"] == names.get(name, "intercept")].sort_values("bin")
        assert shown == [*map(str, own["n_fits"]), "4 to 16"]


def test_simulations_that_were_not_run_say_which_command_runs_them(site: SiteOf) -> None:
    html = site("people").html("evidence")
    for command in ("suitability recovery", "suitability calibration"):
        assert f"run <code>{command}</code> (a few minutes), then <code>suitability refresh</code>" in html
    assert "data-chart" not in html and "plotly" not in html


def test_without_a_battery_no_command_is_advised(tmp_path: Path) -> None:
    why = "no files in battery/ratings"
    build(tmp_path / "p.duckdb", StandIn(skipped={"battery": why, "capability": why}))
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    html = (tmp_path / "report/evidence.html").read_text(encoding="utf-8")
    assert html.count(f"Skipped in this refresh: slice “battery”: {why}") == 2
    assert "suitability recovery" not in html


def test_a_publication_without_the_checks_says_so_in_each_section(tmp_path: Path) -> None:
    build(tmp_path / "p.duckdb")
    with duckdb.connect(str(tmp_path / "p.duckdb")) as connection:
        for mart in [*CHECKS, *SIMULATIONS]:
            connection.execute(f"drop table marts.{mart}")
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    shown = {
        p: (tmp_path / f"report/{p}.html").read_text(encoding="utf-8")
        for p in ("capabilities", "checks", "evidence")
    }
    first_of: dict[str, tuple[str, ...]] = {
        "capabilities": ("posterior_correlation", "item_influence"),
        "checks": ("item_prediction_quality", "reliability", "characteristic_curve"),
        "evidence": ("recovery_dimension", "calibration"),
    }
    for page, marts in first_of.items():
        for mart in marts:
            assert f"table {mart} is not in the published file" in shown[page]
    assert 'data-chart="levels"' in shown["capabilities"]
    assert "data-chart" not in shown["checks"] + shown["evidence"]


def test_people_are_called_people(site: SiteOf) -> None:
    made = site("people")
    assert "<strong>0</strong> AI systems" in made.html("index")
    assert "<strong>4</strong> people" in made.html("index")
    html = made.html("capabilities")
    systems = {s["name"] for s in json.loads(Reader(html).json)["systems"]}
    assert systems == {"p0 (person)", *(f"Person {i} (person)" for i in (1, 2, 3))}
    assert "<h3>People</h3>" in html and "Developer not stated" not in html
    assert "People have no release date." in html


def test_one_system_and_hostile_names_have_all_sections(site: SiteOf) -> None:
    for name, n_systems in (("one", 1), ("hostile", len(HOSTILE))):
        reader = Reader(site(name).html("checks"))
        assert len(reader.scoped("Dimension", "Level")) == n_systems
        assert reader.n_scripts == 4
        charts = json.loads(reader.json)["charts"]
        assert len(charts["reliability"]["series"]) == n_systems
    assert "Show only " not in site("one").html("checks"), "nothing to choose between"
