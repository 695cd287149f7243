"""The page on propensities: its tables and marks are the marts', and an empty slice says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd

from dagster_project.report.site import render_report
from tests.report.page_reader import Reader
from tests.report.published_standin import Site, StandIn, build

POSITIONS = pd.DataFrame(
    [
        ("basalt-7", "risk", "none", -1.25, 0.2, -1.64, -0.86, 40, 4, False, 0.5),
        ("basalt-7", "risk", "2", 1.5, 0.2, 1.1, 1.9, 40, 4, False, 0.25),
        ("cedar-think", "risk", "none", 4.5, None, 2.0, 5.5, 3, 0, True, 1.0),
        ("delta-open", "risk", "none", None, None, None, None, 0, 0, None, None),
    ],
    columns=["system", "propensity", "incitation", "estimate", "se", "q025", "q975", "n_items"]
    + ["n_uninformative", "is_saturated", "success_share"],
)
STEERED = pd.DataFrame(
    [("basalt-7", "risk", None, -1.25, 1)],
    columns=["system", "propensity", "pearson_r", "unprompted_estimate", "n_levels"],
)
SURFACE = pd.DataFrame(
    [
        ("basalt-7", "risk", "none", -1.0, 2.0, 30, 0.8, 0.75),
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
    [("pooled", "all", 0.61, 0.7, 0.09, 0.03125, 6)],
    columns=["regime", "feature_set", "baseline", "augmented", "mean_delta", "wilcoxon_p", "n_systems"],
)
MARTS = {
    "propensity": POSITIONS,
    "steerability": STEERED,
    "propensity_surface": SURFACE,
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
    positions, steered, gains = (rows[1:] for _, rows in reader.tables)
    assert positions == [
        ["Basalt 7", "risk", "none", "−1.25", "−1.64 to −0.86", "40", "4", "50.0 %"],
        ["Basalt 7", "risk", "2", "1.50", "1.10 to 1.90", "40", "4", "25.0 %"],
        ["Cedar Think", "risk", "none", "4.50 *", "2.00 to 5.50", "3", "0", "100.0 %"],
        ["delta-open", "risk", "none", "–", "–", "0", "0", "–"],
    ]
    assert steered == [["Basalt 7", "risk", "–", "−1.25", "1"]]
    assert gains == [["pooled", "all", "0.610", "0.700", "0.090", "0.031", "6"]]
    embedded = json.loads(reader.json)
    marks = embedded["charts"]["positions"]["scopes"][""]["values"]
    drawn = {s["name"]: m[0] for s, m in zip(embedded["systems"], marks, strict=True) if m[0]}
    assert drawn == {"Basalt 7": [-1.25, -1.64, -0.86], "Cedar Think": [4.5, 2.0, 5.5]}
    assert embedded["charts"]["positions"]["range"] == [-3.2, 5.5]
    (series,) = embedded["charts"]["surface"]["series"]
    assert (series["x"], series["y"]) == ([0.75], [0.8])


def test_an_empty_slice_says_why(site: Callable[[str], Site]) -> None:
    html = site("plain").html("propensity")
    assert html.count("table propensity is not in the published file") == 1
    assert "data-chart" not in html and "plotly" not in html
