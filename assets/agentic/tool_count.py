"""Whether scores fall with the number of tools: rank correlations over scenarios.

Source: paper `open-economic-index`, Table 10, which doesn't say whether its tool count is of tools offered or required.
"""

from __future__ import annotations

import math

import pandas as pd

COUNTS = {"offered": "n_tools_offered", "required": "n_tools_required"}
FEWEST = 3
COLUMNS = ["system", "mode", "measure", "tool_count", "spearman_rho", "p_value", "n_scenarios"]


def tool_count_correlations(scores: pd.DataFrame) -> pd.DataFrame:
    """Rows of `estimate.tool_count_correlation`.

    Args:
        scores: system, mode, measure, score, n_tools_offered, n_tools_required; a row a scenario.
    """
    from scipy.stats import spearmanr

    found = []
    for (system, mode, measure), rows in scores.groupby(["system", "mode", "measure"], sort=True):
        for name, column in COUNTS.items():
            both = rows[["score", column]].astype("Float64").dropna().astype(float)
            rho = p_value = math.nan
            if len(both) >= FEWEST and (both.nunique() > 1).all():
                rho, p_value = map(float, spearmanr(both["score"], both[column]))
            found.append((system, mode, measure, name, rho, p_value, len(both)))
    frame = pd.DataFrame(found, columns=COLUMNS)
    return frame.astype({"spearman_rho": "Float64", "p_value": "Float64"})
