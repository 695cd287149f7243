"""The slice's Parquet files: pooled responses in, posterior draws out, each written whole or not at all.

Belongs here: the files' layout, their fingerprints and atomic writing.
Does not belong here: sampling (fit_quality.py), the warehouse (assets.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from assets import parts
from assets.capability.fit.factorised import SystemFit
from assets.capability.fit.fit_quality import Posterior, Quality
from assets.capability.fit.layout import PooledResponses
from assets.capability.fit.model import ModelOptions
from assets.parts import DamagedFileError, part_path, write_noted

INPUT = "posterior/responses.parquet"
DRAWS = "posterior/draws.parquet"
SYSTEMS = "posterior/systems"
# columns of fits and draws: what is no number there would spread to every system through the shared intercept
_FINITE = ("ease_", "weight", "value", "intercept")
_SOURCES = ("layout.py", "model.py", "nuts.py", "importance_sampling.py", "factorised.py", "engine.py")


def write_responses(path: Path, responses: PooledResponses) -> None:
    """Pooled responses, a row a demand pattern."""
    write_noted(path, pa.Table.from_pandas(responses.to_frame(), preserve_index=False), {})


def read_responses(path: Path) -> PooledResponses:
    """Inverse of `write_responses`.

    Raises:
        FileNotFoundError: the file is missing; says which asset makes it.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: materialise the asset estimate/capability_input first.")
    return PooledResponses.from_frame(_read(path)[0].to_pandas())


def write_posterior(path: Path, posterior: Posterior, fingerprint: str, *, is_converged: bool) -> None:
    """Draws, long form: the columns of estimate.capability_draw and the intercept that belongs to each draw."""
    note = {
        "fingerprint": fingerprint,
        "is_converged": is_converged,
        "engine": posterior.engine,
        "systems": posterior.systems,
        "dimensions": posterior.dimensions,
        "n_chains": posterior.capability.shape[0],
        "n_divergent": posterior.n_divergent,
        "ebfmi": posterior.ebfmi,
        "fits": [vars(quality) for quality in posterior.fits],
    }
    write_noted(path, draw_table(posterior), note)


def read_posterior(path: Path) -> Posterior:
    """Inverse of `write_posterior`.

    Raises:
        FileNotFoundError: the file is missing; says which asset makes it.
        DamagedFileError: it can't be read, or holds what is no number.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: materialise the asset estimate/joint_posterior first.")
    table, note = _read(path)
    systems, dimensions = tuple(note["systems"]), tuple(note["dimensions"])
    n_draws = len(table) // max(1, len(systems) * len(dimensions))
    intercept = table["intercept"][:n_draws].to_numpy().reshape(note["n_chains"], -1)
    by_row = table["value"].to_numpy().reshape(len(systems), len(dimensions), *intercept.shape)
    capability = np.ascontiguousarray(by_row.transpose(2, 3, 0, 1))
    fits = tuple(Quality(**quality) for quality in note["fits"])
    figures = note["n_divergent"], fits, note["ebfmi"]
    return Posterior(note["engine"], systems, dimensions, capability, intercept, *figures)


def system_path(home: Path, system: str) -> Path:
    """File of one system's own fit; any name makes a legal file name."""
    return part_path(home / SYSTEMS, system)


def write_system(path: Path, fit: SystemFit, dimensions: tuple[str, ...], fingerprint: str) -> None:
    """Weighted draws of one system's ease: one column a dimension, and `weight`."""
    columns = {f"ease_{dimension}": fit.ease[:, k] for k, dimension in enumerate(dimensions)}
    note = {
        "fingerprint": fingerprint,
        "is_converged": True,
        "engine": fit.engine,
        "khat": fit.khat,
        "rhat": fit.rhat,
        "n_divergent": fit.n_divergent,
        "efficiency": fit.efficiency,
        "ebfmi": fit.ebfmi,
    }
    write_noted(path, pa.table({**columns, "weight": fit.weight}), note)


