"""The settings' embedder and search as one function from requests to tasks.

Belongs here: putting them together. Does not belong here: any of them (embedders.py, vectors.py, nearest.py,
matches.py).
"""

from __future__ import annotations

import os
import shutil
from functools import partial

import numpy as np
import numpy.typing as npt
import pandas as pd

from assets.adoption.funnel.steps import Matcher
from assets.adoption.match.matches import Keys, Matches, Texts, match, nothing_to_match
from assets.embedding.embedders import load_embedder
from assets.embedding.nearest import nearest
from assets.embedding.vectors import embed_cached
from assets.settings import Settings


def matcher_of(tasks: pd.DataFrame, settings: Settings) -> Matcher:
    """The matcher of `settings.embedder` over `tasks` (task_text_id, text); the embedder is loaded when it is called.

    Raises, when called: EmbedderError, RolesError.
    """
    folder = settings.home / "adoption"

    def matcher(keys: Keys, texts_of: Texts, in_use: Keys) -> Matches:
        if not len(keys):
            shutil.rmtree(folder / "matches", ignore_errors=True)
            return nothing_to_match()
        engine = load_embedder(settings)

        def embed_tasks(texts: list[str]) -> npt.NDArray[np.float32]:
            return embed_cached(texts, engine, folder / "vectors")

        def embed_requests(texts: list[str]) -> npt.NDArray[np.float32]:
            return engine.embed([f"{engine.query_prefix}{text}" for text in texts])

        # exact on any number of threads: nearest() decides by sums that don't depend on them
        search = partial(nearest, threads=len(os.sched_getaffinity(0)))
        place = folder / "matches"
        return match(keys, texts_of, tasks, embed_tasks, embed_requests, search, place, engine, in_use)

    return matcher
