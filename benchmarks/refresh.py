"""What a refresh costs in processor seconds: the first, one without a change, and one after each of a few changes.

    nice python -m benchmarks.refresh <folder of inputs>

The folder is copied first; nothing is written to it. Each line names the change, processor seconds of the command and
its processes, peak memory of the largest, how many tables were made, and the ratio to the first refresh.

Belongs here: whole refreshes by command line. Does not belong here: parts of one (the other modules).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

GIB_OF_KIB = 1 / 1024**2


def nothing(sources: Path) -> None:
    """No change at all."""


def touch(sources: Path) -> None:
    """Other times, the same bytes."""
    for path in sources.rglob("*"):
        os.utime(path)


def add_results(sources: Path) -> None:
    """A results file more: every second answer of another."""
    (path, *_) = sorted((sources / "battery" / "results").glob("*.csv"))
    header, *rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.with_name("a-new-system.csv").write_text(header + "".join(rows[::2]), encoding="utf-8")


def change_survey(sources: Path) -> None:
    """The last respondent of the largest export leaves."""
    path = max((sources / "survey").glob("*.csv"), key=lambda one: one.stat().st_size)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-1]), encoding="utf-8")


CHANGES: dict[str, Callable[[Path], None]] = {
    "first": nothing,
    "nothing changed": nothing,
    "all files touched": touch,
    "one new results file": add_results,
    "one survey answer less": change_survey,
}


def main(given: Path) -> None:
    """Refresh after each change in turn and print what it took."""
    with TemporaryDirectory() as folder:
        sources = Path(folder) / "sources"
        shutil.copytree(given, sources)
        first = 0.0
        for name, change in CHANGES.items():
            change(sources)
            seconds, gib, told = _refresh(sources, Path(folder) / "home")
            first = first or seconds
            print(
                f"{name:24} {seconds:7.1f} s  {gib:5.2f} GiB  {seconds / first:6.3f} of the first  {told}",
                flush=True,
            )


def _refresh(sources: Path, home: Path) -> tuple[float, float, str]:
    environment = os.environ | {"SUITABILITY_SOURCES": str(sources), "SUITABILITY_HOME": str(home)}
    log = home.with_name("refresh.log")
    with log.open("w", encoding="utf-8") as out:
        command = [sys.executable, "-m", "dagster_project.cli", "refresh"]
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
        _, status, used = os.wait4(process.pid, 0)
    output = log.read_text(encoding="utf-8")
    if status:
        raise SystemExit(output)
    made = re.search(r"\d+ assets made.*|nothing .*", output)
    return used.ru_utime + used.ru_stime, used.ru_maxrss * GIB_OF_KIB, made[0] if made else ""


if __name__ == "__main__":
    main(Path(sys.argv[1]))