def read_system(path: Path, system: str, dimensions: tuple[str, ...]) -> tuple[SystemFit, str]:
    """Inverse of `write_system`, with the fingerprint.

    Raises:
        FileNotFoundError: the system has not been fitted; says what to materialise.
        DamagedFileError: its file can't be read, or holds what is no number.
    """
    if not path.exists():
        raise FileNotFoundError(
            f"{system!r} has no fit of its own: materialise partition {system!r} of estimate/system_posterior."
        )
    table, note = _read(path)
    ease = np.column_stack([table[f"ease_{dimension}"].to_numpy() for dimension in dimensions])
    figures = {name: note[name] for name in ("khat", "rhat", "n_divergent", "efficiency", "ebfmi")}
    return SystemFit(note["engine"], ease, table["weight"].to_numpy(), **figures), note["fingerprint"]


def remove_systems(home: Path, keep: tuple[str, ...]) -> list[str]:
    """Remove the fits of systems that are not in `keep`; return the names of the files removed."""
    kept = {system_path(home, system) for system in keep}
    gone = [path for path in parts.part_files(home / SYSTEMS) if path not in kept]
    for path in gone:
        path.unlink()
    return [path.stem for path in gone]


def wipe_system(home: Path, system: str) -> bool:
    """Remove the fit of one system; False where there is none."""
    path = system_path(home, system)
    if not path.exists():
        return False
    path.unlink()
    return True


def is_current(path: Path, fingerprint: str) -> bool:
    """The stored draws have this fingerprint and had converged, so that fitting again would change nothing."""
    return stored_fingerprint(path) == fingerprint


def stored_fingerprint(path: Path) -> str | None:
    """Fingerprint of the stored draws; None where there are none, or none that converged.

    A damaged file counts as none; a warning names it.
    """
    return parts.stored_fingerprint(path, _read)


def fingerprint(
    responses: PooledResponses, model: ModelOptions, engine: str, choices: Mapping[str, object]
) -> str:
    """sha256 of all that decides the draws: counts, demands, priors, engine, this code and its libraries.

    Args:
        choices: what else decides this engine's draws: its seed, how long it samples, when it falls back.
    """
    libraries = {name: version(name) for name in ("arviz", "nutpie", "pymc", "numpy", "scipy")}
    said = [responses.systems, responses.dimensions, asdict(model), engine, libraries, choices]
    counts = responses.demand, responses.passed, responses.attempted
    return parts.fingerprint_of(said, *counts, code_version())


def code_version() -> str:
    """Hash of the modules that decide the draws."""
    return parts.code_version(__file__, _SOURCES)


def draw_table(posterior: Posterior) -> pa.Table:
    """Rows of estimate.capability_draw (system, dimension, chain, draw, value) in that order, and `intercept`.

    Names are kept as numbers of a dictionary: a catalogue has tens of millions of rows.
    """
    chains, draws, n_systems, n_dimensions = posterior.capability.shape
    n_each = chains * draws
    system = np.repeat(np.arange(n_systems, dtype=np.int32), n_dimensions * n_each)
    dimension = np.tile(np.repeat(np.arange(n_dimensions, dtype=np.int32), n_each), n_systems)
    times = n_systems * n_dimensions
    return pa.table(
        {
            "system": pa.DictionaryArray.from_arrays(system, pa.array(posterior.systems, pa.string())),
            "dimension": pa.DictionaryArray.from_arrays(
                dimension, pa.array(posterior.dimensions, pa.string())
            ),
            "chain": np.tile(np.repeat(np.arange(chains), draws), times),
            "draw": np.tile(np.arange(draws), chains * times),
            "value": posterior.capability.transpose(2, 3, 0, 1).ravel(),
            "intercept": np.tile(posterior.intercept.ravel(), times),
        }
    )


def intercept_frame(posterior: Posterior) -> pd.DataFrame:
    """estimate.intercept_draw: chain, draw, value."""
    chain, draw = np.indices(posterior.intercept.shape).reshape(2, -1)
    return pd.DataFrame({"chain": chain, "draw": draw, "value": posterior.intercept.ravel()})


def _read(path: Path) -> tuple[pa.Table, dict[str, Any]]:
    """The table, its checksums verified, and its note."""
    table, note = parts.read_noted(path)
    for name in table.column_names:
        if name.startswith(_FINITE) and not np.isfinite(table[name].to_numpy()).all():
            raise DamagedFileError(f"{path} is damaged ({name} is not finite). Remove it, then refresh.")
    return table, note
