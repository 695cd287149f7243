"""The page on doing and helping: who is first at each task, who at helping with it, how far judges can be trusted.

Belongs here: the context of assistance.html. Does not belong here: ranking (dbt), its audit trail (audit.py).
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from dagster_project.report import charts
from dagster_project.report.data import Published
from dagster_project.report.labels import MISSING, System, chance, number, percent, text
from dagster_project.report.pages.audit import trails
from dagster_project.report.pages.common import Context
from dagster_project.report.pages.standing import leaking, one_seat, partial
from dagster_project.report.tables import Table, count

MARTS: tuple[str, ...] = (
    "tournament_rank",
    "tournament_overall",
    "role_choice",
    "mode_correlation",
    "judge_agreement",
)
MARTS += ("judge_bias", "judge_consistency", "assistance_trait", "tournament_flow", "tournament_audit")
MODES = ("automation", "augmentation")
# below this many runs no probability says anything
FEW_RUNS = 4
# below this many runs a probability is a hint
ENOUGH_RUNS = 10
# a probability beyond these says something
SURE = 0.95
EVEN = 0.5
# bias -> what a share above one half and one below it mean
LEANS = {
    "first_seat": ("chooses the first more often", "chooses the second more often"),
    "longer_answer": ("chooses the longer more often", "chooses the shorter more often"),
    "own_family": ("chooses its own family more often", "chooses others more often"),
}
SPELT = {
    "first_seat": "First position",
    "longer_answer": "Longer deliverable",
    "own_family": "Own family",
    "specificity": "Goes beyond the task’s text",
    "structure": "Sets out parts and their order",
    "against_task": "Works against the task",
    "leaks_deliverable": "Contains the deliverable itself",
}


def context(published: Published, base: Context) -> Context:
    """Choice of roles, places in both modes, how they go together, judges, traits, trails of comparisons."""
    lacks = {mart: published.why_empty(mart) if published[mart].empty else "" for mart in MARTS}
    everyone: list[System] = base["systems"]
    names = {s.key: s.name for s in everyone}
    overall, ranks = published["tournament_overall"], published["tournament_rank"]
    drawn = {}
    for mode in MODES:
        if not lacks["tournament_overall"] and (overall["mode"] == mode).any():
            drawn[mode] = _heat(ranks[ranks["mode"] == mode], overall[overall["mode"] == mode], names)
    if not lacks["tournament_overall"] and (roles := _roles(overall, names)):
        drawn["roles"] = roles
    return {
        "lacks": lacks,
        "choice": _choice(published["role_choice"], names),
        "overall": {mode: _overall(overall[overall["mode"] == mode], names) for mode in MODES},
        "n_warned": {mode: _n_warned(ranks, overall, mode) for mode in MODES},
        "partial": {mode: partial(ranks[ranks["mode"] == mode], names, task_name) for mode in MODES},
        "one_seat": {mode: one_seat(ranks[ranks["mode"] == mode], names, task_name) for mode in MODES},
        "leaking": leaking(ranks, names, task_name),
        "together": _together(published["mode_correlation"]),
        "agreement": _agreement(published["judge_agreement"].query("scope_type != 'task'")),
        "agreement_by_task": _agreement(published["judge_agreement"].query("scope_type == 'task'")),
        "bias": _bias(published["judge_bias"]),
        "consistency": _consistency(published["judge_consistency"]),
        "traits": _traits(published["assistance_trait"]),
        "flow": _flow(published["tournament_flow"]),
        "trails": trails(published["tournament_audit"], names, task_name),
        "charts": drawn,
    }


def task_name(task: object) -> str:
    """A task's key in words."""
    return "All tasks" if task == "all" else text(task).replace("_", " ").capitalize()


def _named(candidate: str, names: dict[str, str], is_unaided: object = False) -> str:
    name = names.get(candidate, candidate)
    return f"{name}, without help" if charts.is_true(is_unaided) else name


def _optional(candidate: object, names: dict[str, str]) -> str:
    return _named(key, names) if (key := text(candidate)) else MISSING


def _heat(ranks: pd.DataFrame, overall: pd.DataFrame, names: dict[str, str]) -> charts.Chart:
    """Mean places of one mode: candidates in their overall order × all tasks and each."""
    tasks = sorted(set(ranks["task"]))
    ordered = overall.sort_values(["rank", "mean_rank", "candidate"]).to_dict("records")
    found = {(r["candidate"], r["task"]): charts.value(r["mean_rank"]) for r in ranks.to_dict("records")}
    rows = [_named(r["candidate"], names, r["is_unaided"]) for r in ordered]
    values = [
        [charts.value(r["mean_rank"]), *(found.get((r["candidate"], task)) for task in tasks)]
        for r in ordered
    ]
    return charts.places_heat(rows, [task_name(t) for t in ("all", *tasks)], values)


