"""The sweep against a loop in plain Python, closed forms, and the draws it takes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from assets.parts import KeptParts, part_files
from assets.settings import Settings
from assets.suitability.draws import JointDraws, central_interval, log_mean_exp, normal_draws
from assets.suitability.paper_figures import published_sweep
from assets.suitability.sweep import CERTAIN, POWERS, SAMPLED, SHARPNESS, Cell, Sweep, grid, keep_swept

seed_for = Settings().seed_for
MEMBERS = pd.DataFrame({"dimension": ["A", "A", "B"], "capability": ["c1", "c2", "c3"]})
DIMENSION = dict(zip(MEMBERS["capability"], MEMBERS["dimension"], strict=True))
POINTS: dict[tuple[str, str, str], tuple[float, ...]] = {
    ("all", "all", "Admin"): (50.0, 10.0, 40.0),
    ("all", "all", "Coding"): (10.0, 60.0, 30.0),
    ("all", "all", "Listening"): (0.0, 0.0, 0.0),
    ("role", "clerk", "the role"): (20.0, 20.0, 60.0),
    ("source", "online", "Admin"): (30.0, 30.0, 40.0),
}


def importance(points: dict[tuple[str, str, str], tuple[float, ...]] = POINTS) -> pd.DataFrame:
    rows = [
        (*key, c, p, 12) for key, row in points.items() for c, p in zip(("c1", "c2", "c3"), row, strict=True)
    ]
    columns = ["scope_type", "scope", "activity", "capability", "points", "n_raters"]
    return pd.DataFrame(rows, columns=columns)


def joint(n_draws: int = 41, systems: tuple[str, ...] = ("x", "y", "z")) -> JointDraws:
    values = np.random.default_rng(1).normal(2, 1.5, (2, len(systems), n_draws))
    return JointDraws(list(systems), ["A", "B"], values)


def sweep(
    importance: pd.DataFrame,
    members: pd.DataFrame,
    draws: JointDraws,
    cells: list[Cell],
    seed_for: Callable[..., int],
    people: Collection[str] = (),
) -> pd.DataFrame:
    """All systems' tables in one."""
    made = Sweep(importance, members, draws.dimensions, cells, seed_for, people=people)
    return pd.concat([table for _, table in made.tables(draws)], ignore_index=True)


def relative(points: dict[str, tuple[float, ...]]) -> dict[str, list[float]]:
    """Min-max per capability over the activities, by hand."""
    columns = list(zip(*points.values(), strict=True))
    return {
        activity: [
            (p - min(column)) / (max(column) - min(column)) if max(column) > min(column) else 0
            for p, column in zip(row, columns, strict=True)
        ]
        for activity, row in points.items()
    }


def test_certain_weights_equal_a_loop_over_draws() -> None:
    draws = joint()
    table = sweep(importance(), MEMBERS, draws, grid(["raw", "relative"], [CERTAIN]), seed_for, people={"z"})
    keyed = table.set_index(["scope", "weighting", "power", "sharpness", "activity", "system"])
    assert keyed.index.is_unique
    got = keyed.to_dict("index")
    n_expected = 0
    for scope, weighting in itertools.product(("all", "clerk"), ("raw", "relative")):
        rows = {activity: row for (_, s, activity), row in POINTS.items() if s == scope}
        used = {a: list(r) for a, r in rows.items()} if weighting == "raw" else relative(rows)
        for (activity, r), s, p in itertools.product(used.items(), SHARPNESS, POWERS):
            if sum(r) == 0:
                continue
            w = [each**s / sum(one**s for one in r) for each in r]
            for n, system in enumerate(draws.systems):
                scores = []
                for d in range(len(draws)):
                    theta = [
                        math.exp(draws.values["AB".index(DIMENSION[c]), n, d]) for c in ("c1", "c2", "c3")
                    ]
                    if p == 0:
                        scores.append(math.prod(t**k for t, k in zip(theta, w, strict=True)))
                    else:
                        scores.append(sum(k * t**p for t, k in zip(theta, w, strict=True)) ** (1 / p))
                row = got[scope, weighting, p, s, activity, system]
                logs = np.log(scores)
                assert row["mean_s_log"] == pytest.approx(math.log(np.mean(scores)), abs=1e-10)
                assert row["mean_log"] == pytest.approx(logs.mean(), abs=1e-10)
                assert row["q025_log"] == pytest.approx(np.quantile(logs, 0.025), abs=1e-10)
                assert row["q975_log"] == pytest.approx(np.quantile(logs, 0.975), abs=1e-10)
                n_expected += 1
    # neither the scope of type source nor activities without weights have rows
    assert len(table) == n_expected
    assert table.groupby("system")["is_ranked"].all().to_dict() == {"x": True, "y": True, "z": False}


