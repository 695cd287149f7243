"""The example of CONTRIBUTING.md, carried out: a copy of the project gets an input and a slice and is refreshed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from assets.settings import PROJECT
from assets.slices import SLICES
from tests.support.docs.documents import blocks

COPIED = ("assets", "dagster_project", "dbt", "docs", "expectations", "rubrics")
PLACE = re.compile(r"(?:#|--) (?P<path>[\w./]+)(?:: (?P<part>.+))?\n")
FILES = "alpha,Severe\nalpha,minor\nalpha,minor\nbeta,severe\nbeta,\n"
LOOK = """
from assets.settings import Settings
from assets.sources.inputs import stamps
from dagster_project.cli.doctor import examine
from docs.generate import pages
settings = Settings()
print("watched", *(path for path, _ in stamps(settings)))
print(*(f"{f.what}: {f.state}: {f.text}" for f in examine(settings) if f.what == "incidents"))
print("".join(pages().values()).count("(marts-incident.md#incident_share)"))
"""

GRAPH = """
from assets.settings import Settings
from dagster_project.definitions import build_definitions
graph = build_definitions(Settings()).get_repository_def().asset_graph
names = ("raw/incident", "staging/stg_incident", "estimate/incident_share", "marts/incident_share")
groups = {key.to_user_string(): graph.get(key).group_name for key in graph.get_all_asset_keys()}
print(*(groups[name] for name in names))
"""


def _example() -> Iterator[tuple[str, str, str]]:
    """Path, which part of the file (blank = all of it), and text of each block that names one."""
    for block in blocks("python", "jinja", "yaml", "text"):
        found = PLACE.match(block.text)
        if block.page == "CONTRIBUTING.md" and found:
            yield found["path"], found["part"] or "", block.text[found.end() :]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with the example's files; existing ones gain an entry or a line, as the example says."""
    project = tmp_path_factory.mktemp("copy")
    for name in COPIED:
        shutil.copytree(
            PROJECT / name, project / name, ignore=shutil.ignore_patterns("__pycache__", "target")
        )
    for name in ("pyproject.toml", "CONTRIBUTING.md", "README.md"):
        shutil.copy(PROJECT / name, project / name)
    for path, part, text in _example():
        place = project / path
        if part == "an entry of INPUTS":
            before, mark, after = place.read_text(encoding="utf-8").partition(")  # fmt: skip\nBY_NAME")
            assert mark
            text = before + text + mark + after
        elif part == "a line":
            text = place.read_text(encoding="utf-8") + text
        else:
            assert not part and not place.exists(), path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return project


def _run(copy: Path, *command: str) -> str:
    environment = {
        "PATH": "/usr/bin:/bin", "HOME": str(copy), "PYTHONPATH": str(copy), "DO_NOT_TRACK": "1",
        "SUITABILITY_HOME": str(copy / "home"), "SUITABILITY_SOURCES": str(copy / "sources"),
        "SUITABILITY_PUBLISHED_DRAWS": "500",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_the_example_touches_two_existing_files_by_an_entry_and_a_line() -> None:
    touched = {path: part for path, part, _ in _example() if (PROJECT / path).exists()}
    assert touched == {
        "assets/sources/inputs.py": "an entry of INPUTS",
        "dbt/seeds/seed_slice_input.csv": "a line",
    }
    assert len(list(_example())) == 11
    assert "incident" not in SLICES


@pytest.mark.refresh
@pytest.mark.timeout(900)
def test_the_example_runs_from_file_to_publication(copy: Path) -> None:
    (copy / "sources" / "incidents").mkdir(parents=True)
    (copy / "sources" / "incidents" / "2026.csv").write_text("system,severity\n" + FILES, encoding="utf-8")
    _run(copy, "-m", "dagster_project.cli", "refresh")
    with duckdb.connect(str(copy / "home" / "warehouse.duckdb"), read_only=True) as working:
        rows = working.execute("select system, severity from raw.incident order by row_number").fetchall()
        assert rows == [tuple(cell or None for cell in line.split(",")) for line in FILES.splitlines()]
        known = working.execute("select is_severe from staging.stg_incident order by row_number").fetchall()
        assert known == [(True,), (False,), (False,), (True,), (None,)]
    with duckdb.connect(str(copy / "home" / "published" / "suitability.duckdb"), read_only=True) as published:
        alpha, beta = published.execute("from marts.incident_share order by system").fetchall()
        # the roots of (share - p)^2 = z^2 p (1 - p) / n for 1 of 3 and 1 of 1
        assert alpha[:2] == ("alpha", 3) and alpha[2:] == pytest.approx((1 / 3, 0.061492, 0.792340), abs=1e-6)
        assert beta[:2] == ("beta", 1) and beta[2:] == pytest.approx((1, 0.206549, 1), abs=1e-6)
        status = published.execute("select status, reason from marts.slice_status where slice = 'incident'")
        assert status.fetchall() == [("filled", "all inputs found")]
        read = published.execute("select source_file from marts.source_file where input = 'incidents'")
        assert read.fetchall() == [("incidents/2026.csv",)]
    told = _run(copy, "-c", LOOK).splitlines()
    assert told[0] == f"watched {copy / 'sources/incidents/2026.csv'}"
    assert told[1].startswith("incidents: ok: 1 file (incidents/*.csv)")
    assert told[2] == "1"
    groups = _run(copy, "-c", GRAPH).split()
    # behind seeds, language models and the slices of the project
    assert groups == [f"{len(SLICES) + 3:02d}_incident"] * 4
