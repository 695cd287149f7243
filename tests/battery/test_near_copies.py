"""Near copies of raters' and systems' files are refused; raters and systems that only agree well are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from assets.settings import PROJECT, Settings
from tests.support.battery.slice_build import BatteryPipeline

CAPABILITIES = pd.read_csv(PROJECT / "dbt/seeds/seed_capability.csv")["capability"].tolist()
N = 60
RATERS, SYSTEMS = "int_rater_likeness_no_near_copies", "int_system_likeness_no_near_copies"


def _ratings(rng: np.random.Generator) -> pd.DataFrame:
    """north; its copy with one cell of 1,080 changed; and a rater who gives 95 % of the same levels."""
    north = rng.integers(0, 6, size=(N, 18))
    copy = north.copy()
    copy[7, 3] = (copy[7, 3] + 1) % 6
    agreeing = np.where(rng.random(north.shape) < 0.06, (north + 1) % 6, north)
    frames = []
    for rater, levels in {"north": north, "north-2": copy, "east": agreeing}.items():
        item, k = (grid.ravel() for grid in np.indices(levels.shape))
        frames.append(
            pd.DataFrame(
                {
                    "source_file": f"battery/ratings/{rater}.csv",
                    "row_number": item + 2,
                    "rater": rater,
                    "benchmark": "bench",
                    "item": item.astype(str),
                    "capability_name": np.array(CAPABILITIES)[k],
                    "level": levels.ravel().astype(str),
                }
            )
        )
    return pd.concat(frames)


def _results(rng: np.random.Generator) -> pd.DataFrame:
    """alpha; a copy with one answer of 60 changed is no copy at 99 %, an equal one is; two get one wrong."""
    alpha = rng.permutation([1] * 30 + [0] * 30)
    close = alpha.copy()
    close[5] = 1 - close[5]
    best = np.ones(N, int)
    best[3] = 0
    answers = {"alpha": alpha, "alpha-b": alpha, "close": close, "best": best, "good": best}
    frames = [
        pd.DataFrame(
            {
                "source_file": f"battery/results/{system}.csv",
                "row_number": np.arange(N) + 2,
                "system": system,
                "benchmark": "bench",
                "item": np.arange(N).astype(str),
                "score": scores.astype(str),
            }
        )
        for system, scores in answers.items()
    ]
    return pd.concat(frames)


def by_pair(frame: pd.DataFrame) -> dict[str, Any]:
    return {str(row["pair"]): row for row in frame.to_dict("records")}


def test_near_copies_block_until_somebody_confirms_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    pipeline = BatteryPipeline(tmp_path)
    pipeline.land({"raw.rating": _ratings(rng), "raw.result": _results(rng)})
    chosen = (
        "build",
        "-s",
        "+int_rater_likeness",
        "+int_system_likeness",
        "--exclude",
        "resource_type:unit_test",
    )
    assert not pipeline.dbt(*chosen)
    assert pipeline.status[RATERS] == pipeline.status[SYSTEMS] == "fail"
    assert pipeline.messages[RATERS].startswith("Got 1 result") and pipeline.messages[SYSTEMS].startswith(
        "Got 1 result"
    )

    raters = by_pair(pipeline.read("intermediate.int_rater_likeness"))
    copy = raters["north = north-2"]
    assert (copy["n_items"], copy["n_levels"], copy["n_equal"]) == (60, 1080, 1079)
    assert (copy["file_a"], copy["file_b"]) == ("battery/ratings/north.csv", "battery/ratings/north-2.csv")
    assert 0.9 < raters["east = north"]["equal_share"] < 0.97
    systems = by_pair(pipeline.read("intermediate.int_system_likeness"))
    alike, best = systems["alpha = alpha-b"], systems["best = good"]
    assert (alike["n_equal"], alike["n_rare"], alike["kappa"]) == (60, 30, 1.0)
    assert (best["n_equal"], best["n_rare"], best["kappa"]) == (60, 1, 1.0)
    assert systems["alpha = close"]["n_equal"] == 59

    confirmed = Settings(independent="north-2 = north; alpha = alpha-b")  # type: ignore[arg-type]
    assert confirmed.independent == ("alpha = alpha-b", "north = north-2")
    variables = json.dumps(confirmed.dbt_vars())
    assert pipeline.dbt("test", "-s", RATERS, SYSTEMS, "--vars", variables), pipeline.failures()
