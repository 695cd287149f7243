"""Small worlds with known answers for the item-level checks."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit, ndtri

from assets.capability.check.item_table import Answers, Draws
from assets.capability.fit import engine, factorised
from assets.capability.fit.layout import item_logit, pool_counts
from assets.capability.fit.model import ModelOptions

OPTIONS = ModelOptions()


def answered(rng, n_items, truth, alpha=0.0, idle=0):
    """Answers of one system whose log capabilities are `truth`; the last `idle` items demand nothing."""
    demand = rng.choice([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], size=(n_items, len(truth)))
    demand[demand.max(axis=1) == 0] = 1.0
    if idle:
        demand[-idle:] = 0.0
    probability = expit(item_logit(truth, alpha, demand))
    score = (rng.random(n_items) < probability) * 1.0
    names = np.array([f"{i:05d}" for i in range(n_items)], dtype=object)
    return Answers(
        np.where(np.arange(n_items) % 2, "y", "x").astype(object), names, demand, score
    ), probability


def posterior(answers, n_draws=4000, seed=3):
    """Joint draws of this system alone, by the project's engine (tested elsewhere)."""
    dimensions = tuple(f"d{k}" for k in range(answers.demand.shape[1]))
    ones = np.ones(len(answers.score))
    responses = pool_counts(["s"] * len(ones), answers.demand, answers.score, ones, dimensions)
    fit = factorised.fit_system(
        responses.demand, responses.passed[:, 0], responses.attempted[:, 0], OPTIONS, seed
    )
    drawn = engine.join({"s": fit}, responses, OPTIONS, n_draws, lambda name: seed + len(name))
    alpha = drawn.intercept.ravel()
    return Draws(drawn.capability.reshape(n_draws, -1) + alpha[:, None], alpha)


class Line:
    """One dimension: everything about ease is an integral over a line, and alpha given ease is normal."""

    def __init__(self, answers, options=OPTIONS):
        self.options = options
        self.grid = np.linspace(-8, 14, 20001)
        z = self.grid[:, None] - answers.demand[:, 0]
        log_p = log_expit(z) @ answers.score + log_expit(-z) @ (1 - answers.score)
        log_p -= 0.5 * (self.grid - options.mean) ** 2 / (options.sd**2 + options.intercept_sd**2)
        p = np.exp(log_p - log_p.max())
        self.mass = p / p.sum()
        self.share = options.intercept_sd**2 / (options.intercept_sd**2 + options.sd**2)
        self.alpha_variance = self.share * options.sd**2

    def success(self, demand):
        return expit(self.grid - demand[:, None]) @ self.mass

    def capability(self):
        """Mean and SD of c = ease - alpha."""
        mean, options = self.mass @ self.grid, self.options
        variance = self.mass @ (self.grid - mean) ** 2
        at = (1 - self.share) * mean + self.share * options.mean
        return at, np.sqrt((1 - self.share) ** 2 * variance + self.alpha_variance)

    def draws(self, n=4000):
        """Quantiles of ease, each with a random draw of alpha."""
        ease = np.interp((np.arange(n) + 0.5) / n, np.cumsum(self.mass), self.grid)
        options = self.options
        uniform = np.random.default_rng(0).permutation((np.arange(n) + 0.5) / n)
        alpha = self.share * (ease - options.mean) + np.sqrt(self.alpha_variance) * ndtri(uniform)
        return Draws(ease[:, None], alpha)
