"""The overview: key figures, who comes first for all respondents, what the refresh covers and set aside.

Belongs here: the context of index.html. Does not belong here: estimates of single scopes (suitability.py).
"""

from __future__ import annotations

from dagster_project.report.claims import leaders, summary
from dagster_project.report.data import Published
from dagster_project.report.labels import (
    MISSING,
    System,
    of_default_policy,
    of_respondents,
    ordered,
    percent,
    text,
)
from dagster_project.report.pages.common import Context, fits, leader_table, policy_sentence
from dagster_project.report.tables import Table, count

# status of a comparison with a printed figure -> what it says of so many of them
COMPARED = {
    "match": "agree to the printed digit",
    "close": "are close",
    "off": "differ",
    "no_data": "have no input here",
    "not_in_release": "rest on data that are not public",
}
STATES = {
    "filled": "ok",
    "skipped": "off",
    "empty": "off",
}  # any other state of a slice is shown without a colour


def context(published: Published, base: Context) -> Context:
    """The overview."""
    suitability = of_default_policy(published, "suitability")
    everywhere = suitability[suitability["scope_type"] == "all"]
    order = ordered(
        of_respondents(of_default_policy(published, "suitability_pooled")), "activity", "mean_log"
    )
    found = leaders(everywhere, order, base["systems"])
    status = published["slice_status"].to_dict("records")
    comparison = published["published_comparison"]["status"].value_counts()
    coverage = published["benchmark"]["join_coverage_share"]
    return {
        "figures": _key_figures(published, base["systems"]),
        "slices": [
            {
                "name": text(r["slice"]),
                "status": text(r["status"], "unknown").replace("_", " "),
                "reason": text(r["reason"], MISSING),
                "look": STATES.get(text(r["status"]), ""),
            }
            for r in status
        ],
        "leaders": leader_table(found) if found else None,
        "summary": summary(found),
        "has_thin": any(leader.is_thin for leader in found),
        "empty": published.why_empty("suitability") if everywhere.empty else "",
        "policy": policy_sentence(published),
        "set_aside": _set_aside(published),
        "changed": _changed(published),
        "comparison": [
            f"{count(int(comparison[s]))} {said}" for s, said in COMPARED.items() if s in comparison
        ],
        "lowest_coverage": percent(float(coverage.min())) if coverage.notna().any() else MISSING,
        "fits": fits(published),
    }


def _key_figures(published: Published, everyone: list[System]) -> list[tuple[str, str]]:
    n_people = sum(s.is_person for s in everyone)
    n_systems = len(everyone) - n_people
    battery = published["benchmark"].groupby("benchmark")[["n_items", "n_valid_items"]].max().sum()
    flow = published["respondent_flow"]
    capability = published["capability"]
    figures = [(f"{n_systems}", "AI system" if n_systems == 1 else "AI systems")]
    if n_people:
        figures.append((f"{n_people}", "person" if n_people == 1 else "people"))
    if not published["benchmark"].empty:
        of = (
            f"of {count(float(battery['n_items']))} "
            if battery["n_items"] != battery["n_valid_items"]
            else ""
        )
        figures.append((count(float(battery["n_valid_items"])), f"{of}benchmark items with valid ratings"))
    if not flow.empty:
        kept, started = (float(flow[column].sum()) for column in ("n_kept", "n_started"))
        figures.append((count(kept), f"of {count(started)} respondents kept"))
    if not capability.empty:
        retained = int(capability["is_retained"].fillna(False).astype(bool).sum())
        figures.append((f"{retained}", f"of {len(capability)} capabilities that raters agree on"))
    return figures


def _set_aside(published: Published) -> list[tuple[str, str]]:
    """What the refresh dropped, and why: (what, how much)."""
    flow, reject, info = published["respondent_flow"], published["reject"], published["ai_system"]
    rows = []
    if not flow.empty:
        rows += [
            (f"Survey rows marked as {mark}", count(n))
            for mark in ("preview", "test", "spam")
            if (n := float(flow[f"n_{mark}"].sum()))
        ]
        outside = float(flow["n_started"].sum() - flow["n_in_domain"].sum())
        rows.append(("Respondents who named none of the fields of work", count(outside)))
        for column, why in (
            ("incomplete", "didn’t finish"),
            ("quiz", "failed the quiz"),
            ("speed", "were too fast"),
            ("unknown", "have no readable progress or duration"),
        ):
            rows.append((f"Respondents who {why}", count(float(flow[f"n_removed_{column}"].sum()))))
    if not info.empty:
        rows.append(("Item results without a usable score", count(float(info["n_unscored"].fillna(0).sum()))))
    for (table, reason), group in reject.groupby(["table_name", "reason"], dropna=False):
        rows.append(
            (
                f"Values rejected in {text(table, 'an unnamed table')}: {text(reason, 'no reason')}",
                count(len(group)),
            )
        )
    return rows


def _changed(published: Published) -> Table | None:
    """The settings that differ from their default; None where all are as delivered."""
    settings = published["setting"]
    rows = [
        [text(r["name"]), text(r["value"]), text(r["default_value"], MISSING), text(r["meaning"])]
        for r in settings[~settings["is_default"].astype(bool)].sort_values("name").to_dict("records")
    ]
    return Table(["Setting", "Value", "Default", "Meaning"], rows, {1, 2, 3}) if rows else None
