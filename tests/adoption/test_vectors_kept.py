"""What is kept of vectors and matches: only new texts are embedded, and damage costs time but no number."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from assets.adoption.match import matches
from assets.adoption.match.matches import Matches, match
from assets.adoption.match.matching import matcher_of
from assets.common.text_key import text_key
from assets.embedding import vectors
from assets.embedding.embedders import WordLlama
from assets.embedding.nearest import nearest
from assets.embedding.vectors import embed_cached
from assets.settings import Settings


class Counting:
    """An embedder that remembers what it was asked, and stops working after `most` texts."""

    name = "counting/1"
    weights_sha256 = "0" * 64
    dimension = 4
    query_prefix = "Q: "

    def __init__(self, most: int = 10**9) -> None:
        self.asked: list[str] = []
        self.most = most

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked += texts
        if len(self.asked) > self.most:
            raise KeyboardInterrupt
        made = np.array(
            [[len(text), sum(text.encode()) % 101, text.count("e") + 1, hash_of(text)] for text in texts],
            np.float32,
        ).reshape(len(texts), 4)
        unit: npt.NDArray[np.float32] = made / np.linalg.norm(made, axis=1, keepdims=True)
        return unit


def hash_of(text: str) -> int:
    return text_key(text) % 97


TEXTS = [f"text number {n}" for n in range(50)]


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "CHUNK", 8)
    monkeypatch.setattr(matches, "BLOCK", 8)


@pytest.mark.usefixtures("small_files")
def test_only_new_texts_are_embedded(tmp_path: Path) -> None:
    engine = Counting()
    first = embed_cached(TEXTS[:30], engine, tmp_path)
    assert engine.asked == TEXTS[:30]
    again = embed_cached([*TEXTS[:20:-1], *TEXTS[:30]], engine, tmp_path)
    assert sorted(engine.asked[30:]) == sorted(TEXTS[30:])
    assert again[-30:].tobytes() == first.tobytes()
    np.testing.assert_array_equal(again, Counting().embed([*TEXTS[:20:-1], *TEXTS[:30]]))


def test_a_text_that_stands_twice_is_embedded_once(tmp_path: Path) -> None:
    engine = Counting()
    found = embed_cached(["a", "b", "a"], engine, tmp_path)
    assert engine.asked == ["a", "b"] and found[0].tobytes() == found[2].tobytes() != found[1].tobytes()


def test_vectors_of_other_weights_are_not_taken(tmp_path: Path) -> None:
    embed_cached(TEXTS, Counting(), tmp_path)
    other = Counting()
    other.weights_sha256 = "1" * 64
    embed_cached(TEXTS, other, tmp_path)
    assert other.asked == TEXTS


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("damage", ["half", "empty", "other"])
def test_a_damaged_file_is_told_and_made_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    first = embed_cached(TEXTS, Counting(), tmp_path)
    path = sorted(tmp_path.glob("*/*.parquet"))[2]
    spoil(path, damage)
    engine = Counting()
    with caplog.at_level(logging.WARNING):
        again = embed_cached(TEXTS, engine, tmp_path)
    assert 1 <= len(engine.asked) <= 8
    assert path.name in caplog.text
    assert again.tobytes() == first.tobytes()
    untouched = Counting()
    embed_cached(TEXTS, untouched, tmp_path)
    assert untouched.asked == []


@pytest.mark.usefixtures("small_files")
def test_a_killed_run_loses_only_what_it_had_not_written(tmp_path: Path) -> None:
    killed = Counting(most=20)
    with pytest.raises(KeyboardInterrupt):
        embed_cached(TEXTS, killed, tmp_path)
    engine = Counting()
    found = embed_cached(TEXTS, engine, tmp_path)
    assert engine.asked == TEXTS[16:]
    np.testing.assert_array_equal(found, Counting().embed(TEXTS))


@pytest.mark.parametrize("step", ["write", "rename"])
def test_a_run_killed_in_mid_write_leaves_nothing_that_is_taken_for_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    real = Path.write_bytes

    def killed(path: Path, content: bytes) -> int:
        real(path, bytes(content)[: len(content) // 2 if step == "write" else len(content)])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", killed)
        with pytest.raises(KeyboardInterrupt):
            embed_cached(TEXTS, Counting(), tmp_path)
    assert len(list(tmp_path.glob("*/.*"))) == 1
    engine = Counting()
    np.testing.assert_array_equal(embed_cached(TEXTS, engine, tmp_path), Counting().embed(TEXTS))
    assert engine.asked == TEXTS


@pytest.mark.usefixtures("small_files")
def test_no_flipped_bit_of_a_file_changes_a_number(tmp_path: Path) -> None:
    first = embed_cached(TEXTS[:8], Counting(), tmp_path)
    known = matched(TEXTS[:8], tmp_path / "matches", Counting())
    n_flipped = 0
    for path in (*tmp_path.glob("counting*/*.parquet"), *tmp_path.glob("matches/*/*.parquet")):
        whole = path.read_bytes()
        for at in range(0, len(whole), len(whole) // 50):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
            engine = Counting()
            assert embed_cached(TEXTS[:8], engine, tmp_path).tobytes() == first.tobytes(), at
            again = matched(TEXTS[:8], tmp_path / "matches", engine)
            assert (again.task.tobytes(), again.cosine.tobytes()) == (
                known.task.tobytes(),
                known.cosine.tobytes(),
            ), at
            assert len(engine.asked) == 8
            n_flipped += 1
    assert n_flipped > 100


def spoil(path: Path, damage: str) -> None:
    content = path.read_bytes()
    path.write_bytes({"half": content[: len(content) // 2], "empty": b"", "other": b"PAR1PAR1"}[damage])


TASKS = pd.DataFrame(
    {"task_text_id": [str(n) for n in range(12)], "text": [f"task {n * n}" for n in range(12)]}
)


def matched(
    texts: list[str],
    folder: Path,
    engine: Counting,
    tasks: pd.DataFrame = TASKS,
    in_use: Sequence[str] = TEXTS,
) -> Matches:
    keys = np.array([text_key(text) for text in texts])
    of = dict(zip(keys.tolist(), texts, strict=True))

    def texts_of(asked: npt.NDArray[np.int64]) -> list[str]:
        return [of[key] for key in asked.tolist()]

    stay = np.array([text_key(text) for text in in_use])
    return match(keys, texts_of, tasks, Counting().embed, engine.embed, nearest, folder, engine, stay)


@pytest.mark.usefixtures("small_files")
def test_only_new_requests_are_matched(tmp_path: Path) -> None:
    engine = Counting()
    first = matched(TEXTS[:30], tmp_path, engine)
    assert (first.n_new, len(engine.asked)) == (30, 30)
    again = matched([*TEXTS[::-1], TEXTS[3].upper()], tmp_path, engine)
    assert (again.n_new, sorted(engine.asked[30:])) == (20, sorted(TEXTS[30:]))
    whole = matched([*TEXTS[::-1], TEXTS[3]], tmp_path / "other", Counting())
    np.testing.assert_array_equal(again.task, whole.task)
    np.testing.assert_array_equal(again.cosine, whole.cosine)


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("damage", ["half", "empty", "other"])
def test_damaged_matches_are_told_and_made_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    first = matched(TEXTS, tmp_path, Counting())
    path = sorted(tmp_path.glob("*/*.parquet"))[2]
    spoil(path, damage)
    engine = Counting()
    with caplog.at_level(logging.WARNING):
        again = matched(TEXTS, tmp_path, engine)
    assert path.name in caplog.text and 1 <= len(engine.asked) <= 8
    np.testing.assert_array_equal(again.task, first.task)
    np.testing.assert_array_equal(again.cosine, first.cosine)


def test_other_tasks_or_another_embedder_match_anew(tmp_path: Path) -> None:
    matched(TEXTS, tmp_path, Counting())
    engine = Counting()
    assert matched(TEXTS, tmp_path, engine, TASKS.iloc[1:].reset_index(drop=True)).n_new == 50
    engine.weights_sha256 = "1" * 64
    assert matched(TEXTS, tmp_path, engine).n_new == 50
    # what others found does not stay
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.usefixtures("small_files")
def test_a_match_stays_as_long_as_its_request_is_in_use(tmp_path: Path) -> None:
    matched(TEXTS, tmp_path, Counting())
    # those asked for, and others that may be asked for again
    found = matched(TEXTS[:10], tmp_path, Counting(), in_use=TEXTS[:25])
    held = pd.concat(pd.read_parquet(path) for path in found.parts)
    assert sorted(held["request_key"]) == sorted(text_key(text) for text in TEXTS[:25])
    assert found.parts == sorted(tmp_path.rglob("*.parquet"))
    gone = [text_key(text).to_bytes(8, "little") for text in TEXTS[25:]]
    assert not [path for path in tmp_path.rglob("*.*") for key in gone if key in path.read_bytes()]
    whole = matched(TEXTS[:25], tmp_path / "scratch", Counting(), in_use=TEXTS[:25])
    again = Counting()
    rest = matched(TEXTS[:25], tmp_path, again, in_use=TEXTS[:25])
    assert again.asked == [] and rest.task.tobytes() == whole.task.tobytes()
    assert rest.cosine.tobytes() == whole.cosine.tobytes()


def test_what_a_killed_run_left_half_done_does_not_stay(tmp_path: Path) -> None:
    store = matched(TEXTS, tmp_path, Counting()).parts[0].parent
    (store / ".half.1").write_bytes(b"keys")
    matched(TEXTS, tmp_path, Counting())
    assert not (store / ".half.1").exists()


@pytest.mark.parametrize("is_known", [False, True])
def test_spellings_of_one_request_match_alike_in_any_order_and_after_any_run(
    tmp_path: Path, is_known: bool
) -> None:
    """wordllama hears capitals; the key by which matches are kept doesn't."""
    settings = [
        Settings(home=tmp_path / name, sources=tmp_path, embedder="wordllama") for name in ("one", "other")
    ]
    tasks = pd.DataFrame(
        {
            "task_text_id": ["1", "2", "3", "4"],
            "text": [
                "Translate contracts.",
                "Write poems and songs.",
                "Weigh parcels.",
                "Teach pupils maths.",
            ],
        }
    )
    loud, low = "WRITE A CONTRACT  TRANSLATION FOR ME", "write a contract translation for me"
    key = text_key(loud)
    assert key == text_key(low)

    def found(spellings: list[str], own: Settings) -> Matches:
        keys = np.array([key] * len(spellings))
        return matcher_of(tasks, own)(keys, lambda asked: spellings[: len(asked)], keys)

    if is_known:
        found([loud], settings[0])
        found([low], settings[1])
    one, other = found([loud, low], settings[0]), found([low, loud], settings[1])
    np.testing.assert_array_equal(one.cosine, other.cosine)
    np.testing.assert_array_equal(one.task, other.task)
    # and both as the embedder hears the lower case
    vectors = WordLlama().embed([low, *tasks["text"]])
    np.testing.assert_allclose(one.cosine[0], np.sort(vectors[1:] @ vectors[0])[:0:-1], atol=2e-6)
