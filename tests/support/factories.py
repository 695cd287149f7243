"""Builders of tiny, valid input folders, for the tests of every slice.

Belongs here: files in the input layout with contents a test names. Does not belong here: assertions, the
demo's generator (assets/demo) or anything that imports the readers: a reader must not be tested by its own
writer.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

CAPABILITIES = (
    "Episodic Memory",
    "Semantic Memory",
    "Procedural Memory",
    "Prospective Memory",
    "Working Memory",
    "Inhibitory Control",
    "Cognitive Flexibility",
    "Mental Simulation",
    "Planning",
    "Metacognition",
    "Perception and Pattern Recognition",
    "Functional Perception",
    "Spatial Reasoning and Navigation",
    "Object Permanence",
    "Causal Reasoning",
    "Theory of Mind",
    "Emotion Perception and Empathy",
    "Language",
)
RATINGS_HEADER = ("dataset name", "sample id", *CAPABILITIES)
RESULTS_HEADER = ("task_name", "sample_id", "score", "metadata", "dataset_name")
SYSTEMS_HEADER = (
    "system",
    "name",
    "model",
    "settings",
    "scaffold",
    "developer",
    "family",
    "released_on",
    "kind",
)
PROPENSITY_ITEM_HEADER = (
    *("item_id", "propensity", "benchmark", "prompt", "option_a", "option_b", "option_c", "correct"),
    *("lower", "upper"),
)
PROPENSITY_BAND_HEADER = ("benchmark", "item", "propensity", "lower", "upper")
CANDIDATES_HEADER = ("candidate", "family", "role", "gradient")
PROPENSITY_RESPONSE_HEADER = ("system", "item_id", "propensity", "incitation", "option", "is_correct")
OEWS_HEADER = ("OCC_CODE", "OCC_TITLE", "O_GROUP", "TOT_EMP", "A_MEDIAN")
CROSSWALK_HEADER = ("O*NET-SOC Code", "NEM Code")
APPLICABILITY_HEADER = ("SOC Code", "title", "ai_applicability_score")
INTERVIEW_HEADER = ("company", "role", "duty", "capability", "points")
QUIZ = ("Q4.12", "Q4.13", "Q4.14", "Q4.25", "Q4.26", "Q4.27")
SURVEY_HEADER = (
    *("StartDate", "IPAddress", "Progress", "Duration (in seconds)", "ResponseId", "RecipientEmail"),
    *("prescreen", "Q2.4", "Q2.5", "Q2.11", "Q2.6_1", "Q2.7", "Q2.8", "Q2.9", "Q3.1", "Q3.1_19_TEXT"),
    *(f"Q3.2_{t}" for t in range(1, 22)),
    *(f"Q3.3_{t}" for t in range(1, 22)),
    *QUIZ,
    *(c for t in range(1, 19) for c in (f"{t}_Q5.3", *(f"{t}_Q5.4_{k}" for k in range(1, 19)))),
    "Q6.2_1",
)


def write_csv(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], *, encoding: str = "utf-8"
) -> Path:
    """One CSV file with these cells; None is an empty cell; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return path


def write_ratings(
    sources: Path,
    rater: str = "rater-a",
    items: Iterable[tuple[str, str]] = (("bench", "1"), ("bench", "2")),
    levels: Mapping[tuple[str, str], Mapping[str, object]] | None = None,
    default: object = 1,
) -> Path:
    """battery/ratings/<rater>.csv: `levels[(benchmark, item)][capability name]`, else `default`, per cell."""
    given = levels or {}
    rows = [
        (benchmark, item, *(given.get((benchmark, item), {}).get(name, default) for name in CAPABILITIES))
        for benchmark, item in items
    ]
    return write_csv(sources / "battery" / "ratings" / f"{rater}.csv", RATINGS_HEADER, rows)


