"""What the pages say in words about who comes first: never more than the joint posterior draws carry.

Belongs here: sentences derived from the probability of being highest, and the estimates beside them.
Does not belong here: numbers or layout of tables and charts (pages/).
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from dagster_project.report.labels import System, chance, number

# the order is called settled from this chance on; intervals of single systems don't tell, since errors are shared
SETTLED = 0.95
SETTLED_MEANS = (
    f"Settled: the chance that the system is highest is at least {100 * SETTLED:.0f}\u00a0%. "
    "Overlapping intervals alone don’t mean that the order is uncertain."
)


@dataclass(frozen=True)
class Estimate:
    """Posterior mean and central 95 % interval of one system, log scale, and its chance to be the highest of all.

    `chance` is NaN where it is unknown.
    """

    system: System
    mean: float
    low: float
    high: float
    chance: float

    def __str__(self) -> str:
        return f"{number(self.mean)} ({number(self.low)} to {number(self.high)})"


@dataclass(frozen=True)
class Leader:
    """The system with the highest estimate for one activity, and the others by estimate."""

    activity: str
    first: Estimate
    others: list[Estimate]
    is_thin: bool

    @property
    def second(self) -> Estimate | None:
        """The next highest estimate; None where there is one system only."""
        return self.others[0] if self.others else None

    @property
    def is_settled(self) -> bool:
        """True where there is another system and the first is highest with at least the chance `SETTLED`."""
        return bool(self.others) and self.first.chance >= SETTLED

    @property
    def verdict(self) -> str:
        """The sentence for the reader."""
        if not self.others:
            return "The only system with an estimate: there is nothing to compare it with."
        if self.is_settled:
            return "Settled."
        known = [other for other in self.others if other.chance == other.chance]
        if not known:
            return "Unknown: no chance was computed."
        rival = max(known, key=lambda other: other.chance)
        return f"Not settled: the chance that {rival.system.name} is highest is {chance(rival.chance)}."


def leaders(suitability: pd.DataFrame, activities: list[str], systems: list[System]) -> list[Leader]:
    """One `Leader` per activity with an estimate, in the order of `activities`; people take no part.

    `suitability`: rows of one scope and one policy, columns activity, system, mean_log, q025_log, q975_log,
    is_best_probability, is_thin; rows without an estimate or an interval are left out. Ties go to the system that
    stands first in `systems`.
    """
    by_key = {system.key: system for system in systems if not system.is_person}
    usable = suitability[suitability["system"].isin(list(by_key))]
    usable = usable.dropna(subset=["mean_log", "q025_log", "q975_log"])
    columns = ["activity", "system", "mean_log", "q025_log", "q975_log", "is_best_probability"]
    by_activity: dict[str, list[Estimate]] = {}
    for activity, system, *figures in zip(*(usable[c].tolist() for c in columns), strict=True):
        by_activity.setdefault(activity, []).append(Estimate(by_key[system], *figures))
    thin = set(usable.loc[usable["is_thin"].eq(True).fillna(False).astype(bool), "activity"])
    found = []
    for activity in [a for a in activities if a in by_activity]:
        first, *others = sorted(by_activity[activity], key=lambda e: (-e.mean, e.system.index))
        found.append(Leader(activity, first, others, activity in thin))
    return found


def summary(found: list[Leader]) -> str:
    """One honest sentence over all activities."""
    if not found:
        return "No AI system has a suitability estimate for this group."
    compared = [leader for leader in found if leader.others]
    if not compared:
        return "Only one system has estimates, so no comparison between systems is possible."
    n_settled = sum(leader.is_settled for leader in compared)
    if len(compared) == 1:
        return f"{compared[0].activity}: it is {'' if n_settled else 'not '}settled which system is highest."
    if n_settled == 0:
        return f"It is not settled for any of the {len(compared)} activities which system is highest."
    if n_settled == len(compared):
        return f"It is settled for all {n_settled} activities which system is highest."
    return (
        f"It is settled for {n_settled} of {len(compared)} activities which system is highest, "
        f"and not for the other {len(compared) - n_settled}."
    )
