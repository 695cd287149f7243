"""How things are called, ordered and printed on every page, so that all pages agree.

Belongs here: names with their fall-backs, one order of systems, scopes and activities, number formats.
Does not belong here: statements about results (claims.py) and page contents (pages/).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from numbers import Real

import pandas as pd

from dagster_project.report.data import Published

# Domain keys as the survey's six fields of work; the marts hold only the key (a test compares with dbt's seed).
DOMAINS = {
    "WL": "Warehouse or logistics",
    "MMR": "Manufacture, maintenance, or repair",
    "NDP": "Numerical, data, or programming",
    "AOP": "Administration, organisational, or planning",
    "CMH": "Customer service, marketing, or HR",
    "HSC": "Hospitality, sales, or client care",
}
SCOPE_TYPES = ("all", "domain", "company", "source")
INTERVIEW_SCOPE_TYPES = ("role", "duty")
# Okabe & Ito's palette without yellow (too faint on white) and black (kept for the pooled marker)
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9")
N_SYMBOLS = 7  # static/report.js draws this many; coprime to the colours, so 42 systems look different
PERSON_SYMBOL = N_SYMBOLS  # and one more, which no system gets
SHOWN_AT_FIRST = 6
LEADING = 12  # systems whose numbers stand in the pages; those of others are loaded when they are ticked
MISSING = "–"


PEOPLE = "People"


@dataclass(frozen=True)
class Series:
    """What a chart draws in a colour and symbol of its own; `index` is its place in the one order."""

    index: int
    key: str
    name: str

    @property
    def style(self) -> dict[str, object]:
        """Colour and symbol number, the same on every page."""
        return {"colour": COLOURS[self.index % len(COLOURS)], "symbol": self.index % N_SYMBOLS}

    @property
    def is_shown_at_first(self) -> bool:
        return self.index < SHOWN_AT_FIRST


@dataclass(frozen=True)
class System(Series):
    """One AI system, or one person measured on the same items, as the pages show it."""

    developer: str
    is_person: bool = False

    @property
    def style(self) -> dict[str, object]:
        """As of any series, but people share a symbol of their own."""
        return super().style | ({"symbol": PERSON_SYMBOL} if self.is_person else {})


@dataclass(frozen=True)
class Scope:
    """One group of respondents; `key` ties selector, chart and tables together."""

    scope_type: str
    scope: str

    @property
    def key(self) -> str:
        return f"{self.scope_type}:{self.scope}"

    @property
    def label(self) -> str:
        if self.scope_type == "all":
            return "All respondents"
        if self.scope_type == "domain":
            return f"Domain: {DOMAINS.get(self.scope, self.scope)}"
        return f"{self.scope_type.capitalize()}: {self.scope}"


@dataclass(frozen=True)
class OfSystem:
    """What is shown of one system where a selector chooses it; `key` as for `Scope`."""

    system: System

    @property
    def key(self) -> str:
        return f"system:{self.system.key}"

    @property
    def label(self) -> str:
        return self.system.name


@dataclass(frozen=True)
class Temperature:
    """One temperature of the soft minimum; `key` as for `Scope`."""

    tau: float

    @property
    def key(self) -> str:
        return f"tau:{self.tau:g}"

    @property
    def label(self) -> str:
        return f"τ = {self.tau:g}"


def text(value: object, otherwise: str = "") -> str:
    """`value` as stripped text; `otherwise` for NULL and blanks."""
    stripped = "" if value is None or value is pd.NA or value != value else str(value).strip()
    return stripped or otherwise


def number(value: object, digits: int = 2) -> str:
    """`value` with a fixed number of digits and thousands' commas; a dash for NULL, never for 0. No minus on a zero."""
    if not isinstance(value, Real) or math.isnan(value):
        return text(value, MISSING)
    return f"{float(value):z,.{digits}f}".replace("-", "−")


def percent(value: object, digits: int = 1) -> str:
    """A share in [0, 1] as a percentage; a dash for NULL."""
    return (
        f"{float(value) * 100:.{digits}f} %" if isinstance(value, Real) and not math.isnan(value) else MISSING
    )


def chance(value: object) -> str:
    """A probability in whole percent, never called certain or impossible; a dash for NULL."""
    if not isinstance(value, Real) or math.isnan(value):
        return MISSING
    share = float(value)
    return "over 99 %" if share > 0.99 else "under 1 %" if share < 0.01 else f"{share * 100:.0f} %"


