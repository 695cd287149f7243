"""The proofs that run on demand only: made once for a battery, kept as Parquet, loaded by refreshes.

Belongs here: running recovery, calibration and comparison with a progress bar, their files, and whether a file is
of the battery and the code at hand. Does not belong here: what is computed (recovery.py, calibration.py,
model_comparison.py), Dagster.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pandas as pd
from rich.progress import track
from threadpoolctl import threadpool_limits

from assets import parts
from assets.capability.fit import fit_store
from assets.capability.fit.fit_quality import Thresholds
from assets.capability.fit.model import ModelOptions
from assets.capability.fit.nuts import SamplerOptions
from assets.capability.validation import calibration, model_comparison, recovery
from assets.capability.validation.recovery import Battery
from assets.settings import Settings

ESTIMATES = "recovery/estimate.parquet"
RANKS = "recovery/calibration_rank.parquet"
COMPARED = "recovery/model_comparison.parquet"
_PROOFS = ("recovery.py", "calibration.py")
_COMPARED = ("model_comparison.py", "laplace.py", "per_dimension_model.py", "../check/item_table.py")


def run_recovery(demand: pd.DataFrame, agents: pd.DataFrame, settings: Settings) -> int:
    """Simulate and fit `settings.recovery_runs` times; write the estimates. Returns how many agents were fitted.

    Raises:
        ValueError: there is no battery.
    """
    battery, options = _battery(demand), ModelOptions.of(settings)
    on_battery = recovery.agents_on(battery, agents, options, settings.seed_for)
    n_runs, taus = settings.recovery_runs, recovery.TAUS
    blocks = recovery.recover_all(battery, on_battery, options, n_runs, settings.seed_for, taus)
    n_blocks = n_runs * len(taus)
    estimates = _gather(blocks, "recovering known agents", n_blocks)
    parts.write_frame(settings.home / ESTIMATES, estimates, _recovery_key(battery, on_battery, options))
    return n_blocks * len(on_battery)


def run_calibration(demand: pd.DataFrame, settings: Settings) -> int:
    """Simulate and fit `settings.calibration_fits` times; write the ranks. Returns how many fits there were.

    Raises:
        ValueError: there is no battery.
    """
    battery, options, thresholds = _battery(demand), ModelOptions.of(settings), Thresholds.of(settings)
    sampler = SamplerOptions.of(settings, "calibration")
    n_fits = settings.calibration_fits
    blocks = calibration.calibrate(battery, options, thresholds, sampler, n_fits, settings.seed_for)
    ranks = _gather(blocks, "ranking agents from the prior", n_fits)
    parts.write_frame(settings.home / RANKS, ranks, _calibration_key(battery, options, thresholds))
    return n_fits


def run_comparison(demand: pd.DataFrame, response: pd.DataFrame, settings: Settings) -> int:
    """Fit each model without each group of benchmarks; write the comparison. Returns how many fits there were.

    Raises:
        ValueError: there is no battery, or fewer than two benchmarks have answers.
    """
    battery, options = _battery(demand), ModelOptions.of(settings)
    blocks = model_comparison.held_out_scores(demand, response, options, settings.seed_for)
    n_folds = min(model_comparison.N_FOLDS, response["benchmark"].nunique())
    scores = _gather(blocks, "leaving benchmarks out", n_folds * len(model_comparison.MODELS))
    table = model_comparison.model_comparison(scores)
    parts.write_frame(settings.home / COMPARED, table, _comparison_key(battery, demand, response, options))
    return int(table["n_folds"].sum())


def recovery_tables(
    demand: pd.DataFrame,
    agents: pd.DataFrame,
    importance: pd.DataFrame,
    members: pd.DataFrame,
    settings: Settings,
) -> dict[str, pd.DataFrame]:
    """recovery_dimension and recovery_summary of the stored run; empty where there is none of this battery and code."""
    options = ModelOptions.of(settings)
    estimates = pd.DataFrame(columns=recovery.CELL)
    if (settings.home / ESTIMATES).exists() and len(demand):
        battery = Battery.of(demand)
        on_battery = recovery.agents_on(battery, agents, options, settings.seed_for)
        key = _recovery_key(battery, on_battery, options)
        estimates = _stored(settings.home / ESTIMATES, key, estimates)
    if estimates.empty:
        return {
            "recovery_dimension": pd.DataFrame(columns=recovery.DIMENSION),
            "recovery_summary": pd.DataFrame(columns=recovery.SUMMARY),
        }
    weights = recovery.activity_weights(importance, members)
    return {
        "recovery_dimension": recovery.dimension_recovery(estimates, options.sd),
        "recovery_summary": recovery.recovery_summary(estimates, options.sd, weights),
    }


def calibration_tables(demand: pd.DataFrame, settings: Settings) -> dict[str, pd.DataFrame]:
    """calibration and calibration_rank of the stored run; empty where there is none of this battery and code."""
    ranks = pd.DataFrame(columns=["fit", "dimension", "rank_share", "engine"])
    if (settings.home / RANKS).exists() and len(demand):
        key = _calibration_key(Battery.of(demand), ModelOptions.of(settings), Thresholds.of(settings))
        ranks = _stored(settings.home / RANKS, key, ranks)
    return {
        "calibration": calibration.calibration(ranks),
        "calibration_rank": calibration.calibration_rank(ranks),
    }


def comparison_table(demand: pd.DataFrame, response: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """model_comparison of the stored run; empty where there is none of these answers, this battery and code."""
    table = pd.DataFrame(columns=model_comparison.COMPARISON)
    if (settings.home / COMPARED).exists() and len(demand):
        key = _comparison_key(Battery.of(demand), demand, response, ModelOptions.of(settings))
        table = _stored(settings.home / COMPARED, key, table)
    return table


def _stored(path: Path, key: str, otherwise: pd.DataFrame) -> pd.DataFrame:
    return pd.read_parquet(path) if parts.stored_fingerprint(path) == key else otherwise


def code_version(names: tuple[str, ...] = _PROOFS) -> str:
    """Hash of the code whose proof this is."""
    return parts.code_version(__file__, names, below=fit_store.code_version())


def _battery(demand: pd.DataFrame) -> Battery:
    if demand.empty:
        raise ValueError(
            "There are no rated items to simulate answers to: give ratings, refresh, then run again."
        )
    return Battery.of(demand)


def _gather(blocks: Iterator[pd.DataFrame], title: str, total: int) -> pd.DataFrame:
    # one thread: the same figures on any number of cores
    with threadpool_limits(limits=1):
        shown = track(blocks, title, total=total, disable=not sys.stderr.isatty())
        return pd.concat(list(shown), ignore_index=True)


def _recovery_key(battery: Battery, agents: pd.DataFrame, options: ModelOptions) -> str:
    # every temperature is run, whatever the setting
    return _key(battery, agents.to_numpy(dtype=float), asdict(replace(options, tau=1.0)))


def _calibration_key(battery: Battery, options: ModelOptions, thresholds: Thresholds) -> str:
    return _key(battery, np.empty(0), asdict(options) | asdict(thresholds))


def _comparison_key(
    battery: Battery, demand: pd.DataFrame, response: pd.DataFrame, options: ModelOptions
) -> str:
    # item by item: folds depend on which benchmark an item is of
    key = ["benchmark", "item"]
    rows = [demand.sort_values([*key, "dimension"]), response.sort_values(["system", *key])]
    hashes = [pd.util.hash_pandas_object(frame.astype(str), index=False).to_numpy() for frame in rows]
    return _key(battery, np.concatenate(hashes), asdict(options), comparison_version())


def comparison_version() -> str:
    """Hash of the code that compares models."""
    return code_version(_COMPARED)


def _key(battery: Battery, agents: np.ndarray, options: dict[str, object], version: str | None = None) -> str:
    said = [battery.dimensions, options, version or code_version()]
    return parts.fingerprint_of(said, battery.demand, battery.n_items, agents)
