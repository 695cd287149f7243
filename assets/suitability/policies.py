"""Policies: what a user may choose about how suitability is computed, one row each of dbt/seeds/policies.csv.

Belongs here: those rows as values.
Does not belong here: parsing and checking them (stg_policy), what a policy does (weights.py, power_mean.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class WeightUncertainty:
    """How certain the weights of an activity are, as the column weight_uncertainty names it.

    'none': the elicited weights w, always; 'dirichlet': Dirichlet(n · w), n the activity's raters (paper §4.4.1);
    'fixed:<kappa>': Dirichlet(kappa · w), whoever was asked.
    """

    name: str
    kappa: float | None = None

    def concentration(self, n_raters: float) -> float:
        """Total concentration of the weights' Dirichlet distribution; inf = certain."""
        if self.name == "none":
            return math.inf
        return n_raters if self.kappa is None else self.kappa


@dataclass(frozen=True)
class Policy:
    """One way to compute suitability.

    `power` p of the power mean (paper Eq. 6; 0 = geometric, inf = the best capability, -inf = the worst);
    `sharpness` s >= 1 of the weights (Eq. 5); the rest as stg_policy allows.
    """

    policy: str
    power: float
    sharpness: float
    weighting: str
    importance_type: str
    weight_uncertainty: WeightUncertainty
    is_default: bool


def read_policies(rows: pd.DataFrame) -> list[Policy]:
    """The policies in the order of `rows`, which are staging.stg_policy: typed and checked there.

    Raises:
        ValueError: a row has a `reason`: it can't be used, and nothing may follow from it.
    """
    policies = []
    for row in rows.to_dict("records"):
        reason, kappa = row.get("reason"), row.get("weight_kappa")
        if not pd.isna(reason):
            raise ValueError(f"dbt/seeds/policies.csv: policy '{row['policy']}', column {reason}")
        policies.append(
            Policy(
                policy=str(row["policy"]),
                power=float(row["power"]),
                sharpness=float(row["sharpness"]),
                weighting=str(row["weighting"]),
                importance_type=str(row["importance_type"]),
                weight_uncertainty=WeightUncertainty(
                    str(row["weight_uncertainty"]), None if pd.isna(kappa) else float(kappa)
                ),
                is_default=bool(row["is_default"]),
            )
        )
    return policies
