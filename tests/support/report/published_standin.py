"""A stand-in for the published file: the marts the report reads, with plausible numbers of any size.

Belongs here: building marts by the contract's names and columns. Does not belong here: real or published figures.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from tests.support.report.deployment_standin import (
    comparison_frames,
    deployment_frames,
    with_chances,
    withheld,
)
from tests.support.report.simulation_standin import SIMULATIONS, simulation_frames

ACTIVITIES = [
    "Researching",
    "Checking",
    "Decision making",
    "Problem solving",
    "Creative thinking",
    "LT planning",
    "ST planning",
    "Tool use",
    "Computer use",
    "Coding",
    "Data manipulation",
    "Analysing data",
    "Communicating",
    "Listening",
    "Building rapport",
    "Managing people",
    "Managing resources",
    "Admin",
]
DIMENSIONS = {
    "IIC": ("Information Integration & Control", ["WM", "CF", "PaPR", "MC"]),
    "L": ("Language", ["L"]),
    "SM": ("Semantic Memory", ["SM"]),
    "APS": ("Action Planning & Simulation", ["ProcM", "MS", "P", "SRaN"]),
    "IR": ("Instrumental Reasoning", ["FP", "CR"]),
    "EM": ("Episodic Memory", ["EM"]),
    "SC": ("Social Cognition", ["ToM", "EPaE"]),
    "OP": ("Object Permanence", ["OP"]),
}
CAPABILITY_NAMES = {
    "WM": "Working Memory",
    "CF": "Cognitive Flexibility",
    "PaPR": "Perception and Pattern Recognition",
    "MC": "Metacognition",
    "L": "Language",
    "SM": "Semantic Memory",
    "ProcM": "Procedural Memory",
    "MS": "Mental Simulation",
    "P": "Planning",
    "SRaN": "Spatial Reasoning and Navigation",
    "FP": "Functional Perception",
    "CR": "Causal Reasoning",
    "EM": "Episodic Memory",
    "ToM": "Theory of Mind",
    "EPaE": "Emotion Perception and Empathy",
    "OP": "Object Permanence",
}
SCOPES = [("all", "all")]
SCOPES += [("domain", d) for d in ("WL", "MMR", "NDP", "AOP", "CMH", "HSC")]
SCOPES += [("source", "companies"), ("source", "online")]
POOLED = [
    "scope_type",
    "scope",
    "activity",
    "policy",
    "weighting",
    "power",
    "sharpness",
    "weight_uncertainty",
]
POOLED += ["mean_log", "sd_log", "q025_log", "q975_log", "upper_half_probability"]
INTERVIEWED = {"role": ["Role as a whole"], "duty": ["Opening the post", "Answering <i>calls</i>"]}
# names that try to leave their place in HTML, JSON, Plotly's texts and the templates
HOSTILE: dict[str, tuple[str | None, str | None]] = {
    "</script><script>window.hit=1</script>": (None, '"><img src=x onerror=window.hit=2>'),
    "quote": ('O\'Brien "7" & <b>sons</b> %{x} ${window.hit=3}', "{{ 7 * 7 }}"),
    "twin-a": ("Twin", "D"),
    "twin-b": ("Twin", "D"),
    "long": ("x" * 300, None),
}

COMPARED: tuple[str, ...] = (
    "importance_agreement",
    "importance_reliability",
    "domain_importance_agreement",
    "domain_departure",
)
DEPLOYMENT: tuple[str, ...] = (
    "deployment_priority",
    "deployment_quadrant",
    "suitability_sweep",
    "ranking_robustness",
)
DEPLOYMENT += ("policy_sensitivity",)
# marts that check the posterior item by item, and their columns
CHECKS = {
    "posterior_correlation": "system dimension_a dimension_b r",
    "item_prediction_quality": "system benchmark n_items observed predicted brier auroc khat_max",
    "reliability": "system bin n_items predicted observed",
    "characteristic_curve": "system dimension level n_items observed predicted q025 q975",
    "item_influence": "system rank benchmark item score dimension shift_sd",
}


@dataclass(frozen=True)
class StandIn:
    """What to build. `names`: system -> (name or None, developer or None)."""

    names: dict[str, tuple[str | None, str | None]] = field(
        default_factory=lambda: {
            "aurora-2-large": ("Aurora 2 Large", "Northlight"),
            "aurora-2-small": ("Aurora 2 Small", "Northlight"),
            "basalt-7": ("Basalt 7", "Quarry"),
            "basalt-7-mini": ("Basalt 7 mini", "Quarry"),
            "cedar-think": ("Cedar Think", "Arbor"),
            "delta-open": (None, None),
        }
    )
    scopes: list[tuple[str, str]] = field(default_factory=lambda: list(SCOPES))
    is_synthetic: bool | None = True
    skipped: dict[str, str] = field(
        default_factory=lambda: {"propensity": "no folder propensity/ in the sources"}
    )
    has_dates: bool = True
    people: frozenset[str] = frozenset()
    withheld: frozenset[str] = frozenset()  # activities, in company scopes
    n_runs: int = 2  # of recovery; 0 = neither recovery nor calibration was run
    seed: int = 7


def frames(spec: StandIn) -> dict[str, pd.DataFrame]:
    """Mart name -> rows, by the mart contract."""
    rng = np.random.default_rng(spec.seed)
    systems = list(spec.names)
    base = dict(zip(DIMENSIONS, (4.2, 4.0, 5.6, 3.0, 1.2, 2.4, 4.1, 0.2), strict=True))
    skill = {s: 0.9 - 1.6 * i / max(len(systems) - 1, 1) for i, s in enumerate(systems)}
    profile = pd.DataFrame(
        [
            (s, d, base[d] + skill[s] * (0.4 + 0.1 * k) + rng.normal(0, 0.12), rng.uniform(0.1, 0.42))
            for s in systems
            for k, d in enumerate(DIMENSIONS)
        ],
        columns=["system", "dimension", "mean_log", "sd_log"],
    )
    profile["q025_log"] = profile["mean_log"] - 1.96 * profile["sd_log"]
    profile["q975_log"] = profile["mean_log"] + 1.96 * profile["sd_log"]
    n = len(profile)
    profile["rhat"], profile["ess_bulk"] = 1 + rng.uniform(0, 0.004, n), rng.uniform(900, 4000, n)
    profile["contraction"], profile["max_abs_correlation"] = (
        rng.uniform(0.4, 0.98, n),
        rng.uniform(0.1, 0.5, n),
    )
    level = profile.pivot(index="system", columns="dimension", values="mean_log")
    dimension_of = {c: d for d, (_, members) in DIMENSIONS.items() for c in members}
    capabilities = list(dimension_of)

    importance: list[dict[str, Any]] = []
    points: list[dict[str, Any]] = []
    suitability: list[dict[str, Any]] = []
    pooled: list[dict[str, Any]] = []
    weights = rng.dirichlet(np.linspace(0.6, 2.5, len(capabilities)), len(ACTIVITIES))
    rank = rng.permutation(np.linspace(0.2, 2.1, len(ACTIVITIES)))
    for scope_type, scope in spec.scopes:
        n_respondents = 410 if scope_type == "all" else int(rng.integers(35, 120))
        is_interview = scope_type in INTERVIEWED
        for i, activity in enumerate(INTERVIEWED.get(scope_type, ACTIVITIES)):
            is_absent = activity == "Coding" and scope in ("WL", "MMR", "CMH", "HSC")
            n_selected = 0 if is_absent else int(rng.integers(3, n_respondents // 2))
            marks = {"n_respondents": n_respondents, "is_thin": n_selected < 5, "is_suppressed": False}
            key = {"scope_type": scope_type, "scope": scope, "activity": activity}
            value = np.nan if is_absent or is_interview else max(0.02, rank[i] + rng.normal(0, 0.15))
            hours = np.nan if is_absent or is_interview else rng.uniform(3, 16)
            importance.append(
                key
                | {"importance": value, "conditional_importance": value + 1.5, "hours_per_week": hours}
                | {"n_selected": n_selected, "n_ranked": 0 if is_interview else n_selected}
                | {"n_hours": 0 if is_interview else n_selected, "is_absent": is_absent}
                | marks
            )
            if is_absent:
                continue
            w = np.maximum(weights[i] + rng.normal(0, 0.01, len(capabilities)), 0)
            w = w / w.sum()
            points += [
                key
                | {
                    "capability": c,
                    "points": 93 * x,
                    "points_if_selected": 95 * x,
                    "n_raters": n_selected,
                    "n_selected": n_selected,
                }
                | marks
                for c, x in zip(capabilities, w, strict=True)
            ]
            policy = {
                "policy": "default",
                "weighting": "raw",
                "power": 0.0,
                "sharpness": 1.0,
                "weight_uncertainty": "dirichlet",
            }
            means = {
                s: float(sum(x * level.loc[s, dimension_of[c]] for c, x in zip(capabilities, w, strict=True)))
                for s in systems
            }
            of_ai = [m for s, m in means.items() if s not in spec.people]
            half: dict[str, Any] = {"upper_half_probability": rng.uniform()}
            together = [(pooled, half, float(np.mean(of_ai)), 0.1)] if of_ai else []
            for mart, own, mean, sd in [
                *((suitability, {"system": s}, m, 0.12) for s, m in means.items()),
                *together,
            ]:
                interval = {
                    "mean_log": mean,
                    "sd_log": sd,
                    "q025_log": mean - 1.96 * sd,
                    "q975_log": mean + 1.96 * sd,
                }
                mart.append(key | own | policy | interval | marks)
                mart.append(
                    key
                    | own
                    | policy
                    | {"policy": "relative", "weighting": "relative"}
                    | {k: v + 0.5 for k, v in interval.items()}
                    | marks
                )
                if mart is pooled:
                    mart += [mart[-1] | {"policy": paper} for paper in ("paper_c9", "paper_c10")]

    slices = [
        ("battery", "filled", ""),
        ("capability", "filled", ""),
        ("work", "filled", ""),
        ("suitability", "filled", ""),
    ]
    slices = [s for s in slices if s[0] not in spec.skipped] + [
        (k, "skipped", why) for k, why in spec.skipped.items()
    ]
    flow = [
        (s, d, a, 0 if d == "none" else a, *((0, 0, 0, 0) if d == "none" else (9, 10, 1, a - 20)))
        for s, a0 in (("companies", 50), ("online", 60))
        for k, d in enumerate(("WL", "MMR", "NDP", "none"))
        for a in (a0 + k,)
    ]
    marts = {
        "refresh": pd.DataFrame(
            [
                (
                    "r-0001",
                    datetime(2026, 3, 2, 2, 0),
                    datetime(2026, 3, 2, 2, 3),
                    "embedded demo",
                    spec.is_synthetic,
                    20260101,
                    "0" * 40,
                    "2.0.1",
                )
            ],
            columns=[
                "refresh_id",
                "started_at",
                "finished_at",
                "sources",
                "is_synthetic",
                "seed",
                "git_commit",
                "duckdb_version",
            ],
        ),
        "slice_status": pd.DataFrame(slices, columns=["slice", "status", "reason"]),
        "policy": pd.DataFrame(
            [
                ("default", 0.0, 1.0, "raw", "frequency_adjusted", "dirichlet", True),
                ("relative", 0.0, 1.0, "relative", "frequency_adjusted", "dirichlet", False),
                ("paper_c9", 0.0, 1.0, "relative", "frequency_adjusted", "none", False),
                ("paper_c10", 0.0, 1.0, "relative", "conditional", "none", False),
            ],
            columns=[
                "policy",
                "power",
                "sharpness",
                "weighting",
                "importance_type",
                "weight_uncertainty",
                "is_default",
            ],
        ),
        "reject": pd.DataFrame(
            [("raw.rating", "rater-a.csv", i, "WM", "essay", "not a whole number 0-5") for i in range(4)],
            columns=["table_name", "source_file", "row_number", "column_name", "value", "reason"],
        ),
        "ai_system": pd.DataFrame(
            [
                (s, name, s, "default", None, dev, None, released)
                + ("human" if s in spec.people else "ai", 19000, 12, 0.5 + 0.1 * skill[s])
                for (s, (name, dev)), released in zip(spec.names.items(), released_on(spec), strict=True)
            ],
            columns=[
                "system",
                "name",
                "model",
                "settings",
                "scaffold",
                "developer",
                "family",
                "released_on",
                "kind",
                "n_items",
                "n_unscored",
                "accuracy",
            ],
        ),
        "capability": pd.DataFrame(
            [
                (c, name, "family", f"Using {name.lower()}", dimension_of[c], True)
                for c, name in CAPABILITY_NAMES.items()
            ]
            + [("AaIC", "Attention and Inhibitory Control", "family", "Staying on the task", None, False)],
            columns=["capability", "name", "family", "definition", "dimension", "is_retained"],
        ),
        "dimension": pd.DataFrame(
            [(d, name, f"Work that draws on {name.lower()}", len(m)) for d, (name, m) in DIMENSIONS.items()],
            columns=["dimension", "name", "definition", "n_capabilities"],
        ),
        "benchmark": pd.DataFrame(
            [
                (b, s, 1000 + k, 990 + k, 980, 0.985)
                for k, b in enumerate(("alpha", "beta", "gamma"))
                for s in systems
            ],
            columns=["benchmark", "system", "n_items", "n_valid_items", "n_results", "join_coverage_share"],
        ),
        "capability_profile": profile,
        "system_profile": pd.DataFrame(
            [
                (s, 19000, 0.5 + 0.1 * skill[s], level.loc[s].mean(), 0.3, 1.003, 1200.0, 5.1, 0.21, 12.0)
                # the first passes everything, so there is no AUROC; the second's is near one half
                + (i == 0, False, i == 1, None if i == 0 else i == 1)
                for i, s in enumerate(systems)
            ],
            columns=[
                "system",
                "n_items",
                "accuracy",
                "mean_log",
                "mean_sd_log",
                "rhat_max",
                "ess_bulk_min",
                "effective_dimensions",
                "mean_abs_correlation",
                "condition_number",
                "is_at_ceiling",
                "is_at_floor",
                "is_thin",
                "is_no_better_than_chance",
            ],
        ),
        "fit_diagnostic": pd.DataFrame(
            [("joint", "nutpie", np.nan, 4, 1000, 0, 1.004, 1200.0, -1.3, 0.1, True)],
            columns=[
                "fit",
                "engine",
                "khat_max",
                "n_chains",
                "n_draws",
                "n_divergent",
                "rhat_max",
                "ess_bulk_min",
                "alpha_mean",
                "alpha_sd",
                "is_converged",
            ],
        ),
        "respondent_flow": pd.DataFrame(
            flow,
            columns=[
                "source",
                "domain",
                "n_started",
                "n_in_domain",
                "n_removed_incomplete",
                "n_removed_quiz",
                "n_removed_speed",
                "n_kept",
            ],
        ).assign(n_preview=0, n_test=0, n_spam=0, n_removed_unknown=0),
        "activity_importance": with_n_domains(pd.DataFrame(importance)),
        "capability_importance": pd.DataFrame(points),
        "suitability": with_chances(pd.DataFrame(suitability), spec.people),
        "suitability_pooled": pd.DataFrame(pooled, columns=[*POOLED, *marks]),
        "published_comparison": pd.DataFrame(
            [
                ("p", "Table A2", "EM", "kappa", 0.5, 0.5, 0.005, "match", None),
                ("p", "Table A2", "SM", "kappa", 0.5, 0.62, 0.005, "off", "a <b>note</b>"),
                ("p", "Table A2", "MS", "kappa", 0.5, 0.51, 0.02, "close", "Table A2"),
                ("p", "Table B3", "Age", "mean", 40.0, None, 0.5, "not_in_release", None),
                ("centaurbench", "Table 1", "all", "rho", 0.48, None, 0.005, "not_in_release", "Table 1"),
            ],
            columns=[
                "paper",
                "table_name",
                "row_name",
                "column_name",
                "published",
                "computed",
                "tolerance",
                "status",
                "note",
            ],
        ),
    }
    marts |= check_frames(spec) | simulation_frames(list(DIMENSIONS), spec.n_runs, spec.seed)
    marts |= comparison_frames(capabilities, ACTIVITIES, [s for kind, s in spec.scopes if kind == "domain"])
    marts |= deployment_frames(
        marts["suitability"],
        marts["suitability_pooled"],
        marts["activity_importance"],
        spec.people,
        spec.seed,
    )
    withheld(marts, spec.withheld)
    emptied = {
        "battery": ("capability", "dimension", "benchmark", *SIMULATIONS),
        "capability": ("ai_system", "capability_profile", "system_profile", "fit_diagnostic", *CHECKS),
        "work": ("respondent_flow", "activity_importance", "capability_importance", *COMPARED),
        "suitability": ("suitability", "suitability_pooled", *DEPLOYMENT),
    }
    for slice_ in spec.skipped:
        for name in emptied.get(slice_, ()):
            marts[name] = marts[name].iloc[:0]
    return marts


def with_n_domains(importance: pd.DataFrame) -> pd.DataFrame:
    """`importance` with the number of domains that have a value, in scope all only."""
    of_domains = importance[importance["scope_type"] == "domain"].groupby("activity")["importance"].count()
    n_domains = importance["activity"].map(of_domains).fillna(0).where(importance["scope_type"] == "all")
    return importance.assign(n_domains=n_domains.astype("Int64"))


def released_on(spec: StandIn) -> list[date | None]:
    """Release date of each system; every third is unknown, or all where the spec says so."""
    days = [date(2025, 1 + i % 12, 1 + i % 28) for i in range(len(spec.names))]
    return [None if not spec.has_dates or i % 3 == 2 else day for i, day in enumerate(days)]


def check_frames(spec: StandIn) -> dict[str, pd.DataFrame]:
    """The marts that check the posterior item by item."""
    rng, systems, dimensions = np.random.default_rng(spec.seed + 1), list(spec.names), list(DIMENSIONS)
    correlation: list[tuple[Any, ...]] = []
    quality: list[tuple[Any, ...]] = []
    reliability: list[tuple[Any, ...]] = []
    curve: list[tuple[Any, ...]] = []
    influence: list[tuple[Any, ...]] = []
    for s in systems:
        r = np.asarray(np.corrcoef(rng.normal(size=(8, 12)) + 0.4 * rng.normal(size=12)))
        correlation += [
            (s, a, b, r[i, j]) for i, a in enumerate(dimensions) for j, b in enumerate(dimensions) if a != b
        ]
        for k, benchmark in enumerate(("all", "alpha", "beta", "gamma")):
            share = rng.uniform(0.1, 0.9)
            auroc = None if benchmark == "gamma" else rng.uniform(0.5, 0.9)
            quality.append((s, benchmark, 1000 - k, share, share + rng.normal(0, 0.03), 0.2, auroc, 0.4))
        reliability += [(s, b, 100 + b, b / 10 + 0.05, b / 10 + rng.uniform(0, 0.1)) for b in range(2, 9)]
        reliability += [(s, 0, 3, 0.07, 1.0), (s, 1, 2, 0.12, 0.0), (s, 9, 19, 0.95, 0.0)]
        for d in dimensions:
            for v in range(4):
                predicted = 0.8 - 0.15 * v
                observed = predicted + (0.11 if v == len(d) else 0.02)
                curve.append((s, d, v, 50, observed, predicted, predicted - 0.1, predicted + 0.1))
        influence += [
            (s, k, "alpha", f"item <b>{k}</b>", float(k % 2), dimensions[k % 8], (-1) ** k / k)
            for k in range(1, 21)
        ]
    rows = (correlation, quality, reliability, curve, influence)
    return {
        mart: pd.DataFrame(found, columns=columns.split())
        for (mart, columns), found in zip(CHECKS.items(), rows, strict=True)
    }


def build(path: Path, spec: StandIn | None = None) -> dict[str, pd.DataFrame]:
    """Write the stand-in to `path` and give back its marts."""
    marts = frames(spec or StandIn())
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute("create schema marts")
        for mart, frame in marts.items():
            connection.register("given", frame)
            connection.execute(f"create table marts.{mart} as select * from given")
            connection.unregister("given")
            connection.execute(f"comment on table marts.{mart} is 'About {mart}. Grain: one row each.'")
    return marts


def many(n_systems: int, n_scopes: int) -> StandIn:
    """A catalogue of any size with long names."""
    names: dict[str, tuple[str | None, str | None]] = {
        f"s{i:03}": (
            f"System {i:03} with a rather long commercial name, extended thinking edition",
            f"Developer {i % 9}",
        )
        for i in range(n_systems)
    }
    return StandIn(names, [*SCOPES, *(("company", f"Company {i}") for i in range(20))][:n_scopes])


@dataclass(frozen=True)
class Site:
    """A rendered stand-in: its folder, and the marts it was made from."""

    folder: Path
    marts: dict[str, pd.DataFrame]

    def html(self, page: str) -> str:
        return (self.folder / f"{page}.html").read_text(encoding="utf-8")
