"""Empty input files for people who bring their own data.

Belongs here: writing them from the readers' own column lists. Does not belong here: example data
(assets/demo), files that are taken as published (O*NET, OEWS).
"""

from __future__ import annotations

import csv
from pathlib import Path

from assets.sources.readers import comparison, interviews, propensity, ratings, results, systems, tournament
from assets.sources.survey_schema import COMPANY, QUESTIONS, RESPONSE_ID, SOURCE


def write_templates(folder: Path) -> list[Path]:
    """The input layout under `folder`, each file with its header rows and no data; returns the files.

    The survey's second row says what each column means; the reader knows it for a header row.

    Raises:
        FileExistsError: one of the files is there already; then none is written.
    """
    survey = [
        (RESPONSE_ID, "Any text that tells respondents apart; only a hash of it is kept"),
        (SOURCE, "Where respondents came from; blank = the file's name"),
        (COMPANY, "Company, shown apart where enough people answered; blank = none"),
        *((question.name, question.text) for question in QUESTIONS),
    ]
    files: dict[str, list[list[str]]] = {
        "battery/ratings/name-of-rater.csv": [[*ratings.KEYS, *ratings.headings().values()]],
        "battery/results/name-of-system.csv": [list(results.COLUMNS)],
        "battery/systems.csv": [list(systems.COLUMNS)],
        "survey/name-of-source.csv": [[name for name, _ in survey], [text for _, text in survey]],
        f"{interviews.LOCATION}/interview.csv": [list(interviews.COLUMNS)],
        tournament.CANDIDATES: [list(tournament.CANDIDATE_COLUMNS)],
        f"{propensity.ITEMS}/name-of-propensity.csv": [
            [*propensity.ITEM_COLUMNS, *ratings.headings().values()]
        ],
        f"{propensity.BANDS}/name-of-rater.csv": [list(propensity.BAND_COLUMNS)],
        f"{propensity.RESPONSES}/name-of-system.csv": [list(propensity.RESPONSE_COLUMNS)],
        **{file.location: [file.header] for file in comparison.FILES},
    }
    paths = {folder / name: rows for name, rows in files.items()}
    present = [str(path) for path in paths if path.exists()]
    if present:
        raise FileExistsError(f"not overwritten: {', '.join(present)}. Name an empty folder")
    for path, rows in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    return list(paths)
