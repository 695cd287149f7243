"""Stand-ins for the marts on policies, priorities, samples and domains, with plausible numbers.

Belongs here: those marts by the contract's names and columns, made from the stand-ins of importance and suitability.
Does not belong here: those (published_standin.py).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

SCOPE = ["scope_type", "scope"]
MARKS = ["n_respondents", "is_thin", "is_suppressed"]
X_COLUMNS = {
    "importance": "importance",
    "conditional_importance": "conditional_importance",
    "hours": "hours_per_week",
}
# a border that the settings give; the others are medians
X_SETTING = {"hours": 9.25}
POWERS, SHARPNESS, N_SWEPT_SCOPES = (-1.0, 0.0, 1.0), (1.0, 4.0), 3
RANKED = ["basis", *SCOPE, "weighting", "activity", "n_pairs", "winner", "is_winner_stable", "n_rankings"]
RANKED += ["n_invariant_pairs", "n_separated_pairs_fixed_weights", "n_separated_pairs", *MARKS]
TAU = ["basis", *SCOPE, "weighting", "power", "sharpness", "kendall_tau", "n_activities", *MARKS]
AGREEMENT = "unit_type unit cosine pearson reliability_company reliability_online n_company n_online is_thin"
SAMPLES = (
    "unit_type cosine pearson pearson_sd pearson_low pearson_high reliability_company reliability_online"
)
SAMPLES += " noise_ceiling disattenuated n_units n_company n_online reason"


def with_chances(suitability: pd.DataFrame, people: frozenset[str]) -> pd.DataFrame:
    """`suitability` with is_best_probability: a softmax over the AI systems of a cell, NULL for people."""
    weight = np.exp(6 * suitability["mean_log"]).where(~suitability["system"].isin(people))
    cell = [suitability[c] for c in (*SCOPE, "activity", "policy")]
    return suitability.assign(is_best_probability=weight / weight.groupby(cell).transform("sum"))


def deployment_frames(
    suitability: pd.DataFrame,
    pooled: pd.DataFrame,
    importance: pd.DataFrame,
    people: frozenset[str],
    seed: int,
) -> dict[str, pd.DataFrame]:
    """Mart name -> rows of the marts on priority, quadrants, swept policies and their rankings."""
    rng = np.random.default_rng(seed + 3)
    cells = pooled.merge(importance[[*SCOPE, "activity", *X_COLUMNS.values()]], on=[*SCOPE, "activity"])
    taken = cells["conditional_importance"].where(cells["policy"] == "paper_c10", cells["importance"])
    shift = np.log(taken.astype(float))
    priority = cells[[*SCOPE, "activity", "policy", "weighting"]].assign(
        importance_type=np.where(cells["policy"] == "paper_c10", "conditional", "frequency_adjusted"),
        priority_log=cells["mean_log"] + shift,
        q025_log=cells["q025_log"] + shift,
        q975_log=cells["q975_log"] + shift,
        **{mark: cells[mark] for mark in MARKS},
    )
    quadrants = []
    for x_type, column in X_COLUMNS.items():
        own = cells.assign(x_type=x_type, x=cells[column].astype(float), suitability_log=cells["mean_log"])
        by = own.groupby([*SCOPE, "policy"])
        own["x_border"] = X_SETTING.get(x_type, by["x"].transform("median"))
        own["suitability_border_log"] = by["suitability_log"].transform("median")
        is_high = own["x"] >= own["x_border"]
        is_suited = own["upper_half_probability"] >= 0.5
        side = np.where(is_suited, own["upper_half_probability"], 1 - own["upper_half_probability"])
        own["quadrant"] = np.select(
            [is_high & is_suited, is_high, is_suited],
            ["development_opportunity", "capability_gap", "limited_impact"],
            "low_priority",
        )
        own.loc[own["x"].isna(), "quadrant"] = None
        own["probability"] = np.where(own["x"].isna(), np.nan, side)
        own["is_confident"] = own["probability"] >= 0.75
        quadrants.append(own)
    columns = [*SCOPE, "activity", "policy", "x_type", "x", "x_border", "suitability_log"]
    columns += ["suitability_border_log", "quadrant", "probability"]
    return {
        "deployment_priority": priority,
        "deployment_quadrant": pd.concat(quadrants)[[*columns, "is_confident", *MARKS]],
        **_sweep(suitability, people, rng),
    }


def _sweep(
    suitability: pd.DataFrame, people: frozenset[str], rng: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Estimates that move with the policy, so that the order does; rankings are those of these estimates."""
    default = suitability[suitability["policy"] == "default"]
    first = list(default[SCOPE].drop_duplicates().itertuples(index=False, name=None))[:N_SWEPT_SCOPES]
    first += [
        s
        for s in default[SCOPE].drop_duplicates().itertuples(index=False, name=None)
        if s[0] in ("role", "duty")
    ]
    swept = default[[s in first for s in zip(default["scope_type"], default["scope"], strict=True)]]
    lean = {s: rng.normal(0, 0.15) for s in sorted(set(swept["system"]))}
    parts, taus = [], []
    for weighting in ("raw", "relative"):
        for power in POWERS:
            for sharpness in SHARPNESS:
                mean = swept["mean_log"] + 0.2 * power + swept["system"].map(lean) * power * sharpness
                for uncertainty in ("none", "dirichlet"):
                    parts.append(
                        swept[[*SCOPE, "activity", "system", *MARKS]].assign(
                            basis="fitted", weighting=weighting, power=power, sharpness=sharpness,
                            weight_uncertainty=uncertainty, is_ranked=~swept["system"].isin(people),
                            mean_s_log=mean + 0.02, mean_log=mean,
                            q025_log=mean - 0.2, q975_log=mean + 0.2,
                        )
                    )  # fmt: skip
                tau = 1 - 0.1 * abs(power) * sharpness
                taus += [
                    ("fitted", *s, weighting, power, sharpness, tau, 18, 100, False, False) for s in first
                ]
    sweep = pd.concat(parts)
    robust = [
        (
            "fitted",
            *key[:2],
            key[2],
            key[3],
            15,
            own.sort_values("mean_s_log")["system"].iloc[-1],
            len(own) % 2 == 0,
        )
        + (1 + len(own) % 3, 9, 6, 5, 100, False, False)
        for key, own in sweep[
            sweep["is_ranked"]
            & (sweep["power"] == 0)
            & (sweep["sharpness"] == 1)
            & (sweep["weight_uncertainty"] == "none")
        ].groupby([*SCOPE, "weighting", "activity"])
    ]
    return {
        "suitability_sweep": sweep,
        "ranking_robustness": pd.DataFrame(robust, columns=RANKED),
        "policy_sensitivity": pd.DataFrame(taus, columns=TAU),
    }


