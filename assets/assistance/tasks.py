"""The tasks of the tournament, and what models are told beside them: read, checked, and given a version.

Belongs here: the form of rubrics/assistance/<task>.md and of a user's own task files. Does not belong here: their words
(rubrics/), who does and judges the tasks (planning.py), what is asked (deliverable_runs.py, judging.py, traits.py).

    # Travel planning

    ## Prompt          what whoever does the task is told
    ## Components      - budget: what the deliverable must contain; told too
    ## Dimensions      - budget: how a judge scores that component, 1-10; same names, same order
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from assets.settings import PROJECT

FOLDER = PROJECT / "rubrics" / "assistance"
PROMPTS = PROJECT / "rubrics" / "prompts"
# below tournament/ in the sources
OWN_TASKS = "tournament/tasks"
GENERAL = "general.md"
SECTIONS = ("Prompt", "Components", "Dimensions")
MIN_DIMENSIONS = 2
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_BULLET = re.compile(r"- (?P<name>[^:]*): +(?P<text>\S.*)")


class TaskError(ValueError):
    """Task files or instructions that can't be used as they stand: one line a fault, with file, line and what to do."""


@dataclass(frozen=True)
class Task:
    """One task. `prompt` is told to whoever does it, `dimensions` (name -> how to score) to judges.

    `version` is the sha256 of the file's bytes: another version is another task to the ledger.
    """

    name: str
    title: str
    prompt: str
    dimensions: Mapping[str, str]
    version: str


@dataclass(frozen=True)
class Instrument:
    """All texts of a tournament: tasks by name, the general dimensions, and what each role is told."""

    tasks: Mapping[str, Task]
    general: Mapping[str, str]
    assist: str
    guidance: str
    judge: str
    code_traits: str

    @property
    def version(self) -> str:
        """sha256 over all that a judge is told beside the task: general dimensions and instruction."""
        return hashlib.sha256(repr((sorted(self.general.items()), self.judge)).encode()).hexdigest()

    def dimensions(self, task: Task) -> dict[str, str]:
        """Name -> how to score, the task's own first."""
        return {**task.dimensions, **self.general}


def read_instrument(
    sources: Path | None = None, only: Sequence[str] = (), folder: Path = FOLDER
) -> Instrument:
    """The project's tasks and those in `<sources>/tournament/tasks/*.md`.

    Args:
        only: names of the tasks wanted; none = all.

    Raises:
        TaskError: all faults of all files; a task that stands in both folders; a name in `only` that no file has.
    """
    faults: list[str] = []
    general = _general(folder / GENERAL, faults)
    paths = [path for path in sorted(folder.glob("*.md")) if path.name != GENERAL]
    own = _own(sources / OWN_TASKS, faults) if sources else []
    tasks: dict[str, Task] = {}
    seen: dict[str, Path] = {}
    for path in [*paths, *own]:
        first = seen.setdefault(path.stem, path)
        if first != path:
            faults.append(f"{path}: {first} is a task of this name already; give the file another name")
            continue
        if task := _read_task(path, general, faults):
            tasks[task.name] = task
    for name in only:
        if name not in seen:
            known = ", ".join(seen)
            faults.append(f"SUITABILITY_TOURNAMENT_TASKS: there is no task {name}; tasks are {known}")
    texts = {
        name: _text(PROMPTS / f"{name}.md", faults) for name in ("assist", "guidance", "judge", "code_traits")
    }
    if faults:
        raise TaskError("\n".join(faults))
    return Instrument(
        {name: task for name, task in tasks.items() if not only or name in only}, general, **texts
    )


def _own(folder: Path, faults: list[str]) -> list[Path]:
    # an unmounted share is there, and no folder
    if os.path.lexists(folder) and not folder.is_dir():
        faults.append(f"{folder}: no folder that can be reached; restore what it leads to, or remove it")
    return sorted(path for path in folder.glob("*") if path.suffix.lower() == ".md")


@dataclass
class _Section:
    title: str
    line: int
    level: int
    lines: list[tuple[int, str]]


