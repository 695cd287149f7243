"""Assessors: random forests that predict, from what an item demands, whether a system succeeds on it.

Belongs here: features, folds, systems' kept rows, and the test of what propensities add. Does not belong here: a forest
and its AUROC (forest.py), positions of systems (estimate.py), and which responses and levels count (dbt).

A unit is one system under one incitation: no forest sees another system or incitation, and none sees which benchmark an
item is from. What a feature set adds is the difference in AUROC on the same folds. It is withheld where levels are
missing: forests split on missingness, and which levels an item has says which data set it is from, so levels of pure
noise would show a gain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from threadpoolctl import threadpool_limits

from assets.parts import KeptParts, code_version, fingerprint_of, part_files
from assets.propensity.forest import auroc, success_probability

Array = npt.NDArray[np.float64]
SeedFor = Callable[..., int]

# the paper's floor on the rows of a node that may be split; below twice as many a unit can't be assessed
MIN_SPLIT = 50
MIN_ITEMS = 2 * MIN_SPLIT
N_FOLDS = 10
CAPABILITIES, ULTRACREPIDARIANISM, PROPENSITIES = (
    "capabilities",
    "capabilities_ultracrepidarianism",
    "capabilities_propensities",
)
FEATURE_SETS = (CAPABILITIES, ULTRACREPIDARIANISM, PROPENSITIES)
ITEM, POOLED, LEFT_OUT = "item", "pooled", "leave_benchmark_out"
# collection of items -> regime as published -> how items are held out; the battery's two are the paper's Table 3
REGIMES: Mapping[str, Mapping[str, str]] = {
    "propensity": {ITEM: ITEM, POOLED: POOLED, LEFT_OUT: LEFT_OUT},
    "battery": {"battery_pooled": POOLED, "battery_leave_benchmark_out": LEFT_OUT},
}
CONFIDENCE = 0.95

UNIT = ["system", "incitation"]
ASSESSOR_COLUMNS = [
    *UNIT, "regime", "feature_set", "auroc", "n_items", "n_unannotated", "missing_share",
    "n_propensities", "n_folds", "n_undefined_folds",
]  # fmt: skip
SYSTEM_COLUMNS = ["regime", "system", "feature_set", "baseline", "augmented", "delta", "n_incitations"]
GAIN_COLUMNS = [
    *("regime", "feature_set", "baseline", "augmented", "mean_delta", "delta_low", "delta_high"),
    *("wilcoxon_p", "n_systems", "n_withheld", "missing_share", "n_propensities"),
]

_CODE = code_version(__file__, ["assessor.py", "forest.py"], ["numpy", "scikit-learn"])


@dataclass(frozen=True)
class Assessment:
    """`assessor`: a row a unit × regime × feature set; `by_system`, `gain`: what propensities add, averaged."""

    assessor: pd.DataFrame
    by_system: pd.DataFrame
    gain: pd.DataFrame


def assess(
    responses: pd.DataFrame,
    levels: pd.DataFrame,
    n_trees: int,
    seed_for: SeedFor,
    folder: Path,
    regimes: Mapping[str, str] = REGIMES["propensity"],
) -> Assessment:
    """AUROC of the three feature sets in each regime, and the gain over capabilities alone.

    Args:
        responses: system, incitation, benchmark, item_number, is_correct (0 or 1), a row a response.
        levels: item_number, kind ('capability' or 'propensity'), feature, level, a row a known level; an item
            without every capability that occurs is left out, an unknown propensity level stays unknown; a propensity
            that no item has is no feature.
        n_trees: trees a forest.
        seed_for: seed of the step or row that the names identify.
        folder: where systems' rows are kept; those of the same answers, levels, trees, seed and code are not made
            again.
        regimes: regime as published -> how items are held out: within each benchmark, over all, or a benchmark at a
            time.

    Returns:
        assessor: auroc is the mean over folds with both outcomes, NULL where there is none or the unit has fewer
            than 100 responses, or where an added level is missing (missing_share > 0); n_items responses taken,
            n_unannotated unknown propensity levels among them, missing_share of the levels that the set adds,
            n_propensities how many these are of each item.
        by_system: means over a system's incitations. gain: means over systems, the 95 % t interval of the mean
            difference (NULL with fewer than two systems) and the Wilcoxon signed-rank test (two-sided) of the
            differences, NULL where no system could be assessed; n_withheld systems are left out for missing levels;
            no rows without responses.
    """
    table, parts = _features(levels), KeptParts(folder)
    taken = responses[responses["item_number"].isin(table.index)]
    taken = taken.sort_values([*UNIT, "benchmark", "item_number", "propensity"], ignore_index=True)
    # one thread: the forests are small, and more would only wait for each other
    with threadpool_limits(limits=1):
        for system, own in taken.groupby("system", sort=True):
            known = [own[name].to_numpy(dtype=object) for name in ("incitation", "benchmark", "propensity")]
            numbers = [own[name].to_numpy(dtype=int) for name in ("item_number", "is_correct")]
            features = [*table.columns], table.loc[own["item_number"]].to_numpy()
            decisive = [_CODE, n_trees, seed_for(), [*regimes], system]
            wanted = fingerprint_of(*decisive, *features, *known, *numbers)
            if not parts.holds(str(system), wanted):
                rows = [
                    row
                    for incitation, unit in own.groupby("incitation", sort=True)
                    for row in _assess_unit(
                        str(system), str(incitation), unit, table, n_trees, seed_for, regimes
                    )
                ]
                parts.keep(str(system), wanted, _assessor(rows))
    parts.sweep()
    kept = [pd.read_parquet(path) for path in part_files(folder)] or [_assessor([])]
    assessor = pd.concat(kept).sort_values(UNIT, kind="stable", ignore_index=True)
    by_system = _by_system(assessor)
    return Assessment(assessor, by_system, _gain(by_system, assessor, list(regimes)))


def assess_collections(
    responses: pd.DataFrame,
    levels: pd.DataFrame,
    n_trees: int,
    seed_for: SeedFor,
    folder: Path,
    benchmarks: tuple[str, ...],
    propensities: tuple[str, ...],
) -> Assessment:
    """`assess` of each collection by itself: no forest learns from items about a propensity and the battery's together.

    Args:
        responses: as in `assess`, with collection ('propensity' or 'battery').
        folder: rows of a collection's systems are kept in a folder of its name there.
        benchmarks: keep to these; none = all.
        propensities: whose levels are features.
    """
    if benchmarks:
        responses = responses[responses["benchmark"].isin(benchmarks)]
    is_used = (levels["kind"] == "capability") | levels["feature"].isin(propensities)
    parts = []
    for collection, regimes in REGIMES.items():
        own = responses[responses["collection"] == collection]
        of_items = levels[is_used & levels["item_number"].isin(own["item_number"])]
        parts.append(assess(own, of_items, n_trees, seed_for, folder / collection, regimes))
    return Assessment(
        *(
            # an empty frame has no types of its own to give
            pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True)
            for tables in zip(*((p.assessor, p.by_system, p.gain) for p in parts), strict=True)
        )
    )


def _assessor(rows: list[dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=ASSESSOR_COLUMNS).astype({"auroc": float, "missing_share": float})


def _features(levels: pd.DataFrame) -> pd.DataFrame:
    """Item × (kind, feature); the items that have every capability."""
    wide = levels.astype({"level": float}).pivot(
        index="item_number", columns=["kind", "feature"], values="level"
    )
    wide = wide.sort_index(axis=0).sort_index(axis=1)
    capabilities = wide.columns[wide.columns.get_level_values("kind") == "capability"]
    if not len(capabilities):
        return wide.iloc[:0]
    return wide[wide[capabilities].notna().all(axis=1)]


def _columns(table: pd.DataFrame, feature_set: str) -> npt.NDArray[np.bool_]:
    kind = table.columns.get_level_values("kind")
    added = {
        CAPABILITIES: np.zeros(len(kind), dtype=bool),
        ULTRACREPIDARIANISM: table.columns.get_level_values("feature") == "ultracrepidarianism",
        PROPENSITIES: np.ones(len(kind), dtype=bool),
    }[feature_set]
    chosen: npt.NDArray[np.bool_] = np.asarray((kind == "capability") | added)
    return chosen


def _assess_unit(
    system: str,
    incitation: str,
    unit: pd.DataFrame,
    table: pd.DataFrame,
    n_trees: int,
    seed_for: SeedFor,
    regimes: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    unit = unit.reset_index(drop=True)
    features = table.loc[unit["item_number"]]
    values, outcome = features.to_numpy(), unit["is_correct"].to_numpy(dtype=int)
    kind = np.asarray(features.columns.get_level_values("kind"))
    unknown = np.isnan(values)
    for regime, held_out in regimes.items():
        folds = list(_folds(held_out, unit, seed_for(system, incitation, regime, "folds")))
        known: dict[bytes, list[float | None]] = {}
        for feature_set in FEATURE_SETS:
            columns = _columns(table, feature_set)
            added = columns & (kind == "propensity")
            missing = float(unknown[:, added].mean()) if added.any() else 0.0
            if missing:
                known[columns.tobytes()] = []
            elif columns.tobytes() not in known:
                # one seed for all feature sets: their forests differ in the features only
                own = values[:, columns]
                known[columns.tobytes()] = [
                    _fold_auroc(own, outcome, train, test, n_trees, seed_for(system, incitation, regime, k))
                    for k, (train, test) in enumerate(folds)
                ]
            areas = [area for area in known[columns.tobytes()] if area is not None]
            is_of_its_own = feature_set == CAPABILITIES or (columns.sum() > (kind == "capability").sum())
            yield {
                "system": system,
                "incitation": incitation,
                "regime": regime,
                "feature_set": feature_set,
                "auroc": float(np.mean(areas)) if areas and is_of_its_own else None,
                "n_items": len(unit),
                "n_unannotated": int(unknown[:, kind == "propensity"].sum()),
                "missing_share": missing,
                "n_propensities": int(added.sum()),
                "n_folds": len(folds),
                "n_undefined_folds": 0 if missing else len(folds) - len(areas),
            }


def _folds(
    regime: str, unit: pd.DataFrame, seed: int
) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Rows to learn from and rows to predict; an item's rows are never on both sides.

    `item` keeps to one benchmark at a time, `pooled` takes all benchmarks together, `leave_benchmark_out` predicts
    each benchmark from the others.
    """
    items = unit["item_number"].to_numpy()
    everything = np.arange(len(unit))
    benchmark = unit["benchmark"].to_numpy()
    by_benchmark = [np.flatnonzero(benchmark == name) for name in sorted(set(benchmark))]
    if regime == LEFT_OUT:
        for inside in by_benchmark:
            # an item may belong to one benchmark only, so that rows are enough
            outside = np.setdiff1d(everything, inside)
            if len(outside) >= MIN_ITEMS:
                yield outside, inside
        return
    parts = [everything] if regime == POOLED else by_benchmark
    rng = np.random.default_rng(seed)
    for part in parts:
        if len(part) < MIN_ITEMS:
            continue
        names = rng.permutation(np.unique(items[part]))
        for held_out in np.array_split(names, N_FOLDS):
            is_out = np.isin(items[part], held_out)
            yield part[~is_out], part[is_out]


