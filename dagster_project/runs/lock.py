"""The one-refresh-at-a-time lock: `<home>/refresh.lock`, held by the process that works on the warehouse.

Belongs here: taking, waiting for and naming the holder of that lock. Does not belong here: the retries of single
connections (resources.py) and Dagster's pools (instance.py).
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_held: set[Path] = set()


class HomeError(RuntimeError):
    """The home can't be written to."""


class RefreshRunningError(RuntimeError):
    """Another process is refreshing the same home."""


@contextmanager
def refresh_lock(home: Path, wait_seconds: float = 0) -> Iterator[None]:
    """Hold the lock of `home`; re-entrant within a process. The system frees it when the process dies.

    Raises:
        RefreshRunningError: another process held it for longer than `wait_seconds`; the message names its pid.
        HomeError: `home` can't be written to.
    """
    path = home / "refresh.lock"
    if path in _held:
        yield
        return
    try:
        home.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError as error:
        raise HomeError(
            f"{home} is not writable ({error.strerror}). Set SUITABILITY_HOME to another folder."
        ) from error
    deadline = time.monotonic() + wait_seconds
    with path.open("a+", encoding="utf-8") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() >= deadline:
                    raise RefreshRunningError(
                        f"Process {holder(home) or '(unknown)'} is already refreshing {home}. Wait until it has "
                        f"finished or stop it, then run the command again."
                    ) from error
                time.sleep(min(0.5, wait_seconds))
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        _held.add(path)
        try:
            yield
        finally:
            _held.discard(path)
            file.truncate(0)


def holder(home: Path) -> int | None:
    """Process id that holds the lock of `home`, None where nobody does."""
    path = home / "refresh.lock"
    if path in _held:
        return os.getpid()
    if not path.exists():
        return None
    with path.open("r", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            text = file.read().strip()
            return int(text) if text.isdigit() else None
    return None
