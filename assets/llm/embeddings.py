"""Texts to vectors by a server with an OpenAI-compatible /embeddings.

Belongs here: that request, in batches, and the check of what comes back. Does not belong here: keeping vectors and what
they are for (the slice that asks).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from assets.llm.roles import Limits, Model
from assets.llm.sending.provider import Provider, ProviderDown, Trouble

BATCH = 64


class EmbeddingError(RuntimeError):
    """A server gave no usable vectors; the message says which server and why."""


def embed_texts(model: Model, texts: Sequence[str], limits: Limits) -> list[list[float]]:
    """One vector a text, in order, of equal length.

    Raises:
        EmbeddingError: the server refuses, stays down, or returns other vectors than were asked for.
        RolesError: the variable with the key is unset.
    """
    return asyncio.run(_embed(model, texts, limits))


async def _embed(model: Model, texts: Sequence[str], limits: Limits) -> list[list[float]]:
    provider = Provider(model, limits)
    gate = asyncio.Semaphore(model.max_in_flight)

    async def one(part: Sequence[str]) -> list[list[float]]:
        body = {"model": model.model, "input": list(part), "encoding_format": "float"}

        async def post() -> Any:
            return await provider.client.post("/embeddings", body=body, cast_to=object)

        async with gate:
            return _vectors(await provider.steadily(post, model.timeout_seconds), len(part))

    try:
        async with provider.client:
            parts = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
            vectors = [vector for part in await asyncio.gather(*map(one, parts)) for vector in part]
    except (Trouble, ProviderDown, ValueError) as error:
        raise EmbeddingError(f"{model.base_url}, model {model.model}: {error}") from None
    if len({len(vector) for vector in vectors}) > 1:
        raise EmbeddingError(f"{model.base_url}, model {model.model}: vectors of different lengths")
    return vectors


def _vectors(reply: object, n: int) -> list[list[float]]:
    """The vectors of a reply, by the index each carries: servers may return them in any order.

    Raises:
        ValueError: not one vector of numbers for each of the `n` texts.
    """
    data = reply.get("data") if isinstance(reply, dict) else None
    rows = [row for row in data if isinstance(row, dict)] if isinstance(data, list) else []
    by_index = {row.get("index"): row.get("embedding") for row in rows}
    if len(rows) != n or set(by_index) != set(range(n)):
        raise ValueError(f"the reply holds {len(rows)} vectors for {n} texts")
    vectors = [v for i in range(n) if isinstance(v := by_index[i], list) and v]
    if len(vectors) != n or not all(type(x) in (int, float) for v in vectors for x in v):
        raise ValueError("the reply holds something else than vectors of numbers")
    return vectors