def _fold_auroc(
    values: Array,
    outcome: npt.NDArray[np.int_],
    train: npt.NDArray[np.intp],
    test: npt.NDArray[np.intp],
    n_trees: int,
    seed: int,
) -> float | None:
    """AUROC of one fold; None where its outcomes are all alike."""
    if len(set(outcome[test])) < 2:
        return None
    if len(set(outcome[train])) < 2:
        return 0.5
    learned = values[train], outcome[train]
    found = success_probability(*learned, values[test], n_trees, MIN_SPLIT, seed % 2**32)
    return auroc(found, outcome[test])


def _by_system(assessor: pd.DataFrame) -> pd.DataFrame:
    """AUROC with and without propensities, averaged over the incitations that have both."""
    wide = assessor.pivot(index=["regime", *UNIT], columns="feature_set", values="auroc")
    wide = wide.reindex(columns=list(FEATURE_SETS))
    parts = []
    for feature_set in FEATURE_SETS[1:]:
        pairs = wide[[CAPABILITIES, feature_set]].dropna().set_axis(["baseline", "augmented"], axis=1)
        pairs = pairs.assign(delta=pairs["augmented"] - pairs["baseline"])
        grouped = pairs.groupby(level=["regime", "system"], sort=True)
        parts.append(grouped.mean().assign(n_incitations=grouped.size(), feature_set=feature_set))
    return pd.concat(parts).reset_index()[SYSTEM_COLUMNS]


