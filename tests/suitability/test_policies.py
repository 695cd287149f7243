"""Policies as values: what follows from a row of staging.stg_policy, whose unit tests say what is refused."""

from __future__ import annotations

import io
import math

import pandas as pd
import pytest

from assets.suitability.policies import Policy, WeightUncertainty, read_policies
from tests.support.suitability.policy_rows import seeded

ROWS = """policy,power,sharpness,weighting,importance_type,weight_uncertainty,weight_kappa,is_default,reason
default,0,1,raw,frequency_adjusted,dirichlet,,true,
worst,-inf,1,relative,conditional,none,,false,
half,.5,2,raw,conditional,fixed:50,50,false,
"""


def test_rows_become_values() -> None:
    policies = read_policies(pd.read_csv(io.StringIO(ROWS)))
    assert policies[0] == Policy(
        "default", 0, 1, "raw", "frequency_adjusted", WeightUncertainty("dirichlet"), True
    )
    assert [p.power for p in policies] == [0, -math.inf, 0.5]
    assert [p.sharpness for p in policies] == [1, 1, 2]
    assert [p.weight_uncertainty.concentration(7) for p in policies] == [7, math.inf, 50]
    assert [p.is_default for p in policies] == [True, False, False]


def test_nothing_follows_from_a_row_that_staging_refuses() -> None:
    rows = pd.read_csv(io.StringIO(ROWS + "a,,1,raw,conditional,none,,false,power: no number\n"))
    with pytest.raises(ValueError, match="policy 'a', column power: no number"):
        read_policies(rows)


def test_the_project_s_policies_start_with_the_paper_s_text() -> None:
    assert read_policies(seeded())[0] == Policy(
        "default", 0, 1, "raw", "frequency_adjusted", WeightUncertainty("dirichlet"), True
    )


def test_the_papers_tables_have_certain_weights() -> None:
    """Intervals of Tables C9 and C10 are about .47 wide even on one respondent: they hold no sampling of weights."""
    policies = {p.policy: p for p in read_policies(seeded())}
    assert {policies[name].weight_uncertainty.name for name in ("paper_c9", "paper_c10")} == {"none"}
