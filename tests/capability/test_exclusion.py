"""The fit with excluded items is the fit that a battery without exclusions gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assets.capability import assets as slice_assets
from assets.settings import Settings
from tests.capability.test_assets import battery, run
from tests.support.steps import MemoryWarehouse, run_steps

OUT = ("00", "01", "02", "03", "04", "05")


@pytest.mark.parametrize("engine", [{}, {"engine": "nuts", "tune": 200, "max_rhat": 1.05}])
def test_the_fit_with_them_is_that_of_a_battery_that_excludes_none(
    tmp_path: Path, engine: dict[str, Any]
) -> None:
    """System a answered six excluded items, all right; b answered none of them and is not fitted again."""
    settings = {"draws": 600, **engine}
    tables = battery()
    response = tables["intermediate.int_response"]
    is_out = response["item"].isin(OUT)
    response.loc[is_out, "score"] = 1.0
    response = response[~is_out | (response["system"] == "a")]
    demand = tables["intermediate.int_demand"]
    every = {"intermediate.int_demand": demand, "intermediate.int_response": response}
    _, _, full = run(tmp_path / "full", every, **settings)

    is_out, out_of_demand = response["item"].isin(OUT), demand["item"].isin(OUT)
    kept = {
        "intermediate.int_demand": demand[~out_of_demand],
        "intermediate.int_response": response[~is_out],
    }
    home = tmp_path / "kept"
    _, _, without = run(home, kept, **settings)
    excluded = {
        "intermediate.int_excluded_demand": demand[out_of_demand],
        "intermediate.int_excluded_response": response[is_out],
    }
    warehouse = MemoryWarehouse(kept | excluded)
    told = run_steps(warehouse, Settings(home=home, **settings), slice_assets.exclusion_fit)
    assert told["estimate.exclusion_fit"]["fitted"] == ["a"]
    found = warehouse.read("estimate.exclusion_fit").set_index(["system", "dimension"])

    def means(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
        draws = tables["estimate.capability_draw"].groupby(["system", "dimension"], observed=True)
        return draws["value"].agg(["mean", "std"])

    twin = means(full)
    np.testing.assert_allclose(found["mean_log"].astype(float), twin["mean"], rtol=1e-9)
    np.testing.assert_allclose(found["sd_log"].astype(float), twin["std"], rtol=1e-9)
    moved = (found["mean_log"].astype(float) - means(without)["mean"]) / means(without)["std"]
    # six items more, all right
    assert moved["a"].max() > 0.1 and (moved["a"] > -0.1).all()


def test_nothing_excluded_fits_nothing(tmp_path: Path) -> None:
    tables = battery()
    empty = pd.DataFrame(columns=["system", "benchmark", "item", "score", "n_attempts"])
    excluded = {
        "intermediate.int_excluded_demand": tables["intermediate.int_demand"].head(0),
        "intermediate.int_excluded_response": empty,
    }
    warehouse = MemoryWarehouse(tables | excluded)
    run_steps(warehouse, Settings(home=tmp_path), slice_assets.exclusion_fit)
    assert warehouse.read("estimate.exclusion_fit").empty
