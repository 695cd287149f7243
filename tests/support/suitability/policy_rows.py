"""The project's policies as staging.stg_policy has them.

Belongs here: the seed, typed, for tests that run no dbt. Does not belong here: checks (dbt's unit tests of stg_policy).
"""

from __future__ import annotations

import io

import pandas as pd

from assets.settings import PROJECT


def seeded(*more: str) -> pd.DataFrame:
    """Rows of dbt/seeds/policies.csv and `more` lines; none of them is of the form fixed:<kappa>."""
    text = (PROJECT / "dbt/seeds/policies.csv").read_text(encoding="utf-8")
    rows = pd.read_csv(io.StringIO("\n".join([text.rstrip(), *more])))
    assert not rows["weight_uncertainty"].str.startswith("fixed").any()
    return rows.assign(weight_kappa=None, reason=None)
