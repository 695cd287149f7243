"""Files of the sources folder, before anyone reads them: which count, what they are called, and the hash of each.

Belongs here: finding, naming and hashing. Does not belong here: contents (readers/), which inputs there are
(inputs.py).
"""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

from assets.common.names import DAMAGED_DO, DAMAGED_WHAT, clean_name, is_damaged
from assets.sources.errors import SourceError, SourceFileError

CSV, JSONL = ".csv", ".jsonl"


def find_files(
    sources: Path, location: str, suffixes: tuple[str, ...] = (CSV,)
) -> tuple[list[Path], list[str]]:
    """The files of `<sources>/<location>` (a folder, or one .csv file), sorted, and what else lies there.

    Raises:
        SourceError: a file where a folder is expected, a folder that can't be reached, two files that give the same
            name, or one whose name is blank or damaged.
    """
    folder, _, file = location.rpartition("/") if location.endswith(CSV) else (location, "", "")
    children = _children(sources, folder)
    if file:
        found, ignored = [child for child in children if child.name.casefold() == file.casefold()], []
    else:
        found = [
            child
            for child in children
            if child.name.lower().endswith(suffixes) and not child.name.startswith((".", "~"))
        ]
        ignored = sorted(set(children) - set(found))
    faults = []
    by_name: dict[tuple[str, str], Path] = {}
    for child in found:
        name = clean_name(child.stem)
        other = by_name.setdefault((name.casefold() if file else name, child.suffix.lower()), child)
        if other is not child:
            what = f"gives the same name as {other.name}"
            if not (child.name + other.name).isascii():
                # the two may look the same: this is how they differ
                what += f" ({child.name!a} and {other.name!a})"
            faults.append(
                SourceFileError(what, file=relative(sources, child), do="Rename or remove one of them")
            )
        if is_damaged(name):
            faults.append(SourceFileError(DAMAGED_WHAT, file=relative(sources, child), do=DAMAGED_DO))
        if not name:
            do = "Rename it"
            faults.append(SourceFileError("the file's name is blank", file=relative(sources, child), do=do))
    if faults:
        raise SourceError(faults)
    return found, [relative(sources, child) for child in ignored]


def _children(sources: Path, location: str) -> list[Path]:
    """What lies in the folder, sorted; nothing where there is no folder.

    One that is there but can't be reached (a share that isn't mounted) is not taken for none: that would publish
    empty tables over good ones.
    """
    path = sources
    for name in location.split("/"):
        path = path / name
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except OSError as error:
            if isinstance(error, FileNotFoundError) and not path.is_symlink():
                return []
            raise SourceError([_unreachable(sources, path, error)]) from None
        if not is_folder:
            file, do = relative(sources, path), "Make it a folder that holds the files, or remove it"
            raise SourceError([SourceFileError("a file where a folder is expected", file=file, do=do)])
    try:
        return sorted(path.iterdir())
    except OSError as error:
        raise SourceError([_unreachable(sources, path, error)]) from None


def _unreachable(sources: Path, path: Path, error: OSError) -> SourceFileError:
    what = f"cannot be reached ({error.strerror})"
    do = "Restore what it leads to and your right to read it, or remove it"
    return SourceFileError(what, file=relative(sources, path), do=do)


def relative(sources: Path, path: Path) -> str:
    return path.relative_to(sources).as_posix()


def file_sha256(path: Path, file: str) -> str:
    """Of the file's bytes, streamed.

    Raises:
        SourceFileError: it can't be read.
    """
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        do = "Check that it is a file and that you may read it"
        raise SourceFileError(f"cannot be read ({error.strerror})", file=file, do=do) from None
