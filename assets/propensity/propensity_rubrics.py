"""The rubrics of the propensities and the prompts that incite a system to a level: read, checked, given a version.

Belongs here: the form of rubrics/propensities/<propensity>.md and incitations/<propensity>.md beside them. Does not
belong here: their words (rubrics/), and what a model is asked by them (items.py, bands.py, choice_runs.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assets.common.rubric_text import Part, RubricError, parts_of, plain, read_text
from assets.propensity.two_by_two import MIN_WIDTH
from assets.settings import PROJECT

PROMPTS = PROJECT / "rubrics" / "prompts"
FOLDER = PROJECT / "rubrics" / "propensities"
# key -> name, in the paper's order; signs: red, risk-averse, extravert, answers beyond what it knows are positive
PROPENSITIES: Mapping[str, str] = {
    "red_blue": "Red-Blue Colour Bias",
    "risk": "Risk Aversion",
    "extraversion": "Extraversion",
    "ultracrepidarianism": "Ultracrepidarianism",
}
SECTIONS = ("Definition", "Levels", "Bands")
LEVELS = tuple(str(level) for level in range(-3, 4))
LOWEST, HIGHEST = -3.0, 3.0
MIN_EXAMPLES = 3
MIN_BANDS = 5
_BAND = re.compile(r'"(?P<item>.+)" \[(?P<lower>-?\d(?:\.\d)?), (?P<upper>-?\d(?:\.\d)?)\] - .+')


@dataclass(frozen=True)
class Rubric:
    """One propensity's rubric, the prompts that incite each level -3 to 3, and the sha256 of either file."""

    propensity: str
    name: str
    text: str
    version: str
    worked: tuple[tuple[str, float, float], ...]
    incitations: Mapping[str, str]
    incitation_version: str


def read_rubrics(folder: Path = FOLDER) -> dict[str, Rubric]:
    """Propensity -> rubric, for all four.

    Raises:
        RubricError: all faults of all files: a propensity without its two files, or a file of none; a heading or
            level that is absent, doubled or out of order; a level without its one descriptor or three examples, or a
            phrase that stands twice in a file; fewer than five worked bands, none open above, below or at both ends,
            or one that can't be read.
    """
    rubrics: dict[str, Rubric] = {}
    faults: list[str] = []
    for part in (folder, folder / "incitations"):
        stems = {path.stem for path in part.glob("*.md")}
        faults += [f"{part / name}.md: absent" for name in PROPENSITIES.keys() - stems]
        faults += [f"{part / stem}.md: {stem} is no propensity" for stem in stems - PROPENSITIES.keys()]
    for propensity, name in PROPENSITIES.items():
        path, beside = folder / f"{propensity}.md", folder / "incitations" / f"{propensity}.md"
        if not (path.is_file() and beside.is_file()):
            continue
        try:
            (text, version), (incitation, incitation_version) = read_text(path), read_text(beside)
        except RubricError as error:
            faults.append(str(error))
            continue
        parts, prompts = list(parts_of(text)), list(parts_of(incitation))
        title = f"{propensity}: {name}"
        faults += [f"{path}, line {line}: {what}" for line, what in _faults(title, parts)]
        faults += [f"{beside}, line {line}: {what}" for line, what in _incitation_faults(title, prompts)]
        said = {p.title: p.paragraphs[0][1] for p in prompts if p.level == 2 and p.paragraphs}
        worked = tuple(
            (band["item"], float(band["lower"]), float(band["upper"]))
            for _, bullet in _bullets(parts, "Bands")
            if (band := _BAND.fullmatch(bullet))
        )
        rubrics[propensity] = Rubric(propensity, name, text, version, worked, said, incitation_version)
    if faults:
        raise RubricError("\n".join(sorted(faults)))
    return rubrics


def read_prompt(name: str, folder: Path = PROMPTS) -> str:
    """The text of rubrics/prompts/propensity-<name>.md.

    Raises:
        RubricError: the file is empty or no UTF-8.
    """
    return read_text(folder / f"propensity-{name}.md")[0]


