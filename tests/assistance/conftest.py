"""A tournament set up on a server of its own, for the tests that ask models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.assistance.tournament_server import TournamentServer
from tests.support.assistance.tournament_setup import Setup
from tests.support.llm.scripted_server import KEY


@pytest.fixture
def server() -> Iterator[TournamentServer]:
    with TournamentServer() as server:
        yield server


@pytest.fixture
def setup(tmp_path: Path, server: TournamentServer, monkeypatch: pytest.MonkeyPatch) -> Setup:
    monkeypatch.setenv("TEST_LLM_KEY", KEY)
    return Setup(tmp_path, server)
