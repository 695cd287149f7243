"""What the pages say in words about who comes first: never without an interval, never more than the intervals carry.

Belongs here: sentences derived from posterior intervals, and the facts they rest on.
Does not belong here: numbers or layout of tables and charts (pages/).
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from dagster_project.report.labels import System, number


@dataclass(frozen=True)
class Estimate:
    """Posterior mean and central 95 % interval of one system, log scale."""

    system: System
    mean: float
    low: float
    high: float

    def overlaps(self, other: Estimate) -> bool:
        """Whether the two intervals share a point."""
        return self.low <= other.high and other.low <= self.high

    def __str__(self) -> str:
        return f"{number(self.mean)} ({number(self.low)} to {number(self.high)})"


@dataclass(frozen=True)
class Leader:
    """The system with the highest estimate for one activity, and those its interval overlaps with."""

    activity: str
    first: Estimate
    second: Estimate | None
    rivals: list[Estimate]
    is_thin: bool
    chance: float  # probability that no other system is higher; NaN = unknown

    @property
    def is_separated(self) -> bool:
        """True where there is another system and no interval overlaps the first's."""
        return self.second is not None and not self.rivals

    @property
    def verdict(self) -> str:
        """The sentence for the reader."""
        if self.second is None:
            return "The only system with an estimate: there is nothing to compare it with."
        if not self.rivals:
            return "Clear of the others: its interval lies above every other system’s."
        names = [rival.system.name for rival in self.rivals]
        named = " and ".join(names) if len(names) < 3 else f"{names[0]}, {names[1]} and {len(names) - 2} more"
        return f"Not settled: its interval overlaps with {named}."


def leaders(suitability: pd.DataFrame, activities: list[str], systems: list[System]) -> list[Leader]:
    """One `Leader` per activity with an estimate, in the order of `activities`; people take no part.

    `suitability`: rows of one scope and one policy, columns activity, system, mean_log, q025_log, q975_log,
    is_best_probability, is_thin; rows without an estimate or an interval are left out. Ties go to the system that
    stands first in `systems`.
    """
    by_key = {system.key: system for system in systems if not system.is_person}
    usable = suitability[suitability["system"].isin(list(by_key))]
    usable = usable.dropna(subset=["mean_log", "q025_log", "q975_log"])
    found = []
    for activity in activities:
        rows = usable[usable["activity"] == activity]
        estimates = [
            Estimate(by_key[r["system"]], r["mean_log"], r["q025_log"], r["q975_log"])
            for r in rows.to_dict("records")
        ]
        if not estimates:
            continue
        estimates.sort(key=lambda e: (-e.mean, e.system.index))
        first, others = estimates[0], estimates[1:]
        rivals = [other for other in others if other.overlaps(first)]
        is_thin = bool(rows["is_thin"].fillna(False).astype(bool).any())
        chances = rows.set_index("system")["is_best_probability"]
        second = others[0] if others else None
        found.append(Leader(activity, first, second, rivals, is_thin, chances[first.system.key]))
    return found


def summary(found: list[Leader]) -> str:
    """One honest sentence over all activities."""
    if not found:
        return "There is no suitability estimate of an AI system in this scope."
    compared = [leader for leader in found if leader.second is not None]
    if not compared:
        return "Only one system has estimates, so no comparison between systems is possible."
    n_clear = sum(leader.is_separated for leader in compared)
    if len(compared) == 1:
        verdict = "lies above every other system’s" if n_clear else "overlaps with at least one more"
        return f"{compared[0].activity}: the highest interval {verdict}."
    if n_clear == 0:
        return (
            f"For none of the {len(compared)} activities does one system stand clear of all others: "
            "the highest interval always overlaps with at least one more."
        )
    if n_clear == len(compared):
        return f"For all {n_clear} activities the highest interval lies above every other system’s."
    return (
        f"For {n_clear} of {len(compared)} activities the highest interval lies above every other system’s; "
        f"for the other {len(compared) - n_clear} it overlaps with at least one more, "
        "so the order there is not settled."
    )
