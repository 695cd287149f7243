"""Sampling is repeated with smaller steps while trajectories diverge, and not otherwise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from assets.capability.fit import nuts
from assets.capability.fit.layout import PooledResponses
from assets.capability.fit.model import ModelOptions
from assets.settings import Settings

SAMPLER = nuts.SamplerOptions.of(Settings(), "divergences")
RESPONSES = PooledResponses(
    ("a",), ("X",), np.array([[1.0], [3.0]]), np.array([[8.0], [3.0]]), np.array([[10.0], [10.0]])
)


@pytest.mark.parametrize(
    ("target_accept", "divergent", "asked", "left"),
    [
        (0.8, [0, 9, 9], [0.8], 0),
        (0.8, [9, 0, 9], [0.8, 0.95], 0),
        (0.8, [9, 5, 2], [0.8, 0.95, 0.99], 2),
        (0.97, [9, 0, 9], [0.97, 0.99], 0),
    ],
)
def test_steps_get_smaller_until_none_diverges(
    monkeypatch: pytest.MonkeyPatch, target_accept: float, divergent: list[int], asked: list[float], left: int
) -> None:
    tried: list[float] = []
    sample_model = nuts.sample_model

    def sample(*args: object, **options: object) -> object:
        sampler: nuts.SamplerOptions = args[3]  # type: ignore[assignment]
        trace = sample_model(*args, **options)  # type: ignore[arg-type]
        diverging = trace.sample_stats["diverging"]
        flags = np.arange(diverging.size).reshape(diverging.shape) < divergent[len(tried)]
        trace.sample_stats["diverging"] = xr.DataArray(flags, dims=diverging.dims, coords=diverging.coords)
        tried.append(sampler.target_accept)
        return trace

    monkeypatch.setattr(nuts, "sample_model", sample)
    short = replace(SAMPLER, target_accept=target_accept, chains=2, tune=200, draws=100)
    posterior = nuts.sample_posterior(RESPONSES, ModelOptions.of(Settings()), short)
    assert tried == asked and posterior.n_divergent == left
