"""Files that stand whole or not at all.

Belongs here: writing beside, then renaming. Does not belong here: what is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """A place beside `path` to write to, which takes the place of `path` at the end.

    A crash leaves the old file; what is renamed is on the disk, so a loss of power leaves no empty file either.
    """
    # what a link points to is replaced, not the link
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield fresh
        with fresh.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
