"""Intervals of shares over scenarios that share tasks and servers: a brute-force twin, a closed form, coverage."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assets.agentic.capability_share import capability_shares, interval
from assets.agentic.quantities import quantities_of
from assets.agentic.tool_count import tool_count_correlations
from assets.common.shares import wilson

Clusters = list[list[tuple[str, str]]]


def drawn_clusters(rng: np.random.Generator, n_units: int, n_tasks: int, n_servers: int) -> Clusters:
    """Three tasks and two servers each, as the paper's scenarios have."""
    return [
        [("task", str(t)) for t in rng.choice(n_tasks, 3, replace=False)]
        + [("server", str(s)) for s in rng.choice(n_servers, 2, replace=False)]
        for _ in range(n_units)
    ]


def test_the_interval_is_that_of_weighing_each_scenario_draw_by_draw() -> None:
    rng = np.random.default_rng(3)
    clusters, values = drawn_clusters(rng, 30, 8, 6), (rng.random(30) < 0.5).astype(float)
    low, high = interval(values, clusters, np.random.default_rng(7), 200)

    twin, means = np.random.default_rng(7), []
    names = {
        kind: sorted({n for unit in clusters for k, n in unit if k == kind}) for kind in ("server", "task")
    }
    draws = {kind: twin.multinomial(len(of), [1 / len(of)] * len(of), size=200) for kind, of in names.items()}
    for replicate in range(200):
        weights = []
        for unit in clusters:
            weight = 1.0
            for kind, name in unit:
                weight += draws[kind][replicate][names[kind].index(name)] - 1
            weights.append(weight)
        if sum(weights) > 3:
            means.append(
                min(1.0, max(0.0, sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)))
            )
    expected = np.quantile(means, [0.025, 0.975])
    bounds = wilson(float(values.sum()), 30)
    assert (low, high) == pytest.approx((min(bounds[0], expected[0]), max(bounds[1], expected[1])), abs=1e-12)


def test_without_shared_clusters_it_is_as_wide_as_a_binomial() -> None:
    """A task of its own each, no servers: an ordinary bootstrap, whose SD is sqrt(p (1 - p) / n)."""
    values = np.repeat([0.0, 1.0], [120, 280])
    clusters: Clusters = [[("task", str(n))] for n in range(400)]
    low, high = interval(values, clusters, np.random.default_rng(1), 4000)
    half = 1.96 * np.sqrt(0.7 * 0.3 / 400)
    assert (high - low) / 2 == pytest.approx(half, rel=0.05)


