"""The page on what other policies would say: controls that re-rank systems from the swept ones.

Belongs here: the context of policies.html. Does not belong here: the numbers by setting (sweep.py), re-ranking
(static/policy.js).
"""

from __future__ import annotations

from dagster_project.report.data import Published
from dagster_project.report.labels import in_scope, number, scopes
from dagster_project.report.pages.common import Context
from dagster_project.report.queries import NEAR
from dagster_project.report.sweep import NEUTRAL, Sweep, of_systems_at_hand
from dagster_project.report.tables import Table, count, words


def context(published: Published, base: Context) -> Context:
    """Choices of the controls, and how far rankings move over all of them."""
    sweep: Sweep = base["sweep"]
    files = dict(zip((s.key for s in sweep.scopes), sweep.scripts, strict=True))
    weightings = [w for w in ("raw", "relative") if w in sweep.weightings]
    return {
        "empty": "" if sweep.scopes else published.why_empty("suitability_sweep"),
        "scopes": sweep.scopes,
        "weightings": weightings,
        "start": [_nearest(c, n) for c, n in zip((sweep.powers, sweep.sharpness), NEUTRAL, strict=True)],
        "drawn": sweep.systems,
        "near": NEAR,
        "robust": _robust(published),
        "charts": {
            "policy": {
                "kind": "policy",
                "files": {key: f"data/{file}" for key, file in files.items()},
                "powers": sweep.powers,
                "sharpness": sweep.sharpness,
                "neutral": list(NEUTRAL),
                "people": [s.index for s in base["systems"] if s.is_person],
            }
        },
    }


def _nearest(choices: list[float], wanted: float) -> int:
    """Index of the choice nearest to `wanted`; 0 where there is none."""
    return min(range(len(choices)), key=lambda i: abs(choices[i] - wanted), default=0)


def _robust(published: Published) -> Table:
    """By scope and weighting: activities whose first system is the same at every power; agreement over settings."""
    robustness = of_systems_at_hand(published, "ranking_robustness").dropna(subset=["is_winner_stable"])
    tau = of_systems_at_hand(published, "policy_sensitivity").dropna(subset=["kendall_tau"])
    agreement = tau.groupby(["scope_type", "scope", "weighting"])["kendall_tau"].min()
    rows = []
    for scope in scopes(robustness):
        for weighting, own in in_scope(robustness, scope).groupby("weighting"):
            n_stable = int(own["is_winner_stable"].astype(bool).sum())
            lowest = agreement.get((scope.scope_type, scope.scope, weighting))
            cells = [f"{n_stable} of {len(own)}", count(int((own["n_rankings"] == 1).sum())), number(lowest)]
            rows.append([scope.label, words(weighting), *cells])
    columns = [
        "Group of respondents",
        "Weights",
        "Same first system at every power",
        "Same ranking at every power",
        "Lowest agreement (Kendall’s τ)",
    ]
    return Table(columns, rows)