def write_results(
    sources: Path, system: str = "system-a", scores: Mapping[tuple[str, str], object] | None = None
) -> Path:
    """battery/results/<system>.csv with one row per (benchmark, item) -> score."""
    given = {("bench", "1"): 1, ("bench", "2"): 0} if scores is None else scores
    rows = [(f"{benchmark}_task", item, score, None, benchmark) for (benchmark, item), score in given.items()]
    return write_csv(sources / "battery" / "results" / f"{system}.csv", RESULTS_HEADER, rows)


def write_systems(sources: Path, rows: Iterable[Mapping[str, object]] = ({"system": "system-a"},)) -> Path:
    """battery/systems.csv; columns a row doesn't give stay blank."""
    cells = [[row.get(column) for column in SYSTEMS_HEADER] for row in rows]
    return write_csv(sources / "battery" / "systems.csv", SYSTEMS_HEADER, cells)


def respondent(**answers: object) -> dict[str, object]:
    """One who passes quality control, in domain 1, with activities 1 and 10; `answers` override by column.

    Columns whose names aren't identifiers are given as `respondent(**{"Q2.11": 3})`.
    """
    given: dict[str, object] = {
        "Progress": 100,
        "Duration (in seconds)": 1200,
        "Q2.11": "1.0",
        "Q3.1": "1,10",
    }
    given |= dict.fromkeys(QUIZ, "1.0")
    given |= {"Q3.2_1": "1.0", "Q3.2_10": "2.0", "Q3.3_1": "12", "Q3.3_10": "8"}
    for activity in (1, 10):
        given |= {f"{activity}_Q5.3": "2,5", f"{activity}_Q5.4_2": "60", f"{activity}_Q5.4_5": "40"}
    return given | answers


def write_survey(
    sources: Path,
    name: str = "online",
    respondents: Sequence[Mapping[str, object]] | None = None,
    *,
    header: Sequence[str] = SURVEY_HEADER,
    header_rows: int = 1,
    encoding: str = "utf-8",
) -> Path:
    """survey/<name>.csv as Qualtrics does it; header rows: 1 names, 2 + question texts, 3 + ImportId.

    A respondent without a ResponseId gets one; a blank one stays blank.
    """
    people = [respondent(), respondent()] if respondents is None else respondents
    extra = [
        [f"Text of {column}?" for column in header],
        [json.dumps({"ImportId": column}) for column in header],
    ]
    named = [{"ResponseId": f"R_{name}_{i}"} | dict(person) for i, person in enumerate(people)]
    rows = extra[: header_rows - 1] + [[person.get(column) for column in header] for person in named]
    return write_csv(sources / "survey" / f"{name}.csv", header, rows, encoding=encoding)


def write_interview(
    sources: Path, name: str = "one", rows: Sequence[Sequence[object]] | None = None, **options: str
) -> Path:
    """survey/interviews/<name>.csv; a row is company, role, duty, capability, points."""
    given = [("Acme", "Analyst", None, "Planning", 60), ("Acme", "Analyst", "Write reports", "L", 100)]
    path = sources / "survey" / "interviews" / f"{name}.csv"
    return write_csv(path, INTERVIEW_HEADER, given if rows is None else rows, **options)


def write_propensity_items(
    sources: Path,
    name: str = "risk",
    rows: Iterable[Mapping[str, object]] = ({"item_id": "i1"}, {"item_id": "i2", "lower": -3}),
    capabilities: Sequence[str] = ("Planning", "L"),
) -> Path:
    """propensity/items/<name>.csv; what a row doesn't give is a sound item of risk with band [-1, 1], demand 1."""
    given = {
        "propensity": "risk",
        "benchmark": "b",
        "prompt": "Choose",
        "option_a": "x",
        "option_b": "y",
        "option_c": "z",
        "correct": "a",
        "lower": -1,
        "upper": 1,
        **dict.fromkeys(capabilities, 1),
    }
    header = (*PROPENSITY_ITEM_HEADER, *capabilities)
    cells = [[(given | dict(row)).get(column) for column in header] for row in rows]
    return write_csv(sources / "propensity" / "items" / f"{name}.csv", header, cells)


