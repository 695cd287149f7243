"""The population model: human participants on short forms, and systems on the whole battery, on one scale (A.3).

A participant's capabilities are drawn from a population that is itself estimated: c_pk ~ N(mu_k, sigma_k²), with one
correlation rho between any two dimensions (one general factor). Someone who answered few items is thereby pulled
towards what the others are like, by as much as the items left open. A system is no member of that population: it keeps
the base model's prior. The intercept alpha is shared by all, and the systems, which answered everything, anchor it.

An item that was not put to a participant is absent from the likelihood, never a failure.

Belongs here: the PyMC model, its sampling and its draws. Does not belong here: the likelihood (model.py), files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assets.capability.fit import nuts
from assets.capability.fit.fit_quality import Quality, nuts_quality
from assets.capability.fit.layout import Array, PooledResponses
from assets.capability.fit.model import ModelOptions, log_likelihood, posterior_mode

if TYPE_CHECKING:
    import pymc as pm

# prior SD of a population mean about the base model's: people may stand two levels from it
MEAN_SD = 1.0


@dataclass(frozen=True)
class PopulationDraws:
    """Equally weighted joint draws; people's and systems' capabilities are on one scale draw by draw."""

    participants: tuple[str, ...]  # (P,) as asked for, those without an answer too
    systems: tuple[str, ...]  # (A,) sorted
    dimensions: tuple[str, ...]  # (K,) sorted
    mean: Array  # (S, K) mu
    sd: Array  # (S, K) sigma
    correlation: Array  # (S,) rho
    participant_capability: Array  # (S, P, K) c
    system_capability: Array  # (S, A, K) c
    intercept: Array  # (S,)
    quality: Quality


def split_responses(
    responses: PooledResponses, participants: Sequence[str]
) -> tuple[PooledResponses, PooledResponses]:
    """(people's, systems') responses, each with the demand patterns it answered.

    A participant without a response gets a column of no attempts.

    Raises:
        ValueError: a participant stands twice.
    """
    if twice := sorted({name for name in participants if list(participants).count(name) > 1}):
        raise ValueError(f"participants: {', '.join(twice)} stand(s) twice; give each person one name.")
    column = {name: n for n, name in enumerate(responses.systems)}
    none = np.zeros((len(responses.demand), 1))
    passed, attempted = (np.hstack([counts, none]) for counts in (responses.passed, responses.attempted))

    def part(names: Sequence[str]) -> PooledResponses:
        where = [column.get(name, -1) for name in names]
        used = attempted[:, where].sum(axis=1) > 0
        return replace(
            responses,
            systems=tuple(names),
            demand=responses.demand[used],
            passed=passed[used][:, where],
            attempted=attempted[used][:, where],
        )

    people = set(participants)
    return part(participants), part([name for name in responses.systems if name not in people])


def population_model(people: PooledResponses, systems: PooledResponses, options: ModelOptions) -> pm.Model:
    """The PyMC model; tau > 0. Nothing is kept per item.

    Free: `alpha`, `population_ease` (mu + alpha), `sd`, `correlation`, `general` and `own` (participants' standard
    scores, of the general factor and of each dimension), `system_ease`. Derived: `mean`, `c_participant`, `c_system`.
    Standard scores are sampled rather than capabilities: a short form leaves most of them to the population.
    """
    import pymc as pm
    import pytensor.tensor as pt

    coords = {
        "participant": list(people.systems),
        "system": list(systems.systems),
        "dimension": list(people.dimensions),
    }
    with pm.Model(coords=coords) as model:
        alpha = pm.Normal("alpha", 0.0, options.intercept_sd)
        centre = pm.Normal("population_ease", options.mean + alpha, MEAN_SD, dims="dimension")
        sd = pm.HalfNormal("sd", options.sd, dims="dimension")
        correlation = pm.Beta("correlation", 1.0, 1.0)
        general = pm.Normal("general", 0.0, 1.0, dims="participant")
        own = pm.Normal("own", 0.0, 1.0, dims=("participant", "dimension"))
        score = pt.sqrt(correlation) * general[:, None] + pt.sqrt(1 - correlation) * own
        ease = centre + sd * score
        pm.Deterministic("mean", centre - alpha, dims="dimension")
        pm.Deterministic("c_participant", ease - alpha, dims=("participant", "dimension"))
        pm.Potential("people", log_likelihood(alpha, ease, people, options))
        if systems.systems:
            system_ease = pm.Normal(
                "system_ease", options.mean + alpha, options.sd, dims=("system", "dimension")
            )
            pm.Deterministic("c_system", system_ease - alpha, dims=("system", "dimension"))
            pm.Potential("systems", log_likelihood(alpha, system_ease, systems, options))
    return model


def fit_population(
    responses: PooledResponses,
    participants: Sequence[str],
    options: ModelOptions,
    sampler: nuts.SamplerOptions,
) -> PopulationDraws:
    """Sample the population model by NUTS. Whether the draws may be used, `quality` says (fit.convergence_faults).

    Args:
        responses: people's and systems' counts together; whoever is not in `participants` is a system.
        participants: all people, also those without a response: they get the population's distribution.

    Raises:
        ValueError: a participant stands twice, or there are none.
    """
    if not participants:
        raise ValueError("There is no participant to form a population: fit the systems alone (engine.py).")
    people, systems = split_responses(responses, participants)
    names = ["mean", "sd", "correlation", "c_participant", "alpha"]
    start: dict[str, npt.NDArray[np.float64]] = {}
    if systems.systems:
        names.append("c_system")
        alpha, ease = posterior_mode(systems, options)
        centre = np.full(len(people.dimensions), options.mean + alpha)
        start = {"alpha": np.asarray(alpha), "system_ease": ease, "population_ease": centre}
    model = population_model(people, systems, options)
    trace = nuts.sample_model(model, start, names, sampler, is_correlated=True)
    draws = {name: trace.posterior[name].to_numpy() for name in names}
    chains = [array.reshape(*array.shape[:2], -1) for array in draws.values()]
    n_divergent = int(trace.sample_stats["diverging"].sum())
    flat = {name: array.reshape(-1, *array.shape[2:]) for name, array in draws.items()}
    no_system = np.empty((len(flat["alpha"]), 0, len(people.dimensions)))
    return PopulationDraws(
        people.systems,
        systems.systems,
        people.dimensions,
        flat["mean"],
        flat["sd"],
        flat["correlation"],
        flat["c_participant"],
        flat.get("c_system", no_system),
        flat["alpha"],
        nuts_quality("population", np.concatenate(chains, axis=2), n_divergent, nuts.smallest_ebfmi(trace)),
    )
