"""Made-up answers of systems on small batteries, and the engine's fits of them.

Belongs here: what the tests of the factorised engine share. Does not belong here: what must hold.
"""

import numpy as np
from scipy.special import expit

from assets.capability.fit import engine, fit_quality, nuts
from assets.capability.fit.layout import item_logit, pool_counts
from assets.capability.fit.model import ModelOptions

SAMPLER = nuts.SamplerOptions(chains=4, tune=300, draws=2000, target_accept=0.7, seed=7)
DEFAULT = ModelOptions()
THRESHOLDS = fit_quality.Thresholds(max_rhat=1.01, min_ess=400)
LEVELS, SHARES = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0.5, 0.1, 0.1, 0.1, 0.1, 0.1]


def seed_of(name):
    return sum(map(ord, name))


def pooled(parts, dimensions):
    """From {system: (demand (R, K), score (R,))}."""
    system = np.repeat(list(parts), [len(score) for _, score in parts.values()])
    demand, score = (np.concatenate([part[i] for part in parts.values()]) for i in range(2))
    return pool_counts(system, demand, score, np.ones(len(score)), dimensions)


def answers(rng, c, alpha, demand):
    return demand, (rng.random(len(demand)) < expit(item_logit(np.asarray(c), alpha, demand))) * 1.0


def fit_all(responses, options=DEFAULT):
    return {
        name: engine.fit_system(engine.responses_of(responses, name), options, THRESHOLDS, SAMPLER)
        for name in responses.systems
    }


def joint(responses, options=DEFAULT, n_draws=8000):
    posterior = engine.join(fit_all(responses, options), responses, options, n_draws, seed_of)
    assert fit_quality.fit_diagnostics(posterior, THRESHOLDS)[1] == []
    assert np.isfinite(posterior.capability).all()
    assert np.isfinite(posterior.intercept).all()
    return posterior
