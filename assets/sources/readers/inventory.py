"""Every input file with its hash -> raw.source_file.

Belongs here: version, date and size of what was found. Does not belong here: contents.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from assets.ports import conform
from assets.sources.readers import (
    interviews,
    items,
    propensity,
    ratings,
    results,
    survey,
    systems,
    tournament,
)
from assets.sources.readers.errors import SourceError, SourceFileError
from assets.sources.readers.folder import CSV, empty_frame, find_files, relative
from assets.sources.readers.json_lines import JSONL

LOCATIONS = {
    "ratings": (ratings.LOCATION, (CSV,)),
    "items": (items.LOCATION, (JSONL,)),
    "results": (results.LOCATION, results.SUFFIXES),
    "systems": (systems.LOCATION, (CSV,)),
    "survey": (survey.LOCATION, (CSV,)),
    "interviews": (interviews.LOCATION, (CSV,)),
    "candidates": (tournament.CANDIDATES, (CSV,)),
    "outputs": (tournament.OUTPUTS, (JSONL,)),
    "judgements": (tournament.JUDGEMENTS, (JSONL,)),
    "traits": (tournament.TRAITS, (JSONL,)),
    "propensity_items": (propensity.ITEMS, (CSV,)),
    "propensity_responses": (propensity.RESPONSES, (CSV,)),
}


def list_source_files(sources: Path) -> pd.DataFrame:
    """raw.source_file: one row a file; a file that its reader refuses is listed too.

    Raises:
        SourceError: a file that can't be opened.
    """
    rows = []
    for name, (location, suffixes) in LOCATIONS.items():
        for path in find_files(sources, location, suffixes)[0]:
            file = relative(sources, path)
            try:
                raw, modified = path.read_bytes(), path.stat().st_mtime
            except OSError as error:
                do = "Check that it is a file and that you may read it"
                fault = SourceFileError(f"cannot be read ({error.strerror})", file=file, do=do)
                raise SourceError([fault]) from error
            rows.append(
                {
                    "input": name,
                    "source_file": file,
                    "source_sha256": hashlib.sha256(raw).hexdigest(),
                    "n_bytes": len(raw),
                    "modified_at": datetime.fromtimestamp(modified, UTC).replace(tzinfo=None),
                }
            )
    return conform("raw.source_file", pd.DataFrame(rows)) if rows else empty_frame("raw.source_file")