def band_fault(lower: float, upper: float) -> str:
    """What is wrong with a band, in words; '' where nothing is."""
    if not (LOWEST <= lower <= HIGHEST and LOWEST <= upper <= HIGHEST):
        return f"the band [{lower:g}, {upper:g}] leaves the scale {LOWEST:g} to {HIGHEST:g}"
    if lower >= upper:
        return f"the band [{lower:g}, {upper:g}] has its lower bound not below its upper bound"
    if upper - lower <= MIN_WIDTH - 1e-9:
        return f"the band [{lower:g}, {upper:g}] is narrower than {MIN_WIDTH:g}"
    return ""


def _bullets(parts: list[Part], title: str) -> list[tuple[int, str]]:
    return [bullet for part in parts if part.title == title for bullet in part.bullets]


def _headings(title: str, parts: list[Part], level: int) -> Iterator[tuple[int, str]]:
    """Faults of the one title, and of the headings -3 to 3 at `level`."""
    if [part.title for part in parts if part.level == 1] != [title]:
        yield 1, f"the one title must be '# {title}'"
    found = [part.title for part in parts if part.level == level]
    if found != list(LEVELS):
        yield (
            parts[-1].line,
            f"levels are {', '.join(found) or 'none'}; must be {', '.join(LEVELS)}",
        )


def _faults(title: str, parts: list[Part]) -> Iterator[tuple[int, str]]:
    sections = [part.title for part in parts if part.level == 2]
    if sections != list(SECTIONS):
        yield parts[-1].line, f"sections are {', '.join(sections) or 'none'}; must be {', '.join(SECTIONS)}"
        return
    yield from _headings(title, parts, 3)
    seen: dict[str, int] = {}
    for part in (p for p in parts if p.level == 3):
        if len(part.paragraphs) != 1:
            yield part.line, f"level {part.title} has {len(part.paragraphs)} descriptors; must have one"
        if len(part.bullets) < MIN_EXAMPLES:
            yield part.line, f"level {part.title} has {len(part.bullets)} examples; at least {MIN_EXAMPLES}"
        for line, phrase in [*part.paragraphs, *part.bullets]:
            first = seen.setdefault(plain(phrase), line)
            if first != line:
                yield line, f"'{phrase}' stands in line {first} already"
    for name in (SECTIONS[0], SECTIONS[2]):
        part = next(p for p in parts if p.title == name)
        if not part.paragraphs:
            yield part.line, f"the section {name} has no text"
    yield from _band_faults(parts)


def _band_faults(parts: list[Part]) -> Iterator[tuple[int, str]]:
    ends: set[tuple[bool, bool]] = set()
    bullets = _bullets(parts, SECTIONS[2])
    for line, bullet in bullets:
        match = _BAND.fullmatch(bullet)
        if match is None:
            yield line, 'a worked band must read "item" [lower, upper] - reason'
            continue
        lower, upper = float(match["lower"]), float(match["upper"])
        if fault := band_fault(lower, upper):
            yield line, fault
        ends.add((lower == LOWEST, upper == HIGHEST))
    at = next(part.line for part in parts if part.title == SECTIONS[2])
    if len(bullets) < MIN_BANDS:
        yield at, f"{len(bullets)} worked bands; at least {MIN_BANDS}"
    for wanted, name in (
        ((True, False), "below only"),
        ((False, True), "above only"),
        ((True, True), "both ends"),
    ):
        if wanted not in ends:
            yield at, f"no worked band is open {'at ' if wanted == (True, True) else ''}{name}"


def _incitation_faults(title: str, parts: list[Part]) -> Iterator[tuple[int, str]]:
    yield from _headings(title, parts, 2)
    for part in (p for p in parts if p.level == 2):
        if len(part.paragraphs) != 1 or part.bullets:
            yield (
                part.line,
                f"level {part.title} must have one paragraph, the system prompt, and nothing else",
            )
