"""The numbers of each mart as a file that the pages link to.

Belongs here: in which form a mart is handed out. Does not belong here: which marts the pages use (data.py).
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

from dagster_project.report.data import OPTIONAL, Published

DOWNLOADS = (
    "ai_system",
    "capability_profile",
    "system_profile",
    "fit_diagnostic",
    *OPTIONAL,
    "suitability",
    "suitability_pooled",
    "activity_importance",
    "capability_importance",
    "published_comparison",
)
# from so many rows on a CSV file is zipped, which every system opens
LONG = 1_000


@dataclass(frozen=True)
class Download:
    """A link to the numbers of one mart; `href` '' = only the database has them."""

    href: str
    label: str


def write_downloads(published: Published, folder: Path, beside: dict[str, str]) -> dict[str, Download]:
    """Each mart of `DOWNLOADS` as CSV under `folder`/data; of large ones the Parquet file `beside` the database."""
    found = {}
    for mart in DOWNLOADS:
        if published.is_large(mart):
            href = beside.get(f"{mart}.parquet", "")
            label = f"Numbers as Parquet ({mart})" if href else f"Numbers in the database (table {mart})"
            found[mart] = Download(href, label)
            continue
        frame, name = published[mart], f"{mart}.csv"
        text = frame.to_csv(index=False)
        if len(frame) < LONG:
            (folder / "data" / name).write_text(text, encoding="utf-8")
            found[mart] = Download(f"data/{name}", f"Numbers as CSV ({mart})")
        else:
            (folder / "data" / f"{name}.zip").write_bytes(_zipped(name, text))
            found[mart] = Download(f"data/{name}.zip", f"Numbers as CSV, zipped ({mart})")
    return found


def _zipped(name: str, text: str) -> bytes:
    """A zip of one file; a ZipInfo of its own has a fixed date, so the same text gives the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
