"""One small demo a session, shared by the tests that only read it."""

from pathlib import Path

import pytest

from assets.demo.ensure import ensure_demo
from assets.settings import Settings


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ensure_demo(
        tmp_path_factory.mktemp("home") / "demo", n_items=1000, seed=Settings.model_fields["seed"].default
    )
