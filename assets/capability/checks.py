"""Checks of each system's posterior against its items, made again only where the draws or the items changed.

Belongs here: which checks are stale, their files, and the tables these add up to.
Does not belong here: the checks themselves (prediction.py, influence.py), Dagster.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from rich.progress import track
from threadpoolctl import threadpool_limits

from assets.capability import store
from assets.capability.fit import Posterior
from assets.capability.influence import most_influential
from assets.capability.items import Answers, Draws, answers_of, item_table
from assets.capability.model import ModelOptions
from assets.capability.prediction import characteristic_curve, held_out_predictions
from assets.settings import Settings

ITEMS = "posterior/items.parquet"
CHECKS = "posterior/checks"
TABLES = ("item_prediction", "characteristic_curve", "item_influence")
# more joint draws than this add time, not digits that matter
MAX_DRAWS = 4000
_SOURCES = ("items.py", "prediction.py", "influence.py")


def write_items(home: Path, demand: pd.DataFrame, response: pd.DataFrame) -> int:
    """Write the item-level table of `int_demand` and `int_response`; return its number of items."""
    items = item_table(demand, response)
    store.write_frame(home / ITEMS, items)
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
            f"{home / ITEMS} is missing: materialise the asset model/prediction_input first."
        )
    posterior, model = store.read_posterior(home / store.DRAWS), ModelOptions.of(settings)
    for table in TABLES:
        store.remove_systems(home, posterior.systems, _folder(table))
    stale = []
    for system in track(posterior.systems, "checking systems", disable=not sys.stderr.isatty()):
        answers, draws = _answers(home, system, posterior.dimensions), _draws(posterior, system)
        seed = settings.seed_for("posterior_check", system)
        wanted = _fingerprint(answers, posterior.dimensions, draws, model, settings.max_khat, seed)
        paths = {table: store.system_path(home, system, _folder(table)) for table in TABLES}
        if all(store.is_current(path, wanted) for path in paths.values()):
            continue
        # one thread: the same bytes on any number of cores
        with threadpool_limits(limits=1):
            frames = (
                held_out_predictions(answers, draws, model, settings.max_khat, seed),
                characteristic_curve(answers, posterior.dimensions, draws, model, seed),
                most_influential(answers, posterior.dimensions, draws, model),
            )
        for table, frame in zip(TABLES, frames, strict=True):
            store.write_frame(paths[table], frame.assign(system=system), wanted)
        stale.append(system)
    log(f"{len(posterior.systems) - len(stale)} systems unchanged, {len(stale)} checked")
    return stale


def read_checks(home: Path, columns: dict[str, list[str]]) -> dict[str, pd.DataFrame]:
    """The stored checks of all systems of the joint posterior; `columns` of each table, for where there are none."""
    systems = store.read_posterior(home / store.DRAWS).systems
    tables = {}
    for table in TABLES:
        frames = [
            pq.read_table(store.system_path(home, system, _folder(table))).to_pandas() for system in systems
        ]
        tables[table] = (
            pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns[table])
        )
    return tables


def code_version() -> str:
    """Hash of the modules that decide the checks."""
    digest = hashlib.sha256(store.code_version().encode())
    for name in _SOURCES:
        digest.update(Path(__file__).with_name(name).read_bytes())
    return digest.hexdigest()[:12]


def _folder(table: str) -> str:
    return f"{CHECKS}/{table}"


def _answers(home: Path, system: str, dimensions: tuple[str, ...]) -> Answers:
    wanted = ["benchmark", "item", *(f"demand_{d}" for d in dimensions), f"score_{system}"]
    lacking = sorted(set(wanted) - set(pq.read_schema(home / ITEMS).names))
    if lacking:
        raise ValueError(
            f"{home / ITEMS} lacks {', '.join(lacking)}: it is of another refresh than the joint draws. "
            "Materialise model/prediction_input and model/joint_posterior."
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
    libraries = {name: version(name) for name in ("arviz", "numpy", "scipy")}
    parts = [dimensions, asdict(model), max_khat, seed, libraries, code_version()]
    names = [answers.benchmark.tolist(), answers.item.tolist()]
    digest = hashlib.sha256(json.dumps([*parts, *names], sort_keys=True).encode())
    for array in (answers.demand, answers.score, draws.ease, draws.alpha):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