def comparison_frames(
    capabilities: list[str], activities: list[str], domains: list[str]
) -> dict[str, pd.DataFrame]:
    """Mart name -> rows of the marts that hold samples and domains against each other."""
    units = [("capability", c) for c in capabilities] + [("activity", a) for a in activities]
    agreement = [
        (kind, unit, 0.97, None if i == 3 else 0.9 - 0.01 * (i % 9), 0.93, 0.95, 40 + i, 300, i == 5)
        for i, (kind, unit) in enumerate(units)
    ]
    samples = [
        ("capability", 0.96, 0.93, 0.01, 0.91, 0.95, 0.96, 0.97, 0.965, 0.964, 16, 110, 297, None),
        (
            "activity",
            0.95,
            0.9,
            None,
            None,
            None,
            0.94,
            0.96,
            None,
            None,
            18,
            110,
            297,
            "fewer than two respondents",
        ),
    ]
    pairs = [(a, b, 0.5 + 0.02 * i, 0.8, False) for i, (a, b) in enumerate(combinations(sorted(domains), 2))]
    departures = [
        (d, c, round(0.7 * ((i + 3 * j) % 7 - 3), 2), 6.0, 5.0, 60, False)
        for i, d in enumerate(domains)
        for j, c in enumerate(capabilities)
    ]
    return {
        "importance_agreement": pd.DataFrame(agreement, columns=AGREEMENT.split()),
        "importance_reliability": pd.DataFrame(samples, columns=SAMPLES.split()),
        "domain_importance_agreement": pd.DataFrame(
            pairs, columns=["domain_a", "domain_b", "pearson", "cosine", "is_thin"]
        ),
        "domain_departure": pd.DataFrame(
            departures,
            columns=[
                "domain",
                "capability",
                "departure",
                "points",
                "mean_points",
                "n_respondents",
                "is_thin",
            ],
        ),
    }


def withheld(marts: dict[str, pd.DataFrame], activities: frozenset[str]) -> None:
    """Withhold the cells of these activities in company scopes, in every mart: values NULL, keys and counts stay."""
    for frame in marts.values():
        if {"scope_type", "activity", "is_suppressed"} <= set(frame):
            cells = (frame["scope_type"] == "company") & frame["activity"].isin(activities)
            frame.loc[cells, "is_suppressed"] = True
            values = frame.select_dtypes("float").columns.difference(["power", "sharpness"])
            frame.loc[cells, values] = np.nan
            for column in {"quadrant", "winner"} & set(frame):
                frame.loc[cells, column] = None