def write_propensity_bands(
    sources: Path,
    rater: str = "rater-a",
    rows: Iterable[Mapping[str, object]] = ({"item": "i1"}, {"item": "i2", "lower": -3}),
) -> Path:
    """propensity/bands/<rater>.csv; what a row doesn't give is the band [-1, 1] of an item of benchmark b on risk."""
    given: dict[str, object] = {"benchmark": "b", "propensity": "risk", "lower": -1, "upper": 1}
    cells = [[(given | dict(row)).get(column) for column in PROPENSITY_BAND_HEADER] for row in rows]
    return write_csv(sources / "propensity" / "bands" / f"{rater}.csv", PROPENSITY_BAND_HEADER, cells)


def write_propensity_responses(
    sources: Path,
    system: str = "system-a",
    rows: Iterable[Mapping[str, object]] = ({"item_id": "i1"}, {"item_id": "i2", "option": "b"}),
) -> Path:
    """propensity/responses/<system>.csv; what a row doesn't give is option a, unprompted; is_correct stays blank."""
    given: dict[str, object] = {"system": system, "propensity": "risk", "incitation": "none", "option": "a"}
    cells = [[(given | dict(row)).get(column) for column in PROPENSITY_RESPONSE_HEADER] for row in rows]
    path = sources / "propensity" / "responses" / f"{system}.csv"
    return write_csv(path, PROPENSITY_RESPONSE_HEADER, cells)


