"""What is wrong with an input file: one fault, and all faults of one input together.

Belongs here: the wording of where a fault is. Does not belong here: finding faults (the readers do).
"""

from __future__ import annotations

from collections.abc import Sequence

MAX_SHOWN = 20


class SourceFileError(Exception):
    """One fault: what, in which file, row (line of the file, header = line 1) and column, and what to do."""

    def __init__(
        self, what: str, *, file: str, row: int | None = None, column: str | None = None, do: str
    ) -> None:
        self.what, self.file, self.row, self.column, self.do = what, file, row, column, do
        place = [file]
        if row is not None:
            place.append(f"row {row}")
        if column is not None:
            place.append(f"column '{column}'")
        super().__init__(f"{', '.join(place)}: {what}. {do}.")


class SourceError(Exception):
    """All faults of one input, one line each (the first 20 are shown, the rest counted)."""

    def __init__(self, faults: Sequence[SourceFileError]) -> None:
        self.faults = list(faults)
        files = sorted({fault.file for fault in self.faults})
        head = (
            f"{_count(len(self.faults), 'fault')} in {_count(len(files), 'input file')}; nothing was loaded:"
        )
        lines = [f"  {fault}" for fault in self.faults[:MAX_SHOWN]]
        if len(self.faults) > MAX_SHOWN:
            lines.append(f"  ... and {len(self.faults) - MAX_SHOWN} more")
        super().__init__("\n".join([head, *lines]))

    def advising(self, do: str) -> SourceError:
        """The same faults with other advice."""
        return SourceError(
            [SourceFileError(f.what, file=f.file, row=f.row, column=f.column, do=do) for f in self.faults]
        )


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
