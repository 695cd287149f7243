"""Intervals of shares that keep their width where all agree.

Belongs here: closed forms for k of n. Does not belong here: resampling, which depends on what hangs together.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm


def wilson(hits: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % score interval of a share."""
    z = float(norm.ppf(0.975))
    share = hits / n
    centre = share + z**2 / (2 * n)
    spread = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low, high = (centre - spread) / (1 + z**2 / n), (centre + spread) / (1 + z**2 / n)
    return max(0.0, float(low)), min(1.0, float(high))