def test_sampled_weights_have_the_dirichlet_variance_at_any_sharpness() -> None:
    """Certain c = (1, 4): var(log S) at p = 0 is 9 · w (1 - w) / (n + 1), w the summed weight of dimension B."""
    draws = JointDraws(["x"], ["A", "B"], np.broadcast_to([[[1.0]], [[4.0]]], (2, 1, 20_000)).copy())
    table = sweep(importance(), MEMBERS, draws, grid(["raw"], [SAMPLED]), seed_for)
    neutral = table.query("power == 0 and scope == 'clerk'").set_index("sharpness").to_dict("index")
    for s, w in ((1, 0.6), (2, 36 / 44)):
        row = neutral[s]
        assert row["mean_log"] == pytest.approx(1 + 3 * w, abs=0.02)
        sd = math.sqrt(9 * w * (1 - w) / 13)
        # a Beta margin: its quantiles
        low, high = stats.beta(12 * w, 12 * (1 - w)).ppf([0.025, 0.975])
        assert row["q025_log"] == pytest.approx(1 + 3 * low, abs=0.1 * sd)
        assert row["q975_log"] == pytest.approx(1 + 3 * high, abs=0.1 * sd)


def test_one_system_one_activity_and_huge_abilities_are_swept() -> None:
    """e^800 overflows; its log does not."""
    draws = JointDraws(["x"], ["A", "B"], np.full((2, 1, 10), 800.0))
    table = sweep(importance(), MEMBERS, draws, grid(["raw"], [CERTAIN, SAMPLED]), seed_for)
    alone = table[table["scope"] == "clerk"]
    assert len(alone) == 56
    np.testing.assert_allclose(alone[["mean_s_log", "mean_log", "q025_log", "q975_log"]], 800)


def test_no_importance_no_rows() -> None:
    for cells in (importance({}), importance({("source", "s", "Admin"): (1.0, 2.0, 3.0)})):
        empty = sweep(cells, MEMBERS, joint(), grid(["raw"], [CERTAIN]), seed_for)
        assert empty.empty
        assert {"mean_s_log", "is_ranked"} <= set(empty)


def test_an_added_scope_leaves_the_others_untouched() -> None:
    more = POINTS | {("company", "Acme", "Coding"): (1.0, 2.0, 97.0)}
    cells = grid(["raw"], [SAMPLED])
    before = sweep(importance(), MEMBERS, joint(), cells, seed_for)
    after = sweep(importance(more), MEMBERS, joint(), cells[::-1], seed_for)
    kept = after[after["scope"] != "Acme"].reset_index(drop=True)
    pd.testing.assert_frame_equal(before, kept, check_exact=True)


def test_log_mean_exp_and_interval_are_numpy_s() -> None:
    values = np.random.default_rng(0).normal(0, 2, (4, 3, 77))
    np.testing.assert_allclose(log_mean_exp(values), np.log(np.exp(values).mean(axis=-1)), rtol=1e-13)
    for n in (1, 2, 40, 41, 77):
        low, high = central_interval(values[..., :n])
        expected = np.quantile(values[..., :n], [0.025, 0.975], axis=-1)
        np.testing.assert_allclose([low, high], expected, rtol=1e-13, atol=1e-13)


def test_thinned_draws_are_evenly_spaced() -> None:
    values = np.arange(10.0).reshape(1, 1, 10)
    draws = JointDraws(["x"], ["A"], values)
    assert draws.thinned(5).values.ravel().tolist() == [0, 2, 4, 6, 8]
    assert draws.thinned(3).values.ravel().tolist() == [0, 3, 6]
    assert draws.thinned(10) is draws


PUBLISHED = pd.DataFrame(
    {
        "system": ["x", "x", "y", "y"],
        "dimension": ["A", "B"] * 2,
        "mean": [1.0, 2, 3, 4],
        "sd": [0.5, 0.1, 0.3, 0.4],
    }
)


def test_published_draws_are_independent_normals() -> None:
    draws = normal_draws(PUBLISHED.sample(frac=1, random_state=0), 4000, seed=3)
    assert (draws.systems, draws.dimensions) == (["x", "y"], ["A", "B"])
    for row in PUBLISHED.to_dict("records"):
        sample = draws.values[draws.dimensions.index(row["dimension"]), draws.systems.index(row["system"])]
        # stratified draws follow the distribution more closely than independent ones would
        assert stats.kstest(sample, stats.norm(row["mean"], row["sd"]).cdf).pvalue > 0.999
    correlation = np.corrcoef(draws.values.reshape(4, -1))
    assert np.abs(correlation - np.eye(4)).max() < 5 / math.sqrt(4000)
    with pytest.raises(ValueError, match="every system needs"):
        normal_draws(PUBLISHED[1:], 10, seed=3)


