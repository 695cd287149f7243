"""Every input file with its hash -> raw.source_file.

Belongs here: version, date and size of what was found. Does not belong here: contents.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from assets.ports import conform
from assets.sources.readers import (
    chats,
    comparison,
    interviews,
    items,
    oews,
    onet,
    propensity,
    ratings,
    results,
    survey,
    systems,
    tournament,
)
from assets.sources.readers.errors import SourceError, SourceFileError
from assets.sources.readers.folder import CSV, empty_frame, file_sha256, find_files, relative
from assets.sources.readers.json_lines import JSONL

# (input, location, endings of its files); an input may have several locations
LOCATIONS: list[tuple[str, str, tuple[str, ...]]] = [
    ("ratings", ratings.LOCATION, (CSV,)),
    ("items", items.LOCATION, (JSONL,)),
    ("results", results.LOCATION, results.SUFFIXES),
    ("systems", systems.LOCATION, (CSV,)),
    ("survey", survey.LOCATION, (CSV,)),
    ("interviews", interviews.LOCATION, (CSV,)),
    ("chats", chats.LOCATION, chats.SUFFIXES),
    ("onet", onet.LOCATION, onet.SUFFIXES),
    ("oews", oews.LOCATION, oews.SUFFIXES),
    *((comparison.FOLDER, file.location, (CSV,)) for file in comparison.FILES),
    ("candidates", tournament.CANDIDATES, (CSV,)),
    ("outputs", tournament.OUTPUTS, (JSONL,)),
    ("judgements", tournament.JUDGEMENTS, (JSONL,)),
    ("traits", tournament.TRAITS, (JSONL,)),
    ("propensity_items", propensity.ITEMS, (CSV,)),
    ("propensity_responses", propensity.RESPONSES, (CSV,)),
]


def list_source_files(sources: Path) -> pd.DataFrame:
    """raw.source_file: one row a file; a file that its reader refuses is listed too.

    Raises:
        SourceError: a file that can't be opened.
    """
    rows = []
    for name, location, suffixes in LOCATIONS:
        for path in find_files(sources, location, suffixes)[0]:
            file = relative(sources, path)
            try:
                sha256, status = file_sha256(path, file), path.stat()
            except SourceFileError as fault:
                raise SourceError([fault]) from None
            rows.append(
                {
                    "input": name,
                    "source_file": file,
                    "source_sha256": sha256,
                    "n_bytes": status.st_size,
                    "modified_at": datetime.fromtimestamp(status.st_mtime, UTC).replace(tzinfo=None),
                }
            )
    return conform("raw.source_file", pd.DataFrame(rows)) if rows else empty_frame("raw.source_file")
