"""What raw tables are made from: the reader's code alone, and every file of the project that readers look into."""

from __future__ import annotations

import re

import pytest

from assets.settings import PROJECT
from assets.sources import readers
from assets.sources.inputs import BY_NAME
from assets.versions import imported

READERS = sorted({getattr(readers, name).__module__ for name in readers.__all__ if name.startswith("read_")})


@pytest.mark.parametrize("module", READERS)
def test_a_reader_does_not_follow_all_others(module: str) -> None:
    """The package names each reader, so whoever imports a module through it would be made anew with any of them."""
    assert module in imported(module) and "assets.sources.readers" not in imported(module)


def test_seeds_that_python_reads_are_an_input() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted((PROJECT / "assets").rglob("*.py"))]
    read = {place for text in texts for place in re.findall(r'PROJECT / "(dbt/seeds/[^"]+)"', text)}
    assert read == {location for location, _ in BY_NAME["names"].locations}
