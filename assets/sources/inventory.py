"""Every input file with its hash -> raw.source_file.

Belongs here: version, date and size of what was found. Does not belong here: contents (readers/).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from assets.common.warehouse import conform
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import file_sha256, find_files, relative
from assets.sources.inputs import INPUTS
from assets.sources.readers.folder import empty_frame

# tasks are told apart from the project's own by nobody: they are instruments, as rubrics are, not data
LISTED = tuple(one for one in INPUTS if one.base == "sources" and one.name != "tasks")


def list_source_files(sources: Path, hash_of: Callable[[Path, str], str] = file_sha256) -> pd.DataFrame:
    """raw.source_file: one row a file; a file that its reader refuses is listed too.

    Raises:
        SourceError: a file that can't be opened.
    """
    rows = []
    for one in LISTED:
        for location, suffixes in one.locations:
            for path in find_files(sources, location, suffixes)[0]:
                file = relative(sources, path)
                try:
                    sha256, status = hash_of(path, file), path.stat()
                except SourceFileError as fault:
                    raise SourceError([fault]) from None
                rows.append(
                    {
                        "input": one.name,
                        "source_file": file,
                        "source_sha256": sha256,
                        "n_bytes": status.st_size,
                        "modified_at": datetime.fromtimestamp(status.st_mtime, UTC).replace(tzinfo=None),
                    }
                )
    return conform("raw.source_file", pd.DataFrame(rows)) if rows else empty_frame("raw.source_file")
