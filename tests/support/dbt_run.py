"""dbt in the process of the tests: imported once and, on the product's own project, read once.

Belongs here: one call of dbt and what became of each node. Does not belong here: projects, inputs, assertions.
"""

from __future__ import annotations

import shutil
import warnings
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from assets.settings import PROJECT

# dbt's manifest holds the name of the database, which is that of the file: one name, one manifest
WAREHOUSE_NAME = "warehouse.duckdb"
# selects the staging views over what Python computes, which can't be made before it
OVER_ESTIMATES = "source:estimate+1"


@dataclass
class DbtRun:
    """Outcome of one call; `status` and `messages` by the node's name."""

    success: bool
    status: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)

    @property
    def failures(self) -> dict[str, str]:
        """Message of each node that did not succeed."""
        return {n: self.messages[n] for n, s in self.status.items() if s in ("error", "fail", "skipped")}


def run_dbt(
    folder: Path,
    *arguments: str,
    project: Path = PROJECT / "dbt",
    parsed: Path | None = None,
    manifest: Any = None,
) -> DbtRun:
    """Run dbt on `folder`/warehouse.duckdb; what it writes goes to `folder` too.

    Args:
        parsed: the fixture `dbt_target`, which spares reading the product's own project anew.
        manifest: in its place, what `manifest_of` gave for it; good for one run.

    Raises:
        AssertionError: dbt came to no results, e.g. for it can't read the project; the message is dbt's.
    """
    if parsed and manifest is None:
        manifest = manifest_of(parsed)
    result = _invoke(folder, project, arguments, manifest)
    assert result.result is not None, result.exception
    run = DbtRun(result.success)
    for outcome in result.result:
        run.status[outcome.node.name] = str(outcome.status)
        run.messages[outcome.node.name] = outcome.message or ""
    return run


def over_estimates(*slices: str) -> list[str]:
    """Selects the staging views over what Python computes, of these slices alone."""
    return [f"path:models/staging/{name},{OVER_ESTIMATES}" for name in slices]


def manifest_of(parsed: Path) -> Any:
    """A copy of the project as parsed: runs change the manifest they are given."""
    return _manifest(parsed).deepcopy()


@cache
def _manifest(parsed: Path) -> Any:
    with TemporaryDirectory() as folder:
        shutil.copytree(parsed, Path(folder) / "target")
        result = _invoke(Path(folder), PROJECT / "dbt", ("parse",), None)
    assert result.success, result.exception
    return result.result


def _invoke(folder: Path, project: Path, arguments: tuple[str, ...], manifest: Any) -> Any:
    from dbt.cli.main import dbtRunner

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        # dbt's own, raised under its own imports
        warnings.simplefilter("ignore")
        patch.setenv("SUITABILITY_WAREHOUSE_PATH", str(folder / WAREHOUSE_NAME))
        patch.setenv("DBT_TARGET_PATH", str(folder / "target"))
        folders = ("--project-dir", str(project), "--profiles-dir", str(project))
        quiet = ("--quiet", "--log-level-file", "none", "--no-write-json")
        return dbtRunner(manifest=manifest).invoke([*quiet, *arguments, *folders])