def _roles(overall: pd.DataFrame, names: dict[str, str]) -> charts.Chart | None:
    """Mean places in both modes, a mark a candidate; None where nobody has both."""
    by_mode = {mode: overall[overall["mode"] == mode].set_index("candidate") for mode in MODES}
    doing, helping = by_mode["automation"], by_mode["augmentation"]
    unaided = helping[[charts.is_true(x) for x in helping["is_unaided"]]]
    helping = helping.drop(unaided.index)
    both = [candidate for candidate in doing.index if candidate in helping.index]
    if not both:
        return None
    sides: dict[str, list[float | None]] = {
        f"{axis}{suffix}": [charts.value(frame.loc[c, column]) for c in both]
        for axis, frame in (("x", doing), ("y", helping))
        for suffix, column in (("", "mean_rank"), ("_se", "se_rank"))
    }
    return {
        "kind": "roles",
        "names": [_named(c, names) for c in both],
        **sides,
        "unaided": charts.value(unaided["mean_rank"].min()) if len(unaided) else None,
        "ends": [len(doing) + 0.5, len(helping) + len(unaided) + 0.5],
    }


def _choice(frame: pd.DataFrame, names: dict[str, str]) -> Table:
    rows = [
        [
            task_name(r["task"]),
            _first(r["best_doer"], r["n_best_doers"], names),
            _first(r["best_helper"], r["n_best_helpers"], names),
            _of_runs(r["is_help_better_probability"], int(r["n_runs"])),
            _verdict(charts.value(r["is_help_better_probability"]), int(r["n_runs"])),
            _over(r["regret"], r["regret_q025"], r["regret_q975"], 1),
            _points(charts.value(r["regret_win_share"])),
        ]
        for r in frame.sort_values("task").to_dict("records")
    ]
    columns = [
        "Task",
        "Top-ranked doer",
        "Top-ranked helper",
        "Probability that help chosen this way beats no help",
        "Conclusion",
    ]
    lost = [
        "Ranks lost if the top-ranked doer helps instead of the top-ranked helper (95\u00a0% interval)",
        "Loss in comparisons won (percentage points)",
    ]
    return Table([*columns, *lost], rows, {1, 2, 4})


def _first(candidate: object, n_best: int, names: dict[str, str]) -> str:
    others = f"\nand {n_best - 1} more" if n_best > 1 else ""
    return f"{_optional(candidate, names)}{others}"


def _of_runs(probability: object, n_runs: int) -> str:
    """A probability never without the runs it rests on."""
    return f"{chance(probability)}\n({n_runs} {'run' if n_runs == 1 else 'runs'})"


def _over(value: object, low: object, high: object, digits: int) -> str:
    """A number over its interval where there is one."""
    if charts.value(low) is None:
        return number(value, digits)
    return f"{number(value, digits)}\n({number(low, digits)} to {number(high, digits)})"


def _points(share: float | None) -> str:
    return MISSING if share is None else number(100 * share, 0)


def _verdict(probability: float | None, n_runs: int) -> str:
    if probability is None:
        return "unknown"
    if n_runs < FEW_RUNS:
        return "too few runs"
    if 1 - SURE < probability < SURE:
        return "no clear difference"
    said = "better with help" if probability >= SURE else "better without help"
    return said if n_runs >= ENOUGH_RUNS else f"hint: {said}"


def _overall(frame: pd.DataFrame, names: dict[str, str]) -> Table:
    has_unaided = bool(frame["behind_unaided"].notna().any()) if len(frame) else False
    differ = bool(frame["n_tasks_missing"].any()) if len(frame) else False
    # places hold within a group only
    apart = bool((frame["n_groups"].fillna(1) > 1).any()) if len(frame) else False
    order = [*(["comparison_group"] if apart else []), "rank", "mean_rank", "candidate"]
    rows = [
        [
            *([count(r["comparison_group"])] if apart else []),
            _named(r["candidate"], names, r["is_unaided"]),
            count(r["rank"]),
            number(r["mean_rank"]),
            number(r["se_rank"]),
            percent(r["win_share"], 0),
            count(r["rank_scaled"]),
            count(r["bt_rank"]),
            _over(r["bt_log_strength"], r["bt_low"], r["bt_high"], 2),
            text(r["warning"], MISSING),
            *([_behind(r)] if has_unaided else []),
            *([count(r["n_tasks"])] if differ else []),
        ]
        for r in frame.sort_values(order).to_dict("records")
    ]
    columns = [
        *(["Group"] if apart else []),
        "Candidate",
        "Rank",
        "Mean rank",
        "Standard error",
        "Comparisons won",
        "Rank by scaled ranks",
    ]
    more = ["Rank by Bradley-Terry", "Strength (95\u00a0% interval)", "Warning"]
    more += ["Against no help"] * has_unaided + ["Tasks"] * differ
    return Table([*columns, *more], rows, {8 + apart})


def _behind(r: dict[Any, Any]) -> str:
    """Places before or behind no help, and in standard errors."""
    behind, error = charts.value(r["behind_unaided"]), charts.value(r["behind_unaided_se"])
    if behind is None:
        return MISSING
    side = "behind" if behind > 0 else "ahead"
    errors = f"\n({number(abs(behind) / error, 1)} SE)" if error else ""
    return f"{number(abs(behind))} {side}{errors}"


