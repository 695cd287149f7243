"""Checks of each system's posterior against its items, made again only where the draws or the items changed.

Belongs here: which checks are stale, and their kept parts.
Does not belong here: the checks themselves (prediction.py, influence.py), Dagster.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from rich.progress import track
from threadpoolctl import threadpool_limits

from assets import parts
from assets.capability.check.influence import most_influential
from assets.capability.check.item_table import Answers, Draws, answers_of, item_table
from assets.capability.check.prediction import characteristic_curve, held_out_predictions
from assets.capability.fit import fit_store
from assets.capability.fit.fit_quality import Posterior
from assets.capability.fit.model import ModelOptions
from assets.parts import KeptParts
from assets.settings import Settings

ITEMS = "posterior/items.parquet"
CHECKS = "posterior/checks"
TABLES = ("item_prediction", "characteristic_curve", "item_influence")
# more joint draws than this add time, not digits that matter
MAX_DRAWS = 4000
_SOURCES = ("item_table.py", "prediction.py", "influence.py")


def write_items(home: Path, demand: pd.DataFrame, response: pd.DataFrame) -> int:
    """Write the item-level table of `int_demand` and `int_response`; return its number of items."""
    items = item_table(demand, response)
    parts.write_frame(home / ITEMS, items)
    return len(items)


def check_stale_systems(settings: Settings, log: Callable[[str], object]) -> list[str]:
    """Check those systems of the joint posterior whose stored checks came from other draws, items, settings or code.

    Raises:
        FileNotFoundError: the joint draws or the items are missing; says which asset makes them.
        ValueError: the items know nothing of a system of the draws.
    """
    home = settings.home
    if not (home / ITEMS).exists():
        raise FileNotFoundError(
            f"{home / ITEMS} is missing: materialise the asset estimate/prediction_input first."
        )
    posterior, model = fit_store.read_posterior(home / fit_store.DRAWS), ModelOptions.of(settings)
    kept, stale = {table: KeptParts(folder(home, table)) for table in TABLES}, []
    for system in track(posterior.systems, "checking systems", disable=not sys.stderr.isatty()):
        answers, draws = _answers(home, system, posterior.dimensions), _draws(posterior, system)
        seed = settings.seed_for("posterior_check", system)
        wanted = _fingerprint(answers, posterior.dimensions, draws, model, settings.max_khat, seed)
        held = [of_table.holds(system, wanted) for of_table in kept.values()]
        if all(held):
            continue
        # one thread: the same bytes on any number of cores
        with threadpool_limits(limits=1):
            frames = (
                held_out_predictions(answers, draws, model, settings.max_khat, seed),
                characteristic_curve(answers, posterior.dimensions, draws, model, seed),
                most_influential(answers, posterior.dimensions, draws, model),
            )
        for of_table, frame in zip(kept.values(), frames, strict=True):
            of_table.keep(system, wanted, frame.assign(system=system))
        stale.append(system)
    for of_table in kept.values():
        of_table.sweep()
    log(f"{len(posterior.systems) - len(stale)} systems unchanged, {len(stale)} checked")
    return stale


def folder(home: Path, table: str) -> Path:
    """Where the parts of one of TABLES are kept, one a system."""
    return home / CHECKS / table


def code_version() -> str:
    """Hash of the modules that decide the checks."""
    return parts.code_version(__file__, _SOURCES, ("arviz", "numpy", "scipy"), below=fit_store.code_version())


def _answers(home: Path, system: str, dimensions: tuple[str, ...]) -> Answers:
    wanted = ["benchmark", "item", *(f"demand_{d}" for d in dimensions), f"score_{system}"]
    lacking = sorted(set(wanted) - set(pq.read_schema(home / ITEMS).names))
    if lacking:
        raise ValueError(
            f"{home / ITEMS} lacks {', '.join(lacking)}: it is of another refresh than the joint draws. "
            "Materialise estimate/prediction_input and estimate/joint_posterior."
        )
    return answers_of(pq.read_table(home / ITEMS, columns=wanted).to_pandas(), system, dimensions)


def _draws(posterior: Posterior, system: str) -> Draws:
    alpha = posterior.intercept.ravel()
    capability = posterior.capability[:, :, posterior.systems.index(system)].reshape(len(alpha), -1)
    chosen = np.linspace(0, len(alpha) - 1, min(MAX_DRAWS, len(alpha))).astype(int)
    return Draws(capability + alpha[:, None], alpha).at(chosen)


def _fingerprint(
    answers: Answers,
    dimensions: tuple[str, ...],
    draws: Draws,
    model: ModelOptions,
    max_khat: float,
    seed: int,
) -> str:
    said = [dimensions, asdict(model), max_khat, seed, code_version()]
    names = answers.benchmark, answers.item
    return parts.fingerprint_of(said, *names, answers.demand, answers.score, draws.ease, draws.alpha)
