"""The dbt project: its folder, how dbt is started, and a manifest that is never stale.

Belongs here: environment and parsing. Does not belong here: what its nodes are (dbt_nodes.py), running them
(dbt_process.py), SQL (dbt/).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from assets.common.folder_hash import folder_hash
from assets.settings import PROJECT, Settings

DBT_FOLDER = PROJECT / "dbt"


class DbtProjectError(RuntimeError):
    """dbt can't read the project; the message is dbt's own."""


def dbt_home(settings: Settings) -> Path:
    """Where everything that dbt makes goes: target/ (manifest), run/ (last run), logs/."""
    return settings.home / "dbt"


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


def project_hash() -> str:
    """Hash of all that the manifest follows from: the dbt folder's files and dbt's version.

    Variables are given to each run: parsed with others, dbt would read its whole project again.
    """
    parts = [version("dbt-core"), version("dbt-duckdb"), folder_hash(DBT_FOLDER)]
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
        wanted = project_hash()
        if manifest.exists() and stamp.exists() and stamp.read_text() == wanted:
            return manifest
        stamp.unlink(missing_ok=True)
        run_dbt(settings, "parse", "--quiet")
        stamp.write_text(wanted)
    return manifest


def run_dbt(settings: Settings, *arguments: str) -> None:
    """Run dbt to its end.

    Raises:
        DbtProjectError: dbt failed; the message carries its output.
    """
    done = subprocess.run(
        [str(Path(sys.executable).with_name("dbt")), "--no-use-colors", *arguments],
        env=os.environ | dbt_environment(settings),
        cwd=DBT_FOLDER,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise DbtProjectError(
            f"dbt {arguments[0]} failed:\n{done.stdout.strip()}\n{done.stderr.strip()}".strip()
        )
