"""Intervals of shares against closed forms: one chat alone, and two that are drawn apart."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import poisson

from assets.adoption.bootstrap import bootstrap

TASKS = pd.DataFrame({"occupation": ["a", "b"], "task_text_id": ["1", "2"]})


def shares(kept: list[list[int]], n_replicates: int = 2000) -> dict[str, list[float]]:
    """Occupation -> low, high."""
    matrix = sparse.csr_array(np.array(kept, np.float32))
    found = bootstrap(matrix, TASKS, ["1", "2"], (1,), n_replicates, 7)
    rows = found[found["quantity"] == "chat_share"].to_dict("records")
    return {row["occupation"]: [row["low"], row["high"]] for row in rows}


def test_one_chat_has_its_share_in_every_resample_that_draws_it() -> None:
    assert shares([[1, 0]]) == {"a": [1, 1], "b": [0, 0]}


@pytest.mark.parametrize("n", [3, 30])
def test_an_interval_is_that_of_two_poisson_counts(n: int) -> None:
    """`n` chats each: the share is X / (X + Y), X and Y Poisson(n), not both 0."""
    found = shares([[1, 0]] * n + [[0, 1]] * n, 20_000)
    count = np.arange(0, 12 * n)
    x, y = np.meshgrid(count, count)
    weight = poisson.pmf(x, n) * poisson.pmf(y, n)
    drawn = (x + y) > 0
    share, weight = (x[drawn] / (x + y)[drawn]), weight[drawn] / weight[drawn].sum()
    order = np.argsort(share)
    cumulated = np.cumsum(weight[order])
    expected = [share[order][np.searchsorted(cumulated, q)] for q in (0.025, 0.975)]
    assert found["a"] == pytest.approx(expected, abs=0.02)
