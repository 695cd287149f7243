"""Who meets whom before which judge, in which seats: the plan of a tournament, without texts.

Belongs here: entries, judges, the round robin, the family mask, seats. Does not belong here: texts and calls
(deliverable_runs.py, judging.py), counting votes (dbt).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

Mode = Literal["automation", "augmentation"]


class PanelError(ValueError):
    """A panel that can't hold a tournament; names who, and what to do."""


class Entry(NamedTuple):
    """One deliverable that takes part. In augmentation `candidate` wrote the assistance, or is the unaided worker."""

    task: str
    mode: Mode
    run: str
    candidate: str


class Comparison(NamedTuple):
    """One verdict to be given: `judge` sees `first` and `second` in these seats."""

    task: str
    mode: Mode
    run: str
    judge: str
    first: str
    second: str


@dataclass(frozen=True)
class Panel:
    """Who takes part, by name. `worker` '' = none; `families`: name -> family, absent or '' = unknown."""

    candidates: Sequence[str]
    judges: Sequence[str]
    worker: str
    families: Mapping[str, str]

    def assistants(self) -> list[str]:
        """Who writes assistance: every candidate but the worker."""
        return [name for name in self.candidates if name != self.worker]

    def entries(self, tasks: Iterable[str], runs: Sequence[str]) -> Iterator[Entry]:
        """The complete tournament: all candidates in automation, assistants and the unaided worker in augmentation."""
        for task in tasks:
            for run in runs:
                yield from (Entry(task, "automation", run, name) for name in self.candidates)
                aided = [*self.assistants(), *([self.worker] if self.worker else [])]
                yield from (Entry(task, "augmentation", run, name) for name in aided)

    def may_judge(self, judge: str, pair: Iterable[str], mode: Mode) -> bool:
        """Whether `judge` is of a known family and nobody of the pair is of it, or of an unknown one.

        The unaided worker of augmentation belongs to no family: what is judged is the absence of help.
        """
        own = self.families.get(judge, "")
        with_family = [name for name in pair if mode == "automation" or name != self.worker]
        families = {self.families.get(name, "") for name in with_family}
        return bool(own) and own not in families and "" not in families

    def refuse_unknown_families(self) -> None:
        """Nothing, if the family of every judge and candidate is known.

        Raises:
            PanelError: one is not: a judge might judge its own, a candidate could be judged by nobody.
        """
        named = [*self.judges, *self.candidates]
        if unknown := [name for name in dict.fromkeys(named) if not self.families.get(name)]:
            raise PanelError(
                f"no family is known of {', '.join(unknown)}, so who may judge whom can't be told: "
                "give each a row with its family in tournament/candidates.csv"
            )


def comparisons(
    entries: Iterable[Entry], panel: Panel, seed: int, both_seats: bool = False
) -> Iterator[Comparison]:
    """All pairs of entries of one task, mode and run, before every judge that may judge them.

    Who sits first is drawn for each verdict, by `seed` and its names alone: one candidate more changes no other.
    `both_seats` adds the same pair in the other seats.
    """
    groups: dict[tuple[str, Mode, str], set[str]] = {}
    for task, mode, run, candidate in entries:
        groups.setdefault((task, mode, run), set()).add(candidate)
    for (task, mode, run), names in groups.items():
        for pair in combinations(sorted(names), 2):
            for judge in panel.judges:
                if panel.may_judge(judge, pair, mode):
                    flips = _flips(seed, task, mode, run, judge, *pair)
                    first, second = pair[::-1] if flips else pair
                    yield Comparison(task, mode, run, judge, first, second)
                    if both_seats:
                        yield Comparison(task, mode, run, judge, second, first)


def _flips(seed: int, *names: str) -> bool:
    text = "\0".join([str(seed), "seat", *names])
    return bool(hashlib.sha256(text.encode()).digest()[0] & 1)