def write_onet(
    sources: Path,
    tasks: Iterable[tuple[str, str, str]] = (
        ("11-1011.00", "1", "Plan work."),
        ("13-1011.00", "2", "Count money."),
    ),
) -> Path:
    """onet/ with the two files that must be there, for `tasks` (occupation, id, statement)."""
    folder = sources / "onet"
    folder.mkdir(parents=True, exist_ok=True)
    statements = [*tasks]
    occupations = [(code, f"Title of {code}", "x") for code in dict.fromkeys(task[0] for task in statements)]
    for name, header, rows in (
        ("Occupation Data", ("O*NET-SOC Code", "Title", "Description"), occupations),
        (
            "Task Statements",
            ("O*NET-SOC Code", "Task ID", "Task", "Task Type"),
            [(*t, "Core") for t in statements],
        ),
    ):
        lines = ["\t".join(row) for row in (header, *rows)]
        (folder / f"{name}.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return folder


def write_oews(
    sources: Path,
    employed: Iterable[tuple[str, str, str]] = (("11-1011", "900", "#"), ("13-1011", "1,000", "50000")),
) -> Path:
    """oews/ with `employed` (code, employment, median wage) and the crosswalk that adds .00 to each code."""
    given = [*employed]
    rows = [(code, f"Title of {code}", "detailed", n, wage) for code, n, wage in given]
    write_csv(sources / "oews" / "national.csv", OEWS_HEADER, rows)
    crosswalk = [(f"{code}.00", code) for code, *_ in given]
    return write_csv(sources / "oews" / "crosswalk.csv", CROSSWALK_HEADER, crosswalk)


def write_comparison(sources: Path) -> Path:
    """comparison/ with an index by task, one by activity (a row each) and one by occupation (two rows)."""
    folder = sources / "comparison"
    write_csv(
        folder / "aei/release_2025_03_27/task_pct_v2.csv", ("task_name", "pct"), [("plan work.", "0.5")]
    )
    activity = ("4.A.1.a.1.I01", "Plan things.", 0.25, 0)
    header = ("IWA", "title", "share_user", "share_ai")
    write_csv(folder / "working_with_ai/iwa_metrics.csv", header, [activity])
    scores = [("11-1011", "Planners", "0.1"), ("13-1011", "Counters", "2e-05")]
    path = folder / "working_with_ai/soc_ai_applicability_scores.csv"
    return write_csv(path, APPLICABILITY_HEADER, scores)


def write_log(
    sources: Path,
    rows: Iterable[tuple[str, str]] = (("c1", "Help me plan work."), ("c2", "Count this money.")),
) -> Path:
    """chats/log.jsonl in the three-column form: `rows` (id, text)."""
    path = sources / "chats" / "log.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"chat_id": chat, "text": text, "at": "2026-03-04T05:06:07"}) for chat, text in rows]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def write_json_lines(path: Path, rows: Iterable[Mapping[str, object] | str]) -> Path:
    """One line a row; text goes in as it stands."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def write_tournament(sources: Path) -> Path:
    """tournament/: two candidates, a worker and a judge; deliverables, a verdict, a coded assistance text."""
    rows = [
        ("a", "A", "candidate", 1),
        ("b", "B", "candidate", 2),
        ("w", "B", "worker", None),
        ("j", "J", "judge", None),
    ]
    write_csv(sources / "tournament" / "candidates.csv", CANDIDATES_HEADER, rows)
    cell = {"task": "t", "mode": "automation", "run": 1}
    helped = {"task": "t", "mode": "augmentation", "run": 1, "candidate": "a"}
    outputs = [
        *(cell | {"candidate": name, "output": name * 9} for name in "ab"),
        helped | {"assistance": "Plan."},
    ]
    write_json_lines(sources / "tournament/outputs/all.jsonl", [row | {"output": "Done."} for row in outputs])
    verdict = cell | {"judge": "j", "first": "a", "second": "b", "choice": "first"}
    scores = {"scores_first": {"clear": 7}, "scores_second": {"clear": 5}, "rationale": "Clearer."}
    write_json_lines(sources / "tournament/judgements/j.jsonl", [verdict | scores])
    traits = {"specificity": 3, "structure": True, "against_task": 0, "leaks_deliverable": False}
    write_json_lines(sources / "tournament/traits/j.jsonl", [helped | {"judge": "j"} | traits])
    return sources


def write_agentic(sources: Path) -> Path:
    """agentic/: a server with one tool, a scenario without tasks, one run of it and one verdict."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tools = [{"name": "get_forecast", "description": "Forecast of a city", "input_schema": schema}]
    write_json_lines(
        sources / "agentic/servers/one.jsonl",
        [{"server": "weather", "description": "Weather", "analysis": "Forecasts", "tools": tools}],
    )
    call = {"server": "weather", "tool": "get_forecast", "arguments": {"city": "Oslo"}}
    write_json_lines(
        sources / "agentic/scenarios/one.jsonl",
        [{"scenario": "s1", "occupation": "11-1011.00", "request": "Will it rain in Oslo?", "calls": [call]}],
    )
    run = {"scenario": "s1", "system": "system-a", "mode": "single", "run": 1}
    made = {"tool": "get_forecast", "arguments": {"city": "Oslo"}, "result": "Rain"}
    message = {"role": "assistant", "content": "Yes."}
    write_json_lines(
        sources / "agentic/trajectories/one.jsonl",
        [run | {"ended_by": "answered", "messages": [message], "calls": [made]}],
    )
    verdict = run | {"measure": "grounding", "score": 5, "judge": "j", "reason": "Said by the tool."}
    write_json_lines(sources / "agentic/verdicts/one.jsonl", [verdict])
    return sources


def write_sources(sources: Path) -> Path:
    """A whole tiny input folder: two raters, one system with its choices, systems.csv, a survey and an interview;
    two occupations with a task each, two chats about them, what other indices say of them; a tournament;
    a run of an agent.
    """
    write_ratings(sources, "rater-a")
    write_ratings(sources, "rater-b")
    write_results(sources)
    write_systems(sources)
    write_survey(sources)
    write_interview(sources)
    write_propensity_items(sources)
    write_propensity_bands(sources)
    write_propensity_responses(sources)
    write_onet(sources)
    write_oews(sources)
    write_log(sources)
    write_comparison(sources)
    write_tournament(sources)
    write_agentic(sources)
    return sources