def test_with_one_task_for_many_scenarios_it_is_as_wide_as_that_of_the_tasks() -> None:
    """All scenarios of a task succeed or fail together: 16 tasks are 16 units, however many scenarios they have."""
    values = np.repeat([0.0, 1.0], [8 * 25, 8 * 25])
    clusters: Clusters = [[("task", str(n // 25))] for n in range(400)]
    low, high = interval(values, clusters, np.random.default_rng(1), 4000)
    assert (high - low) / 2 == pytest.approx(1.96 * np.sqrt(0.25 / 16), rel=0.07)


@pytest.mark.parametrize(("share", "n", "low", "high"), [(0.5, 10, 0.2366, 0.7634), (1.0, 10, 0.7225, 1.0)])
def test_wilson_is_the_published_one(share: float, n: int, low: float, high: float) -> None:
    """Wilson (1927), as R's prop.test(..., correct = FALSE) prints it."""
    assert wilson(share * n, n) == pytest.approx((low, high), abs=5e-5)


def test_intervals_cover_the_truth_where_scenarios_share_tasks_and_wilson_does_not() -> None:
    rng = np.random.default_rng(11)
    n_trials, n_units, n_tasks, n_servers = 150, 150, 25, 20
    covered = covered_by_wilson = 0
    for trial in range(n_trials):
        clusters = drawn_clusters(rng, n_units, n_tasks, n_servers)
        # a task and a server are hard or easy for all scenarios that have them
        effect = {("task", str(t)): rng.normal(0, 0.14) for t in range(n_tasks)}
        effect |= {("server", str(s)): rng.normal(0, 0.14) for s in range(n_servers)}
        probability = np.clip([0.5 + sum(effect[c] for c in unit) for unit in clusters], 0, 1)
        values = (rng.random(n_units) < probability).astype(float)
        low, high = interval(values, clusters, np.random.default_rng(trial), 300)
        covered += low <= 0.5 <= high
        bounds = wilson(float(values.mean()), n_units)
        covered_by_wilson += bounds[0] <= 0.5 <= bounds[1]
    assert covered / n_trials >= 0.92
    assert covered_by_wilson / n_trials < 0.85


def score(**columns: object) -> dict[str, object]:
    given: dict[str, object] = {
        "scenario": "s", "pair": "p", "occupation": "o", "system": "a", "mode": "single", "measure": "workflow",
        "complete_share": 1.0,
    }  # fmt: skip
    return given | columns


def test_each_share_counts_its_own_scenarios_and_usage_counts_pairs_once() -> None:
    scores = pd.DataFrame(
        [
            score(),
            score(measure="grounding"),
            score(scenario="v", mode="multi", measure="autonomy", complete_share=0.5),
            score(scenario="t", pair="t", complete_share=None),
            score(scenario="u", pair="u", occupation=None),
        ]
    )
    usage = pd.DataFrame({"scenario": ["s", "v", "t", "u"], "is_used": [True, True, False, True]})
    found = quantities_of(scores, usage)
    told = {(r.quantity, r.unit, r.value) for r in found.itertuples()}
    assert told == {
        ("automation", "s", 1.0), ("augmentation", "v", 0.5), ("usage", "p", 1.0), ("usage", "t", 0.0),
    }  # fmt: skip
    assert len(found) == 4


def test_shares_are_the_same_again_in_any_order_and_empty_without_scores() -> None:
    rng = np.random.default_rng(5)
    scores = pd.DataFrame(
        {
            "occupation": "o", "system": "a", "quantity": "usage", "unit": [f"u{i}" for i in range(40)],
            "scenario": [f"u{i}" for i in range(40)], "value": (rng.random(40) < 0.5).astype(float),
        }
    )  # fmt: skip
    clusters = drawn_clusters(rng, 40, 9, 9)
    rows = [(f"u{i}", kind, name) for i, unit in enumerate(clusters) for kind, name in unit]
    members = pd.DataFrame(rows, columns=["scenario", "kind", "member"])

    def seed(*names: object) -> int:
        return 5

    first = capability_shares(scores, members, seed)
    again = capability_shares(
        scores.sample(frac=1, random_state=1), members.sample(frac=1, random_state=2), seed
    )
    pd.testing.assert_frame_equal(first, again)
    assert first[["n_scenarios", "n_tasks", "n_servers"]].iloc[0].tolist() == [40, 9, 9]
    assert capability_shares(scores.head(0), members, seed).empty


def test_correlations_are_ranks_and_undefined_where_nothing_varies() -> None:
    """By hand: ranks 1..5 of tools, scores ranked 5 4 3 1 2: rho = 1 - 6 · Σd² / (n (n² - 1)) = 1 - 6 · 38 / 120."""
    scores = pd.DataFrame(
        {
            "system": "a", "mode": "single", "measure": "grounding", "score": [5.0, 4.0, 3.0, 1.0, 2.0],
            "n_tools_offered": [10, 20, 30, 40, 50], "n_tools_required": [3, 3, 3, 3, 3],
        }
    )  # fmt: skip
    found = tool_count_correlations(scores).set_index("tool_count")
    assert found.loc["offered", "spearman_rho"] == pytest.approx(-0.9)
    # t = rho sqrt((n - 2) / (1 - rho²)) = -3.5762 with 3 degrees of freedom
    assert found.loc["offered", "p_value"] == pytest.approx(0.03739, abs=1e-5)
    assert pd.isna(found.loc["required", "spearman_rho"]) and found.loc["required", "n_scenarios"] == 5
