"""Fixtures of the frame's tests: definitions over a home of their own.

Belongs here: what several files of this folder share. Does not belong here: inputs (tests/support/factories.py).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pandas as pd
import pytest

from assets.common.warehouse import declared_tables
from assets.settings import Settings


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> Settings:
    """Default settings in a home that lasts for the session, with dbt's project as parsed."""
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(dbt_target, home / "dbt" / "target")
    return Settings(home=home, sources=None)


@pytest.fixture(scope="session")
def definitions(settings: Settings) -> dg.Definitions:
    """The product's definitions."""
    from dagster_project.definitions import build_definitions

    return build_definitions(settings)


@pytest.fixture
def empty_table() -> Callable[[str], pd.DataFrame]:
    """A declared table without rows."""
    return lambda table: pd.DataFrame(columns=list(declared_tables()[table]), dtype=object)
