"""Synthetic respondents: source and domain, five activities with ranks and hours, ability points.

Belongs here: who answers what. Pure numpy/pandas. Does not belong here: figures (figures.py), the export's
columns (questionnaire.py), files (generate.py), and quality control or importance (dbt/models).

Sampling is by quota: within a domain the number that chose each activity and their summed rank scores are
whole numbers as close as can be to importance × respondents, so that figures per domain do not drown in
noise at n = 33.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from assets.demo import figures

ACTIVITIES = 18  # questionnaire codes 1-18; 19-21 are the respondent's own ("other") activities
OTHER = 19
CODES = 21
CAPABILITIES = 18
PICKS = 5
OTHER_SHARE = 0.04  # assumed: respondents who spend one of their five choices on an activity of their own
OTHER_SCORE = 3.0  # assumed: mean rank score of such a choice
UNIT = 5  # points are given in fives

Ints = NDArray[np.int64]

PASSED, INCOMPLETE, QUIZ, SPEED, SCREENED = "passed", "incomplete", "quiz", "speed", "screened"
QUIZ_QUESTIONS = ("Q4.12", "Q4.13", "Q4.14", "Q4.25", "Q4.26", "Q4.27")
QUIZ_PASS = 3


class Tables(NamedTuple):
    """The tables beside this file: two of 18 activities × 6 domains, and weights, 18 × 18 capabilities."""

    importance: NDArray[np.float64]
    conditional: NDArray[np.float64]
    weights: NDArray[np.float64]
    capabilities: tuple[str, ...]


def read_tables() -> Tables:
    """The tables, ordered by activity code, domain code and the questionnaire's capability code."""
    cells = pd.read_csv(figures.IMPORTANCE_TABLE)
    points = pd.read_csv(figures.POINTS_TABLE, index_col="activity")
    capabilities = pd.read_csv(figures.CAPABILITY_TABLE).sort_values("survey_code")["capability"]

    def grid(column: str) -> NDArray[np.float64]:
        wide = cells.pivot(index="activity", columns="domain", values=column)
        return wide.loc[points.index, list(figures.DOMAINS)].fillna(0).to_numpy()

    weights = points[capabilities.to_list()].to_numpy(dtype=float)
    return Tables(grid("importance"), grid("conditional"), weights, tuple(capabilities))


def respondents(rng: np.random.Generator, tables: Tables) -> pd.DataFrame:
    """One row a respondent: source, domain (code, 0 = none), fate, company, `rank_1`..`rank_21` (0 = not chosen).

    Counts of source × domain before and after quality control are Table B2's; removals by reason are
    section 4.3.1's.
    """
    rows: list[dict[str, object]] = []
    for source, started in figures.STARTED.items():
        for code, (n_started, n_kept) in enumerate(zip(started, figures.KEPT[source], strict=True), start=1):
            fates = [PASSED] * n_kept + [""] * (n_started - n_kept)
            rows += [{"source": source, "domain": code, "fate": fate} for fate in fates]
        rows += [{"source": source, "domain": 0, "fate": SCREENED}] * figures.SCREENED_OUT[source]
    people = pd.DataFrame(rows)

    removed = people.index[people["fate"] == ""]
    reasons = [reason for reason, n in figures.REMOVED.items() for _ in range(n)]
    people.loc[removed, "fate"] = rng.permutation(reasons)

    is_company = (people["source"] == "companies").to_numpy()
    shares = np.array(figures.COMPANY_SHARES) / sum(figures.COMPANY_SHARES)
    people["company"] = ""
    for passed in (True, False):
        group = np.flatnonzero(is_company & ((people["fate"] == PASSED).to_numpy() == passed))
        sizes = whole_numbers(shares * len(group), len(group))
        labels = np.repeat([f"company-{i + 1}" for i in range(len(shares))], sizes)
        people.loc[group, "company"] = rng.permutation(labels)

    ranks = np.zeros((len(people), CODES), dtype=np.int64)
    for code in range(1, len(figures.DOMAINS) + 1):
        in_domain = (people["domain"] == code).to_numpy()
        for passed in (True, False):
            group = np.flatnonzero(in_domain & ((people["fate"] == PASSED).to_numpy() == passed))
            ranks[group] = _ranked_activities(rng, tables, code - 1, len(group))
    chosen = pd.DataFrame(ranks, columns=[f"rank_{t}" for t in range(1, CODES + 1)])
    order = rng.permutation(len(people))
    return pd.concat([people, chosen], axis=1).iloc[order].reset_index(drop=True)


def whole_numbers(exact: NDArray[np.float64], total: int) -> Ints:
    """Non-negative whole numbers near `exact` that add up to `total`; zeros stay 0 (largest remainders)."""
    if total == 0:
        return np.zeros(len(exact), dtype=np.int64)
    scaled = exact * total / exact.sum()
    whole = np.floor(scaled).astype(np.int64)
    order = np.argsort(whole - scaled, kind="stable")
    whole[order[: total - whole.sum()]] += 1
    return whole


