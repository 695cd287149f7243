"""Calibration: the check passes what is exact by a closed form, fails what is too narrow or off; the engine passes."""

import math

import numpy as np
import pandas as pd
import pytest

from assets.capability.fit.fit_quality import Thresholds
from assets.capability.fit.model import ModelOptions
from assets.capability.fit.nuts import SamplerOptions
from assets.capability.validation import calibration, validation_files
from assets.capability.validation.recovery import Battery
from assets.settings import Settings

N_FITS = 200


def conjugate_ranks(stretch=1.0, shift=0.0):
    """Normal truth seen through normal noise; the exact posterior is N(y / 2, 1 / 2), given `stretch` times its SD."""
    rng = np.random.default_rng(11)
    blocks = []
    for fit in range(N_FITS):
        truth = rng.standard_normal(3)
        centre = (truth + rng.standard_normal(3)) / 2
        draws = centre + shift + stretch * np.sqrt(0.5) * rng.standard_normal((999, 3))
        share = calibration.rank_share(draws, truth, rng)
        blocks.append(pd.DataFrame({"fit": fit, "dimension": ["a", "b", "c"], "rank_share": share}))
    return pd.concat(blocks)


def test_an_exact_posterior_passes():
    table = calibration.calibration(conjugate_ranks())
    assert table["uniformity_p"].min() > 0.05
    assert set(table["n_fits"]) == {N_FITS}
    mean = table.groupby("level")["coverage_share"].mean()
    for level in calibration.LEVELS:
        assert mean[level] == pytest.approx(level, abs=3 * np.sqrt(level * (1 - level) / (3 * N_FITS)))


def test_a_posterior_of_half_the_sd_fails():
    table = calibration.calibration(conjugate_ranks(stretch=0.5))
    assert table["uniformity_p"].max() < 1e-6
    at_95 = table[table["level"] == 0.95]["coverage_share"].mean()
    # half a 95 % interval of a normal holds .673 of it
    assert at_95 == pytest.approx(0.673, abs=0.06)


def test_a_posterior_off_by_a_third_of_its_sd_fails():
    assert calibration.calibration(conjugate_ranks(shift=0.33))["uniformity_p"].min() < 1e-3


def test_holm_by_hand():
    found = calibration.holm({"a": 0.01, "b": 0.04, "c": 0.03})
    assert found == {"a": pytest.approx(0.03), "c": pytest.approx(0.06), "b": pytest.approx(0.06)}
    assert calibration.holm({"a": 0.7, "b": 0.8}) == {"a": 1.0, "b": 1.0}


def test_ranks_bins_and_coverage_by_hand():
    rng = np.random.default_rng(0)
    draws = np.arange(99.0)[:, None].repeat(3, axis=1)
    share = calibration.rank_share(draws, np.array([-1.0, 49.5, 200]), rng)
    assert (np.floor(share * 100) == [0, 50, 99]).all()
    ranks = pd.DataFrame({"fit": range(4), "dimension": "a", "rank_share": [0.02, 0.04, 0.5, 0.999]})
    table = calibration.calibration(ranks).set_index("level")["coverage_share"]
    assert table.to_dict() == {0.5: 0.25, 0.8: 0.25, 0.95: 0.5}
    bins = calibration.calibration_rank(ranks).set_index("bin")["n_fits"]
    assert bins[bins > 0].to_dict() == {1: 2, 11: 1, 20: 1}
    assert len(bins) == calibration.N_BINS


def test_the_expected_band_is_the_central_95_percent_of_a_binomial():
    """Brute force: add up binomial probabilities from below until the 2.5 % and 97.5 % quantiles are reached."""
    for n, share in [(20, 0.5), (200, 0.95), (200, 0.05), (40, 0.8)]:
        below = np.cumsum([math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)])
        low, high = (int((below < q).sum()) for q in (0.025, 0.975))
        assert calibration.expected_band(n, share) == (low, high)
    assert calibration.expected_band(20, 0.5) == (6, 14)
    ranks = pd.DataFrame({"fit": range(20), "dimension": "a", "rank_share": np.linspace(0.01, 0.99, 20)})
    at_50 = calibration.calibration(ranks).set_index("level").loc[0.5]
    assert (at_50["expected_low"], at_50["expected_high"]) == (0.3, 0.7)
    bins = calibration.calibration_rank(ranks)
    assert set(zip(bins["expected_low"], bins["expected_high"], strict=True)) == {(0, 3)}


def test_nothing_ranked_gives_empty_tables(tmp_path):
    tables = validation_files.calibration_tables(pd.DataFrame(), Settings(home=tmp_path))
    assert {name: len(frame) for name, frame in tables.items()} == {"calibration": 0, "calibration_rank": 0}


def test_the_engine_is_calibrated():
    """Intercepts near 0, so that no fit falls back to NUTS: that one is held to the same in the analysis itself."""
    rng = np.random.default_rng(7)
    demand = np.unique(rng.integers(0, 6, (40, 2)).astype(float), axis=0)
    items = Battery(("L", "SM"), demand, np.full(len(demand), 4.0))
    settings = Settings()
    blocks = calibration.calibrate(
        items,
        ModelOptions(intercept_sd=1.0),
        Thresholds.of(settings),
        SamplerOptions.of(settings, "calibration"),
        60,
        settings.seed_for,
        n_items=60,
    )
    ranks = pd.concat(list(blocks))
    assert set(ranks["dimension"]) == {"L", "SM", "intercept"}
    table = calibration.calibration(ranks)
    assert table["uniformity_p"].min() > 0.01
    assert table[table["level"] == 0.95]["coverage_share"].mean() == pytest.approx(0.95, abs=0.045)
