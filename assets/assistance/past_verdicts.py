"""Verdicts that the ledger has although they would not be asked today: in the other seats, or by a retired judge.

Belongs here: which comparisons of a plan those are. Does not belong here: the plan (planning.py), calls (judging.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from assets.assistance.deliverable_runs import Collected
from assets.assistance.planning import Comparison
from assets.llm import Call

CallOf = Callable[[Comparison], Call]


def swapped(comparison: Comparison) -> Comparison:
    """The same pair in the other seats."""
    return comparison._replace(first=comparison.second, second=comparison.first)


def as_asked(planned: Sequence[Comparison], call_of: CallOf, ledger: Collected) -> list[Comparison]:
    """`planned`, each in the seats in which it was asked: another seed draws other seats, and would pay again."""
    never = {comparison for comparison, status in _statuses(planned, call_of, ledger) if status == "pending"}
    others = [swapped(comparison) for comparison in planned if comparison in never]
    asked = {comparison for comparison, status in _statuses(others, call_of, ledger) if status != "pending"}
    return [other if (other := swapped(comparison)) in asked else comparison for comparison in planned]


def came_back(
    planned: Sequence[Comparison], call_of: CallOf, ledger: Collected, both_seats: bool
) -> list[Comparison]:
    """Those of `planned` (both seats of each pair) that were asked and came back; of a pair the first, or both."""
    found: dict[tuple[object, ...], Comparison] = {}
    for comparison, status in _statuses(planned, call_of, ledger):
        if status not in ("pending", "failed"):
            pair = tuple(comparison) if both_seats else (*comparison[:4], *sorted(comparison[4:]))
            found.setdefault(pair, comparison)
    return list(found.values())


def _statuses(
    comparisons: Iterable[Comparison], call_of: CallOf, ledger: Collected
) -> Iterator[tuple[Comparison, str]]:
    listed = list(comparisons)
    answers = ledger([call_of(comparison) for comparison in listed])
    return ((comparison, answer.status) for comparison, answer in zip(listed, answers, strict=True))