def _gain(by_system: pd.DataFrame, assessor: pd.DataFrame, regimes: list[str]) -> pd.DataFrame:
    rows = []
    for regime in (name for name in regimes if name in set(assessor["regime"])):
        for feature_set in FEATURE_SETS[1:]:
            units = assessor[(assessor["regime"] == regime) & (assessor["feature_set"] == feature_set)]
            chosen = by_system[(by_system["regime"] == regime) & (by_system["feature_set"] == feature_set)]
            means = chosen[["baseline", "augmented", "delta"]].mean()
            low, high = t_interval(chosen["delta"].to_numpy())
            rows.append(
                {
                    "regime": regime,
                    "feature_set": feature_set,
                    "baseline": means["baseline"],
                    "augmented": means["augmented"],
                    "mean_delta": means["delta"],
                    "delta_low": low,
                    "delta_high": high,
                    "wilcoxon_p": _wilcoxon(chosen["delta"].to_numpy()),
                    "n_systems": len(chosen),
                    "n_withheld": units.loc[units["missing_share"] > 0, "system"].nunique(),
                    "missing_share": units["missing_share"].mean(),
                    "n_propensities": int(units["n_propensities"].max()),
                }
            )
    figures = [
        "baseline",
        "augmented",
        "mean_delta",
        "delta_low",
        "delta_high",
        "wilcoxon_p",
        "missing_share",
    ]
    return pd.DataFrame(rows, columns=GAIN_COLUMNS).astype(dict.fromkeys(figures, float))


def t_interval(deltas: Array) -> tuple[float | None, float | None]:
    """Ends of the 95 % t interval of the mean over systems; None with fewer than two, or where all are equal.

    Equal differences do not make a gain certain: they say nothing of how far systems differ.
    """
    from scipy.stats import t

    n = len(deltas)
    if n < 2 or np.ptp(deltas) == 0:
        return None, None
    half = float(t.ppf((1 + CONFIDENCE) / 2, n - 1) * deltas.std(ddof=1) / np.sqrt(n))
    return float(deltas.mean()) - half, float(deltas.mean()) + half


def _wilcoxon(deltas: Array) -> float | None:
    """p of the two-sided signed-rank test; 1 where every difference is 0, None without differences."""
    from scipy.stats import wilcoxon

    if not len(deltas):
        return None
    if not deltas.any():
        return 1.0
    return float(wilcoxon(deltas).pvalue)
