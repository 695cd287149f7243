"""What validation found last, kept on disk: the same embedder over the same hierarchy is not validated again.

Belongs here: the key, the file, and which texts are embedded. Does not belong here: the correlation
(embedder_validation.py).
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.adoption.indices.embedder_validation import Validation, hierarchy, validate
from assets.common.atomic_write import atomic_write
from assets.embedding.embedders import Embedder

_log = logging.getLogger(__name__)


def validated(
    nodes: pd.DataFrame,
    embedder: Embedder,
    embed: Callable[[list[str]], npt.NDArray[np.float32]],
    folder: Path,
) -> list[Validation]:
    """As `validation.validate`; read from `folder` where that knows this embedder and these nodes.

    Args:
        nodes: as `validation.hierarchy`.
        embed: the embedder's, texts -> unit rows; called only where the result is not known.
    """
    nodes = nodes.sort_values(["level", "node_id", "parent_id"], ignore_index=True)
    digest = hashlib.sha256(f"2/{embedder.name}/{embedder.weights_sha256}".encode())
    digest.update(nodes[["level", "node_id", "text", "parent_id"]].to_json(orient="values").encode())
    path = folder / f"{digest.hexdigest()[:32]}.json"
    if path.is_file():
        try:
            return [Validation(**found) for found in json.loads(path.read_text(encoding="utf-8"))]
        except (ValueError, TypeError):
            _log.warning("%s is damaged; the embedder is validated again", path)
    graph = hierarchy(nodes)
    found = validate(graph, embed(graph.texts))
    for other in folder.glob("*"):
        other.unlink()
    with atomic_write(path) as fresh:
        fresh.write_text(json.dumps([asdict(one) for one in found]), encoding="utf-8")
    return found
