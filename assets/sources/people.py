"""People who filled in a form become results files and rows of systems.csv, as any system has them.

Belongs here: where a person's scores go, and that nobody else's are overwritten. Does not belong here: scoring
(forms.py).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from assets.common.atomic_write import atomic_write
from assets.common.names import clean_name
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import find_files, relative
from assets.sources.readers import results, systems
from assets.sources.readers.systems import read_systems
from assets.sources.readers.text import known_names

HUMAN = "human"
TASK = "shortform"


def write_people(sources: Path, scored: pd.DataFrame, *, replace: bool) -> list[Path]:
    """battery/results/<participant>.csv of each who answered anything, and their rows in battery/systems.csv.

    What was not answered gives no row; what was answered but could not be scored gives a row with a blank score.
    systems.csv comes first: a person whose results stood alone would be taken for an AI system.

    Args:
        scored: participant, benchmark, item, status, score, as `forms.read_form`.
        replace: whether results of these people that are there may be overwritten.

    Returns:
        The results files, sorted.

    Raises:
        SourceError: systems.csv can't be read, or a participant's name can't name a file.
        FileExistsError: results are there already, or the name is an AI system's, or differs from another only in
            case; then nothing is written.
    """
    answered = scored[scored["status"] != "unanswered"]
    people = sorted(answered["participant"].unique())
    _require_file_names(people)
    kind = _kinds(sources)
    paths = _paths(sources, people, kind, replace=replace)
    _add_to_systems(sources, [person for person in people if person not in kind])
    for person, path in paths.items():
        own = answered[answered["participant"] == person]
        score = own["score"].map({1.0: "1", 0.0: "0"}).fillna("")
        rows = [
            (TASK, item, cell, "", benchmark)
            for benchmark, item, cell in zip(own["benchmark"], own["item"], score, strict=True)
        ]
        _write(path, [results.COLUMNS, *rows])
    return list(paths.values())


def _require_file_names(people: Iterable[str]) -> None:
    wrong = [
        person
        for person in people
        if not person
        or set(person) & set("/\\:")
        or not person.isprintable()
        or person[0] in ".~"
        or len(person) > 80
    ]
    if wrong:
        do = "Use up to 80 letters, digits, blanks and hyphens, not starting with a dot or a tilde"
        raise SourceError(
            [SourceFileError(f"'{w}' can't name a file", file=results.LOCATION, do=do) for w in wrong]
        )


def _kinds(sources: Path) -> dict[str, str]:
    """System -> its kind as systems.csv has it."""
    frame = read_systems(sources).frames["raw.ai_system"]
    return {
        system: (kind or "").strip().lower()
        for system, kind in zip(frame["system"], frame["kind"], strict=True)
    }


def _paths(
    sources: Path, people: Iterable[str], kind: Mapping[str, str], *, replace: bool
) -> dict[str, Path]:
    """Where each person's results go; nothing of an AI system, and nothing that is there unless `replace`."""
    present = {clean_name(path.stem): path for path in find_files(sources, results.LOCATION)[0]}
    own = {person: present.get(person, sources / results.LOCATION / f"{person}.csv") for person in people}
    machines = [p for p in own if kind.get(p, HUMAN if p not in present else "") != HUMAN]
    if machines:
        raise FileExistsError(
            f"{systems.LOCATION} or a results file has {', '.join(machines)} as an AI system. Name the person "
            f"otherwise, or say kind {HUMAN} in {systems.LOCATION}. Nothing was written."
        )
    names = {name.casefold(): name for name in (*people, *present, *kind)}
    # a folder that ignores case would take both for one file, and a reader both for one name
    twins = [
        f"{name} and {names[name.casefold()]}"
        for name in (*kind, *present, *own)
        if names[name.casefold()] != name and {name, names[name.casefold()]} & set(own)
    ]
    if twins:
        raise FileExistsError(
            f"{', '.join(dict.fromkeys(twins))} differ only in case. Name the person as before, or otherwise. "
            "Nothing was written."
        )
    taken = [relative(sources, path) for person, path in own.items() if person in present]
    if taken and not replace:
        raise FileExistsError(
            f"not overwritten: {', '.join(taken)}. Say --replace to do so. Nothing was written."
        )
    return own


def _add_to_systems(sources: Path, people: list[str]) -> None:
    """One more row a person; the rows that are there keep their cells."""
    if not people:
        return
    found = find_files(sources, systems.LOCATION)[0]
    path = found[0] if found else sources / systems.LOCATION
    rows: list[list[str]] = [list(systems.COLUMNS)]
    if found:
        text = path.read_bytes().decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if any(map(str.strip, row))]
    header = known_names(map(clean_name, rows[0]), systems.COLUMNS)
    if "kind" not in header:
        header.append("kind")
        rows = [rows[0] + ["kind"], *(row + [""] for row in rows[1:])]
    for person in people:
        cells = {"system": person, "name": person, "kind": HUMAN}
        rows.append([cells.get(name, "") for name in header])
    _write(path, rows)


def _write(path: Path, rows: Iterable[Iterable[object]]) -> None:
    """The whole file or the old one, never half of it."""
    with atomic_write(path) as fresh, fresh.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
