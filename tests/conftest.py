"""Fixtures that every test folder may use.

Belongs here: where the real data lies, dbt's project as parsed, and the switch-offs that keep tests off the network.
Does not belong here: builders of inputs (tests/support/factories.py) and fixtures of one slice (its own conftest.py).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assets.settings import PROJECT, Settings

os.environ.setdefault("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of the real public data in the input layout; the test is skipped where it is absent."""
    named = os.environ.get("SUITABILITY_REAL_DATA")
    folder = Path(named) if named else PROJECT.parent / "shared" / "data"
    if not (folder / "battery" / "ratings").is_dir():
        hint = (
            "set SUITABILITY_REAL_DATA"
            if named is None
            else "SUITABILITY_REAL_DATA names a folder without it"
        )
        pytest.skip(f"real data is not at {folder}: {hint}")
    return folder


@pytest.fixture(scope="session")
def dbt_target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """dbt's target folder with the manifest of the default settings; read only.

    dbt takes long to read its project: the first of the test processes does it for all of them.
    """
    from dagster_project.dbt_build.dbt_project import prepare_manifest

    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    return prepare_manifest(Settings(home=shared / "parsed")).parent


def pytest_itemcollected(item: pytest.Item) -> None:
    """Tests over tables that dbt builds carry the mark `dbt`."""
    if "dbt_target" in getattr(item, "fixturenames", ()):
        item.add_marker("dbt")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes in one process first, while the other works through the rest: whole refreshes, PostgreSQL."""
    items.sort(key=lambda item: not any(map(item.get_closest_marker, ("refresh", "postgres"))))
