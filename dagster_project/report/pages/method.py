"""The page on how it computes, where it stops, and where the tables are.

Belongs here: the context of method.html. Does not belong here: its running text (templates/method.html.j2).
"""

from __future__ import annotations

import pandas as pd

from dagster_project.report.data import Published
from dagster_project.report.labels import MISSING, number, text
from dagster_project.report.pages.common import Context, policy_sentence
from dagster_project.report.tables import Table, count, printed, words

# status of a comparison with a printed figure -> its heading, and what it means
STATUSES = {
    "match": ("Match", "equal when rounded to the digits that the paper prints"),
    "close": ("Close", "not equal, but no further away than chance or rounding on the way explains"),
    "off": ("Off", "further away: the inputs here are not the paper’s, or the paper is not reproduced"),
    "not_in_release": (
        "Not public",
        "the authors did not publish the data behind the figure, so nobody else can check it",
    ),
    "no_data": ("No input", "could be computed, but its input or command is missing in this refresh"),
}
PAPERS = {
    "task-suitability-profiles": "Using profiles of cognitive capability to assess AI suitability for workplace tasks",
    "propensities-2x2pl": "Capabilities Ain’t All You Need: Measuring Propensities in AI",
    "centaurbench": "CentaurBench: Benchmarking LLM Capabilities on Augmenting vs. Automating Real-World Work Tasks",
    "open-economic-index": "The Open Source Economic Index of AI Adoption and Capability",
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
    """How many printed figures of each paper and table have which status, and those that differ, one by one."""
    known = [s for s in STATUSES if s in set(frame["status"])]
    decided = frame["status"].isin(["match", "close", "off"])
    return {
        "n": count(len(frame)) if len(frame) else "",
        "n_decided": count(int(decided.sum())),
        "n_equal": count(int((frame["status"] == "match").sum())),
        "n_papers": frame["paper"].nunique(),
        "meanings": [STATUSES[s] for s in known],
        "papers": _by_status(frame, ["paper"], ["Paper"], known),
        "tables": _by_status(frame, ["table_name", "paper"], ["Table", "Paper"], known),
        "differing": [
            (STATUSES[s][0].lower(), int((frame["status"] == s).sum()), _one_by_one(frame, s))
            for s in ("off", "close")
            if s in known
        ],
    }


def _by_status(frame: pd.DataFrame, keys: list[str], heads: list[str], known: list[str]) -> Table:
    rows = []
    for group, own in frame.groupby(keys):
        named = [PAPERS.get(str(g), words(g)) if keys == ["paper"] else words(g) for g in group]
        found = own["status"].value_counts()
        rows.append([*named, *(count(int(found.get(s, 0))) for s in known), count(len(own))])
    return Table(
        [*heads, *(STATUSES[s][0] for s in known), "All"], rows, wraps={0} if len(keys) == 1 else set()
    )


def _one_by_one(frame: pd.DataFrame, status: str) -> Table:
    own = frame[frame["status"] == status].sort_values(["paper", "table_name", "row_name", "column_name"])
    formats = {
        "table_name": ("Table", words),
        "row_name": ("Row", words),
        "column_name": ("Column", words),
        "published": ("Printed", lambda v: number(v, 3)),
        "computed": ("Computed here", lambda v: number(v, 3)),
        "tolerance": ("Tolerance", lambda v: number(v, 3)),
        "note": ("Note", words),
    }
    return printed(own, formats, wraps={1, 2, 6})
