"""The page on how it computes, where it stops, and where the tables are.

Belongs here: the context of method.html. Does not belong here: its running text (templates/method.html.j2).
"""

from __future__ import annotations

from dagster_project.report.data import Published
from dagster_project.report.labels import MISSING, number, text
from dagster_project.report.pages.common import Context, policy_sentence
from dagster_project.report.tables import count, printed, words


def context(published: Published, base: Context) -> Context:
    """How it computes, where it stops, and where the tables are."""
    return {
        "policy": policy_sentence(published),
        "policies": printed(
            published["policy"],
            {
                "policy": ("Policy", words),
                "power": ("Power p", lambda v: number(v, 2)),
                "sharpness": ("Sharpness s", lambda v: number(v, 2)),
                "weighting": ("Weighting", words),
                "weight_uncertainty": ("Weight uncertainty", words),
            },
        ),
        "marts": [
            {"name": r["mart"], "rows": count(r["n_rows"]), "description": text(r["description"], MISSING)}
            for r in published.catalogue.to_dict("records")
        ],
    }
