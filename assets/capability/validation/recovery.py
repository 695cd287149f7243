"""Recovery analysis: known agents answer the battery on paper, are fitted, and are compared with what they were.

Belongs here: the simulation, exact posterior moments under the three treatments of the intercept, and the figures of
the paper's section 4.1 (Tables 4, 5, C2, C3). Does not belong here: the sampler (factorised.py), files, Dagster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from assets.capability.fit import factorised
from assets.capability.fit.factorised import JointPosterior, SystemFit
from assets.capability.fit.layout import Array, item_logit
from assets.capability.fit.model import ModelOptions

TAUS = (0.0, 0.25, 0.5, 1.0, 2.0)
INTERCEPTS = ("free", "shared", "fixed")
MEAN_ACCURACY = 0.60
CELL = ["run", "tau", "intercept"]
DIMENSION = [*CELL, "dimension", "r", "contraction", "mae"]
SUMMARY = [
    *CELL,
    "n_agents",
    "n_items",
    "shape_r",
    "level_r",
    "level_slope",
    "effective_dimensions",
    "mean_abs_correlation",
    "worst_contraction",
    "suitability_rho",
    "suitability_pairwise_accuracy",
    "khat_max",
    "ess_min",
]


@dataclass(frozen=True)
class Battery:
    """The items at hand as distinct demand rows."""

    dimensions: tuple[str, ...]  # (K,) sorted
    demand: Array  # (J, K)
    n_items: Array  # (J,) items with that row

    @classmethod
    def of(cls, demand: pd.DataFrame) -> Battery:
        """From int_demand: benchmark, item, dimension, demand."""
        wide = demand.pivot(index=["benchmark", "item"], columns="dimension", values="demand")
        wide = wide.sort_index(axis=1)
        rows, counts = np.unique(wide.to_numpy(dtype=float), axis=0, return_counts=True)
        return cls(tuple(map(str, wide.columns)), rows, counts.astype(float))

    @property
    def is_empty(self) -> bool:
        return not self.demand.size


def agents_on(
    battery: Battery, published: pd.DataFrame, options: ModelOptions, seed_for: Callable[..., int]
) -> pd.DataFrame:
    """Agents × the battery's dimensions: log capabilities.

    A dimension that Table C1 does not have is drawn from the prior, as Table C1 itself was.

    Args:
        published: agent, dimension, log_capability (seed published_agents).
    """
    table = published.pivot(index="agent", columns="dimension", values="log_capability").astype(float)
    columns = {}
    for dimension in battery.dimensions:
        rng = np.random.default_rng(seed_for("recovery", "agents", dimension))
        drawn = options.mean + options.sd * rng.standard_normal(len(table))
        columns[dimension] = table[dimension] if dimension in table else pd.Series(drawn, table.index)
    return pd.DataFrame(columns)


def success(c: Array, alpha: float, battery: Battery, options: ModelOptions) -> Array:
    """(A, J) probabilities of passing each demand row, for (A, K) log capabilities."""
    logits = np.array([item_logit(own, alpha, battery.demand, options.tau, options.lam) for own in c])
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -500, 500))))


def calibrated_intercept(
    c: Array, battery: Battery, options: ModelOptions, accuracy: float = MEAN_ACCURACY
) -> float:
    """The intercept at which the agents' mean accuracy over the items is `accuracy` (Table 5's note)."""
    from scipy.optimize import brentq

    def excess(alpha: float) -> float:
        return float((success(c, alpha, battery, options) @ battery.n_items).mean()) - target

    target = accuracy * float(battery.n_items.sum())
    reach = float(np.abs(c).max() + options.lam * battery.demand.max(initial=0.0)) + 30
    return float(brentq(excess, -reach, reach, xtol=1e-10))


def posterior_moments(fit: SystemFit, joint: JointPosterior, options: ModelOptions) -> tuple[Array, Array]:
    """Mean (K,) and covariance (K, K) of a system's c under `joint`, alpha summed over its grid instead of drawn."""
    mean, variance = fit.alpha_given_ease(options)
    distance = (joint.alpha[:, None] - mean) ** 2 / variance
    weight = fit.weight * np.exp(-0.5 * (distance - distance.min(axis=1, keepdims=True)))
    weight /= weight.sum(axis=1, keepdims=True)
    ease_given_alpha = weight @ fit.ease
    away = joint.alpha - joint.mass @ joint.alpha
    ease = joint.mass @ ease_given_alpha
    centred = fit.ease - ease
    covariance = (centred * (joint.mass @ weight)[:, None]).T @ centred
    shared = (joint.mass * away) @ (ease_given_alpha - ease)
    covariance = covariance - shared[:, None] - shared[None, :] + joint.mass @ away**2
    return ease - joint.mass @ joint.alpha, covariance


