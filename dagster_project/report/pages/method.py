"""The page on how it computes, where it stops, and where the tables are.

Belongs here: the context of method.html. Does not belong here: its running text (templates/method.html.j2).
"""

from __future__ import annotations

import pandas as pd

from dagster_project.report.data import Published
from dagster_project.report.labels import MISSING, number, text
from dagster_project.report.pages.common import Context, policy_sentence
from dagster_project.report.tables import Table, count, printed, words

STATUSES = {
    "match": "Match",
    "off": "Off",
    "not_in_release": "Not in the public release",
    "no_data": "Nothing to compute it from",
}


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
                "importance_type": ("Importance", lambda v: words(v).replace("_", " ")),
                "weight_uncertainty": ("Weight uncertainty", words),
            },
        ),
        "comparison": _comparison(published["published_comparison"]),
        "marts": [
            {"name": r["mart"], "rows": count(r["n_rows"]), "description": text(r["description"], MISSING)}
            for r in published.catalogue.to_dict("records")
        ],
    }


def _comparison(frame: pd.DataFrame) -> Context:
    """How many printed cells of each table match, and those that don't, one by one."""
    known = [s for s in {**STATUSES, **dict.fromkeys(frame["status"])} if s in set(frame["status"])]
    rows = []
    for (paper, name), own in frame.groupby(["paper", "table_name"]):
        found = own["status"].value_counts()
        rows.append([words(name), words(paper), *(count(int(found.get(s, 0))) for s in known)])
    off = frame[frame["status"] == "off"].sort_values(["paper", "table_name", "row_name", "column_name"])
    return {
        "counts": Table(["Table", "Paper", *(STATUSES.get(s, words(s)) for s in known)], rows),
        "n_off": len(off),
        "off": printed(
            off,
            {
                "table_name": ("Table", words),
                "row_name": ("Row", words),
                "column_name": ("Column", words),
                "published": ("Printed", lambda v: number(v, 3)),
                "computed": ("Computed here", lambda v: number(v, 3)),
                "tolerance": ("Tolerance", lambda v: number(v, 3)),
                "note": ("Note", words),
            },
            wraps={1, 2, 6},
        ),
    }
