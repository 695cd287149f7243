"""Task files: the project's own hold their form, a user's stands beside them, a fault has file and line."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from assets.assistance.tasks import FOLDER, OWN_TASKS, TaskError, read_instrument

# the paper's seven tasks (section 3.2) and five general dimensions (section 3.2, appendix E)
TASKS = {
    "counseling", "travel_planning", "menu_planning", "tax_preparation", "tutoring", "operations_research",
    "market_trends",
}  # fmt: skip
GENERAL = {
    "instruction_following", "accuracy_and_specificity", "practical_usefulness", "organisation_and_readability",
    "tone_and_audience_fit",
}  # fmt: skip
OWN = """# Shift handover

## Prompt

Write the note for the next shift.

## Components

- open_work: What is not done yet,
  and how far it is.
- risks: What may go wrong.

## Dimensions

- open_work: Nothing is missing.
- risks: Risks are real.
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / OWN_TASKS).mkdir(parents=True)
    write(tmp_path, OWN)
    return tmp_path


def write(sources: Path, text: str, name: str = "handover.md") -> Path:
    path = sources / OWN_TASKS / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_papers_tasks_are_there_and_each_component_is_scored() -> None:
    instrument = read_instrument()
    assert set(instrument.tasks) == TASKS and set(instrument.general) == GENERAL
    for name, task in instrument.tasks.items():
        assert task.version == hashlib.sha256((FOLDER / f"{name}.md").read_bytes()).hexdigest()
        assert task.prompt.count("\n- ") == len(task.dimensions) >= 5
        # how it is scored is for judges alone
        assert not any(text in task.prompt for text in task.dimensions.values())
        assert list(instrument.dimensions(task)) == [*task.dimensions, *instrument.general]


def test_a_users_file_is_a_task_more_and_tasks_can_be_chosen(sources: Path) -> None:
    instrument = read_instrument(sources)
    assert set(instrument.tasks) == TASKS | {"handover"}
    task = instrument.tasks["handover"]
    assert task.title == "Shift handover"
    assert task.prompt.startswith("Write the note for the next shift.\n\nThe deliverable must contain:")
    assert task.prompt.endswith("- What is not done yet, and how far it is.\n- What may go wrong.")
    assert set(read_instrument(sources, ["handover", "tutoring"]).tasks) == {"handover", "tutoring"}


def test_a_changed_word_is_another_version(sources: Path) -> None:
    before = read_instrument(sources).tasks["handover"].version
    write(sources, OWN.replace("real", "true"))
    assert read_instrument(sources).tasks["handover"].version != before


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("# Shift handover\n", "Shift handover\n", 1, "must begin with one title"),
        ("## Components\n", "# Components\n", 7, "must begin with one title"),
        ("## Components\n", "## Contents\n", 7, "sections are Prompt, Contents, Dimensions; must be Prompt"),
        ("## Dimensions\n", "", 7, "sections are Prompt, Components; must be"),
        ("Write the note for the next shift.\n", "", 3, "the prompt is empty"),
        ("# Shift handover\n", "# Shift handover\n\nFor nurses.\n", 3, "nobody would read it"),
        ("- risks: What", "* risks: What", 11, "write each of the components as '- name: text'"),
        ("- risks: Risks", "- Risks: Risks", 16, "'Risks' must be small letters"),
        ("- risks: Risks", "- open_work: Risks", 16, "open_work stands twice under Dimensions"),
        ("- risks: Risks", "- model_dump: Risks", 16, "means something else"),
        ("- risks: Risks are real.\n", "", 13, "must mirror the components: open_work, risks"),
        ("risks: ", "practical_usefulness: ", 13, "practical_usefulness is a general dimension"),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(
    sources: Path, old: str, new: str, line: int, what: str
) -> None:
    assert old in OWN
    path = write(sources, OWN.replace(old, new))
    with pytest.raises(TaskError) as caught:
        read_instrument(sources)
    assert f"{path}, line {line}: " in str(caught.value) and what in str(caught.value)


def test_all_faults_of_all_files_are_told_at_once(sources: Path) -> None:
    bad = sources / OWN_TASKS / "bad.md"
    bad.write_bytes(b"# Bad\n\n## Prompt\n\n\xff\n")
    write(sources, OWN, "Shift-handover.md")
    shutil.copy(FOLDER / "tutoring.md", sources / OWN_TASKS)
    write(sources, "", "empty.md")
    with pytest.raises(TaskError) as caught:
        read_instrument(sources, ["tutorng"])
    told = str(caught.value)
    assert f"{bad}, line 5: a byte that is not UTF-8" in told
    assert "Shift-handover.md: name the file with small letters" in told
    assert "is a task of this name already" in told and "empty.md, line 1: the file is empty" in told
    assert "SUITABILITY_TOURNAMENT_TASKS: there is no task tutorng" in told


def test_own_tasks_out_of_reach_are_not_taken_for_none(tmp_path: Path) -> None:
    (tmp_path / "tournament").mkdir()
    (tmp_path / OWN_TASKS).symlink_to(tmp_path / "nowhere")
    with pytest.raises(TaskError, match="tasks: no folder that can be reached"):
        read_instrument(tmp_path)


def test_the_case_of_a_task_files_ending_does_not_matter(sources: Path) -> None:
    path = write(sources, OWN)
    path.rename(path.with_suffix(".MD"))
    assert path.stem in read_instrument(sources).tasks
