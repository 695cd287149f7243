"""Policies: what a user may choose about how suitability is computed, a row each of dbt/seeds/policies.csv.

Belongs here: reading and checking those rows.
Does not belong here: what a policy does (weights.py, power_mean.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

ALLOWED = {
    "weighting": ("raw", "relative"),
    "importance_type": ("frequency_adjusted", "conditional"),
    "is_default": ("true", "false"),
}
COLUMNS = [
    *("policy", "power", "sharpness", "weighting", "importance_type", "weight_uncertainty", "is_default"),
]


@dataclass(frozen=True)
class WeightUncertainty:
    """How certain the weights of an activity are, as the column weight_uncertainty names it.

    'none': the elicited weights w, always; 'dirichlet': Dirichlet(n · w), n the activity's raters (paper §4.4.1);
    'fixed:<kappa>': Dirichlet(kappa · w), whoever was asked.
    """

    name: str
    kappa: float | None = None

    @classmethod
    def parse(cls, text: str) -> WeightUncertainty:
        """The uncertainty that `text` names.

        Raises:
            ValueError: it is none of the three forms, or kappa is not a positive finite number.
        """
        if text in ("none", "dirichlet"):
            return cls(text)
        form, _, number = text.partition(":")
        kappa = _float(number)
        if form != "fixed" or not 0 < kappa < math.inf:
            raise ValueError(
                f"'{text}' is not 'none', 'dirichlet' or 'fixed:' with a positive number, such as fixed:50"
            )
        return cls(text, kappa)

    def concentration(self, n_raters: float) -> float:
        """Total concentration of the weights' Dirichlet distribution; inf = certain."""
        if self.name == "none":
            return math.inf
        return n_raters if self.kappa is None else self.kappa


@dataclass(frozen=True)
class Policy:
    """One way to compute suitability.

    `power` p of the power mean (paper Eq. 6; 0 = geometric, inf = the best capability, -inf = the worst);
    `sharpness` s >= 1 of the weights (Eq. 5); the rest as in ALLOWED and WeightUncertainty.
    """

    policy: str
    power: float
    sharpness: float
    weighting: str
    importance_type: str
    weight_uncertainty: WeightUncertainty
    is_default: bool


def read_policies(rows: pd.DataFrame) -> list[Policy]:
    """The checked policies, in the order of `rows` (columns as in dbt/seeds/policies.csv, text or typed).

    Raises:
        ValueError: a column is missing, a value is not allowed, a name is repeated, or not exactly one row is
            the default; the message names the row, the column and what is allowed.
    """
    missing = [column for column in COLUMNS if column not in rows.columns]
    if missing:
        raise ValueError(f"dbt/seeds/policies.csv: columns {missing} are missing; it needs {COLUMNS}")
    policies = [_read_policy(row) for row in rows[COLUMNS].astype(object).to_dict("records")]
    names = [policy.policy for policy in policies]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(
            f"dbt/seeds/policies.csv: policy names {repeated} are repeated; give each row its own name"
        )
    n_default = sum(policy.is_default for policy in policies)
    if n_default != 1:
        raise ValueError(f"dbt/seeds/policies.csv: {n_default} rows have is_default true; exactly one must")
    return policies


def _read_policy(row: dict[object, object]) -> Policy:
    cells = {str(column): "" if pd.isna(value) else str(value).strip() for column, value in row.items()}  # type: ignore[call-overload]
    where = f"dbt/seeds/policies.csv: policy '{cells['policy']}'"
    if not cells["policy"]:
        raise ValueError("dbt/seeds/policies.csv: a row has no policy name; give it one")
    for column, allowed in ALLOWED.items():
        cells[column] = cells[column].lower()
        if cells[column] not in allowed:
            raise ValueError(f"{where}, column {column}: '{cells[column]}' is not one of {list(allowed)}")
    power, sharpness = (
        _number(cells[column], f"{where}, column {column}") for column in ("power", "sharpness")
    )
    if not 1 <= sharpness < math.inf:
        raise ValueError(f"{where}, column sharpness: {sharpness:g} is not a finite number of at least 1")
    try:
        uncertainty = WeightUncertainty.parse(cells["weight_uncertainty"].lower())
    except ValueError as error:
        raise ValueError(f"{where}, column weight_uncertainty: {error}") from None
    return Policy(
        policy=cells["policy"],
        power=power,
        sharpness=sharpness,
        weighting=cells["weighting"],
        importance_type=cells["importance_type"],
        weight_uncertainty=uncertainty,
        is_default=cells["is_default"] == "true",
    )


def _number(text: str, where: str) -> float:
    number = _float(text)
    if math.isnan(number):
        raise ValueError(f"{where}: '{text}' is not a number that can be held (inf and -inf can)")
    return number


def _float(text: str) -> float:
    """NaN where `text` is no number; `float` alone takes 1_0 for ten and 1e400 for infinity."""
    try:
        number = math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan
    is_too_large = math.isinf(number) and any(character.isdigit() for character in text)
    return math.nan if is_too_large else number
