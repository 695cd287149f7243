"""The rubrics of the capabilities: read, checked, and given a version.

Belongs here: the form of rubrics/capabilities/<acronym>.md. Does not belong here: their words (rubrics/), what a
model is asked by them (annotation.py), the headings and bullets of all rubrics (assets/common/rubric_text.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assets.common.capabilities import capability_names
from assets.common.rubric_text import Part, RubricError, parts_of, plain, read_text
from assets.settings import PROJECT

FOLDER = PROJECT / "rubrics" / "capabilities"
SECTIONS = ("Definition", "Levels", "Boundaries")
LEVELS = tuple("012345")
MIN_EXAMPLES = 3
MIN_BOUNDARIES = 2


@dataclass(frozen=True)
class Rubric:
    """One capability's rubric: its bytes as text, and their sha256."""

    capability: str
    name: str
    text: str
    version: str


def read_rubrics(folder: Path = FOLDER) -> dict[str, Rubric]:
    """Acronym -> rubric, for every capability.

    Raises:
        RubricError: all faults of all files: a capability without a file or a file without a capability, a heading
            or level that is absent, doubled or out of order, a level without a descriptor or three examples, fewer
            than two neighbours named, a descriptor or example that stands twice anywhere.
    """
    names = capability_names()
    paths = {path.stem: path for path in sorted(folder.glob("*.md"))}
    faults = [f"{folder / f'{name}.md'}: absent, but {name} is a capability" for name in names.keys() - paths]
    faults += [f"{paths[stem]}: {stem} is no capability" for stem in paths.keys() - names.keys()]
    rubrics: dict[str, Rubric] = {}
    seen: dict[str, str] = {}
    for capability in names:
        if capability not in paths:
            continue
        path = paths[capability]
        try:
            text, version = read_text(path)
        except RubricError as error:
            faults.append(str(error))
            continue
        parts = list(parts_of(text))
        faults += [f"{path}, line {line}: {what}" for line, what in _faults(capability, parts)]
        for line, phrase in _phrases(parts):
            first = seen.setdefault(plain(phrase), f"{path}, line {line}")
            if first != f"{path}, line {line}":
                faults.append(f"{path}, line {line}: '{phrase}' stands in {first} already")
        rubrics[capability] = Rubric(capability, names[capability], text, version)
    if faults:
        raise RubricError("\n".join(sorted(faults)))
    return rubrics


def _faults(capability: str, parts: list[Part]) -> Iterator[tuple[int, str]]:
    title = f"{capability}: {capability_names()[capability]}"
    if [part.title for part in parts if part.level == 1] != [title]:
        yield 1, f"the one title must be '# {title}'"
    sections = [part.title for part in parts if part.level == 2]
    if sections != list(SECTIONS):
        yield parts[-1].line, f"sections are {', '.join(sections) or 'none'}; must be {', '.join(SECTIONS)}"
        return
    levels = [part for part in parts if part.level == 3]
    if [part.title for part in levels] != list(LEVELS):
        found = ", ".join(part.title for part in levels) or "none"
        yield parts[-1].line, f"levels are {found}; must be {', '.join(LEVELS)}"
    for part in levels:
        if len(part.paragraphs) != 1:
            yield part.line, f"level {part.title} has {len(part.paragraphs)} descriptors; must have one"
        if len(part.bullets) < MIN_EXAMPLES:
            yield part.line, f"level {part.title} has {len(part.bullets)} examples; at least {MIN_EXAMPLES}"
    definition, boundaries = (
        next(p for p in parts if p.title == name) for name in (SECTIONS[0], SECTIONS[2])
    )
    if not definition.paragraphs:
        yield definition.line, "the definition is empty"
    known = capability_names().keys() - {capability}
    named = {word for _, text in boundaries.bullets for word in re.findall(r"\w+", text)} & known
    if len(named) < MIN_BOUNDARIES:
        yield boundaries.line, f"names {len(named)} other capabilities by acronym; at least {MIN_BOUNDARIES}"


def _phrases(parts: list[Part]) -> Iterator[tuple[int, str]]:
    """Descriptors and examples."""
    for part in parts:
        if part.level == 3:
            yield from [*part.paragraphs, *part.bullets]
