"""dbt inside Dagster: a manifest that is never stale, the translator (group = slice), and assets.

Belongs here: how dbt is started and how its nodes become assets and checks. Does not belong here: SQL (dbt/).
"""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dagster as dg
from dagster_dbt import (
    DagsterDbtTranslator,
    DagsterDbtTranslatorSettings,
    DbtCliResource,
    DbtProject,
    dbt_assets,
)
from packaging.version import Version

from assets.project import folder_hash
from assets.settings import PROJECT, Settings
from assets.temporary import temporary_files_swept
from dagster_project.instance import POOL

DBT_FOLDER = PROJECT / "dbt"


class DbtProjectError(RuntimeError):
    """dbt can't read the project; the message is dbt's own."""


def dbt_home(settings: Settings) -> Path:
    """Where everything that dbt makes goes: target/ (manifest), run/ (last run), logs/."""
    return settings.home / "dbt"


def dbt_executable() -> Path:
    """dbt of the environment that runs this process."""
    return Path(sys.executable).with_name("dbt")


def dbt_environment(settings: Settings) -> dict[str, str]:
    """Environment variables of every dbt start: nothing is written into the project folder, nothing is sent."""
    return {
        "SUITABILITY_WAREHOUSE_PATH": str(settings.warehouse_path),
        "DBT_PROJECT_DIR": str(DBT_FOLDER),
        "DBT_PROFILES_DIR": str(DBT_FOLDER),
        "DBT_TARGET_PATH": str(dbt_home(settings) / "target"),
        "DBT_LOG_PATH": str(dbt_home(settings) / "logs"),
        "DBT_LOG_LEVEL_FILE": "info",
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DO_NOT_TRACK": "1",
    }


def project_hash(settings: Settings) -> str:
    """Hash of all that the manifest follows from: the dbt folder's files, the variables and dbt's version."""
    parts = [settings.dbt_vars(), version("dbt-core"), version("dbt-duckdb"), folder_hash(DBT_FOLDER)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def prepare_manifest(settings: Settings) -> Path:
    """Path of a manifest that matches the dbt folder as it stands; parsed anew where it doesn't.

    Raises:
        DbtProjectError: dbt refuses the project.
    """
    target = dbt_home(settings) / "target"
    target.mkdir(parents=True, exist_ok=True)
    manifest, stamp = target / "manifest.json", target / "manifest.sha256"
    # `dagster dev` loads the definitions in several processes at once
    with (target / "parse.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = project_hash(settings)
        if manifest.exists() and stamp.exists() and stamp.read_text() == wanted:
            return manifest
        stamp.unlink(missing_ok=True)
        run_dbt(settings, "parse", "--quiet", "--vars", json.dumps(settings.dbt_vars()))
        stamp.write_text(wanted)
    return manifest


def run_dbt(settings: Settings, *arguments: str) -> None:
    """Run dbt to its end.

    Raises:
        DbtProjectError: dbt failed; the message carries its output.
    """
    done = subprocess.run(
        [str(dbt_executable()), "--no-use-colors", *arguments],
        env=os.environ | dbt_environment(settings),
        cwd=DBT_FOLDER,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise DbtProjectError(
            f"dbt {arguments[0]} failed:\n{done.stdout.strip()}\n{done.stderr.strip()}".strip()
        )


class SliceTranslator(DagsterDbtTranslator):
    """Group = slice, and a code version that follows the macros and variables as well as the model."""

    def __init__(self, manifest: Mapping[str, Any], variables: Mapping[str, object]) -> None:
        super().__init__(DagsterDbtTranslatorSettings(enable_source_tests_as_checks=True))
        self._macros = manifest["macros"]
        self._variables = variables

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str:
        """The folder under the layer (models/marts/<slice>/...); 'seeds' for seeds."""
        if dbt_resource_props["resource_type"] == "seed":
            return "seeds"
        folders = dbt_resource_props["fqn"][2:-1]
        return folders[0] if folders else "warehouse"

    def get_code_version(self, dbt_resource_props: Mapping[str, Any]) -> str:
        """Hash of the model's text (a seed's content), of each macro it reaches, and of each variable these name."""
        text = [
            dbt_resource_props.get("raw_code") or dbt_resource_props.get("checksum", {}).get("checksum", "")
        ]
        waiting, seen = list(dbt_resource_props.get("depends_on", {}).get("macros", [])), set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen or name not in self._macros:
                continue
            seen.add(name)
            waiting.extend(self._macros[name]["depends_on"]["macros"])
        # macros of dbt itself change with its version only, which the lock file fixes
        text += [
            self._macros[name]["macro_sql"] for name in sorted(seen) if name.startswith("macro.suitability.")
        ]
        text += [f"{k}={v}" for k, v in sorted(self._variables.items()) if any(k in part for part in text)]
        return hashlib.sha256("\0".join(text).encode()).hexdigest()[:16]


class DbtRunner(DbtCliResource):
    """dbt's resource without what costs seconds a start and is of no use here."""

    @cached_property
    def _cli_version(self) -> Version:
        # `dbt --version` would ask the network
        return Version(version("dbt-core"))

    def _initialize_dbt_core_adapter(self, args: Sequence[str]) -> Any:
        # it would parse every macro; only fetching row counts or column metadata asks for it
        return None


def dbt_resource() -> DbtRunner:
    """The resource `dbt`."""
    return DbtRunner(
        project_dir=str(DBT_FOLDER), profiles_dir=str(DBT_FOLDER), dbt_executable=str(dbt_executable())
    )


def build_dbt_assets(settings: Settings, manifest: Path) -> dg.AssetsDefinition:
    """All seeds, models and dbt tests; Dagster splits the step by itself where a Python asset stands between models."""
    parsed = json.loads(manifest.read_text(encoding="utf-8"))
    # DbtProject reads the manifest from the target folder that it is told
    project = DbtProject(project_dir=DBT_FOLDER, profiles_dir=DBT_FOLDER, target_path=manifest.parent)

    @dbt_assets(
        manifest=parsed,
        name="dbt_models",
        project=project,
        pool=POOL,
        # the warehouse resource holds the refresh lock
        required_resource_keys={"dbt", "settings", "warehouse"},
        dagster_dbt_translator=SliceTranslator(parsed, settings.dbt_vars()),
    )
    def dbt_models(context: dg.AssetExecutionContext) -> Iterator[Any]:
        settings: Settings = context.resources.settings
        dbt: DbtCliResource = context.resources.dbt
        # unit tests tell of the SQL, not of the data: CI runs them
        arguments = [
            "build",
            "--exclude-resource-type",
            "unit_test",
            "--vars",
            json.dumps(settings.dbt_vars()),
        ]
        # a test waits until all it compares is built ('eager' would run it on last refresh's tables); nobody reads
        # the manifest that each start would write anew
        extra = {"DBT_INDIRECT_SELECTION": "buildable", "DBT_WRITE_JSON": "false"}
        # dagster-dbt copies the project, with a selector in place of many arguments
        with temporary_files_swept(), _environment(dbt_environment(settings) | extra):
            run = dbt.cli(arguments, context=context, target_path=dbt_home(settings) / "run")
            yield from run.stream()

    return dbt_models


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """dbt, a process of its own, takes the warehouse's path and its folders from the environment."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
