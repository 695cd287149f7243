"""The short form as files: written for people to fill in, read back and scored.

Belongs here: form.csv, key.csv and README.txt, and what an answer counts as. Does not belong here: which items stand
on it (assets/capability/shortform.py), and where a person's results go (people.py).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from assets.common.names import clean_name
from assets.sources.errors import SourceError
from assets.sources.readers.text import Table, read_table, require_columns, require_unique, with_known_columns

FORM = ("position", "benchmark", "item", "text", "answer", "score")
KEY = ("position", "benchmark", "item", "answer", "dimensions", "expected_information")
ITEM = ("benchmark", "item")
PARTICIPANT = "participant"
README = """Short form: {n} items of the battery, the most telling first.

form.csv        for those who answer: one line an item, the answer goes into column 'answer'. Leave what you did not
                get to blank: it is missing then, never wrong. Leave 'score' to whoever marks the form.
key.csv         for those who mark: the expected answer where the items' files have one, the dimensions an item
                demands, and how much it is expected to tell (nats, given the items before it). Keep it from those
                who answer, and beside the filled form: reading needs it.

Name people by a code, not by their name: it stands in the marts and in the report.

One person a file:      suitability shortform --read form.csv --key key.csv --system "Person 7"
Many people in one:     add a column 'participant', one line a person and item, and leave out --system

An answer is compared with the key's; case and blanks make no difference, anything else does. Where that is too
strict, or the key has no answer, put 1 (right) or 0 (wrong) into 'score': a score given by hand counts before the key.
An answer with neither key nor score is counted as unscored. Keep 'benchmark' and 'item' as they are: a spreadsheet
may drop leading zeros unless these columns are text.
"""


def write_form(folder: Path, chosen: pd.DataFrame, texts: pd.DataFrame, *, replace: bool) -> list[Path]:
    """form.csv, key.csv and README.txt in `folder`; returns the files.

    Args:
        chosen: position, benchmark, item, dimensions, expected_information.
        texts: benchmark, item, text, answer, as `readers.items.read_items`; an item it lacks stays blank.
        replace: whether files that are there may be overwritten.

    Raises:
        FileExistsError: one of the files is there already; then none is written.
    """
    paths = [folder / name for name in ("form.csv", "key.csv", "README.txt")]
    present = [str(path) for path in paths if path.exists()]
    if present and not replace:
        raise FileExistsError(
            f"not overwritten: {', '.join(present)}. Name another folder (--out) or say --replace."
        )
    items = chosen.merge(texts, on=list(ITEM), how="left", validate="one_to_one")
    items["expected_information"] = items["expected_information"].map("{:.6f}".format)
    folder.mkdir(parents=True, exist_ok=True)
    _write(paths[0], FORM, items.assign(answer=None, score=None))
    _write(paths[1], KEY, items)
    paths[2].write_text(README.format(n=len(items)), encoding="utf-8")
    return paths


def _write(path: Path, columns: Sequence[str], frame: pd.DataFrame) -> None:
    frame[list(columns)].to_csv(path, index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)


def read_form(filled: Path, key: Path, participant: str | None) -> pd.DataFrame:
    """A filled form, scored: participant, benchmark, item, status, score, is_overruled; one row a line of the form.

    status: 'scored'; 'unscored' (answered, but neither key nor score say whether rightly); 'unanswered'.
    score: 1.0, 0.0 or NaN. is_overruled: a score given by hand that the key would not have given.

    Args:
        filled: form.csv with answers; columns 'score' and 'participant' may be absent.
        key: the key.csv written with it.
        participant: who filled it in, where the file has no column 'participant'.

    Raises:
        SourceError: as `readers.text.read_table`; an item that is not on the form, one person's item twice, a score
            that is neither 0 nor 1, a doubled column, or nobody or two ways to tell who it was.
    """
    table, expected = read_table(filled, str(filled)), _read_key(key)
    table = with_known_columns(table, (*FORM, PARTICIPANT))
    require_columns(table, [*ITEM, "answer"])
    people = _participants(table, participant)
    rows, faults = [], []
    lines = zip(
        table.row_numbers,
        people,
        *(table.key(name) for name in ITEM),
        table.column("answer"),
        table.column("score"),
        strict=True,
    )
    for line, person, benchmark, item, answer, given in lines:
        if (benchmark, item) not in expected:
            what = f"benchmark '{benchmark}', item '{item}' is not in {key.name}"
            do = "Restore both from the key (a spreadsheet drops leading zeros), or name the form's own key"
            faults.append(table.fault(what, row=line, column="item", do=do))
        elif given is not None and given.strip() not in _SCORES:
            do = "Write 1, 0 or nothing"
            faults.append(
                table.fault(f"'{given.strip()}' is neither 0 nor 1", row=line, column="score", do=do)
            )
        else:
            by_key = _by_key(answer, expected[benchmark, item])
            by_hand = None if given is None else _SCORES[given.strip()]
            score = by_key if by_hand is None else by_hand
            is_answered = answer is not None or by_hand is not None
            status = "scored" if score is not None else "unscored" if is_answered else "unanswered"
            is_overruled = None not in (by_key, by_hand) and by_key != by_hand
            rows.append((person, benchmark, item, status, score, is_overruled))
    if faults:
        raise SourceError(faults)
    columns = [PARTICIPANT, *ITEM, "status", "score", "is_overruled"]
    return pd.DataFrame(rows, columns=columns).astype({"score": float})


_SCORES = {"0": 0.0, "0.0": 0.0, "1": 1.0, "1.0": 1.0}


def _by_key(answer: str | None, expected: str | None) -> float | None:
    if answer is None or expected is None:
        return None
    return float(_normalised(answer) == _normalised(expected))


def _normalised(text: str) -> str:
    return " ".join(clean_name(text).split()).casefold()


def _read_key(path: Path) -> dict[tuple[str, str], str | None]:
    table = with_known_columns(read_table(path, str(path)), KEY)
    require_columns(table, [*ITEM, "answer"])
    require_unique(table, ITEM)
    return dict(
        zip(zip(*(table.key(name) for name in ITEM), strict=True), table.column("answer"), strict=True)
    )


def _participants(table: Table, participant: str | None) -> Iterable[str]:
    """Who answered each line."""
    has_column = PARTICIPANT in table.header
    if has_column == (participant is not None):
        what = "names participants, and so does --system" if has_column else "does not say who answered"
        do = f"Name the person by --system, or people in a column '{PARTICIPANT}', not both"
        raise SourceError([table.fault(what, column=PARTICIPANT, do=do)])
    if participant is not None:
        require_unique(table, ITEM)
        return [clean_name(participant)] * len(table.rows)
    require_columns(table, [PARTICIPANT])
    require_unique(table, [PARTICIPANT, *ITEM])
    names: list[str] = list(table.key(PARTICIPANT))
    return names
