"""Temporary files that libraries write and never remove.

Belongs here: sweeping them. Does not belong here: files of our own (atomic_write.py).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def scratch_dir() -> Iterator[None]:
    """What is written to the temporary folder meanwhile, by this process, goes at the end."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="suitability-") as folder:
        tempfile.tempdir = folder
        try:
            yield
        finally:
            tempfile.tempdir = before