def recover(
    battery: Battery, agents: pd.DataFrame, options: ModelOptions, seed_for: Callable[..., int]
) -> pd.DataFrame:
    """Simulate the agents once at `options.tau`, fit each alone, and read all three intercept treatments from the fits.

    free: each agent's own posterior. shared: joint over the agents. fixed: alpha known, which is each agent's own
    posterior given that alpha, so ease ~ N(mean + alpha, sd²) exactly.

    Returns:
        intercept, agent, dimension, truth, mean, sd, and per agent effective_dimensions, mean_abs_correlation, khat,
        ess, n_items.
    """
    c = agents.to_numpy(dtype=float)
    alpha = calibrated_intercept(c, battery, options)
    rng = np.random.default_rng(seed_for("responses"))
    passed = rng.binomial(battery.n_items.astype(int), success(c, alpha, battery, options)).astype(float)
    fits = {
        str(name): factorised.fit_system(battery.demand, own, battery.n_items, options, seed_for("fit", name))
        for name, own in zip(agents.index, passed, strict=True)
    }
    is_idle = ~(battery.demand > 0).any(axis=1)
    idle_passed, idle_items = passed[:, is_idle].sum(axis=1), float(battery.n_items[is_idle].sum())
    shared = factorised.combine(fits, (float(idle_passed.sum()), idle_items * len(fits)), options)
    fixed = JointPosterior(np.array([alpha]), np.array([1.0]), {})
    rows = []
    for n, (name, fit) in enumerate(fits.items()):
        free = factorised.combine({name: fit}, (float(idle_passed[n]), idle_items), options)
        for intercept, joint in zip(INTERCEPTS, (free, shared, fixed), strict=True):
            mean, covariance = posterior_moments(fit, joint, options)
            figures = {"intercept": intercept, "agent": name, "dimension": battery.dimensions, "truth": c[n]}
            figures |= {"mean": mean, "sd": np.sqrt(np.diag(covariance)), **_geometry(covariance)}
            figures |= {"khat": fit.khat, "ess": joint.mass @ fit.ess_given_alpha(joint.alpha, options)}
            rows.append(pd.DataFrame(figures))
    return pd.concat(rows, ignore_index=True).assign(n_items=int(battery.n_items.sum()))


def recover_all(
    battery: Battery,
    agents: pd.DataFrame,
    options: ModelOptions,
    n_runs: int,
    seed_for: Callable[..., int],
    taus: tuple[float, ...],
) -> Iterator[pd.DataFrame]:
    """One block of `recover` a run and temperature, with both named, as they come."""
    for run in range(1, n_runs + 1):
        for tau in taus:

            def own_seed(*names: object, _at: tuple[object, ...] = (run, tau)) -> int:
                return seed_for("recovery", *_at, *names)

            yield recover(battery, agents, replace(options, tau=tau), own_seed).assign(run=run, tau=tau)


def _geometry(covariance: Array) -> dict[str, float | None]:
    sd = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(sd, sd)
    spectrum = np.linalg.eigvalsh(correlation)
    off_diagonal = np.abs(correlation[np.triu_indices(len(sd), 1)])
    return {
        "effective_dimensions": float(spectrum.sum() ** 2 / (spectrum**2).sum()),
        "mean_abs_correlation": float(off_diagonal.mean()) if off_diagonal.size else None,
    }


def dimension_recovery(estimates: pd.DataFrame, prior_sd: float) -> pd.DataFrame:
    """Table estimate.recovery_dimension: r over agents, mean contraction, mean absolute error (Tables 4, C2, C3)."""
    rows = [
        dict(zip([*CELL, "dimension"], key, strict=True))
        | {
            "r": correlation(own["truth"].to_numpy(), own["mean"].to_numpy()),
            "contraction": 1 - float((own["sd"] ** 2).mean()) / prior_sd**2,
            "mae": float((own["truth"] - own["mean"]).abs().mean()),
        }
        for key, own in estimates.groupby([*CELL, "dimension"])
    ]
    return pd.DataFrame(rows, columns=DIMENSION)


