"""The embedded demo as it must be: written where it is absent or of another generator, swapped in whole.

Belongs here: the stamp and the swap. Does not belong here: writing it (generate.py).
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import tempfile
from pathlib import Path

from assets.demo import figures

STAMP = ".stamp"


def ensure_demo(folder: Path, *, n_items: int, seed: int) -> Path:
    """`folder`, holding the demo of `n_items` battery items under `seed`; written only where it isn't
    there yet.

    The stamp is a hash of both numbers and of this program with its tables, so a changed generator
    regenerates. All is written beside `folder` and renamed into place: a crash leaves the old demo or
    none, never half of one. Callers at the same time wait for the first.

    Raises:
        ValueError: fewer than 500 items: retention and clusters are noise there.
        FileExistsError: `folder` holds something that this program did not write.
    """
    if n_items < 500:
        raise ValueError(
            f"the demo needs at least 500 battery items, not {n_items}: set SUITABILITY_DEMO_ITEMS"
        )
    stamp = _stamp(n_items, seed)
    if _is_current(folder, stamp):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # held by the kernel: a killed process lets go of it
        if not _is_current(folder, stamp):
            _replace(folder, n_items, seed, stamp)
    return folder


def _is_current(folder: Path, stamp: str) -> bool:
    if not folder.exists():
        return False
    marker = folder / STAMP
    if not marker.is_file():
        raise FileExistsError(
            f"{folder} is no demo folder (it has no {STAMP}): move it away, nothing was written"
        )
    return marker.read_text(encoding="utf-8") == stamp


def _replace(folder: Path, n_items: int, seed: int, stamp: str) -> None:
    prefix = f".{folder.name}-"
    for leftover in folder.parent.glob(f"{prefix}*"):
        shutil.rmtree(leftover)
    workspace = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    fresh = workspace / "new"
    # seconds of imports that a demo which stands needs none of
    from assets.demo.generate import write_demo

    write_demo(fresh, n_items, seed)
    (fresh / STAMP).write_text(stamp, encoding="utf-8")
    if folder.exists():
        folder.rename(workspace / "old")
    fresh.rename(folder)
    shutil.rmtree(workspace)


def _stamp(n_items: int, seed: int) -> str:
    digest = hashlib.sha256(f"{n_items}/{seed}".encode())
    for path in (*sorted(figures.HERE.glob("*.py")), *figures.TABLES):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()
