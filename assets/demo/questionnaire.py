"""The synthetic respondents' answers as a Qualtrics export lays them out.

Belongs here: columns, codes and blanks. Does not belong here: who the respondents are and what they chose
(survey.py).

Beside the answers stand a few columns that an ingest must leave at the door (an address, an e-mail, a
response id): their values are of the ranges reserved for documentation, so that a leak shows and nobody is
meant.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from assets.demo import figures, survey

REFUSED = ("StartDate", "IPAddress", "ResponseId", "RecipientEmail")
ABOUT = ("Q2.4", "Q2.5", "Q2.11", "Q2.6_1", "Q2.7", "Q2.8", "Q2.9")
EDUCATION = {"4": 0.2, "6": 0.25, "8": 0.4, "9": 0.15}  # assumed; 8 = degree, the published median
MEDIAN_SECONDS = 1500  # assumed
SLOW_ENOUGH = 600  # seconds

# Where those who gave up stopped: Progress -> the blocks answered (assumed shares)
STOPPED = {"15": (0.1, 1), "30": (0.15, 2), "55": (0.2, 3), "85": (0.55, 4)}


def export(rng: np.random.Generator, people: pd.DataFrame, tables: survey.Tables) -> dict[str, pd.DataFrame]:
    """A frame of text cells ('' = blank) for each source, in the order of the questionnaire's columns."""
    answers = _about(rng, people)
    blocks = [
        answers,
        _activities(rng, people),
        _quiz(rng, people),
        _points(rng, people, tables),
        pd.DataFrame({"Q6.2_1": _tens(rng, 60.0, len(people))}),
    ]
    n_answered = np.full(len(people), len(blocks))
    is_screened = (people["fate"] == survey.SCREENED).to_numpy()
    is_incomplete = (people["fate"] == survey.INCOMPLETE).to_numpy()
    stops = rng.choice(list(STOPPED), len(people), p=[share for share, _ in STOPPED.values()])
    n_answered[is_incomplete] = [STOPPED[stop][1] for stop in stops[is_incomplete]]
    n_answered[is_screened] = 0
    for i, block in enumerate(blocks):
        block.loc[n_answered <= i] = ""
    _stop_midway(rng, blocks[3], is_incomplete & (n_answered == 4))

    is_company = (people["source"] == "companies").to_numpy()
    progress = np.where(is_incomplete, stops, np.where(is_screened & is_company, "5", "100"))
    frame = pd.concat([_meta(rng, people, progress), *blocks], axis=1)
    companies = frame[is_company].drop(columns="prescreen")
    online = frame[~is_company].drop(columns="company")
    return {"companies": companies, "online": online}


def question_texts(columns: list[str]) -> list[list[str]]:
    """The two header rows below the names that Qualtrics writes: question texts and ImportId objects."""
    texts = [f"Synthetic questionnaire, column {column}" for column in columns]
    return [texts, [json.dumps({"ImportId": f"QID_{column}"}) for column in columns]]


def _text(values: np.ndarray) -> np.ndarray:
    """Numbers as the shortest text; NaN as a blank."""
    return np.array(["" if np.isnan(v) else f"{v:g}" for v in np.ravel(values)], dtype=object).reshape(
        np.shape(values)
    )


def _tens(rng: np.random.Generator, mean: float, n: int) -> np.ndarray:
    """Slider answers 0-100 in tens around a mean."""
    share = mean / 100
    return _text(np.rint(rng.beta(3 * share, 3 * (1 - share), n) * 10) * 10)


def _meta(rng: np.random.Generator, people: pd.DataFrame, progress: np.ndarray) -> pd.DataFrame:
    n = len(people)
    numbers = np.arange(1, n + 1)
    seconds = np.rint(np.maximum(np.exp(rng.normal(np.log(MEDIAN_SECONDS), 0.55, n)), SLOW_ENOUGH + 10))
    is_fast = (people["fate"] == survey.SPEED).to_numpy()
    seconds[is_fast] = rng.integers(200, SLOW_ENOUGH - 10, is_fast.sum())
    seconds[(people["fate"] == survey.SCREENED).to_numpy()] = 45
    columns = {
        "StartDate": "2000-01-01 00:00:00",
        "IPAddress": [f"192.0.2.{i % 254 + 1}" for i in numbers],
        "Progress": progress,
        "Duration (in seconds)": _text(seconds),
        "Finished": np.where(progress == "100", "1", "0"),
        "ResponseId": [f"R_synthetic{i:04d}" for i in numbers],
        "RecipientEmail": [f"respondent{i}@example.invalid" for i in numbers],
        "prescreen": np.where(people["fate"] == survey.SCREENED, "2", "1"),
        "company": people["company"].to_numpy(),
    }
    return pd.DataFrame(columns, dtype=object)


