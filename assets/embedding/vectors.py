"""Vectors kept on disk by embedder and text, so that each text is embedded once.

Belongs here: which texts are known. Does not belong here: the files (parquet_cache.py), embedding (embedders.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from assets.embedding.embedders import Embedder, Vectors
from assets.embedding.parquet_cache import keep, kept

# texts that a killed run may have to embed again
CHUNK = 8192


# changes with the arithmetic that the same weights are run by: it decides the last bits
_ARITHMETIC = 2


def embed_cached(texts: Sequence[str], embedder: Embedder, folder: Path) -> Vectors:
    """Unit vectors of `texts` (n × dimension, their order); only texts that `folder` doesn't know are embedded.

    A file that isn't as it was written is told in the log and made anew.
    """
    keys = [_key(text) for text in texts]
    place = folder / f"{quote(embedder.name, safe='')[:80]}-{embedder.weights_sha256[:12]}-{_ARITHMETIC}"
    vectors = np.zeros((len(texts), embedder.dimension), dtype=np.float32)
    rows_of: dict[bytes, list[int]] = {}
    for row, key in enumerate(keys):
        rows_of.setdefault(key, []).append(row)
    missing = dict.fromkeys(rows_of)
    for _, table in kept(place):
        flat = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        values = flat.reshape(table.num_rows, embedder.dimension)
        for at, key in enumerate(table["text_sha256"].to_pylist()):
            if key in missing:
                del missing[key]
                vectors[rows_of[key]] = values[at]
    new = list(missing)
    for start in range(0, len(new), CHUNK):
        part = new[start : start + CHUNK]
        values = embedder.embed([texts[rows_of[key][0]] for key in part])
        _write(place, part, values)
        for at, key in enumerate(part):
            vectors[rows_of[key]] = values[at]
    return vectors


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _write(place: Path, keys: list[bytes], values: Vectors) -> None:
    flat = pa.array(np.ascontiguousarray(values).reshape(-1), type=pa.float32())
    table = pa.table(
        {
            "text_sha256": pa.array(keys, type=pa.binary(32)),
            "vector": pa.FixedSizeListArray.from_arrays(flat, values.shape[1]),
        }
    )
    keep(table, place)
