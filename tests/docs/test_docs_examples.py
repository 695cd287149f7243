"""The examples of files in docs/ are read as they stand by the code that they are for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from assets.assistance.tasks import read_instrument
from assets.llm import read_roles
from assets.settings import Settings
from assets.sources import readers
from assets.suitability.policies import read_policies
from tests.support.docs.documents import DOCS, blocks
from tests.support.suitability.policy_rows import seeded

# page, heading, language of the first block below it, where it lies in the sources, who reads it
READ: list[tuple[str, str, str, str, Callable[[Path], object]]] = [
    ("battery", "## Results", "text", "battery/results/system-a.csv", readers.read_results),
    ("battery", "## Systems", "text", "battery/systems.csv", readers.read_systems),
    ("battery", "## Items", "json", "battery/items/sums.jsonl", readers.read_items),
    ("work", "## Interviews", "text", "survey/interviews/one.csv", readers.read_interviews),
    ("adoption", "## OEWS", "text", "oews/national.csv", readers.read_oews),
    ("tournament", "## Candidates", "text", "tournament/candidates.csv", readers.read_candidates),
    ("tournament", "## Outputs", "json", "tournament/outputs/one.jsonl", readers.read_outputs),
    ("tournament", "## Judgements", "json", "tournament/judgements/one.jsonl", readers.read_verdicts),
    ("tournament", "## Traits", "json", "tournament/traits/one.jsonl", readers.read_traits),
    ("propensity", "## Items", "text", "propensity/items/risk.csv", readers.read_propensity_items),
    ("propensity", "## Bands", "text", "propensity/bands/rater-a.csv", readers.read_propensity_bands),
    ("agentic", "## Servers", "json", "agentic/servers/a.jsonl", readers.read_servers),
    ("agentic", "## Scenarios", "json", "agentic/scenarios/a.jsonl", readers.read_scenarios),
    ("agentic", "## Trajectories", "json", "agentic/trajectories/a.jsonl", readers.read_trajectories),
    ("agentic", "## Verdicts", "json", "agentic/verdicts/a.jsonl", readers.read_trajectory_verdicts),
    ("propensity", "## Responses", "text", "propensity/responses/a.csv", readers.read_propensity_responses),
]


@pytest.mark.parametrize("example", READ, ids=lambda example: example[3])
def test_an_example_of_an_input_is_read_whole(
    example: tuple[str, str, str, str, Callable[[Path], object]], tmp_path: Path
) -> None:
    page, heading, language, place, read = example
    text = _block(DOCS / "inputs" / f"{page}.md", heading, language)
    _write(tmp_path / place, text)
    found = read(tmp_path)
    if isinstance(found, pd.DataFrame):
        assert len(found) == len(text.splitlines())
        return
    assert isinstance(found, readers.Reading)
    assert not found.ignored_columns.get(place) and not found.ignored_files
    frame = max(found.frames.values(), key=len)
    assert len(frame) == len(text.splitlines()) - (language == "text")
    if "fault" in frame:
        assert frame["fault"].isna().all()


def test_the_example_of_a_chat_is_read(tmp_path: Path) -> None:
    _write(tmp_path / "sources/chats/one.jsonl", _block(DOCS / "inputs/adoption.md", "## Chats", "json"))
    found = readers.read_chats(
        tmp_path / "sources", tmp_path / "parts", max_characters=4000, request_characters=500
    )
    assert found.files[["form", "n_rows", "n_unusable"]].values.tolist() == [["log", 1, 0]]


def test_the_example_of_a_task_is_a_task(tmp_path: Path) -> None:
    text = _block(DOCS / "inputs/tournament.md", "## Tasks", "text")
    _write(tmp_path / "tournament/tasks/shift_plan.md", text)
    task = read_instrument(tmp_path, only=["shift_plan"]).tasks["shift_plan"]
    assert task.title == "Shift plan" and list(task.dimensions) == ["coverage", "fairness"]


def test_the_example_of_a_policy_is_a_policy() -> None:
    added = _block(DOCS / "quick-start.md", "## Add a policy", "text").strip()
    read = read_policies(seeded(added))
    assert read[-1].policy == "strongest" and read[-1].power == 4


@pytest.mark.parametrize("text", [block.text for block in blocks("toml")])
def test_every_example_of_roles_can_be_used(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUITABILITY_HOME", str(tmp_path))
    monkeypatch.setenv("SUITABILITY_LLM", str(tmp_path / "llm.toml"))
    _write(tmp_path / "llm.toml", text)
    assert len(read_roles(Settings()).of("rater")) == 1


def _block(page: Path, heading: str, language: str) -> str:
    """The first block of `language` below `heading`; headings inside it are its own."""
    below = page.read_text(encoding="utf-8").partition(f"{heading}\n")[2]
    before, fence, after = below.partition(f"```{language}\n")
    assert fence and "\n## " not in before, f"{page.name}, {heading}: no example"
    return after.partition("\n```")[0] + "\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