def _n_warned(ranks: pd.DataFrame, overall: pd.DataFrame, mode: str) -> tuple[int, int, int]:
    """Candidates whose overall place hangs on the method; cells of task and candidate that do, and all of them."""
    warned = [
        sum(
            any(
                charts.value(r[other]) not in (None, charts.value(r[place]))
                for other in ("rank_scaled", "bt_rank")
            )
            for r in frame[frame["mode"] == mode].to_dict("records")
        )
        for frame, place in ((overall, "rank_by_mean"), (ranks, "rank"))
    ]
    return warned[0], warned[1], int((ranks["mode"] == mode).sum())


def _together(frame: pd.DataFrame) -> Table:
    placed = frame.assign(place=frame["task"] != "all").sort_values(["place", "task"])
    rows = [
        [task_name(r["task"]), number(r["spearman_rho"]), number(r["p_value"]), count(r["n_candidates"])]
        for r in placed.to_dict("records")
    ]
    return Table(["Task", "Rank correlation of doing and helping", "p value", "Candidates"], rows)


def _agreement(frame: pd.DataFrame) -> Table:
    placed = frame.assign(
        place=frame["scope_type"] != "all",
        # modes stand in the order of all of the page, not of the alphabet
        key=frame["scope"].where(frame["scope_type"] == "task", ""),
        part=frame["mode"].map(["all", *MODES].index),
    )
    rows = [
        [
            _scope(r),
            percent(r["agreement_share"], 0),
            number(r["krippendorff_alpha"]),
            count(r["n_comparisons"]),
            count(r["n_decisions"]),
        ]
        for r in placed.sort_values(["place", "key", "part"]).to_dict("records")
    ]
    columns = [
        "Where",
        "Share of pairs of judges that agree",
        "Krippendorff’s alpha",
        "Comparisons",
        "Pairs of judges",
    ]
    return Table(columns, rows)


def _scope(row: dict[Any, Any]) -> str:
    if row["scope_type"] == "mode":
        return text(row["scope"]).capitalize()
    name = task_name(row["scope"])
    return name if row["mode"] == "all" else f"{name}, {row['mode']}"


def _bias(frame: pd.DataFrame) -> Table:
    placed = frame.assign(place=frame["bias"].map(list(LEANS).index))
    rows = [
        [
            text(r["judge"]),
            SPELT[r["bias"]],
            percent(r["share"], 0),
            f"{percent(r['q025'], 0)} to {percent(r['q975'], 0)}"
            if charts.value(r["q025"]) is not None
            else MISSING,
            _lean(r),
            count(r["n"]),
        ]
        for r in placed.sort_values(["place", "judge"]).to_dict("records")
    ]
    columns = [
        "Judge",
        "Possible bias",
        "Share of verdicts",
        "95\u00a0% interval",
        "Beyond chance",
        "Verdicts",
    ]
    return Table(columns, rows, {1, 4})


def _lean(row: dict[Any, Any]) -> str:
    low, high = charts.value(row["q025"]), charts.value(row["q975"])
    if low is None or high is None:
        return MISSING
    above, below = LEANS[row["bias"]]
    return above if low > EVEN else below if high < EVEN else "no"


def _consistency(frame: pd.DataFrame) -> Table:
    whole = frame[frame["mode"] == "all"]
    placed = whole.assign(place=whole["judge"] == "all").sort_values(["place", "judge"])
    rows = [
        [
            "All judges" if r["judge"] == "all" else text(r["judge"]),
            percent(r["choice_matches_rubric_share"], 0),
            number(r["rubric_win_correlation"]),
            percent(r["agreement_share"], 0),
            percent(r["flipped_share"], 0),
            count(r["n_both_seats"]),
        ]
        for r in placed.to_dict("records")
    ]
    columns = ["Judge", "Choices that follow its own scores", "Correlation of scores and wins"]
    columns += ["Agreement with other judges’ choices"]
    return Table([*columns, "Verdicts that change with the order", "Pairs judged in both orders"], rows)


def _traits(frame: pd.DataFrame) -> Table:
    rows = [
        [
            SPELT[r["trait"]],
            number(_turned(r["spearman_rho"])),
            number(r["mean_score_best"], 1),
            number(r["mean_score_worst"], 1),
            count(r["n_texts"]),
        ]
        for r in frame[frame["task"] == "all"].sort_values("spearman_rho").to_dict("records")
    ]
    columns = [
        "Trait of the guidance",
        "Rank correlation with a better rank",
        "Mean score, two top-ranked candidates",
    ]
    return Table([*columns, "Mean score, two lowest-ranked candidates", "Texts"], rows)


def _turned(rho: object) -> float | None:
    """The correlation with a better place: places are better the smaller they are."""
    return None if (known := charts.value(rho)) is None else -known


def _flow(frame: pd.DataFrame) -> dict[str, int]:
    columns = [column for column in frame.columns if column.startswith("n_")]
    return {column: int(frame[column].sum()) for column in columns}
