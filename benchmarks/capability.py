"""What a capability fit costs: both engines against the formulation printed in the paper, and how cost grows.

    nice python -m benchmarks.capability [--quick] [--only NAME ...]

Six systems are simulated from Table C6's means on the battery of SUITABILITY_SOURCES, or on the demo's battery where
that is unset. Each measurement runs in a process of its own, so that its peak memory is its own, on one thread of
linear algebra. Cost is processor time, not the wall clock.

Belongs here: measuring and printing. Does not belong here: tests (a figure of one machine fails on another).
"""

from __future__ import annotations

import argparse
import multiprocessing
import multiprocessing.connection
import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from assets.capability.fit import engine, factorised, fit_quality, nuts
from assets.capability.fit.layout import Array, PooledResponses, item_logit, pool_counts
from assets.capability.fit.model import ModelOptions
from assets.demo import battery, figures
from assets.demo.generate import read_truth
from assets.settings import PROJECT, Settings

ITEMS = 19535
MODEL, THRESHOLDS = ModelOptions(), fit_quality.Thresholds.of(Settings())
DRAWS = 4000
Figures = dict[str, float]


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    items: int
    many_systems: int
    many_items: int
    naive_draws: int
    nuts: nuts.SamplerOptions


# the twin's draws are few because each costs half a second or more
FULL = Scale(ITEMS, 100, 1_000_000, 150, nuts.SamplerOptions(4, 300, 1000, 0.7, 1))
QUICK = Scale(2000, 20, 50_000, 60, nuts.SamplerOptions(2, 200, 300, 0.7, 1))


# --- what is fitted ----------------------------------------------------------------------------------------------


def demand_matrix(n_items: int) -> pd.DataFrame:
    """Items × dimensions, columns sorted."""
    sources = Settings().sources
    matrix = _rated(sources) if sources else _synthetic(n_items)
    return matrix.head(n_items)[sorted(matrix.columns)]


def _synthetic(n_items: int) -> pd.DataFrame:
    raters = pd.read_csv(figures.RATERS_TABLE, keep_default_na=False)
    benchmarks = battery.item_table(n_items)["benchmark"].to_numpy(dtype=str)
    return battery.composite_demands(battery.rate(np.random.default_rng(1), benchmarks, raters), raters)


def _rated(sources: Path) -> pd.DataFrame:
    """Mean of the raters' whole levels 0-5 over a dimension's demanded members, of items that all rated."""
    seeds = PROJECT / "dbt/seeds"
    names = pd.read_csv(seeds / "seed_capability.csv").set_index("name")["capability"].to_dict()
    tables = []
    for path in sorted((sources / "battery/ratings").glob("*.csv")):
        table = pd.read_csv(path, dtype=str).set_index(["dataset name", "sample id"]).rename(columns=names)
        tables.append(table.apply(lambda c: pd.to_numeric(c.where(c.isin(list("012345"))))))
    members = pd.read_csv(seeds / "seed_dimension.csv").set_index("dimension")["dimension_key"].str.split("|")
    rated = sorted(set(members.explode()))
    consensus = sum(table.reindex(index=tables[0].index)[rated] for table in tables) / len(tables)
    consensus = consensus.dropna()
    by_dimension = {d: consensus[keys].where(consensus[keys] > 0).mean(axis=1) for d, keys in members.items()}
    # items are in benchmark order in the files
    return pd.DataFrame(by_dimension).fillna(0).sample(frac=1, random_state=1)


def simulated(matrix: pd.DataFrame, n_systems: int, n_items: int) -> tuple[Array, Array, Array]:
    """(R,) system, (R, K) demand, (R,) score; items beyond the battery repeat its rows, systems beyond six vary it."""
    rng = np.random.default_rng(2)
    truth = read_truth()[list(matrix.columns)].to_numpy()
    truth = (
        truth[np.arange(n_systems) % len(truth)]
        + 0.4
        * rng.standard_normal((n_systems, truth.shape[1]))
        * (np.arange(n_systems) >= len(truth))[:, None]
    )
    distinct = matrix.to_numpy(dtype=float)
    rows = np.arange(n_items) if n_items <= len(distinct) else rng.integers(len(distinct), size=n_items)
    system = np.repeat(np.array([f"system {n:03d}" for n in range(n_systems)], dtype=object), n_items)
    score = np.empty((n_systems, n_items))
    for n in range(n_systems):
        odds = np.exp(-item_logit(truth[n], figures.INTERCEPT, distinct))
        score[n] = rng.random(n_items) < (1 / (1 + odds))[rows]
    return system, np.tile(distinct[rows], (n_systems, 1)), score.ravel()


def six(scale: Scale, n_systems: int = 6) -> PooledResponses:
    matrix = demand_matrix(scale.items)
    system, demand, score = simulated(matrix, n_systems, len(matrix))
    return pool_counts(system, demand, score, np.ones(len(score)), tuple(matrix.columns))


