"""Which folder the inputs come from: the user's, or the embedded demo's.

Belongs here: that one decision, and whether the inputs are synthetic. Does not belong here: what lies in the
folder.
"""

from __future__ import annotations

import os
from pathlib import Path

from assets.settings import Settings
from assets.sources.errors import SourceError, SourceFileError

SYNTHETIC_NOTE = "SYNTHETIC.md"
# key of metadata
SOURCES = "sources"


def sources_folder(settings: Settings) -> Path:
    """`settings.sources`, or the embedded demo under `settings.home` (written first if absent).

    Raises:
        SourceError: the named folder doesn't exist or holds no input at all.
    """
    if settings.sources is None:
        from assets.demo.ensure import ensure_demo  # real inputs don't need the generator

        return ensure_demo(settings.home / "demo", n_items=settings.demo_items, seed=settings.seed)
    folder, names = settings.sources, _top_folders()
    what = None
    if not folder.is_dir():
        what = "SUITABILITY_SOURCES names this, but it is not a folder"
    elif not any(os.path.lexists(folder / name) for name in names):
        what = f"SUITABILITY_SOURCES names this folder, but it has none of {', '.join(names)}"
    if what:
        do = "Correct the variable, or unset it to use the embedded demo"
        raise SourceError([SourceFileError(what, file=str(folder), do=do)])
    return folder


def _top_folders() -> list[str]:
    from assets.sources.inputs import INPUTS  # the catalogue asks this module where its files are

    locations = (location for one in INPUTS if one.base == "sources" for location, _ in one.locations)
    return list(dict.fromkeys(location.partition("/")[0] for location in locations))


def sources_name(settings: Settings) -> str:
    """How a refresh names its inputs."""
    return "embedded demo" if settings.sources is None else str(settings.sources)


def is_synthetic(sources: Path) -> bool:
    """Whether the folder says of itself that its data was generated."""
    return (sources / SYNTHETIC_NOTE).is_file()
