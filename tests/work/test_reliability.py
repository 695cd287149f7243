"""Split halves and resamples against enumerations of every split and resample, and a reliability known beforehand."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from assets.settings import Settings
from assets.work.reliability import N_RESAMPLES, N_SPLITS, importance_reliability

ACTIVITIES = ("w", "x", "y", "z")
CAPABILITIES = ("A", "B", "C", "D", "E")
# activity -> capability -> points
Person = dict[str, dict[str, float]]


def people(n: int, rng: random.Random) -> list[Person]:
    """Respondents who select two to four of four activities."""
    found: list[Person] = []
    for _ in range(n):
        chosen = rng.sample(ACTIVITIES, rng.randint(2, 4))
        found.append(
            {a: {c: 20 * k + rng.uniform(0, 60) for k, c in enumerate(CAPABILITIES)} for a in chosen}
        )
    return found


def frame(samples: dict[str, list[Person]]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            (f"{recruitment}{i}", recruitment, activity, capability, points)
            for recruitment, persons in samples.items()
            for i, person in enumerate(persons)
            for activity, profile in person.items()
            for capability, points in profile.items()
        ],
        columns=["respondent", "recruitment", "activity", "capability", "points"],
    )


def correlations(first: list[Person], second: list[Person]) -> dict[tuple[str, str], float]:
    """(unit_type, unit) -> r over what somebody of both selected, where it is defined and not perfect."""
    shared = [a for a in ACTIVITIES if any(a in p for p in first) and any(a in p for p in second)]

    def cell(persons: list[Person], activity: str, capability: str) -> float:
        return statistics.fmean(p[activity][capability] for p in persons if activity in p)

    vectors = {
        ("activity", a): [(cell(first, a, c), cell(second, a, c)) for c in CAPABILITIES] for a in shared
    }
    vectors |= {
        ("capability", c): [(cell(first, a, c), cell(second, a, c)) for a in shared] for c in CAPABILITIES
    }
    found = {}
    for unit, pairs in vectors.items():
        if len(pairs) > 2:
            found[unit] = statistics.correlation(*map(list, zip(*pairs, strict=True)))
    return found


def run(answers: pd.DataFrame, seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame]:
    return importance_reliability(answers, Settings(seed=seed).seed_for)


@pytest.fixture(scope="module")
def samples() -> dict[str, list[Person]]:
    rng = random.Random(5)
    return {"company": people(5, rng), "online": people(6, rng)}


def test_split_halves_against_every_split(samples: dict[str, list[Person]]) -> None:
    reliability, _ = run(frame(samples))
    found = {
        (row["recruitment"], row["unit_type"], row["unit"]): row for row in reliability.to_dict("records")
    }
    assert len(found) == len(reliability) == 2 * (len(ACTIVITIES) + len(CAPABILITIES))
    for recruitment, persons in samples.items():
        z: dict[tuple[str, str], list[float]] = {}
        splits = list(combinations(range(len(persons)), len(persons) // 2))
        for half in splits:
            rest = [p for i, p in enumerate(persons) if i not in half]
            for unit, r in correlations([persons[i] for i in half], rest).items():
                z.setdefault(unit, []).append(math.atanh(r))
        for unit, values in z.items():
            half_r = max(0.0, math.tanh(statistics.fmean(values)))
            row = found[(recruitment, *unit)]
            assert row["reliability"] == pytest.approx(2 * half_r / (1 + half_r), abs=0.03), unit
            assert row["n_splits"] / N_SPLITS == pytest.approx(len(values) / len(splits), abs=0.03), unit


def test_bootstrap_against_every_resample() -> None:
    rng = random.Random(8)
    samples = {"company": people(3, rng), "online": people(3, rng)}
    _, bootstrap = run(frame(samples))

    def resamples(persons: list[Person]) -> Iterator[list[Person]]:
        return (list(drawn) for drawn in product(persons, repeat=len(persons)))

    means: dict[str, list[float]] = {"capability": [], "activity": []}
    for company in resamples(samples["company"]):
        for online in resamples(samples["online"]):
            r = correlations(company, online)
            for unit_type, values in means.items():
                z = [math.atanh(value) for (kind, _), value in r.items() if kind == unit_type]
                if z:
                    values.append(math.tanh(statistics.fmean(z)))
    found = {row["unit_type"]: row for row in bootstrap.to_dict("records")}
    for unit_type, values in means.items():
        assert found[unit_type]["pearson_sd"] == pytest.approx(statistics.pstdev(values), rel=0.06)
        share = found[unit_type]["n_resamples"] / N_RESAMPLES
        assert share == pytest.approx(len(values) / 27**2, abs=0.03)


def test_known_reliability_is_recovered() -> None:
    """Points = true profile + noise: the mean of n respondents has reliability V / (V + noise² / n)."""
    rng = np.random.default_rng(4)
    n, noise = 20, 30.0
    truth = rng.normal(50, 10, size=(6, 100))
    variance = truth.var(axis=1).mean()
    samples = {name: truth + rng.normal(0, noise, size=(n, *truth.shape)) for name in ("company", "online")}
    answers = pd.DataFrame(
        [
            (f"{name}{i}", name, f"a{a}", f"c{c:03}", points[i, a, c])
            for name, points in samples.items()
            for i, a, c in np.ndindex(*points.shape)
        ],
        columns=["respondent", "recruitment", "activity", "capability", "points"],
    )
    reliability, _ = run(answers)
    by_activity = (
        reliability[reliability["unit_type"] == "activity"].groupby("recruitment")["reliability"].mean()
    )
    expected = variance / (variance + noise**2 / n)
    assert by_activity.tolist() == pytest.approx([expected, expected], abs=0.04)


def test_a_negative_split_half_correlation_is_floored(samples: dict[str, list[Person]]) -> None:
    """Two who rank the capabilities the other way round: r is negative in the one split there is."""
    pair: list[Person] = [
        {a: dict(zip(CAPABILITIES, points, strict=True)) for a in ACTIVITIES}
        for points in ([0.0, 10, 20, 30, 40], [40.0, 20, 30, 10, 0])
    ]
    reliability, _ = run(frame({"company": pair, "online": samples["online"]}))
    company = reliability.query("recruitment == 'company' and unit_type == 'activity'")
    assert (company["reliability"] == 0).all() and (company["n_splits"] == N_SPLITS).all()


def test_order_and_ids_of_respondents_do_not_matter_and_the_seed_does(
    samples: dict[str, list[Person]],
) -> None:
    answers = frame(samples)
    shuffled = answers.sample(frac=1, random_state=2)
    shuffled["respondent"] = [respondent[::-1] for respondent in shuffled["respondent"]]
    for first, second in zip(run(answers), run(shuffled), strict=True):
        pd.testing.assert_frame_equal(first, second, check_exact=True)
    assert not run(answers)[1].equals(run(answers, seed=2)[1])


def test_nobody_gives_empty_tables_with_their_columns() -> None:
    for table in run(frame({})):
        assert table.empty and table.columns[0] == "unit_type"