# --- what is measured: each returns figures, printed by the parent -------------------------------------------------


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_gib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform != "darwin" else 2**30)


def seed_of(name: str) -> int:
    return Settings().seed_for("benchmark", name)


def fit_all(responses: PooledResponses, scale: Scale) -> dict[str, factorised.SystemFit]:
    return {
        name: engine.fit_system(engine.responses_of(responses, name), MODEL, THRESHOLDS, scale.nuts)
        for name in responses.systems
    }


def joined(fits: dict[str, factorised.SystemFit], responses: PooledResponses) -> fit_quality.Posterior:
    posterior = engine.join(fits, responses, MODEL, DRAWS, seed_of)
    faults = fit_quality.fit_diagnostics(posterior, THRESHOLDS)[1]
    if faults:
        print("not converged:", *faults, file=sys.stderr)
    return posterior


def warmed() -> None:
    """Imports and the first call's set-up are paid once a process, not by what is measured."""
    tiny = pool_counts(["a"], np.ones((1, 2)), [1.0], [1.0], ("EM", "L"))
    joined({"a": factorised.fit_system(tiny.demand, tiny.passed[:, 0], tiny.attempted[:, 0], MODEL, 1)}, tiny)


def by_factorised(scale: Scale) -> Figures:
    responses = six(scale)
    warmed()
    started = cpu()
    posterior = joined(fit_all(responses, scale), responses)
    seconds = cpu() - started
    smallest = min(q.ess_bulk_min for q in posterior.fits)
    return {
        "cpu": seconds,
        "ess": smallest,
        "ess_per_cpu": smallest / seconds,
        "patterns": len(responses.demand),
    }


def one_more(scale: Scale) -> Figures:
    responses = six(scale, 7)
    warmed()
    fits = fit_all(responses, scale)
    started = cpu()
    last = responses.systems[-1]
    fits[last] = engine.fit_system(engine.responses_of(responses, last), MODEL, THRESHOLDS, scale.nuts)
    fitted = cpu()
    joined(fits, responses)
    return {"cpu": cpu() - started, "fit_cpu": fitted - started, "join_cpu": cpu() - fitted}


def many_systems(scale: Scale) -> Figures:
    responses = six(scale, scale.many_systems)
    warmed()
    started = cpu()
    fits = fit_all(responses, scale)
    fitted = cpu()
    posterior = joined(fits, responses)
    return {
        "cpu": cpu() - started,
        "fit_cpu": fitted - started,
        "join_cpu": cpu() - fitted,
        "by_nuts": sum(found.engine == "nuts" for found in fits.values()),
        "ess": min(q.ess_bulk_min for q in posterior.fits),
    }


def many_items(scale: Scale) -> Figures:
    matrix = demand_matrix(scale.items)
    system, demand, score = simulated(matrix, 6, scale.many_items)
    warmed()
    attempted = np.ones(len(score))
    started = cpu()
    responses = pool_counts(system, demand, score, attempted, tuple(matrix.columns))
    pooled = cpu()
    posterior = joined(fit_all(responses, scale), responses)
    return {
        "cpu": cpu() - started,
        "pool_cpu": pooled - started,
        "fit_cpu": cpu() - pooled,
        "patterns": len(responses.demand),
        "ess": min(q.ess_bulk_min for q in posterior.fits),
    }


def _after_tuning(trace: object, seconds: float) -> float:
    """CPU-seconds of the draws themselves: their share of the gradients."""
    kept = float(trace.sample_stats["n_steps"].sum())  # type: ignore[attr-defined]
    return seconds * kept / (kept + float(trace.warmup_sample_stats["n_steps"].sum()))  # type: ignore[attr-defined]


def by_nuts(scale: Scale) -> Figures:
    import nutpie

    responses, sample, seen = six(scale), nutpie.sample, []

    def timed(*args: object, **options: object) -> object:
        started = cpu()
        trace = sample(*args, **options | {"save_warmup": True})
        seen.append((trace, cpu() - started))
        return trace

    nutpie.sample = timed
    started = cpu()
    posterior = nuts.sample_posterior(responses, MODEL, scale.nuts)
    whole = cpu() - started
    ((trace, sampling),) = seen
    quality = fit_quality.fit_diagnostics(posterior, THRESHOLDS)[0].iloc[0]
    seconds = _after_tuning(trace, sampling)
    return {
        "cpu": whole,
        "sampling_cpu": sampling,
        "ess": quality["ess_bulk_min"],
        "ess_per_cpu": quality["ess_bulk_min"] / seconds,
        "gradient_ms": 1000 * seconds / float(trace.sample_stats["n_steps"].sum()),
    }


