"""What would change this: the items whose opposite answer would move a system's profile most.

Belongs here: the profile's shift by flipped answers, through importance weights on the draws.
Does not belong here: files, Dagster, and the weights of whole folds (prediction.py).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from assets.capability.check.item_table import Answers, Draws, failure_odds, power_of_odds
from assets.capability.fit.layout import Array
from assets.capability.fit.model import ModelOptions

N_TOP = 20


def profile_shifts(answers: Answers, draws: Draws, options: ModelOptions) -> Array:
    """(J, K) shift of each posterior mean log capability, in posterior SDs, were the item's score 1 - score.

    The flipped answer multiplies a draw's weight by its likelihood ratio, which is odds^(2 score - 1).
    """
    capability = draws.ease - draws.alpha[:, None]
    # sums of products with centred, scaled capabilities lose no digits
    standard = (capability - capability.mean(axis=0)) / capability.std(axis=0, ddof=1)
    shift = np.empty(answers.demand.shape)
    for rows, odds in failure_odds(answers.demand, draws, options):
        ratio = power_of_odds(odds, 2 * answers.score[rows] - 1)
        shift[rows] = (ratio @ standard) / ratio.sum(axis=1, keepdims=True)
    return shift


def most_influential(
    answers: Answers, dimensions: tuple[str, ...], draws: Draws, options: ModelOptions
) -> pd.DataFrame:
    """The items with the largest shift on any dimension.

    Returns:
        rank (1 = largest), benchmark, item, score (as answered), dimension (moved most), shift_sd (signed, were the
        answer the opposite). Equal shifts stand in the order of the items.
    """
    shift = profile_shifts(answers, draws, options)
    moved = np.abs(shift).argmax(axis=1)
    most = shift[np.arange(len(shift)), moved]
    top = np.argsort(-np.abs(most), kind="stable")[:N_TOP]
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(top) + 1),
            "benchmark": answers.benchmark[top],
            "item": answers.item[top],
            "score": answers.score[top],
            "dimension": np.array(dimensions, dtype=object)[moved[top]],
            "shift_sd": most[top],
        }
    )