def test_published_sweep_has_the_lognormal_mean() -> None:
    """p = 1, certain weights: E S = sum w e^(mean + sd²/2); p = 0: log E S = w·mean + (w·sd)²/2."""
    made, draws = published_sweep(importance(), MEMBERS, PUBLISHED, 4000, seed_for)
    table = pd.concat([own for _, own in made.tables(draws)])
    assert set(table["scope"]) == {"all"}
    certain = table.query("activity == 'Admin' and sharpness == 1 and weight_uncertainty == 'none'")
    for system, mean, sd in (("x", (1, 2), (0.5, 0.1)), ("y", (3, 4), (0.3, 0.4))):
        w = np.array([0.6, 0.4])
        mean_s = certain[certain["system"] == system].set_index("power")["mean_s_log"].to_dict()
        arithmetic = math.log(w @ np.exp(np.array(mean) + np.array(sd) ** 2 / 2))
        assert mean_s[1.0] == pytest.approx(arithmetic, abs=0.002)
        geometric = w @ mean + (w * sd) @ (w * sd) / 2
        assert mean_s[0.0] == pytest.approx(geometric, abs=0.002)
    sampled = table[table["weight_uncertainty"] == "dirichlet"]
    assert set(zip(sampled["power"], sampled["sharpness"], strict=True)) == {(0, 1)}


# --- kept parts --------------------------------------------------------------------------------------------------


def kept(
    folder: Path, draws: JointDraws, points: dict[tuple[str, str, str], tuple[float, ...]] = POINTS
) -> tuple[list[str], pd.DataFrame]:
    """(systems swept, what the parts hold) of one refresh."""
    parts = KeptParts(folder)
    made = Sweep(
        importance(points), MEMBERS, draws.dimensions, grid(["relative"], [CERTAIN, SAMPLED]), seed_for
    )
    swept = keep_swept(parts, "fitted", made, draws)
    parts.sweep()
    return swept, pd.concat([pd.read_parquet(path) for path in part_files(folder)], ignore_index=True)


def test_one_more_system_is_one_more_part_and_a_system_that_left_takes_its_part_along(tmp_path: Path) -> None:
    everyone = joint(systems=("x", "y", "z"))
    assert kept(tmp_path, everyone.of(["x", "z"]))[0] == ["x", "z"]
    before = {path.name: path.read_bytes() for path in part_files(tmp_path)}
    swept, table = kept(tmp_path, everyone)
    assert swept == ["y"]
    assert before.items() <= {path.name: path.read_bytes() for path in part_files(tmp_path)}.items()
    # what is kept is what sweeping all at once gives, to the last bit
    whole = sweep(importance(), MEMBERS, everyone, grid(["relative"], [CERTAIN, SAMPLED]), seed_for)
    pd.testing.assert_frame_equal(table.drop(columns="basis"), whole, check_exact=True)
    assert kept(tmp_path, everyone)[0] == []
    swept, table = kept(tmp_path, everyone.of(["y"]))
    assert (swept, set(table["system"]), len(list(tmp_path.iterdir()))) == ([], {"y"}, 1)


def test_changed_draws_or_importance_make_what_they_touch_stale(tmp_path: Path) -> None:
    draws = joint()
    kept(tmp_path, draws)
    values = draws.values.copy()
    values[1, 2, 7] += 1e-9
    assert kept(tmp_path, JointDraws(draws.systems, draws.dimensions, values))[0] == ["z"]
    assert kept(tmp_path, draws)[0] == ["z"]
    role = ("role", "clerk", "the role")
    assert kept(tmp_path, draws, POINTS | {role: (20.0, 21.0, 60.0)})[0] == ["x", "y", "z"]
    # scopes of the survey's sources are not swept
    source = ("source", "online", "Admin")
    kept(tmp_path, draws)
    assert kept(tmp_path, draws, POINTS | {source: (3.0, 3.0, 4.0)})[0] == []


def test_tiny_and_huge_abilities_leave_the_figures_of_others_alone() -> None:
    """Systems whose exponentials are taken otherwise (all |p c| < 0.5; a weight of none under the peak) beside one."""
    draws = joint(systems=("x", "y", "z"))
    draws.values[:, 1] *= 1e-3
    draws.values[0, 2] += 900.0
    cells = grid(["raw", "relative"], [CERTAIN, SAMPLED])
    together = sweep(importance(), MEMBERS, draws, cells, seed_for)
    for system in draws.systems:
        alone = sweep(importance(), MEMBERS, draws.of([system]), cells, seed_for)
        assert np.isfinite(alone["mean_log"]).all()
        of_all = together[together["system"] == system].reset_index(drop=True)
        pd.testing.assert_frame_equal(alone, of_all, check_exact=True)