def recovery_summary(estimates: pd.DataFrame, prior_sd: float, weights: pd.DataFrame) -> pd.DataFrame:
    """Table estimate.recovery_summary (the paper's Table 5).

    shape_r: correlation of all agents' capabilities less their own mean, over agents and dimensions at once.
    level_r: correlation of the agents' mean capabilities; level_slope: how much of a true difference of level is
    recovered, which a correlation can't tell (a free intercept keeps the order and next to nothing of the size).
    worst_contraction: smallest over dimensions of the mean over agents.

    Args:
        weights: activities × dimensions (see `activity_weights`); none = no figures of suitability.
    """
    rows = []
    for key, own in estimates.groupby(CELL):
        truth = own.pivot(index="agent", columns="dimension", values="truth")
        mean = own.pivot(index="agent", columns="dimension", values="mean")
        level = [frame.mean(axis=1).to_numpy() for frame in (truth, mean)]
        shape = [frame.sub(frame.mean(axis=1), axis=0).to_numpy().ravel() for frame in (truth, mean)]
        by_agent = own.groupby("agent").first()
        contraction = 1 - (own["sd"] ** 2).groupby(own["dimension"]).mean() / prior_sd**2
        spread = float(np.var(level[0]))
        rows.append(
            dict(zip(CELL, key, strict=True))
            | {
                "n_agents": len(truth),
                "n_items": int(own["n_items"].iloc[0]),
                "shape_r": correlation(*shape),
                "level_r": correlation(*level),
                "level_slope": float(np.cov(level[0], level[1], ddof=0)[0, 1]) / spread
                if spread > 0
                else None,
                "effective_dimensions": float(by_agent["effective_dimensions"].mean()),
                "mean_abs_correlation": float(by_agent["mean_abs_correlation"].astype(float).mean()),
                "worst_contraction": float(contraction.min()),
                "khat_max": float(by_agent["khat"].max()),
                "ess_min": float(by_agent["ess"].min()),
                **suitability_recovery(truth, mean, weights),
            }
        )
    return pd.DataFrame(rows, columns=SUMMARY)


def activity_weights(importance: pd.DataFrame, members: pd.DataFrame) -> pd.DataFrame:
    """Activities × dimensions: shares of the elicited points, summed over a dimension's constituents.

    Args:
        importance: int_disclosed_capability_importance: scope_type, activity, capability, points; its scope 'all' is
            used, without the activities whose points are withheld.
        members: int_dimension_member: dimension, capability.
    """
    points = importance[importance["scope_type"] == "all"].merge(members, on="capability")
    table = points.groupby(["activity", "dimension"])["points"].sum().astype(float).unstack(fill_value=0)
    total = table.sum(axis=1)
    return table[total > 0].div(total[total > 0], axis=0)


def suitability_recovery(
    truth: pd.DataFrame, mean: pd.DataFrame, weights: pd.DataFrame
) -> dict[str, float | None]:
    """Log suitability at p = 0 from posterior means against the truth's, averaged over activities.

    Args:
        truth, mean: agents × dimensions.
        weights: activities × dimensions; a dimension without a column has no weight.

    Returns:
        suitability_rho: Spearman over agents; suitability_pairwise_accuracy: share of agent pairs in their true
        order, a tie counting half. None without activities.
    """
    if weights.empty or len(truth) < 2:
        return {"suitability_rho": None, "suitability_pairwise_accuracy": None}
    share = weights.reindex(columns=truth.columns, fill_value=0.0).to_numpy()
    true_s, found_s = share @ truth.to_numpy().T, share @ mean.to_numpy().T
    first, second = np.triu_indices(len(truth), 1)
    rho, right = [], []
    for true_scores, found in zip(true_s, found_s, strict=True):
        rho.append(correlation(_ranks(true_scores), _ranks(found)))
        order = np.sign(true_scores[first] - true_scores[second])
        agreement = order * np.sign(found[first] - found[second])
        right.append(float(((1 + agreement) / 2)[order != 0].mean()) if order.any() else np.nan)
    told = {
        "suitability_rho": [value for value in rho if value is not None],
        "suitability_pairwise_accuracy": [value for value in right if not np.isnan(value)],
    }
    return {name: float(np.mean(values)) if values else None for name, values in told.items()}


def correlation(x: Array, y: Array) -> float | None:
    """Pearson's r; None where either does not vary."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])


def _ranks(values: Array) -> Array:
    return np.asarray(pd.Series(values).rank(), dtype=np.float64)
