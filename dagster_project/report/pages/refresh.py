"""The page on the refresh itself: what was rebuilt and why, what was kept, what took longest.

Belongs here: the context of refresh.html. Does not belong here: what the refresh covers and sets aside (index.py),
how it decides what to rebuild (the orchestration).
"""

from __future__ import annotations

import pandas as pd

from dagster_project.report.charts import flags
from dagster_project.report.data import Published
from dagster_project.report.labels import MISSING, number, text
from dagster_project.report.pages.common import Context
from dagster_project.report.tables import Table, count

SLOWEST = 10


def context(published: Published, base: Context) -> Context:
    """How much was rebuilt and kept, for which reasons, the slowest steps, and every step."""
    steps = published["refresh_step"].sort_values("asset", kind="stable")
    steps = steps.assign(is_made=pd.Series(flags(steps["is_made"]), index=steps.index, dtype=bool))
    made = steps[steps["is_made"]]
    return {
        "empty": published.why_empty("refresh_step") if steps.empty else "",
        "finding": _finding(len(made), len(steps)),
        "reasons": _reasons(made),
        "slowest": _steps(made.sort_values("seconds", ascending=False, kind="stable").head(SLOWEST)),
        "steps": _steps(steps),
        "seconds": number(made["seconds"].sum(), 1),
    }


def _finding(n_made: int, n_steps: int) -> str:
    if n_made == n_steps:
        return f"Rebuilt: all {n_steps:,} steps."
    if not n_made:
        return f"Rebuilt: none of {n_steps:,} steps. Nothing that they read has changed."
    return f"Rebuilt: {n_made:,} of {n_steps:,} steps. Kept as they were: {n_steps - n_made:,}."


def _reasons(made: pd.DataFrame) -> Table:
    """Each reason with the number of steps it rebuilt, most first."""
    counts = made["reason"].map(lambda reason: text(reason, "no reason was recorded")).value_counts()
    ranked = sorted(counts.items(), key=lambda found: (-found[1], str(found[0])))
    return Table(["Reason", "Steps rebuilt"], [[str(reason), count(n)] for reason, n in ranked])


def _steps(steps: pd.DataFrame) -> Table:
    rows = [
        [
            text(r["asset"]),
            "rebuilt" if r["is_made"] else "kept",
            text(r["reason"], MISSING),
            number(r["seconds"], 1),
            count(r["n_rows"]),
        ]
        for r in steps.to_dict("records")
    ]
    return Table(["Step", "Rebuilt or kept", "Reason", "Seconds", "Rows"], rows, {1, 2})
