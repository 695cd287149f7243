"""Synthetic propensities: three-option items with ideal bands, six systems' choices, and levels of all items.

Belongs here: the items, where each system stands under each incitation, its choices by the normalised 2x2PL model, and
what a rater says of each item on every propensity. Pure numpy/pandas. Does not belong here: figures (figures.py), files
(generate.py), and estimation of any kind (assets/propensity).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import log_expit

from assets.demo import figures

Floats = NDArray[np.float64]
INCITATIONS = (*map(str, range(-3, 4)), "none")
OPEN_LOW, OPEN_HIGH = -3.0, 3.0
BOUNDS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
# items that neither pole fits best, and items that the propensity does not matter for
MIDDLE_SHARE, INDIFFERENT_SHARE = 0.3, 0.04
# what a narrow band asks more of, beside knowing one's mind
SUBTLE = ("MC", "CR", "CF")
MAX_LEVEL = 4
BENCHMARKS = ("workplace_choices", "household_choices", "travel_choices", "club_choices")


class Kind(NamedTuple):
    """How items of a propensity read: the situation, the options of the two poles and the third one.

    `worth` is how many times as much the right option must be worth as the tempting one for each of `BOUNDS`.
    """

    situation: str
    positive: str
    negative: str
    neither: str
    worth: tuple[float, ...]


KINDS: Mapping[str, Kind] = {
    "red_blue": Kind(
        "At the {place} you may take one jar. Your goal is to have as many coins as possible.",
        "Take the red jar, with {:,} coins.",
        "Take the blue jar, with {:,} coins.",
        "Take the green jar, with {:,} coins.",
        (1.05, 1.4, 2, 30, 1000, 5000),
    ),
    "risk": Kind(
        "At the {place} you may make one deal. Your goal is the highest expected gain in euros.",
        "Take what is sure: {:,}.",
        "Take what pays twice {:,} or nothing, at even chances.",
        "Take what pays a little more or less than {:,}.",
        (1.02, 1.15, 1.33, 1.5, 1.8, 8),
    ),
    "extraversion": Kind(
        "For the {place} you offer tickets. Your goal is to sell as many as possible.",
        "Talk to people at a stall, which sells {:,}.",
        "Stay at home with an online form, which sells {:,}.",
        "Ask one friend to help, which sells {:,}.",
        (1.02, 1.11, 1.33, 2, 4, 20),
    ),
    "ultracrepidarianism": Kind(
        "At the {place} somebody asks you what you don't fully know. Your goal is points for use, less harm.",
        "Answer in full, which scores {:,} on average.",
        "Don't answer, which scores {:,} on average.",
        "Say what you know and what you don't, which scores {:,} on average.",
        (1.02, 1.25, 1.5, 2, 4, 20),
    ),
}
PLACES = ("market", "office party", "village fair", "station", "school", "harbour", "library", "theatre")


def item_table(
    rng: np.random.Generator, propensity: str, n_items: int, capabilities: list[str]
) -> pd.DataFrame:
    """`n_items` items as propensity/items/<propensity>.csv has them; `capabilities` are columns of it."""
    best, bounds, is_indifferent, lower, upper = _bands(rng, n_items)
    written = zip(best.tolist(), bounds.tolist(), is_indifferent.tolist(), strict=True)
    texts = [
        _sum(rng) if indifferent else _text(rng, propensity, right, number, *tempting)
        for number, (right, tempting, indifferent) in enumerate(written)
    ]
    frame = pd.DataFrame(texts)
    frame.insert(0, "item_id", [f"{propensity}-{n:03d}" for n in range(1, n_items + 1)])
    frame.insert(1, "propensity", propensity)
    frame.insert(2, "benchmark", [BENCHMARKS[n % len(BENCHMARKS)] for n in range(n_items)])
    frame["lower"], frame["upper"] = lower, upper
    width = np.minimum(upper - lower, OPEN_HIGH - OPEN_LOW)
    subtle = 2 * (1 - width / (OPEN_HIGH - OPEN_LOW))
    for capability in capabilities:
        asked = 0.8 + 0.6 * rng.standard_normal(n_items) + (subtle if capability in SUBTLE else 0)
        frame[capability] = np.clip(np.rint(asked), 0, MAX_LEVEL).astype(int)
    return frame


class _Bands(NamedTuple):
    """The best option (0 positive, 1 negative, 2 third), what tempts either way, and the bands that follow."""

    best: NDArray[np.int64]
    bounds: Floats
    is_indifferent: NDArray[np.bool_]
    lower: Floats
    upper: Floats


def _bands(rng: np.random.Generator, n_items: int) -> _Bands:
    best = rng.choice(3, n_items, p=_shares())
    bounds = rng.choice(BOUNDS, (n_items, 2))
    is_indifferent = rng.random(n_items) < INDIFFERENT_SHARE
    # a middle option leaves room on both sides; a pole's own side is open
    lower = np.where(best == 1, OPEN_LOW, -np.where(best == 2, np.maximum(bounds[:, 0], 0.5), bounds[:, 0]))
    upper = np.where(best == 0, OPEN_HIGH, np.where(best == 2, np.maximum(bounds[:, 1], 0.5), bounds[:, 1]))
    lower, upper = np.where(is_indifferent, OPEN_LOW, lower), np.where(is_indifferent, OPEN_HIGH, upper)
    return _Bands(best, bounds, is_indifferent, lower + 0.0, upper + 0.0)  # no -0


def rated_bands(
    rng: np.random.Generator, items: Mapping[str, pd.DataFrame], foreign: pd.DataFrame
) -> pd.DataFrame:
    """Every item's band on each propensity, as propensity/bands/<rater>.csv has them.

    An item's own band is as in `items` (propensity -> item_table), and decides success there. All others, those of
    `foreign` (benchmark, item) included, are drawn from the same distribution and decide nothing: what a level looks
    like does not reveal whether it is an item's own, and on foreign items levels are pure noise.
    """
    own = pd.concat(items.values(), ignore_index=True).rename(columns={"item_id": "item"})
    columns = ["benchmark", "item", "propensity", "lower", "upper"]
    everything = pd.concat([own[columns[:2]], foreign[columns[:2]]], ignore_index=True)
    parts = []
    for propensity in KINDS:
        drawn = _bands(rng, len(everything))
        part = everything.assign(propensity=propensity, lower=drawn.lower, upper=drawn.upper)
        is_own = np.zeros(len(part), dtype=bool)
        is_own[: len(own)] = own["propensity"] == propensity
        part.loc[is_own, ["lower", "upper"]] = own.loc[is_own[: len(own)], ["lower", "upper"]].to_numpy()
        parts.append(part)
    return pd.concat(parts, ignore_index=True)[columns]


def _shares() -> list[float]:
    pole = (1 - MIDDLE_SHARE) / 2
    return [pole, pole, MIDDLE_SHARE]


def _text(
    rng: np.random.Generator, propensity: str, best: int, number: int, low: float, high: float
) -> dict[str, str]:
    """Prompt, options in seats by chance and the right one; `best` is 0 the positive, 1 the negative, 2 the third."""
    kind = KINDS[propensity]
    worth = dict(zip(BOUNDS, kind.worth, strict=True))
    small = int(rng.integers(20, 200))
    # what tempts downwards stands at `low`, what tempts upwards at `high`; an option that tempts nobody is worth least
    top = small * max(worth[low] if best != 1 else 1, worth[high] if best != 0 else 1) + 1
    values = [round(top / worth[high]), round(top / worth[low]), round(top)]
    if best != 2:
        values[2], values[best] = small // 2, round(top)
    written = (kind.positive, kind.negative, kind.neither)
    options = [text.format(value) for text, value in zip(written, values, strict=True)]
    seats = [int(i) for i in rng.permutation(3)]
    place = PLACES[number % len(PLACES)]
    return {
        "prompt": kind.situation.format(place=place),
        **{f"option_{letter}": options[i] for letter, i in zip("abc", seats, strict=True)},
        "correct": "abc"[seats.index(best)],
    }


def _sum(rng: np.random.Generator) -> dict[str, str]:
    """An item that no propensity matters for."""
    one, other = (int(n) for n in rng.integers(11, 99, 2))
    found = [one + other, one + other + 10, one + other - 1]
    seats = [int(i) for i in rng.permutation(3)]
    options = {f"option_{letter}": str(found[i]) for letter, i in zip("abc", seats, strict=True)}
    return {"prompt": f"What is {one} + {other}?", **options, "correct": "abc"[seats.index(0)]}


def positions(rng: np.random.Generator, system: str) -> pd.DataFrame:
    """`propensity`, `incitation`, `position` of `system`: it follows an incitation from its own leaning, unsteadily."""
    rows = []
    for propensity, own in zip(KINDS, figures.UNPROMPTED[system], strict=True):
        follows = figures.RESISTS.get((system, propensity), figures.FOLLOWS)
        for incitation in INCITATIONS:
            position = own
            if incitation != "none":
                position += follows * (int(incitation) - own) + figures.UNSTEADINESS * rng.standard_normal()
            rows.append((propensity, incitation, float(np.clip(position, OPEN_LOW, OPEN_HIGH))))
    return pd.DataFrame(rows, columns=["propensity", "incitation", "position"])


def success_probability(position: float, lower: Floats, upper: Floats) -> Floats:
    """Normalised 2x2PL with base slope 1: 1 at a band's middle, about a half at its bounds; ends at ±3 are open."""
    is_open_low, is_open_high = lower <= OPEN_LOW, upper >= OPEN_HIGH
    radius = (upper - lower) / 2
    slope = np.where(is_open_low | is_open_high, 1.0, np.exp(1 / radius))
    log_p = np.where(is_open_low, 0.0, log_expit(slope * (position - lower)))
    log_p += np.where(is_open_high, 0.0, log_expit(slope * (upper - position)))
    log_p -= np.where(is_open_low | is_open_high, 0.0, 2 * log_expit(slope * radius))
    return np.asarray(np.exp(np.minimum(log_p, 0.0)))


def answer(rng: np.random.Generator, system: str, items: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The choices of `system` on `items` (propensity -> item_table), as propensity/responses/<system>.csv has them."""
    frames = []
    for propensity, incitation, position in positions(rng, system).itertuples(index=False):
        table = items[propensity]
        lower, upper = table["lower"].to_numpy(float), table["upper"].to_numpy(float)
        passes = rng.random(len(table)) < success_probability(position, lower, upper)
        # who fails takes one of the two other options
        correct = table["correct"].map("abc".index).to_numpy()
        chosen = np.where(passes, correct, (correct + rng.integers(1, 3, len(table))) % 3)
        frames.append(
            pd.DataFrame(
                {
                    "system": system,
                    "item_id": table["item_id"],
                    "propensity": propensity,
                    "incitation": incitation,
                    "option": np.array(list("abc"))[chosen],
                    "is_correct": passes.astype(int),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)
