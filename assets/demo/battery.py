"""A synthetic battery: two raters' demand levels for every item, and six systems' results on them.

Belongs here: the rater model, the composite demand as the pipeline defines it, and the response model.
Pure numpy/pandas. Does not belong here: figures (figures.py), files (generate.py), and estimation of any
kind (assets/capability).

The rater model. Each dimension has one standard-normal demand a item, leaning on what the item's benchmark
tests. A capability's own demand is `truth_loading` of its dimension's plus its own part; a rater r sees
    w = sqrt(reliability) * demand + sqrt(1 - reliability) * (halo_loading * halo_r + own error)
where the halo is one error a rater, item and dimension, and gives the level round(mean_r + sd_r * w),
within 0-4. The constants in raters.csv were found by an evolution strategy that minimised the squared
distance to Table A2 (four figures a capability), Table 2 (coverage and level shares) and Table A3 (mean
correlation within a dimension about .6 or more).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, ndtri
from scipy.stats import rankdata

from assets.demo import figures

MAX_LEVEL = 4  # Table 2 has no item at level 5

Floats = NDArray[np.float64]


def item_table(n_items: int) -> pd.DataFrame:
    """`benchmark`, `item` of `n_items` items in Table 1's proportions, at least one a benchmark."""
    published = np.array([b.n_items for b in figures.BENCHMARKS])
    exact = published * n_items / published.sum()
    sizes = np.maximum(np.floor(exact).astype(int), 1)
    by_remainder = np.argsort(sizes - exact, kind="stable")
    sizes[by_remainder[: n_items - sizes.sum()]] += 1
    names = np.repeat([b.name for b in figures.BENCHMARKS], sizes)
    numbers = [str(i) for size in sizes for i in range(1, size + 1)]
    return pd.DataFrame({"benchmark": names, "item": numbers})


def rate(
    rng: np.random.Generator, benchmarks: NDArray[np.str_], raters: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Levels 0-4 of each item (row) and capability (column) by 'rater-a' and 'rater-b'.

    `raters` is raters.csv; a capability without a dimension stands alone (the two that Table A2 excludes).
    """
    n = len(benchmarks)
    factors = _dimension_demands(rng, benchmarks)
    halo = {(r, d): rng.standard_normal(n) for r in "ab" for d in figures.DIMENSIONS}
    levels: dict[str, dict[str, NDArray[np.int64]]] = {"a": {}, "b": {}}
    for row in raters.to_dict("records"):
        dimension = row["dimension"] or None
        shared = factors[dimension] if dimension else rng.standard_normal(n)
        demand = row["truth_loading"] * shared + _rest(row["truth_loading"]) * rng.standard_normal(n)
        for r in "ab":
            noise = _rest(row["halo_loading"]) * rng.standard_normal(n)
            if dimension:
                noise += row["halo_loading"] * halo[r, dimension]
            seen = np.sqrt(row["reliability"]) * demand + np.sqrt(1 - row["reliability"]) * noise
            level = np.clip(np.rint(row[f"{r}_mean"] + row[f"{r}_sd"] * seen), 0, MAX_LEVEL)
            levels[r][row["capability"]] = level.astype(int)
    return {f"rater-{r}": pd.DataFrame(columns) for r, columns in levels.items()}


def _rest(loading: float) -> float:
    """The loading of the part that `loading` leaves, so that variances add up to one."""
    return float(np.sqrt(1 - loading**2))


def _dimension_demands(rng: np.random.Generator, benchmarks: NDArray[np.str_]) -> dict[str, Floats]:
    """Standard-normal latent demand per dimension: correlated, and shifted by what each benchmark leans on.

    Ranks are mapped back to normal quantiles, so that every battery size has the same marginal distribution.
    """
    dimensions = figures.DIMENSIONS
    correlation = np.eye(len(dimensions))
    for (one, other), value in figures.DEMAND_CORRELATIONS.items():
        i, j = dimensions.index(one), dimensions.index(other)
        correlation[i, j] = correlation[j, i] = value
    latent = rng.standard_normal((len(benchmarks), len(dimensions))) @ np.linalg.cholesky(correlation).T
    leans = {b.name: [figures.LEAN * (d in b.leans_on) for d in dimensions] for b in figures.BENCHMARKS}
    latent += np.array([leans[name] for name in benchmarks])
    ranks = rankdata(latent, axis=0)
    return dict(zip(dimensions, ndtri((ranks - 0.5) / len(benchmarks)).T, strict=True))


def composite_demands(levels: dict[str, pd.DataFrame], raters: pd.DataFrame) -> pd.DataFrame:
    """Demand of each item (row) on each dimension (column): mean of the rater means above 0, else 0."""
    consensus = (levels["rater-a"] + levels["rater-b"]) / 2
    demands = {}
    for dimension in figures.DIMENSIONS:
        members = consensus[raters.loc[raters["dimension"] == dimension, "capability"]].to_numpy()
        n_active = (members > 0).sum(axis=1)
        demands[dimension] = members.sum(axis=1) / np.maximum(n_active, 1)
    return pd.DataFrame(demands)


def success_probability(demands: pd.DataFrame, capability: pd.Series, intercept: float) -> Floats:
    """Probability that a system succeeds on each item: sigma(intercept - log(mean over active of e^(D - c))).

    `capability` holds log capability c by dimension; temperature and slope are 1; without any demand the
    probability is sigma(intercept).
    """
    demand = demands.to_numpy()
    is_active = demand > 0
    n_active = is_active.sum(axis=1)
    failure_odds = np.exp(demand - capability[demands.columns].to_numpy()) * is_active
    mean_odds = failure_odds.sum(axis=1) / np.maximum(n_active, 1)
    z = intercept - np.log(np.where(n_active > 0, mean_odds, 1.0))
    return np.asarray(expit(z))


def answer(
    rng: np.random.Generator, demands: pd.DataFrame, truth: pd.DataFrame, intercept: float
) -> dict[str, NDArray[np.int64]]:
    """0/1 result of every item for each system; `truth` has systems as index and dimensions as columns."""
    return {
        str(system): (rng.random(len(demands)) < success_probability(demands, row, intercept)).astype(int)
        for system, row in truth.iterrows()
    }


def plant_rating_faults(rng: np.random.Generator, levels: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The levels as text, with the public files' faults: a few essays in rater-a, blank cells in rater-b."""
    scale = len(levels["rater-a"]) / figures.BATTERY_ITEMS
    essay = 'The item asks for several things at once.\nIt needs "at most a hint" of this.\nLevel: low.'
    faults = {"rater-a": (figures.ESSAY_CELLS, essay), "rater-b": (figures.BLANK_CELLS, "")}
    text = {}
    for rater, (published, cell) in faults.items():
        cells = levels[rater].to_numpy().astype(object)
        n_faults = max(1, round(published * scale))
        rows = rng.choice(len(cells), n_faults, replace=False)
        columns = rng.integers(0, cells.shape[1], n_faults)
        cells[rows, columns] = cell
        text[rater] = pd.DataFrame(cells, columns=levels[rater].columns).astype(str)
    return text
