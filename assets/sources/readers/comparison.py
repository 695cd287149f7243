"""comparison/: what other indices of AI use found -> raw.index_value, one row a value.

Belongs here: which files and columns of the Anthropic Economic Index and of Microsoft's 'Working with AI' are taken.
Does not belong here: what is compared with what (dbt), other releases of O*NET than their texts are of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from assets.common.warehouse import conform
from assets.sources.errors import SourceError, SourceFileError
from assets.sources.files import find_files, relative
from assets.sources.readers.folder import Reading, empty_frame, provenance
from assets.sources.readers.text import Table, read_table, require_columns, require_unique

FOLDER = "comparison"
TABLE = "raw.index_value"


@dataclass(frozen=True)
class File:
    """One file: `level` of its units, named by `unit` (a code) and `text`; `values` maps our index to its column."""

    path: str
    level: str
    unit: str | None
    text: str
    values: Mapping[str, str]

    @property
    def location(self) -> str:
        return f"{FOLDER}/{self.path}"

    @property
    def header(self) -> list[str]:
        """The columns that are taken; others may stand beside them."""
        return [*filter(None, (self.unit, self.text)), *self.values.values()]


# the first release stands again in the second's folder, as task_pct_v1.csv: it counts once
FILES = (
    File(
        "aei/release_2025_02_10/onet_task_mappings.csv", "task", None, "task_name", {"aei_2025_02_10": "pct"}
    ),
    File("aei/release_2025_03_27/task_pct_v2.csv", "task", None, "task_name", {"aei_2025_03_27": "pct"}),
    File(
        "aei/labor_market_impacts/job_exposure.csv",
        "SOC",
        "occ_code",
        "title",
        {"aei_exposure": "observed_exposure"},
    ),
    File(
        "working_with_ai/iwa_metrics.csv",
        "IWA",
        "IWA",
        "title",
        {"microsoft_user": "share_user", "microsoft_ai": "share_ai"},
    ),
    File(
        "working_with_ai/soc_ai_applicability_scores.csv",
        "SOC",
        "SOC Code",
        "title",
        {"microsoft_applicability": "ai_applicability_score"},
    ),
)


def read_comparison(sources: Path) -> Reading:
    """raw.index_value; each file may be absent, others in the folder are listed as ignored.

    Raises:
        SourceError: as `text.read_table`, and a column is missing, or a unit is blank or stands twice.
    """
    parts: list[pd.DataFrame] = []
    faults: list[SourceFileError] = []
    files: dict[str, str] = {}
    n_blank_rows = 0
    for file in FILES:
        for path in find_files(sources, file.location)[0]:
            try:
                table = read_table(path, file.location)
                parts += _frames(table, file)
            except SourceError as error:
                faults += error.faults
                continue
            files[file.location] = table.sha256
            n_blank_rows += table.n_blank_rows
    if faults:
        raise SourceError(faults)
    there = {relative(sources, path) for path in (sources / FOLDER).rglob("*") if path.is_file()}
    frame = pd.concat(parts, ignore_index=True) if parts else empty_frame(TABLE)
    return Reading({TABLE: frame}, files, {}, sorted(there - set(files)), n_blank_rows)


def _frames(table: Table, file: File) -> list[pd.DataFrame]:
    require_columns(table, file.header)
    require_unique(table, (file.unit or file.text,))
    n = len(table.rows)
    named = {
        "level": np.full(n, file.level, dtype=object),
        "unit": table.key(file.unit) if file.unit else np.full(n, None, dtype=object),
        "text": table.key(file.text),
    }
    return [
        conform(
            TABLE,
            pd.DataFrame(
                provenance(table)
                | named
                | {
                    "index_name": np.full(n, index, dtype=object),
                    "column_name": np.full(n, column, dtype=object),
                    "value": table.column(column),
                }
            ),
        )
        for index, column in file.values.items()
    ]
