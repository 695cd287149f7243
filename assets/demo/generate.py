"""Writes the embedded demo: a whole input folder, generated.

Belongs here: the folder and its files. Does not belong here: whether it must be written (ensure.py), what stands in
them (battery.py, survey.py, propensity.py, onet.py, chats.py, indices.py, tournament.py,
agentic.py).
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from assets.demo import (
    agentic,
    battery,
    chats,
    figures,
    indices,
    onet,
    propensity,
    questionnaire,
    survey,
    tournament,
)

NOTE = "SYNTHETIC.md"
SURVEY_TEXT_ROWS = {"companies": False, "online": True}  # both shapes that Qualtrics exports come in


def write_demo(folder: Path, n_items: int, seed: int) -> None:
    ratings_rng, faults_rng, results_rng, survey_rng = (
        np.random.Generator(np.random.PCG64(s)) for s in np.random.SeedSequence(seed).spawn(4)
    )
    _write_battery(folder / "battery", n_items, ratings_rng, faults_rng, results_rng)
    _write_survey(folder / "survey", survey_rng)
    _write_propensity(folder / "propensity", n_items, seed)
    tasks = _write_adoption(folder, seed)
    agentic.write_agentic(folder / "agentic", tasks, seed)
    tournament.write_tournament(folder / "tournament", seed)
    (folder / NOTE).write_text(_note(n_items, seed), encoding="utf-8")


def _write_battery(
    folder: Path,
    n_items: int,
    ratings_rng: np.random.Generator,
    faults_rng: np.random.Generator,
    results_rng: np.random.Generator,
) -> None:
    raters = pd.read_csv(figures.RATERS_TABLE, keep_default_na=False)
    names = pd.read_csv(figures.CAPABILITY_TABLE).set_index("capability")["name"].to_dict()
    items = battery.item_table(n_items)
    levels = battery.rate(ratings_rng, items["benchmark"].to_numpy(dtype=str), raters)
    demands = battery.composite_demands(levels, raters)

    (folder / "ratings").mkdir(parents=True)
    (folder / "results").mkdir()
    keys = items.set_axis(["dataset name", "sample id"], axis=1)
    for rater, cells in battery.plant_rating_faults(faults_rng, levels).items():
        headed = cells.rename(columns=names).sort_index(axis=1)
        if rater == "rater-a":  # the public files' older name of the capability, in one of the two
            headed = headed.rename(columns={"Attention and Inhibitory Control": "Inhibitory Control"})
        _csv(folder / "ratings" / f"{rater}.csv", pd.concat([keys, headed], axis=1))

    answers = battery.answer(results_rng, demands, read_truth(), figures.INTERCEPT)
    for system, scores in answers.items():
        score = scores.astype(str).astype(object)
        if system == figures.SYSTEMS[0].system:
            n_unscored = max(1, round(figures.UNSCORED_RESULTS * n_items / figures.BATTERY_ITEMS))
            score[faults_rng.choice(n_items, n_unscored, replace=False)] = ""
        columns = {
            "task_name": items["benchmark"].str.lower() + "_task",
            "sample_id": items["item"],
            "score": score,
            "metadata": "",
            "dataset_name": items["benchmark"],
        }
        _csv(folder / "results" / f"{system}.csv", pd.DataFrame(columns))
    blank = dict.fromkeys(("model", "settings", "scaffold", "released_on"), "")
    order = ["system", "name", "model", "settings", "scaffold", "developer", "family", "released_on"]
    _csv(folder / "systems.csv", pd.DataFrame([s._asdict() | blank for s in figures.SYSTEMS])[order])


def read_truth() -> pd.DataFrame:
    """Published posterior means of log capability (Table C6): system slug × dimension."""
    table = pd.read_csv(figures.TRUTH_TABLE)
    slug = {s.name: s.system for s in figures.SYSTEMS}
    wide = table.assign(system=table["system"].map(slug)).pivot(
        index="system", columns="dimension", values="mean"
    )
    return wide.loc[[s.system for s in figures.SYSTEMS], list(figures.DIMENSIONS)]


def _write_survey(folder: Path, rng: np.random.Generator) -> None:
    folder.mkdir(parents=True)
    tables = survey.read_tables()
    people = survey.respondents(rng, tables)
    for source, answers in questionnaire.export(rng, people, tables).items():
        if SURVEY_TEXT_ROWS[source]:
            extra = pd.DataFrame(questionnaire.question_texts(list(answers.columns)), columns=answers.columns)
            answers = pd.concat([extra, answers])
        _csv(folder / f"{source}.csv", answers)
    (folder / "interviews").mkdir()
    points = [(*key, *pair) for key, pairs in figures.INTERVIEW.items() for pair in pairs.items()]
    columns = ["company", "role", "duty", "capability", "points"]
    _csv(folder / "interviews" / "support-lead.csv", pd.DataFrame(points, columns=columns))


def _write_propensity(folder: Path, n_items: int, seed: int) -> None:
    """Items in proportion to the battery's, but at least 60 a propensity: fewer tell positions too badly apart."""
    battery_items = battery.item_table(n_items)
    n_items = max(60, round(figures.PROPENSITY_ITEMS * min(1.0, n_items / figures.BATTERY_ITEMS)))
    rng = np.random.default_rng([seed, *b"propensity"])
    capabilities = pd.read_csv(figures.CAPABILITY_TABLE)["capability"].tolist()
    items = {name: propensity.item_table(rng, name, n_items, capabilities) for name in propensity.KINDS}
    (folder / "items").mkdir(parents=True)
    (folder / "responses").mkdir()
    for name, table in items.items():
        _csv(folder / "items" / f"{name}.csv", table)
    for system in figures.UNPROMPTED:
        _csv(folder / "responses" / f"{system}.csv", propensity.answer(rng, system, items))
    (folder / "bands").mkdir()
    chosen = battery_items[battery_items["benchmark"].isin(figures.ANNOTATED_BENCHMARKS)]
    foreign = chosen.groupby("benchmark", sort=False).head(figures.ANNOTATED_ITEMS)
    bands = propensity.rated_bands(np.random.default_rng([seed, *b"bands"]), items, foreign)
    _csv(folder / "bands" / f"{figures.BAND_RATER}.csv", bands)


