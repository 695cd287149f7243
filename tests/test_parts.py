"""Kept parts: found by what decides them, made again where damaged, swept where nothing asks for them."""

from __future__ import annotations

import logging
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from assets import parts
from assets.parts import KeptParts, fingerprint_of, part_files, part_path

FRAME = pd.DataFrame({"system": ["a", "b"], "value": [1.0, 0.1 + 0.2]})


def test_a_part_is_held_until_what_decides_it_changes(tmp_path: Path) -> None:
    kept = KeptParts(tmp_path / "new" / "folder")
    assert not kept.holds("a", "f")
    kept.keep("a", "f", FRAME)
    assert kept.holds("a", "f") and not kept.holds("a", "g") and not kept.holds("A", "f")
    kept.keep("a", "g", FRAME[1:])
    assert kept.holds("a", "g") and not kept.holds("a", "f")
    assert pd.read_parquet(part_files(tmp_path / "new" / "folder")[0])["value"].tolist() == [0.1 + 0.2]


def test_sweeping_leaves_what_was_asked_for_alone(tmp_path: Path) -> None:
    first = KeptParts(tmp_path)
    for label in ("a", "b", "a/b"):
        first.keep(label, "f", FRAME)
    # what a killed process left behind
    (tmp_path / ".b.parquet.123").touch()
    again = KeptParts(tmp_path)
    assert again.holds("a/b", "f") and not again.holds("b", "of others") and not again.holds("c", "f")
    again.sweep()
    assert part_files(tmp_path) == sorted(part_path(tmp_path, label) for label in ("a/b", "b"))
    assert len(list(tmp_path.iterdir())) == 2
    KeptParts(tmp_path / "nowhere").sweep()


def test_a_damaged_part_is_told_and_not_held(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept = KeptParts(tmp_path)
    kept.keep("a", "f", pd.DataFrame({"value": np.random.default_rng(0).random(5000)}))
    path = part_path(tmp_path, "a")
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole)
    with caplog.at_level(logging.WARNING):
        assert not kept.holds("a", "f")
    assert f"{path} is damaged" in caplog.text
    kept.keep("a", "f", FRAME)
    assert kept.holds("a", "f")


def test_the_fingerprint_tells_values_types_shapes_and_places_apart() -> None:
    one = np.arange(6.0)
    different = [
        (one,), (one.reshape(2, 3),), (one.astype(np.float32),), (one[::-1],), (one, one), ([*one],), ("a", "b"),
        ("ab",), ("b", "a"), (["a", "b"],), (None,), (), ({"a": 1},), ({"a": True},),
        (np.array(["a", "b"], dtype=object), "c"), (np.array(["a"], dtype=object), "b", "c"),
    ]  # fmt: skip
    assert len({fingerprint_of(*decides) for decides in different}) == len(different)
    assert fingerprint_of({"a": 1, "b": 2}) == fingerprint_of({"b": 2, "a": 1})
    assert fingerprint_of(one.reshape(2, 3).T.copy()) == fingerprint_of(one.reshape(2, 3).T)
    with pytest.raises(TypeError):
        fingerprint_of(object())


def test_the_code_version_follows_sources_libraries_and_what_is_below(tmp_path: Path) -> None:
    beside = str(tmp_path / "me.py")
    (tmp_path / "one.py").write_text("1")
    (tmp_path / "two.py").write_text("2")
    first = parts.code_version(beside, ["one.py", "two.py"])
    assert parts.code_version(beside, ["one.py", "two.py"]) == first
    others = [
        parts.code_version(beside, ["one.py"]),
        parts.code_version(beside, ["one.py", "two.py"], ["numpy"]),
        parts.code_version(beside, ["one.py", "two.py"], below="f"),
    ]
    (tmp_path / "two.py").write_text("3")
    others.append(parts.code_version(beside, ["one.py", "two.py"]))
    assert len({first, *others}) == 5


def test_text_that_no_row_has_stays_text(tmp_path: Path) -> None:
    """A part without rows, or with NULL only, must not decide the type of the others' column."""
    kept = KeptParts(tmp_path)
    kept.keep("a", "f", FRAME.iloc[:0])
    kept.keep("b", "f", FRAME.assign(system=None).astype({"system": object}))
    kept.keep("c", "f", FRAME)
    rows = duckdb.read_parquet([str(path) for path in part_files(tmp_path)]).fetchall()
    assert rows == [(None, 1.0), (None, 0.1 + 0.2), ("a", 1.0), ("b", 0.1 + 0.2)]
