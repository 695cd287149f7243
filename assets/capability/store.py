"""The slice's Parquet files: pooled responses in, posterior draws out, each written whole or not at all.

Belongs here: the files' layout, their fingerprints and atomic writing.
Does not belong here: sampling (fit.py), the warehouse (assets.py).
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from assets.capability.fit import Posterior, SamplerOptions
from assets.capability.layout import PooledResponses
from assets.capability.model import ModelOptions

INPUT = "posterior/input.parquet"
DRAWS = "posterior/draws.parquet"
_NOTE = b"suitability"
_SOURCES = ("layout.py", "model.py", "fit.py")


def write_responses(path: Path, responses: PooledResponses) -> None:
    """Pooled responses, long form (one row a system and demand pattern)."""
    _write(path, pa.Table.from_pandas(responses.to_frame(), preserve_index=False), {})


def read_responses(path: Path) -> PooledResponses:
    """Inverse of `write_responses`.

    Raises:
        FileNotFoundError: the file is missing; says which asset makes it.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: materialise the asset model/capability_input first.")
    return PooledResponses.from_frame(pq.read_table(path).to_pandas())


def write_posterior(path: Path, posterior: Posterior, fingerprint: str, *, is_converged: bool) -> None:
    """Draws, long form: system, dimension, chain, draw, value; the intercept's rows lack system and dimension."""
    intercept = intercept_frame(posterior).assign(system=None, dimension=None)
    frame = pd.concat([capability_frame(posterior), intercept], ignore_index=True)
    schema = pa.schema(
        [
            ("system", pa.string()),
            ("dimension", pa.string()),
            ("chain", pa.int64()),
            ("draw", pa.int64()),
            ("value", pa.float64()),
        ]
    )
    note = {
        "fingerprint": fingerprint,
        "is_converged": is_converged,
        "engine": posterior.engine,
        "systems": posterior.systems,
        "dimensions": posterior.dimensions,
        "n_chains": posterior.capability.shape[0],
        "n_divergent": posterior.n_divergent,
    }
    _write(path, pa.Table.from_pandas(frame, schema=schema, preserve_index=False), note)


def read_posterior(path: Path) -> Posterior:
    """Inverse of `write_posterior`.

    Raises:
        FileNotFoundError: the file is missing; says which asset makes it.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: materialise the asset model/system_posterior first.")
    table = pq.read_table(path)
    note = json.loads(table.schema.metadata[_NOTE])
    systems, dimensions = tuple(note["systems"]), tuple(note["dimensions"])
    frame = table.to_pandas()
    is_intercept = frame["system"].isna()
    intercept = (
        frame[is_intercept].sort_values(["chain", "draw"])["value"].to_numpy().reshape(note["n_chains"], -1)
    )
    ordered = frame[~is_intercept].sort_values(["chain", "draw", "system", "dimension"])
    shape = (*intercept.shape, len(systems), len(dimensions))
    capability = ordered["value"].to_numpy().reshape(shape)
    return Posterior(note["engine"], systems, dimensions, capability, intercept, note["n_divergent"])


def is_current(path: Path, fingerprint: str) -> bool:
    """The stored draws have this fingerprint and had converged, so that fitting again would change nothing."""
    try:
        note = json.loads(pq.read_schema(path).metadata[_NOTE])
    except (FileNotFoundError, pa.ArrowInvalid, TypeError, KeyError):
        return False
    return note["fingerprint"] == fingerprint and note["is_converged"]


def fingerprint(responses: PooledResponses, model: ModelOptions, sampler: SamplerOptions, engine: str) -> str:
    """sha256 of all that decides the draws: counts, demands, priors, sampler, engine, this code and its libraries."""
    digest = hashlib.sha256()
    libraries = {name: version(name) for name in ("nutpie", "pymc", "numpy", "scipy")}
    parts = [responses.systems, responses.dimensions, asdict(model), asdict(sampler), engine, libraries]
    digest.update(json.dumps(parts, sort_keys=True).encode())
    for array in (responses.demand, responses.passed, responses.attempted):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(code_version().encode())
    return digest.hexdigest()


def code_version() -> str:
    """Hash of the modules that decide the draws."""
    digest = hashlib.sha256()
    for name in _SOURCES:
        digest.update(Path(__file__).with_name(name).read_bytes())
    return digest.hexdigest()[:12]


def capability_frame(posterior: Posterior) -> pd.DataFrame:
    """model.capability_draw: system, dimension, chain, draw, value."""
    chains, draws, n_systems, n_dimensions = posterior.capability.shape
    n, k, chain, draw = np.indices((n_systems, n_dimensions, chains, draws)).reshape(4, -1)
    return pd.DataFrame(
        {
            "system": np.array(posterior.systems, dtype=object)[n],
            "dimension": np.array(posterior.dimensions, dtype=object)[k],
            "chain": chain,
            "draw": draw,
            "value": posterior.capability.transpose(2, 3, 0, 1).ravel(),
        }
    )


def intercept_frame(posterior: Posterior) -> pd.DataFrame:
    """model.intercept_draw: chain, draw, value."""
    chain, draw = np.indices(posterior.intercept.shape).reshape(2, -1)
    return pd.DataFrame({"chain": chain, "draw": draw, "value": posterior.intercept.ravel()})


def _write(path: Path, table: pa.Table, note: dict[str, object]) -> None:
    """Write beside the target, then rename: a crash leaves the last whole file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {**(table.schema.metadata or {}), _NOTE: json.dumps(note).encode()}
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        pq.write_table(table.replace_schema_metadata(metadata), beside, compression="zstd")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