def _write_adoption(folder: Path, seed: int) -> pd.DataFrame:
    """Occupations, chats about their tasks (a file in either format) and other indices; whatever the battery's size.

    Returns: the tasks.
    """
    rng = np.random.default_rng([seed, *b"adoption"])
    tasks = onet.task_table(rng)
    release, employment = onet.release(rng, tasks), onet.employment()
    for name in ("onet", "oews", "chats"):
        (folder / name).mkdir()
    (folder / "onet" / "Read Me.txt").write_text(onet.READ_ME, encoding="utf-8")
    for name, table in release.items():
        table.to_csv(folder / "onet" / name, sep="\t", index=False, lineterminator="\n")
    for name, table in employment.items():
        _csv(folder / "oews" / name, table)
    first, second = chats.months(rng, tasks)
    pq.write_table(pa.Table.from_pylist(first, chats.SCHEMA), folder / "chats" / f"{chats.MONTHS[0]}.parquet")
    with (folder / "chats" / f"{chats.MONTHS[1]}.jsonl").open("w", encoding="utf-8", newline="") as file:
        for chat in second:
            file.write(json.dumps(chat, ensure_ascii=False) + "\n")
    for name, table in indices.files(np.random.default_rng([seed, *b"indices"]), tasks).items():
        path = folder / "comparison" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _csv(path, table)
    return tasks


def _csv(path: Path, frame: pd.DataFrame) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(frame.columns)
        writer.writerows(zip(*(frame[column].tolist() for column in frame.columns), strict=True))


def _note(n_items: int, seed: int) -> str:
    return f"""# This folder is synthetic

Nobody rated these items, no AI system answered them and no person filled in this questionnaire. A seeded
program (`assets/demo` of the project) drew everything here, for {n_items:,} battery items, with seed {seed}.

It starts from figures printed in Prunty et al., "Using profiles of cognitive capability to assess AI
suitability for workplace tasks":

| what | figures |
|---|---|
| benchmark sizes (in proportion below {figures.BATTERY_ITEMS:,} items) | Table 1 |
| demand levels, coverage | Table 2 |
| rater agreement | Table A2 |
| which capabilities move together | Table A3 |
| system results, drawn from capability means; accuracies come near C5 | Table C6 |
| respondents per source and domain, before and after quality control | Table B2, section 4.3.1 |
| age, sex, years, attitude to AI | Table B3 |
| importance of activities | section 4.3.3; conditional importance: Tables C9 and C10 |
| hours a week | section 4.3.3 for five activities, assumed for the rest |
| ability points | assumed, after section 4.3.4's account |
| tournament: strengths of doers and helpers, biases of judges | assumed; texts are filler words |
| agents: tool servers, systems, chances of errors, verdicts | invented |

Propensities: the items' bands are ours, the systems' positions are assumed within what "Capabilities Ain't All You
Need: Measuring Propensities in AI" prints in its sections 4 and 5, and choices are drawn by its normalised model.
Each item also has a band on the propensities that it is not about, and so have up to {figures.ANNOTATED_ITEMS}
items of each of six benchmarks of the battery (`propensity/bands/{figures.BAND_RATER}.csv`). These are drawn from the
distribution of the items' own bands and decide nothing: knowing propensities helps to predict choices here, and does
not help on the battery.

Occupations, their tasks, skills, wages and employment under `onet/` and `oews/` are invented, and nobody led the
conversations under `chats/`. Only the layout of the files and the codes of major groups are those of O*NET, OEWS and
WildChat; e-mails, numbers and keys in the chats are of the kinds reserved for examples.

The files under `comparison/` are named and laid out as the Anthropic Economic Index and Microsoft's "Working with AI"
publish theirs, and hold none of their figures or texts: they repeat what was planted in the chats, with noise.

The planted faults (essays and blanks in the ratings, unscored results, respondents who stop or fail the
quiz, chats without any text, verdicts that can't be read) are there on purpose. Systems carry their published names,
but none of their real item results are in here.
"""
