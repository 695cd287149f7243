"""Rubrics: the project's own hold their form, and each kind of fault is told with file and line."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from assets.battery.capability_rubrics import FOLDER, read_rubrics
from assets.common.capabilities import capability_names
from assets.common.rubric_text import RubricError


def test_every_capability_has_its_rubric() -> None:
    rubrics = read_rubrics()
    assert list(rubrics) == list(capability_names()) and len(rubrics) == 18
    for capability, rubric in rubrics.items():
        raw = (FOLDER / f"{capability}.md").read_bytes()
        assert rubric.version == hashlib.sha256(raw).hexdigest()
        assert rubric.text.encode() == raw


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "rubrics"))


def line_of(path: Path, text: str) -> int:
    return path.read_text(encoding="utf-8").split("\n").index(text) + 1


@pytest.mark.parametrize(
    ("old", "new", "at", "what"),
    [
        ("### 3\n", "### 3a\n", "## Boundaries", "levels are 0, 1, 2, 3a, 4, 5; must be 0, 1, 2, 3, 4, 5"),
        ("### 2\n", "### 2\n\nOne thing more.\n", "### 2", "level 2 has 2 descriptors; must have one"),
        ("- What is 7 + 5?\n", "", "### 0", "level 0 has 2 examples; at least 3"),
        ("## Levels\n", "## Scale\n", "## Boundaries", "must be Definition, Levels, Boundaries"),
        ("(WM)", "(Wm)", "## Boundaries", ""),
        ("# OP: Object Permanence", "# OP: Objects", None, "the one title must be '# OP: Object Permanence'"),
        ("- What is 7 + 5?", "- WHICH of two words is a verb", "- Which of two words is a verb?", "already"),
        ("- What is 7 + 5?", "- Work out 17 × 6.", "- Work out 17 × 6.", "EM.md, line"),
    ],
)
def test_a_fault_is_told_with_file_and_line(
    folder: Path, old: str, new: str, at: str | None, what: str
) -> None:
    path = folder / "OP.md"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    if not what:
        # two neighbours are left when one of three is misspelt
        assert len(read_rubrics(folder)) == 18
        return
    with pytest.raises(RubricError) as caught:
        read_rubrics(folder)
    assert what in str(caught.value)
    assert f"{path}, line {line_of(path, at) if at else 1}: " in str(caught.value)


def test_files_and_capabilities_match(folder: Path) -> None:
    (folder / "OP.md").rename(folder / "XX.md")
    with pytest.raises(RubricError) as caught:
        read_rubrics(folder)
    assert str(caught.value).split("\n") == [
        f"{folder / 'OP.md'}: absent, but OP is a capability",
        f"{folder / 'XX.md'}: XX is no capability",
    ]


def test_neighbours_are_needed(folder: Path) -> None:
    path = folder / "OP.md"
    text = path.read_text(encoding="utf-8").replace("(WM)", "(none)").replace("(SRaN)", "(none)")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RubricError, match=r"OP\.md, line \d+: names 1 other capabilities"):
        read_rubrics(folder)


def test_a_byte_that_is_no_text_is_told(folder: Path) -> None:
    path = folder / "L.md"
    path.write_bytes(path.read_bytes().replace(b"## Levels", b"## Levels\xff"))
    line = path.read_bytes()[: path.read_bytes().index(b"\xff")].count(b"\n") + 1
    with pytest.raises(RubricError, match=rf"L\.md, line {line}: a byte that is not UTF-8"):
        read_rubrics(folder)


def test_one_changed_byte_is_another_version(folder: Path) -> None:
    before = read_rubrics(folder)
    (folder / "L.md").write_bytes((folder / "L.md").read_bytes() + b"\n")
    after = read_rubrics(folder)
    assert [c for c in after if after[c].version != before[c].version] == ["L"]
