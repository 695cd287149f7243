"""A walk over states of inputs, code and settings, and what a refresh from scratch makes of each: the oracle.

Belongs here: a copy of the project with few inputs, the changes a walk may make, refreshes, and comparing what they
publish. Does not belong here: which walks are taken and what must hold (test_oracle.py).
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from assets.demo.ensure import ensure_demo
from assets.settings import PROJECT

WORK = "project/assets/work"
# the refresh itself; of files of inputs all but their times is compared, see `published`
_OF_THE_REFRESH = {"refresh", "refresh_step", "source_file"}
_FOLDERS = ("assets", "dagster_project", "dbt", "expectations", "rubrics")
_SYSTEMS = ("gpt-4o-mini", "o4-mini")
_TASKS = ("counseling", "tutoring")
CHEAP = {
    "SUITABILITY_EMBEDDER": "wordllama",
    "SUITABILITY_SWEEP_DRAWS": "100",
    "SUITABILITY_PUBLISHED_DRAWS": "500",
    "SUITABILITY_DRAWS": "100",
    "SUITABILITY_ASSESSOR_TREES": "1",
    "SUITABILITY_ADOPTION_REPLICATES": "20",
}
# what no setting makes cheaper
_CHEAPER = {f"{WORK}/reliability.py": (("4000", "500"),)}
Marts = Mapping[str, bytes]
Files = dict[str, bytes]


@dataclass(frozen=True)
class Change:
    """What may be done to a state: `edit` alters files (by path, sources/... or project/...) and settings."""

    name: str
    edit: Callable[[Files, dict[str, str]], None]

    def __repr__(self) -> str:
        return self.name


@dataclass
class Laboratory:
    """A project, sources and a home that nobody else has; it always is in the state of some changes to the original."""

    folder: Path
    dbt_target: Path
    settings: dict[str, str] = field(default_factory=dict)
    original: Files = field(default_factory=dict)
    current: Files = field(default_factory=dict)
    known: dict[str, Marts | None] = field(default_factory=dict)
    n_scratch: int = 0

    @classmethod
    def of_demo(cls, folder: Path, dbt_target: Path) -> Laboratory:
        """As few inputs as fill every slice, and nothing made yet."""
        project = folder / "project"
        for name in _FOLDERS:
            shutil.copytree(PROJECT / name, project / name, ignore=shutil.ignore_patterns("target", "logs"))
        for name in ("pyproject.toml", "requirements.lock"):
            shutil.copy2(PROJECT / name, project / name)
        demo = ensure_demo(folder / "demo", n_items=500, seed=20260101)
        shutil.copytree(demo, folder / "sources", ignore=_unused)
        shutil.rmtree(demo)
        laboratory = cls(folder, dbt_target)
        for name, texts in _CHEAPER.items():
            for old, new in texts:
                place = folder / name
                place.write_text(place.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        for path in files_of(folder / "sources"):
            if path.parent.parent.name == "tournament":
                _keep_lines(path, lambda line: any(f'"task": "{task}"' in line for task in _TASKS))
        laboratory.original = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for base in ("sources", "project")
            for path in files_of(folder / base)
        }
        laboratory.current = dict(laboratory.original)
        return laboratory

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def state(self) -> str:
        """Equal wherever files and settings are."""
        digest = hashlib.sha256(repr(sorted(self.settings.items())).encode())
        for path, text in sorted(self.current.items()):
            digest.update(f"{path}\0{hashlib.sha256(text).hexdigest()}\0".encode())
        return digest.hexdigest()

    def become(self, changes: Iterable[Change]) -> None:
        """Be the original with these changes; files that stay the same are not written."""
        files, settings = dict(self.original), dict[str, str]()
        for change in changes:
            change.edit(files, settings)
        for path in self.current.keys() - files.keys():
            (self.folder / path).unlink()
        for path, content in files.items():
            if self.current.get(path) != content:
                place = self.folder / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
        self.current, self.settings = files, settings

    def touch(self) -> None:
        """Every file gets another time and keeps its bytes."""
        for path in self.current:
            os.utime(self.folder / path)

    def start(self, *arguments: str, home: Path | None = None) -> subprocess.Popen[str]:
        home = home or self.home
        if not home.exists():
            shutil.copytree(self.dbt_target, home / "dbt" / "target")
        where = {
            "SUITABILITY_HOME": str(home),
            "SUITABILITY_SOURCES": str(self.folder / "sources"),
            "PYTHONPATH": str(self.folder / "project"),
        }
        return subprocess.Popen(
            [sys.executable, "-m", "dagster_project.cli", "refresh", *arguments],
            env=os.environ | CHEAP | where | self.settings,
            cwd=self.folder / "project",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def refresh(self, *arguments: str, home: Path | None = None) -> tuple[int, str]:
        process = self.start(*arguments, home=home)
        output, _ = process.communicate(timeout=900)
        return process.returncode, output

    def kill_after(self, seconds: float, worker: bool = False) -> None:
        """Start a refresh and kill it so much later, unless it has ended: all of it, or only its dbt."""
        process = self.start()
        time.sleep(seconds)
        if worker:
            for pid in _dbt_of(process.pid):
                os.kill(pid, signal.SIGKILL)
        elif process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=900)

    def published(self, home: Path | None = None) -> Marts:
        """The Parquet marts, byte for byte; of files of inputs all but their times."""
        folder = (home or self.home) / "published"
        marts = {p.stem: p.read_bytes() for p in folder.glob("*.parquet") if p.stem not in _OF_THE_REFRESH}
        if marts:
            rows = duckdb.execute(
                f"select * exclude (modified_at) from '{folder}/source_file.parquet' order by all"
            ).fetchall()
            marts["source_file"] = repr(rows).encode()
        return marts

    def made(self) -> dict[str, str]:
        """What the last refresh made again, and why."""
        path = self.home / "published" / "refresh_step.parquet"
        return dict(duckdb.execute(f"select asset, reason from '{path}' where is_made").fetchall())

    def from_scratch(self) -> Marts | None:
        """What a new home publishes of the same state; None where it refuses. Asked once a state."""
        if self.state not in self.known:
            home = self.folder / "scratch"
            code, _ = self.refresh(home=home)
            self.n_scratch += 1
            self.known[self.state] = self.published(home) if code == 0 else None
            shutil.rmtree(home)
        return self.known[self.state]

    def check(self) -> None:
        """Refresh, and compare with a refresh from scratch.

        Raises:
            AssertionError: another outcome, other marts, or other bytes; names them.
        """
        before = self.published()
        code, output = self.refresh()
        expected = self.from_scratch()
        assert (code == 0) == (expected is not None), output
        assert not differing(self.published(), before if expected is None else expected), output


def differing(found: Marts, expected: Marts) -> list[str]:
    """Names of marts that only one of two publications has, or that differ."""
    return sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))


def setting(name: str, value: str) -> Change:
    """SUITABILITY_<name> is set."""

    def edit(files: Files, settings: dict[str, str]) -> None:
        settings[f"SUITABILITY_{name.upper()}"] = value

    return Change(f"{name} = {value}", edit)


def replaced(path: str, old: str, new: str) -> Change:
    """Another text in a file, where it is there."""

    def edit(files: Files, settings: dict[str, str]) -> None:
        if path in files:
            files[path] = files[path].replace(old.encode(), new.encode(), 1)

    return Change(f"{old!r} is {new!r} in {path}", edit)


def appended(path: str, text: str) -> Change:
    """More at the end of a file, or a new one."""

    def edit(files: Files, settings: dict[str, str]) -> None:
        files[path] = files.get(path, b"") + text.encode()

    return Change(f"{path} has more", edit)


def shortened(path: str) -> Change:
    """A file without its last line, where it is there."""

    def edit(files: Files, settings: dict[str, str]) -> None:
        if path in files:
            files[path] = b"".join(files[path].splitlines(keepends=True)[:-1])

    return Change(f"{path} lacks a line", edit)


def removed(path: str) -> Change:
    """A file is gone."""

    def edit(files: Files, settings: dict[str, str]) -> None:
        files.pop(path, None)

    return Change(f"{path} is gone", edit)


def moved(path: str, to: str) -> Change:
    """A file has another name, where it is there."""

    def edit(files: Files, settings: dict[str, str]) -> None:
        if path in files:
            files[to] = files.pop(path)

    return Change(f"{path} is {to}", edit)


def copied(path: str, to: str) -> Change:
    """A file stands under a second name too, where it is there."""

    def edit(files: Files, settings: dict[str, str]) -> None:
        if path in files:
            files[to] = files[path]

    return Change(f"{to} is a copy of {path}", edit)


def cell(path: str, row: int, column: str, value: str) -> Change:
    """One cell of a CSV file, where it is there; rows count from 0 under the header."""

    def edit(files: Files, settings: dict[str, str]) -> None:
        if path not in files:
            return
        header, *rows = csv.reader(io.StringIO(files[path].decode()))
        rows[row][header.index(column)] = value
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([header, *rows])
        files[path] = out.getvalue().encode()

    return Change(f"{column} of row {row} is {value!r} in {path}", edit)


def _unused(folder: str, names: Sequence[str]) -> list[str]:
    """Files of systems that are too many, and chats in a form that no line can be taken from."""
    here = Path(folder)
    if here.name in ("results", "responses"):
        return [name for name in names if Path(name).stem not in _SYSTEMS]
    return []


def files_of(folder: Path) -> list[Path]:
    """All but what Python makes itself."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]


def _keep_lines(path: Path, is_kept: Callable[[str], bool]) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_text("\n".join([line for line in lines if is_kept(line)]) + "\n", encoding="utf-8")


def _dbt_of(pid: int) -> list[int]:
    """dbt's process of a refresh."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            command = status.with_name("cmdline").read_bytes()
        except OSError:
            continue
        if parent == pid and b"dagster_project.dbt_build.dbt_worker" in command:
            found.append(int(status.parent.name))
    return found