def _read_task(path: Path, general: Mapping[str, str], faults: list[str]) -> Task | None:
    """The task in `path`; None, and more in `faults`, where it can't be used."""
    found: list[str] = []
    text = _text(path, found)
    sections = list(_sections(text)) if text else []
    if path.stem == "all":
        found.append(f"{path}: all stands for all tasks; give the file another name")
    if text and not _NAME.fullmatch(path.stem):
        found.append(f"{path}: name the file with small letters, digits and _, beginning with a letter")
    if text:
        found += [f"{path}, line {line}: {what}" for line, what in _structure_faults(sections)]
    if found:
        faults += found
        return None
    title, prompt, components, dimensions = sections[1:]
    what_to_do = "\n".join(line for _, line in prompt.lines).strip()
    if not what_to_do:
        found.append(f"{path}, line {prompt.line}: the prompt is empty")
    contents = _bullets(path, components, found)
    scored = _bullets(path, dimensions, found)
    if not found and list(contents) != list(scored):
        what = f"dimensions are {', '.join(scored)}; they must mirror the components: {', '.join(contents)}"
        found.append(f"{path}, line {dimensions.line}: {what}")
    if len(scored) < MIN_DIMENSIONS and not found:
        found.append(f"{path}, line {dimensions.line}: {len(scored)} dimensions; at least {MIN_DIMENSIONS}")
    if both := sorted(scored.keys() & general.keys()):
        found.append(
            f"{path}, line {dimensions.line}: {', '.join(both)} is a general dimension; rename it here"
        )
    faults += found
    if found:
        return None
    listed = "\n".join(f"- {text}" for text in contents.values())
    full = f"{what_to_do}\n\nThe deliverable must contain:\n\n{listed}"
    version = hashlib.sha256(path.read_bytes()).hexdigest()
    return Task(path.stem, title.title, full, scored, version)


def _general(path: Path, faults: list[str]) -> dict[str, str]:
    text = _text(path, faults)
    sections = [section for section in _sections(text) if section.title == "Dimensions"]
    if text and len(sections) != 1:
        faults.append(f"{path}, line 1: must have one section '## Dimensions'")
    return _bullets(path, sections[0], faults) if len(sections) == 1 else {}


def _text(path: Path, faults: list[str]) -> str:
    """The file's text; '' and one fault more where there is none."""
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8-sig")
    except OSError as error:
        faults.append(f"{path}: cannot be read ({error.strerror})")
        return ""
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        faults.append(f"{path}, line {line}: a byte that is not UTF-8; save the file as UTF-8")
        return ""
    if "\0" in text:
        faults.append(f"{path}, line {text[: text.index(chr(0))].count(chr(10)) + 1}: a NUL character")
        return ""
    if not text.strip():
        faults.append(f"{path}, line 1: the file is empty")
        return ""
    return text.replace("\r\n", "\n")


def _sections(text: str) -> Iterator[_Section]:
    """What stands before the first heading (level 0), then each heading with its lines."""
    section = _Section("", 1, 0, [])
    for number, line in enumerate(text.split("\n"), start=1):
        heading = re.match(r"(#{1,2}) +(.*?) *$", line)
        if heading:
            yield section
            section = _Section(heading[2], number, len(heading[1]), [])
        else:
            section.lines.append((number, line))
    yield section


def _structure_faults(sections: list[_Section]) -> Iterator[tuple[int, str]]:
    titles = [section for section in sections if section.level == 1]
    if len(titles) != 1 or not titles[0].title or sections[1] is not titles[0]:
        yield (titles[1].line if len(titles) > 1 else 1), "must begin with one title, '# <name of the task>'"
        return
    named = [section.title for section in sections if section.level == 2]
    if named != list(SECTIONS):
        odd = next(
            (s for s, wanted in zip(sections[2:], SECTIONS, strict=False) if s.title != wanted), sections[-1]
        )
        found = ", ".join(named) or "none"
        yield odd.line, f"sections are {found}; must be {', '.join(SECTIONS)}"
    for section in sections[:2]:
        for number, line in section.lines:
            if line.strip():
                yield number, "text before '## Prompt', where nobody would read it; move it there"
                return


def _bullets(path: Path, section: _Section, faults: list[str]) -> dict[str, str]:
    """Name -> text of each '- name: text'; an indented line goes on the one above."""
    found: dict[str, str] = {}
    name = ""
    for number, line in section.lines:
        where = f"{path}, line {number}: "
        bullet = _BULLET.fullmatch(line.rstrip())
        if not line.strip():
            continue
        if bullet and not _NAME.fullmatch(bullet["name"]):
            faults.append(
                f"{where}'{bullet['name']}' must be small letters, digits and _, beginning with a letter"
            )
        elif bullet and hasattr(BaseModel, bullet["name"]):
            faults.append(f"{where}'{bullet['name']}' means something else in a verdict's schema; rename it")
        elif bullet and bullet["name"] in found:
            faults.append(f"{where}{bullet['name']} stands twice under {section.title}")
        elif bullet:
            name = bullet["name"]
            found[name] = bullet["text"].strip()
        elif line.startswith(" ") and name:
            found[name] = f"{found[name]} {line.strip()}"
        else:
            faults.append(f"{where}write each of the {section.title.lower()} as '- name: text'")
    if not found:
        faults.append(f"{path}, line {section.line}: no {section.title.lower()}")
    return found
