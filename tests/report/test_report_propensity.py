"""The page on propensities: its tables and marks are the marts', and an empty slice says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from assets.propensity.assessor import REGIMES
from assets.settings import PROJECT
from dagster_project.report.labels import LEADING
from dagster_project.report.pages.propensity import LONGEST, SCALES
from dagster_project.report.pages.propensity import REGIMES as REGIMES_IN_WORDS
from dagster_project.report.site import render_report
from tests.support.report.page_reader import Reader, unpacked
from tests.support.report.published_standin import Site, StandIn, build, many

POSITIONS = pd.DataFrame(
    [
        ("basalt-7", "risk", "none", -1.25, 0.2, -1.64, -0.86, 40, 4, False, True, 0.5),
        ("basalt-7", "risk", "2", 1.5, 0.2, 1.1, 1.9, 40, 4, False, False, 0.25),
        ("cedar-think", "risk", "none", 4.5, None, 2.0, 5.5, 3, 0, True, False, 1.0),
        ("delta-open", "risk", "none", None, None, None, None, 0, 0, None, None, None),
    ],
    columns=["system", "propensity", "incitation", "estimate", "se", "q025", "q975", "n_items"]
    + ["n_uninformative", "is_saturated", "is_ambiguous", "success_share"],
)
STEERED = pd.DataFrame(
    [("basalt-7", "risk", 0.8, 0.13, -1.25, 7, 0, 1, False, True, False)],
    columns=["system", "propensity", "pearson_r", "gain", "unprompted_estimate", "n_levels", "n_saturated"]
    + ["n_ambiguous", "is_unprompted_saturated", "is_unprompted_ambiguous", "is_complete"],
)
SURFACE = pd.DataFrame(
    [
        ("basalt-7", "risk", "none", -1.0, 2.0, 30, 0.8, 0.75),
        ("cedar-think", "risk", "none", -1.0, 2.0, 10, 0.4, 0.5),
        ("basalt-7", "risk", "2", 1.0, 2.0, 30, 0.1, 0.2),
    ],
    columns=[
        "system",
        "propensity",
        "incitation",
        "middle",
        "width",
        "n_items",
        "observed_share",
        "fitted_share",
    ],
)
GAIN = pd.DataFrame(
    [
        ("battery_pooled", 0.61, None, None, None, None, None, 6, 4)
        + (None, None, None, None, None, 6, 0.125, 0.25),
        ("pooled", 0.61, 0.7, 0.09, 0.05, 0.13, 0.03125, 6, 4, 0.65, 0.04, -0.01, 0.09, 0.25, 0, 0.0, 0.0),
    ],
    columns=["regime", "baseline", "augmented", "mean_delta", "delta_low", "delta_high", "wilcoxon_p"]
    + ["n_systems", "n_propensities"]
    + [
        f"{name}_ultracrepidarianism"
        for name in ("augmented", "mean_delta", "delta_low", "delta_high", "wilcoxon_p")
    ]
    + ["n_withheld", "missing_share", "missing_share_ultracrepidarianism"],
)
SHARES = [f"{k}_{s}_where_{f}_favoured" for f in "ab" for k in ("observed", "predicted") for s in "ab"]
PAIRS = pd.DataFrame(
    [
        ("basalt-7", "cedar-think", "risk", 0.05, 0.08, True, -1.25, 0.5, False, True)
        + (0.8, 0.4, 0.75, 0.5, 0.2, 0.7, 0.3, 0.6),
        ("basalt-7", "delta-open", "risk", 0.05, 0.08, True, -1.25, 1.5, False, False)
        + (None, None, None, None, 0.9, 0.7, 0.3, 0.6),
        ("cedar-think", "delta-open", "risk", 0.9, 0.08, False, 0.5, 1.5, False, True)
        + (0.8, 0.4, 0.75, 0.5, 0.2, 0.7, 0.3, 0.6),
    ],
    columns=["system_a", "system_b", "propensity", "capability_difference", "capability_sd"]
    + ["is_equal_capability", "estimate_a", "estimate_b", "is_flagged", "is_as_predicted", *SHARES],
)
MARTS = {
    "propensity": POSITIONS,
    "steerability": STEERED,
    "propensity_surface": SURFACE,
    "propensity_pair": PAIRS,
    "assessor_gain": GAIN,
}


def test_tables_and_marks_are_the_marts(tmp_path: Path) -> None:
    build(tmp_path / "p.duckdb", StandIn(skipped={}))
    with duckdb.connect(str(tmp_path / "p.duckdb")) as connection:
        for name, frame in MARTS.items():
            connection.register("given", frame)
            connection.execute(f"create table marts.{name} as select * from given")
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    reader = Reader((tmp_path / "report/propensity.html").read_text(encoding="utf-8"))
    positions, steered, pairs, gains = (rows[1:] for _, rows in reader.tables)
    assert positions == [
        ["Basalt 7", "Risk aversion", "none", "−1.25 †", "−1.64 to −0.86", "40", "4", "50.0 %"],
        ["Basalt 7", "Risk aversion", "2", "1.50", "1.10 to 1.90", "40", "4", "25.0 %"],
        ["Cedar Think", "Risk aversion", "none", "4.50 *", "2.00 to 5.50", "3", "0", "100.0 %"],
        ["delta-open", "Risk aversion", "none", "–", "–", "0", "0", "–"],
    ]
    assert steered == [["Basalt 7", "Risk aversion", "0.80", "0.13", "−1.25 †", "7", "0", "1", "no"]]
    # of equal capability only, the widest apart first; a side without items has no shares
    assert pairs == [
        ["Basalt 7 and delta-open", "Risk aversion", "0.05 (SD 0.08)", "−1.25 and 1.50", "–"]
        + ["90.0 % and 70.0 % (30.0 % and 60.0 %)", "no"],
        ["Basalt 7 and Cedar Think", "Risk aversion", "0.05 (SD 0.08)", "−1.25 and 0.50"]
        + ["80.0 % and 40.0 % (75.0 % and 50.0 %)", "20.0 % and 70.0 % (30.0 % and 60.0 %)", "yes"],
    ]
    assert gains == [
        ["Items over all benchmarks", "0.610", "0.700", "0.090", "0.050 to 0.130", "0.031", "6", "4"]
        + ["0.650", "0.040", "−0.010 to 0.090", "0.250"],
        ["Battery: items over all benchmarks", "0.610", "–", "–", "–", "–", "6", "4", "–", "–", "–", "–"],
    ]
    withheld = (
        "No gain is shown for: Battery: items over all benchmarks. Their items lack 12.5 % of all "
        "propensity levels and 25.0 % of those of ultracrepidarianism."
    )
    assert withheld in (tmp_path / "report/propensity.html").read_text(encoding="utf-8")
    embedded = json.loads(reader.json)
    marks = embedded["charts"]["positions"]["scopes"][""]["values"]
    drawn = {s["name"]: m[0] for s, m in zip(embedded["systems"], marks, strict=True) if m[0]}
    assert drawn == {"Basalt 7": [-1.25, -1.64, -0.86], "Cedar Think": [4.5, 2.0, 5.5]}
    assert embedded["charts"]["positions"]["range"] == [-3.2, 5.5]
    assert embedded["charts"]["positions"]["rows"] == ["Risk aversion: risk-seeking (−), risk-averse (+)"]
    doubts = embedded["charts"]["positions"]["scopes"][""]["doubts"]
    doubted = {s["name"]: d[0] for s, d in zip(embedded["systems"], doubts, strict=True) if d[0]}
    assert doubted == {
        "Basalt 7": "another position fits the answers nearly as well",
        "Cedar Think": "limited on one side at most",
    }
    # 30 answers at 80 % and 10 at 40 % are 28 of 40
    heats = [embedded["charts"][f"risk_{kind}"] for kind in ("observed", "fitted")]
    assert [h["rows"] for h in heats] == [["Width up to 2"]] * 2
    for heat, shown in zip(heats, ([70.0], [68.75]), strict=True):
        assert heat["scopes"][""]["values"][0] == pytest.approx([None, None, *shown, None, None, None, None])
    series = embedded["charts"]["surface"]["series"]
    assert [(one["x"], one["y"]) for one in series] == [([0.75], [0.8]), ([0.5], [0.4])]


def test_propensities_are_named_as_in_the_seed() -> None:
    seed = pd.read_csv(PROJECT / "dbt/seeds/seed_propensity.csv")
    assert {(key, *names) for key, names in SCALES.items()} == set(seed.itertuples(index=False, name=None))


def test_an_empty_slice_says_why(site: Callable[[str], Site]) -> None:
    html = site("plain").html("propensity")
    assert html.count("table propensity is not in the published file") == 1
    assert "data-chart" not in html and "plotly" not in html


def test_of_many_systems_the_page_holds_the_leading_ones_and_the_widest_pairs(tmp_path: Path) -> None:
    build(tmp_path / "p.duckdb", many(LEADING + 2, 1))
    systems = [f"s{i:03}" for i in range(LEADING + 2)]
    first, pair = POSITIONS.iloc[[0]], PAIRS.iloc[[1]]
    pairs = [(a, b) for i, a in enumerate(systems) for b in systems[:i]]
    marts = {
        "propensity": pd.concat([first.assign(system=s, estimate=0.1 * i) for i, s in enumerate(systems)]),
        "steerability": pd.concat([STEERED.assign(system=s) for s in systems]),
        "propensity_surface": pd.concat([SURFACE.iloc[[0]].assign(system=s) for s in systems]),
        "propensity_pair": pd.concat(
            [pair.assign(system_a=a, system_b=b, estimate_b=i / 10) for i, (a, b) in enumerate(pairs)]
        ),
        "assessor_gain": GAIN,
    }
    with duckdb.connect(str(tmp_path / "p.duckdb")) as connection:
        for mart, frame in marts.items():
            connection.register("given", frame)
            connection.execute(f"create or replace table marts.{mart} as select * from given")
            connection.unregister("given")
    render_report(tmp_path / "p.duckdb", tmp_path / "report")
    reader = Reader((tmp_path / "report/propensity.html").read_text(encoding="utf-8"))
    drawn, tables = json.loads(reader.json), {tuple(t[0][:3]): t[1:] for _, t in reader.tables}
    assert len(drawn["charts"]["positions"]["scopes"][""]["values"]) == LEADING
    assert len(drawn["charts"]["surface"]["series"]) == LEADING
    assert len(tables["System", "Propensity", "Incitation to level"]) == LEADING
    found = dict(unpacked(file) for file in (tmp_path / "report/data").glob("system-*.js"))
    order = [s["name"] for s in drawn["systems"]]
    for index in (LEADING, LEADING + 1):
        part, system = found[index]["propensity"], order[index]
        ((mean, *_),) = part["charts"]["positions"]["scopes"][""]["values"][str(index)]
        assert mean == pytest.approx(0.1 * int(system.split()[1]))
        assert [row[0] for row in part["rows"]["positions"] + part["rows"]["steered"]] == [system, system]
        assert part["charts"]["surface"]["series"][0]["system"] == index
    shown = tables["Two systems", "Propensity", "Difference in capability"]
    assert [row[3].split(" and ")[1] for row in shown] == [
        f"{i / 10:.2f}" for i in range(len(pairs) - 1, len(pairs) - 1 - LONGEST, -1)
    ]
    assert (
        f"Shown: the {LONGEST} of {len(pairs)} pairs whose positions differ most."
        in (tmp_path / "report/propensity.html").read_text()
    )


def test_every_regime_of_assessors_has_words() -> None:
    assert list(REGIMES_IN_WORDS) == [name for regimes in REGIMES.values() for name in regimes]
