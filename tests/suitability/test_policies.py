"""Rows of dbt/seeds/policies.csv: what is read, and what is refused with the row and column named."""

from __future__ import annotations

import io
import math

import pandas as pd
import pytest

from assets.settings import PROJECT
from assets.suitability.policies import Policy, WeightUncertainty, read_policies

HEADER = "policy,power,sharpness,weighting,importance_type,weight_uncertainty,is_default\n"
GOOD = "default,0,1,raw,frequency_adjusted,dirichlet,true\n"


def rows(text: str, dtype: type | None = str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(HEADER + text), dtype=dtype)


@pytest.mark.parametrize("dtype", [str, None])
def test_text_and_typed_rows_read_alike(dtype: type | None) -> None:
    text = GOOD + "worst,-inf,1,relative,conditional,none,false\nhalf,.5,2,raw,conditional,fixed:50,FALSE\n"
    policies = read_policies(rows(text, dtype))
    assert policies[0] == Policy(
        "default", 0, 1, "raw", "frequency_adjusted", WeightUncertainty("dirichlet"), True
    )
    assert [p.power for p in policies] == [0, -math.inf, 0.5]
    assert [p.sharpness for p in policies] == [1, 1, 2]
    assert [p.weight_uncertainty.concentration(7) for p in policies] == [7, math.inf, 50]
    assert [p.is_default for p in policies] == [True, False, False]


def test_the_project_s_policies_are_valid_and_start_with_the_paper_s_text() -> None:
    policies = read_policies(pd.read_csv(PROJECT / "dbt/seeds/policies.csv", dtype=str))
    assert policies[0] == Policy(
        "default", 0, 1, "raw", "frequency_adjusted", WeightUncertainty("dirichlet"), True
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,x,1,raw,conditional,none,false", "policy 'a', column power: 'x'"),
        ("a,nan,1,raw,conditional,none,false", "policy 'a', column power"),
        ("a,0,0.5,raw,conditional,none,false", "policy 'a', column sharpness: 0.5"),
        ("a,0,inf,raw,conditional,none,false", "policy 'a', column sharpness: inf"),
        ("a,0,1,row,conditional,none,false", "policy 'a', column weighting: 'row' is not one of"),
        ("a,0,1,raw,rank,none,false", "policy 'a', column importance_type"),
        ("a,0,1,raw,conditional,,false", "policy 'a', column weight_uncertainty: ''"),
        ("a,0,1,raw,conditional,fixed,false", "policy 'a', column weight_uncertainty: 'fixed'"),
        ("a,0,1,raw,conditional,fixed:0,false", "column weight_uncertainty: 'fixed:0'"),
        ("a,0,1,raw,conditional,fixed:inf,false", "column weight_uncertainty: 'fixed:inf'"),
        ("a,0,1,raw,conditional,loose:9,false", "'loose:9' is not 'none', 'dirichlet' or 'fixed:'"),
        ("a,0,1,raw,conditional,none,maybe", "policy 'a', column is_default"),
        (",0,1,raw,conditional,none,false", "no policy name"),
        ("default,0,1,raw,conditional,none,false", r"\['default'\] are repeated"),
        ("a,0,1,raw,conditional,none,true", "2 rows have is_default true"),
    ],
)
def test_a_bad_row_is_refused(row: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_policies(rows(GOOD + row + "\n"))


def test_a_missing_column_is_named() -> None:
    with pytest.raises(ValueError, match=r"\['power'\] are missing"):
        read_policies(rows(GOOD).drop(columns="power"))


def test_the_papers_tables_have_certain_weights() -> None:
    """Intervals of Tables C9 and C10 are about .47 wide even on one respondent: they hold no sampling of weights."""
    policies = {
        p.policy: p for p in read_policies(pd.read_csv(PROJECT / "dbt/seeds/policies.csv", dtype=str))
    }
    assert {policies[name].weight_uncertainty.name for name in ("paper_c9", "paper_c10")} == {"none"}
