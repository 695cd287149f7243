"""What makes the steps stale: prompts, settings, who plays which role; and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.adoption import asking
from assets.adoption.version import code_version
from assets.settings import Settings


def test_a_changed_prompt_changes_the_code_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = asking.code_version()
    read = asking.prompt
    monkeypatch.setattr(asking, "prompt", lambda name: read(name) + "!")
    assert asking.code_version() != before


@pytest.mark.parametrize(
    ("changed", "is_other"),
    [
        ({"match_floor": 0.5}, True),
        ({"match_margin": 0.1}, True),
        ({"embedder": "wordllama"}, True),
        ({"embedder_instruction": "Find"}, True),
        ({"adoption_replicates": 50}, True),
        ({"min_chats": 3}, False),
    ],
)
def test_a_setting_of_the_steps_changes_their_code_version(
    changed: dict[str, object], is_other: bool, tmp_path: Path
) -> None:
    before = code_version(Settings(home=tmp_path))
    assert (code_version(Settings.model_validate({"home": tmp_path, **changed})) != before) == is_other


def test_roles_change_the_code_version_and_keys_do_not(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, sources=tmp_path)
    model = '[[{role}]]\nname = "a"\nmodel = "{model}"\nbase_url = "https://x.example/v1"\napi_key_env = "{key}"\n'
    files = [
        "",
        model.format(role="relevance", model="m", key="A_KEY"),
        model.format(role="summary", model="m", key="A_KEY"),
        model.format(role="summary", model="n", key="A_KEY"),
    ]
    versions = []
    for file in files:
        (tmp_path / "llm.toml").write_text(file)
        versions.append(code_version(settings))
    assert len(set(versions)) == len(files)
    for same in (
        model.format(role="summary", model="n", key="B_KEY"),
        files[-1] + "input_price = 1\noutput_price = 1\n",
    ):
        (tmp_path / "llm.toml").write_text(same)
        assert code_version(settings) == versions[-1]
    (tmp_path / "llm.toml").write_text("no toml")
    assert code_version(settings) not in versions