def by_naive_twin(scale: Scale) -> Figures:
    """The paper's equations 1-4 as they are printed: c and alpha sampled, J × K log-sum-exp, one entry an item kept."""
    import arviz as az
    import nutpie
    import pymc as pm
    import pytensor.tensor as pt

    matrix = demand_matrix(scale.items)
    _, demand, score = simulated(matrix, 6, len(matrix))
    demand, score = demand[: len(matrix)], score.reshape(6, -1)
    active = demand > 0
    with pm.Model(coords={"system": range(6), "dimension": list(matrix.columns), "item": range(len(matrix))}):
        alpha = pm.Normal("alpha", 0, MODEL.intercept_sd)
        c = pm.Normal("c", MODEL.mean, MODEL.sd, dims=("system", "dimension"))
        margin = c[:, None, :] - MODEL.lam * demand
        total = pm.math.logsumexp(pt.switch(active, -margin, -np.inf), axis=-1, keepdims=False)
        softened = pt.switch(active.any(axis=1), np.log(np.maximum(active.sum(axis=1), 1)) - total, 0.0)
        z = pm.Deterministic("z", alpha + softened, dims=("system", "item"))
        pm.Bernoulli("score", logit_p=z, observed=score, dims=("system", "item"))
        compiled = nutpie.compile_pymc_model(pm.modelcontext(None))
    started = cpu()
    trace = nutpie.sample(
        compiled, draws=scale.naive_draws, tune=scale.naive_draws, chains=1, cores=1, seed=1, save_warmup=True,
        progress_bar=False, target_accept=scale.nuts.target_accept,
    )  # fmt: skip
    sampling = cpu() - started
    ess = az.ess(trace, var_names=["alpha", "c"])
    each = np.concatenate([ess["alpha"].to_numpy().ravel(), ess["c"].to_numpy().ravel()])
    seconds = _after_tuning(trace, sampling)
    return {
        "cpu": sampling,
        "ess": each.min(),
        "ess_per_cpu": each.min() / seconds,
        "median_ess_per_cpu": float(np.median(each)) / seconds,
        "gradient_ms": 1000 * seconds / float(trace.sample_stats["n_steps"].sum()),
    }


# --- running and printing --------------------------------------------------------------------------------------------

MEASUREMENTS: dict[str, Callable[[Scale], Figures]] = {
    "factorised": by_factorised,
    "one more system": one_more,
    "many systems": many_systems,
    "many items": many_items,
    "nuts": by_nuts,
    "naive twin": by_naive_twin,
}


def _child(name: str, scale: Scale, pipe: multiprocessing.connection.Connection) -> None:
    with threadpool_limits(limits=1):
        found = MEASUREMENTS[name](scale)
    pipe.send(found | {"peak_gib": peak_gib()})


def measured(name: str, scale: Scale) -> Figures:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(name, scale, theirs))
    process.start()
    theirs.close()
    try:
        found: Figures = ours.recv()
    except EOFError:
        raise SystemExit(f"{name}: the measuring process died; its error stands above.") from None
    process.join()
    return found


def targets(found: dict[str, Figures], scale: Scale) -> list[tuple[str, str, str]]:
    """(what, measured, goal) of everything that was measured."""
    rows = []
    if naive := found.get("naive twin"):
        # a twin of few draws has not converged: its worst parameter's effective draws are a guess, and a low one
        for name, goal in (("nuts", 50), ("factorised", 300)):
            if name in found:
                for column, words in (("median_ess_per_cpu", "median"), ("ess_per_cpu", "worst")):
                    ratio = found[name]["ess_per_cpu"] / naive[column]
                    what = f"{name}, worst parameter: effective draws per CPU-s over the twin's {words} parameter"
                    rows.append((what, f"{ratio:,.0f}×", f"≥ {goal}×"))
    for name, what, goal in (
        ("factorised", f"6 systems × {scale.items:,} items to joint draws", 5),
        ("one more system", "one new system: fit and recombination", 2),
        ("many systems", f"{scale.many_systems} systems", 60),
        ("many items", f"6 systems × {scale.many_items:,} items, pooling included", 15),
    ):
        if name in found:
            rows.append((what, f"{found[name]['cpu']:.1f} CPU-s", f"< {goal} CPU-s"))
    if ours := {name: f for name, f in found.items() if name != "naive twin"}:
        worst = max(ours, key=lambda name: ours[name]["peak_gib"])
        rows.append((f"peak memory ({worst})", f"{ours[worst]['peak_gib']:.2f} GiB", "< 1.5 GiB"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run, in about a minute")
    parser.add_argument("--only", nargs="+", choices=list(MEASUREMENTS), default=list(MEASUREMENTS))
    options = parser.parse_args()
    scale, console = QUICK if options.quick else FULL, Console()
    found = {}
    for name in options.only:
        found[name] = measured(name, scale)
        console.print(name, {key: float(f"{value:.4g}") for key, value in found[name].items()})
    table = Table(
        "measured", "here", "goal", title="sizes are small: goals are for the full run" * options.quick
    )
    for row in targets(found, scale):
        table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    main()
