"""What several pages show: the latest refresh, the systems, the default policy, the fits, who comes first.

Belongs here: parts of a context that more than one page uses. Does not belong here: the shape of tables (tables.py).
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from dagster_project.report import charts
from dagster_project.report.claims import SETTLED_MEANS, Leader
from dagster_project.report.data import Published
from dagster_project.report.labels import MISSING, chance, default_policy, moment, number, systems, text
from dagster_project.report.tables import Table, count, words

Context = dict[str, Any]
SETTINGS = {
    "dirichlet": "intervals include the respondents’ disagreement about weights",
    "none": "weights are treated as known exactly",
}


def common(published: Published) -> Context:
    """What every page needs: the latest refresh, the systems, and what “settled” means."""
    history = published["refresh"].sort_values("started_at", kind="stable")
    latest = {} if history.empty else history.iloc[-1].to_dict()
    synthetic = latest.get("is_synthetic")
    return {
        "refresh": {
            "id": text(latest.get("refresh_id"), "not recorded"),
            "at": moment(
                latest.get("finished_at") if pd.notna(latest.get("finished_at")) else latest.get("started_at")
            ),
            "sources": text(latest.get("sources"), "not recorded"),
            "seed": text(latest.get("seed"), MISSING),
            "commit": text(latest.get("git_commit"), "not recorded")[:12],
            "is_synthetic": charts.is_true(synthetic),
            "is_unknown": synthetic is None or bool(pd.isna(synthetic)),
        },
        "systems": systems(published),
        "settled": SETTLED_MEANS,
    }


def policy_sentence(published: Published) -> str:
    """The default policy in words."""
    policy = default_policy(published)
    if policy is None:
        return "No default policy is published."
    power = float(str(policy["power"]))
    mean = (
        "the geometric mean (strong capabilities can’t fully compensate for a weak one)"
        if power == 0
        else f"power {power:g}"
    )
    weighting = "weights as respondents gave them"
    if policy["weighting"] == "relative":
        weighting = "weights relative to the other activities"
    doubt = SETTINGS.get(
        text(policy["weight_uncertainty"]), f"weight uncertainty “{policy['weight_uncertainty']}”"
    )
    sharpness = float(str(policy["sharpness"]))
    return f"Default policy “{policy['policy']}”: {mean}, sharpness {sharpness:g}, {weighting}; {doubt}."


def leader_table(found: list[Leader]) -> Table:
    """Who comes first for each activity, who second, and whether that is settled."""
    rows = [
        [
            leader.activity + (" *" if leader.is_thin else ""),
            f"{leader.first.system.name}\n{leader.first}",
            chance(leader.first.chance) if leader.second else MISSING,
            f"{leader.second.system.name}\n{leader.second}" if leader.second else MISSING,
            leader.verdict,
        ]
        for leader in found
    ]
    columns = ["Activity", "Highest estimate (95\u00a0% interval)", "Chance that it is highest", "Second"]
    return Table([*columns, "Verdict"], rows, {1, 2, 3, 4})


def fits(published: Published) -> list[Context]:
    """Each fit with its convergence in words; a figure that doesn't apply stays a dash."""
    return [
        {
            "name": text(r["fit"]),
            "is_converged": charts.is_true(r["is_converged"]),
            "cells": [words(r["engine"]), count(r["n_chains"]), count(r["n_draws"]), count(r["n_divergent"])]
            + [number(r["rhat_max"], 3), count(r["ess_bulk_min"]), number(r["khat_max"])],
        }
        for r in published["fit_diagnostic"].to_dict("records")
    ]
