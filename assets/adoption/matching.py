"""The settings' embedder and search as one function from requests to tasks.

Belongs here: putting them together. Does not belong here: any of them (embedders.py, vectors.py, nearest.py, matches.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.adoption.embedders import Embedder, load_embedder
from assets.adoption.matches import NEAREST, Matches, match
from assets.adoption.nearest import nearest
from assets.adoption.vectors import embed_cached
from assets.settings import Settings


@dataclass(frozen=True)
class TaskMatcher:
    """Calls give the nearest tasks; without requests or tasks no embedder is run."""

    tasks: pd.DataFrame
    engine: Embedder
    folder: Path

    @property
    def embedder(self) -> str:
        return self.engine.name

    @property
    def weights_sha256(self) -> str:
        return self.engine.weights_sha256

    def __call__(self, requests: pd.DataFrame) -> Matches:
        """Raises as the embedder does."""
        if requests.empty:
            k = min(NEAREST, len(self.tasks))
            return Matches(np.empty((0, k), np.int32), np.empty((0, k)), 0)
        name = f"{self.embedder}/{self.weights_sha256}"
        return match(requests, self.tasks, self._embed, nearest, self.folder / "matches", name)

    def _embed(self, texts: list[str]) -> npt.NDArray[np.float32]:
        return embed_cached(texts, self.engine, self.folder / "vectors")


def matcher_of(tasks: pd.DataFrame, settings: Settings) -> TaskMatcher:
    """The matcher of `settings.embedder` over `tasks` (task_text_id, text)."""
    return TaskMatcher(tasks, load_embedder(settings), settings.home / "adoption")
