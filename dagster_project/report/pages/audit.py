"""The audit trail of a comparison: what two candidates handed in, and what each judge said of it.

Belongs here: one trail a task and mode. Does not belong here: which comparison is shown (marts.tournament_audit).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dagster_project.report.labels import MISSING, number, text
from dagster_project.report.tables import Table


@dataclass(frozen=True)
class Side:
    """One deliverable as far as the mart holds it; `assistance` '' = without help, or not supplied."""

    name: str
    output: str
    cut: str
    assistance: str


@dataclass(frozen=True)
class Trail:
    """One comparison: its two sides, what came of it in a sentence, and its verdicts."""

    title: str
    sides: list[Side]
    outcome: str
    verdicts: Table


def trails(audit: pd.DataFrame, names: dict[str, str], task_name: Callable[[object], str]) -> list[Trail]:
    """One for each task and mode, automation first."""
    found = []
    # automation comes first, as on the page
    for (task, is_help), rows in audit.groupby(["task", audit["mode"] == "augmentation"], sort=True):
        records = rows.sort_values(["judge", "first"]).to_dict("records")
        sides: dict[str, Side] = {}
        for r in records:
            for seat in ("first", "second"):
                sides.setdefault(str(r[seat]), _side(r, seat, names))
        title = f"{task_name(task)}, {'helping' if is_help else 'doing'}, run {records[0]['run']}"
        table = Table(
            ["Judge", "Saw first", "Chose", "Its scores (first to second)", "Its reason", "Source"],
            [_verdict(r, names) for r in records],
            {1, 2, 4, 5},
        )
        found.append(Trail(title, list(sides.values()), _outcome(records, names), table))
    return found


def _side(r: dict[Any, Any], seat: str, names: dict[str, str]) -> Side:
    output, length = text(r[f"output_{seat}"]), r[f"n_characters_{seat}"]
    is_cut = pd.notna(length) and len(output) < int(length)
    cut = f"The first {len(output):,} of {int(length):,} characters." if is_cut else ""
    return Side(names.get(r[seat], r[seat]), output, cut, text(r[f"assistance_{seat}"]))


def _chosen(r: dict[Any, Any], names: dict[str, str]) -> str:
    return "tie" if r["choice"] == "tie" else names.get(r[r["choice"]], r[r["choice"]])


def _verdict(r: dict[Any, Any], names: dict[str, str]) -> list[str]:
    scores = f"{number(r['mean_score_first'], 1)} to {number(r['mean_score_second'], 1)}"
    call = text(r["call_id"])
    return [
        text(r["judge"]),
        names.get(r["first"], r["first"]),
        _chosen(r, names),
        scores,
        text(r["rationale"], MISSING),
        f"call {call[:12]}" if call else f"{r['source_file']}, line {r['row_number']}",
    ]


def _outcome(records: list[dict[Any, Any]], names: dict[str, str]) -> str:
    chosen = pd.Series([_chosen(r, names) for r in records]).value_counts().sort_index()
    verdicts = "verdict" if len(records) == 1 else "verdicts"
    counts = ", ".join(f"{n} {name}" if name == "tie" else f"{n} for {name}" for name, n in chosen.items())
    return f"{len(records)} {verdicts}: {counts}."
