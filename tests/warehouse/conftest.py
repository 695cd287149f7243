"""Fixtures of the frame's tests: definitions over a home of their own.

Belongs here: what several files of this folder share. Does not belong here: inputs (tests/factories.py).
"""

from __future__ import annotations

from collections.abc import Callable

import dagster as dg
import pandas as pd
import pytest

from assets.ports import declared_tables
from assets.settings import Settings


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Default settings in a home that lasts for the session, so that dbt parses once."""
    return Settings(home=tmp_path_factory.mktemp("home"), sources=None)


@pytest.fixture(scope="session")
def definitions(settings: Settings) -> dg.Definitions:
    """The product's definitions."""
    from dagster_project.definitions import build_definitions

    return build_definitions(settings)


class FrameWarehouse:
    """A warehouse of frames in memory: the port's second implementation."""

    def __init__(self, tables: dict[str, pd.DataFrame]) -> None:
        self.tables = tables

    def read(self, table: str) -> pd.DataFrame:
        return self.tables[table]

    def replace(self, tables: dict[str, pd.DataFrame]) -> None:
        self.tables |= tables


@pytest.fixture
def empty_table() -> Callable[[str], pd.DataFrame]:
    """A declared table without rows."""
    return lambda table: pd.DataFrame(columns=list(declared_tables()[table]), dtype=object)