def _ranked_activities(rng: np.random.Generator, tables: Tables, domain: int, n: int) -> Ints:
    """Ranks 1-5 (0 = not chosen), respondent × activity code, of `n` respondents in a domain (0-based)."""
    importance = np.append(tables.importance[:, domain], [OTHER_SHARE * OTHER_SCORE, 0, 0])
    conditional = np.append(tables.conditional[:, domain], [OTHER_SCORE, 1, 1])
    share = np.divide(importance, conditional, out=np.zeros(CODES), where=importance > 0)
    counts = np.minimum(whole_numbers(share * n, PICKS * n), n)
    chosen = _choose(rng, counts, n)
    return _rank(rng, chosen, importance * n)


def _choose(rng: np.random.Generator, counts: Ints, n: int) -> list[set[int]]:
    """Five different activities for each of `n` respondents, activity t chosen `counts[t]` times."""
    order = rng.permutation(len(counts))
    slots = np.repeat(order, counts[order])
    picks = [{int(t) for t in slots[i::n]} for i in range(n)]
    # dealing leaves neighbours alike; swaps that keep both margins make the choices near independent
    swaps = rng.integers(0, (max(n, 1), max(n, 1), PICKS**2, PICKS**2), (30 * n, 4)).tolist()
    for i, j, a, b in swaps:
        mine, theirs = sorted(picks[i] - picks[j]), sorted(picks[j] - picks[i])
        if mine:
            traded = {mine[a % len(mine)], theirs[b % len(theirs)]}
            picks[i] ^= traded
            picks[j] ^= traded
    return picks


def _rank(rng: np.random.Generator, picks: list[set[int]], wanted: NDArray[np.float64]) -> Ints:
    """Ranks of the picks such that activity t's rank scores (6 - rank) add up to about `wanted[t]`."""
    n = len(picks)
    orders = [[sorted(pick)[k] for k in rng.permutation(PICKS)] for pick in picks]  # first to fifth choice
    excess = (-wanted).tolist()
    for order in orders:
        for rank, t in enumerate(order, start=1):
            excess[t] += PICKS + 1 - rank
    trades = rng.integers(0, (max(n, 1), PICKS, PICKS), (300 * n, 3)).tolist()
    for i, a, b in trades:
        t, u = orders[i][a], orders[i][b]
        gain = a - b  # what t's score gains, and u's loses, when they trade places
        if gain * (excess[t] - excess[u]) + gain**2 < 0:
            orders[i][a], orders[i][b] = u, t
            excess[t] += gain
            excess[u] -= gain
    ranks = np.zeros((n, CODES), dtype=np.int64)
    for i, order in enumerate(orders):
        ranks[i, order] = np.arange(1, PICKS + 1)
    return ranks


def ability_points(rng: np.random.Generator, weights: NDArray[np.float64]) -> Ints:
    """Points (row × 18 capabilities, 100 a row over five picks, in fives) drawn by each row's relative
    weights.

    A pick is a draw without replacement in proportion to the weights; each pick gets five points, and the
    remaining seventy-five are spread in fives in proportion to the square root of the weights.
    """
    keys = np.log(weights) + rng.gumbel(size=weights.shape)
    picks = np.argsort(-keys, axis=1)[:, :PICKS]
    pull = np.sqrt(np.take_along_axis(weights, picks, axis=1)) * rng.gamma(4.0, size=picks.shape)
    units = rng.multinomial(100 // UNIT - PICKS, pull / pull.sum(axis=1, keepdims=True))
    points = np.zeros(weights.shape, dtype=np.int64)
    np.put_along_axis(points, picks, (units + 1) * UNIT, axis=1)
    return points


def weekly_hours(rng: np.random.Generator, people: pd.DataFrame) -> NDArray[np.float64]:
    """Hours a week (respondent × code, NaN = not chosen); the mean per domain meets figures.WEEKLY_HOURS."""
    wanted = np.append(figures.WEEKLY_HOURS, [8.0] * (CODES - ACTIVITIES))
    is_chosen = people[[f"rank_{t}" for t in range(1, CODES + 1)]].to_numpy() > 0
    hours = np.where(is_chosen, rng.gamma(2.5, size=is_chosen.shape), np.nan)
    for (_, _), group in people.groupby(["domain", people["fate"] == PASSED]):
        rows = group.index.to_numpy()
        n_chosen = is_chosen[rows].sum(axis=0)
        mean = np.nansum(hours[rows], axis=0) / np.maximum(n_chosen, 1)
        hours[rows] *= np.divide(wanted, mean, out=np.ones(CODES), where=mean > 0)
    rounded: NDArray[np.float64] = np.clip(np.rint(hours * 2) / 2, 0.5, 60)
    return rounded
