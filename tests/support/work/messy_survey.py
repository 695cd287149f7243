"""A seeded survey with every fault the slice has a rule for, as Qualtrics would export it.

Belongs here: making the files. Does not belong here: what should come out (twin.py), readers.
"""

from __future__ import annotations

import random
from pathlib import Path

from tests.support.factories import QUIZ, SURVEY_HEADER, write_survey

NEVER_CHOSEN = 14
ONLY_IN_DOMAIN_3 = 10
LONELY_DOMAIN = 6
HEADER = (*SURVEY_HEADER, "company", "Status")


COMPANIES = (
    *(("Acme", " ACME\u00a0", "acme", "Acme") * 10),
    *(("Zo\u00eb  &  Co", "Zoe\u0308 & Co", "zo\u00eb & co") * 10),
    *("Tiny", "TINY", "", ""),
)


def write_messy_survey(sources: Path, n: int = 320, seed: int = 20) -> None:
    """survey/companies.csv and survey/online.csv, columns permuted, the second with three header rows.

    Companies are spelled as people spell them; Tiny has at most two respondents, Wide stands in both files.
    """
    rng = random.Random(seed)
    people = [_person(rng) for _ in range(n)] + [_clean(rng, LONELY_DOMAIN)]
    for i, person in enumerate(people):
        places = [*COMPANIES[: n // 4 - 6], *["Wide"] * 6] if i < n // 4 else ["Wide", "wide", *[""] * 8]
        person["company"] = places[i % len(places)]
    for name, part, rows in (("companies", people[: n // 4], 1), ("online", people[n // 4 :], 3)):
        header = list(HEADER)
        rng.shuffle(header)
        rng.shuffle(part)
        write_survey(sources, name, part, header=header, header_rows=rows, encoding="utf-8-sig")


def _clean(rng: random.Random, domain: int) -> dict[str, object]:
    """One who passes quality control; chooses five of the 21 slots and ranks them 1-5."""
    person: dict[str, object] = {
        "Progress": "100",
        "Duration (in seconds)": rng.choice(["600", "600.5", "4000"]),
    }
    person |= {
        "Q2.11": f"{domain}.0",
        "Q2.4": str(rng.randint(0, 30)),
        "Q2.8": rng.choice(["1.0", "2.0", ""]),
    }
    person |= {question: rng.choice(["1.0", "1.0", "1", "2.0"]) for question in QUIZ}
    person |= dict.fromkeys(QUIZ[:3], "1.0")
    slots = [t for t in range(1, 22) if t != NEVER_CHOSEN and (t != ONLY_IN_DOMAIN_3 or domain == 3)]
    chosen = rng.sample(slots, 5)
    dot = rng.choice(["", ".0"])
    person["Q3.1"] = rng.choice([",", ", "]).join(f"{t}{dot}" for t in chosen)
    for place, t in enumerate(chosen, start=1):
        person[f"Q3.2_{t}"] = f"{place}{dot}"
        person[f"Q3.3_{t}"] = f"{rng.randint(0, 400) / 10}"
        if t <= 18:
            picks = rng.sample(range(1, 19), 5)
            person[f"{t}_Q5.3"] = ",".join(map(str, picks))
            cuts = sorted(rng.sample(range(1, 1000), 4))
            parts = [b - a for a, b in zip([0, *cuts], [*cuts, 1000], strict=True)]
            person |= {f"{t}_Q5.4_{k}": f"{part / 10}" for k, part in zip(picks, parts, strict=True)}
    return person


def _person(rng: random.Random) -> dict[str, object]:
    """One of five domains, with faults: nobody but the lonely one keeps domain 6."""
    person = _clean(rng, rng.randint(1, 5))
    faults = [
        ("Status", ["0", "16", "1", "Survey Preview", "2", "2", "2", "8", "Spam"]),
        ("Progress", ["", "99", "140", "done"]),
        ("Duration (in seconds)", ["", "599", "599.9", "10", "-5", "long"]),
        ("Q2.11", ["", "", "9", "6.5", "nan"]),
        ("Q3.1", ["", f"{person['Q3.1']},99", "none of them", "1,1,2"]),
        ("Q2.4", ["", "-1", "many"]),
        *((question, ["", "2.0", "3.0", "maybe"]) for question in QUIZ),
        *((f"Q3.2_{t}", ["", "6", "2.5", "0", "1.0", "1", "2", "first"]) for t in range(1, 22)),
        *((f"Q3.3_{t}", ["", "169", "-1", "lots", "168"]) for t in range(1, 22)),
        *((f"{t}_Q5.3", ["", "1,2", "1,2,19"]) for t in range(1, 19)),
        *((f"{t}_Q5.4_{k}", ["", "0", "101", "-1", "half", "33.3"]) for t in range(1, 19) for k in (1, 6, 7)),
    ]
    for column, values in faults:
        if rng.random() < 0.06:
            person[column] = rng.choice(values)
    if rng.random() < 0.15:
        person |= dict.fromkeys(rng.sample(QUIZ, 4), "2.0")
    return person