def _about(rng: np.random.Generator, people: pd.DataFrame) -> pd.DataFrame:
    """Years, domain, attitude, age, sex and education (Table B3)."""
    answers = pd.DataFrame("", index=people.index, columns=list(ABOUT), dtype=object)
    for source, published in figures.DEMOGRAPHICS.items():
        rows = people.index[people["source"] == source]
        n = len(rows)
        in_role = np.rint(rng.exponential(published.years_role, n))
        in_field = in_role + np.rint(rng.exponential(published.years_field - published.years_role, n))
        age = np.rint(np.clip(rng.normal(published.age_mean, published.age_sd, n), 18, 75))
        answers.loc[rows, "Q2.4"] = _text(in_role)
        answers.loc[rows, "Q2.5"] = _text(in_field)
        answers.loc[rows, "Q2.6_1"] = _tens(rng, published.ai_positivity, n)
        answers.loc[rows, "Q2.7"] = _text(age)
        answers.loc[rows, "Q2.8"] = np.where(rng.random(n) < published.female_share, "2", "1")
    answers["Q2.11"] = people["domain"].astype(str).to_numpy()
    answers["Q2.9"] = rng.choice(list(EDUCATION), len(people), p=list(EDUCATION.values()))
    return answers


def _activities(rng: np.random.Generator, people: pd.DataFrame) -> pd.DataFrame:
    """Q3.1 (the five codes), Q3.2_t (rank) and Q3.3_t (hours a week)."""
    codes = range(1, survey.CODES + 1)
    ranks = people[[f"rank_{t}" for t in codes]].to_numpy()
    hours = _text(survey.weekly_hours(rng, people))
    columns: dict[str, object] = {
        "Q3.1": [",".join(str(t + 1) for t in np.flatnonzero(row)) for row in ranks]
    }
    columns |= {f"Q3.2_{t}": np.where(ranks[:, t - 1] > 0, ranks[:, t - 1].astype(str), "") for t in codes}
    columns |= {f"Q3.3_{t}": hours[:, t - 1] for t in codes}
    return pd.DataFrame(columns, dtype=object)


def _quiz(rng: np.random.Generator, people: pd.DataFrame) -> pd.DataFrame:
    """Six answers, code 1 the right one: three or more right unless the quiz is the respondent's fate."""
    n = len(people)
    n_right = rng.choice([3, 4, 5, 6], n, p=[0.15, 0.2, 0.3, 0.35])
    is_failed = (people["fate"] == survey.QUIZ).to_numpy()
    n_right[is_failed] = rng.integers(0, survey.QUIZ_PASS, is_failed.sum())
    place = rng.permuted(np.tile(np.arange(6), (n, 1)), axis=1)
    wrong = rng.integers(2, 4, (n, 6))
    answers = np.where(place < n_right[:, None], 1, wrong).astype(str).astype(object)
    return pd.DataFrame(answers, columns=list(survey.QUIZ_QUESTIONS))


def _points(rng: np.random.Generator, people: pd.DataFrame, tables: survey.Tables) -> pd.DataFrame:
    """{t}_Q5.3 (the five capabilities) and {t}_Q5.4_k (points), for every activity a respondent chose."""
    ranks = people[[f"rank_{t}" for t in range(1, survey.CODES + 1)]].to_numpy()
    rows, chosen = np.nonzero(ranks)
    pooled = np.vstack([tables.weights, np.tile(tables.weights.mean(axis=0), (3, 1))])
    weights = pooled[chosen]
    domains = people["domain"].to_numpy()[rows]
    for (domain, capability), factor in figures.DOMAIN_TILTS.items():
        code, column = figures.DOMAINS.index(domain) + 1, tables.capabilities.index(capability)
        weights[domains == code, column] *= factor
    points = survey.ability_points(rng, weights)

    columns: dict[str, np.ndarray] = {}
    for t in range(1, survey.CODES + 1):
        mine = chosen == t - 1
        cells = np.full((len(people), survey.CAPABILITIES + 1), "", dtype=object)
        given = points[mine]
        cells[rows[mine], 0] = [",".join(str(k + 1) for k in np.flatnonzero(row)) for row in given]
        cells[rows[mine], 1:] = np.where(given > 0, given.astype(str), "")
        columns[f"{t}_Q5.3"] = cells[:, 0]
        columns |= {f"{t}_Q5.4_{k}": cells[:, k] for k in range(1, survey.CAPABILITIES + 1)}
    return pd.DataFrame(columns, dtype=object)


def _stop_midway(rng: np.random.Generator, points: pd.DataFrame, stopped: np.ndarray) -> None:
    """Blank, in place, the answers from a random activity on, for those who stopped among the points."""
    activity = np.array([int(column.split("_")[0]) for column in points.columns])
    for row in np.flatnonzero(stopped):
        points.loc[row, activity > rng.integers(1, 13)] = ""