def moment(value: object) -> str:
    """A timestamp to the minute; a dash for NULL."""
    return value.strftime("%Y-%m-%d %H:%M") if isinstance(value, datetime) and pd.notna(value) else MISSING


def default_policy(published: Published) -> dict[str, object] | None:
    """The row of the default policy; None where the table is empty."""
    rows = published["policy"]
    rows = rows[rows["is_default"].fillna(False).astype(bool)]
    return None if rows.empty else {str(k): v for k, v in rows.iloc[0].to_dict().items()}


def of_policy(published: Published, mart: str, policy: str) -> pd.DataFrame:
    """The rows of `mart` that belong to `policy`."""
    return published[mart][published[mart]["policy"] == policy]


def of_default_policy(published: Published, mart: str) -> pd.DataFrame:
    """The rows of `mart` that belong to the default policy."""
    policy = default_policy(published)
    return published[mart].iloc[:0] if policy is None else of_policy(published, mart, str(policy["policy"]))


def systems(published: Published) -> list[System]:
    """Every system named in any mart, highest mean suitability in scope all first, then by mean level, then by key.

    People come after all AI systems, with "(person)" after the name, and with `PEOPLE` for a developer.
    """
    info = published["ai_system"].set_index("system")
    suitability = of_default_policy(published, "suitability")
    fit = suitability[suitability["scope_type"] == "all"].groupby("system")["mean_log"].mean()
    level = published["system_profile"].set_index("system")["mean_log"]
    more = ("capability_profile", "propensity", "steerability")
    named = {system for mart in more for system in published[mart]["system"]}
    keys = sorted({*info.index, *suitability["system"], *level.index, *named}, key=str)

    people = set(info.index[info["kind"] == "human"])

    def place(key: str) -> tuple[bool, float, float]:
        known = [series.get(key, math.nan) for series in (fit, level)]
        return (
            key not in people,
            -math.inf if pd.isna(known[0]) else known[0],
            -math.inf if pd.isna(known[1]) else known[1],
        )

    keys.sort(key=place, reverse=True)
    names = [text(info["name"].get(key), str(key)) + (" (person)" if key in people else "") for key in keys]
    shared = Counter(names)
    names = [f"{name} [{key}]" if shared[name] > 1 else name for name, key in zip(names, keys, strict=True)]
    developers = [
        PEOPLE if key in people else text(info["developer"].get(key), "Developer not stated") for key in keys
    ]
    return [
        System(index, str(key), name, developer, key in people)
        for index, (key, name, developer) in enumerate(zip(keys, names, developers, strict=True))
    ]


def scopes(frame: pd.DataFrame) -> list[Scope]:
    """The scopes in `frame`: all, the domains in the survey's order, companies, sources, roles, then anything else."""
    types, domains = [*SCOPE_TYPES, *INTERVIEW_SCOPE_TYPES], list(DOMAINS)

    def place(scope: Scope) -> tuple[int, int, str]:
        kind = types.index(scope.scope_type) if scope.scope_type in types else len(types)
        return kind, domains.index(scope.scope) if scope.scope in domains else len(domains), scope.key

    pairs = frame[["scope_type", "scope"]].drop_duplicates().itertuples(index=False)
    return sorted((Scope(str(kind), str(name)) for kind, name in pairs), key=place)


def of_respondents(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of `frame` that come from the questionnaire: roles and duties have activities of their own."""
    return frame[~frame["scope_type"].isin(INTERVIEW_SCOPE_TYPES)]


def rows_of(scope: Scope, frame: pd.DataFrame, activities: list[str]) -> list[str]:
    """The rows of `scope`: the survey's `activities`, or the scope's own where it comes from interviews."""
    if scope.scope_type in INTERVIEW_SCOPE_TYPES:
        return sorted(set(in_scope(frame, scope)["activity"]), key=str)
    return activities


def in_scope(frame: pd.DataFrame, scope: Scope) -> pd.DataFrame:
    """The rows of `frame` that belong to `scope`."""
    return frame[(frame["scope_type"] == scope.scope_type) & (frame["scope"] == scope.scope)]


def ordered(frame: pd.DataFrame, key: str, value: str) -> list[str]:
    """Distinct `key`s, highest mean `value` in scope all first; those without a value last, by name."""
    everywhere = frame[frame["scope_type"] == "all"].groupby(key)[value].mean().dropna()
    ranked = everywhere.sort_values(ascending=False, kind="stable").index.tolist()
    return [*ranked, *sorted(set(frame[key]) - set(ranked), key=str)]
